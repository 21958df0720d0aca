"""The ablation tables, of benchmarks/variants; see render.py."""

import statistics

from common import path_of
from rendering import current_name, load, number, source, table


def variants(name):
    """All variants of an experiment, on all its texts."""
    if not path_of("variants", name).exists():
        ladder, _, experiment = name.partition("_")
        return (f"*Not measured yet: `python benchmarks/variants/variants.py "
                f"{ladder}/{experiment}`*")
    result = load(name, "variants")
    stage = current_name(name.partition("_")[0], result["stage"])
    texts = result["texts_measured"]
    header, rows = ["variant"], []
    for text in texts:
        header += [f"{text}, s", "spread", "of the time as it is"]
    warm = any(more for one in texts.values() for more in one["more"].values())
    if warm:
        header += [f"{text}, warm, s" for text in texts]
    titles = list(next(iter(texts.values()))["seconds"])
    for title in titles:
        why = result["why"].get(title)
        row = [f"{title}: {why}" if why else title]
        for one in texts.values():
            values = one["seconds"][title]
            product = statistics.median(one["seconds"][titles[0]])
            row += [number(statistics.median(values)),
                    f"{number(min(values))} to {number(max(values))}",
                    f"{statistics.median(values) / product:.0%}"]
        if warm:
            row += [number(statistics.median(one["more"][title]["warm"]))
                    for one in texts.values()]
        rows.append(row)
    return "\n".join([
        table(header, rows), "",
        f"{result['question']} Stage `{stage}`, one thread, processor time; medians of "
        f"{result['rounds']} fresh processes each, interleaved.  ", source(result)])


MAKERS = (variants,)
