"""The tokenizer: text to ids, and back.

Encoding is done by `engine`, which is the last stage of the encoding ladder and knows GPT-2's
pattern; any other pattern runs through `regex`. Around it are the things that a user meets: special tokens, streams,
files, and errors that say what is wrong.
"""

import os
import sys
from codecs import getincrementaldecoder
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import chain
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal

import numpy
from numpy.typing import DTypeLike

from cs336_bpe.common.progress import Progress
from cs336_bpe.encode.trace import Explanation, explain_pretoken
from cs336_bpe.formats import read_gpt2, to_huggingface, to_tiktoken
from cs336_bpe.rules import (
    GPT2_PATTERN,
    Model,
    Pair,
    check_pattern,
    check_size,
    check_workers,
    is_gpt2,
    separate_specials,
    shown,
)
from cs336_bpe.text.cuts import Cutter
from cs336_bpe.text.specials import SpecialSplitter
from cs336_bpe.text.streams import final_parts
from cs336_bpe.tokenizer import engine
from cs336_bpe.tokenizer.engine import DEFAULT_CACHE_BYTES
from cs336_bpe.tokenizer.files import FileEncoder

if TYPE_CHECKING:
    import pathlib

    import tiktoken
    import tokenizers

    from cs336_bpe.views.notebook import ShownText

Path = str | os.PathLike[str]
Text = str | bytes | bytearray | memoryview
Which = Literal["all", "none", "raise"] | Iterable[str]

STREAM_CACHE_BYTES = 1 << 19  # a stream is to stay small, as its other parts do
PART_BYTES = 1 << 20  # of a text that is encoded in parts
ID_TYPES = (int, numpy.integer)


