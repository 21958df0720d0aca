"""Every stage returns what the definition returns, and refuses what it refuses, with its words."""

import random
import threading
from array import array

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from cs336_bpe import stages
from cs336_bpe.rules import MAX_ID

RUNGS = stages.ladder("decode")
FIRST, OTHERS = RUNGS[0], RUNGS[1:]
BYTES = {byte: bytes([byte]) for byte in range(256)}
WIDTHS = ["uint8", "int8", "uint16", "int16", "uint32", "int32", "uint64", "int64"]

tokens = st.binary(min_size=1, max_size=40) | st.text(min_size=1, max_size=12).map(str.encode)
near = st.integers(0, 300)
anywhere = near | st.integers(0, MAX_ID) | st.sampled_from([2**16, 2**20, 2**30, MAX_ID])
vocabularies = st.dictionaries(anywhere, tokens, max_size=30)


@st.composite
def vocabulary_and_ids(draw):
    vocab = draw(vocabularies)
    known = st.sampled_from(sorted(vocab)) if vocab else st.nothing()
    ids = draw(st.lists(known, max_size=60)) if vocab else []
    return vocab, ids


def decoders(vocab, rungs=RUNGS):
    return [rung.load().Decoder(vocab) for rung in rungs]


@given(vocabulary_and_ids())
@example(({0: b"x" * 17, 7: b"y" * 16, MAX_ID: "🙂".encode()}, [7, 0, MAX_ID, 7, 7, 0]))
@example(({5: b"\xf0", 6: b"\x9f\x99\x82"}, [5, 6, 6, 5]))
def test_bytes_and_text(case):
    vocab, ids = case
    first, *others = decoders(vocab)
    expected, text = first.decode_bytes(ids), first.decode(ids)
    assert expected == b"".join(vocab[number] for number in ids)
    ways = [ids, tuple(ids), array("q", ids), memoryview(array("L", ids)),
            np.array(ids, "uint64"), np.array([ids, ids], "int64").T[:, 0],
            memoryview(array("q", [n for n in ids for _ in (1, 2)]))[::2],
            np.array(ids, ">i8"), [np.int64(number) for number in ids]]
    for decoder in others:
        for way in ways:
            assert decoder.decode_bytes(way) == expected
        assert decoder.decode_bytes(iter(ids)) == expected
        assert decoder.decode(ids) == text
        for errors in "ignore", "backslashreplace", "surrogateescape":
            assert decoder.decode(ids, errors) == expected.decode("utf-8", errors)


@pytest.mark.parametrize("stage", RUNGS, ids=lambda stage: stage.number)
@pytest.mark.parametrize("width", WIDTHS)
def test_every_width(stage, width):
    greatest = min(np.iinfo(width).max, MAX_ID)
    vocab = BYTES | {400: b"four hundred", 65_535: b"<65535>", 10**6: b"<million>", MAX_ID: b"!"}
    decoder = stage.load().Decoder(vocab)
    known = [number for number in vocab if number <= greatest]
    rng = random.Random(336)
    for size in 0, 1, 7, 100, 5_000:
        ids = rng.choices(known, k=size)
        expected = b"".join(vocab[number] for number in ids)
        assert decoder.decode_bytes(np.array(ids, width)) == expected
        assert decoder.decode_bytes(np.repeat(np.array(ids, width), 2)[::2]) == expected
        assert decoder.decode_bytes(memoryview(np.array(ids, width))) == expected
        ids.append(-1 if width.startswith("int") else 300)
        if ids[-1] <= greatest:
            for way in ids, np.array(ids, width):
                with pytest.raises(ValueError, match=rf"^ids\[{size}\] is {ids[-1]}, which is not"):
                    decoder.decode_bytes(way)


@pytest.mark.parametrize("stage", RUNGS, ids=lambda stage: stage.number)
@pytest.mark.parametrize("size", [1_000, 4_097, 9_000])
def test_lengths_that_a_sample_does_not_show(stage, size):
    """Tokens of one kind at equal distances, so that a sample has only these, or none of them; and
    tokens as long as all others together, first or last."""
    vocab = BYTES | {300: b"x" * 14, 301: b"y" * 15, 302: b"z" * 16, 303: b"-" * 40,
                     304: b"+" * 300_000}
    decoder = stage.load().Decoder(vocab)
    for often, seldom in [(97, 303), (303, 97), (301, 302), (97, 300), (302, 97)]:
        for distance in 2, 3, size:
            ids = [seldom if i % distance == 0 else often for i in range(size)]
            for whole in ids, [*ids, 304], [304, *ids]:
                expected = b"".join(vocab[number] for number in whole)
                assert decoder.decode_bytes(np.array(whole, "uint16")) == expected
            assert decoder.decode(ids) == b"".join(vocab[number] for number in ids).decode()
            for place in 0, 2, size - 1:
                wrong = [*ids[:place], 299, *ids[place + 1:]]
                with pytest.raises(ValueError, match=rf"^ids\[{place}\] is 299, which is not"):
                    decoder.decode_bytes(np.array(wrong, "int16"))


