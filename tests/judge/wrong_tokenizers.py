"""Tokenizers that are wrong on purpose, each in one way. Run by the sandbox, not by pytest."""

import time

from cs336_bpe import Tokenizer
from cs336_bpe.judge.encoding_mistakes import RIGHT as RIGHT_HABITS
from cs336_bpe.judge.encoding_mistakes import Habits, encode
from cs336_bpe.judge.probes import EncodingProbe

Right = Tokenizer


class WithoutStream:
    def __init__(self, vocab, merges, special_tokens=None):
        self.inner = Tokenizer(vocab, merges, special_tokens)

    def encode(self, text):
        return self.inner.encode(text)

    def decode(self, ids):
        return self.inner.decode(ids)


class LosesABlank(WithoutStream):
    """At the end of each part of a stream."""

    def encode_iterable(self, parts):
        for part in parts:
            yield from self.inner.encode(part.rstrip(" "))


class Quadratic(WithoutStream):
    def encode(self, text):
        rest = text
        while len(rest) > 10:
            rest = rest[:1] + rest[2:]  # as long as the text, at every step
            rest = "".join([*rest])
        return self.inner.encode(text)


class StallsOnce(WithoutStream):
    stalled = False

    def encode(self, text):
        if len(text) > 50_000 and not StallsOnce.stalled:
            StallsOnce.stalled = True
            time.sleep(0.5)  # as if the machine did something else
        return self.inner.encode(text)


class DecodesOneByOne(WithoutStream):
    def decode(self, ids):
        return "".join(self.inner.decode([number]) for number in ids)


class GivesStrings(WithoutStream):
    def encode(self, text):
        return [str(number) for number in self.inner.encode(text)]


class Raises(WithoutStream):
    def encode(self, text):
        raise NotImplementedError


class NeedsFourArguments:
    def __init__(self, vocab, merges, special_tokens, more):
        pass


class Wrong:
    """With the habits that a subclass has."""

    habits: Habits = RIGHT_HABITS

    def __init__(self, vocab, merges, special_tokens=None):
        self.inner = Tokenizer(vocab, merges, special_tokens)

    def encode(self, text):
        return encode(EncodingProbe("", "", [text]), self.habits)

    def encode_iterable(self, parts):
        return encode(EncodingProbe("", "", list(parts), True), self.habits)

    def decode(self, ids):
        return self.inner.decode(ids)


class NoContractions(Wrong):
    habits = Habits(pattern="no contractions")


class PartByPart(Wrong):
    habits = Habits(stream="part by part")
