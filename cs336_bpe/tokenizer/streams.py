"""A text that comes in parts: its ids, as soon as they are certain."""

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from cs336_bpe.text.cuts import Cutter
from cs336_bpe.text.streams import utf8_parts, whole_documents
from cs336_bpe.tokenizer.coder import Coder
from cs336_bpe.tokenizer.native import engine
from cs336_bpe.tokenizer.special_choice import Choice

if TYPE_CHECKING:
    from cs336_bpe.tokenizer.preparing import Preparation

CACHE_BYTES = 1 << 19  # a stream is to stay small, as its other parts do


def encode_stream(coder: Coder, parts: Iterable[str], choice: Choice,
                  width: int) -> Iterator[engine.Ids]:
    """The ids of a text in parts, part by part."""
    if isinstance(parts, bytes) or not isinstance(parts, Iterable):
        raise TypeError(f"parts is a {type(parts).__name__}; it must be an iterable of str, "
                        f"such as an open text file or [text]")
    # What must not occur has to be found as a whole, so it must not be cut in two either.
    uncut = coder.choices.all if choice.refused is not None else choice
    if coder.is_direct:
        return filter(len, _encode_open(coder, parts, choice, uncut, width))
    preparation = coder.preparation
    if preparation is not None and preparation.can_stream(choice.added):
        return filter(len, _encode_prepared(coder, preparation, parts, choice, width))
    return filter(len, _encode_documents(coder, parts, choice, uncut, width))


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


def _encode_prepared(coder: Coder, preparation: "Preparation", parts: Iterable[str],
                     choice: Choice, width: int) -> Iterator[engine.Ids]:
    """Text is normalized as it comes, between added tokens that are found before that; those that
    are found after it, `OpenText` finds."""
    assert choice.added is not None
    cache = coder.engine.new_cache(CACHE_BYTES)
    later = {content: preparation.ids[token.content]
             for content, token in choice.added.normalized.contents.items()}
    text = engine.OpenText(coder.engine, later, width, cache)

    def certain(data: bytes | None) -> Iterator[engine.Ids]:
        ids, special = text.end() if data is None else text.add(data)
        while special is not None:
            yield ids
            yield coder.engine.encode_pieces([special[1]], width, cache)
            ids, special = text.end() if data is None else text.add(b"")
        yield ids

    for piece in preparation.stream(_without_refused(parts, choice), choice.added):
        if isinstance(piece, str):
            yield from certain(piece.encode())
        else:
            yield from certain(None)
            yield coder.engine.encode_pieces([piece], width, cache)
    yield from certain(None)


def _without_refused(parts: Iterable[str], choice: Choice) -> Iterator[str]:
    """The same parts, or an error if special tokens that must not occur do, also across parts."""
    kept, offset = b"", 0
    for data in utf8_parts(parts):
        if choice.refused is not None:
            kept += data
            choice.check(kept, offset)
            rest = max(0, len(kept) - choice.refused.longest + 1)
            kept, offset = kept[rest:], offset + rest
        yield data.decode()


def _encode_documents(coder: Coder, parts: Iterable[str], choice: Choice, uncut: Choice,
                      width: int) -> Iterator[engine.Ids]:
    cache = coder.engine.new_cache(CACHE_BYTES)
    offset = 0
    cutter = None if coder.cut_by is None else Cutter(uncut.tokens, coder.cut_by)
    for data in whole_documents(parts, [token.encode() for token in uncut.tokens], cutter):
        yield coder.encode_any(data, choice, width, cache=cache, offset=offset)
        offset += len(data)
