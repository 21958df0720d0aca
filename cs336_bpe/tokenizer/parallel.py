"""One text, or many texts, encoded by several threads."""

from collections.abc import Iterable, Iterator

from cs336_bpe.text.crew import over_items
from cs336_bpe.text.cuts import Cutter
from cs336_bpe.text.utf8 import Text, as_bytes
from cs336_bpe.tokenizer.coder import Coder
from cs336_bpe.tokenizer.native import engine
from cs336_bpe.tokenizer.special_choice import Choice

PART_BYTES = 1 << 20  # of a text that is encoded in parts
LONG = 1 << 24
"""Bytes of a text that one thread encodes in parts too: between two of them Ctrl-C is answered."""
MOST_IN_A_GROUP = 1024  # texts


def encode_in_parts(coder: Coder, text: Text, choice: Choice, width: int,
                    workers: int) -> engine.Ids:
    """The ids of one text, cut where that changes nothing, a part per thread at a time."""
    if not coder.is_direct or len(text) <= (LONG if workers == 1 else PART_BYTES):
        return coder.encode_any(text, choice, width)
    given = as_bytes(text)
    choice.check(given)
    data = given.encode() if isinstance(given, str) else bytes(given)
    # Parts are small, and are put together as they come, so their memory is used again and again.
    # Fresh memory for all of them, and then for the whole, made two threads slower.
    checked = coder.choices.none if choice.refused is not None else choice
    cutter = Cutter(checked.tokens, coder.compiled, errors="replace")
    parts = _parts(data, cutter)
    whole = engine.Ids(width, 0)

    def add(ids: engine.Ids) -> None:
        if not len(whole):  # as many ids per byte as in the first part, and some more
            whole.reserve(len(ids) * len(data) // len(parts[0]) * 9 // 8 + 8)
        whole.extend(ids)

    over_items(iter(parts), lambda part: coder.encode_any(part, checked, width), workers,
               lambda: None, use=add)
    whole.shrink()
    return whole


def _parts(data: bytes, cutter: Cutter) -> list[memoryview]:
    """A text in parts that can be encoded one by one."""
    cuts = [0]
    while cuts[-1] + PART_BYTES < len(data):
        cut = cutter.last_cut(data, cuts[-1] + PART_BYTES, first=cuts[-1] + 1)
        if not cut:
            break
        cuts.append(cut)
    cuts.append(len(data))
    view = memoryview(data)
    return [view[start:stop] for start, stop in zip(cuts, cuts[1:])]


def encode_groups(coder: Coder, batch: list[str], choice: Choice, width: int,
                  workers: int) -> Iterator[tuple[engine.Ids, engine.Offsets]]:
    """The ids of many texts, group by group, in order."""
    def encode_group(group: list[str]) -> tuple[engine.Ids, engine.Offsets]:
        if choice.refused is not None:
            for text in group:
                choice.check(text)
        if coder.is_direct:
            return coder.engine.encode_many(group, choice.native, width)
        return coder.engine.joined([coder.encode_any(text, choice, width) for text in group], width)

    # Long texts first would balance better, but a thread takes the next group when it is free.
    # Groups, so that a million short texts are not a million tasks, and their ids not all there at
    # once before they become lists.
    size = max(1, min(MOST_IN_A_GROUP, len(batch) // (8 * workers)))
    groups = [batch[start : start + size] for start in range(0, len(batch), size)]
    if workers == 1 or len(groups) < 2:
        yield from map(encode_group, groups)
    else:
        encoded: list[tuple[engine.Ids, engine.Offsets]] = []
        over_items(iter(groups), encode_group, workers, lambda: None, use=encoded.append)
        yield from encoded


def encode_batch(coder: Coder, batch: list[str], choice: Choice, workers: int) -> list[list[int]]:
    """The ids of each text."""
    lists: list[list[int]] = []
    for ids, offsets in encode_groups(coder, batch, choice, coder.width, workers):
        lists += coder.engine.as_lists(ids, offsets)
    return lists


def encode_batch_arrays(coder: Coder, batch: list[str], choice: Choice, width: int,
                        workers: int) -> tuple[engine.Ids, engine.Offsets]:
    """The ids of all texts, and where those of each begin."""
    whole, begins = engine.Ids(width, 8), engine.Offsets(1)
    for ids, offsets in encode_groups(coder, batch, choice, width, workers):
        whole.extend(ids)
        begins.extend(offsets)
    whole.shrink()
    return whole, begins


def check_texts(texts: Iterable[str]) -> list[str]:
    if isinstance(texts, (str, bytes)) or not isinstance(texts, Iterable):
        raise TypeError(f"texts is a {type(texts).__name__}; it must be an iterable of str")
    batch = list(texts)
    for place, text in enumerate(batch):
        if not isinstance(text, str):
            raise TypeError(f"texts[{place}] is a {type(text).__name__}; it must be str")
    return batch
