"""What a tokenizer may be made of; what it is made of; smaller ones and copies of it."""

import copy
import json
import pickle

import numpy as np
import pytest
from tokenizer.oracle import GPT4_PATTERN, SPECIALS, byte_tokenizer, tokenizer_and_oracle, trained

from cs336_bpe import GPT2_PATTERN, Tokenizer, train_bpe_from_counts
from cs336_bpe.adapters import get_tokenizer
from cs336_bpe.formats import write_gpt2
from cs336_bpe.rules import BYTES, Model

VOCAB = dict(enumerate([*BYTES, b"ab", b"abc"]))
MERGES = [(b"a", b"b"), (b"ab", b"c")]
NO_A = {number: token for number, token in VOCAB.items() if token != b"a"}

BAD = {
    "no mapping": (list(BYTES), [], {}, TypeError, "vocab is a list"),
    "none": (None, [], {}, TypeError, "vocab is a NoneType"),
    "empty": ({}, [], {}, ValueError, "has no id"),
    "a missing byte": (NO_A, [], {}, ValueError, "the byte b'a' has no id"),
    "a str token": (VOCAB | {300: "x"}, [], {}, TypeError, r"vocab\[300\] is 'x'"),
    "an empty token": (VOCAB | {300: b""}, [], {}, ValueError, r"vocab\[300\] is empty"),
    "a str id": (VOCAB | {"300": b"xy"}, [], {}, TypeError, "'300'"),
    "a negative id": (VOCAB | {-1: b"xy"}, [], {}, ValueError, "-1"),
    "a bool id": ({True: b"\1"} | VOCAB, [], {}, TypeError, "True"),
    "a huge id": (VOCAB | {2**31: b"xy"}, [], {}, ValueError, "2147483648"),
    "a token twice": (VOCAB | {300: b"ab"}, MERGES, {}, ValueError, r"vocab\[300\] is b'ab', and"),
    "no list": (VOCAB, None, {}, TypeError, "merges is a NoneType"),
    "a set": (VOCAB, set(MERGES), {}, TypeError, "merges is a set"),
    "an iterator": (VOCAB, iter(MERGES), {}, TypeError, "merges is a list_iterator"),
    "no pair": (VOCAB, [(b"a",)], {}, TypeError, r"merges\[0\] is \(b'a',\)"),
    "a str pair": (VOCAB, [("a", "b")], {}, TypeError, r"merges\[0\] is \('a', 'b'\)"),
    "out of order": (VOCAB, MERGES[::-1], {}, ValueError, r"merges\[0\] joins b'ab' and b'c'"),
    "no result": (dict(enumerate(BYTES)), MERGES, {}, ValueError, r"merges\[0\] makes b'ab'"),
    "twice": (VOCAB, [MERGES[0], *MERGES], {}, ValueError, r"merges\[1\] makes b'ab', and so"),
    "specials str": (VOCAB, MERGES, {"special_tokens": "<e>"}, TypeError, r"such as \['<e>'\]"),
    "specials none": (VOCAB, MERGES, {"special_tokens": ""}, TypeError, "special_tokens is ''"),
    "specials number": (VOCAB, MERGES, {"special_tokens": 0}, TypeError, "special_tokens is 0"),
    "special bytes": (VOCAB, MERGES, {"special_tokens": [b"x"]}, TypeError, r"special_tokens\[0\]"),
    "special empty": (VOCAB, MERGES, {"special_tokens": [""]}, ValueError, r"special_tokens\[0\]"),
    "special twice": (VOCAB, MERGES, {"special_tokens": ["x", "x"]}, ValueError, "already at 0"),
    "special surrogate": (VOCAB, MERGES, {"special_tokens": ["\ud800"]}, ValueError, "surrogate"),
    "pattern bytes": (VOCAB, MERGES, {"pattern": b"x"}, TypeError, "pattern is b'x'"),
    "pattern broken": (VOCAB, MERGES, {"pattern": "("}, ValueError, "is not a regular expression"),
    "pattern group": (VOCAB, MERGES, {"pattern": "(a)"}, ValueError, "capturing group"),
    "cache small": (VOCAB, MERGES, {"cache_bytes": 1000}, ValueError, "cache_bytes is 1000; it"),
    "cache float": (VOCAB, MERGES, {"cache_bytes": 1e9}, TypeError, "cache_bytes is 1000000000.0"),
    "cache bool": (VOCAB, MERGES, {"cache_bytes": True}, TypeError, "cache_bytes is True"),
}


@pytest.mark.parametrize("name", BAD)
def test_errors_name_what_is_wrong(name):
    vocab, merges, options, kind, message = BAD[name]
    with pytest.raises(kind, match=message):
        Tokenizer(vocab, merges, **options)