@pytest.mark.parametrize("stage", OTHERS[2:], ids=lambda stage: stage.number)
def test_long_tokens_at_the_beginning_are_no_reason_to_expect_more(stage):
    """With as many bytes for every id as for the first ones, the result would have 100 GB."""
    vocab = {0: b"a", 1: b"+" * 300_000}
    ids = np.zeros(1_000_000, "uint8")
    ids[1:4] = 1
    made = stage.load().Decoder(vocab).decode_bytes(ids)
    assert len(made) == 999_997 + 3 * 300_000
    assert made.startswith(b"a++")
    assert made.endswith(b"+a" + b"a" * 999_995)


@pytest.mark.parametrize("stage", OTHERS, ids=lambda stage: stage.number)
@pytest.mark.parametrize("word", ["naïve ", "привет ", "ไทย", "日本語のテキスト", "a🙂б語", "é"])
def test_every_byte_of_a_long_text_may_be_wrong(stage, word):
    """Text is made many bytes at a time. One that is wrong is found wherever it is."""
    decoder = stage.load().Decoder(BYTES)
    good = (word * 300).encode()[:300]
    for place in range(0, len(good), 1 if stage is OTHERS[-1] else 17):
        for byte in b"\x41\x80\xbf\xc0\xc1\xc3\xe0\xed\xf0\xf4\xf5\xf8\xff":
            data = good[:place] + bytes([byte]) + good[place + 1:]
            assert decoder.decode(list(data)) == data.decode("utf-8", "replace")


WRONG = [301, 255, -1, -128, -(2**63), 2**31, 2**32, 2**32 + 97, 2**63, 2**64 + 97, 10**30, True,
         False, 97.0, float("nan"), None, "a", b"a", [97], np.int64(-1), np.uint64(2**64 - 1),
         np.float64(97), np.bool_(True), 97 + 0j]


@given(data=st.data())
def test_what_is_refused(data):
    vocab = data.draw(st.sampled_from([{97: b"a", 98: b"b"}, {97: b"a", 98: b"b", MAX_ID: b"z"}]))
    ids = data.draw(st.lists(st.sampled_from([97, 98]), max_size=20))
    for number in data.draw(st.lists(st.sampled_from(WRONG), min_size=1, max_size=3)):
        ids.insert(data.draw(st.integers(0, len(ids))), number)
    first, *others = decoders(vocab)
    messages = []
    for decoder in [first, *others]:
        for way in ids, tuple(ids), iter(ids):
            with pytest.raises((ValueError, TypeError), match=r"^ids\[\d+\] is ") as caught:
                decoder.decode(way)
            messages.append((type(caught.value), str(caught.value)))
    assert len(set(messages)) == 1


@pytest.mark.parametrize("stage", RUNGS, ids=lambda stage: stage.number)
def test_what_ids_may_not_be(stage):
    decoder = stage.load().Decoder(BYTES)
    for ids in ("hi", b"hi", 5, None, np.array([1.0]), np.array([True]), np.array([[1, 2]]),
                np.array(5), np.array(["a"]), memoryview(bytes(6)).cast("B", [2, 3])):
        with pytest.raises(TypeError, match=r"^ids is "):
            decoder.decode(ids)
    for ids in array("d", [97.0]), memoryview(b"a").cast("c"), memoryview(b"\1").cast("?"):
        with pytest.raises(TypeError, match=r"^ids\[0\] is .*; ids are integers"):
            decoder.decode(ids)
    for ids in [], (), iter([]), np.array([]), np.array([], "int8"), range(0), array("d"):
        assert decoder.decode(ids) == ""
        assert decoder.decode_bytes(ids) == b""


