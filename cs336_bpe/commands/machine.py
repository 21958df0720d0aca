"""`machine`: what this machine is, and what single steps cost on it."""

import argparse
from dataclasses import asdict

from cs336_bpe.commands.console import add_common, print_result
from cs336_bpe.common.tables import as_text
from cs336_bpe.measure.costs import measure_costs
from cs336_bpe.measure.machine import describe_machine, read_machine


def configure_machine(parser: argparse.ArgumentParser) -> None:
    parser.description = (
        "The processor, its caches, the interpreter and the compiler, and what single steps cost: "
        "in Python, in each cache, in memory. Compare the figures with each other.")
    add_common(parser)


def run_machine(options: argparse.Namespace) -> int:
    costs = list(measure_costs())
    caches = ", ".join(f"{name} {size}" for name, size in read_machine()["caches"].items())
    rows: list[tuple[str, ...]] = [("step", "ns", "explained in")]
    rows += [(cost.what, f"{cost.nanoseconds:,.1f}", f"docs/machine/{cost.page}.md")
             for cost in costs]
    text = "\n".join([describe_machine(), *([f"caches: {caches}"] if caches else []), "",
                      as_text(rows)])
    print_result(options, {"machine": read_machine(), "costs": [asdict(cost) for cost in costs]},
                 text)
    return 0
