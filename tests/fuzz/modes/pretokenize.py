"""Every stage of pretokenization against `regex`: any pattern, block size, workers, errors."""

from collections import Counter

import regex

from cs336_bpe import count_pretokens_in, stages
from cs336_bpe.patterns.automaton import why_not
from cs336_bpe.rules import GPT2_PATTERN
from cs336_bpe.text.specials import pattern_of
from fuzz import texts
from fuzz.core import folder, outcome

LADDER = stages.ladder("pretokenize")
OPTIONS = {"errors", "workers", "processes", "block_bytes"}


def make(rng):
    pattern = texts.pattern(rng)
    specials = texts.special_tokens(rng)
    return {"data": texts.data(rng, specials, pattern=pattern), "specials": specials,
            "pattern": pattern, "errors": rng.choice(["strict", "replace", "ignore"]),
            "workers": rng.choice([1, 1, 2, 3]), "processes": rng.random() < 0.02,
            "block_bytes": rng.choice([1, 2, 3, 7, 16, 64, 100, 1000, 1 << 20])}


def counted(data, specials, pattern, errors):
    """The definition once more, without a line of the package's."""
    text = data.decode("utf-8", errors)
    documents = regex.split(pattern_of(specials), text) if specials else [text]
    found = Counter(match.group().encode() for document in documents
                    for match in regex.finditer(pattern, document))
    del found[b""]
    return dict(found)


def check(same, data, specials, pattern, errors, workers, processes, block_bytes):
    path = folder() / "text.txt"
    path.write_bytes(data)
    reason = why_not(pattern)
    expected = outcome(lambda: counted(data, specials, pattern, errors))

    def count(function, *arguments, **options):
        def call():
            counts = dict(function(*arguments, specials, pattern=pattern, errors=errors, **options))
            counts.pop(b"", None)
            return counts
        return outcome(call)

    for stage in LADDER:
        if not stage.any_pattern and (reason if stage.automata else pattern != GPT2_PATTERN):
            continue
        if stage.parallel and not stage.compiled and not processes:
            continue
        options = {"workers": workers if stage.parallel else 1, "block_bytes": block_bytes}
        same(count(stage.load().count_pretokens, path, **options), expected, stage.name)
    if not reason:
        same(count(count_pretokens_in, data, workers=workers), expected, "count_pretokens_in")
