"""Every stage of encoding, and every way that a Tokenizer has, against the definition."""

import numpy
from tokenizer.oracle import Oracle

from cs336_bpe import Tokenizer, stages
from cs336_bpe.patterns.known import is_same
from cs336_bpe.rules import GPT2_PATTERN
from cs336_bpe.tokenizer import parallel
from cs336_bpe.tokenizer.engine import SMALLEST_CACHE_BYTES
from fuzz import texts
from fuzz.core import outcome, pieces, setting

DEFINITION, *OTHERS = stages.ladder("encode")
OPTIONS = {"numbering", "small_cache", "workers", "part_bytes", "some"}


def make(rng):
    merges = texts.merges(rng)
    pattern = texts.pattern(rng)
    specials = texts.special_tokens(rng)
    whole = texts.text(rng, specials, pattern=pattern)
    return {"merges": merges, "numbering": texts.numbering(rng), "specials": specials,
            "pattern": pattern, "parts": pieces(rng, whole)[:50],
            "wrong": texts.data(rng, specials, 10),
            "small_cache": rng.random() < 0.3, "workers": rng.choice([1, 2, 3]),
            "part_bytes": rng.choice([1, 2, 5, 50, 1000]), "some": rng.randrange(6)}


def make_tokenizer(merges, numbering, specials, pattern, small_cache=False):
    """A tokenizer, and the definition of it."""
    tokens = [bytes([byte]) for byte in range(256)] + [left + right for left, right in merges]
    vocab = dict(zip(texts.ids(numbering, len(tokens)), tokens))
    options = {"cache_bytes": SMALLEST_CACHE_BYTES} if small_cache else {}
    tokenizer = Tokenizer(vocab, merges, specials, pattern=pattern, unmatched="keep", **options)
    # A special token that is learned too, or a byte, gets the same id or one of its own.
    ids = dict(tokenizer.special_tokens)
    ordinary = {number: token for number, token in tokenizer.vocab.items()
                if number not in ids.values() or vocab.get(number) == token}
    oracle = Oracle(ordinary, merges, {}, pattern)
    oracle.special_ids = ids
    return tokenizer, oracle


def check(same, merges, numbering, specials, pattern, parts, wrong, small_cache, workers,
          part_bytes, some):
    tokenizer, oracle = make_tokenizer(merges, numbering, specials, pattern, small_cache)
    text = "".join(parts)
    check_stages(same, merges, oracle, text, pattern)
    chosen = specials[:some]
    broken = wrong.decode("utf-8", "surrogateescape")
    choices = [("all", None), ("none", ()), (set(chosen), chosen)]
    for choice, recognised in choices:
        expected = oracle.encode(text, recognised)
        check_ways(same, tokenizer, text, choice, expected, workers, part_bytes)
        lists = [oracle.encode(part, recognised) for part in parts]
        same(tokenizer.encode_batch(parts, workers=workers, specials=choice), lists, "encode_batch")
        ids, offsets = tokenizer.encode_batch_arrays(parts, workers=workers, specials=choice)
        same([ids[start:stop].tolist() for start, stop in zip(offsets, offsets[1:])], lists,
             "encode_batch_arrays")
        expected = oracle.encode(broken, recognised)
        same(tokenizer.encode_array(wrong, specials=choice).tolist(), expected, "invalid bytes")
        same(tokenizer.decode_bytes(expected), wrong, "invalid bytes, back")
    has_one = any(token in text for token in specials)
    same(outcome(lambda: tokenizer.encode(text, specials="raise")),
         ("error", "ValueError") if has_one else ("result", oracle.encode(text)), "raise")


def check_stages(same, merges, oracle, text, pattern):
    ordinary = {oracle.ids[token]: token for token in oracle.ids}
    encoders = [(stage, stage.load().Encoder(ordinary, merges)) for stage in OTHERS]
    pretokens = list(dict.fromkeys(piece for piece in oracle.pretokens(text, ())))[:40]
    for pretoken in pretokens:
        if pretoken:
            for stage, encoder in encoders:
                found = encoder.encode_pretoken(pretoken)
                same(found, oracle.encode_pretoken(pretoken), stage.name)
    if is_same(pattern, GPT2_PATTERN):
        expected = oracle.encode(text, ())
        for stage, encoder in encoders:
            if stage.whole_texts:
                same(encoder.encode_text(text.encode()), expected, f"{stage.name}, whole text")


def check_ways(same, tokenizer, text, choice, expected, workers, part_bytes):
    data = text.encode()
    same(tokenizer.encode(text, specials=choice), expected, "encode")
    same(tokenizer.encode(text, specials=choice), expected, "encode again")
    for way in text, data, bytearray(data), memoryview(b"." + data)[1:]:
        same(tokenizer.encode_array(way, specials=choice).tolist(), expected,
             f"encode_array of a {type(way).__name__}")
    wide = tokenizer.encode_array(text, numpy.int64, specials=choice)
    same((wide.dtype.name, wide.tolist()), ("int64", expected), "encode_array, int64")
    with setting(parallel, "PART_BYTES", part_bytes):
        same(tokenizer.encode_array(data, specials=choice, workers=workers).tolist(), expected,
             "encode_array in parts")
    same(tokenizer.count(text, specials=choice), len(expected), "count")
    found = tokenizer.pretokens(text, specials=choice)
    same([number for ids, _ in found for number in ids], expected, "pretokens")
    if len(text) < 200:
        same([number for piece in tokenizer.explain(text, specials=choice) for number in piece.ids],
             expected, "explain")
    same(tokenizer.decode(expected), text, "decode")
