"""How a pretoken becomes tokens, step by step: for teaching."""

from collections.abc import Mapping
from dataclasses import dataclass

from cs336_bpe.rules import Pair


@dataclass(frozen=True)
class Explanation:
    """The way of one pretoken from bytes to tokens.

    `steps[0]` is its bytes, and each further step the tokens after one more merge; `ranks` says
    which merge that was. `ids` are those of the last step.
    """

    pretoken: bytes
    steps: list[list[bytes]]
    ranks: list[int]
    ids: list[int]
    special: bool = False

    def __str__(self) -> str:
        lines = [" ".join(map(readable, step)) for step in self.steps]
        width = max(map(len, lines))
        for number, rank in enumerate(self.ranks, 1):
            before, after = self.steps[number - 1], self.steps[number]
            at = next(i for i, (old, new) in enumerate(zip(before, after)) if old != new)
            lines[number] = (f"{lines[number]:{width}}  merge {rank}: {readable(before[at])} + "
                             f"{readable(before[at + 1])}")
        return "\n".join(lines)


def explain_pretoken(pretoken: bytes, ranks: Mapping[Pair, int],
                     ids: Mapping[bytes, int]) -> Explanation:
    """Every merge that a pretoken goes through: the one of the lowest rank first.

    >>> steps = explain_pretoken(b"lows", {(b"o", b"w"): 0, (b"l", b"ow"): 1},
    ...                          {b"low": 257, b"s": 115})
    >>> steps.steps[-1], steps.ranks, steps.ids
    ([b'low', b's'], [0, 1], [257, 115])
    """
    tokens = [pretoken[i : i + 1] for i in range(len(pretoken))]
    steps, used = [list(tokens)], []
    while len(tokens) > 1:
        rank, at = min((ranks.get(pair, len(ranks)), at)
                       for at, pair in enumerate(zip(tokens, tokens[1:])))
        if rank == len(ranks):
            break
        tokens[at : at + 2] = [tokens[at] + tokens[at + 1]]
        steps.append(list(tokens))
        used.append(rank)
    return Explanation(pretoken, steps, used, [ids[token] for token in tokens])


def readable(token: bytes) -> str:
    """A token as text: a blank is shown as `␣`, and bytes that are no text as `\\\\xe9`.

    >>> readable(b" caf"), readable("é".encode()), readable(b"\\xc3")
    ('␣caf', 'é', '\\\\xc3')
    """
    text = token.decode("utf-8", "backslashreplace").replace(" ", "\u2423")
    return "".join(c if c.isprintable() else repr(c)[1:-1] for c in text)
