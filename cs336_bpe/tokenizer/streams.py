"""A text that comes in parts: its ids, as soon as they are certain."""

from collections.abc import Iterable, Iterator

from cs336_bpe.text.streams import final_parts
from cs336_bpe.tokenizer import engine
from cs336_bpe.tokenizer.coder import Coder
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
    final_length = engine.final_length if coder.is_gpt2 else None
    cache = coder.engine.new_cache(CACHE_BYTES)

    def encoded() -> Iterator[engine.Ids]:
        offset = 0
        for data in final_parts(parts, [token.encode() for token in uncut.tokens], final_length):
            yield coder.encode_any(data, choice, width, cache=cache, offset=offset)
            offset += len(data)

    return encoded()  # a generator of its own, so that bad arguments raise here, not at `next`
