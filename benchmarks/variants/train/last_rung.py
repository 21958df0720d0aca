"""The last training rung with one thing left out, or one that did not help put in."""

import re

from variants import Experiment, Variant

RUNG = "train/stage13_prefetch.pyx"
FURTHER = "            here = self.positions[i]\n"
LOOK_AHEAD = "LOOK_AHEAD = 12"


def once(source, old, new):
    if source.count(old) != 1:
        raise SystemExit(f"a variant replaces this text, which must occur once:\n{old}")
    return source.replace(old, new)


def three_arrays(source):
    """Tokens, pairs and counts each in an array of their own. (Counts below 2^31 only.)"""
    source = once(source, "    cdef FlatWords[Cell] cells\n",
                  "    cdef FlatWords[Cell] cells\n    cdef vector[int32_t] tokens, pair_at\n"
                  "    cdef vector[uint32_t] word_counts\n")
    source = once(source, "        with nogil:\n            self.count_all()\n",
                  "        for i in range(self.cells.cells.size()):\n"
                  "            self.tokens.push_back(self.cells.cells[i].token)\n"
                  "            self.word_counts.push_back(self.cells.cells[i].count)\n"
                  "        self.pair_at.resize(self.tokens.size())\n"
                  "        self.cells.forget()\n"
                  "        with nogil:\n            self.count_all()\n")
    source = once(source, "<int32_t>self.cells.size()", "<int32_t>self.tokens.size()")
    source = re.sub(r"( *)BPE_PREFETCH\(&self\.cells(\[self\.positions\[.*?\]\])\)",
                    r"\1BPE_PREFETCH(&self.tokens\2)\n\1BPE_PREFETCH(&self.pair_at\2)\n"
                    r"\1BPE_PREFETCH(&self.word_counts\2)", source)
    source = re.sub(r"self\.cells(\[[^\]]*\])\.token", r"self.tokens\1", source)
    source = re.sub(r"self\.cells(\[[^\]]*\])\.pair", r"self.pair_at\1", source)
    return re.sub(r"self\.cells\.count_at\((\w+)\)", r"self.word_counts[\1]", source)


ASK_FOR_COUNTS = """\
            if i + 4 < pair.end and self.cells[self.positions[i + 4]].pair == best:
                here = self.positions[i + 4]
                neighbour = self.cells[here - 1].token
                if neighbour != NONE:
                    before = here - self.length[neighbour]
                    BPE_PREFETCH(&self.pair_counts[self.cells[before].pair])
                p = self.cells[here + left_length].pair
                if p != NONE:
                    BPE_PREFETCH(&self.pair_counts[p])
            here = self.positions[i]
"""


EXPERIMENT = Experiment(
    question="The last rung with one thing changed: what is each worth?",
    task="train",
    texts=("web", "multilingual"),
    rounds=3,
    variants=(
        Variant("no octaves", "without the threshold: every pair in the heap",
                replace={RUNG: [("max(greatest - greatest // 2, <int64_t>1)", "1")]}),
        Variant("no sort keys", "without the eight-byte keys: ties compare whole strings",
                replace={"train/ties.h": [(
                    "start != other.start ? start < other.start : whole < other.whole",
                    "whole < other.whole")]}),
        Variant("no list reuse", "without reuse of the lists of merged pairs",
                replace={"train/containers.h": [(
                    "        unused.push(std::make_pair(end - begin, begin));",
                    "        (void)begin, (void)end;")]}),
        Variant("small pages", "no huge pages for cells and lists",
                defines=("CS336_BPE_SMALL_PAGES",)),
        Variant("4 ahead", "asking 4 positions ahead instead of 12",
                replace={RUNG: [(LOOK_AHEAD, "LOOK_AHEAD = 4")]}),
        Variant("48 ahead", "asking 48 positions ahead instead of 12",
                replace={RUNG: [(LOOK_AHEAD, "LOOK_AHEAD = 48")]}),
        Variant("counts ahead", "asking for the counts of neighbouring pairs too, 4 ahead",
                replace={RUNG: [(FURTHER, ASK_FOR_COUNTS)]}),
        Variant("three arrays", "token, pair and count in three arrays instead of one of cells",
                edits={RUNG: three_arrays}),
    ),
)
