"""The language model of the benchmarks: the same after a kill, the same bits per byte in two ways,
and the cost that the package counts. Needs torch (`pip install -e '.[lm]'`), and is left out
without it; test_language_model_data.py has what needs none."""

import math
import os
import random
import re
import signal
import subprocess
import sys
import time
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
import pytest
import torch

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT / "benchmarks"))

import run_language_model  # noqa: E402
from language_model import __main__ as quick  # noqa: E402
from language_model import data, evaluation, training  # noqa: E402
from language_model.model import Transformer, rotate, rotations  # noqa: E402
from torch.utils.flop_counter import FlopCounterMode  # noqa: E402

from cs336_bpe.corpora.generated import stories  # noqa: E402
from cs336_bpe.cost.transformer import Shape, cost  # noqa: E402
from cs336_bpe.rules import END_OF_TEXT  # noqa: E402

SHAPE = Shape(300, context=16, layers=2, d_model=16, d_ff=40, heads=2, norm="rms")


@pytest.fixture(autouse=True, scope="module")
def one_thread():
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


def some_ids(seed=0, count=2000):
    return np.random.default_rng(seed).integers(0, 300, count).astype(np.uint16)


def weights_of(model):
    return {name: weight.numpy().tobytes() for name, weight in model.state_dict().items()}


# --- The cost ----------------------------------------------------------------------------------


@pytest.mark.parametrize("shape", [SHAPE, replace(SHAPE, tied=True), Shape(
    1000, context=24, layers=3, d_model=32, d_ff=88, heads=4, norm="rms")])
def test_cost_is_that_of_the_package(shape):
    model, expected = Transformer(shape), cost(shape)
    parameters = {"token embedding": 0, "position embedding": 0, "projections": 0, "ffn": 0,
                  "norms": 0, "head": 0}
    for name, weight in model.named_parameters():
        part = next(part for key, part in {
            "norm": "norms", "attention": "projections", "ffn": "ffn", "embedding":
            "token embedding", "head": "head"}.items() if key in name)
        parameters[part] += weight.numel()
    assert parameters == expected.parameters
    assert sum(weight.numel() for weight in model.parameters()) == expected.total_parameters

    with FlopCounterMode(display=False) as counter, torch.no_grad():
        model(torch.zeros(1, shape.context, dtype=torch.long))
    found = {"projections": 0, "products": 0, "ffn": 0, "head": 0}
    for name, by_operation in counter.get_flop_counts().items():
        last = name.split(".")[-1]
        for operation, flops in by_operation.items():
            if last == "attention":
                found["products" if "bmm" in str(operation) else "projections"] += flops
            elif last in ("ffn", "head"):
                found[last] += flops
    assert found == expected.flops
    assert counter.get_total_flops() == expected.total_flops

    settings = training.Settings(shape, steps=3, sequences=5)
    batch = torch.zeros(5, shape.context, dtype=torch.long)
    with FlopCounterMode(display=False) as counter:
        model(batch).sum().backward()
    assert 3 * counter.get_total_flops() == settings.flops
    assert settings.tokens == 3 * batch.numel()


def test_shapes_that_are_not_this_model():
    with pytest.raises(ValueError, match="asks for another one"):
        Transformer(replace(SHAPE, norm="layer"))
    with pytest.raises(ValueError, match="give an even d_model / heads"):
        Transformer(replace(SHAPE, d_model=6))


# --- The model ---------------------------------------------------------------------------------


def test_nothing_is_seen_of_what_comes_later():
    model = Transformer(SHAPE)
    ids = torch.from_numpy(some_ids(count=16).astype(np.int64))[None]
    changed = ids.clone()
    changed[0, 9] = (changed[0, 9] + 1) % 300
    one, other = model(ids)[0], model(changed)[0]
    assert torch.equal(one[:9], other[:9])
    assert (one[9:] != other[9:]).any(dim=-1).all()
    assert torch.allclose(model(ids[:, :5])[0], one[:5], atol=1e-6)


def test_rotations_know_distances_only():
    turns = rotations(16, 8)
    query, key = torch.randn(2, 8, generator=torch.Generator().manual_seed(1))
    queries, keys = (rotate(vector.expand(16, 8), turns) for vector in (query, key))
    products = queries @ keys.T
    for distance in range(-15, 16):
        along = products.diagonal(distance)
        assert torch.allclose(along, along[0].expand_as(along), atol=1e-5)
    assert not torch.allclose(products.diagonal(0)[0], products.diagonal(3)[0], atol=1e-3)
    assert torch.allclose(queries.norm(dim=-1), query.norm().expand(16))


