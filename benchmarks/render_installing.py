"""The table of docs/installing.md; see render.py. Its rows are saved by `tests/installed.sh --save`
and `tests/aarch64.sh`."""

from common import load
from rendering import table

HOW = {"all": "all tests", "core": "the core of the tests",
       "few": "a few files of tests",
       "no-compiler": "nothing compiled; digests, and tests of that",
       "emulated": "by an emulator; digests, and tests of compiled code"}


def installed(_):
    """Which Pythons were tried, and how."""
    rows = [[row["python"], row["machine"], HOW[row["tests"]], row["result"],
             f"{row['wheel_bytes'] / 1e6:.2f} MB" if row["wheel_bytes"] else "", row["date"]]
            for row in load("installed")["rows"]]
    return table(["Python", "machine", "tried", "result", "wheel", "on"], rows, left=4)


MAKERS = (installed,)
