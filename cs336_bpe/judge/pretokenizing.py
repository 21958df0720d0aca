"""A reader's pretokenizer, judged: `split(text, special_tokens)`.

It may return the pretokens one after the other, as `str` or `bytes`, or a mapping from each one to
how often it occurs.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from cs336_bpe.judge.mistakes import RIGHT, count, mistakes_of, suspects
from cs336_bpe.judge.probes import TRAINING_PROBES, Probe
from cs336_bpe.judge.sandbox import Calls, Sandbox
from cs336_bpe.judge.verdict import Finding, Verdict, is_hopeless

HABITS = ("newlines", "specials", "pattern", "weights")  # that a pretokenizer can have


@dataclass
class Split:
    """What a pretokenizer returned, as far as it can be understood."""

    counts: Counter[bytes]
    problem: str = ""


def pretokenizing_calls(function: Any) -> Calls:
    def call(text: str, specials: list[str]) -> Split:
        return understood(function(text, specials))
    return {"split": call}


def understood(result: Any) -> Split:
    """What a pretokenizer returned.

    >>> understood(["a", b"b", "a"]).counts == {b"a": 2, b"b": 1}
    True
    >>> understood([("a",)]).problem
    'it gives a tuple as a pretoken; it must be str or bytes'
    """
    counts: Counter[bytes] = Counter()
    if isinstance(result, Mapping):
        entries: Iterable[tuple[Any, Any]] = result.items()
    elif isinstance(result, Iterable) and not isinstance(result, (str, bytes)):
        entries = ((pretoken, 1) for pretoken in result)
    else:
        return Split(counts, f"it returned a {type(result).__name__}; it must return pretokens, or "
                             f"a mapping from pretokens to counts")
    for pretoken, number in entries:
        if isinstance(pretoken, tuple) and all(isinstance(part, bytes) for part in pretoken):
            pretoken = b"".join(pretoken)  # the handout's way to write a pretoken
        if isinstance(pretoken, str):
            pretoken = pretoken.encode("utf-8", "surrogatepass")
        if not isinstance(pretoken, bytes):
            return Split(counts, f"it gives a {type(pretoken).__name__} as a pretoken; it must be "
                                 f"str or bytes")
        if not isinstance(number, int):
            return Split(counts, f"it counts {pretoken!r} as {number!r}; a count is an int")
        counts[pretoken] += number
    return Split(counts)


def judge_pretokenizer(name: str, *, seconds: float = 10.0, megabytes: int = 1000) -> Verdict:
    """Judge `module:function` on the probes."""
    verdict = Verdict(name)
    results = []
    with Sandbox(name, pretokenizing_calls, seconds=seconds, megabytes=megabytes) as sandbox:
        for probe in TRAINING_PROBES:
            outcome = sandbox.call("split", probe.text, probe.specials)
            verdict.num_probes += 1
            if not outcome.is_done:
                verdict.findings.append(Finding(probe.about, probe.rule, outcome.problem))
                if is_hopeless(outcome, verdict):
                    break
                continue
            results.append((probe, outcome.value.counts))
            words = outcome.value.problem or difference(
                outcome.value.counts, count(probe.text, probe.specials, RIGHT))
            if words:
                verdict.findings.append(Finding(probe.about, probe.rule, words))
    if verdict.findings and results:
        verdict.diagnosis = diagnose(results)
    return verdict


def diagnose(results: list[tuple[Probe, Counter[bytes]]]) -> list[str]:
    """The mistakes that explain every result, in words; [] if no known ones do."""
    for habits in suspects(HABITS):
        if all(counts == count(probe.text, probe.specials, habits) for probe, counts in results):
            return [f"{words} ({rule})" for rule, words in mistakes_of(habits)]
    return []


def difference(mine: Counter[bytes], right: Counter[bytes]) -> str:
    """The first difference, in words.

    >>> difference(Counter([b"its"]), Counter([b"it", b"s"]))
    "you have b'its' as a pretoken, and the definition has b'it', b's'"
    """
    extra, missing = sorted((mine - right).items()), sorted((right - mine).items())
    if extra and missing:
        return (f"you have {extra[0][0]!r} as a pretoken, and the definition has "
                f"{', '.join(repr(word) for word, _ in missing[:3])}")
    if missing:
        word = missing[0][0]
        return f"{word!r} occurs {right[word]} times, and you find it {mine[word]} times"
    if extra:
        word = extra[0][0]
        return f"you find {word!r} {mine[word]} times, and it occurs {right[word]} times"
    return ""
