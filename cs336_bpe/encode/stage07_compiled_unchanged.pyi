from collections.abc import Mapping, Sequence

from cs336_bpe.rules import Pair

class Encoder:
    def __init__(self, vocab: Mapping[int, bytes], merges: Sequence[Pair]) -> None: ...
    def encode_pretoken(self, pretoken: bytes) -> list[int]: ...