def test_it_learns():
    """A text that repeats itself is predicted; the first batches are not."""
    ids = np.tile(some_ids(count=7), 200)
    losses = []
    settings = training.Settings(SHAPE, steps=60, sequences=8, learning_rate=1e-2)
    training.train(settings, ids, report=lambda _, loss: losses.append(loss))
    assert losses[0] == pytest.approx(np.log(300), rel=0.05)  # all tokens alike
    assert losses[-1] < 0.1


def test_a_run_that_diverges():
    settings = training.Settings(SHAPE, steps=3, sequences=2, learning_rate=1e20)
    with pytest.raises(training.Diverged, match=r"step [12]: the loss is nan; try a lower"):
        training.train(settings, some_ids())


# --- Batches -----------------------------------------------------------------------------------


def test_an_epoch_reads_every_sequence_once():
    ids = np.arange(1000, dtype=np.uint16)
    batches = data.Batches(ids, context=16, sequences=4, seed=3)
    assert batches.per_epoch == 61
    starts = [batches.start_of(number) for number in range(2 * 61)]
    first, second = sorted(starts[:61]), sorted(starts[61:])
    assert first == list(range(first[0], first[0] + 61 * 16, 16))
    assert second == list(range(second[0], second[0] + 61 * 16, 16))
    assert first[0] != second[0]
    given, wanted = batches[15]  # steps in any order; this one has sequences of two epochs
    assert torch.equal(given + 1, wanted)
    assert given[:, 0].tolist() == starts[60:64]
    assert torch.equal(data.Batches(ids, 16, 4, 3)[15][0], given)
    assert not torch.equal(data.Batches(ids, 16, 4, 4)[15][0], given)
    with pytest.raises(ValueError, match="too few for sequences of 16"):
        data.Batches(ids[:20], 16, 4, 3)


# --- Checkpoints -------------------------------------------------------------------------------

SETTINGS = training.Settings(SHAPE, steps=60, sequences=4, learning_rate=1e-2, seed=5)


def test_going_on_from_a_checkpoint(tmp_path):
    alone = weights_of(training.train(SETTINGS, some_ids()).model)
    path = tmp_path / "run.pt"

    class Stopped(Exception):
        pass

    def stop_at(last):
        def report(step, _):
            if step == last:
                raise Stopped
        return report

    for last in (3, 22, 23, 41):
        with pytest.raises(Stopped):
            training.train(SETTINGS, some_ids(), path, every=5, report=stop_at(last))
    assert torch.load(path, weights_only=True)["steps_done"] == 40
    assert weights_of(training.train(SETTINGS, some_ids(), path, every=5).model) == alone
    again = training.train(SETTINGS, some_ids(), path)  # nothing left to do
    assert weights_of(again.model) == alone
    assert again.seconds == torch.load(path, weights_only=True)["seconds"] > 0
    assert weights_of(training.train(replace(SETTINGS, seed=6), some_ids()).model) != alone
    for settings, ids in ((replace(SETTINGS, seed=6), some_ids()), (SETTINGS, some_ids(1))):
        with pytest.raises(ValueError, match=r"run.pt is the checkpoint of a run with other"):
            training.train(settings, ids, path)


PROGRAM = """
import sys
from pathlib import Path
sys.path[:0] = [{tests!r}, {benchmarks!r}]
import torch
torch.set_num_threads(1)
from language_model import training
from test_language_model import SETTINGS, some_ids
print("ready", flush=True)
training.train(SETTINGS, some_ids(), Path({path!r}), every=1,
               report=lambda step, _: print(step, flush=True))
"""


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="needs SIGKILL")
def test_killed_at_random_moments(tmp_path):
    """A checkpoint after every step, so that most of the time is spent writing one."""
    path = tmp_path / "run.pt"
    program = PROGRAM.format(tests=str(ROOT / "tests"), benchmarks=str(ROOT / "benchmarks"),
                             path=str(path))
    random.seed(7)
    kills, steps = 0, 0
    while True:
        with subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE,
                              text=True) as run:
            assert run.stdout.readline() == "ready\n"
            last = random.randrange(5, 15)
            for number, line in enumerate(run.stdout):
                steps = int(line) + 1
                if number == last and kills < 3:
                    time.sleep(0.02 * random.random())
                    os.kill(run.pid, signal.SIGKILL)
                    kills += 1
                    break
            run.stdout.read()
        if run.returncode == 0:
            break
        assert run.returncode == -signal.SIGKILL
    assert kills == 3
    assert steps == SETTINGS.steps
    saved = torch.load(path, weights_only=True)
    assert saved["steps_done"] == SETTINGS.steps
    alone = training.train(SETTINGS, some_ids()).model
    assert {name: weight.numpy().tobytes() for name, weight in saved["model"].items()} == (
        weights_of(alone))


# --- Bits per byte -----------------------------------------------------------------------------


