"""What single steps cost on this machine, for docs/machine/processor.md.

    python benchmarks/run_machine.py
"""

from statistics import median

import common

from cs336_bpe.measure.costs import measure_costs
from cs336_bpe.measure.process import measure_call

ROUNDS = 5


def costs():
    """As `cs336-bpe machine` does it, in several fresh processes."""
    runs = [measure_call(one_run).value for _ in range(ROUNDS)]
    rows = [{"what": what, "page": page, "nanoseconds": [run[place][1] for run in runs]}
            for place, (what, _, page) in enumerate(runs[0])]
    for row in rows:
        print(row["what"], round(median(row["nanoseconds"]), 1), flush=True)
    common.save("machine", "costs", {"rounds": ROUNDS, "rows": rows})


def one_run():
    return [(cost.what, cost.nanoseconds, cost.page) for cost in measure_costs()]


EXPERIMENTS = {"costs": costs}

if __name__ == "__main__":
    common.run_experiments(EXPERIMENTS)
