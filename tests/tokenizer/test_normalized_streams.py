"""Streams of text that is normalized: what comes in parts has the ids of the whole."""

from itertools import islice

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cs336_bpe import Tokenizer
from cs336_bpe.rules import BYTES
from cs336_bpe.rules.pipeline import AddedToken, ByteLevel, Pipeline, UnicodeForm

WORDS = [b"lo", b"low", "é".encode(), b" l"]
MERGES = [(b"l", b"o"), (b"lo", b"w"), (b"\xc3", b"\xa9"), (b" ", b"l")]
ADDED = (AddedToken("<e>"), AddedToken("<e>+"), AddedToken(">\u0338x"),
         AddedToken("é!", normalized=True), AddedToken("<é>", normalized=True, special=False))


def tokenizer_of(*forms, added=ADDED):
    names = [token.content for token in added]
    vocab = dict(enumerate([*BYTES, *WORDS, *(name.encode() for name in names)]))
    return Tokenizer(vocab, MERGES, names, pattern="", pipeline=Pipeline(
        normalize=tuple(map(UnicodeForm, forms)), added=added,
        splits=(ByteLevel(),)))


TEXT = ("low lows e\u0301! <e\u0301> <e>\u0301 <e>+ <e>> \u0338x 123456 e\u0327\u0301"
        "\u1100\u1161\u11a8<e>\u1161 low\n \n  é!é<e")


@pytest.mark.parametrize("forms", [("NFC",), ("NFD",), ("NFKC",), ("NFKD",), ("NFD", "NFC")])
@pytest.mark.parametrize("specials", ["all", "none", {"<e>", "é!"}])
def test_every_cut(forms, specials):
    added = tuple(token for token in ADDED
                  if not token.normalized or forms[-1] == "NFC")
    tokenizer = tokenizer_of(*forms, added=added)
    if not isinstance(specials, str):
        specials = specials & set(tokenizer.special_tokens)
    expected = tokenizer.encode(TEXT, specials=specials)
    assert list(tokenizer.encode_iterable(TEXT, specials=specials)) == expected
    for cut in range(len(TEXT)):
        for second in (cut, cut + 3):
            parts = TEXT[:cut], TEXT[cut:second], TEXT[second:]
            assert list(tokenizer.encode_iterable(parts, specials=specials)) == expected


@given(st.text("eo lw<>+!x\u0301\u0327\u0338\u1100\u1161é1 \n", max_size=30), st.data())
def test_any_text(text, data):
    tokenizer = tokenizer_of("NFC")
    cuts = sorted(data.draw(st.lists(st.integers(0, len(text)), max_size=4)))
    parts = [text[start:stop] for start, stop in zip([0, *cuts], [*cuts, len(text)])]
    assert list(tokenizer.encode_iterable(parts)) == tokenizer.encode(text)


def test_little_is_held():
    """Ids come while the text has no end, and no added token either."""
    tokenizer = tokenizer_of("NFC")
    taken = 0

    def endless():
        nonlocal taken
        while True:
            taken += 1
            yield "e\u0301 low "

    ids = list(islice(tokenizer.encode_iterable(endless()), 1_000))
    assert ids == tokenizer.encode("e\u0301 low " * taken)[:1_000]
    assert taken < 400


def test_marks_without_end():
    tokenizer = tokenizer_of("NFC")
    text = "e" + "\u0301\u0327" * 1_000
    assert list(tokenizer.encode_iterable(text)) == tokenizer.encode(text)


def test_refused_tokens_are_found_across_parts():
    tokenizer = tokenizer_of("NFC", added=ADDED[:3])
    for parts in (["aé<e>"], ["aé<", "e", ">"], ["a", "é<e", ">b"]):
        with pytest.raises(ValueError, match="'<e>' at byte 3;"):
            list(tokenizer.encode_iterable(parts, specials="raise"))
    assert list(tokenizer.encode_iterable(["e", "\u0301"], specials="raise")) == [258]


def test_a_part_that_is_no_text():
    with pytest.raises(TypeError, match="part 1 is b'x'"):
        list(tokenizer_of("NFC").encode_iterable(["a", b"x"]))
