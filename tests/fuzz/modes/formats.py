"""Tokenizers saved in every format and loaded again; and the other libraries' ids."""

import shutil

from cs336_bpe import Tokenizer, load_tokenizer
from cs336_bpe.rules import GPT2_PATTERN, GPT4_PATTERN
from fuzz import texts
from fuzz.core import folder
from fuzz.modes.encode import make_tokenizer

FORMATS = ["own", "gpt2", "tiktoken", "huggingface"]
# The libraries have Unicode tables of other years. These characters are older than all of them.
PLAIN = ["a", "b", "ab", "low", " ", "  ", "\n", "é", "猫", "1", "12", "'s", "'ll", "!", "<|", "🙂",
         "."]
OPTIONS = {"numbering"}


def make(rng):
    merges = texts.merges(rng, 30)
    specials = [token for token in texts.special_tokens(rng, 4) if token.strip() == token]
    return {"merges": merges, "numbering": texts.numbering(rng), "specials": specials,
            "pattern": rng.choice([GPT2_PATTERN, GPT2_PATTERN, GPT4_PATTERN, r"\s+|\S+"]),
            "text": "".join(rng.choices([*PLAIN, *specials], k=rng.randrange(30)))}


def check(same, merges, numbering, specials, pattern, text):
    tokenizer, _ = make_tokenizer(merges, numbering, specials, pattern)
    expected = tokenizer.encode(text)
    for format in FORMATS:
        target = folder() / f"as_{format}"
        try:
            tokenizer.save(f"{target}/", format=format)
        except ValueError:
            if format == "own":
                raise
            continue  # it can't be written that way, and says so
        named = {} if format in ("own", "huggingface") else {
            "special_tokens": dict(tokenizer.special_tokens), "pattern": pattern}
        loaded = load_tokenizer(target, **named)
        same(loaded.model, tokenizer.model, f"loaded from {format}")
        same(loaded.encode(text), expected, f"encoded after loading {format}")
        shutil.rmtree(target)
    same(Tokenizer.from_model(tokenizer.model) == tokenizer, True, "from_model")
    check_library(same, tokenizer.to_tiktoken,
                  lambda theirs: theirs.encode(text, allowed_special="all"), expected, "tiktoken")
    check_library(same, tokenizer.to_huggingface, lambda theirs: theirs.encode(text).ids, expected,
                  "tokenizers")


def check_library(same, convert, encode, expected, name):
    """Their ids are ours, unless the tokenizer can't be theirs."""
    try:
        theirs = convert()
    except ValueError:
        return
    same(encode(theirs), expected, name)
