"""The table of what single steps cost, of docs/machine/processor.md; see render.py."""

from statistics import median

from rendering import load, number, source, table


def machine_costs(_):
    result = load("costs", "machine")
    rows = [[row["what"], number(median(row["nanoseconds"])),
             f"{number(min(row['nanoseconds']))} to {number(max(row['nanoseconds']))}",
             f"[{row['page']}](@docs/machine/{row['page']}.md)"] for row in result["rows"]]
    return "\n".join([table(["step", "ns", "spread", "explained in"], rows), "",
                      f"The same as `cs336-bpe machine`; medians of {result['rounds']} fresh "
                      f"processes.  ", source(result)])


MAKERS = (machine_costs,)
