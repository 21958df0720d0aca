"""The encoding ladder under pytest-benchmark: pytest benchmarks/ --benchmark-only

Every stage of the registry gets one benchmark per vocabulary, in ladder order, with a new encoder
for each round. A slow stage encodes only the first pretokens, and its name says how many bytes.
After it was timed, its ids are compared with those of the last stage.
"""

import os
from itertools import groupby

import pytest
from common import EOT
from run_encode import gpt2, text_of
from run_train import built_in_counts

from cs336_bpe import stages, train_bpe_from_counts
from cs336_bpe.corpora import generated as corpus
from cs336_bpe.measure.encoding import split_text


def built_in():
    vocab, merges = train_bpe_from_counts(built_in_counts("stories", 3_000_000), 2_000, [EOT])
    return vocab, merges, split_text(corpus.stories(2_000_000), [EOT])


def gpt2_on_web():
    return *gpt2(), text_of("web", 2_000_000)


# How many pretokens a stage does; the last number is for all stages not named.
CASES = {
    "stories_vocab_2000": (built_in, {"stage01": 500, "stage02": 5_000, "stage03": 5_000,
                                      "stage04": 50_000, "stage05": 50_000, "stage07": 50_000,
                                      "": None}),
    "web_gpt2": (gpt2_on_web, {"stage01": 30, "stage02": 500, "stage03": 500,
                               "stage04": 50_000, "stage05": 50_000, "stage07": 50_000, "": None}),
}
made = {}


@pytest.mark.parametrize("stage", stages.ladder("encode"), ids=lambda stage: stage.number)
@pytest.mark.parametrize("case", CASES)
def test_encode(benchmark, case, stage):
    make, limits = CASES[case]
    if case == "web_gpt2" and not os.environ.get("CS336_BPE_DATA"):
        pytest.skip("needs the real corpora: set CS336_BPE_DATA to their folder")
    if case not in made:
        made.clear()
        made[case] = make()
    vocab, merges, pretokens = made[case]
    some = pretokens[:limits.get(stage.number, limits[""])]
    num_bytes = sum(map(len, some))
    benchmark.group = f"encode, {case}"
    benchmark.name = f"{stage.number}, {num_bytes:,} bytes"
    benchmark.extra_info.update(num_bytes=num_bytes, pretokens=len(some))

    documents = [b"".join(group) for empty, group in groupby(some, key=lambda word: not word)
                 if not empty]

    def fresh():
        encoder = stage.load().Encoder(vocab, merges)
        if stage.whole_texts:  # the cutting is part of its work
            return (encoder.encode_text, documents), {}
        return (encoder.encode_pretoken, some), {}

    found = benchmark.pedantic(encode_all, setup=fresh, rounds=3)
    last = stages.find("encode").load().Encoder(vocab, merges)
    assert flat(found) == flat(encode_all(last.encode_pretoken, some))


def encode_all(encode, pretokens):
    return [encode(pretoken) for pretoken in pretokens]


def flat(lists):
    return [number for numbers in lists for number in numbers]
