"""A text that comes in parts: its ids, as soon as they are certain."""

from collections.abc import Iterable, Iterator

from cs336_bpe.text.streams import utf8_parts, whole_documents
from cs336_bpe.tokenizer.coder import Coder
from cs336_bpe.tokenizer.engine import Ids, OpenText
from cs336_bpe.tokenizer.special_choice import Choice

CACHE_BYTES = 1 << 19  # a stream is to stay small, as its other parts do


def encode_stream(coder: Coder, parts: Iterable[str], choice: Choice,
                  width: int) -> Iterator[Ids]:
    """The ids of a text in parts, part by part."""
    if isinstance(parts, bytes) or not isinstance(parts, Iterable):
        raise TypeError(f"parts is a {type(parts).__name__}; it must be an iterable of str, "
                        f"such as an open text file or [text]")
    # What must not occur has to be found as a whole, so it must not be cut in two either.
    uncut = coder.choices.all if choice.refused is not None else choice
    if coder.compiled is None:
        return _encode_documents(coder, parts, choice, uncut, width)
    return _encode_open(coder, parts, choice, uncut, width)


def _encode_open(coder: Coder, parts: Iterable[str], choice: Choice, uncut: Choice,
                 width: int) -> Iterator[Ids]:
    special_of = {number: token for token, number in uncut.splitter.ids.items()}
    cache = coder.engine.new_cache(CACHE_BYTES)
    text = OpenText(coder.engine, dict(uncut.splitter.ids), width, cache)
    for data in utf8_parts(parts):
        ids, special = text.add(data)
        yield ids
        while special is not None:
            yield _ids_of(coder, special_of[special[1]], choice, width, special[0])
            ids, special = text.add(b"")
            yield ids
    special = (0, 0)
    while special is not None:
        ids, special = text.end()
        yield ids
        if special is not None:
            yield _ids_of(coder, special_of[special[1]], choice, width, special[0])


def _ids_of(coder: Coder, token: str, choice: Choice, width: int, offset: int) -> Ids:
    return coder.encode_any(token, choice, width, offset=offset)


def _encode_documents(coder: Coder, parts: Iterable[str], choice: Choice, uncut: Choice,
                      width: int) -> Iterator[Ids]:
    cache = coder.engine.new_cache(CACHE_BYTES)
    offset = 0
    for data in whole_documents(parts, [token.encode() for token in uncut.tokens]):
        yield coder.encode_any(data, choice, width, cache=cache, offset=offset)
        offset += len(data)
