"""Run the fuzzers for some time; print what failed as tests that are ready to be kept."""

import argparse
import importlib
import logging
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))  # as pytest does, see pyproject.toml

from fuzz.core import run
from fuzz.modes import NAMES


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("--minutes", type=float, default=1, help="in all, shared by the modes")
    parser.add_argument("--cases", type=int, help="of each mode, instead of minutes")
    parser.add_argument("--seed", type=int, default=0, help="another one gives other cases")
    parser.add_argument("--mode", nargs="+", choices=NAMES, default=NAMES, metavar="MODE",
                        help=f"some of {', '.join(NAMES)}; default: all")
    options = parser.parse_args()
    logging.disable(logging.WARNING)  # each pattern that is not compiled would say so
    seconds = None if options.cases else 60 * options.minutes / len(options.mode)
    failures = []
    for name in options.mode:
        mode = importlib.import_module(f"fuzz.modes.{name}")
        tally = run(mode, options.seed, options.cases, seconds)
        print(f"{name:12} {tally}", flush=True)
        failures += tally.failures
    for failure in failures:
        print(f"\n{failure.as_test()}")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
