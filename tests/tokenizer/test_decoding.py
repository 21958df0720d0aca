"""Ids back to text: round trips, broken text, ids that are none, and the kinds of arrays."""

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from tokenizer.oracle import PIECES, broken, byte_tokenizer, texts, tokenizer_and_oracle

from cs336_bpe import Tokenizer

BYTES = {byte: bytes([byte]) for byte in range(256)}
any_text = st.text(st.characters(exclude_categories=["Cs"])) | texts


@given(text=any_text)
@example(text="".join(PIECES))
@example(text="\0\ufffd\ufeff")
def test_every_text_comes_back(text):
    tokenizer, _ = tokenizer_and_oracle()
    for specials in "all", "none":
        ids = tokenizer.encode(text, specials=specials)
        assert tokenizer.decode(ids) == text
        assert tokenizer.decode(ids, errors="strict") == text
        assert tokenizer.decode_bytes(iter(ids)) == text.encode()
        assert tokenizer.decode(np.array(ids, "int64")) == text
        assert tokenizer.decode(tokenizer.encode_array(text, specials=specials)) == text
        assert "".join(tokenizer.decode_iterable(ids)) == text
        assert "".join(tokenizer.decode_iterable(tokenizer.encode_array(text))) == text


def test_every_code_point():
    tokenizer, _ = tokenizer_and_oracle()
    for first in range(0, 0x110000, 0x8000):
        text = "".join(chr(c) for c in range(first, first + 0x8000) if not 0xD800 <= c < 0xE000)
        assert tokenizer.decode(tokenizer.encode(text)) == text
        assert tokenizer.decode(tokenizer.encode(text[::-1])) == text[::-1]


@given(data=st.binary() | broken)
def test_any_bytes_come_back(data):
    tokenizer, _ = tokenizer_and_oracle()
    for way in data, bytearray(data), memoryview(data), memoryview(data * 2)[: len(data)]:
        assert tokenizer.decode_bytes(tokenizer.encode_array(way)) == data
    spread = memoryview(bytes(byte for pair in zip(data, data) for byte in pair))[::2]
    assert tokenizer.decode_bytes(tokenizer.encode_array(spread)) == data
    assert tokenizer.count(spread) == len(tokenizer.encode_array(spread, workers=2))


@given(data=st.binary(max_size=40) | broken, cuts=st.lists(st.integers(1, 3)),
       errors=st.sampled_from(["replace", "ignore", "backslashreplace", "surrogateescape"]))
@example(data="é€🙂".encode(), cuts=[1, 1, 1, 1, 1, 1, 1], errors="replace")
@example(data=b"\xf0\x9f\x99", cuts=[1, 1, 1], errors="replace")
@example(data=b"\xf0\x9f\xe2\x82a", cuts=[1, 1, 1, 1], errors="replace")
def test_pieces_of_decoded_text_have_whole_characters(data, cuts, errors):
    tokens, at = [], 0
    for size in cuts:
        tokens.append(data[at : at + size])
        at += size
    tokens = list(dict.fromkeys(filter(None, [*tokens, data[at:]])))
    vocab = {number: token for number, token in enumerate(tokens, 1000) if len(token) > 1}
    tokenizer = Tokenizer(BYTES | vocab, [])
    ids = [tokenizer.id_of(token) for token in tokens]
    whole = b"".join(tokens).decode("utf-8", errors)
    assert tokenizer.decode(ids, errors) == whole
    pieces = list(tokenizer.decode_iterable(ids, errors))
    assert "".join(pieces) == whole
    assert "" not in pieces


def test_pieces_come_as_early_as_their_last_byte():
    stream = byte_tokenizer().decode_iterable(iter("aé".encode()))
    assert next(stream) == "a"
    assert next(stream) == "é"
    with pytest.raises(UnicodeDecodeError):
        list(byte_tokenizer().decode_iterable([0xFF], errors="strict"))
    with pytest.raises(UnicodeDecodeError):
        byte_tokenizer().decode([0xFF], errors="strict")


