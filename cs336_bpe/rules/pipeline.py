"""The steps around the merges, as data.

A text goes through them in this order:

    normalize       rewrite the text between added tokens
    added           tokens that are found in the text as a whole
    splits          cut what is between them into pretokens
    whole_tokens    a pretoken that is a token is that token, whatever merges would make of it
    (the merges)
    template        special tokens around the ids, if the caller asks for them

Everything here is immutable and says what to do; the modules beside it do it.
"""

from dataclasses import dataclass
from typing import Literal

Form = Literal["NFC", "NFD", "NFKC", "NFKD"]
Behavior = Literal["Removed", "Isolated", "MergedWithPrevious", "MergedWithNext", "Contiguous"]


# --- Rewriting text ------------------------------------------------------------------------


@dataclass(frozen=True)
class UnicodeForm:
    """One of Unicode's four normal forms."""

    form: Form


@dataclass(frozen=True)
class Replace:
    """Every match becomes `content`. A pattern is in the syntax of Oniguruma."""

    pattern: str
    is_regex: bool
    content: str


@dataclass(frozen=True)
class Prepend:
    """Something before the text, unless there is no text."""

    content: str


NormalStep = UnicodeForm | Replace | Prepend


# --- Added tokens --------------------------------------------------------------------------


@dataclass(frozen=True)
class AddedToken:
    """A token that is found in the text as a whole, and never merged with anything.

    A token that is not `normalized` is looked for in the text as it came; one that is, in the text
    after normalization, and its own content is normalized too. `special` ones are those that
    `specials=` chooses among and that decoding may skip.
    """

    content: str
    special: bool = True
    lstrip: bool = False  # takes the white space before it along
    rstrip: bool = False  # takes the white space after it along
    single_word: bool = False  # only where no word character stands beside it
    normalized: bool = False
    # Whether the vocab of the merges lists it too. Then, with `whole_tokens`, a pretoken of the
    # same bytes is this token.
    in_vocab: bool = True

    @property
    def is_plain(self) -> bool:
        """Whether it is found wherever it stands, and takes nothing along."""
        return not (self.lstrip or self.rstrip or self.single_word)


# --- Cutting text into pretokens -----------------------------------------------------------


@dataclass(frozen=True)
class Split:
    """Cuts at the matches of a string, or of a pattern in the syntax of Oniguruma.

    `behavior` says what becomes of a match: it is left out, it is a piece of its own, or it goes
    with its neighbour. With `invert`, what lies between matches counts as a match.
    """

    pattern: str
    is_regex: bool = True
    behavior: Behavior = "Isolated"
    invert: bool = False


@dataclass(frozen=True)
class Digits:
    """Cuts numbers from what is not a number, and with `individual` each digit."""

    individual: bool = False


@dataclass(frozen=True)
class Punctuation:
    behavior: Behavior = "Isolated"


@dataclass(frozen=True)
class WhitespaceSplit:
    """Leaves out white space."""


@dataclass(frozen=True)
class ByteLevel:
    """From here on, text is bytes. May put a space before each piece, and cut by GPT-2's rule."""

    prefix_space: bool = False
    use_regex: bool = True


SplitStep = Split | Digits | Punctuation | WhitespaceSplit | ByteLevel


# --- After the merges ----------------------------------------------------------------------


@dataclass(frozen=True)
class Template:
    """Special tokens before and after the ids of a text.

    `single` and `pair` are the file's own words for it, as JSON. Nothing here encodes pairs of
    texts, but a file that has a rule for them keeps it.
    """

    before: tuple[str, ...]
    after: tuple[str, ...]
    single: str
    pair: str


@dataclass(frozen=True)
class Pipeline:
    """All that a tokenizer has beyond a `Model`'s vocab, merges, special tokens and pattern.

    Without `splits`, text is cut by the model's pattern, its special tokens are found as they are,
    and only what follows is special: `whole_tokens`, or merges that are not `in_order`.
    """

    normalize: tuple[NormalStep, ...] = ()
    added: tuple[AddedToken, ...] = ()
    splits: tuple[SplitStep, ...] = (ByteLevel(),)
    whole_tokens: bool = False
    template: Template | None = None
    trim_offsets: bool = False  # offsets leave out white space at the ends of a token
    trim_prefix_space: bool = True  # ... and know that the first space may have been put there
    in_order: bool = True  # no merge comes before a merge that makes one of its parts
