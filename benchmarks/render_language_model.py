"""The tables and the plots of docs/language_model.md; see render.py.

A mean over seeds stands with its standard deviation. Two means are called different only if they
are further apart than chance makes them: 2.57 standard deviations of their difference, which
happens to six equal runs in one of twenty cases. The deviation is that of the experiment `seeds`.
"""

import math
import statistics

import common
from rendering import (
    BLUE,
    GREEN,
    ORANGE,
    PLOT_WIDTH,
    load,
    number,
    pyplot,
    save_figure,
    source,
    table,
)

from cs336_bpe.common.amounts import scientific

STUDENT = 2.57  # of Student's distribution for 95 % of the cases and six runs


def result(name):
    """A saved experiment; None if it was not run yet."""
    return load(name, "lm") if common.path_of("lm", name).exists() else None


def not_run(name):
    return f"Not run yet: `python benchmarks/run_language_model.py {name}`."


def cases(name):
    """The rows of an experiment by case, those that diverged too."""
    found = {}
    for row in result(name)["rows"]:
        found.setdefault(row["case"], []).append(row)
    return found


def values_of(rows, key="bits_per_byte"):
    return [row[key] for row in rows if key in row]


def mean(rows, key="bits_per_byte"):
    return statistics.fmean(values_of(rows, key))


def shown(rows):
    """`2.196 ± 0.004 (3)`: mean, standard deviation, number of seeds."""
    bits = values_of(rows)
    if not bits:
        return "diverged"
    spread = f" ± {statistics.stdev(bits):.3f}" if len(bits) > 1 else ""
    return f"{statistics.fmean(bits):.3f}{spread} ({len(bits)})"


def noise(one, other):
    """How far apart the means of so many runs each may be by chance."""
    deviation = statistics.stdev(values_of(cases("seeds")["same"]))
    return STUDENT * deviation * math.sqrt(1 / one + 1 / other)


def against(rows, base):
    """By how much a mean is above another, and whether that is more than chance."""
    if rows is base:
        return ""
    if not values_of(rows):
        return ""
    more = mean(rows) - mean(base)
    within = abs(more) < noise(len(values_of(rows)), len(values_of(base)))
    return f"{more:+.3f}{', within the noise' if within else ''}"


def best(groups):
    return min((rows for rows in groups if values_of(rows)), key=mean)


def relative_costs(sizes):
    """FLOPs per byte of each size, times the least: what docs/cost/vocabulary_size.md predicts."""
    per_byte = {size: rows[0]["flops"] / rows[0]["bytes"] for size, rows in sizes.items()}
    least = min(per_byte.values())
    return {size: flops / least for size, flops in per_byte.items()}


def vocabulary_cases():
    """By size: the runs of equal bytes, and those of equal compute."""
    found = cases("vocabulary")
    by_bytes = {int(case.split()[1]): rows for case, rows in found.items() if "bytes" in case}
    by_compute = {int(case.split()[1]): rows for case, rows in found.items() if "compute" in case}
    equal_at = result("vocabulary")["equal_at"]
    if equal_at in by_bytes:
        by_compute[equal_at] = by_bytes[equal_at]
    return by_bytes, dict(sorted(by_compute.items()))


def lm_vocabulary(_):
    if not result("vocabulary"):
        return not_run("vocabulary")
    by_bytes, by_compute = vocabulary_cases()
    costs = relative_costs(by_bytes)
    least_by_bytes, least_by_compute = best(by_bytes.values()), best(by_compute.values())
    lines = []
    for size, rows in by_bytes.items():
        other = by_compute.get(size)
        one = rows[0]
        lines.append([
            "257, bytes" if size == 257 else f"{size:,}", f"{one['bytes_per_token']:.2f}",
            f"{one['parameters']:,}", f"{costs[size]:.2f}",
            f"{one['unigram_bits_per_byte']:.3f}", shown(rows),
            against(rows, least_by_bytes), *([shown(other), against(other, least_by_compute),
                                             f"{other[0]['bytes'] / 1e6:.2f}"]
                                            if other else ["", "", ""])])
    header = ["vocabulary", "bytes per token", "parameters", "compute per byte, times the least",
              "bits per byte by frequency alone", "bits per byte at equal bytes",
              "more than the least", "bits per byte at equal compute", "more than the least",
              "MB read"]
    found = result("vocabulary")
    note = (f"Equal bytes: {least_by_bytes[0]['bytes'] / 1e6:.2f} MB read. Equal "
            f"compute: {scientific(found['budget_flops'])} FLOPs, what {found['equal_at']:,} needs "
            f"for those. In brackets: seeds.  ")
    return "\n".join([table(header, lines), "", note, source(found)])


