"""What a stage has to offer: one contract per ladder, checked by mypy and by a test.

A stage is a module. The registry (`cs336_bpe.stages`) says where it is and what it can do beyond
its contract; everything that runs a stage relies on these signatures alone.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from os import PathLike
from typing import Any, Protocol

from cs336_bpe.common.progress import Progress
from cs336_bpe.rules.ties import TieBreak
from cs336_bpe.rules.tokens import Pair


class CountPretokens(Protocol):
    """`count_pretokens` of a stage of the pretokenization ladder: a file's pretokens, counted.

    The result is a mapping from each pretoken to how often it occurs. `workers` may be greater
    than 1 only if the registry says that the stage is parallel, and `pattern` may be another than
    GPT-2's only if it says that the stage takes any pattern.
    """

    def __call__(
        self,
        input_path: str | PathLike[str],
        special_tokens: Iterable[str],
        *,
        pattern: str = ...,
        errors: str = "strict",
        workers: int | None = None,
        block_bytes: int = ...,
        progress: Progress = None,
    ) -> Mapping[bytes, int]: ...


class CountBlocks(Protocol):
    """`count_blocks` of a stage that has it, as the registry says: text that need not be a file's.

    `reader` is a `text.blocks.BlockReader`. The arguments have been checked: `special_tokens`,
    `pattern` and `errors` are those with which the reader's cutter was made.
    """

    def __call__(
        self,
        reader: Any,
        special_tokens: list[str],
        pattern: str,
        errors: str,
        workers: int,
        report: Callable[[int], None],
    ) -> Mapping[bytes, int]: ...


class LearnMerges(Protocol):
    """`learn_merges` of a stage of the training ladder: counted pretokens in, merges out."""

    def __call__(
        self,
        counts: Mapping[bytes, int],
        num_merges: int,
        *,
        tie_break: TieBreak = "lexicographic",
        progress: Progress = None,
    ) -> list[Pair]: ...


class PretokenEncoder(Protocol):
    """`Encoder` of a stage of the encoding ladder (rule 10): a pretoken in, its ids out.

    An encoder does not change once it is made, and many threads may use it at once.
    """

    def __init__(self, vocab: Mapping[int, bytes], merges: Sequence[Pair]) -> None: ...

    def encode_pretoken(self, pretoken: bytes) -> list[int]: ...


class TextEncoder(PretokenEncoder, Protocol):
    """An `Encoder` that also takes whole texts, as the registry says of the last stages."""

    def encode_text(self, text: bytes) -> list[int]: ...


class IdDecoder(Protocol):
    """`Decoder` of a stage of the decoding ladder: ids in, the bytes of their tokens out, or text.

    Ids are integers: in a list or a tuple, an array (of numpy, `array.array`, a memoryview) of any
    width, or anything else that can be iterated over. One that is not in the vocabulary is a
    ValueError, and what is not an integer a TypeError; both name its place. A decoder does not
    change once it is made, and many threads may use it at once.
    """

    def __init__(self, vocab: Mapping[int, bytes]) -> None: ...

    def decode_bytes(self, ids: Iterable[int]) -> bytes: ...

    def decode(self, ids: Iterable[int], errors: str = "replace") -> str: ...


class EarlyStopWarning(UserWarning):
    """Training ran out of pairs before it reached the size that was asked for (rule 6)."""
