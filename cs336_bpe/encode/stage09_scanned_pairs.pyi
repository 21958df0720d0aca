from collections.abc import Mapping, Sequence

from cs336_bpe.rules import Pair

HEAP_FROM: int

class Encoder:
    def __init__(
        self, vocab: Mapping[int, bytes], merges: Sequence[Pair], *, heap_from: int = ...
    ) -> None: ...
    def encode_pretoken(self, pretoken: bytes) -> list[int]: ...
