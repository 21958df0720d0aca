"""The compiled modules. Everything else about the package is in pyproject.toml.

CS336_BPE_DEBUG=1 builds with bounds checks and assertions on; CS336_BPE_SANITIZE=1 adds the
address and undefined-behaviour sanitizers. See CONTRIBUTING.md.
"""

import os
from glob import glob

from Cython.Build import cythonize
from setuptools import Extension, setup

MODULES = [
    "cs336_bpe.columns",
    "cs336_bpe.encode.stage07_word_table",
    "cs336_bpe.near_duplicates",
    "cs336_bpe.pretokenize.stage04_scanner",
    "cs336_bpe.pretokenize.stage05_native_counts",
    "cs336_bpe.train.stage07_compiled_unchanged",
    "cs336_bpe.train.stage08_typed_incremental",
    "cs336_bpe.train.stage09_position_index",
    "cs336_bpe.encode.stage06_typed_ranks",
]

HEADERS = glob("cs336_bpe/*/*.h")

sanitize = os.environ.get("CS336_BPE_SANITIZE", "0") not in ("", "0")
debug = sanitize or os.environ.get("CS336_BPE_DEBUG", "0") not in ("", "0")
if os.name == "nt":
    release_flags, debug_flags = ["/O2"], ["/Od"]
else:
    release_flags, debug_flags = ["-O3"], ["-O1", "-g", "-UNDEBUG"]
sanitizers = ["-fsanitize=address,undefined", "-fno-sanitize-recover=undefined"] * sanitize
macros = [("_GLIBCXX_ASSERTIONS", "1")] if debug else [("CYTHON_WITHOUT_ASSERTIONS", "1")]

extensions = [
    Extension(
        name,
        [name.replace(".", "/") + ".pyx"],
        include_dirs=["cs336_bpe/pretokenize"],
        depends=HEADERS,
        define_macros=macros,
        extra_compile_args=(debug_flags if debug else release_flags) + sanitizers,
        extra_link_args=sanitizers,
    )
    for name in MODULES
]

setup(ext_modules=cythonize(extensions, force=debug))