@pytest.mark.parametrize("text", ["\ud800", "ab\udc80c", "\udfff\ud800"])
@pytest.mark.parametrize("pattern", [None, r"\S+|\s+"])
def test_lone_surrogates(text, pattern):
    tokenizer = byte_tokenizer("<e>", **({} if pattern is None else {"pattern": pattern}))
    at = next(at for at, char in enumerate(text) if "\ud800" <= char <= "\udfff")
    for specials in "all", "none", "raise":
        ways = [
            lambda specials=specials: tokenizer.encode(text, specials=specials),
            lambda specials=specials: tokenizer.encode_array(text, specials=specials),
            lambda specials=specials: tokenizer.encode_array(text, specials=specials, workers=2),
            lambda specials=specials: tokenizer.count(text, specials=specials),
            lambda specials=specials: tokenizer.explain(text, specials=specials),
            lambda specials=specials: tokenizer.encode_batch([text] * 4, specials=specials),
            lambda specials=specials: list(tokenizer.encode_iterable([text], specials=specials)),
        ]
        for way in ways:
            with pytest.raises(ValueError, match=f"lone surrogate, .* at character {at}: it has"):
                way()


# --- Ids that are none ------------------------------------------------------------------------

BAD_IDS = [
    (258, ValueError), (-1, ValueError), (-(2**63), ValueError), (2**31, ValueError),
    (2**64, ValueError), (10**30, ValueError), (np.int64(-1), ValueError),
    (np.uint64(2**64 - 1), ValueError), (True, TypeError), (False, TypeError), (97.0, TypeError),
    (float("nan"), TypeError), (None, TypeError), ("a", TypeError), (b"a", TypeError),
    ([97], TypeError), (np.float64(97), TypeError), (np.bool_(True), TypeError),
    (97 + 0j, TypeError),
]


@pytest.mark.parametrize(("number", "kind"), BAD_IDS, ids=repr)
def test_bad_ids_are_named_with_their_place(number, kind):
    tokenizer = byte_tokenizer("<e>", "<f>").truncated(258)
    message = r"ids\[2\] is " if kind is TypeError else rf"ids\[2\] is {number}, which is not an id"
    for ids in [97, 98, number, 99], (97, 98, number, -7), iter([97, 98, number]):
        with pytest.raises(kind, match=message):
            tokenizer.decode(ids)
    with pytest.raises(kind, match=message):
        tokenizer.decode_bytes([97, 98, number])
    with pytest.raises(kind, match=message):
        list(tokenizer.decode_iterable([97, 98, number]))
    with pytest.raises(kind, match="number is "):
        tokenizer.token_bytes(number)


def test_a_gap_is_no_id():
    tokenizer = Tokenizer(BYTES | {2**31 - 1: b"<e>"}, [], ["<e>"])
    assert tokenizer.decode([2**31 - 1, 97]) == "<e>a"
    with pytest.raises(ValueError, match=r"ids\[0\] is 256, .* 257 tokens, with ids .* to 2147"):
        tokenizer.decode([256])
    with pytest.raises(ValueError, match=r"ids\[1\] is 300"):
        tokenizer.decode(np.array([97, 300], "uint16"))


def test_what_ids_may_be():
    tokenizer = byte_tokenizer()
    for ids in [[], (), iter([]), np.array([]), np.array([], "int8"), range(0)]:
        assert tokenizer.decode(ids) == ""
        assert tokenizer.decode_bytes(ids) == b""
        assert list(tokenizer.decode_iterable(ids)) == []
    for ids in [[104, 105], (104, 105), range(104, 106), bytearray(b"hi"),
                np.array([104, 105], ">i8"), [np.uint8(104), np.int64(105)],
                np.array([[104, 0], [105, 0]])[:, 0]]:
        assert tokenizer.decode(ids) == "hi"
    for ids in ["hi", b"hi", 5, None, np.array([1.0]), np.array([True]), np.array([[1, 2]]),
                np.array(5), np.array(["a"]), np.array([5], "m8[s]")]:
        with pytest.raises(TypeError, match="ids is "):
            tokenizer.decode(ids)
        if isinstance(ids, np.ndarray):  # anything else is asked for its items, one by one
            with pytest.raises(TypeError, match="ids is "):
                list(tokenizer.decode_iterable(ids))


