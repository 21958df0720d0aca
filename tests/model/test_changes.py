"""Only what may change is normalized; the rest of a text is passed over."""

import unicodedata

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from cs336_bpe.model.normal import Normalizer
from cs336_bpe.native.stretches import NUM_BYTES, stretches
from cs336_bpe.rules.pipeline import UnicodeForm

FORMS = ["NFC", "NFD", "NFKC", "NFKD"]
PIECES = ["e", "e\u0301", "\u0301", "é", "q\u0323\u0307", "q\u0307\u0323", "\u1100", "\u1161",
          "\u11a8", "가", "\u212a", "\u037e", "ﬁ", " ", "\u09c7", "\u09be", "\u0338", ">", "<e>",
          "x" * 70, "猫", "\U0002f800", "\U00030000", "\U000e0100", "🙂", "\u0f73", "\u0344"]
texts = st.lists(st.sampled_from(PIECES), max_size=30).map("".join) | st.text(max_size=60)


def put_together(text, changes):
    pieces, at = [], 0
    for start, end, changed in changes:
        pieces += [text[at:start], changed]
        at = end
    return b"".join([*pieces, text[at:]])


@pytest.mark.parametrize("form", FORMS)
@given(text=texts, gap=st.sampled_from([0, 1, 7, 64]))
@example(text="\u0301", gap=64)
@example(text="a" * 64 + "\u0301" + "b" * 63 + "\u0301", gap=64)
def test_changes_are_all_that_a_form_changes(form, text, gap):
    data = text.encode("utf-8", "replace")
    changes = Normalizer([UnicodeForm(form)]).changes(data, gap)
    assert put_together(data, changes).decode() == unicodedata.normalize(form, data.decode())
    assert all(two[0] >= one[1] + gap for one, two in zip(changes, changes[1:]))


@pytest.mark.parametrize("form", FORMS)
def test_the_set_has_every_character_that_cannot_be_cut_before(form):
    normalizer = Normalizer([UnicodeForm(form)])
    members = normalizer._changing
    for point in range(0x80, 8 * NUM_BYTES, 3):
        if not 0xD800 <= point < 0xE000:
            is_in = members[point >> 3] >> (point & 7) & 1
            assert is_in != normalizer.may_cut_before(chr(point)), hex(point)


@pytest.mark.parametrize("text", [b"\xff", b"abcdefgh\xc3", b"a\xe2\x82", b"\xed\xa0\x80 abc"])
def test_what_is_not_utf8(text):
    assert stretches(text, bytes(NUM_BYTES)) is None
    assert Normalizer([UnicodeForm("NFC")]).changes(text) is None


def test_a_set_of_another_size():
    with pytest.raises(ValueError, match="a set has 24576 bytes, not 3"):
        stretches(b"a", b"abc")
