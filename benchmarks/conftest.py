"""Options, markers and the tables of `pytest benchmarks/`; see docs/benchmarks.md."""

import os
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

import equal_work

from cs336_bpe import stages
from cs336_bpe.common.tables import as_text

# One thread each. It must be said before the first call of a library that uses threads.
os.environ.update(RAYON_NUM_THREADS="1", TOKENIZERS_PARALLELISM="false")

# Programs, not tests; pytest would import them to look for doctests.
collect_ignore_glob = ["variants", "language_model", "run_*", "render*", "make_*", "[!br]*.py"]
LADDERS = tuple(dict.fromkeys(stage.ladder for stage in stages.STAGES))
GROUPS = []  # those that this run has made


def pytest_addoption(parser):
    parser.addoption("--budget", type=float, default=equal_work.BUDGET, metavar="SECONDS",
                     help="benchmarks: leave out a rung that would need longer than this for a "
                          "run of a group's work (default: %(default)s)")


def pytest_configure(config):
    for ladder in LADDERS:
        config.addinivalue_line("markers", f"{ladder}: benchmarks of the ladder {ladder!r}")
    config.addinivalue_line("markers", "peers: benchmarks of other libraries")


@pytest.fixture(scope="session")
def budget(request):
    return request.config.getoption("--budget")


@pytest.fixture
def stage(request):
    return stages.find(*request.param.split("/"))


@pytest.fixture(scope="session")
def new_group():
    """A function that makes a group of equal work, whose table is shown at the end."""
    def make(*arguments, **more):
        GROUPS.append(equal_work.Group(*arguments, **more))
        return GROUPS[-1]
    return make


def pytest_benchmark_update_machine_info(config, machine_info):
    """The name of the machine says nothing about its speed, and is nobody's business."""
    machine_info.pop("node", None)


def pytest_benchmark_update_commit_info(config, commit_info):
    """The commit says what was measured; branches come and go."""
    for key in ("branch", "project"):
        commit_info.pop(key, None)


def pytest_benchmark_update_json(config, output_json):
    """How to run it again."""
    output_json["command"] = " ".join(["pytest", *(
        option for option in config.invocation_params.args
        if not option.startswith(("-q", "--benchmark-json", "--benchmark-save")))])


def pytest_terminal_summary(terminalreporter):
    for group in GROUPS:
        if not group.done:
            continue
        rows = sorted(group.done, key=lambda row: row["name"])
        terminalreporter.section(group.name)
        if any("stats" in row for row in rows):
            terminalreporter.write_line(as_text(equal_work.cells(rows)))
        for line in equal_work.skipped(rows):
            terminalreporter.write_line(f"left out: {line}")
