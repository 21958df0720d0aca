"""What are windows worth for a word of megabytes, and how large should they be?"""

from variants import Experiment, Variant

EXPERIMENT = Experiment(
    question="One pretoken of 4 MB.",
    task="long_word",
    modules=("tokenizer.engine",),
    texts=("digits", "random a and b", "dashes", "spaces"),
    made=True,
    rounds=5,
    variants=(
        Variant("no windows", "the word is merged as a whole",
                defines=("CS336_BPE_WINDOW=1073741824",)),
        Variant("windows of 1 kB", "one eighth", defines=("CS336_BPE_WINDOW=1024",)),
        Variant("windows of 64 kB", "eight times as large", defines=("CS336_BPE_WINDOW=65536",)),
    ),
)
