"""A text that comes in parts: its ids, as soon as they are certain."""

from collections.abc import Iterable, Iterator

from cs336_bpe.text.cuts import Cutter
from cs336_bpe.text.streams import utf8_parts, whole_documents
from cs336_bpe.tokenizer.coder import Coder
from cs336_bpe.tokenizer.native import engine
from cs336_bpe.tokenizer.special_choice import Choice

CACHE_BYTES = 1 << 19  # a stream is to stay small, as its other parts do


def encode_stream(coder: Coder, parts: Iterable[str], choice: Choice,
                  width: int) -> Iterator[engine.Ids]:
    """The ids of a text in parts, part by part."""
    if isinstance(parts, bytes) or not isinstance(parts, Iterable):
        raise TypeError(f"parts is a {type(parts).__name__}; it must be an iterable of str, "
                        f"such as an open text file or [text]")
    # What must not occur has to be found as a whole, so it must not be cut in two either.
    uncut = coder.choices.all if choice.refused is not None else choice
    encode = _encode_open if coder.is_direct else _encode_documents
    return filter(len, encode(coder, parts, choice, uncut, width))


def _encode_open(coder: Coder, parts: Iterable[str], choice: Choice, uncut: Choice,
                 width: int) -> Iterator[engine.Ids]:
    special_of = {number: token for token, number in uncut.splitter.ids.items()}
    cache = coder.engine.new_cache(CACHE_BYTES)
    text = engine.OpenText(coder.engine, dict(uncut.splitter.ids), width, cache)
    for data in utf8_parts(parts):
        ids, special = text.add(data)
        while special is not None:
            yield ids
            yield _ids_of_special(coder, special_of, special, choice, width)
            ids, special = text.add(b"")
        yield ids
    ids, special = text.end()
    while special is not None:
        yield ids
        yield _ids_of_special(coder, special_of, special, choice, width)
        ids, special = text.end()
    yield ids


def _ids_of_special(coder: Coder, special_of: dict[int, str], special: tuple[int, int],
                    choice: Choice, width: int) -> engine.Ids:
    """A special token that was found at an offset: its id, or an error if it must not occur."""
    offset, number = special
    return coder.encode_any(special_of[number], choice, width, offset=offset)


def _encode_documents(coder: Coder, parts: Iterable[str], choice: Choice, uncut: Choice,
                      width: int) -> Iterator[engine.Ids]:
    cache = coder.engine.new_cache(CACHE_BYTES)
    offset = 0
    cutter = None if coder.cut_by is None else Cutter(uncut.tokens, coder.cut_by)
    for data in whole_documents(parts, [token.encode() for token in uncut.tokens], cutter):
        yield coder.encode_any(data, choice, width, cache=cache, offset=offset)
        offset += len(data)
