"""One text, or many texts, encoded by several threads."""

from collections.abc import Iterable, Iterator

from cs336_bpe.text.crew import over_items
from cs336_bpe.text.cuts import Cutter
from cs336_bpe.text.utf8 import Text, as_utf8
from cs336_bpe.tokenizer.coder import Coder
from cs336_bpe.tokenizer.native import engine
from cs336_bpe.tokenizer.special_choice import Choice

PART_BYTES = 1 << 20  # of a text that is encoded in parts
LAST_PARTS = 8  # in them the last bytes are divided, so that all threads end at the same time
SMALLEST_PART = 1 << 17
END_OF_A_PART = 1 << 12  # characters in which a place to cut is looked for first
LONG = 1 << 24
"""Bytes of a text that one thread encodes in parts too: between two of them Ctrl-C is answered."""
MOST_IN_A_GROUP = 1024  # texts


def encode_in_parts(coder: Coder, text: Text, choice: Choice, width: int,
                    workers: int) -> engine.Ids:
    """The ids of one text, cut where that changes nothing, a part per thread at a time."""
    if not coder.is_direct or len(text) <= (LONG if workers == 1 else PART_BYTES):
        return coder.encode_any(text, choice, width)
    choice.check(text)
    checked = coder.choices.none if choice.refused is not None else choice
    cutter = Cutter(checked.tokens, coder.compiled, errors="replace")
    data = text if isinstance(text, str) else bytes(text)
    parts = _parts_of_str(data, cutter) if isinstance(data, str) else _parts(data, cutter)
    whole = engine.Ids(width, most_bytes(data))

    def encode(part: tuple[int, int]) -> engine.Ids:
        ids = whole if workers == 1 else coder.engine.take_ids(width)
        return coder.encode_part(data, *part, checked, ids)

    def add(ids: engine.Ids) -> None:
        if ids is not whole:
            whole.extend(ids)
            coder.engine.give_back_ids(ids)

    try:
        over_items(parts, encode, workers, lambda: None, use=add)
    except ValueError:
        if isinstance(text, str):
            as_utf8(text)  # if a character has no UTF-8 form, this says where it is in all of it
        raise
    whole.shrink()
    return whole


def most_bytes(text: str | bytes) -> int:
    """How many bytes of UTF-8 a text may have, without looking at all of it."""
    return len(text) if isinstance(text, bytes) or text.isascii() else 4 * len(text)


def _part_size(left: int) -> int:
    """How much of the rest of a text is the next part."""
    return min(PART_BYTES, max(SMALLEST_PART, left // LAST_PARTS))


def _parts(data: bytes, cutter: Cutter) -> Iterator[tuple[int, int]]:
    """Where parts of a text begin and end that can be encoded one by one."""
    start = 0
    while start + (size := _part_size(len(data) - start)) < len(data):
        cut = cutter.last_cut(data, start + size, first=start + 1)
        if not cut:
            break
        yield start, cut
        start = cut
    yield start, len(data)


def _parts_of_str(text: str, cutter: Cutter) -> Iterator[tuple[int, int]]:
    """The same of a str. The engine turns it into UTF-8, faster than Python does."""
    start, size = 0, _part_size(len(text))
    while start + size < len(text):
        cut = _last_cut_of_str(text, start, start + size, cutter)
        if cut:
            yield start, cut
            start, size = cut, _part_size(len(text) - cut)
        else:  # nowhere to cut: take twice as much
            size *= 2
    yield start, len(text)


def _last_cut_of_str(text: str, start: int, stop: int, cutter: Cutter) -> int:
    """The last character of `text[start + 1:stop]` before which there is seen to be a cut, or 0.
    There is one at `start`."""
    size = END_OF_A_PART
    while True:
        begin = max(start, stop - size)
        end = text[begin:stop].encode("utf-8", "surrogatepass")
        # A special token may have begun before what is seen.
        cut = cutter.last_cut(end, len(end), first=1 if begin == start else cutter.margin)
        if cut:
            return begin + len(end[:cut].decode("utf-8", "surrogatepass"))
        if begin == start:
            return 0
        size *= 4


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
    whole, begins = engine.Ids(width, 0), engine.Offsets(1)
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
