"""Run the fuzzers for some time; print what failed as tests that are ready to be kept."""

import argparse
import importlib
import json
import logging
import os
import sys
from datetime import datetime, timezone
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))  # as pytest does, see pyproject.toml

from fuzz.core import Tally, run
from fuzz.modes import NAMES


def save(path: Path, mode: str, seed: int, tally: Tally) -> None:
    """Add a run to the file; of one seed the largest run counts, because it repeats the others."""
    sanitized = any("asan" in part for part in os.environ.get("LD_PRELOAD", "").split("/"))
    runs = json.loads(path.read_text())["runs"] if path.exists() else []
    same = {"mode": mode, "seed": seed, "sanitized": sanitized}
    others = [run for run in runs if not same.items() <= run.items()]
    [before] = [run for run in runs if same.items() <= run.items()] or [{"cases": 0}]
    run = same | {"cases": tally.cases, "comparisons": tally.comparisons,
                  "failures": len(tally.failures or []), "seconds": round(tally.seconds)}
    runs = [*others, max(before, run, key=lambda one: one["cases"])]
    path.write_text(json.dumps({
        "command": "python -m tests.fuzz --save benchmarks/results/reliability_fuzz.json",
        "date": datetime.now(timezone.utc).strftime("%Y-%m-%d"), "runs": runs}, indent=1) + "\n")


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("--minutes", type=float, default=1, help="in all, shared by the modes")
    parser.add_argument("--cases", type=int, help="of each mode, instead of minutes")
    parser.add_argument("--seed", type=int, default=0, help="another one gives other cases")
    parser.add_argument("--mode", nargs="+", choices=NAMES, default=NAMES, metavar="MODE",
                        help=f"some of {', '.join(NAMES)}; default: all")
    parser.add_argument("--save", type=Path, metavar="FILE",
                        help="add what was run to the tallies in this JSON file")
    options = parser.parse_args()
    logging.disable(logging.WARNING)  # each pattern that is not compiled would say so
    seconds = None if options.cases else 60 * options.minutes / len(options.mode)
    failures = []
    for name in options.mode:
        mode = importlib.import_module(f"fuzz.modes.{name}")
        tally = run(mode, options.seed, options.cases, seconds)
        print(f"{name:12} {tally}", flush=True)
        failures += tally.failures
        if options.save:
            save(options.save, name, options.seed, tally)
    for failure in failures:
        print(f"\n{failure.as_test()}")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
