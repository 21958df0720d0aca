"""What is each way worth that makes text faster whose words are new?"""

from variants import Experiment, Variant

LONGER = "cross & cross >> 1 & cross >> 2 & ~(cross << 1)"

EXPERIMENT = Experiment(
    question="New words, with one thing that is done for them taken out at a time, to arrays.",
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
        Variant("the table grows twofold", "when it is half full, it becomes twice as large",
                replace={"encode/word_cache.h": [("SMALL_TABLE = 1 << 18", "SMALL_TABLE = 1")]}),
        Variant("pools in small pages", "ids and bytes that are not in the table",
                replace={"encode/word_cache.h": [
                    ("items = (Item *)pages_new(room", "items = (Item *)calloc(room"),
                    ("larger = (Item *)pages_new(", "larger = (Item *)calloc("),
                    ("end() noexcept { table_free(items, room + SLACK, sizeof(Item)); }",
                     "end() noexcept { free(items); }")]}),
    ),
)
