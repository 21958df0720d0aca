"""A first text for who has none: tales, letters and notes in real English words, of any size.

>>> from cs336_bpe.corpora.tales import tales
>>> print(tales(58_008)[57_925:])
Once upon a time there was a deer who lived in Swanover. At last he knew his broom.

The sentences make no sense, but each is one; nobody's text was used. A document has a hero, a
friend, a place and a theme that stay the same, and sentences with gaps for words. Words are drawn
as real ones are: the word of rank r about 1/r times as often as the first. The words of
`tales_words.py` come in all their forms (`carry`, `carries`, `carried`, `carrying`), and names,
places and numbers never come to an end, so that a longer text always has some that are new.

Unlike `generated.py`, this is not fitted to a real corpus, and no benchmark rests on it: it is for
people to look at. The same size and seed give the same text everywhere, and a smaller text is the
beginning of a larger one.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from itertools import chain, zip_longest
from random import Random
from struct import unpack

from cs336_bpe.corpora import tales_words as words
from cs336_bpe.corpora.drawing import bag, check_amount, mix, pieces
from cs336_bpe.rules import END_OF_TEXT

__all__ = ["stream", "tales"]

VOWELS = "aeiou"
MANY = 1 << 14  # names and numbers that a bag has
SHIFT = 4  # the first words are not quite as frequent as 1/rank says
LONGEST_NAME, LONGEST_ADJECTIVE = 10, 6  # letters: MacAshford, and oldness but no usefulness
FORGET_THEME = 3  # one of so many nouns of the theme is any noun

# What is the same in a whole document, and the character that stands for it until it is complete.
SAME = {name: chr(1 + number) for number, name in enumerate(
    ("hero", "friend", "place", "family", "He", "he", "his", "him"))}
HE = {"He": "He", "he": "he", "his": "his", "him": "him"}
RELATIVES = ("'s mother", "'s father", "'s sister", "'s brother", "'s aunt", "'s dog")
SHE = {"He": "She", "he": "she", "his": "her", "him": "her"}

A_BEFORE_VOWEL = re.compile(  # by the sound: an hour, a university, a useful one
    r"\b([Aa]) (?=[aeiou]|hour|honest|honour)(?!uni[vtf]|us[eu]|one\b|eu)")


# --- Forms of words --------------------------------------------------------------------------


def doubles(verb: str) -> bool:
    """Whether the last letter is doubled before -ed and -ing: one vowel, then one consonant.

    >>> [verb for verb in ("stop", "play", "help", "mix", "open", "rain") if doubles(verb)]
    ['stop']
    """
    return bool(re.fullmatch(r"[^aeiou]*(?:qu)?[aeiou][^aeiouwxy]", verb))


def with_ending(word: str, ending: str) -> str:
    """
    >>> [with_ending(*pair) for pair in (("carry", "ed"), ("bake", "ing"), ("stop", "er"),
    ...                                  ("happy", "ness"), ("play", "ed"), ("tie", "ing"))]
    ['carried', 'baking', 'stopper', 'happiness', 'played', 'tying']
    """
    if ending[0] in VOWELS and doubles(word):
        return word + word[-1] + ending
    if word.endswith("ie") and ending == "ing":
        return word[:-2] + "ying"
    if word.endswith("e") and ending[0] in VOWELS and not word.endswith(("ee", "ye")):
        return word[:-1] + ending
    if word.endswith("y") and word[-2:-1] not in VOWELS and ending[0] != "i":
        return word[:-1] + "i" + ending
    return word + ending


def plural(noun: str) -> str:
    """
    >>> [plural(noun) for noun in ("dog", "box", "berry", "boy", "child", "watch")]
    ['dogs', 'boxes', 'berries', 'boys', 'children', 'watches']
    """
    if noun in words.PLURALS:
        return words.PLURALS[noun]
    if noun.endswith(("s", "x", "z", "ch", "sh")):
        return noun + "es"
    if noun.endswith("y") and noun[-2] not in VOWELS:
        return noun[:-1] + "ies"
    return noun + "s"


def past(verb: str) -> str:
    return words.IRREGULAR[verb][0] if verb in words.IRREGULAR else with_ending(verb, "ed")


def participle(verb: str) -> str:
    return words.IRREGULAR[verb][1] if verb in words.IRREGULAR else with_ending(verb, "ed")


def names(*forms: str) -> list[str]:
    """Names of people or places, made of two parts, in an order that looks like chance."""
    made = [form.format(first + second) for first in words.FIRST_PARTS
            for second in words.SECOND_PARTS for form in forms]
    made = [name for name in made if len(name) <= LONGEST_NAME]
    return sorted(made, key=lambda name: mix(int.from_bytes(name.encode(), "big")))


# --- Bags to draw from -----------------------------------------------------------------------


def zipf_bag(ranked: Iterable[str]) -> list[str]:
    """Words in the order of their ranks, to draw from."""
    unique = dict.fromkeys(ranked)
    return bag([(word, 10**9 // (rank + SHIFT)) for rank, word in enumerate(unique)])


def long_tail(ranked: list[str]) -> list[str]:
    """The same, but every second draw takes any of them: what is new never ends soon."""
    filled = zipf_bag(ranked)
    filled[::2] = (ranked * (len(filled) // 2 // len(ranked) + 1))[: len(filled) // 2]
    return filled


def numbers(make: Callable[[int], str]) -> list[str]:
    """So many different ones, all equally frequent; what they are is made from a hash."""
    return [make(mix(place)) for place in range(MANY)] * (65_536 // MANY)


@lru_cache(maxsize=1)
def bags() -> dict[str, list[str]]:
    """By the names that stand in the sentences."""
    themes = {name: text.split() for name, text in words.NOUNS.items()}
    nouns = [noun for rank in zip_longest(*themes.values()) for noun in rank if noun]
    counted = [noun for noun in nouns if noun not in words.UNCOUNTED]
    verbs, alone = words.VERBS, words.VERBS_ALONE
    surnames = names("{}", "{}s", "{}son", "Mac{}")
    people = [noun for noun in themes["people"] if noun not in ("crowd", "family", "team", "class")]
    first_names = [name for pair in zip(words.GIRLS, words.BOYS) for name in pair]
    made = {
        "n": counted, "ns": map(plural, counted), "a": words.ADJECTIVES, "a2": words.ADJECTIVES,
        "v": verbs, "past": map(past, verbs), "part": map(participle, verbs),
        "ing": (with_ending(verb, "ing") for verb in verbs), "i": alone,
        "pasti": map(past, alone), "pasti_part": map(participle, alone),
        "ingi": (with_ending(verb, "ing") for verb in alone), "adv": words.ADVERBS,
        "person": people, "people": map(plural, people), "animal": themes["animals"],
        "food": themes["food"], "nature": themes["nature"],
        "town": ["village", "town", "city", "castle", "market", "harbour", "valley", "kingdom"],
        "season": ["summer", "winter", "spring", "autumn"],
        "time": ["day", "night", "morning", "evening", "week", "summer", "winter", "afternoon"],
        "num": words.NUMBERS, "Num": (word.capitalize() for word in words.NUMBERS),
        "girl": words.GIRLS, "boy": words.BOYS, "friend": first_names[::-1],
        "month": words.MONTHS, "weekday": words.WEEKDAYS, "title": words.TITLES,
        "hour": map(str, range(1, 13)), "minute": (f"{minute:02}" for minute in range(60)),
        "page": map(str, range(1, 800)), "percent": (f"{tenths / 10}" for tenths in range(999)),
        "nl": (f"{noun}less" for noun in counted),
        "reparted": (f"re{participle(verb)}" for verb in verbs if verb[0] not in VOWELS),
        "un": (f"un{participle(verb)}" for verb in verbs if not verb.startswith("un")),
        "ness": (with_ending(word, "ness") for word in words.ADJECTIVES
                 if len(word) <= LONGEST_ADJECTIVE and not word.endswith(("ing", "ed", "en"))),
        "er": (with_ending(verb, "er") for verb in verbs),
    }
    filled = {name: zipf_bag(ranked) for name, ranked in made.items()}
    filled |= {
        "surname": long_tail(surnames), "place": long_tail(names("{}")),
        "name": numbers(lambda h: f"{first_names[h % len(first_names)]} "
                        f"{surnames[h // 999 % len(surnames)]}"),
        "order": numbers(lambda h: str(h % 10 ** (3 + h // 64 % 6))),
        "year": numbers(lambda h: str(2030 - h % (30 + h // 64 % 900))),
        "count": numbers(lambda h: f"{h % 10 ** (2 + h // 64 % 6):,}"),
        "price": numbers(lambda h: f"{h % 10 ** (1 + h // 64 % 4)}.{h // 4096 % 20 * 5:02}"),
        "weight": numbers(lambda h: f"{h % 90}.{h // 4096 % 10}"),
    }
    for theme, listed in themes.items():
        own = [noun for noun in listed if noun not in words.UNCOUNTED]
        mixed = zipf_bag(own)
        mixed[::FORGET_THEME] = filled["n"][::FORGET_THEME]
        filled[f"t {theme}"] = mixed
        singular = {noun: plural(noun) for noun in counted}
        filled[f"ts {theme}"] = [singular[noun] for noun in mixed]
    return filled


# --- Sentences -------------------------------------------------------------------------------

Sentence = tuple[str, tuple[str, ...]]  # a format for %, and the bags for its gaps


def compiled(text: str) -> list[Sentence]:
    """
    >>> compiled("{He} {past} the {n}./It's {a_a} {t}.")[1]
    ("It's a %s %s.", ('a', 't'))
    """
    text = text.replace("{hero} {family}", "{hero}{family}").replace("%", "%%")
    text = text.replace("{a_a}", "a {a}").replace("{A_a}", "A {a}").replace("{an}", "a")
    for name, character in SAME.items():
        text = text.replace(f"{{{name}}}", character)
    gap = re.compile(r"\{(\w+)\}")
    sentences = []
    for sentence in text.split("/"):
        whole = " ".join(sentence.split()).replace("|", "\n")
        sentences.append((gap.sub("%s", whole), tuple(gap.findall(whole))))
    return sentences


@lru_cache(maxsize=1)
def sentences() -> dict[str, list[Sentence]]:
    return {name: compiled(getattr(words, name)) for name in (
        "OPENINGS", "TELLING", "TALKING", "CLOSINGS", "FACTS", "LETTERS", "SIGNED")}


def one(rng: Random, choices: list[Sentence]) -> Sentence:
    return choices[int(rng.random() * len(choices))]


def paragraphs(rng: Random, *kinds: list[Sentence]) -> Iterator[Sentence]:
    """Sentences of one kind per paragraph."""
    for _ in range(1 + int(rng.random() * 7)):
        chosen = kinds[int(rng.random() * len(kinds))]
        yield from (one(rng, chosen) for _ in range(2 + int(rng.random() * 5)))
        yield "\n\n", ()


def outline(rng: Random) -> list[Sentence]:
    """The sentences of a document."""
    known = sentences()
    kind = int(rng.random() * 10)
    telling, talking, facts = known["TELLING"], known["TALKING"], known["FACTS"]
    if kind < 6:
        return [one(rng, known["OPENINGS"]), *paragraphs(rng, telling, talking, telling),
                one(rng, known["CLOSINGS"])]
    if kind < 9:
        return [*paragraphs(rng, facts), one(rng, facts)]
    return [one(rng, known["LETTERS"]), one(rng, telling), one(rng, facts), one(rng, telling),
            one(rng, known["SIGNED"])]


def document(rng: Random) -> str:
    """One document, with its end mark."""
    filled = bags()
    themes = list(words.NOUNS)
    theme = themes[int(rng.random() * len(themes))]
    parts = outline(rng)
    gaps = [f"{gap} {theme}" if gap in ("t", "ts") else gap
            for gap in chain.from_iterable(gaps for _, gaps in parts)]
    places = unpack(f"<{len(gaps)}H", rng.randbytes(2 * len(gaps)))
    text = " ".join([sentence for sentence, _ in parts])
    text = text.replace(" \n\n ", "\n\n").replace(" \n", "\n")
    text = text % tuple([filled[gap][place] for gap, place in zip(gaps, places)])
    is_girl = rng.random() < 0.5
    hero, friend, place = unpack("<3H", rng.randbytes(6))
    same = {
        "hero": filled["girl" if is_girl else "boy"][hero], "friend": filled["friend"][friend],
        "place": filled["place"][place],
        "family": RELATIVES[int(rng.random() * len(RELATIVES))], **(SHE if is_girl else HE)}
    for name, character in SAME.items():
        text = text.replace(character, same[name])
    return A_BEFORE_VOWEL.sub(r"\1n ", text) + f"\n{END_OF_TEXT}\n"


def stream(n_bytes: int, seed: int = 0) -> Iterator[str]:
    """Yield a text in pieces of about 1 MB, to write a large file with little memory.

    >>> sum(len(piece) for piece in stream(3_000_000))
    3000000
    """
    check_amount(n_bytes, seed)
    rng = Random(f"tales {seed}")
    return pieces(lambda: document(rng), n_bytes)


def tales(n_bytes: int, seed: int = 0) -> str:
    """So many bytes of tales, letters and notes, with `<|endoftext|>` after each.

    >>> tales(2_000, seed=1).startswith(tales(1_000, seed=1))
    True
    """
    return "".join(stream(n_bytes, seed))