def lm_compressors(_):
    if not result("vocabulary"):
        return not_run("vocabulary")
    found = result("vocabulary")
    by_bytes, _ = vocabulary_cases()
    rows = [[name, f"{bits:.3f}"] for name, bits in found["compressors"].items()]
    worst = max(by_bytes.values(), key=mean)
    rows += [[f"this model, {len_of(case)}", f"{mean(case):.3f}"]
             for case in (worst, best(by_bytes.values()))]
    return "\n".join([table(["", "bits per byte"], rows), "", source(found)])


def len_of(rows):
    size = rows[0]["vocab_size"]
    return "bytes" if size == 257 else f"a vocabulary of {size:,}"


def simple(name, header, label, base=None, columns=()):
    """A table with a row per case: its label, columns, bits per byte, and against the base."""
    if not result(name):
        return not_run(name)
    groups = cases(name)
    reference = groups[base] if base else best(groups.values())
    rows = [[label(case), *(column(groups[case][0]) for column in columns), shown(groups[case]),
             against(groups[case], reference)] for case in groups]
    return "\n".join([table([*header, "bits per byte", "difference" if base else
                             "more than the least"], rows), "", source(result(name))])


def lm_seeds(_):
    if not result("seeds"):
        return not_run("seeds")
    bits = values_of(cases("seeds")["same"])
    rows = [[len(bits), f"{statistics.fmean(bits):.4f}", f"{statistics.stdev(bits):.4f}",
             f"{min(bits):.4f} to {max(bits):.4f}", f"{noise(1, 1):.3f}", f"{noise(3, 3):.3f}"]]
    header = ["seeds", "bits per byte, mean", "standard deviation", "from, to",
              "noise of a difference, one seed each", "three seeds each"]
    return "\n".join([table(header, rows, left=0), "", source(result("seeds"))])


def lm_tokenizer_sample(name):
    """Of the experiment `tokenizer_sample`, or of `same_text`."""
    return simple(name, ["of the text, for the tokenizer", "vocabulary", "bytes per token"],
                  lambda case: f"{float(case):.0%}".replace("%", " %"), base="1.0",
                  columns=[lambda row: f"{row['vocab_size']:,}",
                           lambda row: f"{row['bytes_per_token']:.3f}"])


def lm_patterns(_):
    return simple("patterns", ["pattern", "bytes per token"],
                  {"gpt2": "GPT-2's", "gpt4": "GPT-4's"}.get, base="gpt2",
                  columns=[lambda row: f"{row['bytes_per_token']:.3f}"])


def lm_learning_rates(_):
    return simple("learning_rates", ["highest learning rate"], str)


def lm_toy(_):
    """The losses of write-up C's toy."""
    if not result("learning_rates"):
        return not_run("learning_rates")
    toy = result("learning_rates")["toy"]
    steps = (1, 2, 3, 4, 5, 10)
    rows = [[rate, *(number(losses[step - 1]) if 1e-2 < losses[step - 1] < 1e4
                     else f"{losses[step - 1]:.1e}" for step in steps)]
            for rate, losses in toy.items()]
    return "\n".join([table(["learning rate", *(f"loss before step {step}" for step in steps)],
                            rows), "", source(result("learning_rates"))])


