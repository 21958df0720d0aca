"""Tokens that a whole pretoken is, whatever merges would make of it."""

from cs336_bpe.rules import TokenIds, from_printable
from cs336_bpe.rules.pipeline import Pipeline


def whole_tokens(ids: TokenIds, pipeline: Pipeline) -> dict[bytes, int]:
    """The ids of these tokens; none unless the pipeline has `whole_tokens`.

    >>> ids = TokenIds({b"a": 97, b"low": 256}, {"<e>": 257})
    >>> whole_tokens(ids, Pipeline(whole_tokens=True)), whole_tokens(ids, Pipeline())
    ({b'low': 256}, {})
    """
    if not pipeline.whole_tokens:
        return {}
    wholes = {token: number for token, number in ids.ordinary.items() if len(token) > 1}
    # An added token is one of them if the vocab lists it, in characters that stand for bytes.
    return wholes | {token.content.encode(): ids.specials[token.content]
                     for token in pipeline.added
                     if token.in_vocab and from_printable(token.content) is not None}
