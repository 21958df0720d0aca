"""What every writer asks before it reports success: is what was written what was meant?"""

from collections.abc import Mapping
from typing import TYPE_CHECKING, NamedTuple

from cs336_bpe.formats.consistent import Consistent, consistent
from cs336_bpe.formats.merge_columns import MergeColumns
from cs336_bpe.rules import Model, Pair, TokenIds, Vocab, require_pattern, shown

if TYPE_CHECKING:
    from cs336_bpe.rules.pipeline import Pipeline


class Checked(NamedTuple):
    """A consistent model, with its ids by what they stand for, and its merges by numbers."""

    model: Model
    ids: TokenIds
    columns: MergeColumns


def checked(model: Model) -> Checked:
    """The model as files keep it: complete, its vocab in the order of ids; or an error.

    >>> from cs336_bpe.rules import BYTES, GPT2_PATTERN
    >>> checked(Model(dict(enumerate(BYTES)), [], ["<|pad|>"], GPT2_PATTERN)).model.vocab[256]
    b'<|pad|>'
    """
    vocab, merges, special_tokens, pattern, pipeline = model
    found = consistent(vocab, merges, special_tokens, in_order=model.in_order)
    return as_checked(found, require_pattern(pattern) if pattern else pattern, pipeline)


def as_checked(found: Consistent, pattern: str, pipeline: "Pipeline | None" = None) -> Checked:
    """The model of a vocab and merges that were checked, with a pattern that was."""
    tokens, ids, columns = found
    model = Model(tokens, columns.pairs, list(ids.specials), pattern, pipeline)
    return Checked(model, ids, columns)


def check_plain(model: Model, format: str) -> None:
    """An error that names what a format has no place for, if a model has more than a plain one."""
    pipeline = model.pipeline
    if pipeline is None:
        return
    added = pipeline.added
    parts = {
        "a normalizer": bool(pipeline.normalize),
        "added tokens that are not special, or depend on the text around them":
            not all(token.special and token.is_plain for token in added),
        "several steps that split text": not model.pattern,
        "tokens that a whole pretoken is before anything is merged": pipeline.whole_tokens,
        "a template": pipeline.template is not None,
        "merges that come before those of their parts": not pipeline.in_order,
        "offsets without white space": pipeline.trim_offsets,
    }
    found = [name for name, is_there in parts.items() if is_there] or ["steps around the merges"]
    raise ValueError(f"the tokenizer has {', '.join(found)}, for which {format} has no place; save "
                     f"it in Hugging Face's format")


def check_special_ids(ids: TokenIds, wanted: Mapping[str, int]) -> None:
    """An error if a special token has another id than a file or a caller says.

    A vocab in which the same bytes have two ids, one of them as a special token, says by their
    order which is which (`separate_specials`); a file can say the opposite.
    """
    for token, number in wanted.items():
        if ids.specials.get(token) != number:
            raise ValueError(f"the special token {token!r} has the id {number}, but by the rules "
                             f"for a vocab it would be {ids.specials.get(token)}: an ordinary "
                             f"token of the same bytes is in the way; rename the special token")


def check_same(wanted: Model, found: Model) -> None:
    """An error that names the first difference, if there is one.

    The order of special tokens does not matter: the longest match wins, whatever their order.
    """
    problem = (_vocab_difference(wanted.vocab, found.vocab)
               or _merge_difference(wanted.merges, found.merges))
    if not problem and set(wanted.special_tokens) != set(found.special_tokens):
        problem = f"the special tokens {wanted.special_tokens} come back as {found.special_tokens}"
    if not problem and wanted.pattern != found.pattern:
        problem = f"the pattern {wanted.pattern!r} comes back as {found.pattern!r}"
    if not problem and wanted.pipeline != found.pipeline:
        problem = f"the steps around the merges come back as {found.pipeline}"
    if problem:
        raise ValueError(f"this format can't keep the tokenizer: {problem}; nothing was written")


def _vocab_difference(wanted: Vocab, found: Vocab) -> str:
    if wanted == found:
        return ""
    for number in sorted(wanted.keys() | found.keys()):
        if wanted.get(number) != found.get(number):
            before, after = (shown(vocab[number]) if number in vocab else "nothing"
                             for vocab in (wanted, found))
            return f"the id {number} stands for {before}, but comes back as {after}"
    return ""


def _merge_difference(wanted: list[Pair], found: list[Pair]) -> str:
    for place, (before, after) in enumerate(zip(wanted, found)):
        if before != after:
            return f"merges[{place}] is {before}, but comes back as {after}"
    if len(wanted) != len(found):
        return f"{len(wanted)} merges come back as {len(found)}"
    return ""
