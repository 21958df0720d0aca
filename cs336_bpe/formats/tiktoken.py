"""tiktoken's file of ranks: on each line a token in base64, a blank, and its rank.

`tiktoken` has no list of merges. It joins two neighbours if their bytes together are a token, the
token of the lowest rank first, and the rank is the id as well. A list of merges can be written that
way if it keeps two conditions, and the writer refuses it if not:

- ids rise in the order of the merges. Gaps are fine, and bytes may have any ids;
- every token but the bytes is made by exactly one merge, and that merge is the one that happens:
  encode the bytes of the token with the merges before it, and its two parts are left.

The second condition is also how merges are found again when a file is read. It makes the result
unique. Merges never cross the end of a token that is left in the end, so whatever stands around a
token, it is put together as it would be alone. So there is no other way in which `tiktoken` could
make it, and no other list of merges that gives the same tokens in the same order. A trained
vocabulary always keeps the condition, for the same reason.

A file from elsewhere may break the second condition. `tiktoken` takes it all the same: a pretoken
that is a token as a whole is that token, and anything else is put together by the rule above. So
does the reader here. It finds the pair that makes each token (see `recover.pyx`: at most one ever
does), and a token that none makes is one that only a whole pretoken can be.

Special tokens and the pattern are not in the file; the reader has to be told.
"""

import base64
import binascii
import os
import warnings
from collections.abc import Mapping
from typing import TYPE_CHECKING

from cs336_bpe.common.atomic_files import atomic_writer
from cs336_bpe.common.paths import AnyPath
from cs336_bpe.formats.consistent import by_columns
from cs336_bpe.formats.merge_columns import MergeColumns
from cs336_bpe.formats.native import (
    are_in_order,
    columns_of_parts,
    merges_of_any_ranks,
    merges_of_ranks,
    read_rank_lines,
)
from cs336_bpe.formats.probe import check_ids, is_installed, missing
from cs336_bpe.formats.round_trip import (
    Checked,
    as_checked,
    check_plain,
    check_same,
    check_special_ids,
    checked,
)
from cs336_bpe.formats.safe_json import as_id, excerpt, naming, no_collections, read_bytes
from cs336_bpe.rules import (
    BYTES,
    GPT2_PATTERN,
    MAX_ID,
    Model,
    Vocab,
    check_size,
    check_special_tokens,
    require_pattern,
    shown,
)

if TYPE_CHECKING:
    import tiktoken

    from cs336_bpe.rules.pipeline import Pipeline

MAX_RANK_FILE_BYTES = 1 << 23
"""The largest file of ranks that is read: 8 MiB, twice the largest one in use. To find the merges
takes O(n log n) steps for a file of n bytes."""


def read_tiktoken(path: AnyPath, special_tokens: Mapping[str, int] | None = None,
                  pattern: str = GPT2_PATTERN) -> Model:
    """Read a file of ranks, and find the merges that they stand for.

    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from cs336_bpe import train_bpe_from_counts
    >>> vocab, merges = train_bpe_from_counts({b" low": 5, b" lower": 2}, 260, ["<|end|>"])
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder, "small.tiktoken")
    ...     write_tiktoken(Model(vocab, merges, ["<|end|>"], GPT2_PATTERN), path)
    ...     print(path.read_text(encoding="ascii")[-31:], end="")
    ...     read_tiktoken(path, {"<|end|>": 256}).merges
    b3c= 257
    bG93 258
    IGxvdw== 259
    [(b'o', b'w'), (b'l', b'ow'), (b' ', b'low')]
    """
    return load_tiktoken(path, special_tokens, pattern).model


