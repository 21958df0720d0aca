"""A reader's trainer, judged: `run_train_bpe(input_path, vocab_size, special_tokens)`.

It is run on small texts, each about one rule, and what it returns is compared with the definition.
If something differs, the mistakes that people make are made on purpose (`mistakes.py`): if one of
them, or two together, give the same wrong merges on every text, that is the diagnosis.
"""

import os
import tempfile
import warnings
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cs336_bpe.judge.mistakes import RIGHT, apply, count, count_pairs, mistakes_of, suspects, train
from cs336_bpe.judge.probes import TRAINING_PROBES, Probe
from cs336_bpe.judge.sandbox import Calls, Sandbox
from cs336_bpe.judge.verdict import Finding, Verdict, is_hopeless
from cs336_bpe.rules import EarlyStopWarning, Pair
from cs336_bpe.train import train_bpe


@dataclass
class Trained:
    """What a trainer returned, as far as it can be understood."""

    merges: list[Pair]
    tokens: Counter[bytes]
    ids: list[int]
    problems: list[str]


def training_calls(function: Any) -> Calls:
    """What the sandbox can call: the trainer, with its result made plain."""
    def call(path: str, vocab_size: int, specials: list[str]) -> Trained:
        return understood(function(path, vocab_size, specials))
    return {"train": call}


def understood(result: Any) -> Trained:
    """What a trainer returned, with everything that is wrong about its form.

    >>> understood(({0: b"a"}, [(b"a", b"b")])).problems
    []
    >>> understood([1]).problems
    ['it returned a list; it must return a tuple (vocab, merges)']
    """
    problems: list[str] = []
    if not isinstance(result, tuple) or len(result) != 2:
        kind = (f"a tuple of {len(result)}" if isinstance(result, tuple)
                else f"a {type(result).__name__}")
        return Trained([], Counter(), [], [f"it returned {kind}; it must return a tuple "
                                           f"(vocab, merges)"])
    vocab, merges = result
    ids: list[int] = []
    tokens: list[bytes] = []
    if not isinstance(vocab, dict):
        problems.append(f"vocab is a {type(vocab).__name__}; it must be a dict from ids (int) to "
                        f"tokens (bytes)")
        if isinstance(vocab, (list, tuple)):
            tokens = [token for token in vocab if isinstance(token, bytes)]
    else:
        keys = {type(key).__name__ for key in vocab} - {"int"}
        values = {type(value).__name__ for value in vocab.values()} - {"bytes"}
        if keys == {"bytes"} and values == {"int"}:
            problems.append("vocab maps tokens to ids; it must map ids to tokens")
            vocab = {number: token for token, number in vocab.items()}
        elif keys or values:
            problems.append(f"vocab has {', '.join(sorted(keys | values))} in it; it must map int "
                            f"to bytes")
        ids = [key for key in vocab if isinstance(key, int)]
        tokens = [token for token in vocab.values() if isinstance(token, bytes)]
    pairs: list[Pair] = []
    if not isinstance(merges, list):
        problems.append(f"merges is a {type(merges).__name__}; it must be a list of pairs of bytes")
    try:
        for merge in merges:
            left, right = merge
            if not (isinstance(left, bytes) and isinstance(right, bytes)):
                problems.append(f"merges[{len(pairs)}] is {merge!r}; it must be a pair of bytes")
                break
            if not isinstance(merge, tuple):
                problems.append(f"merges[{len(pairs)}] is a {type(merge).__name__}; it must be a "
                                f"tuple") if not pairs else None
            pairs.append((left, right))
    except (TypeError, ValueError):
        problems.append(f"merges[{len(pairs)}] is not a pair")
    return Trained(pairs, Counter(tokens), ids, problems)


