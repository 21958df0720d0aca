"""How many bytes a token stands for, at every vocabulary size, from one run of training.

A smaller vocabulary is the beginning of a larger one (rule 5), so one list of merges has all
smaller vocabularies in it. It is not even necessary to encode a text once for each size. Encoding
a pretoken means: apply the merge of the lowest rank until none applies. A merge that makes the
token `c` can only open the way for merges with `c` in them, and those were learned later. So the
ranks that are applied to a pretoken never fall, and a vocabulary that ends after merge r makes the
same steps up to r and stops there. Each step makes the text one token shorter. Therefore:

    tokens at a size = bytes - how often the merges of that size are applied, all together

No two merges make the same token, so a token says which merges made it. `merge_uses` encodes each
distinct pretoken once, with all merges, and counts how often each token occurs. From the last merge
to the first, it then takes tokens apart: a merge is applied as often as its token occurs, by itself
or as a part of another.

Cost: that of encoding each distinct pretoken once; the sizes are free.
Special tokens are not part of `counts`, so neither their bytes nor their ids are counted here.
"""

from collections.abc import Iterable, Mapping, Sequence
from itertools import accumulate

from cs336_bpe import stages
from cs336_bpe.rules import BYTES, Pair, assemble_vocab, check_counts, check_size, check_vocab


def merge_uses(merges: Sequence[Pair], counts: Mapping[bytes, int]) -> list[int]:
    """How often each merge is applied when a text with these pretokens is encoded.

    >>> merges = [(b"l", b"o"), (b"lo", b"w"), (b"n", b"e")]
    >>> merge_uses(merges, {b"low": 5, b"slow": 2, b"newline": 1})
    [7, 7, 2]
    """
    merges = list(merges)
    uses = token_counts(merges, counts)
    ids = {token: number for number, token in assemble_vocab([], merges).items()}
    for number in reversed(range(len(BYTES), len(uses))):
        for part in merges[number - len(BYTES)]:
            uses[ids[part]] += uses[number]
    return uses[len(BYTES):]


def token_counts(merges: Sequence[Pair], counts: Mapping[bytes, int]) -> list[int]:
    """How often each token, bytes first, occurs in a text with these pretokens.

    >>> token_counts([(b"l", b"o"), (b"lo", b"w")], {b"low": 5, b"slow": 2})[256:]
    [0, 7]
    """
    vocab = assemble_vocab([], merges)
    # Two merges that make the same token would break the argument above; this refuses them.
    check_vocab(vocab, merges)
    encoder = stages.find("encode").load().Encoder(vocab, merges)
    numbers = [0] * len(vocab)
    for word, count in check_counts(counts):
        for token in encoder.encode_pretoken(word):
            numbers[token] += count
    return numbers


def bytes_per_token(
    merges: Sequence[Pair],
    counts: Mapping[bytes, int],
    sizes: Iterable[int] | None = None,
    *,
    num_specials: int = 0,
) -> dict[int, float]:
    """Bytes per token of a text for each vocabulary size: more is a shorter text.

    `counts` are those of the text, best of one that the merges were not learned from. A size
    includes the 256 bytes and `num_specials` special tokens. Without `sizes`, powers of two and
    the whole vocabulary.

    >>> merges = [(b"l", b"o"), (b"lo", b"w"), (b"n", b"e")]
    >>> bytes_per_token(merges, {b"low": 5, b"slow": 2, b"newline": 1}, [256, 257, 258])
    {256: 1.0, 257: 1.3043478260869565, 258: 1.875}
    """
    first = len(BYTES) + check_size("num_specials", num_specials)
    last = first + len(merges)
    wanted = doublings(first, last) if sizes is None else list(sizes)
    for size in wanted:
        if not first <= check_size("a size", size) <= last:
            raise ValueError(f"the size {size} is not between {first} and {last}, the sizes that "
                             f"{len(merges)} merges can give")
    total = sum(len(word) * count for word, count in check_counts(counts))
    if not total:
        raise ValueError("counts has no text in it, so there are no bytes per token")
    saved = list(accumulate(merge_uses(merges, counts), initial=0))
    return {size: total / (total - saved[size - first]) for size in wanted}


def num_tokens(merges: Sequence[Pair], counts: Mapping[bytes, int]) -> int:
    """How many tokens a text with these pretokens has, with all merges.

    >>> num_tokens([(b"l", b"o"), (b"lo", b"w")], {b"low": 5, b"slow": 2, b"newline": 1})
    16
    """
    return sum(token_counts(merges, counts))


def doublings(first: int, last: int, steps: int = 1) -> list[int]:
    """Powers of two from `first` to `last`, and both; with `steps` of equal ratio to a doubling.

    >>> doublings(257, 3000)
    [257, 512, 1024, 2048, 3000]
    >>> doublings(256, 1024, steps=2)
    [256, 362, 512, 724, 1024]
    """
    first, last = check_size("first", first, 1), check_size("last", last, first)
    steps = check_size("steps", steps, 1)
    powers = (round(2 ** (step / steps)) for step in range(steps * (last.bit_length() + 1)))
    return sorted({first, last, *(size for size in powers if first < size < last)})