@no_collections()
def load_tiktoken(path: AnyPath, special_tokens: Mapping[str, int] | None = None,
                  pattern: str = GPT2_PATTERN, data: bytes | None = None) -> Checked:
    """The same, ready for a tokenizer. `data` is what was read of the file already."""
    specials = dict({} if special_tokens is None else special_tokens)
    check_special_tokens(specials)
    for token, number in specials.items():
        check_size(f"the id of the special token {token!r}", number)
    pattern = require_pattern(pattern)
    name = os.fspath(path)
    ranks = read_ranks(path, data)
    with naming(name):
        merges = recover_columns(ranks)
        pipeline = _pipeline(ranks, merges)
        vocab: Vocab = {rank: token for token, rank in ranks.items()}
        for token, number in specials.items():
            if vocab.setdefault(number, token.encode()) != token.encode():
                raise ValueError(f"the special token {token!r} can't have the id {number}: that "
                                 f"is the rank of {shown(vocab[number])}; give it another id")
        found = None
        if not any(token.encode() in ranks for token in specials):
            found = by_columns(vocab, merges, list(specials))
        if found is not None:
            tokenizer = as_checked(found, pattern, pipeline)
        else:
            tokenizer = checked(Model(vocab, merges.pairs, list(specials), pattern, pipeline))
        check_special_ids(tokenizer.ids, specials)
    if len(merges.pairs) + len(BYTES) < len(ranks):
        made = {left + right for left, right in merges.pairs}.union(BYTES)
        others = [token for token in ranks if token not in made]
        warnings.warn(f"{name} has {len(others):,} tokens that no merge makes, such as "
                      f"{shown(others[0])} of rank {ranks[others[0]]}: only a pretoken that is one "
                      f"of them as a whole becomes it, as with tiktoken; if that is not meant, "
                      f"lines of the file are missing", UnmadeTokens, stacklevel=3)
    return tokenizer


class UnmadeTokens(UserWarning):
    """A file of ranks has tokens that no merge makes."""


def _pipeline(ranks: Mapping[bytes, int], merges: MergeColumns) -> "Pipeline | None":
    """What `tiktoken` does besides merging, if that makes a difference."""
    in_order = are_in_order(merges)
    if in_order and len(merges.pairs) + len(BYTES) == len(ranks):
        return None  # all that a whole pretoken may be, merges make of it too
    from cs336_bpe.rules.pipeline import Pipeline

    return Pipeline(splits=(), whole_tokens=True, in_order=in_order)


def read_ranks(path: AnyPath, data: bytes | None = None) -> dict[bytes, int]:
    """The rank of each token, as the file has them. `data` is what was read of it already."""
    data = read_bytes(path, MAX_RANK_FILE_BYTES, data)
    found = read_rank_lines(data)
    return _read_line_by_line(data, path) if found is None else found


def _read_line_by_line(data: bytes, path: AnyPath) -> dict[bytes, int]:
    """The same, with an error that names the line."""
    ranks: dict[bytes, int] = {}
    lines_of: dict[int, int] = {}
    for number, line in enumerate(data.split(b"\n"), 1):
        line = line.removesuffix(b"\r")
        if not line:
            continue  # as tiktoken does
        what = f"{os.fspath(path)}: line {number}"
        token, rank = _read_line(line, what)
        if token in ranks:
            raise ValueError(f"{what} has the token {shown(token)}, which line "
                             f"{lines_of[ranks[token]]} has already: leave one out")
        if rank in lines_of:
            raise ValueError(f"{what} has the rank {rank}, which line {lines_of[rank]} has "
                             f"already: every token needs its own")
        ranks[token] = rank
        lines_of[rank] = number
    return ranks


def _read_line(line: bytes, what: str) -> tuple[bytes, int]:
    encoded, blank, digits = line.partition(b" ")
    text = excerpt(line.decode("latin-1"))
    if not blank or not digits.isdigit() or len(digits) > len(str(MAX_ID)):
        raise ValueError(f"{what} is {text}; it must be a token in base64, a blank and a rank of "
                         f"at most {MAX_ID}")
    try:
        token = base64.b64decode(encoded, validate=True)
    except binascii.Error:
        token = b""
    if not token or base64.b64encode(token) != encoded:
        raise ValueError(f"{what} is {text}; what stands before the blank is not a token in base64")
    return token, as_id(int(digits), f"{what}: the rank")


def recover_columns(ranks: Mapping[bytes, int]) -> MergeColumns:
    """The merges that make the tokens, in the order of their ranks.

    >>> ranks = {byte: rank for rank, byte in enumerate(BYTES)}
    >>> recover_columns(ranks | {b"th": 256, b"in": 300, b"thin": 301}).pairs
    [(b't', b'h'), (b'i', b'n'), (b'th', b'in')]
    """
    for byte in BYTES:
        if byte not in ranks:
            raise ValueError(f"the byte {byte!r} has no rank: text that contains it could not be "
                             f"encoded")
    tokens, in_order = list(ranks), sorted(ranks.values())
    if in_order != list(ranks.values()):
        tokens.sort(key=ranks.__getitem__)
    lefts, rights = merges_of_ranks(tokens)
    if lefts.count(-1) != len(BYTES):
        lefts, rights = merges_of_any_ranks(tokens)
    return columns_of_parts(tokens, in_order, lefts, rights)


