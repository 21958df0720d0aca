"""A reader's tokenizer, judged: `Tokenizer(vocab, merges, special_tokens)`.

It must have `encode(text)` and `decode(ids)`; `encode_iterable(parts)` is judged if it is there.
"""

from collections.abc import Callable
from typing import Any

from cs336_bpe.judge.encoding_mistakes import diagnose, vocabulary
from cs336_bpe.judge.probes import ENCODING_PROBES, ENCODING_SPECIALS, END, EncodingProbe
from cs336_bpe.judge.sandbox import Calls, Sandbox
from cs336_bpe.judge.verdict import Finding, Verdict, is_hopeless
from cs336_bpe.tokenizer import Tokenizer

ENOUGH_SECONDS = 0.2  # for a growth to be measured
QUADRATIC = 3.0  # times as long for twice the text


def encoding_calls(make: Any) -> Calls:
    """What the sandbox can call; the tokenizer is made at the first call."""
    made: list[Any] = []

    def tokenizer() -> Any:
        if not made:
            vocab, merges = vocabulary()
            made.append(make(dict(vocab), list(merges), list(ENCODING_SPECIALS)))
        return made[0]

    def stream(parts: list[str]) -> list[int] | str:
        return _as_ids(tokenizer().encode_iterable(iter(parts)))

    return {"encode": lambda text: _as_ids(tokenizer().encode(text)), "stream": stream,
            "decode": lambda ids: tokenizer().decode(ids),
            "has_stream": lambda: hasattr(tokenizer(), "encode_iterable")}


def _as_ids(result: Any) -> list[int] | str:
    """The ids, or what is wrong with them."""
    try:
        ids = list(result)
    except TypeError:
        return f"it returned a {type(result).__name__}; it must return ids"
    for number in ids:
        if isinstance(number, bool) or not hasattr(number, "__index__"):
            return f"it gives {number!r} as an id; ids are integers"
    return [int(number) for number in ids]


def judge_tokenizer(name: str, *, seconds: float = 10.0, megabytes: int = 1000) -> Verdict:
    """Judge `module:Class` on the probes, and how its time grows with the text."""
    verdict = Verdict(name)
    vocab, merges = vocabulary()
    ours = Tokenizer(vocab, merges, ENCODING_SPECIALS)
    results: list[tuple[EncodingProbe, list[int]]] = []
    with Sandbox(name, encoding_calls, seconds=seconds, megabytes=megabytes) as sandbox:
        has_stream = sandbox.call("has_stream")
        if has_stream.is_done and not has_stream.value:
            verdict.notes.append("it has no encode_iterable, which the coursework asks for")
        for probe in ENCODING_PROBES:
            if probe.stream and has_stream.is_done and not has_stream.value:
                continue
            outcome = (sandbox.call("stream", probe.parts) if probe.stream
                       else sandbox.call("encode", probe.text))
            verdict.num_probes += 1
            if not outcome.is_done:
                verdict.findings.append(Finding(probe.about, probe.rule, outcome.problem))
                if is_hopeless(outcome, verdict):
                    return verdict
                continue
            if isinstance(outcome.value, str):
                verdict.findings.append(Finding(probe.about, probe.rule, outcome.value))
                continue
            results.append((probe, outcome.value))
            right = ours.encode(probe.text)
            if outcome.value != right:
                words = difference(outcome.value, right, ours)
                verdict.findings.append(Finding(probe.about, probe.rule, words))
        _judge_decoding(sandbox, ours, verdict)
        if verdict.is_right:
            _judge_growth(sandbox, verdict)
    if verdict.findings and results:
        verdict.diagnosis += diagnose(results)
    return verdict


def difference(mine: list[int], right: list[int], ours: Tokenizer) -> str:
    """The first difference, in words."""
    at = next((place for place, (one, other) in enumerate(zip(mine, right)) if one != other),
              min(len(mine), len(right)))
    before = ours.decode(right[:at])[-20:]
    def shown(ids: list[int]) -> str:
        if at >= len(ids):
            return "nothing more"
        number = ids[at]
        return repr(ours.vocab[number]) if number in ours.vocab else f"the unknown id {number}"
    return f"after {before!r} you give {shown(mine)}, and the definition gives {shown(right)}"


def _judge_decoding(sandbox: Sandbox, ours: Tokenizer, verdict: Verdict) -> None:
    ids = ours.encode(f"the girl 你好 🙂{END}")
    for about, given in (("decoding", ids), ("decoding bytes that are not text", [255, *ids])):
        verdict.num_probes += 1
        outcome = sandbox.call("decode", given)
        if not outcome.is_done:
            verdict.findings.append(Finding(about, "rule 9", outcome.problem))
        elif outcome.value != ours.decode(given):
            verdict.findings.append(Finding(
                about, "rule 9", f"you give {outcome.value!r}, and the definition "
                                 f"{ours.decode(given)!r}: join the bytes of all tokens first, "
                                 f"then decode them with errors=\"replace\""))


GROWTH: dict[str, Callable[[int], str]] = {
    "a long text": lambda size: "the girl was happy. " * (size // 20),
    "one long word": lambda size: "ab" * (size // 2),
}


def _judge_growth(sandbox: Sandbox, verdict: Verdict) -> None:
    """Encode texts of doubling length until it takes long enough to tell."""
    for about, make in GROWTH.items():
        before, size = 0.0, 1000
        while size <= 1 << 21:
            outcome = sandbox.call("encode", make(size))
            if not outcome.is_done:
                verdict.findings.append(Finding(about, "cost", f"with {size:,} characters "
                                                               f"{outcome.problem}"))
                if before > 0.01:
                    verdict.diagnosis.append(_quadratic(about))
                break
            half, whole = before, outcome.seconds
            if whole > ENOUGH_SECONDS:
                half, whole = _least(sandbox, make, size, half, whole)
            if whole > ENOUGH_SECONDS:
                if half and whole / half > QUADRATIC:
                    verdict.findings.append(Finding(
                        about, "cost", f"{size:,} characters take {whole:.2f} s, and "
                                       f"half as many {half:.2f} s"))
                    verdict.diagnosis.append(_quadratic(about))
                break
            before, size = whole, 2 * size


def _least(sandbox: Sandbox, make: Callable[[int], str], size: int, half: float,
           whole: float) -> tuple[float, float]:
    """The least seconds for half the text and for all of it.

    Another program may have stopped one of them. So what looks quadratic is called again, twice,
    before it is called so.
    """
    for _ in range(2):
        if not half or whole / half <= QUADRATIC:
            break
        again = [sandbox.call("encode", make(length)) for length in (size // 2, size)]
        if not all(outcome.is_done for outcome in again):
            break
        half, whole = min(half, again[0].seconds), min(whole, again[1].seconds)
    return half, whole


def _quadratic(about: str) -> str:
    where = ("a heap of the pairs by rank makes it O(n log n) (encode stage rank_heap)"
             if about == "one long word" else "do you copy the rest of the text, or of the result, "
                                              "at each step?")
    return f"the time grows with the square of the length: {about}; {where}"
