"""Stage 11 of counting with one part taken away: switches in its headers."""

from variants import Experiment, Variant

EXPERIMENT = Experiment(
    question="Stage 11 with one part taken away: what is each worth?",
    stage="threads",
    task="count",
    texts=("web", "multilingual"),
    rounds=3,
    modules=("native.scan", "pretokenize.stage11_threads", "pretokenize.total"),
    variants=(
        Variant("no huge pages", "tables in pages as the system gives them",
                defines=("CS336_BPE_SMALL_PAGES",)),
        Variant("no prefetch", "places in the table are not asked for ahead of time",
                defines=("CS336_BPE_NO_PREFETCH",)),
        Variant("one key size", "all keys of 16 bytes, none of 8",
                defines=("CS336_BPE_ONE_KEY_SIZE",)),
        Variant("portable masks", "each byte looked up in a table, without SIMD",
                defines=("CS336_BPE_PORTABLE",)),
        Variant("pages not touched", "fresh pages are read before they are written",
                defines=("CS336_BPE_UNTOUCHED",)),
        Variant("batches of 128", "pretokens per batch, instead of 512",
                defines=("CS336_BPE_BATCH=128",)),
    ),
)
