"""Ranks in which merges can't make every token: read as tiktoken reads them."""

import base64
import pickle
import warnings

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cs336_bpe import Tokenizer
from cs336_bpe.formats.tiktoken import UnmadeTokens
from cs336_bpe.rules import BYTES

tiktoken = pytest.importorskip("tiktoken")

PATTERN = r"[a-c]{1,9}| ?\S+|\s+"
TEXTS = ["", "abc", "abcab", "aab bca\ncc", "cabbac<e>abc", "aaaaaaaaaaaa bbbb", "é abc \U0001f600"]


def write(path, tokens):
    lines = [b"%b %d" % (base64.b64encode(token), rank) for rank, token in enumerate(tokens)]
    path.write_bytes(b"\n".join(lines) + b"\n")
    return path


def both(folder, tokens):
    """Our tokenizer and tiktoken's, of ranks."""
    path = write(folder / "some.tiktoken", tokens)
    specials = {"<e>": len(tokens) + 3}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UnmadeTokens)
        ours = Tokenizer.load(path, specials, pattern=PATTERN)
    ranks = {token: rank for rank, token in enumerate(tokens)}
    return ours, tiktoken.Encoding("some", pat_str=PATTERN, mergeable_ranks=ranks,
                                   special_tokens=specials)


def check(ours, theirs, text):
    expected = theirs.encode(text, allowed_special="all")
    assert ours.encode(text) == expected
    assert ours.encode(text, specials="none") == theirs.encode(text, disallowed_special=())
    assert list(ours.encode_iterable(text)) == expected
    ids, offsets = ours.encode_with_offsets(text, unit="bytes")
    assert ids == expected
    assert [ids for ids, _ in offsets][:1] == [0][: len(ids)]
    assert ours.decode(expected) == text


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("ranks")


@settings(max_examples=150)
@given(st.lists(st.text("abc", min_size=2, max_size=6), max_size=25, unique=True),
       st.lists(st.text("abc ", max_size=14), max_size=5), st.randoms(use_true_random=False))
def test_random_ranks(folder, words, texts, random):
    tokens = [*BYTES, *(word.encode() for word in words)]
    random.shuffle(tokens)
    ours, theirs = both(folder, tokens)
    for text in [*TEXTS, *texts, *words]:
        check(ours, theirs, text)


def test_a_token_that_only_a_whole_pretoken_is(folder):
    """No merge makes `abc`, so it is found alone and not in `abca`; `cab` needs a higher rank."""
    ours, theirs = both(folder, [*BYTES, b"abc", b"cab", b"ca"])
    assert ours.encode("abc") == [256]
    assert ours.encode("abca") == [97, 98, 258]
    assert ours.encode("cab") == [257]
    assert ours.encode("cabb") == [257, 98]
    assert not ours.model.in_order
    for text in TEXTS:
        check(ours, theirs, text)


def test_long_tokens(folder):
    tokens = [*BYTES, b"ab" * 500, b"ba" * 300, b"abab", b"ab", b"ab" * 4]
    ours, theirs = both(folder, tokens)
    for text in ("ab" * 500, "ab" * 501, "ba" * 300, "x" + "ba" * 300, "ab" * 499 + "a"):
        check(ours, theirs, text)


def test_a_warning_says_what_is_not_made(tmp_path):
    path = write(tmp_path / "x.tiktoken", [*BYTES, b"est"])
    with pytest.warns(UnmadeTokens, match=r"1 tokens .* b'est' of rank 256: .* are missing"):
        Tokenizer.load(path)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        Tokenizer.load(write(path, [*BYTES, b"st", b"est"]))


@pytest.mark.filterwarnings("ignore::cs336_bpe.formats.tiktoken.UnmadeTokens")
def test_what_is_read_can_be_written(tmp_path):
    tokens = [*BYTES, b"abc", b"cab", b"ca", b"bb"]
    ours, theirs = both(tmp_path, tokens)
    [path] = ours.save(tmp_path / "again.tiktoken", format="tiktoken")
    assert path.read_bytes() == (tmp_path / "some.tiktoken").read_bytes()
    assert pickle.loads(pickle.dumps(ours)) == ours
    more = ours.with_special_tokens(["<pad>"])
    [path] = more.save(tmp_path / "tokenizer.json", format="huggingface")
    again = Tokenizer.load(path)
    for text in TEXTS:
        assert again.encode(text) == ours.encode(text) == ours.to_tiktoken().encode(
            text, allowed_special="all")
        check(ours, theirs, text)
    assert more.encode("abc<pad>") == [256, more.special_tokens["<pad>"]]
    with pytest.raises(ValueError, match="that a whole pretoken is before anything is merged"):
        ours.save(tmp_path / "own.bpe.json")