class Tokenizer:
    """Encodes text as ids of a vocabulary, and decodes ids.

    >>> from cs336_bpe import train_bpe_from_counts
    >>> vocab, merges = train_bpe_from_counts({b"low": 5, b" lower": 2}, 260, ["<|end|>"])
    >>> tokenizer = Tokenizer(vocab, merges, ["<|end|>"])
    >>> ids = tokenizer.encode("low lower<|end|>")
    >>> [tokenizer.token_bytes(number) for number in ids]
    [b'low', b' ', b'lowe', b'r', b'<|end|>']
    >>> tokenizer.decode(ids)
    'low lower<|end|>'

    `vocab` and `merges` are what `train_bpe` returns, or any others that are consistent (see
    `vocabulary.py`): ids may be in any order and have gaps. Special tokens that are missing from
    the vocab get ids after the greatest.

    A tokenizer never changes, and many threads may use it at once. It remembers the ids of
    pretokens; `cache_bytes` is the most memory for that, for each thread that encodes at the same
    time. When it is used up, everything is forgotten and learnt anew.
    """

    def __init__(
        self,
        vocab: Mapping[int, bytes],
        merges: Sequence[Pair],
        special_tokens: Iterable[str] | None = None,
        *,
        pattern: str = GPT2_PATTERN,
        cache_bytes: int = DEFAULT_CACHE_BYTES,
    ) -> None:
        ids = separate_specials(vocab, merges, () if special_tokens is None else special_tokens)
        self._regex = check_pattern(pattern)
        limit = check_size("cache_bytes", cache_bytes, engine.SMALLEST_CACHE_BYTES)
        self._cache_bytes = min(limit, sys.maxsize)
        self._tokens = {int(number): token for number, token in sorted(vocab.items())}
        for special, number in ids.specials.items():
            self._tokens[number] = special.encode()
        self._merges = tuple((left, right) for left, right in merges)
        self._ids = ids.ordinary
        self._special_ids = ids.specials
        self._pattern = pattern
        self._is_gpt2 = is_gpt2(pattern)
        self._engine = engine.Engine(self._tokens, self._merges, self._ids, self._cache_bytes)
        self._width = 2 if max(self._tokens) < 1 << 16 else 4  # bytes, of an id
        self._splitters: dict[frozenset[str], SpecialSplitter] = {}
        self._all = self._splitter_for(frozenset(self._special_ids))

    @classmethod
    def from_files(
        cls,
        vocab_path: Path,
        merges_path: Path,
        special_tokens: Iterable[str] | None = None,
        *,
        pattern: str = GPT2_PATTERN,
        cache_bytes: int = DEFAULT_CACHE_BYTES,
    ) -> "Tokenizer":
        """A tokenizer from GPT-2's two files, `vocab.json` and `merges.txt`."""
        return cls.from_model(read_gpt2(vocab_path, merges_path, special_tokens, pattern),
                              cache_bytes=cache_bytes)

    @classmethod
    def from_model(cls, model: Model, *, cache_bytes: int = DEFAULT_CACHE_BYTES) -> "Tokenizer":
        """A tokenizer from what `cs336_bpe.formats` reads."""
        return cls(model.vocab, model.merges, model.special_tokens, pattern=model.pattern,
                   cache_bytes=cache_bytes)

    @classmethod
    def load(
        cls,
        path: Path,
        special_tokens: Iterable[str] | Mapping[str, int] | None = None,
        *,
        pattern: str | None = None,
        cache_bytes: int = DEFAULT_CACHE_BYTES,
    ) -> "Tokenizer":
        """A tokenizer from a file or a folder of any format; see `cs336_bpe.formats.loading`.

        >>> from tempfile import TemporaryDirectory
        >>> from cs336_bpe import train_bpe_from_counts
        >>> tokenizer = Tokenizer(*train_bpe_from_counts({b"low": 5, b" lower": 2}, 260, []))
        >>> with TemporaryDirectory() as folder:
        ...     [file] = tokenizer.save(folder)
        ...     print(file.name, Tokenizer.load(folder) == tokenizer)
        tokenizer.bpe.json True
        """
        from cs336_bpe.formats.loading import load_model

        return cls.from_model(load_model(path, special_tokens, pattern=pattern),
                              cache_bytes=cache_bytes)

    def save(self, path: Path, *, format: str = "own") -> "list[pathlib.Path]":
        """Write it to a file, or into a folder, and return the files that were written.

        `format` is "own", our file that has everything, "gpt2" (`vocab.json` and `merges.txt`),
        "tiktoken" (ranks; without special tokens and pattern) or "huggingface"
        (`tokenizer.json`). What was written is read back and compared first.
        """
        from cs336_bpe.formats.loading import save_model

        return save_model(self.model, path, format)

    def to_tiktoken(self, name: str = "cs336_bpe") -> "tiktoken.Encoding":
        """The same tokenizer as a `tiktoken.Encoding`, if that gives the same ids."""
        return to_tiktoken(self.model, name)

    def to_huggingface(self) -> "tokenizers.Tokenizer":
        """The same tokenizer as a `tokenizers.Tokenizer`, if that gives the same ids."""
        return to_huggingface(self.model)

    # --- What it is made of ----------------------------------------------------------------

    @property
    def vocab(self) -> Mapping[int, bytes]:
        """The token of each id, special tokens included."""
        return MappingProxyType(self._tokens)

    @property
    def merges(self) -> tuple[Pair, ...]:
        """The merges, in the order in which they were learnt."""
        return self._merges

    @property
    def special_tokens(self) -> Mapping[str, int]:
        """The special tokens and their ids."""
        return MappingProxyType(self._special_ids)

    @property
    def pattern(self) -> str:
        """The regular expression that splits text into pretokens."""
        return self._pattern

    @property
    def vocab_size(self) -> int:
        """The number of tokens. (The greatest id is greater if ids have gaps.)"""
        return len(self._tokens)

    @property
    def smallest_dtype(self) -> "numpy.dtype[Any]":
        """The type that arrays of ids have: `uint16` if all ids fit, else `uint32`."""
        return numpy.dtype(numpy.uint16 if self._width == 2 else numpy.uint32)

    @property
    def model(self) -> Model:
        """All of it, for `cs336_bpe.formats`."""
        return Model(dict(self._tokens), list(self._merges), list(self._special_ids),
                     self._pattern)

    def token_bytes(self, number: int) -> bytes:
        """The bytes of a token."""
        if not _is_id(number) or number not in self._tokens:
            raise self._unknown_id(number, "number is ")
        return self._tokens[number]

    def id_of(self, token: bytes | str) -> int:
        """The id of a token; of a special one if it is given as `str`."""
        if isinstance(token, str):
            if token in self._special_ids:
                return self._special_ids[token]
            raise ValueError(f"there is no special token {token!r}; give other tokens as bytes")
        if not isinstance(token, bytes):
            raise TypeError(f"token is {token!r}, a {type(token).__name__}; it must be bytes, or "
                            f"str for a special token")
        if token not in self._ids:
            raise ValueError(f"{shown(token)} is no token of this vocabulary")
        return self._ids[token]

    def truncated(self, vocab_size: int) -> "Tokenizer":
        """The tokenizer that training to a smaller size would have given: its first merges.

        >>> from cs336_bpe import train_bpe_from_counts
        >>> vocab, merges = train_bpe_from_counts({b"low": 5, b" lower": 2}, 260, ["<|end|>"])
        >>> Tokenizer(vocab, merges, ["<|end|>"]).truncated(258).merges
        ((b'o', b'w'),)
        """
        # A token that is learnt and special, with one id for both, stays when its merge goes.
        specials = set(self._special_ids.values())
        learnt = [self._ids[left + right] for left, right in self._merges]
        others = self.vocab_size - sum(number not in specials for number in learnt)
        size = check_size("vocab_size", vocab_size, others, " (bytes and special tokens)")
        if size > self.vocab_size:
            raise ValueError(f"vocab_size is {size}, but this tokenizer has only "
                             f"{self.vocab_size} tokens; train a larger one")
        kept = dict(self._tokens)
        while len(kept) > size:
            number = learnt.pop()
            if number not in specials:
                del kept[number]
        return type(self)(kept, self._merges[: len(learnt)], list(self._special_ids),
                          pattern=self._pattern, cache_bytes=self._cache_bytes)

    # --- Encoding --------------------------------------------------------------------------

    def encode(self, text: str, *, specials: Which = "all") -> list[int]:
        """The ids of a text.

        `specials` says which special tokens are recognised in the text. Where text comes from
        strangers, "none" takes all of them for plain text, and "raise" refuses text that contains
        one. A set recognises some.

        >>> tokenizer = Tokenizer(dict(enumerate(bytes([b]) for b in range(256))), [], ["<e>"])
        >>> tokenizer.encode("a<e>"), tokenizer.encode("a<e>", specials="none")
        ([97, 256], [97, 60, 101, 62])
        """
        if not isinstance(text, str):
            raise TypeError(f"text is a {type(text).__name__}; it must be str (encode_array takes "
                            f"bytes)")
        ids: list[int] = self._engine.as_list(self._encode(text, specials, self._width))
        return ids

    def encode_array(self, text: Text, dtype: DTypeLike | None = None, *, specials: Which = "all",
                     workers: int | None = 1) -> "numpy.ndarray[Any, Any]":
        """The ids of a text as an array: `uint16` if all ids of the vocabulary fit, else `uint32`.

        Bytes may be given as well, also such as are not UTF-8: a byte that is no part of a
        character is taken for a character that is neither letter, nor number, nor white space.
        (That is what `bytes.decode("utf-8", "surrogateescape")` makes of it.) Every byte is
        encoded, so `decode_bytes` gives the same bytes back.

        >>> tokenizer = Tokenizer(dict(enumerate(bytes([b]) for b in range(256))), [])
        >>> tokenizer.encode_array(b"a\\xff")
        array([ 97, 255], dtype=uint16)
        """
        if not isinstance(text, (str, bytes, bytearray, memoryview)):
            raise TypeError(f"text is a {type(text).__name__}; it must be str or bytes")
        specials = _as_which(specials)
        kind = self._check_dtype(dtype)
        width = 2 if kind == numpy.uint16 else 4
        number = check_workers(workers)
        if number > 1 and self._is_gpt2:
            parts = self._parts(text, specials)
            if len(parts) > 1:
                return self._encode_parts(parts, specials, width, number).astype(kind, copy=False)
        return self._as_array(self._encode(text, specials, width), width).astype(kind, copy=False)

    def encode_batch(self, texts: Iterable[str], *, workers: int | None = None,
                     specials: Which = "all") -> list[list[int]]:
        """The ids of each text, `workers` texts at a time (by default one for each processor).

        >>> tokenizer = Tokenizer(dict(enumerate(bytes([b]) for b in range(256))), [])
        >>> tokenizer.encode_batch(["a", "", "bc"])
        [[97], [], [98, 99]]
        """
        specials = _as_which(specials)
        batch = _check_texts(texts)
        number = min(check_workers(workers), max(1, len(batch)))
        self._check_which(specials)
        if number == 1:
            return [self.encode(text, specials=specials) for text in batch]
        # Long texts first would balance better, but a thread takes the next one when it is free,
        # in small groups so that a million short texts are not a million tasks.
        size = max(1, min(256, len(batch) // (8 * number)))
        groups = [batch[start : start + size] for start in range(0, len(batch), size)]

        def encode_group(group: list[str]) -> list[Any]:
            return [self._encode(text, specials, self._width) for text in group]

        with ThreadPoolExecutor(number) as pool:
            encoded = pool.map(encode_group, groups)
            return [self._engine.as_list(ids) for group in encoded for ids in group]

    def encode_iterable(self, parts: Iterable[str], *, specials: Which = "all") -> Iterator[int]:
        """The ids of a text that comes in parts, such as the lines of an open file.

        Gives exactly the ids of the whole text, wherever it was cut. No more of it is held back
        than the last pretoken, which may go on in the next part, and the beginning of what may
        become a special token. (With a pattern of one's own, where nobody knows what it looks
        at, everything since the last special token is held back.)

        >>> tokenizer = Tokenizer(dict(enumerate(bytes([b]) for b in range(256))), [], ["<e>"])
        >>> list(tokenizer.encode_iterable(["a<", "e", ">b"]))
        [97, 256, 98]
        """
        buffers = self._stream(parts, specials, self._width)
        return chain.from_iterable(map(self._engine.as_list, buffers))

    def encode_arrays(self, parts: Iterable[str], dtype: DTypeLike | None = None, *,
                      specials: Which = "all") -> "Iterator[numpy.ndarray[Any, Any]]":
        """As `encode_iterable`, but an array for each part, which is much faster.

        There is not one array for each part that goes in: what is held back comes with a later
        one, and in the end.

        >>> tokenizer = Tokenizer(dict(enumerate(bytes([b]) for b in range(256))), [], ["<e>"])
        >>> [array.tolist() for array in tokenizer.encode_arrays(["a b<", "e>c"])]
        [[97, 32, 98], [256], [99]]
        """
        kind = self._check_dtype(dtype)
        width = 2 if kind == numpy.uint16 else 4
        buffers = self._stream(parts, specials, width)
        return (self._as_array(ids, width).astype(kind, copy=False) for ids in buffers)

    def _stream(self, parts: Iterable[str], specials: Which, width: int) -> Iterator[Any]:
        """The ids of a text in parts, as `_encode` gives them, part by part."""
        if isinstance(parts, bytes) or not isinstance(parts, Iterable):
            raise TypeError(f"parts is a {type(parts).__name__}; it must be an iterable of str, "
                            f"such as an open text file or [text]")
        specials = _as_which(specials)
        splitter = self._all if specials == "raise" else self._check_which(specials)
        final_length = engine.final_length if self._is_gpt2 else None
        cache = self._engine.new_cache(STREAM_CACHE_BYTES)

        def encoded() -> Iterator[Any]:
            offset = 0
            for data in final_parts(parts, splitter.tokens, final_length):
                yield self._encode(data, specials, width, cache, offset=offset)
                offset += len(data)

        return encoded()  # not from here: what is wrong should be said at once, and not at `next`

    def encode_file(
        self,
        input_path: Path,
        output_path: Path,
        *,
        workers: int | None = None,
        progress: Progress = None,
        dtype: DTypeLike | None = None,
        errors: str = "strict",
        specials: Which = "all",
    ) -> int:
        """Encode a text file to a file of ids, and return how many there are.

        A name that ends in `.npy` gives an array for `numpy.load` (`mmap_mode="r"` reads it
        piece by piece); any other gives the bare numbers, for `numpy.fromfile` or `numpy.memmap`.
        The file is read and written in blocks, so memory does not grow with it. Until it is
        complete, the output has another name; if anything goes wrong, it is removed.

        The cache of pretokens, `cache_bytes`, is divided among the workers, which are threads.
        """
        return FileEncoder(self, self._check_dtype(dtype), _as_which(specials), errors).run(
            input_path, output_path, check_workers(workers), progress)

    def count(self, text: Text, *, specials: Which = "all") -> int:
        """The number of tokens of a text; nothing is stored.

        >>> Tokenizer(dict(enumerate(bytes([b]) for b in range(256))), []).count("déjà vu")
        9
        """
        if not isinstance(text, (str, bytes, bytearray, memoryview)):
            raise TypeError(f"text is a {type(text).__name__}; it must be str or bytes")
        return len(self._encode(text, specials, 0))

    def explain(self, text: str, *, specials: Which = "all") -> list[Explanation]:
        """The merges that each pretoken of a text goes through, step by step.

        >>> from cs336_bpe import train_bpe_from_counts
        >>> tokenizer = Tokenizer(*train_bpe_from_counts({b"low": 5, b" lower": 2}, 258, []))
        >>> print(tokenizer.explain("lows")[0])
        l o w s
        l ow s   merge 0: o + w
        low s    merge 1: l + ow
        """
        if not isinstance(text, str):
            raise TypeError(f"text is a {type(text).__name__}; it must be str")
        ranks = {pair: rank for rank, pair in enumerate(self._merges)}
        explanations = []
        for piece in self._pieces(text, self._check_specials(_as_utf8(text), specials)):
            if isinstance(piece, int):
                token = self._tokens[piece]
                explanations.append(Explanation(token, [[token]], [], [piece], True))
            else:
                explanations.append(explain_pretoken(piece, ranks, self._ids))
        return explanations

    def show(self, text: Text, *, specials: Which = "all") -> "ShownText":
        """The tokens of a text in colour, for a notebook or a terminal.

        >>> from cs336_bpe import train_bpe_from_counts
        >>> tokenizer = Tokenizer(*train_bpe_from_counts({b"low": 5, b" lower": 2}, 258, []))
        >>> tokenizer.show("low lower")
        low│ │low│e│r
        """
        from cs336_bpe.views.notebook import ShownText

        return ShownText(self, text, specials)

    # --- Decoding --------------------------------------------------------------------------

    def decode(self, ids: Iterable[int], errors: str = "replace") -> str:
        """The text of ids. Bytes that are no UTF-8 become U+FFFD, or what `errors` says.

        >>> Tokenizer(dict(enumerate(bytes([b]) for b in range(256))), []).decode([104, 105, 255])
        'hi\\ufffd'
        """
        return self.decode_bytes(ids).decode("utf-8", errors)

    def decode_bytes(self, ids: Iterable[int]) -> bytes:
        """The bytes of ids, whether they are text or not."""
        if isinstance(ids, (str, bytes)) or not isinstance(ids, Iterable):
            raise TypeError(f"ids is a {type(ids).__name__}; it must be integers")
        if isinstance(ids, numpy.ndarray):
            if ids.ndim != 1 or not (numpy.issubdtype(ids.dtype, numpy.integer) or not ids.size):
                raise TypeError(f"ids is an array of {ids.dtype} with {ids.ndim} dimensions; it "
                                f"must be integers in one dimension")
            ids = ids.tolist()
        elif not isinstance(ids, (list, tuple)):
            ids = list(ids)
        # 97.0 and True would be found as well: they are equal to 97 and 1.
        if all(issubclass(kind, ID_TYPES) and kind is not bool for kind in set(map(type, ids))):
            try:
                return b"".join([self._tokens[number] for number in ids])
            except KeyError:
                pass
        place, number = next((place, number) for place, number in enumerate(ids)
                             if not _is_id(number) or number not in self._tokens)
        raise self._unknown_id(number, f"ids[{place}] is ")

    def decode_iterable(self, ids: Iterable[int], errors: str = "replace") -> Iterator[str]:
        """The text of ids, piece by piece as they come; a character is never cut.

        >>> tokenizer = Tokenizer(dict(enumerate(bytes([b]) for b in range(256))), [])
        >>> list(tokenizer.decode_iterable("aé!".encode()))
        ['a', 'é', '!']
        """
        decoder = getincrementaldecoder("utf-8")(errors)
        for place, number in enumerate(ids):
            token = self._tokens.get(number) if _is_id(number) else None
            if token is None:
                raise self._unknown_id(number, f"ids[{place}] is ")
            text = decoder.decode(token)
            if text:
                yield text
        text = decoder.decode(b"", final=True)
        if text:
            yield text

    def _unknown_id(self, number: object, where: str) -> Exception:
        if not _is_id(number):
            return TypeError(f"{where}{number!r}, a {type(number).__name__}; ids are integers")
        return ValueError(f"{where}{number}, which is no id of this vocabulary: it has "
                          f"{self.vocab_size} tokens, with ids from {min(self._tokens)} to "
                          f"{max(self._tokens)}")

    # --- Special tokens --------------------------------------------------------------------

    def _splitter_for(self, tokens: frozenset[str]) -> SpecialSplitter:
        splitter = self._splitters.get(tokens)
        if splitter is None:
            ids = {token: self._special_ids[token] for token in self._special_ids
                   if token in tokens}
            splitter = SpecialSplitter(ids, engine.Specials(ids))
            if len(self._splitters) < 100:  # or somebody tries all subsets
                self._splitters[tokens] = splitter
        return splitter

    def _check_which(self, specials: Which) -> SpecialSplitter:
        """Which special tokens to look for; for "raise" none, as `_check_specials` has looked."""
        if isinstance(specials, str):
            if specials == "all":
                return self._all
            if specials in ("none", "raise"):
                return self._splitter_for(frozenset())
            raise ValueError(f"specials is {specials!r}; it must be 'all', 'none', 'raise' or a "
                             f"set of special tokens")
        wanted = frozenset(_as_which(specials))
        for token in wanted:
            if token not in self._special_ids:
                known = ", ".join(map(repr, self._special_ids)) or "none"
                raise ValueError(f"specials has {token!r}, which is no special token of this "
                                 f"tokenizer; it has {known}")
        return self._splitter_for(wanted)

    def _check_specials(self, text: Text, specials: Which,
                        offset: int | None = 0) -> SpecialSplitter:
        """`_check_which`; for "raise" also an error if the text, from `offset` on, has one."""
        splitter = self._check_which(specials)
        if isinstance(specials, str) and specials == "raise":
            data = _as_utf8(text)
            place = self._all.native.first_in(data)
            if place is not None:
                start, length = place
                found = data[start : start + length]
                token = found if isinstance(found, str) else bytes(found).decode()
                where = "" if offset is None else f" at byte {offset + start}"
                raise ValueError(f"text contains the special token {token!r}{where}; "
                                 f"specials='none' takes it for plain text, 'all' for the token")
        return splitter

    # --- The work --------------------------------------------------------------------------

    def _encode(self, text: Text, specials: Which, width: int,
                cache: engine.Cache | None = None, strict: bool = False,
                offset: int | None = 0) -> Any:
        """The ids, of `width` bytes each, as an object with the buffer protocol; None if the text
        must be UTF-8 (`strict`) and is not. It begins at `offset` of what the user knows."""
        data = _as_utf8(text)
        splitter = self._check_specials(data, specials, offset)
        if self._is_gpt2:
            return self._engine.encode_ids(data, splitter.native, width, cache, strict)
        try:
            pieces = self._pieces(text, splitter, strict)
            return self._engine.encode_pieces(pieces, width, cache)
        except UnicodeDecodeError:
            return None

    def _pieces(self, text: Text, splitter: SpecialSplitter,
                strict: bool = False) -> Iterator[bytes | int]:
        """The pretokens of a text, found by `regex`, and the ids of special tokens."""
        if not isinstance(text, str):
            text = bytes(text).decode("utf-8", "strict" if strict else "surrogateescape")
        for part in splitter.split(text):
            if isinstance(part, int):
                yield part
            else:
                for match in self._regex.finditer(part):
                    if match.end() > match.start():
                        yield match.group().encode("utf-8", "surrogateescape")

    def _parts(self, text: Text, specials: Which) -> list[memoryview]:
        """A text in parts that can be encoded one by one."""
        data = _as_utf8(text)
        data = data.encode() if isinstance(data, str) else bytes(data)
        splitter = self._check_specials(data, specials)
        cutter = Cutter(splitter.ids, GPT2_PATTERN, errors="replace")
        cuts = [0]
        while cuts[-1] + PART_BYTES < len(data):
            cut = cutter.last_cut(data, cuts[-1] + PART_BYTES, first=cuts[-1] + 1)
            if not cut:
                break
            cuts.append(cut)
        cuts.append(len(data))
        view = memoryview(data)
        return [view[start:stop] for start, stop in zip(cuts, cuts[1:])]

    def _encode_parts(self, parts: list[memoryview], specials: Which, width: int,
                      workers: int) -> "numpy.ndarray[Any, Any]":
        # Parts are small, and are put together as they come: so their memory is used again and
        # again. Fresh memory for all of them, and then for the whole, made two threads slower.
        which = "none" if isinstance(specials, str) and specials == "raise" else specials
        whole = engine.Ids(width, sum(map(len, parts)) // 3 + 8)
        with ThreadPoolExecutor(workers) as pool:
            for ids in pool.map(lambda part: self._encode(part, which, width), parts):
                whole.extend(ids)
        whole.shrink()
        return self._as_array(whole, width)

    def _as_array(self, ids: Any, width: int) -> "numpy.ndarray[Any, Any]":
        kind = numpy.uint16 if width == 2 else numpy.uint32
        if not len(ids):
            return numpy.empty(0, kind)
        return numpy.frombuffer(ids, kind)

    def _check_dtype(self, dtype: DTypeLike | None) -> "numpy.dtype[Any]":
        if dtype is None:
            return self.smallest_dtype
        greatest = max(self._tokens)
        kind = numpy.dtype(dtype)
        if kind.kind not in "iu":
            raise TypeError(f"dtype is {kind}; it must be a type of integers")
        if numpy.iinfo(kind).max < greatest:
            raise ValueError(f"dtype is {kind}, which can't hold the id {greatest}; use "
                             f"{self.smallest_dtype}")
        return kind

    # --- Copies ----------------------------------------------------------------------------

    def __copy__(self) -> "Tokenizer":
        return self  # it never changes

    def __deepcopy__(self, memo: object) -> "Tokenizer":
        return self

    def __reduce__(self) -> tuple[Callable[..., "Tokenizer"], tuple[Any, ...]]:
        return _rebuild, (dict(self._tokens), list(self._merges), list(self._special_ids),
                          self._pattern, self._cache_bytes)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Tokenizer) and self.model == other.model

    def __hash__(self) -> int:
        return hash((len(self._tokens), self._merges, self._pattern))

    def __repr__(self) -> str:
        pattern = "GPT-2's pattern" if self._is_gpt2 else f"pattern {self._pattern!r}"
        specials = ", ".join(map(repr, self._special_ids)) or "none"
        if len(specials) > 60:
            specials = f"{len(self._special_ids)}"
        return (f"<Tokenizer: {self.vocab_size:,} tokens, {len(self._merges):,} merges, "
                f"special tokens: {specials}; {pattern}>")

    def _repr_html_(self) -> str:
        """What a notebook shows."""
        from cs336_bpe.views.notebook import tokenizer_html

        return tokenizer_html(self)


def _rebuild(vocab: dict[int, bytes], merges: list[Pair], special_tokens: list[str], pattern: str,
             cache_bytes: int) -> Tokenizer:
    return Tokenizer(vocab, merges, special_tokens, pattern=pattern, cache_bytes=cache_bytes)


def _as_which(specials: Which) -> Which:
    """A set can be used many times; what was given may be an iterator."""
    if isinstance(specials, (str, frozenset)):
        return specials
    try:
        return frozenset(specials)
    except TypeError:
        raise TypeError(f"specials is {specials!r}; it must be 'all', 'none', 'raise' or a set of "
                        f"special tokens") from None


def _is_id(number: object) -> bool:
    return isinstance(number, ID_TYPES) and not isinstance(number, bool)


def _as_utf8(text: Text) -> Text:
    """The bytes of a text, one after the other; a `str` whose characters are its bytes as it is."""
    if isinstance(text, str):
        if text.isascii():
            return text
        try:
            return text.encode()
        except UnicodeEncodeError as error:
            raise ValueError(f"text has a lone surrogate, {text[error.start]!r}, at character "
                             f"{error.start}: it has no UTF-8 form") from None
    return bytes(text) if isinstance(text, memoryview) and not text.c_contiguous else text


def _check_texts(texts: Iterable[str]) -> list[str]:
    if isinstance(texts, (str, bytes)) or not isinstance(texts, Iterable):
        raise TypeError(f"texts is a {type(texts).__name__}; it must be an iterable of str")
    batch = list(texts)
    for place, text in enumerate(batch):
        if not isinstance(text, str):
            raise TypeError(f"texts[{place}] is a {type(text).__name__}; it must be str")
    return batch
