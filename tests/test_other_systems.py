"""Modules and names that only some systems have are used there only.

Here they are taken away, as on Windows, and the package must do without. (That it runs there is
seen when the wheels are built: .github/workflows.)
"""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

BENCHMARKS = Path(__file__).parents[1] / "benchmarks"
MODULES = ("fcntl", "resource", "termios", "tty", "pty", "pwd", "grp", "spwd", "crypt", "syslog",
           "readline", "curses", "_curses", "nis", "ossaudiodev")
NAMES = {"os": ("sched_getaffinity", "fork", "forkpty", "getuid", "geteuid", "getppid", "uname",
                "killpg", "setsid", "getloadavg", "nice", "pread", "pwrite", "mkfifo", "sysconf"),
         "signal": ("SIGKILL", "SIGSTOP", "SIGHUP", "SIGPIPE", "SIGUSR1", "SIGALRM", "alarm",
                    "setitimer", "pthread_sigmask")}

PROGRAM = f"""if True:
    import importlib, os, pkgutil, signal, sys, tempfile
    import multiprocessing.connection, multiprocessing.popen_spawn_posix  # the library's own way
    import numpy, regex, tqdm  # other people's ways

    absent = {MODULES!r}
    for name in [*absent, "tty"]:
        sys.modules[name] = None  # importing it is an ImportError
    for module, names in {NAMES!r}.items():
        for name in names:
            if hasattr(sys.modules[module], name):
                delattr(sys.modules[module], name)

    import cs336_bpe
    number = 0
    for module in pkgutil.walk_packages(cs336_bpe.__path__, "cs336_bpe."):
        if not module.name.endswith("__main__"):
            importlib.import_module(module.name)
            number += 1
    folder = tempfile.TemporaryDirectory()
    path = os.path.join(folder.name, "text.txt")
    with open(path, "w") as file:
        file.write("low lower lowest newest<|endoftext|>" * 100)
    assert cs336_bpe.cli.main(["train", path, "--vocab-size", "270", "-o", path + ".json",
                               "--quiet"]) in (None, 0)
    tokenizer = cs336_bpe.Tokenizer.load(path + ".json")
    assert tokenizer.decode(tokenizer.encode("lower than low")) == "lower than low"
    assert cs336_bpe.cli.main(["encode", path, "-t", path + ".json", "-o", path + ".npy",
                               "--quiet"]) in (None, 0)
    assert len(numpy.load(path + ".npy")) > 0
    folder.cleanup()
    print(number)
"""


def test_without_what_only_posix_has():
    done = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True,
                          check=False, timeout=300)
    assert done.returncode == 0, done.stderr[-3000:]
    assert int(done.stdout.split()[-1]) > 150


def imported_at_once(source):
    """What a file imports when it is imported itself, except where it is ready to fail."""
    for node in ast.parse(source).body:
        if isinstance(node, ast.Import):
            yield from (name.name for name in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield node.module


@pytest.mark.parametrize("path", sorted(BENCHMARKS.glob("**/*.py")),
                         ids=lambda path: path.stem)
def test_benchmarks_import_no_such_module_at_once(path):
    assert not set(imported_at_once(path.read_text("utf-8"))) & set(MODULES)


def test_such_an_import_would_be_seen():
    assert "resource" in imported_at_once("import os\nimport resource, sys\n")
    assert "fcntl" in imported_at_once("from fcntl import flock\n")
    assert "resource" not in imported_at_once("def peak():\n    import resource\n")
