"""The compiled modules. Everything else about the package is in pyproject.toml.

Without a C++ compiler nothing is compiled, and plain Python stands in. With one, a module that
fails to compile is an error.

CS336_BPE_DEBUG=1 builds with bounds checks and assertions on; CS336_BPE_SANITIZE=1 adds the
address and undefined-behaviour sanitizers, CS336_BPE_SANITIZE=thread the one for data races
(tests/sanitize.sh runs the tests with them). See CONTRIBUTING.md. CS336_BPE_ONLY="name name" builds
only these modules; benchmarks/variants does that in a copy of the package.
"""

import os
import sys
import tempfile
from glob import glob
from pathlib import Path

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

MODULES = sorted(path[:-4].replace(os.sep, ".") for path in glob("cs336_bpe/*/*.pyx"))
if os.environ.get("CS336_BPE_ONLY"):
    MODULES = os.environ["CS336_BPE_ONLY"].split()
NEEDS_THE_LOCK = {
    # Their objects change while they are used, and rely on the interpreter's lock for that. In a
    # Python without one ("free-threaded"), importing them turns it on again.
    *(name for name in MODULES if "cs336_bpe.encode.stage11" <= name < "cs336_bpe.encode.stage19"),
    "cs336_bpe.corpora.near_duplicates",
}
# What Cython would otherwise put into each module (the types of its functions and memoryviews): a
# third of a wheel. Cython makes it, so it has no source here. One module has nothing to share.
SHARED = None if len(MODULES) == 1 or "CS336_BPE_ONLY" in os.environ else (
    "cs336_bpe.common.cython_shared")
HEADERS = glob("cs336_bpe/*/*.h") + glob("cs336_bpe/*/*.pxd")

sanitize = os.environ.get("CS336_BPE_SANITIZE", "0")
debug = sanitize not in ("", "0") or os.environ.get("CS336_BPE_DEBUG", "0") not in ("", "0")
if os.name == "nt":
    release_flags, small_flags, debug_flags = ["/O2"], ["/O1"], ["/Od"]
    standard = ["/std:c++17"]
else:
    # Python's own flags may ask for debugging information, which is more than half of a wheel.
    release_flags, small_flags = ["-O3", "-g0"], ["-Os", "-g0"]
    debug_flags = ["-O1", "-g", "-UNDEBUG"]
    standard = ["-std=gnu++17"]  # some compilers' default is older
sanitizers = {"": [], "0": [], "thread": ["-fsanitize=thread"]}.get(
    sanitize, ["-fsanitize=address,undefined", "-fno-sanitize-recover=undefined"])
macros = [("_GLIBCXX_ASSERTIONS", "1")] if debug else [("CYTHON_WITHOUT_ASSERTIONS", "1")]
strip = []
if sys.platform.startswith("linux") and not debug:
    # Only the function that Python calls is seen from outside; names of the others take room.
    hidden = ["-fvisibility=hidden", "-fno-plt"]
    release_flags, small_flags = release_flags + hidden, small_flags + hidden
    strip = ["-Wl,-s"]

extensions = [
    Extension(
        name,
        [name.replace(".", "/") + ".pyx"],
        include_dirs=["cs336_bpe/native"],
        depends=HEADERS,
        define_macros=macros,
        extra_compile_args=(debug_flags if debug else release_flags) + sanitizers,
        extra_link_args=sanitizers + strip,
    )
    for name in MODULES
]
if SHARED:
    extensions.append(Extension(
        SHARED, [SHARED.replace(".", "/") + ".c"], define_macros=macros,
        extra_compile_args=(debug_flags if debug else small_flags) + sanitizers,
        extra_link_args=sanitizers + strip))


class Build(build_ext):
    """Builds the modules with all cores; or none, if there is no compiler."""

    def finalize_options(self):
        super().finalize_options()
        if self.parallel is None:
            self.parallel = number_of_cores()

    def build_extensions(self):
        reason = self.why_nothing_compiles()
        if reason:
            say(f"there is no C++ compiler that works ({reason}), so nothing is compiled: plain "
                f"Python will do the work, much more slowly")
            self.extensions = []
            return
        number = len(self.extensions)
        say(f"building {number} module{'s' * (number > 1)} with {self.parallel} at a time; "
            f"this takes a minute or two")
        self.to_cpp()
        super().build_extensions()

    def why_nothing_compiles(self):
        """What a compiler says to a program that is certainly right; empty if nothing."""
        with tempfile.TemporaryDirectory() as folder:
            source = Path(folder, "try.cpp")
            source.write_text('#include <Python.h>\n#include <vector>\nstd::vector<int> numbers;\n')
            try:
                objects = self.compiler.compile([str(source)], output_dir=folder,
                                                include_dirs=self.compiler.include_dirs)
                self.compiler.link_shared_object(
                    objects, str(Path(folder, "try.so")), target_lang="c++",
                    library_dirs=self.compiler.library_dirs)
            except Exception as error:
                # Each platform has errors of its own; and whatever it is, there is no compiler.
                return f"{type(error).__name__}: {error}"
        return ""

    def to_cpp(self):
        """Translate all modules to C++, and tell each extension what its sources are now."""
        from Cython.Build import cythonize  # slow to import, and of no use without a compiler

        for free in (True, False):
            some = [extension for extension in self.extensions
                    if (extension.name in NEEDS_THE_LOCK) != free]
            translated = cythonize(some, force=debug or self.force,
                                   nthreads=self.parallel if os.name == "posix" else 0,
                                   compiler_directives={"freethreading_compatible": free,
                                                        "auto_pickle": False},
                                   shared_utility_qualified_name=SHARED)
            by_name = {extension.name: extension for extension in translated}
            for extension in some:
                extension.sources = by_name[extension.name].sources
                extension.language = by_name[extension.name].language
                if extension.language == "c++":
                    extension.extra_compile_args = standard + extension.extra_compile_args

    def build_extension(self, extension):
        if extension.name == "cs336_bpe.native.build":
            # Tell it with which flags everything is compiled, for saved timings.
            command = getattr(self.compiler, "compiler_so_cxx", None) or getattr(
                self.compiler, "compiler_so", [])
            flags = [*command, *extension.extra_compile_args]
            flags = [flag for flag in flags if flag.startswith(("-", "/")) and '"' not in flag
                     and "\\" not in flag and not flag.startswith("-I")]
            extension.define_macros = [*extension.define_macros,
                                       ("BUILD_FLAGS", '"' + " ".join(flags) + '"')]
        super().build_extension(extension)


def number_of_cores():
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def say(message):
    print(f"cs336_bpe: {message}", file=sys.stderr, flush=True)


if __name__ == "__main__":  # and not in the processes that translate modules
    setup(ext_modules=extensions, cmdclass={"build_ext": Build})
