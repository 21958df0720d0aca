"""What the language model of the benchmarks is fed with and compared with; it needs no torch.

The model itself is in test_language_model.py.
"""

import doctest
import math
import sys
from pathlib import Path

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).parent.parent / "benchmarks"))

from language_model import baselines, data, settings

from cs336_bpe.corpora.generated import stories
from cs336_bpe.cost.transformer import Shape, cost
from cs336_bpe.rules import END_OF_TEXT

SHAPE = Shape(300, context=16, layers=2, d_model=16, d_ff=40, heads=2, norm="rms")


def test_learning_rate():
    run = settings.Settings(SHAPE, steps=100, learning_rate=2.0, warm_up=0.1, last_rate=0.25)
    rates = [settings.learning_rate(run, step) for step in range(101)]
    assert rates[:10] == pytest.approx([0.2 * step for step in range(1, 11)])
    assert rates[10] == 2.0
    assert rates[55] == pytest.approx(1.25)  # half-way
    assert rates[100] == pytest.approx(0.5)
    assert rates[10:] == sorted(rates[10:], reverse=True)


def test_documents():
    text = END_OF_TEXT.join(["one", " two\n", "", "three", "four", "five!"])
    assert data.split(text, 7, 10) == data.Documents(["one", "two"], ["five!", "four"])
    assert data.split(text, 7, 10).held_out_bytes == 9
    with pytest.raises(ValueError, match="too short"):
        data.split(text, 100, 10)


def test_windows_predict_every_token_once():
    assert doctest.testmod(data).attempted
    assert not doctest.testmod(data).failed
    for context in (2, 3, 4, 7, 16):
        for length in range(2, 60):
            predicted = []
            for ids, seen in data.windows(np.arange(length), context):
                assert len(ids) <= context + 1
                predicted += list(ids[seen + 1:])
            assert predicted == list(range(1, length))


def test_unigrams():
    """Counts and one more each: 3, 2 and 1 of 6; two tokens of 1/2, and one of 1/6."""
    learnt, held_out = (np.array(ids, dtype=np.uint16) for ids in ([0, 1, 0], [0, 2, 0]))
    assert baselines.unigram_bits_per_byte(learnt, held_out, 3, 10) == pytest.approx(
        (1 + 1 + math.log2(6)) / 10)


def test_compressors():
    text = stories(20_000, seed=1)
    alone = baselines.compressed_bits_per_byte([text])
    assert 2 < alone["xz"] < 8
    again = baselines.compressed_bits_per_byte([text], [text])
    assert again["xz after the training text"] < 0.2 < again["xz"]


def test_an_epoch_has_every_sequence_once():
    ids = np.arange(1000, dtype=np.uint16)
    batches = data.Batches(ids, context=16, sequences=4, seed=3)
    assert batches.per_epoch == 61
    starts = [batches.start_of(number) for number in range(2 * 61)]
    for epoch in starts[:61], starts[61:]:
        assert sorted(epoch) == list(range(min(epoch), min(epoch) + 61 * 16, 16))
    assert min(starts[:61]) != min(starts[61:])
    rows = batches.rows(15)  # steps in any order; this one has sequences of two epochs
    assert rows.tolist() == [list(range(start, start + 17)) for start in starts[60:64]]
    assert np.array_equal(data.Batches(ids, 16, 4, 3).rows(15), rows)
    assert not np.array_equal(data.Batches(ids, 16, 4, 4).rows(15), rows)
    with pytest.raises(ValueError, match="too few for sequences of 16"):
        data.Batches(ids[:20], 16, 4, 3)


def test_how_long_a_run_is():
    run = settings.Settings(SHAPE, steps=3, sequences=5)
    assert run.tokens == 3 * 5 * 16
    assert run.flops == 3 * cost(SHAPE).total_flops * 15


def test_ids_on_the_disk(tmp_path):
    documents = data.split(stories(60_000), 50_000, 4_000)
    for vocab_size in (257, 400):
        tokenizer = data.make_tokenizer(documents.learnt, vocab_size)
        assert tokenizer.vocab_size == vocab_size
        ids = data.write_ids(tokenizer, documents.held_out, tmp_path / "ids.bin")
        assert ids.dtype == np.uint16
        assert tokenizer.decode(ids.tolist()) == "".join(
            text + END_OF_TEXT for text in documents.held_out)
