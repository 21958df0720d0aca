"""Where a text can be cut so that its parts may be normalized one by one."""

import sys
from unicodedata import combining, decomposition, normalize

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cs336_bpe.model.normal import Normalizer
from cs336_bpe.rules.pipeline import Prepend, UnicodeForm

FORMS = ("NFC", "NFD", "NFKC", "NFKD")
CHARACTERS = ("ae\u0301\u0327\u0338>K\u212b\ufb01ﬀ\u00e9\u1e69\u0344\u0958\u0915\u093c\u09c7\u09be"
              "\u1100\u1161\u11a8\uac00\uac01\u1025\u102e\u0b47\u0b3e\u3046\u3099か①½ \n"
              "\U00011131\U00011127\U0001d15e\U0002f800")


@given(st.lists(st.sampled_from(FORMS), min_size=1, max_size=3), st.text(CHARACTERS, max_size=12))
def test_normalizing_the_parts_is_normalizing_the_whole(forms, text):
    normalizer = Normalizer([UnicodeForm(form) for form in forms])
    for place in range(1, len(text)):
        if normalizer.may_cut_before(text[place]):
            assert normalizer(text[:place]) + normalizer(text[place:]) == normalizer(text)
    for size in (1, 3):
        stretches = list(normalizer.stretches(text, size))
        assert "".join(stretches) == text
        assert "".join(map(normalizer, stretches)) == normalizer(text)


@pytest.mark.parametrize("form", FORMS)
def test_every_character_there_is(form):
    normalizer = Normalizer([UnicodeForm(form)])
    places = 0
    firsts = {int(parts[0], 16) for parts in (decomposition(chr(point)).split() for point in
                                              range(sys.maxunicode + 1))
              if len(parts) == 2 and parts[0][0] != "<"}
    before = "".join(map(chr, sorted(firsts))) + "\u1100\uac00"
    for point in range(0x30000):  # after it nothing is assigned that a form could change
        character = chr(point)
        if 0xD800 <= point < 0xE000 or not normalizer.may_cut_before(character):
            continue
        places += 1
        # Everything that begins a composition, and a mark, which must not move.
        if point < 0x20000 and (point < 0x3000 or point % 16 == 0 or decomposition(character)):
            assert normalize(form, "q\u0301" + character) == normalize(form, "q\u0301") + character
            if combining(character) == 0 and point % 64 == 0:
                for first in before:
                    assert normalize(form, first + character) == normalize(form, first) + character
    assert places > 150_000


def test_every_composition_is_kept_together():
    nfc = Normalizer([UnicodeForm("NFC")])
    for point in range(sys.maxunicode + 1):
        parts = decomposition(chr(point)).split()
        if len(parts) == 2 and parts[0][0] != "<":
            first, second = (chr(int(part, 16)) for part in parts)
            if normalize("NFC", first + second) != first + second:
                assert not nfc.may_cut_before(second)


def test_other_steps_are_not_cut():
    normalizer = Normalizer([UnicodeForm("NFC"), Prepend("_")])
    assert not normalizer.may_cut_before("a")
    assert list(normalizer.stretches("abc", 1)) == ["abc"]
