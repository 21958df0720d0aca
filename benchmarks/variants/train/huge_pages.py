"""Would huge pages help the trainer? glibc can give them to any program."""

from variants import Experiment, Variant

EXPERIMENT = Experiment(
    question="Arrays of the trainer in huge pages (2 MiB), or in pages as the system gives them?",
    task="train",
    texts=("web", "multilingual"),
    variants=(
        Variant("huge pages", "`GLIBC_TUNABLES=glibc.malloc.hugetlb=1`",
                environment={"GLIBC_TUNABLES": "glibc.malloc.hugetlb=1"}),
    ),
)
