"""Generated text with the statistics of real corpora: no download, no licence, any size.

Two kinds: ``stories`` (stories for children) and ``web`` (articles, manuals and some mark-up).

>>> from cs336_bpe.corpora.generated import stories
>>> text = stories(1_000, seed=0)
>>> len(text.encode()), stories(2_000, seed=0).startswith(text)  # a smaller one begins a larger
(1000, True)

A document is made in three steps:

1. *Words.* A word is known by its rank 1, 2, 3 ... in a long lexicon, and spelled by a function of
   the rank alone. Frequent words are drawn one by one. Rare words are the "topics" of their
   document: drawn a few at a time and then repeated, as a new name is in real text.
2. *Gaps.* What stands between two words: a space, a comma, a new paragraph, a tag ...
3. *Capitals* after the gaps that end a sentence.

How often a rank is drawn is given by *octaves*: entry k is the share of the ranks from 2**k to
2**(k+1) - 1. The tables were counted in 21 MB of stories and 99 MB of web text and then adjusted by
trial until the generated text matched them (`benchmarks/run_corpora.py` has the comparison); no
real text is kept here. Only integers and correctly rounded float operations (+ * / sqrt) are used,
so a (kind, n_bytes, seed) gives the same text with every Python and on every machine.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import lru_cache, partial
from itertools import chain
from math import sqrt
from random import Random

from cs336_bpe.corpora import generated_tables as tables
from cs336_bpe.corpora.drawing import bag, check_amount, draw, mix, pieces, zipf
from cs336_bpe.rules import END_OF_TEXT

__all__ = ["stories", "stream", "web"]

_CAPITAL = "\x01"  # in a gap: the next word gets a capital


@lru_cache(maxsize=1 << 16)
def _stem(i: int, short: int = 0) -> str:
    """Stem number i: one to three syllables, more for a larger i, fewer if ``short`` is larger."""
    h, out = mix(i), ""
    for first, sides in ((5, 13), (12, 20)):  # a second syllable from 2**5 on, a third from 2**12
        h, dice = divmod(h, sides)
        if dice < i.bit_length() - first - short:
            h, onset = divmod(h, len(tables.ONSET))
            h, vowel = divmod(h, len(tables.VOWEL))
            out += tables.ONSET[onset] + tables.VOWEL[vowel]
    h, onset = divmod(h, len(tables.ONSET))
    return out + tables.ONSET[onset] + tables.RHYME[h % len(tables.RHYME)]


def _join(stem: str, suffix: str) -> str:
    """English spelling at the seam: hope + ing -> hoping, happy + ness -> happiness."""
    if stem[-1] == "e" and suffix[:1] in ("a", "e", "i", "y"):
        stem = stem[:-1]
    elif stem[-1] == "y" and suffix not in ("", "ing"):
        stem = stem[:-1] + ("ie" if suffix == "s" else "i")
    return stem + suffix


def _word(rank: int, short: int = 0) -> str:
    """An ordinary word: four forms share a stem; of 16 rare words, 6 reuse a more frequent stem."""
    h, dice = divmod(mix(rank), 16)
    family, form = divmod(rank, 4)
    if rank < 2048 or dice < 10:
        return _join(_stem(family, short), tables.FORMS[mix(-family) % len(tables.FORMS)][form])
    h, suffix = divmod(h, len(tables.SUFFIX))
    h, reused = divmod(h, rank >> 4)
    first = tables.PREFIX[h % len(tables.PREFIX)] if dice < 14 else _stem(h % 512)
    return _join(first + _stem(reused, short), tables.SUFFIX[suffix])


def _name(rank: int, upper: int, camel: int, script: int, accent: int) -> str:
    """A name. Of 1000, so many are: ABC, CamelCase, (rare ones) in another script, accented."""
    h, dice = divmod(mix(rank + (1 << 40)), 1000)
    if dice < upper:
        h, third = divmod(h, 3)
        if third == 0:
            return _stem(rank >> 3).upper()
        return "".join([chr(65 + (h >> 5 * k) % 26) for k in range(2 + h % 4)])
    if dice < (camel := upper + camel):
        parts = [_stem((h >> 9 * k) % 512).capitalize() for k in range(2 + h % 2)]
        return "".join(parts) if h % 5 else "".join([parts[0].lower(), *parts[1:]])
    rare = rank >= 4096
    if rare and dice < camel + script:
        h, script = divmod(h, len(tables.SCRIPTS))
        start, count = tables.SCRIPTS[script]
        squares = [(h >> 6 * k & 1023) ** 2 for k in range(2 + h % 5)]  # early letters more often
        return "".join([chr(start + (square * count >> 20)) for square in squares])
    word = _join(_stem(rank >> 1, 1), tables.NAME_END[h % len(tables.NAME_END)]).capitalize()
    if rare and dice < camel + script + accent:
        word = word[:1] + word[1:3].translate(tables.ACCENT) + word[3:]
        return word if h % 16 else word.encode().decode("latin-1")  # some are wrongly decoded
    return word


def _number(rank: int) -> str:
    """1, 2, 3 ...; then years, decimals, thousands, dates and other digits."""
    if rank < 32:
        return str(rank)
    h, dice = divmod(mix(rank), 16 if rank < 512 else 32)
    if dice < 5:
        return str(2024 - h % rank % 300)
    if dice < 8:
        return f"{h % 30}.{h // 30 % 100}"
    if dice < 10:
        return f"{h % 90},{h // 90 % 1000:03}"
    if dice < 11:
        return f"{1990 + h % 30}-{1 + h // 30 % 12:02}-{1 + h // 360 % 28:02}"
    return str(h // 8 % 10 ** (2 + h % min(rank.bit_length() - 3, 7)))


@lru_cache(maxsize=1 << 16)
def _run(rank: int) -> str:
    """A gap of white space, of one mark repeated, of symbols or of mixed marks."""
    h, dice = divmod(mix(rank + (1 << 42)), 32)
    if dice < 3:
        return "\n" * (1 + h % 2) + " " * (h // 2 % min(4 + rank // 64, 190))
    if dice < 5:
        return " " + tables.MARKS[h % 5] * (2 + h // 5 % min(4 + rank // 16, 60)) + "\n"
    marks, slow = (tables.SYMBOLS[: 14 + rank // 64], 8) if dice < 8 else (tables.MARKS, 3)
    size = 1 + h % (1 + rank.bit_length() // slow)
    out = "".join([marks[(h >> 5 * k) % len(marks)] for k in range(size)])
    return ("", " ", "")[h % 3] + out + ("", " ", "\n")[h // 3 % 3]


class _Lexicon(dict[int, str]):
    """Words by rank; a word that is not listed is spelled when it is first asked for.

    The words of the first ``head`` octaves are drawn one by one; the later ones are "rare".
    """

    def __init__(
        self, listed: list[str], spell: Callable[[int], str], octaves: tuple[int, ...], head: int
    ) -> None:
        super().__init__(enumerate(listed, 1))
        self.spell, self.octaves, self.head = spell, octaves, head

    def __missing__(self, rank: int) -> str:
        self[rank] = word = self.spell(rank)
        return word


class _Style:
    """One way of writing.

    ``lexicons`` come with their shares of the words. Of 100 rare words, ``fresh`` are new topics
    of the document and the others repeat one; of 100 sentences, ``started`` begin with one of the
    57 most frequent words, the others with any word.
    """

    def __init__(
        self,
        lexicons: list[tuple[int, _Lexicon]],
        gaps: dict[str, int],
        lengths: tuple[int, ...],
        fresh: int,
        started: int,
    ) -> None:
        words: list[tuple[str, int]] = []
        rare: list[tuple[tuple[_Lexicon, int], int]] = []
        for share, lexicon in lexicons:
            for k, octave in enumerate(lexicon.octaves):
                weight = share * octave * 10**9 // sum(lexicon.octaves)
                if k < lexicon.head:
                    words += [(lexicon[r], w) for r, w in zipf(weight, range(1 << k, 2 << k))]
                else:
                    rare.append(((lexicon, 1 << k), weight))
        words.append(("", sum(weight for _, weight in rare)))  # "" stands for any rare word
        separators: list[tuple[str, int]] = []
        for gap, weight in gaps.items():
            if gap.endswith("^"):
                separators.append((gap[:-1] + _CAPITAL, weight * (100 - started)))
                for r, w in zipf(weight * started, range(3, 60)):
                    starter = lexicons[0][1][r - 2].capitalize()
                    separators.append((gap[:-1] + starter + " ", w))
            else:
                separators.append((gap, weight * 100))
        self.words, self.gaps, self.rare = bag(words), bag(separators), bag(rare)
        self.lengths, self.fresh = lengths, fresh

    def document(self, rng: Random) -> str:
        """One document, with its end mark."""
        place = rng.random() * (len(self.lengths) - 1)
        shortest, longest = self.lengths[int(place)], self.lengths[int(place) + 1]
        n = shortest + int((place - int(place)) * (longest - shortest))
        words, gaps = draw(rng, self.words, n), draw(rng, self.gaps, n)
        if slots := words.count(""):
            topics = []
            for lexicon, first in draw(rng, self.rare, 1 + slots * self.fresh // 100):
                u = rng.random()  # u (u + 2) / 3: nearly 1/rank within the octave
                topics.append(lexicon[first + int(first * (u * (u + 2.0) / 3.0))])
            few = len(topics) / 4  # a quarter of the topics comes back, the first ones most often
            while len(topics) < slots:
                u = rng.random()
                topics.append(topics[int(few * (u * u))])
            fill = chain.from_iterable(topics[k::7] for k in range(7))  # dealt out in seven piles
            words = [word or next(fill) for word in words]
        if "" in gaps:  # rank > r with probability (20/r)**(2/3): always something new
            gaps = [g or _run(int(20.0 / ((u := rng.random()) * sqrt(u) + 1e-9))) for g in gaps]
        gaps[-1] = ".\n" + END_OF_TEXT + "\n"
        text = [""] * (2 * n)
        text[::2], text[1::2] = words, gaps
        return "".join([s[:1].upper() + s[1:] for s in "".join(text).split(_CAPITAL)])


@lru_cache(maxsize=2)
def _styles(kind: str) -> list[_Style]:
    """The styles of a corpus, each as many times as its share of the documents."""
    if kind == "stories":
        low = _Lexicon(tables.STORY_WORDS, partial(_word, short=3), tables.STORY_LOW, head=11)
        spell = partial(_name, upper=60, camel=8, script=10, accent=20)
        name = _Lexicon(tables.STORY_NAMES, spell, tables.STORY_NAME, head=8)
        number = _Lexicon([], _number, tables.NUMBER, head=3)
        shares = [(953, low), (46, name), (1, number)]
        return [_Style(shares, tables.STORY_GAPS, tables.STORY_LENGTHS, fresh=53, started=60)]
    low = _Lexicon(tables.WEB_WORDS, _word, tables.WEB_LOW, head=11)
    spell = partial(_name, upper=30, camel=6, script=20, accent=80)
    name = _Lexicon(tables.WEB_NAMES, spell, tables.WEB_NAME, head=9)
    number = _Lexicon([], _number, tables.NUMBER, head=7)
    shares = [(841, low), (138, name), (21, number)]
    prose = _Style(shares, tables.PROSE_GAPS, tables.WEB_LENGTHS, fresh=52, started=40)
    low = _Lexicon(tables.WEB_WORDS, _word, tables.CODE_LOW, head=11)
    spell = partial(_name, upper=300, camel=250, script=2, accent=10)
    name = _Lexicon([], spell, tables.WEB_NAME, head=9)
    shares = [(670, low), (240, name), (90, number)]
    code = _Style(shares, tables.CODE_GAPS, tables.WEB_LENGTHS, fresh=50, started=10)
    return [prose] * 5 + [code]


def stream(kind: str, n_bytes: int, seed: int = 0) -> Iterator[str]:
    """Yield a corpus in pieces of about 1 MB, to write a large file with little memory.

    >>> sum(len(piece) for piece in stream("stories", 3_000_000)) > 2_900_000
    True
    """
    if kind not in ("stories", "web"):
        raise ValueError(f"kind must be 'stories' or 'web', not {kind!r}")
    check_amount(n_bytes, seed)
    rng, styles = Random(f"{kind} {seed}"), _styles(kind)
    return pieces(lambda: styles[int(rng.random() * len(styles))].document(rng), n_bytes)


def stories(n_bytes: int, seed: int = 0) -> str:
    """Stories for children: n_bytes bytes in UTF-8 (up to 3 less: no character is cut).

    >>> stories(2_000_000).count(END_OF_TEXT) > 500
    True
    """
    return "".join(stream("stories", n_bytes, seed))


def web(n_bytes: int, seed: int = 0) -> str:
    """Articles, manuals and mark-up with names, numbers and other scripts; sizes as `stories`.

    >>> 9_997 <= len(web(10_000).encode()) <= 10_000
    True
    """
    return "".join(stream("web", n_bytes, seed))
