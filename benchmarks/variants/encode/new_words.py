"""What is it worth to encode new words without a search, where that can be done?"""

from variants import Experiment, Variant

LONGER = "cross & cross >> 1 & cross >> 2 & ~(cross << 1)"

EXPERIMENT = Experiment(
    question="New words, with one way to encode them taken out at a time, to arrays.",
    task="tokenize",
    modules=("tokenizer.engine",),
    texts=("web", "multilingual"),
    rounds=5,
    variants=(
        Variant("three bytes are looked up", "parts of a long word are merged up to two bytes only",
                replace={"encode/new_words.h": [("enum { FEW = 3 };", "enum { FEW = 2 };")],
                         "encode/word_cache.h": [(LONGER, LONGER.replace("& cross >> 2 ", "")),
                                                 ("SOME_PARTS = 16", "SOME_PARTS = 21")]}),
        Variant("easy words wait too", "short ones whose parts have up to three bytes",
                replace={"encode/word_cache.h": [("if ((!entry || entry->is_free()) && (key",
                                                  "if (false && (key")]}),
        Variant("nothing waits", "each new word is merged as soon as it comes",
                replace={"encode/rolling.h": [("if (!others.words->may_be_late || length",
                                               "if (true || length")]}),
    ),
)
