"""Put small mistakes into a copy of the project, one at a time, and see which the tests miss.

    python -m tests.mutants [--only TEXT] [--list] [--keep FOLDER] [--timeout SECONDS]
                            [--deselect TEST] [--save FILE]

The test that finds a mistake is run again without it: a test that fails anyway finds nothing, and
the mistake is called useless. Limits are in time of the processor, so that a busy machine finds
nothing, either. Compiled modules are built with -O1, only those that a mistake touches, and the
original ones are put back afterwards. Exit code 1 if any mistake survives.
"""

import argparse
import json
import os
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from datetime import datetime, timezone
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))  # however it is started

from mistakes import MISTAKES, Mistake

ROOT = Path(__file__).resolve().parents[2]
MOST_MEMORY = 8 << 30  # bytes: a scanner that stands still may write down the same place for ever
# Beside an example in a docstring, so that the settings of the tests are there.
CHEAP = "tests/mutants/test_mutants.py::test_names_tests_and_modules"


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.mutants",
                                     description="which small mistakes do the tests find?")
    parser.add_argument("--only", action="append", metavar="TEXT",
                        help="mistakes with this in their names or files; may be repeated")
    parser.add_argument("--deselect", action="append", default=[], metavar="TEST",
                        help="a test that fails anyway, for pytest")
    parser.add_argument("--list", action="store_true", help="show them, and do nothing")
    parser.add_argument("--native", choices=["only", "not"], help="compiled modules only, or not")
    parser.add_argument("--keep", type=Path, help="a folder for the copy, to be used again")
    parser.add_argument("--timeout", type=float, default=300,
                        help="seconds of the processor for the tests of a mistake")
    parser.add_argument("--save", type=Path, metavar="FILE",
                        help="put the results into this JSON file, beside those of earlier runs")
    parser.add_argument("--rest", action="store_true",
                        help="only those for which the file of --save has no result")
    options = parser.parse_args()
    chosen = [one for one in MISTAKES
              if any(text in one.name or text in one.file for text in options.only or [""])]
    if options.native:
        chosen = [one for one in chosen if bool(one.modules) == (options.native == "only")]
    if options.rest:
        chosen = [one for one in chosen if one.name not in saved(options.save)]
    if options.list:
        for one in chosen:
            print(f"{one.file.removeprefix('cs336_bpe/'):34} {one.name}")
        print(f"{len(chosen)} mistakes")
        return 0
    if options.keep:
        return run_all(chosen, Copy(options.keep, options.deselect), options.timeout, options.save)
    with tempfile.TemporaryDirectory() as folder:
        copy = Copy(Path(folder, "copy"), options.deselect)
        return run_all(chosen, copy, options.timeout, options.save)


def saved(path: Path | None) -> dict[str, str]:
    """The results of earlier runs, of mistakes that are still in the list."""
    found = json.loads(path.read_text())["results"] if path and path.exists() else {}
    return {one.name: found[one.name] for one in MISTAKES if one.name in found}


def save(path: Path, name: str, result: str) -> None:
    path.write_text(json.dumps({
        "command": "python -m tests.mutants --save benchmarks/results/reliability_mutants.json",
        "date": datetime.now(timezone.utc).strftime("%Y-%m-%d"),
        "results": saved(path) | {name: result}}, indent=1) + "\n")


def run_all(chosen: list[Mistake], copy: "Copy", timeout: float, save_to: Path | None) -> int:
    sound: dict[tuple[str, ...], bool] = {}  # what was run without a mistake: does it succeed?
    survived, useless = [], []
    for one in chosen:
        start = time.monotonic()
        result = copy.try_one(one, timeout)
        by = copy.failed
        if result == "survived":
            survived.append(one)
        elif result in ("found", "found (no end)"):  # no test crashes anyway
            again = (*by, CHEAP) if by else one.tests
            if again not in sound:
                sound[again] = copy.run(again, 3 * timeout) == "survived"
            if not sound[again]:
                result = "useless: its tests fail without it"
                useless.append(one)
        if save_to and one not in useless:
            save(save_to, one.name, result)
        print(f"{result:20.60} {time.monotonic() - start:5.0f} s  {one.name}  ({one.file})"
              f"{'  by ' if by else ''}{' '.join(by)}", flush=True)
    tried = len(chosen) - len(useless)
    print(f"{tried - len(survived)} of {tried} mistakes were found")
    for one in survived:
        print(f"  not found: {one.name} ({one.file}): {' '.join(one.tests)}")
    return 1 if survived or useless else 0