@pytest.mark.parametrize("stage", RUNGS, ids=lambda stage: stage.number)
def test_wrong_vocabularies(stage):
    make = stage.load().Decoder
    assert make({}).decode_bytes([]) == b""
    with pytest.raises(ValueError, match=r"ids\[0\] is 0, .*: it has 0 tokens"):
        make({}).decode_bytes([0])
    assert make({np.int64(3): b"x"}).decode_bytes([3]) == b"x"
    for vocab, error, message in [
        ([b"a"], TypeError, "vocab is a list"), ({-1: b"a"}, ValueError, "id of the vocab"),
        ({2**31: b"a"}, ValueError, "greatest possible"), ({1.0: b"a"}, TypeError, "id of the"),
        ({True: b"a"}, TypeError, "id of the"), ({0: "a"}, TypeError, "tokens must be bytes"),
        ({0: b""}, ValueError, "is empty"), ({0: bytearray(b"a")}, TypeError, "must be bytes"),
        ({10**30: b"a"}, ValueError, "greatest possible"), (None, TypeError, "vocab is a NoneType"),
    ]:
        with pytest.raises(error, match=message):
            make(vocab)


@pytest.mark.parametrize("stage", RUNGS, ids=lambda stage: stage.number)
def test_a_vocabulary_that_changes_later(stage):
    vocab = dict(BYTES)
    decoder = stage.load().Decoder(vocab)
    vocab[300] = b"new"
    del vocab[97]
    assert decoder.decode([97]) == "a"
    with pytest.raises(ValueError, match="256 tokens"):
        decoder.decode([300])


# --- Text ---------------------------------------------------------------------------------------

CHARS = ["a", "é", "ÿ", "Ā", "߿", "ࠀ", "€", "퟿", "\ue000", "\uffff", "𐀀", "🙂", "\U0010ffff", "\0"]
INVALID = [b"\x80", b"\xbf", b"\xc0\x80", b"\xc1\xbf", b"\xc2", b"\xe0\x9f\xbf", b"\xe2\x82",
           b"\xed\xa0\x80", b"\xed\xbf\xbf", b"\xf0\x8f\xbf\xbf", b"\xf4\x90\x80\x80",
           b"\xf0\x9f\x99", b"\xf5\x80\x80\x80", b"\xff", b"\xfe", b"\xc3(", b"\xe2(\xa1",
           b"\xf0\x9f(\x82"]


@given(st.lists(st.sampled_from([*map(str.encode, CHARS), b"plain text, more than 16 bytes"]) |
                st.sampled_from(INVALID), max_size=12), st.sampled_from(["replace", "ignore"]))
def test_text_is_what_python_makes_of_the_bytes(parts, errors):
    data = b"".join(parts)
    for decoder in decoders(BYTES, [stage for stage in OTHERS if stage.compiled]):
        text = decoder.decode(bytearray(data), errors)
        expected = data.decode("utf-8", errors)
        assert text == expected
        assert hash(text) == hash(expected)
        assert text.isascii() == expected.isascii()
        assert max(text, default="") == max(expected, default="")
        assert text + "x" == expected + "x"


@pytest.mark.parametrize("char", CHARS)
def test_the_width_of_characters_at_all_places(char):
    """Python compares texts of different widths as different, so a text must have the least."""
    for decoder in decoders(BYTES, [stage for stage in OTHERS if stage.compiled]):
        for before in [*range(40), 239, 240, 241, 20_000]:
            for after in 0, 1, 15, 16, 17, 20_000:
                text = "b" * before + char + "c" * after
                found = decoder.decode(bytearray(text.encode()), "strict")
                assert found == text
                assert {found: 1}[text] == 1
                # Of a single character there is one object, which may know its UTF-8 too.
                assert len(text) == 1 or found.__sizeof__() == (text + "x")[:-1].__sizeof__()


@pytest.mark.parametrize("wrong", INVALID, ids=bytes.hex)
def test_invalid_text_at_all_places(wrong):
    for decoder in decoders(BYTES, [stage for stage in OTHERS if stage.compiled]):
        for before in [*range(20), 20_000]:
            data = b"b" * before + wrong + "c€🙂".encode()
            assert decoder.decode(bytearray(data)) == data.decode("utf-8", "replace")
            with pytest.raises(UnicodeDecodeError) as caught:
                decoder.decode(bytearray(data), "strict")
            with pytest.raises(UnicodeDecodeError) as expected:
                data.decode()
            assert str(caught.value) == str(expected.value)