@pytest.mark.parametrize("text", [None, 5, ["a"], np.array([1]), object()])
def test_text_of_another_type(text):
    tokenizer = byte_tokenizer()
    for way in [tokenizer.encode, tokenizer.encode_array, tokenizer.count, tokenizer.explain]:
        with pytest.raises(TypeError, match=f"text is a {type(text).__name__}; it must be str"):
            way(text)
    with pytest.raises(TypeError, match=r"texts\[1\] is a"):
        tokenizer.encode_batch(["a", text])
    for way in [tokenizer.encode, tokenizer.explain]:
        with pytest.raises(TypeError, match="text is a bytes; it must be str"):
            way(b"a")
    for texts in "text", b"text", 5, None:
        with pytest.raises(TypeError, match="texts is a "):
            tokenizer.encode_batch(texts)
    for workers in 0, -1, 1.5, True:
        with pytest.raises((TypeError, ValueError), match="workers is "):
            tokenizer.encode_batch(["a"], workers=workers)


def test_what_it_is_given_can_change_without_harm():
    vocab, merges, specials = dict(VOCAB), list(MERGES), ["<e>"]
    tokenizer = Tokenizer(vocab, merges, specials)
    before = tokenizer.encode("abc<e>")
    vocab.clear(), merges.clear(), specials.clear()
    tokenizer.model.vocab.clear()
    tokenizer.model.merges.clear()
    assert tokenizer.encode("abc<e>") == before == [257, 258]
    assert tokenizer.vocab_size == 259


def test_it_can_not_be_changed():
    tokenizer = Tokenizer(VOCAB, MERGES, ["<e>"])
    with pytest.raises(TypeError):
        tokenizer.vocab[0] = b"x"
    with pytest.raises(TypeError):
        tokenizer.special_tokens["<f>"] = 7
    for name in ["vocab", "merges", "special_tokens", "pattern", "vocab_size", "model"]:
        with pytest.raises(AttributeError):
            setattr(tokenizer, name, None)


def test_numbers_of_numpy_and_lists_for_pairs():
    vocab = {np.int64(number): token for number, token in VOCAB.items()}
    tokenizer = Tokenizer(vocab, [list(pair) for pair in MERGES], (name for name in ["<e>"]))
    assert tokenizer == Tokenizer(VOCAB, MERGES, ["<e>"])
    assert {type(number) for number in tokenizer.vocab} == {int}
    assert tokenizer.encode("abc<e>") == [257, 258]


def test_tokens_and_ids():
    tokenizer, _ = tokenizer_and_oracle()
    for number, token in tokenizer.vocab.items():
        assert tokenizer.token_bytes(number) == tokenizer.token_bytes(np.uint32(number)) == token
        if number not in tokenizer.special_tokens.values():
            assert tokenizer.id_of(token) == number
    for special, number in tokenizer.special_tokens.items():
        assert tokenizer.id_of(special) == number
    with pytest.raises(ValueError, match="no special token 'low'; give other tokens as bytes"):
        tokenizer.id_of("low")
    with pytest.raises(ValueError, match="is not a token"):
        tokenizer.id_of(b"no such token")
    for token in 5, None, bytearray(b"a"), ["a"]:
        with pytest.raises(TypeError, match="it must be bytes"):
            tokenizer.id_of(token)


# --- Smaller ones -----------------------------------------------------------------------------


@pytest.mark.parametrize("size", [256 + len(SPECIALS), 300, 599, 600])
def test_a_truncated_one_is_what_training_to_that_size_gives(size):
    tokenizer, _ = tokenizer_and_oracle()
    smaller = tokenizer.truncated(size)
    vocab, merges = trained()
    vocab = {number: token for number, token in vocab.items() if number < size}
    assert smaller == Tokenizer(vocab, merges[: size - 256 - len(SPECIALS)], SPECIALS)
    assert smaller.vocab_size == size
    text = "lower and lower'll <|endoftext|>"
    assert smaller.decode(smaller.encode(text)) == text


def test_sizes_that_can_not_be():
    tokenizer, _ = tokenizer_and_oracle()
    smallest = 256 + len(SPECIALS)
    with pytest.raises(ValueError, match=f"vocab_size is {smallest - 1}; it .* least {smallest}"):
        tokenizer.truncated(smallest - 1)
    with pytest.raises(ValueError, match="vocab_size is 601, but this tokenizer has only 600"):
        tokenizer.truncated(601)
    for size in 300.0, None, True:
        with pytest.raises(TypeError, match="vocab_size is "):
            tokenizer.truncated(size)


