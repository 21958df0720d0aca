"""`tie_break="huggingface"` learns what the `tokenizers` library learns, merge by merge."""

import pytest

from cs336_bpe import stages
from cs336_bpe.corpora import generated as corpus

tokenizers = pytest.importorskip("tokenizers", reason="tokenizers is not installed")
EOT = "<|endoftext|>"


def huggingface_merges(path, vocab_size):
    """Train with `tokenizers`, and give its merges as pairs of bytes."""
    from tokenizers import Tokenizer, models, pre_tokenizers, trainers

    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=True)
    trainer = trainers.BpeTrainer(
        vocab_size=vocab_size, special_tokens=[EOT], show_progress=False,
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
    )
    documents = path.read_bytes().decode().split(EOT)
    tokenizer.train_from_iterator(documents, trainer)
    return read_merges(tokenizer)


def read_merges(tokenizer):
    import json

    printable = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    to_byte = {chr(byte): byte for byte in printable}
    to_byte.update({chr(256 + n): byte
                    for n, byte in enumerate(b for b in range(256) if b not in printable)})
    merges = json.loads(tokenizer.to_str())["model"]["merges"]
    return [tuple(bytes(to_byte[c] for c in token)
                  for token in (merge.split(" ") if isinstance(merge, str) else merge))
            for merge in merges]


def our_merges(path, vocab_size):
    counts = stages.find("pretokenize").load().count_pretokens(path, [EOT])
    learn_merges = stages.find("train").load().learn_merges
    return learn_merges(counts, vocab_size - 257, tie_break="huggingface")


@pytest.mark.parametrize(("make", "num_bytes", "vocab_size"), [
    (corpus.stories, 2_000_000, 10_000), (corpus.web, 2_000_000, 10_000),
    (corpus.web, 3_000, 1_500),
])
def test_built_in_corpora(tmp_path, make, num_bytes, vocab_size):
    path = tmp_path / "corpus.txt"
    path.write_text(make(num_bytes), encoding="utf-8", newline="")
    expected = huggingface_merges(path, vocab_size)
    assert our_merges(path, vocab_size) == expected
    assert len(expected) > 700  # the smallest text runs out of pairs


@pytest.mark.parametrize(("name", "vocab_size"), [("stories", 10_000), ("multilingual", 5_000)])
def test_real_corpora(real_data, name, vocab_size):
    path = real_data / f"corpora/{name}.txt"
    assert our_merges(path, vocab_size) == huggingface_merges(path, vocab_size)
