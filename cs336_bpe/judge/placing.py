"""Where on a ladder a reader's own code stands."""

from collections.abc import Sequence

from cs336_bpe import stages


def place(mine: float, rungs: Sequence[tuple[stages.Stage, float]]) -> str:
    """The rungs between which somebody's seconds lie, and the idea that comes next.

    A rung that is slower than one before it is passed over: nobody needs its idea to be faster.

    >>> ladder = stages.ladder("train")
    >>> print(place(3.0, list(zip(ladder, [9.0, 4.0, 2.0]))))
    It stands between stage02 (4.00 s) and stage03 (2.00 s).
    The next idea: an index from each pair to its words.
    """
    best: list[tuple[stages.Stage, float]] = []
    for stage, seconds in rungs:
        if not best or seconds < best[-1][1]:
            best.append((stage, seconds))
    faster = [one for one in best if one[1] < mine]
    slower = [one for one in best if one[1] >= mine]
    if not faster:
        stage, seconds = best[-1]
        return f"It is faster than the last rung, {stage.number} ({_seconds(seconds)})."
    after, after_seconds = faster[0]
    following = f"The next idea: {after.idea}."
    if not slower:
        return (f"It stands before {after.number} ({_seconds(after_seconds)}), the first rung.\n"
                f"{following}")
    before, before_seconds = slower[-1]
    return (f"It stands between {before.number} ({_seconds(before_seconds)}) and {after.number} "
            f"({_seconds(after_seconds)}).\n{following}")


def _seconds(seconds: float) -> str:
    return f"{seconds:.2f} s" if seconds >= 0.1 else f"{seconds * 1000:.2g} ms"
