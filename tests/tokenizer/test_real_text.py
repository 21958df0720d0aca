"""GPT-2's vocabulary on real text, in full: every way to encode gives what tiktoken gives.

And a vocabulary of our own on generated text, where there is no real one.

`regex` and tiktoken follow different versions of Unicode; these corpora have none of the code
points on which they differ.
"""

import io

import numpy as np
import pytest

from cs336_bpe import Tokenizer, count_pretokens_in, train_bpe_from_counts
from cs336_bpe.corpora import generated as corpus
from cs336_bpe.formats import to_tiktoken

EOT = "<|endoftext|>"
CORPORA = ["stories", "web", "code", "multilingual"]


@pytest.fixture(scope="module")
def gpt2(real_data):
    folder = real_data / "cs336"
    return Tokenizer.from_files(folder / "gpt2_vocab.json", folder / "gpt2_merges.txt", [EOT])


@pytest.fixture(scope="module")
def theirs(gpt2):
    tiktoken = pytest.importorskip("tiktoken")
    # Built from the vocabulary itself: bytes and merged tokens by their ids.
    ranks = {token: number for number, token in gpt2.vocab.items() if token != EOT.encode()}
    return tiktoken.Encoding("gpt2", pat_str=gpt2.pattern, mergeable_ranks=ranks,
                             special_tokens=dict(gpt2.special_tokens))


@pytest.mark.parametrize("name", CORPORA)
def test_whole_corpora(name, real_data, gpt2, theirs, tmp_path):
    check_every_way(real_data / "corpora" / f"{name}.txt", gpt2, theirs, tmp_path)


@pytest.mark.parametrize("make", [corpus.stories, corpus.web])
def test_generated_corpora(make, tmp_path):
    pytest.importorskip("tiktoken")
    counts = count_pretokens_in(corpus.web(500_000, seed=1), [EOT])
    tokenizer = Tokenizer(*train_bpe_from_counts(counts, 5_000, [EOT]), [EOT])
    path = tmp_path / "text.txt"
    path.write_text(make(2_000_000), encoding="utf-8", newline="")
    check_every_way(path, tokenizer, to_tiktoken(tokenizer.model), tmp_path)


def check_every_way(path, ours, theirs, folder):
    text = path.read_bytes().decode()
    documents = text.split(EOT)
    parts = []
    for number, document in enumerate(documents):
        if number:
            parts.append(np.array([ours.id_of(EOT)], "uint16"))
        parts.append(np.array(theirs.encode_ordinary(document), "uint16"))
    expected = np.concatenate(parts)
    assert np.array_equal(ours.encode_array(text), expected)
    assert np.array_equal(ours.encode_array(text, workers=2), expected)
    assert np.array_equal(np.array(ours.encode(text), "uint16"), expected)
    assert ours.count(text) == len(expected)
    lines = ours.encode_iterable(io.StringIO(text, newline=""))
    assert np.array_equal(np.fromiter(lines, "uint16"), expected)
    size = 9_973
    pieces = ours.encode_iterable(text[at : at + size] for at in range(0, len(text), size))
    assert np.array_equal(np.fromiter(pieces, "uint16"), expected)
    for workers in 1, 2:
        assert ours.encode_file(path, folder / "ids.npy", workers=workers) == len(expected)
        assert np.array_equal(np.load(folder / "ids.npy", mmap_mode="r"), expected)
    assert ours.decode_bytes(expected) == path.read_bytes()


def test_trained_vocabularies_and_tiktoken():
    pytest.importorskip("tiktoken")
    from tokenizer.oracle import PIECES, tokenizer_and_oracle

    tokenizer, _ = tokenizer_and_oracle()
    encoding = to_tiktoken(tokenizer.model)
    text = corpus.web(300_000, seed=9) + "".join(PIECES)
    assert tokenizer.encode(text, specials="none") == encoding.encode_ordinary(text)
    assert tokenizer.encode(text) == encoding.encode(text, allowed_special="all")