KINDS = [f"{order}{kind}" for order in "<>" for kind in ("i1", "i2", "i4", "i8",
                                                         "u1", "u2", "u4", "u8")]
EDGES = {sign * (2**bits + more) for bits in (7, 8, 15, 16, 31, 32, 63, 64) for sign in (1, -1)
         for more in (-1, 0, 1, 97)} | {70_000, 70_000 + 2**32, 2**31 - 5, 2**32 + 2**31 - 5}


@pytest.mark.parametrize("kind", KINDS)
def test_integers_of_every_width(kind):
    """An id that is none is named, whatever is left of it in fewer bits, or without its sign."""
    known = BYTES | {70_000: b"<x>", 2**31 - 5: b"<y>"}
    few, many = byte_tokenizer(), Tokenizer(known, [], ["<x>", "<y>"])
    limits = np.iinfo(kind)
    for number in sorted(EDGES | {limits.min, limits.max}):
        if not limits.min <= number <= limits.max:
            continue
        for place in (5, 300):
            ids = np.full(400, 97, kind)
            ids[place] = number
            every_second = np.zeros(800, kind)
            every_second[::2] = ids
            for tokenizer, tokens in ((few, BYTES), (many, known)):
                for form in (ids, every_second[::2], memoryview(ids), ids.tolist()):
                    if number in tokens:
                        expected = b"a" * place + tokens[number] + b"a" * (399 - place)
                        assert tokenizer.decode_bytes(form) == expected
                        continue
                    with pytest.raises(ValueError, match=rf"ids\[{place}\] is {number}, which"):
                        tokenizer.decode_bytes(form)


# --- Kinds of arrays --------------------------------------------------------------------------


def test_the_kind_of_array_follows_from_the_greatest_id():
    assert byte_tokenizer().encode_array("a").dtype == np.uint16
    assert byte_tokenizer().encode_array("").dtype == np.uint16
    assert Tokenizer(BYTES | {65535: b"<e>"}, []).encode_array("a").dtype == np.uint16
    large = Tokenizer(BYTES | {65536: b"<e>"}, [], ["<e>"])
    assert large.encode_array("a").dtype == np.uint32
    assert large.encode_array("").dtype == np.uint32
    assert large.encode_array("a<e>").tolist() == [97, 65536]
    largest = Tokenizer(BYTES | {2**31 - 1: b"<e>"}, [], ["<e>"])
    assert largest.encode_array("<e>", "int32").tolist() == [2**31 - 1]
    assert largest.encode("<e>a") == [2**31 - 1, 97]


def test_asking_for_a_kind_of_array():
    tokenizer = byte_tokenizer("<e>")
    for kind in [*"uint16 int16 uint32 int32 int64 uint64 >u2 >i4".split(), np.int64, int]:
        array = tokenizer.encode_array("a<e>", kind)
        assert array.tolist() == [97, 256]
        assert array.dtype == np.dtype(kind)
        assert tokenizer.encode_array("", kind).dtype == np.dtype(kind)
    assert byte_tokenizer().encode_array("ÿ", "uint8").tolist() == [195, 191]
    for kind in ["uint8", "int8"]:
        with pytest.raises(ValueError, match=f"dtype is {kind}, which can't hold the id 256; use"):
            tokenizer.encode_array("a", kind)
    large = Tokenizer(BYTES | {65536: b"<e>"}, [], ["<e>"])
    with pytest.raises(ValueError, match=r"dtype is uint16, which can't .* 65536; use uint32"):
        large.encode_array("a", "uint16")
    for kind in [float, bool, object, "S1", "M8[s]", "u2,u2"]:
        with pytest.raises(TypeError, match="it must be a type of integers"):
            tokenizer.encode_array("a", kind)


def test_arrays_are_ones_own():
    tokenizer = byte_tokenizer()
    array = tokenizer.encode_array("abc")
    array[0] = 7
    assert tokenizer.encode_array("abc").tolist() == [97, 98, 99]
    source = bytearray(b"abc")
    array = tokenizer.encode_array(source)
    source[:] = b"changed, and longer"
    assert array.tolist() == [97, 98, 99]
