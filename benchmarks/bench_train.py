"""The training ladder under pytest-benchmark, on word counts, so that only merging is timed.

    pytest benchmarks/ --benchmark-only

Every stage of the registry, and every corpus, gets one benchmark. A stage that would take
minutes gets only its first merges, and its name says so. Before a time is shown, the merges of the
run that was timed are compared with those of the product's engine.
"""

import os
from pathlib import Path

import pytest
from run_train import built_in_counts, real_counts

from cs336_bpe import stages
from cs336_bpe.train import ENGINE

# How many merges a stage does on each corpus; the last number is for all stages not named.
CORPORA = {
    "stories_3MB": (lambda: built_in_counts("stories", 3_000_000),
                    {"stage01": 20, "stage02": 100, "": 1743}),
    "web_3MB": (lambda: built_in_counts("web", 3_000_000),
                {"stage01": 10, "stage02": 50, "stage03": 200, "": 3743}),
    "tinystories_train": (lambda: real_counts("tinystories_train"),
                          {"stage01": 10, "stage02": 30, "stage03": 100, "": 9743}),
    "web_100MB": (lambda: real_counts("web"),
                  {"stage01": 2, "stage02": 5, "stage03": 20, "stage04": 500, "stage05": 500,
                   "stage06": 2000, "stage07": 2000, "stage08": 2000, "": 31_743}),
}
counts_of = {}


@pytest.mark.parametrize("stage", stages.ladder("train"), ids=lambda stage: stage.number)
@pytest.mark.parametrize("corpus", CORPORA)
def test_train(benchmark, corpus, stage):
    make, limits = CORPORA[corpus]
    if corpus in ("tinystories_train", "web_100MB") and not os.environ.get("CS336_BPE_DATA"):
        pytest.skip("needs the real corpora: set CS336_BPE_DATA to their folder")
    if corpus not in counts_of:
        counts_of.clear()
        counts_of[corpus] = make()
    counts = counts_of[corpus]
    num_merges = limits.get(stage.number, limits[""])
    learn_merges = stage.load().learn_merges
    benchmark.group = f"train, {corpus}"
    benchmark.name = f"{stage.number}, {num_merges:,} merges"
    benchmark.extra_info.update(distinct_pretokens=len(counts), merges=num_merges,
                                file=Path(__file__).name)
    expected = stages.find("train", ENGINE).load().learn_merges(counts, num_merges)
    rounds = 5 if stage.number >= "stage09" else 1  # typed from there on
    merges = benchmark.pedantic(learn_merges, (counts, num_merges), rounds=rounds)
    assert merges == expected
