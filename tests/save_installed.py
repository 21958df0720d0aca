"""Save a row of the table in docs/installing.md; `installed.sh` and `aarch64.sh` call it.

    python tests/save_installed.py 3.13.0 x86_64 core 2376175 "2439 passed in 60 s"

It takes the place of an earlier row of the same Python, machine and tests.
"""

import json
import sys
from datetime import datetime, timezone
from pathlib import Path

RESULTS = Path(__file__).parents[1] / "benchmarks" / "results" / "installed.json"


def main(python: str, machine: str, tests: str, wheel_bytes: str, summary: str) -> None:
    row = {"python": python, "machine": machine, "tests": tests, "wheel_bytes": int(wheel_bytes),
           "result": summary.strip("= ").split(" in ")[0],
           "date": datetime.now(timezone.utc).strftime("%Y-%m-%d")}
    rows = json.loads(RESULTS.read_bytes())["rows"] if RESULTS.exists() else []
    key = ("machine", "tests", "python")
    rows = [one for one in rows if any(one[name] != row[name] for name in key)] + [row]
    rows.sort(key=lambda one: (one["machine"] != "x86_64", one["tests"],
                               [int(part) for part in one["python"].split(".")]))
    RESULTS.write_text(json.dumps({"rows": rows}, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
