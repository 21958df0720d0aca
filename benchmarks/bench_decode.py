"""The decoding ladder under pytest-benchmark: pytest benchmarks/ --benchmark-only

Every stage of the registry gets one benchmark per text and way, in ladder order. What it returns is
compared with what the first stage returns.
"""

import os

import numpy
import pytest
from common import EOT
from run_decode import ids_of
from run_encode import gpt2
from run_train import built_in_counts

from cs336_bpe import Tokenizer, stages, train_bpe_from_counts
from cs336_bpe.corpora import generated as corpus
from cs336_bpe.measure.decoding import WAYS


def built_in():
    vocab, merges = train_bpe_from_counts(built_in_counts("stories", 3_000_000), 2_000, [EOT])
    return vocab, Tokenizer(vocab, merges, [EOT]).encode_array(corpus.stories(2_000_000))


def gpt2_on_web():
    return gpt2()[0], ids_of("web", 2_000_000)


CASES = {"stories_vocab_2000": built_in, "web_gpt2": gpt2_on_web}
made = {}


@pytest.mark.parametrize("stage", stages.ladder("decode"), ids=lambda stage: stage.number)
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("case", CASES)
def test_decode(benchmark, case, way, stage):
    if case == "web_gpt2" and not os.environ.get("CS336_BPE_DATA"):
        pytest.skip("needs the real corpora: set CS336_BPE_DATA to their folder")
    if case not in made:
        made.clear()
        made[case] = CASES[case]()
    vocab, ids = made[case]
    given = ids if way == "array" else ids.tolist()
    benchmark.group = f"decode, {case}, {WAYS[way]}"
    benchmark.name = f"{stage.number}, {len(ids):,} ids"
    benchmark.extra_info.update(num_tokens=len(ids))
    found = benchmark.pedantic(call(stage, vocab, way), args=(given,), rounds=5)
    assert found == call(stages.find("decode", "stage01"), vocab, way)(numpy.array(ids))


def call(stage, vocab, way):
    decoder = stage.load().Decoder(vocab)
    return decoder.decode if way == "text" else decoder.decode_bytes
