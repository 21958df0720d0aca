"""Rewriting text before it is encoded: Unicode's normal forms, replacements, a prefix.

Nearly all text is in normal form already. To know that takes a fraction of the time that it takes
to normalize it, so that is asked first.
"""

from collections.abc import Iterator, Sequence
from functools import cache
from unicodedata import combining, decomposition, is_normalized, normalize

from cs336_bpe.model.splitting import compiled, parts
from cs336_bpe.rules.pipeline import NormalStep, Prepend, Replace, UnicodeForm

_LAST_COMPOSED = 0x20000
"""After it no character is made of two: there are ideographs, and what stands for one of them."""


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
