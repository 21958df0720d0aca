from collections.abc import Mapping

class TokenTable:
    def __init__(self, vocab: Mapping[int, bytes]) -> None: ...

class GivenIds:
    size: int
    total: int
