"""What a language model makes of a tokenizer: the experiments behind docs/language_model.md.

    pip install -e '.[lm]'
    CS336_BPE_DATA=folder python benchmarks/run_language_model.py vocabulary

Small models are trained with different tokenizers, and compared by the bits per byte that they need
for documents that neither has seen. All run on one thread. CS336_BPE_LM_SCALE=10 trains on ten
times as many bytes; the factor is saved with the result. What is done is saved after every run. If
CS336_BPE_LM_CHECKPOINTS names a folder, an experiment that was killed goes on where it was.
"""

import hashlib
import math
import os
import tempfile
from dataclasses import replace
from functools import lru_cache, partial
from pathlib import Path
from time import perf_counter

import common
import torch
from common import corpus, run_experiments
from language_model import baselines, data, evaluation, training
from language_model.settings import TRAINING

from cs336_bpe.cost.transformer import Shape, cost
from cs336_bpe.rules import END_OF_TEXT, GPT2_PATTERN, GPT4_PATTERN

save = partial(common.save, "lm", packages=["torch"])

SCALE = float(os.environ.get("CS336_BPE_LM_SCALE", 1))
BUDGET_BYTES = round(500_000 * SCALE)  # that a run reads, unless the experiment says otherwise
LEARNT_BYTES, HELD_OUT_BYTES = max(5_000_000, 4 * BUDGET_BYTES), 100_000
SIZES = (257, 512, 1024, 2048, 4096, 8192)
SIZE = 2048  # of the experiments on something else than size
SHAPE = Shape(SIZE, context=64, layers=2, d_model=64, d_ff=176, heads=4, tied=True, norm="rms")
SEQUENCES = 8
SEEDS = range(3)


@lru_cache
def documents(name):
    return data.split(corpus(name).read_text(encoding="utf-8"), LEARNT_BYTES, HELD_OUT_BYTES)


@lru_cache(maxsize=2)
def encoded(name, vocab_size, pattern=GPT2_PATTERN, fraction=1.0):
    """A tokenizer that was trained on the first documents of a text, and all ids in memory."""
    texts = documents(name)
    part = data.first_bytes(texts.learnt, round(fraction * LEARNT_BYTES))
    tokenizer = data.make_tokenizer(part, vocab_size, pattern)
    with tempfile.TemporaryDirectory() as folder:
        learnt, held_out = (data.write_ids(tokenizer, some, Path(folder, "ids.bin")).copy()
                            for some in (texts.learnt, texts.held_out))
    return tokenizer, learnt, held_out


def one_run(name, seed, *, vocab_size=SIZE, pattern=GPT2_PATTERN, fraction=1.0, shape=SHAPE,
            num_bytes=BUDGET_BYTES, flops=None, learnt_share=1.0, epochs=None, **settings):
    """Train and evaluate one model; a row of a table.

    How long it is trained is said by one of `num_bytes`, `flops` and `epochs`.
    """
    texts = documents(name)
    tokenizer, learnt, held_out = encoded(name, vocab_size, pattern, fraction)
    learnt = learnt[:round(learnt_share * len(learnt))]
    shape = replace(shape, vocab_size=tokenizer.vocab_size)
    bytes_per_token = texts.held_out_bytes / len(held_out)
    tokens = num_bytes / bytes_per_token
    if flops:
        tokens = flops / (TRAINING * cost(shape).total_flops / shape.context)
    if epochs:
        tokens = epochs * len(learnt)
    sequences = settings.pop("sequences", SEQUENCES)
    steps = max(1, round(tokens / (sequences * shape.context)))
    run = training.Settings(shape, steps, sequences, seed=seed, **settings)
    began = perf_counter()
    row = {"seed": seed, "vocab_size": tokenizer.vocab_size, "bytes_per_token": bytes_per_token,
           "parameters": cost(shape).total_parameters, "steps": steps, "tokens": run.tokens,
           "bytes": round(run.tokens * bytes_per_token), "flops": run.flops,
           "learning_rate": run.learning_rate, "context": shape.context}
    try:
        model, row["seconds"] = training.train(run, learnt, checkpoint_of(run, learnt))
    except training.Diverged as error:
        row["diverged"] = str(error)
    else:
        row["bits_per_byte"] = evaluation.bits_per_byte(
            model, held_out, tokenizer.id_of(END_OF_TEXT), texts.held_out_bytes)
        row["unigram_bits_per_byte"] = baselines.unigram_bits_per_byte(
            learnt, held_out, tokenizer.vocab_size, texts.held_out_bytes)
        # Nats per token of the held-out text: what is usually called the loss.
        row["loss"] = row["bits_per_byte"] * math.log(2) * bytes_per_token
    print(f"{perf_counter() - began:.0f} s", {key: value for key, value in row.items()
                                              if key not in ("parameters", "tokens")}, flush=True)
    return row


def checkpoint_of(run, ids):
    folder = os.environ.get("CS336_BPE_LM_CHECKPOINTS")
    digest = hashlib.sha256(repr(run).encode() + ids.tobytes()).hexdigest()
    return Path(folder, f"{digest[:16]}.pt") if folder else None


def run_all(name, text, cases, seeds=SEEDS, **more):
    """Every case with every seed, all cases of a seed first; saved after each run."""
    corpus(text)  # so that it is named in the result, also if it was read before
    rows = []
    for seed in seeds:
        for case, options in cases.items():
            rows.append({"case": case, **one_run(text, seed, **options)})
            save(name, {"scale": SCALE, "learnt_bytes": LEARNT_BYTES,
                        "held_out_bytes": documents(text).held_out_bytes, "rows": rows, **more})


