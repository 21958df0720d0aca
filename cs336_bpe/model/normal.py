"""Rewriting text before it is encoded: Unicode's normal forms, replacements, a prefix.

Nearly all text is in normal form already. To know that takes a fraction of the time that it takes
to normalize it, so that is asked first.
"""

import itertools
from collections.abc import Iterator, Sequence
from functools import cache
from unicodedata import combining, decomposition, is_normalized, normalize

from cs336_bpe.common.lazy import lazy
from cs336_bpe.model.splitting import compiled, parts
from cs336_bpe.rules.pipeline import NormalStep, Prepend, Replace, UnicodeForm

_LAST_COMPOSED = 0x20000
"""After it no character is made of two: there are ideographs, and what stands for one of them."""


_IDEOGRAPHS = [(0x3400, 0x4DC0), (0x4E00, 0xA000), (0xD800, 0xE000), (0x20000, 0x2F800)]
"""Unified ideographs, which no form ever changes, and surrogates, which are no characters."""


class Normalizer:
    """The steps of a pipeline, one after the other.

    >>> normalizer = Normalizer([UnicodeForm("NFC"), Prepend("_")])
    >>> normalizer("e\\u0301") == "_é", normalizer("")
    (True, '')
    """

    def __init__(self, steps: Sequence[NormalStep]) -> None:
        self.steps = steps
        self.forms = [step.form for step in steps if isinstance(step, UnicodeForm)]
        self.only_forms = len(self.forms) == len(steps)

    def __call__(self, text: str) -> str:
        for step in self.steps:
            match step:
                case UnicodeForm(form):
                    if not is_normalized(form, text):
                        text = normalize(form, text)
                case Replace(pattern, is_regex, content):
                    found = parts(compiled(pattern, is_regex), text)
                    text = "".join([content if matched else text[start:stop]
                                    for (start, stop), matched in found])
                case Prepend(content):
                    text = content + text if text else text
        return text

    def leaves(self, text: str) -> bool:
        """Whether it is seen at once that the text stays as it is."""
        return self.only_forms and (text.isascii() or all(
            is_normalized(form, text) for form in self.forms))

    def may_cut_before(self, character: str) -> bool:
        """Whether a text can be cut before this character and its parts be normalized alone.

        That is so if it is a letter, not a mark (its combining class is 0), so that no mark moves
        across it; if no form changes it; and if nothing before it can be composed with it. What
        comes after it stays on its side of the cut. docs/formats/model.md has the reason in full.

        >>> nfc = Normalizer([UnicodeForm("NFC")])
        >>> [nfc.may_cut_before(character) for character in "e\\u0301\\u1100\\u1161"]
        [True, False, True, False]
        """
        if character.isascii():
            return self.only_forms
        return (self.only_forms and combining(character) == 0 and character not in _ends()
                and all(is_normalized(form, character) for form in self.forms))

    @lazy
    def _changing(self) -> bytes:
        """All characters before which a text can't be cut, as a set of `native.stretches`."""
        from cs336_bpe.native.stretches import NUM_BYTES

        members = bytearray(NUM_BYTES)
        changing = set(_ends())
        asked = itertools.pairwise([0x80, *itertools.chain(*_IDEOGRAPHS), 8 * NUM_BYTES])
        every = [*map(chr, itertools.chain(*[range(*run) for run in itertools.islice(
            asked, None, None, 2)]))]
        changing.update(character for character in every if combining(character))
        for form in self.forms:
            changing.update(character for character in every if not is_normalized(form, character))
        for point in map(ord, changing):
            members[point >> 3] |= 1 << (point & 7)
        return bytes(members)

    def changes(self, text: bytes, gap: int = 64) -> list[tuple[int, int, bytes]] | None:
        """What Unicode's forms make of a text in UTF-8: the stretches that change, in bytes, and
        what they change to. Any two are at least `gap` bytes apart. None if it isn't UTF-8.

        Only the character before a mark, and the marks, can change: docs/formats/model.md.

        >>> nfc = Normalizer([UnicodeForm("NFC")])
        >>> nfc.changes("cafe\\u0301, café".encode())
        [(3, 6, b'\\xc3\\xa9')]
        """
        from cs336_bpe.native.stretches import stretches

        if text.isascii():
            return []
        found = stretches(text, self._changing, gap)
        if found is None:
            return None
        changes = []
        for start, end in found:
            before = text[start:end].decode()
            after = self(before)
            if after is not before:
                changes.append((start, end, after.encode()))
        return changes

    def last_cut(self, text: str, first: int, last: int) -> int:
        """The last place from `first` to `last` before which the text can be cut; 0 if none."""
        for place in range(min(last, len(text) - 1), max(first, 1) - 1, -1):
            if self.may_cut_before(text[place]):
                return place
        return 0

    def stretches(self, text: str, size: int = 64) -> Iterator[str]:
        """A text in stretches that can be normalized one by one, of about `size` characters."""
        start = 0
        if not self.only_forms:
            size = len(text)
        while start < len(text):
            stop = start + size
            while stop < len(text) and not self.may_cut_before(text[stop]):
                stop += 1
            yield text[start:stop]
            start = stop


@cache
def _ends() -> frozenset[str]:
    """The characters that are no marks, and yet may be composed with what stands before them."""
    jamo = [*range(0x1161, 0x1176), *range(0x11A8, 0x11C3)]  # composed by a rule, not by a table
    pairs = [parts for parts in (decomposition(chr(point)).split() for point in
                                 range(_LAST_COMPOSED)) if len(parts) == 2 and parts[0][0] != "<"]
    ends = {chr(int(end, 16)) for _, end in pairs}
    return frozenset(map(chr, jamo)) | {end for end in ends if combining(end) == 0}
