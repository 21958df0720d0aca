"""The last pretokenization stage, built again with one part taken away.

The parts are switches in its headers: `CS336_BPE_...` in native/ and pretokenize/word_counts.h.
"""

import importlib.machinery
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent.parent.parent
STAGE = "stage08_threads"
VARIANTS = {
    "as it is": [],
    "no huge pages": ["CS336_BPE_SMALL_PAGES"],
    "no prefetch": ["CS336_BPE_NO_PREFETCH"],
    "one key size": ["CS336_BPE_ONE_KEY_SIZE"],
    "portable masks": ["CS336_BPE_PORTABLE"],
    "pages not touched": ["CS336_BPE_UNTOUCHED"],
    "batches of 128": ["CS336_BPE_BATCH=128"],
}

BUILD = """
import sys
from Cython.Build import cythonize
from setuptools import Extension, setup
name, source, folder, *macros = sys.argv[1:]
pairs = [tuple((macro + "=1").split("=")[:2]) for macro in macros]
extension = Extension(name, [source], include_dirs=["cs336_bpe/native"], define_macros=pairs,
                      extra_compile_args=["-O3"])
setup(name="variant", packages=[], script_args=["-q", "build_ext", "--build-lib", folder,
      "--build-temp", folder], ext_modules=cythonize([extension], build_dir=folder, quiet=True))
"""

RUN = """
import importlib.util, sys, time
name, library, path, special, workers = sys.argv[1:]
spec = importlib.util.spec_from_file_location(name, library)
module = importlib.util.module_from_spec(spec)
spec.loader.exec_module(module)
start = time.perf_counter()
counts = module.count_pretokens(path, [special], workers=int(workers))
print(time.perf_counter() - start)
"""


def build(folder):
    """Compile all variants into a folder; a dict from each to its library."""
    name = f"cs336_bpe.pretokenize.{STAGE}"
    libraries = {}
    for number, (variant, macros) in enumerate(VARIANTS.items()):
        target = Path(folder, str(number))
        subprocess.run([sys.executable, "-c", BUILD, name, name.replace(".", "/") + ".pyx",
                        str(target), *macros], check=True, cwd=ROOT, stderr=subprocess.DEVNULL)
        suffix = importlib.machinery.EXTENSION_SUFFIXES[0]
        libraries[variant] = target / "cs336_bpe/pretokenize" / (STAGE + suffix)
    return libraries


def seconds(library, path, special, workers):
    """One run in a fresh process; it leaves columns, and makes no dict."""
    done = subprocess.run(
        [sys.executable, "-c", RUN, f"cs336_bpe.pretokenize.{STAGE}", str(library), str(path),
         special, str(workers)], check=True, capture_output=True, text=True, cwd=ROOT)
    return float(done.stdout)