class Copy:
    """A copy of the project, with its compiled modules."""

    def __init__(self, folder: Path, deselected: list[str]) -> None:
        self.folder = folder
        self.failed: tuple[str, ...] = ()  # the first test that did, in the last run
        self.deselected = [f"--deselect={test}" for test in deselected]
        # What Python has compiled is kept: a file that changes has another time, and is not found.
        self.environment = {**os.environ, "PYTHONPATH": str(folder),
                            "PYTHONPYCACHEPREFIX": str(folder / ".compiled")}
        self.environment.pop("PYTHONDONTWRITEBYTECODE", None)
        if not folder.exists():
            ignored = shutil.ignore_patterns(".git", "build", ".hypothesis", "__pycache__",
                                             ".*_cache")
            shutil.copytree(ROOT, folder, ignore=ignored, symlinks=True)
            setup = folder / "setup.py"
            setup.write_text(setup.read_text().replace('"-O3"', '"-O1"'))

    def try_one(self, one: Mistake, timeout: float) -> str:
        path = self.folder / one.file
        text = path.read_text()
        assert text.count(one.old) == 1, f"{one.name}: write it anew"
        path.write_text(text.replace(one.old, one.new))
        try:
            if one.modules and (error := self.build(one.modules, one.file.endswith(".h"))):
                return f"not built: {error}"
            return self.run(one.tests, timeout)
        finally:
            path.write_text(text)
            for module in one.modules:
                if not one.file.endswith(".h"):  # what Cython has made has the mistake in it
                    for suffix in (".cpp", ".c"):
                        self.path(module, suffix).unlink(missing_ok=True)
                for old in self.files_of(ROOT, module):
                    shutil.copy2(old, self.folder / old.relative_to(ROOT))

    def build(self, modules: tuple[str, ...], only_a_header: bool) -> str:
        """Build some modules anew; returns the last line of what went wrong."""
        for module in modules:
            for suffix in (".cpp", ".c"):
                if only_a_header and self.path(module, suffix).exists():
                    self.path(module, suffix).touch()  # Cython has nothing to do then
                else:
                    self.path(module, suffix).unlink(missing_ok=True)
        compilers = {"CC": "ccache gcc", "CXX": "ccache g++"} if shutil.which("ccache") else {}
        names = " ".join(f"cs336_bpe.{module}" for module in modules)
        # Not --force: the sources are newer than the modules, and Cython would do it all again.
        command = [sys.executable, "setup.py", "-q", "build_ext", "--inplace"]
        done = subprocess.run(command, cwd=self.folder, capture_output=True, text=True, check=False,
                              env={**os.environ, **compilers, "CS336_BPE_ONLY": names})
        return "" if not done.returncode else (done.stderr.strip().splitlines() or ["?"])[-1]

    def path(self, module: str, suffix: str) -> Path:
        return self.folder / "cs336_bpe" / (module.replace(".", "/") + suffix)

    @staticmethod
    def files_of(root: Path, module: str) -> list[Path]:
        path = root / "cs336_bpe" / module.replace(".", "/")
        return [*path.parent.glob(f"{path.name}.*.so"), *path.parent.glob(f"{path.name}.*.pyd")]

    def run(self, tests: tuple[str, ...], timeout: float) -> str:
        """Run tests in the copy: 'survived', or how the mistake was found. `timeout` is in seconds
        of the processor; what waits for ever takes none, and is ended after ten times as long."""
        def limited() -> None:
            signal.signal(signal.SIGINT, signal.default_int_handler)
            resource.setrlimit(resource.RLIMIT_CPU, (int(timeout) + 1, resource.RLIM_INFINITY))
            resource.setrlimit(resource.RLIMIT_AS, (MOST_MEMORY, resource.RLIM_INFINITY))

        self.failed = ()
        shutil.rmtree(self.folder / ".hypothesis", ignore_errors=True)  # no example is handed on
        process = subprocess.Popen(
            [sys.executable, "-m", "pytest", "-q", "-x", "--no-header", "-p", "no:cacheprovider",
             "--hypothesis-profile=mistakes", *self.deselected, *tests], cwd=self.folder,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, start_new_session=True,
            env=self.environment, preexec_fn=limited)
        try:
            output = process.communicate(timeout=10 * timeout)[0]
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.communicate()
            return "found (no end)"
        finally:
            with suppress(ProcessLookupError):  # what the tests have started, and did not end
                os.killpg(process.pid, signal.SIGKILL)
        self.failed = tuple(line.partition(" ")[2].split(" - ")[0] for line in output.splitlines()
                            if line.startswith(("FAILED ", "ERROR ")))[:1]
        code = process.returncode
        if code == -signal.SIGXCPU:
            return "found (no end)"
        return "survived" if code == 0 else "found (crash)" if code < 0 else "found"


if __name__ == "__main__":
    sys.exit(main())
