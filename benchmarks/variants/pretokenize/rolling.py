"""Stage 12 of counting with one part taken away: switches and small changes."""

from variants import Experiment, Variant

TABLE, WORDS, ROLLING = (f"pretokenize/{name}" for name in (
    "word_table.h", "add_words.h", "rolling_counts.h"))

EXPERIMENT = Experiment(
    question="Stage 12 with one part taken away: what is each worth?",
    task="count",
    stage="rolling",
    texts=("web", "multilingual"),
    rounds=5,
    modules=("native.scan", "pretokenize.stage12_rolling", "pretokenize.word_table",
             "pretokenize.total"),
    variants=(
        Variant("no huge pages", "tables in pages as the system gives them",
                defines=("CS336_BPE_SMALL_PAGES",)),
        Variant("no prefetch", "places in the table are not asked for ahead of time",
                defines=("CS336_BPE_NO_PREFETCH",)),
        Variant("portable masks", "each byte looked up in a table, without SIMD",
                defines=("CS336_BPE_PORTABLE",)),
        Variant("pages not touched", "fresh pages are read before they are written",
                defines=("CS336_BPE_UNTOUCHED",)),
        Variant("twice as large", "a small table grows to twice its size, not to four times",
                replace={TABLE: [("mask < MODERATE ? 4 : 2", "2")]}),
        Variant("exact copies", "a word is written out with as many bytes as it has",
                replace={WORDS: [("!entry.is_long() && end - to >= 16", "false")]}),
        Variant("16 steps ahead", "a place is asked for 16 steps before it is used, not 64",
                replace={ROLLING: [("enum { AHEAD = 64 };", "enum { AHEAD = 16 };")]}),
    ),
)
