"""What a tokenizer is made of, and what makes it consistent.

The merges, in the order in which they were learned, say how a pretoken is put together; the vocab
says which number each token has. Any numbers will do: ours come from training (rule 5), GPT-2's
begin with the printable bytes, and others leave gaps. But some vocabularies have no meaning, and
they would show it late and far from the cause: an encoder would stop at a byte that has no id, or
two encoders would give different results. `check_vocab` finds them at the door:

- every one of the 256 bytes has an id;
- no two ids stand for the same bytes (for special tokens, see `separate_specials`);
- both parts of a merge are bytes or tokens that an *earlier* merge makes, and its result has an
  id. A merge that comes before its parts is the trap: replayed in order it never applies, but an
  encoder that looks for the merge of the lowest rank would find it;
- no two merges make the same token. Training never learns such merges: as long as nothing is merged
  across the ends of a piece of text, what is inside it goes through the same merges everywhere, so
  there is only one last merge that can make the whole of it. If two were given, the order of
  merges would not decide what happens between them, and encoders differ in what they do then.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from cs336_bpe.rules.checks import check_size, check_special_tokens, shown
from cs336_bpe.rules.tokens import BYTES, Pair, Vocab

if TYPE_CHECKING:  # what we train needs none
    from cs336_bpe.rules.pipeline import Pipeline

MAX_ID = 2**31 - 1
"""The greatest id, so that ids fit into signed 32-bit integers, which other libraries have."""


class Model(NamedTuple):
    """All of a tokenizer that a file has to keep. `special_tokens` are part of the vocab.

    What we train has no `pipeline`: the four others say everything. A tokenizer from elsewhere may
    have steps that they can't say. Then `special_tokens` are all its added tokens, and `pattern` is
    empty if it takes more than one to cut text into pretokens.
    """

    vocab: Vocab
    merges: list[Pair]
    special_tokens: list[str]
    pattern: str
    pipeline: "Pipeline | None" = None

    @property
    def in_order(self) -> bool:
        """Whether the parts of a merge are made before it, as in everything that was trained."""
        return self.pipeline is None or self.pipeline.in_order


class TokenIds(NamedTuple):
    """The ids of a vocab, by what they stand for."""

    ordinary: dict[bytes, int]
    specials: dict[str, int]


def check_vocab(vocab: Mapping[int, bytes], merges: Sequence[Pair]) -> dict[bytes, int]:
    """The id of each token of a consistent vocabulary, or an error that names the entry.

    >>> check_vocab(dict(enumerate(BYTES)) | {256: b"th"}, [(b"t", b"h")])[b"th"]
    256
    >>> check_vocab(dict(enumerate(BYTES)), [(b"t", b"h")])
    Traceback (most recent call last):
    ValueError: merges[0] makes b'th', which has no id in the vocab: add it, or leave the merge out
    """
    ids: dict[bytes, int] = {}
    for number, token in check_tokens(vocab):
        if token in ids:
            raise ValueError(f"vocab[{number}] is {shown(token)}, and so is vocab[{ids[token]}]: "
                             f"a token can have only one id")
        ids[token] = number
    check_merges(ids, merges)
    return ids


def check_tokens(vocab: Mapping[int, bytes]) -> list[tuple[int, bytes]]:
    """The entries of a vocab, if each one is an id and a token."""
    if not isinstance(vocab, Mapping):
        raise TypeError(f"vocab is a {type(vocab).__name__}; it must be a mapping from ids (int) "
                        f"to tokens (bytes), such as the first result of train_bpe")
    tokens = []
    for number, token in vocab.items():
        number = check_size("an id of the vocab", number)
        if number > MAX_ID:
            raise ValueError(f"the vocab has the id {number}; the greatest possible is {MAX_ID}")
        if not isinstance(token, bytes):
            raise TypeError(f"vocab[{number}] is {token!r}, a {type(token).__name__}; tokens must "
                            f"be bytes")
        if not token:
            raise ValueError(f"vocab[{number}] is empty: a token has at least one byte")
        tokens.append((number, token))
    return tokens


def check_merges(ids: Mapping[bytes, int], merges: Sequence[Pair], *,
                 in_order: bool = True) -> None:
    """Every byte has an id, and every merge joins what is there before it.

    A ranking of pairs from elsewhere need not be `in_order`: see docs/formats/model.md.
    """
    for byte in BYTES:
        if byte not in ids:
            raise ValueError(f"the byte {byte!r} has no id in the vocab: text that contains it "
                             f"could not be encoded")
    # A set has no order, and an iterator would be used up by this very check.
    if isinstance(merges, (str, bytes)) or not isinstance(merges, Sequence):
        raise TypeError(f"merges is a {type(merges).__name__}; it must be a list of pairs of "
                        f"bytes, such as the second result of train_bpe")
    made = set(BYTES) if in_order else {*BYTES, *(left + right for left, right in _pairs(merges))}
    makers: dict[bytes, int] = {}
    for place, pair in enumerate(merges):
        if (not isinstance(pair, (tuple, list)) or len(pair) != 2
                or not isinstance(pair[0], bytes) or not isinstance(pair[1], bytes)):
            raise TypeError(f"merges[{place}] is {pair!r}; it must be a pair of bytes, such as "
                            f"(b't', b'h')")
        left, right = pair
        for part in (left, right):
            if part not in made:
                raise ValueError(f"merges[{place}] joins {shown(left)} and {shown(right)}, but "
                                 f"no merge before it makes {shown(part)}: merges must be in the "
                                 f"order in which they were learned")
        earlier = makers.setdefault(left + right, place)
        if earlier != place:
            raise ValueError(f"merges[{place}] makes {shown(left + right)}, and so does "
                             f"merges[{earlier}]: leave one out")
        if left + right not in ids:
            raise ValueError(f"merges[{place}] makes {shown(left + right)}, which has no id in "
                             f"the vocab: add it, or leave the merge out")
        made.add(left + right)


def separate_specials(vocab: Mapping[int, bytes], merges: Sequence[Pair],
                      special_tokens: Iterable[str], *, in_order: bool = True) -> TokenIds:
    """The ids of ordinary tokens and of special ones, in a vocab that has both.

    A special token that is missing from the vocab gets the next id after the greatest.

    >>> vocab = dict(enumerate(BYTES)) | {300: b"<|endoftext|>"}
    >>> separate_specials(vocab, [], ["<|endoftext|>", "<|pad|>"]).specials
    {'<|endoftext|>': 300, '<|pad|>': 301}

    The same bytes can have two ids if one is a special token's: when `low` is declared special
    and is learned as well. By rule 5 a byte comes before special tokens and a merged token after
    them, so of the two ids the special token has the greater or the smaller one respectively.
    """
    specials = check_special_tokens(special_tokens)
    wanted = {token.encode(): token for token in specials}
    ordinary: dict[bytes, int] = {}
    special_ids: dict[str, int] = {}
    results = {left + right for left, right in _pairs(merges)}
    tokens = sorted(check_tokens(vocab))
    for number, token in tokens:
        special = wanted.get(token)
        if special is None:
            if token in ordinary:
                raise ValueError(f"vocab[{number}] is {shown(token)}, and so is "
                                 f"vocab[{ordinary[token]}]: a token can have only one id")
            ordinary[token] = number
        elif len(token) == 1 and token not in ordinary:
            ordinary[token] = number
        elif special not in special_ids:
            special_ids[special] = number
        elif token in results and token not in ordinary:
            ordinary[token] = number
        else:
            raise ValueError(f"vocab[{number}] is {shown(token)}, which has an id already "
                             f"({special_ids[special]}): a token can have only one id")
    for token in wanted:  # the special token is the learned one: one id for both
        if token in results and token not in ordinary and wanted[token] in special_ids:
            ordinary[token] = special_ids[wanted[token]]
    check_merges(ordinary, merges, in_order=in_order)
    greatest = tokens[-1][0]
    for special in specials:
        if special not in special_ids:
            greatest += 1
            special_ids[special] = greatest
    if greatest > MAX_ID:
        raise ValueError(f"there is no id left for a special token: the greatest is {MAX_ID}")
    return TokenIds(ordinary, {special: special_ids[special] for special in specials})


def _pairs(merges: Sequence[Pair]) -> Iterable[Pair]:
    """The merges that look like merges; what is wrong with the others, `check_merges` says."""
    if isinstance(merges, Iterable):
        for pair in merges:
            if (isinstance(pair, (tuple, list)) and len(pair) == 2
                    and isinstance(pair[0], bytes) and isinstance(pair[1], bytes)):
                yield pair[0], pair[1]