# --- The experiments ---------------------------------------------------------------------------


def vocabulary():
    """Sizes at equal bytes and at equal compute, and what compressors need for the same bytes."""
    # What the size in the middle needs for the bytes of the others: there both are one run.
    shape = replace(SHAPE, vocab_size=SIZE)
    _, _, held_out = encoded("stories", SIZE)
    flops = (TRAINING * cost(shape).total_flops / shape.context * BUDGET_BYTES
             * len(held_out) / documents("stories").held_out_bytes)
    cases = {}
    for size in SIZES:
        cases[f"bytes {size}"] = {"vocab_size": size}
        if size != SIZE:
            cases[f"compute {size}"] = {"vocab_size": size, "flops": flops}
    texts = documents("stories")
    compressors = baselines.compressed_bits_per_byte(
        texts.held_out, data.first_bytes(texts.learnt, BUDGET_BYTES))
    run_all("vocabulary", "stories", cases, budget_flops=flops, equal_at=SIZE,
            compressors=compressors)


def seeds():
    """One setting, many seeds: what a difference must be to mean something."""
    run_all("seeds", "stories", {"same": {}}, range(6))


def tokenizer_sample():
    """The tokenizer learns from a part of the text, the model from as much as ever."""
    run_all("tokenizer_sample", "stories", {
        str(fraction): {"fraction": fraction} for fraction in (0.01, 0.03, 0.1, 0.3, 1.0)})


def same_text():
    """The largest vocabulary, learnt from as much text as the model reads, and from all."""
    run_all("same_text", "stories", {
        str(fraction): {"vocab_size": max(SIZES), "fraction": fraction}
        for fraction in (BUDGET_BYTES / LEARNT_BYTES, 1.0)})


def patterns():
    """GPT-2's pattern against GPT-4's, on text that has numbers and capitals to differ on."""
    run_all("patterns", "web", {"gpt2": {"pattern": GPT2_PATTERN},
                                "gpt4": {"pattern": GPT4_PATTERN}})


def learning_rates():
    """Those that write-up C tries on a toy, on the same toy; and some on this model."""
    toy = {f"{rate:g}": toy_losses(rate) for rate in (1e1, 1e2, 1e3)}
    run_all("learning_rates", "stories", {f"{rate:g}": {"learning_rate": rate} for rate in (
        2e-4, 6e-4, 2e-3, 6e-3, 2e-2, 6e-2, 2e-1)}, range(2), toy=toy)


def toy_losses(rate, steps=10):
    """The mean of squares of 100 numbers, made small by steps of rate / sqrt(number of the step).

    The gradient of the mean is 2 w / 100, so step t multiplies every number by
    1 - rate / 50 / sqrt(t), whatever the numbers are.
    """
    weights = torch.nn.Parameter(5 * torch.randn(100, generator=torch.Generator().manual_seed(0)))
    losses = []
    for step in range(1, steps + 1):
        loss = weights.square().mean()
        losses.append(loss.item())
        weights.grad = None
        loss.backward()
        with torch.no_grad():
            weights -= rate / math.sqrt(step) * weights.grad
    return losses


def ladder():
    """Write-up E's four changes, one after the other, in the order of its predictions."""
    share, epochs, rate, context = 0.06 * min(10.0, SCALE), 5, 3e-3, SHAPE.context
    fewer = {"learnt_share": 0.3 * share, "epochs": epochs, "learning_rate": rate}
    faster = {**fewer, "learning_rate": 1.5 * rate}
    shorter = {**faster, "epochs": 3}
    cases = {"all": {**fewer, "learnt_share": share}, "documents": fewer, "learning rate": faster,
             "epochs": shorter,
             # As many tokens per batch as before: 11 sequences of 48 for 8 of 64.
             "sequence length": {**shorter, "sequences": round(SEQUENCES * 4 / 3),
                                 "shape": replace(SHAPE, context=context * 3 // 4)}}
    run_all("ladder", "stories", cases, predicted=dict(zip(cases, (1, 3.3, 3.7, 6.2, 7.7))))


def widths():
    """How results move with the model's size: three widths, two vocabularies, equal bytes.

    A wider model wants a lower learning rate, by about as much.
    """
    rate = training.Settings(SHAPE, 1).learning_rate * SHAPE.d_model
    cases = {f"{width} {size}": {
        "vocab_size": size, "learning_rate": rate / width,
        "shape": replace(SHAPE, d_model=width, d_ff=width * 11 // 4)}
        for width in (32, 64, 128) for size in (1024, 4096)}
    run_all("widths", "stories", cases, range(2))


def lengths():
    """How results move with the text that a model reads: up to four times as much."""
    cases = {f"{times} {size}": {"vocab_size": size, "num_bytes": times * BUDGET_BYTES}
             for times in (1, 2, 4) for size in (257, 1024, 4096)}
    run_all("lengths", "stories", cases, range(2))


EXPERIMENTS = {function.__name__: function for function in (
    vocabulary, seeds, tokenizer_sample, same_text, patterns, learning_rates, ladder, widths,
    lengths)}

if __name__ == "__main__":
    torch.set_num_threads(1)
    torch.use_deterministic_algorithms(True)
    run_experiments(EXPERIMENTS)
