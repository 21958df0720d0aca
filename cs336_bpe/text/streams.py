"""A text that comes in parts, as a pattern needs it that can't be compiled.

Nobody knows how far such a pattern looks. So what is between two special tokens is put together
first, and given out when the second one has come. (How much is certain with a compiled pattern,
its automaton tells: see `OpenText` in `tokenizer/engine.pyx`. If only the compiler is missing, the
automaton still tells where to cut, and long texts are given out in parts.)
"""

from collections.abc import Iterable, Iterator

from cs336_bpe.text.cuts import Cutter
from cs336_bpe.text.specials import pattern_of
from cs336_bpe.text.utf8 import as_utf8

LONG = 1 << 16  # bytes


def utf8_parts(parts: Iterable[str]) -> Iterator[bytes]:
    """The parts of a text as UTF-8; an error names the part."""
    for place, part in enumerate(parts):
        if not isinstance(part, str):
            raise TypeError(f"part {place} is {part!r}, a {type(part).__name__}; it must be str")
        yield as_utf8(part, f"part {place}")


def whole_documents(parts: Iterable[str], specials: list[bytes],
                    cutter: Cutter | None = None) -> Iterator[bytes]:
    """The text again, as UTF-8: the special tokens, and what is between them.

    A cutter, if there is one, cuts what is longer than `LONG`.

    >>> list(whole_documents(["Hello wor", "ld<", "e>!"], [b"<e>"]))
    [b'Hello world', b'<e>', b'!']
    """
    import regex

    found = regex.compile(pattern_of(specials) if specials else b"(?!)")
    longest = max(map(len, specials), default=0)
    beginnings = {token[:size] for token in specials for size in range(1, len(token))}
    held = bytearray()
    searched = 0  # no special token starts before this place of what is held, nor may one
    limit = LONG
    for data in utf8_parts(parts):
        held += data
        while True:
            places = range(max(searched, len(held) - longest + 1), len(held))
            is_open = (at for at in places if bytes(held[at:]) in beginnings)
            first_open = next(is_open, len(held))
            match = found.search(held, searched)
            start, stop = (len(held), 0) if match is None else match.span()
            del match  # it keeps `held` from being resized
            if start >= first_open:  # there is none yet, or it may become a longer one
                searched = first_open
                break
            yield from filter(None, (bytes(held[:start]), bytes(held[start:stop])))
            del held[:stop]
            searched = 0
        if cutter is not None and searched >= limit:
            if cut := cutter.last_cut(held, searched):
                yield bytes(held[:cut])
                del held[:cut]
                searched -= cut
            limit = LONG + 2 * searched  # so that what can't be cut is not searched again and again
    start = 0
    for match in found.finditer(bytes(held)):
        yield from filter(None, (bytes(held[start : match.start()]), match.group()))
        start = match.end()
    if start < len(held):
        yield bytes(held[start:])
