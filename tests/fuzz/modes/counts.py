"""Counts added up, saved, loaded and merged, against a Counter."""

from collections import Counter

from cs336_bpe import PretokenCounts, count_pretokens_in, stages
from fuzz import texts
from fuzz.core import folder

OPTIONS = {"factor"}


def make(rng):
    return {"many": [texts.counts(rng) for _ in range(rng.randrange(5))],
            "text": texts.text(rng), "factor": rng.choice([1, 2, 7, 0.5])}


def check(same, many, text, factor):
    counted = count_pretokens_in(text, [])
    expected = Counter(dict(counted))
    for counts in many:
        expected.update({word: count for word, count in counts.items() if count})
    expected = dict(expected)
    loaded = []
    for number, counts in enumerate([counted, *map(PretokenCounts, many)]):
        path = folder() / f"{number}.counts"
        counts.save(path)
        loaded.append(PretokenCounts.load(path))
        same(dict(loaded[-1]), {word: count for word, count in counts.items() if count},
             "save and load")
        PretokenCounts(reversed(list(loaded[-1].items()))).save(folder() / "again.counts")
        same((folder() / "again.counts").read_bytes(), path.read_bytes(), "the same bytes")
    merged = loaded[0].merge(*many)
    same(dict(merged.scaled(1)), expected, "merge")
    total = PretokenCounts()
    for counts in reversed(loaded):
        total += counts
    same(dict(total), expected, "added up")
    same(total.total, sum(expected.values()), "total")
    same(total.num_bytes, sum(len(word) * count for word, count in expected.items()), "num_bytes")
    same(total.top(3), sorted(expected.items(), key=lambda item: (-item[1], item[0]))[:3], "top")
    scaled = {word: int(count * factor + 0.5) for word, count in expected.items()}
    same(dict(total.scaled(factor)), {word: count for word, count in scaled.items() if count},
         "scaled")
    learn = stages.find("train").load().learn_merges
    same(learn(loaded[0], 20), learn(dict(counted), 20), "merges from columns")
