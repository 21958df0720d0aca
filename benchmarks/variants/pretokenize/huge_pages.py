"""Are huge pages worth code that only Linux has?"""

from variants import Experiment, Variant

EXPERIMENT = Experiment(
    question="Tables of counts in huge pages (2 MiB), or in pages as the system gives them?",
    task="count",
    texts=("web", "multilingual"),
    variants=(
        Variant("small pages", "no huge pages for the tables", defines=("CS336_BPE_SMALL_PAGES",)),
    ),
)