def judge_trainer(name: str, *, seconds: float = 10.0, megabytes: int = 1000) -> Verdict:
    """Judge `module:function` on the probes."""
    verdict = Verdict(name)
    results: list[tuple[Probe, Trained]] = []
    with (Sandbox(name, training_calls, seconds=seconds, megabytes=megabytes) as sandbox,
          tempfile.TemporaryDirectory() as folder):
        path = Path(folder, "probe.txt")
        for probe in TRAINING_PROBES:
            path.write_bytes(probe.text.encode())
            outcome = sandbox.call("train", os.fspath(path), probe.vocab_size, probe.specials)
            verdict.num_probes += 1
            if not outcome.is_done:
                verdict.findings.append(Finding(probe.about, probe.rule, outcome.problem))
                if is_hopeless(outcome, verdict):
                    break
                continue
            right = definition(path, probe)
            results.append((probe, outcome.value))
            words = difference(outcome.value, right, probe)
            if words:
                verdict.findings.append(Finding(probe.about, probe.rule, words))
            elif outcome.value.ids != sorted(outcome.value.ids) and not verdict.notes:
                verdict.notes.append("the ids of your vocab are not in order; the course does not "
                                     "mind")
    if verdict.findings and results:
        verdict.diagnosis = diagnose(results)
    return verdict


def definition(path: Path, probe: Probe) -> list[Pair]:
    """The merges of stage 01."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", EarlyStopWarning)
        return train_bpe(path, probe.vocab_size, probe.specials, stage="stage01")[1]


def difference(mine: Trained, right: list[Pair], probe: Probe) -> str:
    """The first difference, in words; "" if there is none."""
    if mine.problems:
        return mine.problems[0]
    for place, (one, other) in enumerate(zip(mine.merges, right)):
        if one != other:
            return _different_merge(place, one, other, right[:place], probe)
    if len(mine.merges) < len(right):
        return (f"you stop after {len(mine.merges)} merges; the definition goes on to "
                f"{len(right)}, with {_shown(right[len(mine.merges)])}")
    if len(mine.merges) > len(right):
        return (f"you make {len(mine.merges)} merges; the definition makes {len(right)}, because "
                f"{_why_so_few(len(right), probe)}")
    tokens = Counter([bytes([byte]) for byte in range(256)])
    tokens.update(token.encode() for token in probe.specials)
    tokens.update(left + right for left, right in right)
    missing, extra = tokens - mine.tokens, mine.tokens - tokens
    if missing:
        return f"your vocab lacks {sorted(missing)[0]!r}"
    if extra:
        return f"your vocab has {sorted(extra)[0]!r}, which does not belong there"
    return ""


def _why_so_few(number: int, probe: Probe) -> str:
    if number == probe.vocab_size - 256 - len(probe.specials):
        return (f"vocab_size is {probe.vocab_size} with the 256 bytes and {len(probe.specials)} "
                f"special tokens")
    return "no pair is left"


def _different_merge(place: int, mine: Pair, right: Pair, before: list[Pair],
                     probe: Probe) -> str:
    words = [([bytes([byte]) for byte in word], number)
             for word, number in count(probe.text, probe.specials, RIGHT).items()]
    for pair in before:
        words = [(apply(word, pair), number) for word, number in words]
    pairs = count_pairs(words)
    start = f"at merge {place} you merge {_shown(mine)}, and the definition {_shown(right)}"
    if pairs[mine] == pairs[right]:
        return (f"{start}: both occur {pairs[right]} times, and of equally frequent pairs the "
                f"lexicographically greatest wins")
    return (f"{start}: yours occurs {pairs[mine]} times in the text, and the other {pairs[right]} "
            f"times")


def _shown(pair: Pair) -> str:
    return f"{pair[0]!r} + {pair[1]!r}"


def diagnose(results: list[tuple[Probe, Trained]]) -> list[str]:
    """The mistakes that explain every result, in words; [] if no known ones do."""
    # The probes that tell most apart come first, so that most suspects are ruled out at once.
    wrong = sorted(results, key=lambda result: _is_as_expected(*result))
    if _is_as_expected(*wrong[0]):
        return []  # the merges are right; something else is not
    for habits in suspects():
        if all(trained.merges == train(probe.text, probe.vocab_size, probe.specials, habits)
               for probe, trained in wrong):
            return [f"{words} ({rule})" for rule, words in mistakes_of(habits)]
    return []


def _is_as_expected(probe: Probe, trained: Trained) -> bool:
    return trained.merges == train(probe.text, probe.vocab_size, probe.specials, RIGHT)
