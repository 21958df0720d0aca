"""The compiled modules. Everything else about the package is in pyproject.toml.

CS336_BPE_DEBUG=1 builds with bounds checks and assertions on; CS336_BPE_SANITIZE=1 adds the
address and undefined-behaviour sanitizers, CS336_BPE_SANITIZE=thread the one for data races
(tests/sanitize.sh runs the tests with them). See CONTRIBUTING.md. CS336_BPE_ONLY="name name" builds
only these modules; benchmarks/variants does that in a copy of the package.
"""

import os
from glob import glob

from Cython.Build import cythonize
from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

MODULES = sorted(path[:-4].replace(os.sep, ".") for path in glob("cs336_bpe/*/*.pyx"))
if os.environ.get("CS336_BPE_ONLY"):
    MODULES = os.environ["CS336_BPE_ONLY"].split()
HEADERS = glob("cs336_bpe/*/*.h") + glob("cs336_bpe/*/*.pxd")

sanitize = os.environ.get("CS336_BPE_SANITIZE", "0")
debug = sanitize not in ("", "0") or os.environ.get("CS336_BPE_DEBUG", "0") not in ("", "0")
if os.name == "nt":
    release_flags, debug_flags = ["/O2"], ["/Od"]
else:
    release_flags, debug_flags = ["-O3"], ["-O1", "-g", "-UNDEBUG"]
sanitizers = {"": [], "0": [], "thread": ["-fsanitize=thread"]}.get(
    sanitize, ["-fsanitize=address,undefined", "-fno-sanitize-recover=undefined"])
macros = [("_GLIBCXX_ASSERTIONS", "1")] if debug else [("CYTHON_WITHOUT_ASSERTIONS", "1")]

extensions = [
    Extension(
        name,
        [name.replace(".", "/") + ".pyx"],
        include_dirs=["cs336_bpe/native"],
        depends=HEADERS,
        define_macros=macros,
        extra_compile_args=(debug_flags if debug else release_flags) + sanitizers,
        extra_link_args=sanitizers,
    )
    for name in MODULES
]


class BuildAndRecord(build_ext):
    """Tell cs336_bpe.native.build with which flags everything is compiled, for saved timings."""

    def build_extension(self, extension):
        if extension.name == "cs336_bpe.native.build":
            command = getattr(self.compiler, "compiler_so_cxx", None) or getattr(
                self.compiler, "compiler_so", [])
            flags = [*command, *extension.extra_compile_args]
            flags = [flag for flag in flags if flag.startswith(("-", "/")) and '"' not in flag
                     and "\\" not in flag and not flag.startswith("-I")]
            extension.define_macros = [*extension.define_macros,
                                       ("BUILD_FLAGS", '"' + " ".join(flags) + '"')]
        super().build_extension(extension)


setup(ext_modules=cythonize(extensions, force=debug), cmdclass={"build_ext": BuildAndRecord})
