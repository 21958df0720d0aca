"""Bits per byte of two tokenizers in a few minutes, beside those of gzip and xz.

    python -m benchmarks.language_model quick

Nothing is downloaded: the text is generated (docs/corpora/generated.md). For each of two vocabulary
sizes a tokenizer is trained, the text is encoded, a model is trained on the ids, and what it needs
for documents that it has not seen is computed, in two ways. The experiments on real text are in
benchmarks/run_language_model.py.
"""

import sys
import tempfile
from dataclasses import replace
from pathlib import Path
from time import perf_counter

try:
    import torch
except ImportError:
    raise SystemExit("this needs torch: pip install -e '.[lm]'") from None

from cs336_bpe.common.tables import as_text
from cs336_bpe.corpora.generated import stories
from cs336_bpe.cost.transformer import Shape, cost
from cs336_bpe.rules import END_OF_TEXT

from . import baselines, data, evaluation, training

LEARNT_BYTES, HELD_OUT_BYTES = 1_500_000, 150_000
SIZES = (512, 2048)
SHAPE = Shape(max(SIZES), context=64, layers=2, d_model=64, d_ff=176, heads=4, tied=True,
              norm="rms")
SEQUENCES = 8
CHECKED = 2  # documents, for the slow evaluation


def quick() -> None:
    torch.set_num_threads(1)  # so that the figures are the same on every number of cores
    began = perf_counter()
    documents = data.split(stories(LEARNT_BYTES + 2 * HELD_OUT_BYTES), LEARNT_BYTES, HELD_OUT_BYTES)
    print(f"{sum(len(text.encode()) for text in documents.learnt):,} bytes of generated stories to "
          f"learn from, {documents.held_out_bytes:,} held out", flush=True)
    rows = [measure(documents, size) for size in SIZES]
    for name, bits in baselines.compressed_bits_per_byte(
            documents.held_out, documents.learnt).items():
        rows.append((name, "", "", "", f"{bits:.3f}", ""))
    print()
    print(as_text([("", "bytes/token", "parameters", "FLOPs", "bits/byte", "seconds"), *rows]))
    print(f"\n{perf_counter() - began:.0f} seconds in all. What this means: docs/language_model.md")


def measure(documents: data.Documents, vocab_size: int) -> tuple[str, ...]:
    """A row of the table: one pass over the text with a vocabulary of this size."""
    began = perf_counter()
    tokenizer = data.make_tokenizer(documents.learnt, vocab_size)
    end_of_text = tokenizer.id_of(END_OF_TEXT)
    shape = replace(SHAPE, vocab_size=tokenizer.vocab_size)
    with tempfile.TemporaryDirectory() as folder:
        ids = data.write_ids(tokenizer, documents.learnt, Path(folder, "ids.bin"))
        steps = len(ids) // (SEQUENCES * shape.context)
        settings = training.Settings(shape, steps, SEQUENCES)
        report = progress(f"BPE {vocab_size}", steps)
        model = training.train(settings, ids, report=report).model
        del ids  # a file that is in use can't be removed everywhere
    bits, num_tokens = evaluate(model, tokenizer, documents.held_out)
    few = documents.held_out[:CHECKED]
    one, _ = evaluate(model, tokenizer, few)
    other = evaluation.slow_bits_per_byte(model.double(), tokenizer, few, end_of_text)
    print(f"BPE {vocab_size}: {CHECKED} documents have {one:.6f} bits/byte in batches, {other:.6f} "
          f"token by token", flush=True)
    return (f"BPE {vocab_size}", f"{documents.held_out_bytes / num_tokens:.2f}",
            f"{cost(shape).total_parameters:,}", f"{settings.flops:.2e}", f"{bits:.3f}",
            f"{perf_counter() - began:.0f}")


def evaluate(model, tokenizer, texts: list[str]) -> tuple[float, int]:
    """Bits per byte, from a file of ids, and how many ids there are."""
    with tempfile.TemporaryDirectory() as folder:
        ids = data.write_ids(tokenizer, texts, Path(folder, "ids.bin")).copy()
    num_bytes = sum(len(text.encode()) for text in texts)
    return evaluation.bits_per_byte(model, ids, tokenizer.id_of(END_OF_TEXT), num_bytes), len(ids)


def progress(name: str, steps: int):
    """A line now and then; the loss is that of the last tenth's batches, in nats per token."""
    losses = []

    def report(step: int, loss: float) -> None:
        losses.append(loss)
        if (step + 1) * 10 // steps > step * 10 // steps:
            print(f"{name}: step {step + 1} of {steps}, loss {sum(losses) / len(losses):.3f}",
                  flush=True)
            losses.clear()
    return report


if __name__ == "__main__":
    if sys.argv[1:] != ["quick"]:
        raise SystemExit("usage: python -m benchmarks.language_model quick\n"
                         "experiments: python benchmarks/run_language_model.py [NAME ...]")
    quick()