@pytest.mark.parametrize("vocab_size", [257, 400])
def test_two_evaluations_agree(vocab_size, tmp_path):
    """The model is not trained much, but enough not to find all tokens equally likely."""
    documents = data.split(stories(60_000), 50_000, 4_000)
    text = documents.held_out[0]
    texts = [text[:900], text[900:1400], "naïve 日本語", "", text[:5]]
    tokenizer = data.make_tokenizer(documents.learnt, vocab_size)
    shape = replace(SHAPE, vocab_size=tokenizer.vocab_size)
    ids = data.write_ids(tokenizer, documents.learnt, tmp_path / "learnt.bin")
    model = training.train(training.Settings(shape, steps=30, sequences=8), ids).model
    end = tokenizer.id_of(END_OF_TEXT)
    held_out = data.write_ids(tokenizer, texts, tmp_path / "held_out.bin")
    num_bytes = sum(len(text.encode()) for text in texts)
    fast = evaluation.bits_per_byte(model, held_out, end, num_bytes)
    slow = evaluation.slow_bits_per_byte(model.double(), tokenizer, texts, end)
    assert fast == pytest.approx(slow, rel=1e-5)
    assert 2 < fast < 7


def test_a_model_that_knows_nothing(tmp_path):
    """All tokens equally likely: log2 of their number, for the end of each document too."""
    tokenizer = data.make_tokenizer(["x"], 257)
    model = Transformer(replace(SHAPE, vocab_size=257))
    torch.nn.init.zeros_(model.head.weight)
    ids = data.write_ids(tokenizer, ["a" * 99, "b" * 50], tmp_path / "ids.bin")
    assert ids.dtype == np.uint16
    assert len(ids) == 151
    assert evaluation.bits_per_byte(model, ids, tokenizer.id_of(END_OF_TEXT), 149) == pytest.approx(
        np.log2(257) * 151 / 149)


# --- The programs ------------------------------------------------------------------------------


def test_quick(monkeypatch, capsys):
    """The real thing, on less text."""
    monkeypatch.setattr(quick, "LEARNT_BYTES", 30_000)
    monkeypatch.setattr(quick, "HELD_OUT_BYTES", 6_000)
    monkeypatch.setattr(quick, "SIZES", (300, 400))
    monkeypatch.setattr(quick, "CHECKED", 1)
    quick.quick()
    output = capsys.readouterr().out
    checked = re.findall(r"documents have ([\d.]+) bits/byte in batches, ([\d.]+) token", output)
    assert len(checked) == 2
    assert all(float(one) == pytest.approx(float(other), abs=2e-5) for one, other in checked)
    bits = dict(re.findall(r"^(BPE 300|BPE 400|gzip|xz) .* (\d\.\d{3})\b", output, re.M))
    assert bits.keys() == {"BPE 300", "BPE 400", "gzip", "xz"}


def test_experiments_say_how_long_to_train(monkeypatch, tmp_path):
    documents = data.split(stories(60_000), 40_000, 5_000)
    monkeypatch.setattr(run_language_model, "documents", lambda name: documents)
    monkeypatch.setattr(run_language_model, "LEARNT_BYTES", 40_000)
    monkeypatch.setenv("CS336_BPE_LM_CHECKPOINTS", str(tmp_path))
    run_language_model.encoded.cache_clear()
    options = {"vocab_size": 300, "shape": replace(SHAPE, tied=True)}
    run = partial(run_language_model.one_run, "any", 0, **options)
    by_bytes = run(num_bytes=3_000)
    a_step = 8 * 16 * by_bytes["bytes_per_token"]
    assert by_bytes["bytes"] == pytest.approx(3_000, abs=a_step)
    by_flops = run(flops=2 * by_bytes["flops"])
    assert by_flops["steps"] == 2 * by_bytes["steps"]
    by_epochs = run(epochs=2, learnt_share=0.5)
    assert by_epochs["bytes"] == pytest.approx(40_000, rel=0.1)
    assert by_bytes["loss"] == pytest.approx(
        by_bytes["bits_per_byte"] * math.log(2) * by_bytes["bytes_per_token"])
    assert len(list(tmp_path.iterdir())) == 3
    assert run(num_bytes=3_000) == by_bytes  # from its checkpoint, with its seconds
    assert "diverged" in run(num_bytes=3_000, learning_rate=1e20)
    run_language_model.encoded.cache_clear()


def test_the_toy_is_what_the_formula_says():
    losses = run_language_model.toy_losses(1e3, 4)
    for step, (one, other) in enumerate(zip(losses, losses[1:]), 1):
        assert other / one == pytest.approx((1 - 1e3 / 50 / math.sqrt(step)) ** 2, rel=1e-4)