@pytest.mark.parametrize("char", ["a", "é", "я", "߿", "ࠀ", "語", "\uffff", "🙂"])
@pytest.mark.parametrize("number", [3, 4, 5, 9])
def test_rows_of_characters_of_one_length(char, number):
    """Several are written at a time; what ends the row may be valid or not."""
    for decoder in decoders(BYTES, [stage for stage in OTHERS if stage.compiled]):
        for end in [b"", *map(str.encode, CHARS), *INVALID]:
            for wide in "", "語", "🙂":
                data = (wide + number * char).encode() + end + (2 * char).encode()
                for all_of_it in data, data[:-1]:
                    found = decoder.decode(bytearray(all_of_it))
                    assert found == all_of_it.decode("utf-8", "replace")


# --- Lists --------------------------------------------------------------------------------------


@pytest.mark.parametrize("stage", RUNGS, ids=lambda stage: stage.number)
def test_lists_of_several_pieces(stage):
    rng = random.Random(336)
    decoder = stage.load().Decoder(BYTES | {300: b"x" * 1000})
    for size in 16_383, 16_384, 16_385, 100_000:
        ids = rng.choices(range(97, 123), k=size)
        ids[-3] = 300
        expected = bytes(ids[:-3]) + b"x" * 1000 + bytes(ids[-2:])
        assert decoder.decode_bytes(ids) == decoder.decode_bytes(tuple(ids)) == expected
        for wrong in 16_384, size - 1:
            if wrong < size:
                with pytest.raises(ValueError, match=rf"ids\[{wrong}\] is 299, which is not an id"):
                    decoder.decode_bytes([*ids[:wrong], 299, *ids[wrong + 1:]])


# --- Threads ------------------------------------------------------------------------------------


@pytest.mark.parametrize("stage", [stage for stage in RUNGS if stage.compiled],
                         ids=lambda stage: stage.number)
def test_ids_that_change_meanwhile(stage):
    """Whatever another thread writes, the result is bytes of tokens or an error; no crash."""
    decoder = stage.load().Decoder(BYTES | {300: b"x" * 1000, 2**20: b"far"})
    ids = np.full(200_000, 97, "uint32")
    numbers = [97] * 40_000
    stop = threading.Event()

    def change():
        rng = random.Random(336)
        while not stop.is_set():
            ids[rng.randrange(len(ids))] = rng.choice([300, 2**20, 2**32 - 1, 2**31, 97, 299])
            ids[rng.randrange(len(ids)) :] = 97
            numbers[rng.randrange(len(numbers)) :] = [300] * rng.randrange(3) + [97] * 39_000

    thread = threading.Thread(target=change)
    thread.start()
    try:
        for _ in range(60):
            for way in ids, numbers:
                try:
                    assert set(decoder.decode_bytes(way)) <= set(b"axfr")
                except ValueError as error:
                    assert "is not an id" in str(error)  # noqa: PT017 (it may or may not come)
    finally:
        stop.set()
        thread.join()


@pytest.mark.parametrize("stage", [stage for stage in RUNGS if stage.compiled],
                         ids=lambda stage: stage.number)
def test_lists_that_are_emptied_meanwhile(stage):
    """Between two pieces of it a list loses all memory: the result is all of it, or an error."""
    decoder = stage.load().Decoder(BYTES)
    for _ in range(20):
        ids = [97] * 400_000
        started = threading.Event()
        thread = threading.Thread(target=lambda: (started.wait(), ids.clear()))  # noqa: B023
        thread.start()
        started.set()
        try:
            assert set(decoder.decode_bytes(ids)) <= set(b"a")
        except ValueError as error:
            assert "is not an id" in str(error)  # noqa: PT017 (it may or may not come)
        finally:
            thread.join()


@pytest.mark.parametrize("stage", RUNGS, ids=lambda stage: stage.number)
def test_arrays_that_say_their_byte_order(stage):
    """`<u2` is read as any other array, whether an id is known or not, and so is its memory."""
    decoder = stage.load().Decoder(BYTES)
    for order in "<>":
        row = np.frombuffer(np.array([104, 105], f"{order}u2").tobytes(),
                            np.dtype("u2").newbyteorder(order))
        wrong = np.frombuffer(np.array([104, 300], f"{order}u2").tobytes(),
                              np.dtype("u2").newbyteorder(order))
        for way in row, memoryview(row), row[::-1][::-1]:
            assert decoder.decode_bytes(way) == b"hi"
        for way in wrong, memoryview(wrong):
            with pytest.raises(ValueError, match=r"^ids\[1\] is 300, which is not"):
                decoder.decode_bytes(way)
