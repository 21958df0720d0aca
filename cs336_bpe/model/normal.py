"""Rewriting text before it is encoded: Unicode's normal forms, replacements, a prefix.

Nearly all text is in normal form already. To know that takes a fraction of the time that it takes
to normalize it, so that is asked first.
"""

from collections.abc import Sequence
from unicodedata import is_normalized, normalize

from cs336_bpe.model.splitting import compiled, parts
from cs336_bpe.rules.pipeline import NormalStep, Prepend, Replace, UnicodeForm


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