def test_a_truncated_one_with_a_token_that_is_learned_and_special():
    vocab, merges = train_bpe_from_counts({b"lower": 5}, 260, [])
    last = merges[-1][0] + merges[-1][1]
    tokenizer = Tokenizer(vocab, merges, [last.decode()])
    assert tokenizer.vocab_size == 260
    for size in range(257, 261):
        assert tokenizer.truncated(size).vocab_size == size
        assert tokenizer.truncated(size).id_of(last.decode()) == tokenizer.id_of(last)


# --- Copies -----------------------------------------------------------------------------------


def test_copies():
    tokenizer = Tokenizer({2 * n: t for n, t in VOCAB.items()}, MERGES, ["<e>", "a", "ab"],
                          pattern=GPT4_PATTERN, cache_bytes=10**6)
    text = "abcab<e>a ab"
    for other in [copy.copy(tokenizer), copy.deepcopy(tokenizer), copy.deepcopy([tokenizer])[0],
                  *(pickle.loads(pickle.dumps(tokenizer, protocol)) for protocol in range(6))]:
        assert other == tokenizer
        assert hash(other) == hash(tokenizer)
        assert repr(other) == repr(tokenizer)
        assert other.model == tokenizer.model
        assert other.cache_bytes == 10**6
        assert other.encode(text) == tokenizer.encode(text)
    assert tokenizer != Tokenizer({2 * n: t for n, t in VOCAB.items()}, MERGES, ["<e>", "a", "ab"])
    assert tokenizer != "tokenizer"
    assert Tokenizer.from_model(tokenizer.model) == tokenizer


def test_repr():
    assert repr(Tokenizer(VOCAB, MERGES, ["<e>"])) == (
        "<Tokenizer: 259 tokens, 2 merges, special tokens: '<e>'; pattern gpt2>")
    assert "special tokens: none; pattern 'x+'" in repr(Tokenizer(VOCAB, MERGES, pattern="x+"))
    assert "special tokens: 11;" in repr(tokenizer_and_oracle()[0])


# --- Files ------------------------------------------------------------------------------------


@pytest.fixture
def files(tmp_path):
    vocab, merges = trained()
    paths = tmp_path / "vocab.json", tmp_path / "merges.txt"
    write_gpt2(Model(vocab, merges, SPECIALS, GPT2_PATTERN), *paths)
    return paths


def test_from_files(files):
    tokenizer, _ = tokenizer_and_oracle()
    for specials in SPECIALS, tuple(SPECIALS), iter(SPECIALS):
        assert Tokenizer.from_files(*files, specials) == tokenizer
    assert Tokenizer.from_files(*map(str, files), SPECIALS) == tokenizer
    more = Tokenizer.from_files(*files, [*SPECIALS, "<new>"], pattern=GPT4_PATTERN,
                                cache_bytes=10**6)
    assert more.special_tokens["<new>"] == 600
    assert more.pattern == GPT4_PATTERN
    adapted = get_tokenizer(dict(more.vocab), list(more.merges), SPECIALS)
    assert adapted.encode("<|") == more.encode("<|")


def test_truncated_and_garbled_files(files):
    vocab, merges = files
    good_vocab, good_merges = vocab.read_bytes(), merges.read_bytes()
    for bad in [b"", good_vocab.rstrip()[:-1], good_vocab[: len(good_vocab) // 2], b"[]", b"{}",
                b"\xff\xfe", b'{"a": "b"}', b'{"a": 1.5}', b"null", good_vocab + b"x",
                b'{"a": -1}']:
        vocab.write_bytes(bad)
        with pytest.raises((ValueError, TypeError), match="vocab"):
            Tokenizer.from_files(*files, SPECIALS)
    vocab.write_bytes(good_vocab)
    lines = good_merges.split(b"\n")
    for bad in [good_merges[: len(good_merges) // 2], b"\n".join([*lines[:5], *lines[6:]]),
                b"\n".join([lines[0], *lines[:0:-1]]), good_merges + b"a b c\n", b"\xff", b"a",
                good_merges + lines[5] + b"\n"]:
        merges.write_bytes(bad)
        with pytest.raises(ValueError, match="merges"):
            Tokenizer.from_files(*files, SPECIALS)
    merges.write_bytes(good_merges)
    entries = json.loads(good_vocab)
    del entries["a"]
    vocab.write_text(json.dumps(entries))
    with pytest.raises(ValueError, match="the byte b'a' has no id"):
        Tokenizer.from_files(*files, SPECIALS)
    with pytest.raises(FileNotFoundError):
        Tokenizer.from_files(vocab.with_name("missing.json"), merges)
