"""Texts in parts, cut anywhere, special tokens too: the ids of the whole text; and back."""

from fuzz import texts
from fuzz.core import outcome, pieces
from fuzz.modes.encode import make_tokenizer

OPTIONS = {"numbering", "some"}


def make(rng):
    merges = texts.merges(rng, 30)
    pattern = texts.pattern(rng)
    specials = texts.special_tokens(rng, 8)
    return {"merges": merges, "numbering": texts.numbering(rng), "specials": specials,
            "pattern": pattern, "parts": pieces(rng, texts.text(rng, specials, pattern=pattern)),
            "some": rng.randrange(8)}


def check(same, merges, numbering, specials, pattern, parts, some):
    tokenizer, _ = make_tokenizer(merges, numbering, specials, pattern)
    text = "".join(parts)
    for choice in "all", "none", "raise", set(specials[:some]):
        expected = outcome(lambda: tokenizer.encode(text, specials=choice))  # noqa: B023
        same(outcome(lambda: list(tokenizer.encode_iterable(parts, specials=choice))),  # noqa: B023
             expected, "encode_iterable")
        same(outcome(lambda: [number for ids in tokenizer.encode_arrays(parts, specials=choice)  # noqa: B023
                              for number in ids.tolist()]), expected, "encode_arrays")
    kind, ids = outcome(lambda: tokenizer.encode(text))
    if kind == "result":
        whole = tokenizer.decode(ids)
        same("".join(tokenizer.decode_iterable(ids)), whole, "decode_iterable of a list")
        same("".join(tokenizer.decode_iterable(iter(ids))), whole, "decode_iterable")
