"""Texts on which patterns disagree: contractions, white space, digits, marks, case, scripts."""

import random

import numpy as np

PIECES = ["'", "'s", "'S", "'ſ", "'ll", "'LL", "'lL", "'Ve", "'re", "'d", "'x", "’s", "''", " '",
          " ", "  ", "   ", "\n", "\r", "\r\n", "\n\n", "\n ", " \n", "\t", "\x0b", "\x0c", "\x1c",
          "\x1f", "\x85", "\xa0", "\u1680", "\u2003", "\u2028", "\u202f", "\u205f", "\u3000",
          "\u200b", "\u180e", "\ufeff", "\x00", "\x7f", "\xad", "a", "b", "s", "ss", "Z", "AB",
          "aB", "Ab", "é", "É", "ß", "ſ", "K", "İ", "ı", "ǅ", "ʰ", "ª", "ж", "Ж", "猫", "の",
          "ア", "ー", "゛", "\u3040", "e\u0301", "\u0301", "\u0903", "\u20dd", "0", "1",
          "12", "123", "1234", "²", "½", "٣", "Ⅷ", "!", "-", "--", "/", "//", "…", "€", "^", "`",
          "_", "🙂", "👩\u200d🔬", "\U0001F1E9", "\U000e0001", "\ue000", "\uffff", "𝒳", "𞤀",
          "don't", "we'll", "I'M", "x/\n"]


def random_text(rng: random.Random, most: int = 40) -> str:
    parts = rng.choices(PIECES, k=rng.randrange(most))
    if rng.random() < 0.2:
        parts += [chr(rng.choice([rng.randrange(0xD800), rng.randrange(0xE000, 0x110000)]))
                  for _ in range(5)]
        rng.shuffle(parts)
    return "".join(parts)


def starts_without_gaps(split, text):
    """Where the matches of a pattern of `regex` start, in bytes, if they cover the text: a pretoken
    starts where one ends. (In a text of a million characters, asking each match takes longest.)"""
    points = np.frombuffer(text.encode("utf-32-le"), np.uint32)
    bytes_before = np.zeros(len(points) + 1, np.uint64)
    np.cumsum(1 + (points >= 0x80) + (points >= 0x800) + (points >= 0x10000), out=bytes_before[1:])
    lengths = np.fromiter(map(len, split.findall(text)), np.int64)
    ends = np.cumsum(lengths)
    return bytes_before[np.concatenate([[0], ends[:-1]])[: len(lengths)]]
