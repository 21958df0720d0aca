"""What the tests share: the stages, from the registry, and the course's files where they are."""

import atexit
import gc
import os
import shutil
import tempfile
from importlib.util import find_spec
from pathlib import Path

import pytest
from hypothesis import HealthCheck, Phase, settings

from cs336_bpe import stages

# Tests start hundreds of programs. Where Python is not to write what it has compiled, each of them
# would compile the package anew, which takes longer than most of what they do.
if os.environ.pop("PYTHONDONTWRITEBYTECODE", None):
    os.environ["PYTHONPYCACHEPREFIX"] = tempfile.mkdtemp(prefix="compiled-")
    atexit.register(shutil.rmtree, os.environ["PYTHONPYCACHEPREFIX"], ignore_errors=True)

settings.register_profile(
    "default", deadline=None, derandomize=bool(os.environ.get("CI")),
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
# For tests/mutants: that an example fails is enough, and to look for a smaller one takes minutes.
settings.register_profile("mistakes", settings.get_profile("default"),
                          phases=[Phase.explicit, Phase.generate])
settings.load_profile("default")


@pytest.hookimpl(tryfirst=True)
def pytest_cmdline_main(config):
    """The whole suite is run by two processes, where there are two cores and pytest-xdist.

    Parts of it are not, and neither are benchmarks, which are not below this folder. `-n 0` and
    `-p no:xdist` leave it at one process.
    """
    given = config.option
    if (config.args_source is config.ArgsSource.TESTPATHS and cores() > 1
            and config.pluginmanager.hasplugin("xdist") and "PYTEST_XDIST_WORKER" not in os.environ
            and given.numprocesses is None and given.dist == "no"
            and not given.usepdb and not given.benchmark_only):
        given.numprocesses, given.dist = 2, "worksteal"
        given.benchmark_disable = True  # pytest-benchmark would do it, and warn about it


def cores():
    """Those that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()


TRAIN_STAGES = stages.ladder("train")


@pytest.fixture(params=TRAIN_STAGES[1:], ids=lambda stage: stage.name)
def train_stage(request):
    """Each training stage but the definition; a compiled one that was not built fails here."""
    return request.param.load()


@pytest.fixture(params=TRAIN_STAGES, ids=lambda stage: stage.name)
def any_train_stage(request):
    return request.param.load()


@pytest.fixture(scope="session")
def real_data():
    """The folder with the real corpora. Tests that use it are left out where it is not."""
    return Path(os.environ["CS336_BPE_DATA"])


OTHERS = ("torch", "zsh", "fish", "valgrind", "aarch64-linux-gnu-g++", "s390x-linux-gnu-g++",
          "qemu-aarch64-static", "qemu-s390x-static")
"""Packages and programs that `pip install '.[test]'` can't give, for @pytest.mark.needs. What tests
with them add to the others is said in CONTRIBUTING.md."""
MISSING = {name for name in OTHERS if find_spec(name) is None and shutil.which(name) is None}

collect_ignore = ["test_language_model.py"] if "torch" in MISSING else []


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config, items):
    """Mark the tests on real corpora, for `-m real_data`; without such corpora, leave them out, and
    so those that need a program that is missing.

    Others do the same on generated text, and without the program.
    """
    for item in items:
        if "real_data" in getattr(item, "fixturenames", ()):
            item.add_marker("real_data")
    left_out = set()
    for item in items:
        needed = {name for marker in item.iter_markers("needs") for name in marker.args}
        if needed - set(OTHERS):
            raise pytest.UsageError(f"{item.nodeid} needs {needed}, unknown to tests/conftest.py")
        if needed & MISSING or (item.get_closest_marker("real_data")
                                and not os.environ.get("CS336_BPE_DATA")):
            left_out.add(item)
    if left_out:
        config.hook.pytest_deselected(items=list(left_out))
        items[:] = [item for item in items if item not in left_out]


def pytest_collection_finish():
    """What was collected is there until the end. Thousands of tests are not to be looked through
    again whenever Python, or a test of memory, looks for garbage."""
    gc.collect()
    gc.freeze()


def pytest_report_header():
    folder = os.environ.get("CS336_BPE_DATA")
    lines = [f"real corpora: {folder or 'tests on them are left out; see CONTRIBUTING.md'}"]
    if MISSING:
        missing = ", ".join(name for name in OTHERS if name in MISSING)
        lines.append(f"not here, so tests that need them are left out: {missing}")
    return lines
