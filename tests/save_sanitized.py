"""Save a row of the table of sanitizers in docs/reliability.md; `sanitize.sh --save` calls it.

    python tests/save_sanitized.py address tests/encode 0 "310 passed, 40 deselected in 60 s"

It takes the place of an earlier row of the same sanitizer and tests. The third argument is the exit
code of pytest: a report of a sanitizer ends it.
"""

import json
import re
import sys
from datetime import datetime, timezone
from pathlib import Path

RESULTS = Path(__file__).parents[1] / "benchmarks" / "results" / "reliability_sanitizers.json"
COMMAND = "tests/sanitize.sh address --save; tests/sanitize.sh thread --save"


def main(sanitizer: str, tests: str, code: str, summary: str) -> None:
    numbers = {what: int(number) for number, what in re.findall(r"(\d+) ([a-z]+)", summary)}
    row = {"sanitizer": sanitizer, "tests": tests, "clean": code == "0" and "passed" in numbers,
           "passed": numbers.get("passed", 0), "left_out": numbers.get("deselected", 0),
           "date": datetime.now(timezone.utc).strftime("%Y-%m-%d")}
    rows = json.loads(RESULTS.read_bytes())["rows"] if RESULTS.exists() else []
    key = ("sanitizer", "tests")
    rows = [one for one in rows if any(one[name] != row[name] for name in key)] + [row]
    rows.sort(key=lambda one: [one[name] for name in key])
    RESULTS.write_text(json.dumps({"command": COMMAND, "rows": rows}, indent=1) + "\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