def mergeable_ranks(tokenizer: Checked) -> dict[bytes, int]:
    """The rank of each ordinary token, in rising order, if `tiktoken` would make our merges of it.

    The error says which token is in the way.
    """
    model, ids, _ = tokenizer
    ranks = dict(sorted(ids.ordinary.items(), key=lambda item: item[1]))
    if model.pipeline is not None:  # it was made from ranks, and what comes back is compared
        return ranks
    made = {left + right for left, right in model.merges}
    last = -1
    for place, (left, right) in enumerate(model.merges):
        token = left + right
        if ids.ordinary[token] <= last:
            raise ValueError(f"tiktoken takes the id of a token as the rank of its merge, so ids "
                             f"must rise in the order of the merges; but merges[{place}] makes "
                             f"{shown(token)} with the id {ids.ordinary[token]}, after one with "
                             f"the id {last}: renumber the tokens, or use another format")
        last = ids.ordinary[token]
    for token, number in ids.ordinary.items():
        if len(token) > 1 and token not in made:
            raise ValueError(f"the vocab has {shown(token)} with the id {number}, which no merge "
                             f"makes, but tiktoken would: leave it out, or declare it special")
    theirs = {left + right: (left, right) for left, right in recover_columns(ranks).pairs}
    for place, ours in enumerate(model.merges):
        other = theirs.get(ours[0] + ours[1])
        if ours != other:
            instead = ("never make it" if other is None else
                       f"join {shown(other[0])} and {shown(other[1])}")
            raise ValueError(f"merges[{place}] joins {shown(ours[0])} and {shown(ours[1])}, which "
                             f"never happens, and tiktoken would {instead}: leave the merge out, "
                             f"or use another format")
    return ranks


def _check_plain(model: Model, format: str) -> None:
    """What ranks can't say is an error; whole tokens, and merges in any order, they can."""
    if model.pipeline is None or model.pipeline.splits or not model.pipeline.whole_tokens:
        check_plain(model, format)


def write_tiktoken(model: Model, path: AnyPath) -> None:
    """Write a file of ranks, if reading it gives the same model back.

    Special tokens and the pattern do not fit into the file: keep them elsewhere.
    """
    _check_plain(model, "tiktoken's format")
    tokenizer = checked(model)
    ranks = mergeable_ranks(tokenizer)
    with atomic_writer(path) as file:
        for token, rank in ranks.items():
            file.write(b"%b %d\n" % (base64.b64encode(token), rank))
        file.flush()
        specials = tokenizer.ids.specials
        check_same(tokenizer.model, read_tiktoken(file.name, specials, model.pattern))
        if is_installed("tiktoken"):
            _encoding(tokenizer, ranks, "cs336_bpe")


def to_tiktoken(model: Model, name: str = "cs336_bpe") -> "tiktoken.Encoding":
    """The tokenizer as a `tiktoken.Encoding`, if that gives the same ids.

    >>> from cs336_bpe import train_bpe_from_counts
    >>> vocab, merges = train_bpe_from_counts({b" low": 5, b" lower": 2}, 260, ["<|end|>"])
    >>> encoding = to_tiktoken(Model(vocab, merges, ["<|end|>"], GPT2_PATTERN))
    >>> encoding.encode(" low lower<|end|>", allowed_special="all")
    [259, 259, 101, 114, 256]
    """
    _check_plain(model, "tiktoken")
    tokenizer = checked(model)
    return _encoding(tokenizer, mergeable_ranks(tokenizer), name)


def _encoding(tokenizer: Checked, ranks: dict[bytes, int], name: str) -> "tiktoken.Encoding":
    """What the library makes of the ranks, if it gives our ids."""
    pattern = tokenizer.model.pattern
    try:
        import tiktoken
    except ImportError:
        raise missing("tiktoken") from None
    try:
        encoding = tiktoken.Encoding(name, pat_str=pattern, mergeable_ranks=ranks,
                                     special_tokens=tokenizer.ids.specials)
    except ValueError as error:
        raise ValueError(f"tiktoken can't use the pattern {pattern!r}: {error}") from None
    check_ids("tiktoken", lambda text: encoding.encode(text, allowed_special="all"), tokenizer)
    return encoding