def lm_ladder(_):
    if not result("ladder"):
        return not_run("ladder")
    groups, predicted = cases("ladder"), result("ladder")["predicted"]
    first = groups["all"]
    labels = {"all": "all documents, 5 epochs", "documents": "3 of 10 documents",
              "learning rate": "+ learning rate times 1.5", "epochs": "+ 3 epochs",
              "sequence length": "+ sequences 3/4 as long"}
    rows, before = [], first
    for case, group in groups.items():
        rows.append([labels[case], f"{predicted[case]:g}x",
                     f"{first[0]['flops'] / group[0]['flops']:.2f}x",
                     f"{mean(first, 'seconds') / mean(group, 'seconds'):.2f}x",
                     f"{mean(group, 'seconds'):.1f}", f"{mean(group, 'loss'):.3f}", shown(group),
                     f"{mean(group) / mean(first) - 1:+.1%}", against(group, before)])
        before = group
    header = ["step", "predicted", "by FLOPs", "measured", "CPU seconds", "loss per token",
              "bits per byte", "against all", "against the row above"]
    return "\n".join([table(header, rows), "", source(result("ladder"))])


def lm_grid(name):
    """Of `widths` or `lengths`: a row for each of them, a column for each vocabulary size."""
    if not result(name):
        return not_run(name)
    groups = cases(name)
    sizes = sorted({int(case.split()[1]) for case in groups})
    label, head = {"widths": (str, "d_model"), "lengths": (
        lambda first: f"{groups[f'{first} {sizes[0]}'][0]['bytes'] / 1e6:.1f}", "MB read")}[name]
    rows = [[label(first), *(shown(groups[f"{first} {size}"]) if f"{first} {size}" in groups else ""
                             for size in sizes)]
            for first in sorted({int(case.split()[0]) for case in groups})]
    return "\n".join([table([head, *(f"vocabulary {size:,}" for size in sizes)], rows), "",
                      source(result(name))])


def plot_lm_vocabulary():
    if not result("vocabulary"):
        return
    plt = pyplot()
    figure, (upper, lower) = plt.subplots(2, 1, figsize=(PLOT_WIDTH, 7.2))
    by_bytes, by_compute = vocabulary_cases()
    for groups, colour, marker, label in ((by_bytes, BLUE, "o", "equal bytes"),
                                          (by_compute, ORANGE, "s", "equal compute")):
        upper.plot(list(groups), [mean(rows) for rows in groups.values()], color=colour, lw=1.5,
                  label=label)
        for size, rows in groups.items():
            upper.plot([size] * len(values_of(rows)), values_of(rows), marker, color=colour,
                      markersize=4)
    upper.set_ylabel("bits per byte, held out")
    upper.legend(frameon=False)
    costs = relative_costs(by_bytes)
    lower.plot(list(costs), list(costs.values()), "^-", color=GREEN, lw=1.5, markersize=5)
    lower.set_ylabel("compute per byte, times the least")
    for axes in (upper, lower):
        axes.set_xscale("log", base=2)
        axes.set_xticks(list(by_bytes), [f"{size:,}" for size in by_bytes])
        axes.minorticks_off()
        axes.set_xlabel("vocabulary size")
        axes.grid(alpha=0.3)
    save_figure(figure, "lm_vocabulary")
    plt.close(figure)


def plot_lm_learning_rates():
    if not result("learning_rates"):
        return
    plt = pyplot()
    figure, axes = plt.subplots(figsize=(PLOT_WIDTH, 3.6))
    groups = {float(case): rows for case, rows in cases("learning_rates").items()
              if values_of(rows)}
    axes.plot(list(groups), [mean(rows) for rows in groups.values()], color=BLUE, lw=1.5)
    for rate, rows in groups.items():
        axes.plot([rate] * len(values_of(rows)), values_of(rows), "o", color=BLUE, markersize=4)
    axes.set_xscale("log")
    axes.set_xlabel("highest learning rate")
    axes.set_ylabel("bits per byte, held out")
    axes.grid(alpha=0.3)
    save_figure(figure, "lm_learning_rates")
    plt.close(figure)


MAKERS = (lm_vocabulary, lm_compressors, lm_seeds, lm_tokenizer_sample, lm_patterns,
          lm_learning_rates, lm_toy, lm_ladder, lm_grid)
PLOTS = (plot_lm_vocabulary, plot_lm_learning_rates)
