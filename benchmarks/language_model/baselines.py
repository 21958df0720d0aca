"""What a model is compared with: counts of tokens, gzip and xz. Nothing here needs torch."""

import gzip
import lzma

import numpy as np


def unigram_bits_per_byte(learnt, held_out, vocab_size: int, num_bytes: int) -> float:
    """What a model needs that knows nothing but how often each token occurs (and adds one)."""
    counts = np.bincount(learnt, minlength=vocab_size) + 1
    bits = np.log2(counts.sum()) - np.log2(counts)
    return float(bits[held_out].sum() / num_bytes)


def compressed_bits_per_byte(documents, learnt=()) -> dict[str, float]:
    """gzip and xz at their best, on the documents with one byte between them.

    They have seen nothing before; the model has. So xz gets a second try, with the text that the
    model has learnt from before the documents: what they add to it is counted.
    """
    def joined(texts):
        return b"".join(text.encode() + b"\0" for text in texts)

    text, before = joined(documents), joined(learnt)
    num_bytes = sum(len(one.encode()) for one in documents)
    sizes = {"gzip": len(gzip.compress(text, 9)), "xz": xz_size(text)}
    if before:
        sizes["xz after the training text"] = xz_size(before + text) - xz_size(before)
    return {name: 8 * size / num_bytes for name, size in sizes.items()}


def xz_size(text: bytes) -> int:
    return len(lzma.compress(text, preset=9 | lzma.PRESET_EXTREME))
