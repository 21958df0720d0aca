"""Texts on which another library must give our ids before a writer reports success.

Reading back what was written shows that nothing was lost. It can't show that the other library
understands it as we do: its regex engine may read the pattern in another way, or it may look for
special tokens in another order. So a few texts are encoded both ways.
"""

from collections.abc import Callable, Iterator
from importlib.util import find_spec
from time import process_time
from typing import TYPE_CHECKING
from unicodedata import ucd_3_2_0

from cs336_bpe.formats.plain_encoder import PlainEncoder
from cs336_bpe.formats.round_trip import Checked
from cs336_bpe.formats.safe_json import excerpt
from cs336_bpe.rules import check_pattern

if TYPE_CHECKING:
    import regex

TEXTS = (
    "Hello, world! It's 2024: they'll've said I'm, you're, he'd; CAN'T, WE'LL, 'tis o'clock.",
    "  two  blanks\tand\t\ttabs \n \n\n  new lines\r\n\r\n  end \n",
    "12 345 6789.01e-23 1,000,000 ½ ² ٣٤٥ Ⅻ 一二三",
    "Grüße, naïve œuvre; Привет, мир; Γειά σου; שלום; مرحبا; नमस्ते; สวัสดี;",
    "こんにちは世界。你好，世界！안녕하세요.",
    "e\u0301 a\u0308 \u200bzero\u200d width\ufeff \u00a0hard\u00a0blank\u3000wide\u2028line",
    "\x00\x01 \x1c\x1f\x7f \x85 \ufffd \U0010ffff \ue000",
    "😀👍🏽 👨\u200d👩\u200d👧 ♥\ufe0f!?!?... --- ((())) <|x|> <html>&amp;</html>",
    "def f(x_1, *args):\n    return {'a': x_1**2 + 0x1F}  # ok\n\n\nclass A:\n\tpass\n",
    "aaaaaaaaaaaaaaaa ababababababab aabbaabbaabb abcabcabcabc " + "z" * 300,
    " ", "\n", "a ", " a", "",
)
"""All kinds of characters, but none assigned lately: libraries follow different versions of
Unicode, and disagree on whether these are letters."""

MAX_SECONDS = 5
"""How long a pattern from a file may take for such texts."""

_SAMPLE = 500


def probe_texts(tokenizer: Checked) -> list[str]:
    """Texts for a tokenizer: the same ones for all, and its own tokens, special and ordinary.

    >>> from cs336_bpe.rules import BYTES, GPT2_PATTERN
    >>> from cs336_bpe.rules import Model
    >>> from cs336_bpe.formats.round_trip import checked
    >>> probe_texts(checked(Model(dict(enumerate(BYTES)), [], ["<|a|>"], GPT2_PATTERN)))[-2:]
    ['<|a|>', '<|a|> and<|a|>x']
    """
    model, ids, _ = tokenizer
    words = []
    for left, right in model.merges[:: len(model.merges) // _SAMPLE + 1]:
        try:
            word = (left + right).decode()
        except UnicodeDecodeError:
            continue
        if all(ucd_3_2_0.category(character) != "Cn" for character in word):
            words.append(word)
    texts = [*TEXTS, "".join(words), " ".join(words), "\n".join(words)]
    # If a special token begins with another one, does the longer one win?
    texts += [token for token in ids.specials
              if any(token[:length] in ids.specials for length in range(1, len(token)))]
    if ids.specials:
        some = model.special_tokens[:_SAMPLE]
        texts += ["".join(some), " and".join([*some, some[0]]) + "x"]
    return texts


def is_installed(package: str) -> bool:
    """Whether another library is there to compare with."""
    return find_spec(package) is not None


def missing(package: str) -> ImportError:
    """The error for a library that was asked for and is not installed."""
    return ImportError(f"this needs the package {package}, which is not installed: "
                       f"pip install {package}")


def check_ids(library: str, encode: Callable[[str], list[int]], tokenizer: Checked) -> None:
    """An error that names the text and the ids, if a library gives other ids than we do."""
    encoder = PlainEncoder(tokenizer)
    for text in probe_texts(tokenizer):
        if b"" in encoder.pieces(text):  # tiktoken would panic
            raise ValueError(f"the pattern {tokenizer.model.pattern!r} matches the empty text, "
                             f"which {library} can't use: a pretoken has at least one character")
        ours = encoder.encode(text)
        theirs = encode(text)
        if ours == theirs:
            continue
        place = next((i for i, (a, b) in enumerate(zip(ours, theirs)) if a != b),
                     min(len(ours), len(theirs)))
        raise ValueError(f"{library} would not give the same ids: {excerpt(text)} is encoded as "
                         f"{_around(ours, place)} here and as {_around(theirs, place)} there "
                         f"(ids {place} and on); the pattern or a special token means something "
                         f"else to that library")


def _around(ids: list[int], place: int) -> str:
    return str(ids[place : place + 5])


def uncovered(pattern: str) -> str | None:
    """A part of the texts that a pattern does not match: what it would leave out.

    >>> uncovered("[a-z]+|[^a-z]+"), uncovered("[^,]+")
    (None, ',')
    """
    compiled = check_pattern(pattern)
    for text in TEXTS:
        for gap in _gaps(compiled, text):
            if gap:
                return gap
    return None


def check_time(pattern: str) -> None:
    """An error if a pattern takes long on short texts: for those of files that `regex` has to run.

    It tries one way to match after the other, and there may be exponentially many. They show on
    texts that repeat one character, so each character that the pattern has is tried.

    >>> check_time(r"(?<!\\d)\\w+|[\\s\\S]")
    """
    compiled = check_pattern(pattern)
    characters = dict.fromkeys("a1 -é" + pattern[:_SAMPLE])
    start = process_time()
    for text in (*TEXTS, *(character * 1_000 + end for character in characters for end in "\0a")):
        for _ in _gaps(compiled, text):
            pass
        if process_time() - start > MAX_SECONDS:
            raise ValueError(f"the pattern {excerpt(pattern)} takes more than {MAX_SECONDS} "
                             f"seconds on texts of {len(text)} characters")


def _gaps(pattern: "regex.Pattern[str]", text: str) -> Iterator[str]:
    end = 0
    try:
        # A pattern from a file can take for ever on a short text.
        for match in pattern.finditer(text, timeout=MAX_SECONDS):
            yield text[end : match.start()]
            end = match.end()
    except TimeoutError:
        raise ValueError(f"the pattern {excerpt(pattern.pattern)} takes more than {MAX_SECONDS} "
                         f"seconds on a text of {len(text)} characters") from None
    yield text[end:]
