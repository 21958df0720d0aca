"""Every stage of decoding against joining tokens: ids of any kind, known and unknown."""

from array import array

import numpy

from cs336_bpe import stages
from fuzz import texts
from fuzz.core import outcome

LADDER = stages.ladder("decode")
WIDTHS = ["uint8", "int8", "uint16", "int16", "uint32", "int32", "uint64", "int64", ">u2", ">i8"]
OPTIONS = {"dtype", "errors"}


def make(rng):
    tokens = [texts.data(rng, most=rng.choice([2, 6, 30])) or b"x"
              for _ in range(rng.randrange(1, 30))]
    vocab = dict(zip(texts.ids(texts.numbering(rng), len(tokens)), tokens))
    ids = rng.choices(list(vocab), k=rng.choice([0, 1, 5, 40, 400]))
    if rng.random() < 0.2:
        ids.insert(rng.randrange(len(ids) + 1), rng.choice([-1, 2**31, 2**32 + 1, 2**64, 29, 300]))
    return {"vocab": vocab, "ids": ids, "dtype": rng.choice(WIDTHS),
            "errors": rng.choice(["replace", "ignore", "strict", "surrogateescape"])}


def check(same, vocab, ids, dtype, errors):
    known = all(number in vocab for number in ids)
    joined = b"".join(vocab.get(number, b"") for number in ids)
    expected = ("result", joined) if known else ("error", "ValueError")
    text = outcome(lambda: joined.decode("utf-8", errors)) if known else expected
    limits = numpy.iinfo(dtype)
    ways = [ids, tuple(ids)]
    if all(limits.min <= number <= limits.max for number in ids):
        row = numpy.array(ids, dtype)
        ways += [row, numpy.repeat(row, 2)[::2]]
        if dtype[0] != ">":
            ways += [memoryview(row), array(row.dtype.char, row.tolist())]
    for stage in LADDER:
        decoder = stage.load().Decoder(vocab)
        for way in ways:
            what = f"{stage.name} of a {type(way).__name__}"
            same(outcome(lambda: decoder.decode_bytes(way)), expected, what)  # noqa: B023
            same(outcome(lambda: decoder.decode(way, errors)), text, f"{what}, text")  # noqa: B023
        same(outcome(lambda: decoder.decode_bytes(iter(ids))), expected, stage.name)  # noqa: B023
