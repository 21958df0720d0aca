"""The tokenizer: text to ids, and back.

The class here is what a user meets. The work is done elsewhere: `coder` puts special tokens, the
pattern and the compiled `engine` together, `decoder` goes back, and `streams`, `parallel` and
`files` are the ways in which text comes.
"""

import pathlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from cs336_bpe.common.limits import CHUNK_BYTES, IN_FLIGHT
from cs336_bpe.common.paths import AnyPath
from cs336_bpe.common.progress import Progress
from cs336_bpe.encode.trace import Explanation, explain_pretoken, pairs_of
from cs336_bpe.formats import to_tiktoken
from cs336_bpe.formats.consistent import Consistent, consistent
from cs336_bpe.formats.gpt2 import load_gpt2
from cs336_bpe.formats.loading import load_checked, save_model
from cs336_bpe.formats.round_trip import Checked
from cs336_bpe.rules import (
    BYTES,
    GPT2_PATTERN,
    Model,
    Pair,
    RoleName,
    TieBreak,
    check_size,
    check_special_tokens,
    check_workers,
    pattern_name,
    shown,
)
from cs336_bpe.text.blocks import DEFAULT_BLOCK_BYTES
from cs336_bpe.text.specials import Which
from cs336_bpe.text.utf8 import Text, as_bytes, check_text
from cs336_bpe.tokenizer.coder import Coder, Unmatched, as_array, width_for
from cs336_bpe.tokenizer.decoder import Decoder
from cs336_bpe.tokenizer.files import DEFAULT_SEPARATOR, BlockEncoder, FileEncoder, as_corpus
from cs336_bpe.tokenizer.habits import Habits
from cs336_bpe.tokenizer.id_files import decode_file
from cs336_bpe.tokenizer.native import engine
from cs336_bpe.tokenizer.parallel import (
    check_texts,
    encode_batch,
    encode_batch_arrays,
    encode_in_parts,
)
from cs336_bpe.tokenizer.special_choice import Some
from cs336_bpe.tokenizer.streams import encode_stream

if TYPE_CHECKING:  # all of these are imported when they are needed
    from concurrent.futures import Executor

    import numpy
    import tiktoken
    import tokenizers
    from numpy.typing import DTypeLike

    from cs336_bpe.inputs import Corpus
    from cs336_bpe.rules.pipeline import Pipeline
    from cs336_bpe.tokenizer.offsets import Unit, WithOffsets
    from cs336_bpe.tokenizer.shards import Shard
    from cs336_bpe.views.notebook import ShownText


class Tokenizer(Habits):
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

    Text is never lost. If the pattern does not match all of a text, encoding it is an error, unless
    `unmatched` is "keep": then what is between two matches is a pretoken too. `pipeline` has what a
    tokenizer from elsewhere may do besides (docs/formats/model.md).

    A tokenizer never changes, and many threads may use it at once. It has a cache of the ids of
    pretokens; `cache_bytes` is its greatest size, for each thread that encodes at the same time.
    When it is full, it is emptied and filled anew.
    """

    def __init__(
        self,
        vocab: Mapping[int, bytes],
        merges: Sequence[Pair],
        special_tokens: Iterable[str] | None = None,
        *,
        pattern: str = GPT2_PATTERN,
        cache_bytes: int = engine.DEFAULT_CACHE_BYTES,
        pipeline: "Pipeline | None" = None,
        unmatched: Unmatched = "raise",
    ) -> None:
        specials = () if special_tokens is None else special_tokens
        found = consistent(vocab, merges, specials,
                           in_order=pipeline is None or pipeline.in_order)
        self._start(found, pattern, cache_bytes, pipeline, unmatched)

    def _start(self, found: Consistent, pattern: str, cache_bytes: int,
               pipeline: "Pipeline | None", unmatched: Unmatched) -> None:
        self._tokens, self._ids, columns = found
        self._merges = tuple(columns.pairs)
        self._pipeline = pipeline
        self.coder = Coder(found, pattern, cache_bytes, pipeline, unmatched)
        """What encodes, for those who need a cache of their own; see `coder.py`."""
        self.decoder = Decoder(self._tokens)
        """What decodes, for those who have ids in blocks; see `decoder.py`."""

    @classmethod
    def _from_checked(cls, tokenizer: Checked, cache_bytes: int,
                      unmatched: Unmatched = "raise") -> "Tokenizer":
        """A tokenizer from what a reader has just checked, and nobody could change since."""
        if cls.__init__ is not Tokenizer.__init__:
            return cls.from_model(tokenizer.model, cache_bytes=cache_bytes, unmatched=unmatched)
        new = cls.__new__(cls)
        model, ids, columns = tokenizer
        new._start(Consistent(model.vocab, ids, columns), model.pattern, cache_bytes,
                   model.pipeline, unmatched)
        return new

    @classmethod
    def from_files(
        cls,
        vocab_path: AnyPath,
        merges_path: AnyPath,
        special_tokens: Iterable[str] | None = None,
        *,
        pattern: str = GPT2_PATTERN,
        cache_bytes: int = engine.DEFAULT_CACHE_BYTES,
    ) -> "Tokenizer":
        """A tokenizer from GPT-2's two files, `vocab.json` and `merges.txt`."""
        return cls._from_checked(load_gpt2(vocab_path, merges_path, special_tokens, pattern),
                                 cache_bytes)

    @classmethod
    def from_model(cls, model: Model, *, cache_bytes: int = engine.DEFAULT_CACHE_BYTES,
                   unmatched: Unmatched = "raise") -> "Tokenizer":
        """A tokenizer from what `cs336_bpe.formats` reads."""
        return cls(model.vocab, model.merges, model.special_tokens, pattern=model.pattern,
                   cache_bytes=cache_bytes, pipeline=model.pipeline, unmatched=unmatched)

    @classmethod
    def load(
        cls,
        path: AnyPath,
        special_tokens: Iterable[str] | Mapping[str, int] | None = None,
        *,
        pattern: str | None = None,
        cache_bytes: int = engine.DEFAULT_CACHE_BYTES,
        unmatched: Unmatched = "raise",
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
        return cls._from_checked(load_checked(path, special_tokens, pattern=pattern), cache_bytes,
                                 unmatched)

    def save(self, path: AnyPath, *, format: str = "own", bos: str | None = None,
             eos: str | None = None, pad: str | None = None,
             unk: str | None = None) -> list[pathlib.Path]:
        """Write it to a file, or into a folder, and return the files that were written.

        `format` is "own", our file that has everything we train, "gpt2" (`vocab.json` and
        `merges.txt`), "tiktoken" (ranks; without special tokens and pattern), "huggingface"
        (`tokenizer.json`) or "transformers" (the same, with the files that `AutoTokenizer` wants;
        `bos`, `eos`, `pad` and `unk` say which special tokens are for that). What was written is
        read back and compared first.
        """
        chosen: dict[RoleName, str | None] = {"bos": bos, "eos": eos, "pad": pad, "unk": unk}
        roles = {role: token for role, token in chosen.items() if token is not None}
        return save_model(self.model, path, format, roles)

    def to_tiktoken(self, name: str = "cs336_bpe") -> "tiktoken.Encoding":
        """The same tokenizer as a `tiktoken.Encoding`, if that gives the same ids."""
        return to_tiktoken(self.model, name)

    def to_huggingface(self) -> "tokenizers.Tokenizer":
        """The same tokenizer as a `tokenizers.Tokenizer`, if that gives the same ids."""
        from cs336_bpe.formats.huggingface import to_huggingface

        return to_huggingface(self.model)

    # --- What it is made of ----------------------------------------------------------------

    @property
    def vocab(self) -> Mapping[int, bytes]:
        """The token of each id, special tokens included."""
        return MappingProxyType(self._tokens)

    @property
    def merges(self) -> tuple[Pair, ...]:
        """The merges, in the order in which they were learned."""
        return self._merges

    @property
    def special_tokens(self) -> Mapping[str, int]:
        """The special tokens and their ids."""
        return MappingProxyType(self._ids.specials)

    @property
    def pattern(self) -> str:
        """The regular expression that splits text into pretokens."""
        return self.coder.pattern

    @property
    def vocab_size(self) -> int:
        """The number of tokens. (The greatest id is greater if ids have gaps.)"""
        return len(self._tokens)

    @property
    def cache_bytes(self) -> int:
        """The greatest size of the cache of pretokens, for each thread."""
        return self.coder.cache_bytes

    @property
    def smallest_dtype(self) -> "numpy.dtype[Any]":
        """The type that arrays of ids have: `uint16` if all ids fit, else `uint32`."""
        return self.coder.smallest_dtype

    @property
    def model(self) -> Model:
        """All of it, for `cs336_bpe.formats`."""
        return Model(dict(self._tokens), list(self._merges), list(self._ids.specials),
                     self.pattern, self._pipeline)

    def token_bytes(self, number: int) -> bytes:
        """The bytes of a token."""
        return self.decoder.token(number, "number is ")

    def id_of(self, token: bytes | str) -> int:
        """The id of a token; of a special one if it is given as `str`."""
        if isinstance(token, str):
            if token in self._ids.specials:
                return self._ids.specials[token]
            raise ValueError(f"there is no special token {token!r}; give other tokens as bytes")
        if not isinstance(token, bytes):
            raise TypeError(f"token is {token!r}, a {type(token).__name__}; it must be bytes, or "
                            f"str for a special token")
        if token not in self._ids.ordinary:
            raise ValueError(f"{shown(token)} is not a token of this vocabulary")
        return self._ids.ordinary[token]

    def truncated(self, vocab_size: int) -> "Tokenizer":
        """The tokenizer that training to a smaller size would have given: its first merges.

        >>> from cs336_bpe import train_bpe_from_counts
        >>> vocab, merges = train_bpe_from_counts({b"low": 5, b" lower": 2}, 260, ["<|end|>"])
        >>> Tokenizer(vocab, merges, ["<|end|>"]).truncated(258).merges
        ((b'o', b'w'),)
        """
        # A token that is learned and special, with one id for both, stays when its merge goes.
        specials = set(self._ids.specials.values())
        learned = [self._ids.ordinary[left + right] for left, right in self._merges]
        others = self.vocab_size - sum(number not in specials for number in learned)
        size = check_size("vocab_size", vocab_size, others, " (bytes and special tokens)")
        if size > self.vocab_size:
            raise ValueError(f"vocab_size is {size}, but this tokenizer has only "
                             f"{self.vocab_size} tokens; train a larger one")
        kept = dict(self._tokens)
        while len(kept) > size:
            number = learned.pop()
            if number not in specials:
                del kept[number]
        return type(self)(kept, self._merges[: len(learned)], list(self._ids.specials),
                          pattern=self.pattern, cache_bytes=self.cache_bytes,
                          pipeline=self._pipeline, unmatched=self.coder.unmatched)

    def with_special_tokens(self, special_tokens: Iterable[str] | Mapping[str, int]) -> "Tokenizer":
        """The same tokenizer with further special tokens, after the greatest id or with ids given.

        >>> tokenizer = Tokenizer(dict(enumerate(bytes([b]) for b in range(256))), [], ["<e>"])
        >>> tokenizer.with_special_tokens(["<pad>"]).special_tokens
        mappingproxy({'<e>': 256, '<pad>': 257})
        """
        names = check_special_tokens(special_tokens)
        tokens = dict(self._tokens)
        for name in names:
            if name in self._ids.specials:
                raise ValueError(f"{name!r} is a special token already, with the id "
                                 f"{self._ids.specials[name]}: leave it out")
            number = max(tokens) + 1
            if isinstance(special_tokens, Mapping):
                number = check_size(f"the id of {name!r}", special_tokens[name])
            if number in tokens:
                raise ValueError(f"the special token {name!r} can't have the id {number}: that is "
                                 f"{shown(tokens[number])}; give it another one")
            tokens[number] = name.encode()
        pipeline = self._pipeline
        if pipeline is not None and pipeline.splits:
            from dataclasses import replace

            from cs336_bpe.rules.pipeline import AddedToken

            added = [AddedToken(name, in_vocab=not pipeline.whole_tokens) for name in names]
            pipeline = replace(pipeline, added=(*pipeline.added, *added))
        return type(self)(tokens, self._merges, [*self._ids.specials, *names],
                          pattern=self.pattern, cache_bytes=self.cache_bytes, pipeline=pipeline,
                          unmatched=self.coder.unmatched)

    def extended(self, counts: Mapping[bytes, int], vocab_size: int, *,
                 tie_break: TieBreak = "lexicographic") -> "Tokenizer":
        """A larger vocabulary: training goes on from these merges, with these pretokens.

        Every token keeps its id, and new ones get ids after the greatest. On the text that it was
        trained with, that is what one longer run gives.

        >>> from cs336_bpe import train_bpe_from_counts
        >>> counts = {b"low": 5, b" lower": 2}
        >>> small, large = (Tokenizer(*train_bpe_from_counts(counts, size, []))
        ...                 for size in (257, 260))
        >>> small.extended(counts, 260) == large
        True
        """
        size = check_size("vocab_size", vocab_size, self.vocab_size,
                          " (this tokenizer has as many; truncated() makes it smaller)")
        if not self.model.in_order:
            raise ValueError("the merges of this tokenizer were not learned one after the other: a "
                             "merge comes before those of its parts; so training can't go on")
        from cs336_bpe.train import train_bpe_from_counts

        num_merges = len(self._merges) + size - self.vocab_size
        _, merges = train_bpe_from_counts(counts, len(BYTES) + num_merges, [], tie_break=tie_break,
                                          continue_from=self._merges)
        tokens = dict(self._tokens)
        for left, right in merges[len(self._merges) :]:
            if left + right not in self._ids.ordinary:
                tokens[max(tokens) + 1] = left + right
        return type(self)(tokens, merges, list(self._ids.specials), pattern=self.pattern,
                          cache_bytes=self.cache_bytes, pipeline=self._pipeline,
                          unmatched=self.coder.unmatched)

    # --- Encoding --------------------------------------------------------------------------

    def encode(self, text: str, *, specials: Which = "all", add_special_tokens: bool = False,
               allowed_special: Some | None = None,
               disallowed_special: Some | None = None) -> list[int]:
        """The ids of a text.

        `specials` says which special tokens are recognised in the text. Where text comes from
        strangers, "none" takes all of them for plain text, and "raise" refuses text that contains
        one. A set recognises some.

        `add_special_tokens` puts those of the template around the text, if there is one (a file of
        Hugging Face's may have it: `<s>` before every text).

        `allowed_special` and `disallowed_special` mean what they mean to tiktoken, and then its
        default counts too: what is not allowed must not occur.

        >>> tokenizer = Tokenizer(dict(enumerate(bytes([b]) for b in range(256))), [], ["<e>"])
        >>> tokenizer.encode("a<e>"), tokenizer.encode("a<e>", specials="none")
        ([97, 256], [97, 60, 101, 62])
        """
        if not isinstance(text, str):
            raise TypeError(f"text is a {type(text).__name__}; it must be str (encode_array takes "
                            f"bytes)")
        coder = self.coder
        if allowed_special is None and disallowed_special is None:
            choice = coder.choices.choose(specials)
        else:
            choice = coder.choices.allow(
                () if allowed_special is None else allowed_special,
                "all" if disallowed_special is None else disallowed_special)
        result = coder.encode_list(text, choice)
        if add_special_tokens:
            before, after = self._around()
            return [*before, *result, *after]
        return result

    def _around(self) -> tuple[list[int], list[int]]:
        """The ids that the template puts before and after those of a text."""
        template = None if self._pipeline is None else self._pipeline.template
        if template is None:
            return [], []
        return ([self._ids.specials[token] for token in template.before],
                [self._ids.specials[token] for token in template.after])

    def encode_with_offsets(self, text: str, *, specials: Which = "all",
                            unit: "Unit" = "characters",
                            add_special_tokens: bool = False) -> "WithOffsets":
        """The ids of a text, and which part of it each one stands for.

        Offsets count characters, or bytes of UTF-8 if `unit` is "bytes". A token that has a part of
        a character has the offsets of the whole; one that the template adds has (0, 0).

        >>> tokenizer = Tokenizer(dict(enumerate(bytes([b]) for b in range(256))), [], ["<e>"])
        >>> tokenizer.encode_with_offsets("aé<e>")
        WithOffsets(ids=[97, 195, 169, 256], offsets=[(0, 1), (1, 2), (1, 2), (2, 5)])
        """
        if not isinstance(text, str):
            raise TypeError(f"text is a {type(text).__name__}; it must be str")
        from cs336_bpe.tokenizer.offsets import OffsetEncoder, WithOffsets

        choice = self.coder.choices.choose(specials)
        choice.check(as_bytes(text))
        ids, offsets = OffsetEncoder(self.coder).encode(text, choice, unit)
        if add_special_tokens:
            before, after = self._around()
            ids = [*before, *ids, *after]
            offsets = [*[(0, 0)] * len(before), *offsets, *[(0, 0)] * len(after)]
        return WithOffsets(ids, offsets)

    def encode_array(self, text: Text, dtype: "DTypeLike | None" = None, *, specials: Which = "all",
                     workers: int | None = 1) -> "numpy.ndarray[Any, Any]":
        """The ids of a text as an array: `uint16` if all ids of the vocabulary fit, else `uint32`.

        Also accepts bytes, which need not be valid UTF-8. An invalid byte counts as a symbol: not
        a letter, digit or space. (That is what `bytes.decode("utf-8", "surrogateescape")` makes
        of it.) Every byte is encoded, so `decode_bytes` gives the same bytes back.

        >>> tokenizer = Tokenizer(dict(enumerate(bytes([b]) for b in range(256))), [])
        >>> tokenizer.encode_array(b"a\\xff")
        array([ 97, 255], dtype=uint16)
        """
        check_text(text)
        kind = self.coder.check_dtype(dtype)
        ids = encode_in_parts(self.coder, text, self.coder.choices.choose(specials),
                              width_for(kind), check_workers(workers))
        return as_array(ids, kind)

    def encode_batch(self, texts: Iterable[str], *, workers: int | None = None,
                     specials: Which = "all") -> list[list[int]]:
        """The ids of each text, `workers` texts at a time (by default one for each processor).

        >>> tokenizer = Tokenizer(dict(enumerate(bytes([b]) for b in range(256))), [])
        >>> tokenizer.encode_batch(["a", "", "bc"])
        [[97], [], [98, 99]]
        """
        choice = self.coder.choices.choose(specials)
        return encode_batch(self.coder, check_texts(texts), choice, check_workers(workers))

    def encode_batch_arrays(
        self, texts: Iterable[str], dtype: "DTypeLike | None" = None, *, workers: int | None = None,
        specials: Which = "all",
    ) -> "tuple[numpy.ndarray[Any, Any], numpy.ndarray[Any, Any]]":
        """The ids of all texts in one array, and the offsets at which those of each begin.

        The ids of text `i` are `ids[offsets[i]:offsets[i + 1]]`. There is no object for an id or
        for a text, so this is the fastest way to encode many short texts.

        >>> tokenizer = Tokenizer(dict(enumerate(bytes([b]) for b in range(256))), [])
        >>> ids, offsets = tokenizer.encode_batch_arrays(["a", "", "bc"])
        >>> ids.tolist(), offsets.tolist()
        ([97, 98, 99], [0, 1, 1, 3])
        """
        kind = self.coder.check_dtype(dtype)
        ids, offsets = encode_batch_arrays(
            self.coder, check_texts(texts), self.coder.choices.choose(specials), width_for(kind),
            check_workers(workers))
        import numpy

        return as_array(ids, kind), numpy.frombuffer(memoryview(offsets), numpy.int64)

    def encode_iterable(self, parts: Iterable[str], *, specials: Which = "all") -> Iterator[int]:
        """The ids of a text that comes in parts, such as the lines of an open file.

        Gives exactly the ids of the whole text, wherever it was cut. No more of it is held back
        than the last pretoken, which may go on in the next part, and the beginning of what may
        become a special token. (With a pattern that can't be compiled, everything since the last
        special token is held back.)

        >>> tokenizer = Tokenizer(dict(enumerate(bytes([b]) for b in range(256))), [], ["<e>"])
        >>> list(tokenizer.encode_iterable(["a<", "e", ">b"]))
        [97, 256, 98]
        """
        coder = self.coder
        stream = encode_stream(coder, parts, coder.choices.choose(specials), coder.width)
        return chain.from_iterable(map(coder.as_list, stream))

    def encode_arrays(self, parts: Iterable[str], dtype: "DTypeLike | None" = None, *,
                      specials: Which = "all") -> "Iterator[numpy.ndarray[Any, Any]]":
        """As `encode_iterable`, but an array for each part, which is much faster.

        There is not one array for each part that goes in: what is held back comes with a later
        one, and in the end.

        >>> tokenizer = Tokenizer(dict(enumerate(bytes([b]) for b in range(256))), [], ["<e>"])
        >>> [array.tolist() for array in tokenizer.encode_arrays(["a b<", "e>c"])]
        [[97, 32, 98], [256], [99]]
        """
        kind = self.coder.check_dtype(dtype)
        choice = self.coder.choices.choose(specials)
        stream = encode_stream(self.coder, parts, choice, width_for(kind))
        return (as_array(ids, kind) for ids in stream)

    def encode_file(
        self,
        input_path: "AnyPath | Iterable[AnyPath] | Corpus",
        output_path: AnyPath,
        *,
        workers: int | None = None,
        progress: Progress = None,
        dtype: "DTypeLike | None" = None,
        errors: str = "strict",
        specials: Which | None = None,
        separator: str | None = DEFAULT_SEPARATOR,
        input_format: str | None = None,
        field: str = "text",
    ) -> int:
        """Encode a file, or several, to one file of ids, and return how many there are.

        Files may be text, compressed text, JSON lines or parquet, and a folder stands for all
        files in it: docs/corpora/inputs.md. They are recognised by their content; `input_format`
        overrules that, and `field` is the field or column that has the text.

        Special tokens in text are recognised. In the documents of JSON lines and parquet they are
        text, and after each document comes the id of `separator`: by default `<|endoftext|>`, if
        the tokenizer has it. `specials` decides for both alike.

        A name that ends in `.npy` gives an array for `numpy.load` (`mmap_mode="r"` reads it
        piece by piece); any other gives the bare numbers, for `numpy.fromfile` or `numpy.memmap`.
        Everything is read and written in blocks, so memory does not grow with the files, but with
        the longest part that has no place to cut (no white space, for most patterns); one of more
        than 64 MiB is an error. A pattern that can't be compiled knows no such places but special
        tokens: then all between two of them is held. Until the output is complete, it has another
        name; if anything goes wrong, it is removed.

        The cache of pretokens, `cache_bytes`, is divided among the workers, which are threads.
        """
        encoder = self.block_encoder(dtype, specials, errors, separator)
        corpus = as_corpus(input_path, input_format, field)
        return FileEncoder(encoder, output_path).run_corpus(corpus, check_workers(workers),
                                                            progress)

    def encode_texts(
        self,
        texts: Iterable[str | bytes],
        output_path: AnyPath,
        *,
        workers: int | None = None,
        progress: Progress = None,
        dtype: "DTypeLike | None" = None,
        errors: str = "strict",
        specials: Which | None = None,
        separator: str | None = DEFAULT_SEPARATOR,
        field: str = "text",
    ) -> int:
        """As `encode_file`, but of texts that a program has: any iterable of `str` or `bytes`.

        Each text is a document, as above. A `datasets.Dataset` will do, too, with `field`.

        >>> from tempfile import TemporaryDirectory
        >>> import numpy
        >>> tokenizer = Tokenizer(dict(enumerate(bytes([b]) for b in range(256))), [], ["<e>"])
        >>> with TemporaryDirectory() as folder:
        ...     path = pathlib.Path(folder, "ids.npy")
        ...     tokenizer.encode_texts(["a", "b<e>"], path, separator="<e>")
        ...     numpy.load(path).tolist()
        7
        [97, 256, 98, 60, 101, 62, 256]
        """
        from cs336_bpe.inputs import texts_reader

        encoder = self.block_encoder(dtype, specials, errors, separator)
        reader = texts_reader(texts, DEFAULT_BLOCK_BYTES, errors, field=field)
        return FileEncoder(encoder, output_path).run(reader, 0, check_workers(workers), progress)

    def encode_files(
        self,
        input_path: "AnyPath | Iterable[AnyPath] | Corpus",
        folder: AnyPath,
        *,
        shard_tokens: int | None = 100_000_000,
        format: str = "npy",
        dtype: "DTypeLike | None" = None,
        errors: str = "strict",
        specials: Which | None = None,
        separator: str | None = DEFAULT_SEPARATOR,
        input_format: str | None = None,
        field: str = "text",
        prefix: str = "shard",
        workers: int | None = None,
        executor: "Executor | None" = None,
        in_flight: int = IN_FLIGHT,
        chunk_bytes: int = CHUNK_BYTES,
        progress: Progress = None,
    ) -> "list[Shard]":
        """Encode a corpus to shards in a folder, and return what is in each.

        A shard has `shard_tokens` ids, and the last one what is left; with None there is one file.
        `format` is "npy", "bin" (bare integers), "nanogpt", "llmc" or "megatron". `index.json`
        says which bytes of which input are in each shard, their checksums, and the digest of the
        tokenizer: docs/tokenizer/shards.md. Everything else is as for `encode_file`.

        With an `executor`, other processes or machines encode chunks of `chunk_bytes` with
        `workers` threads each (one, if that is not given); they need to see the inputs and the
        folder. The result is the same. If the work is stopped, the same call continues it.

        >>> from tempfile import TemporaryDirectory
        >>> tokenizer = Tokenizer(dict(enumerate(bytes([b]) for b in range(256))), [])
        >>> with TemporaryDirectory() as folder:
        ...     text = pathlib.Path(folder, "text.txt")
        ...     _ = text.write_text("seven ids")
        ...     shards = tokenizer.encode_files(text, pathlib.Path(folder, "ids"), shard_tokens=5)
        >>> [(shard.file, shard.tokens, shard.begins) for shard in shards]
        [('shard-00000.npy', 5, {'input': 0, 'byte': 0}), \
('shard-00001.npy', 4, {'input': 0, 'byte': 5})]
        """
        from cs336_bpe.tokenizer.shard_formats import FORMATS
        from cs336_bpe.tokenizer.shards import Options, ShardRun

        if format not in FORMATS:
            raise ValueError(f"format is {format!r}; it must be one of {', '.join(FORMATS)}")
        corpus = as_corpus(input_path, input_format, field)
        wanted = self.coder.check_dtype(dtype)
        kind = FORMATS[format].dtype(
            wanted if wanted.byteorder == ">" else wanted.newbyteorder("<"), self.smallest_dtype)
        if not isinstance(specials, str) and specials is not None:
            specials = frozenset(specials)
        encoder = BlockEncoder(self.coder, kind, specials, errors, separator)
        threads = check_workers(1 if workers is None and executor is not None else workers)
        options = Options(str(pathlib.Path(folder).absolute()), self.digest, self.cache_bytes,
                          self.coder.unmatched, kind.str, format, specials, separator, errors,
                          corpus.field, threads)
        run = ShardRun(options, corpus, self.model, encoder, shard_tokens=shard_tokens,
                       chunk_bytes=chunk_bytes, prefix=prefix)
        return run.run(executor, check_size("in_flight", in_flight, 1), progress)

    @property
    def digest(self) -> str:
        """A checksum of all that decides which ids a text has: SHA-256, in hexadecimal."""
        import hashlib

        sha = hashlib.sha256(self.pattern.encode())
        for number, token in self._tokens.items():
            sha.update(b"%d %d " % (number, len(token)) + token)
        for left, right in self._merges:
            sha.update(b"%d %d " % (len(left), len(right)) + left + right)
        for special, number in sorted(self._ids.specials.items()):
            sha.update(b"%d " % number + special.encode())
        if self._pipeline is not None:
            sha.update(repr(self._pipeline).encode())
        return sha.hexdigest()

    def block_encoder(self, dtype: "DTypeLike | None", specials: Which | None, errors: str,
                      separator: str | None) -> BlockEncoder:
        """What encodes the blocks of a corpus; see `files.py`."""
        return BlockEncoder(self.coder, self.coder.check_dtype(dtype), specials, errors, separator)

    def count(self, text: Text, *, specials: Which = "all") -> int:
        """The number of tokens of a text; nothing is stored.

        >>> Tokenizer(dict(enumerate(bytes([b]) for b in range(256))), []).count("déjà vu")
        9
        """
        check_text(text)
        return len(self.coder.encode_any(text, self.coder.choices.choose(specials), width=0))

    def pretokens(self, text: Text, *, specials: Which = "all"
                  ) -> Iterator[tuple[tuple[int, ...], bool]]:
        """The ids of each pretoken of a text in turn, and whether it is a special token.

        >>> tokenizer = Tokenizer(dict(enumerate(bytes([b]) for b in range(256))), [], ["<e>"])
        >>> list(tokenizer.pretokens("ab c<e>"))
        [((97, 98), False), ((32, 99), False), ((256,), True)]
        """
        known: dict[bytes, tuple[int, ...]] = {}
        for piece in self._checked_pieces(text, specials):
            if isinstance(piece, int):
                yield (piece,), True
            else:
                if piece not in known:
                    ids = self.coder.engine.encode_pieces([piece], self.coder.width)
                    known[piece] = tuple(self.coder.as_list(ids))
                yield known[piece], False

    def explain(self, text: str, *, specials: Which = "all") -> list[Explanation]:
        """The merges that each pretoken of a text goes through, step by step.

        >>> from cs336_bpe import train_bpe_from_counts
        >>> tokenizer = Tokenizer(*train_bpe_from_counts({b"low": 5, b" lower": 2}, 258, []))
        >>> print(tokenizer.explain("lows")[0])
        l o w s
        l ow s   merge 0: o + w
        low s    merge 1: l + ow

        A pretoken that is a token as a whole goes through none, if the tokenizer looks for that
        first (`ignore_merges` of a `tokenizer.json`, and tiktoken).
        """
        if not isinstance(text, str):
            raise TypeError(f"text is a {type(text).__name__}; it must be str")
        pairs = pairs_of(self._merges)
        wholes = self._wholes()
        explanations = []
        for piece in self._checked_pieces(text, specials):
            if isinstance(piece, int):
                token = self._tokens[piece]
                explanations.append(Explanation(token, [[token]], [], [piece], special=True))
            elif piece in wholes:
                explanations.append(Explanation(piece, [[piece]], [], [wholes[piece]], whole=True))
            else:
                explanations.append(explain_pretoken(piece, pairs, self._ids.ordinary))
        return explanations

    def _wholes(self) -> dict[bytes, int]:
        """The tokens that a whole pretoken is before anything is merged."""
        if self._pipeline is None or not self._pipeline.whole_tokens:
            return {}
        from cs336_bpe.model.wholes import whole_tokens

        return whole_tokens(self._ids, self._pipeline)

    def pretoken_counts(self, text: Text, *, specials: Which = "all") -> dict[bytes, int]:
        """How often each pretoken is in a text: as this tokenizer cuts it, in however many steps.

        For large texts and one pattern, `count_pretokens` is much faster.

        >>> tokenizer = Tokenizer(dict(enumerate(bytes([b]) for b in range(256))), [], ["<e>"])
        >>> tokenizer.pretoken_counts("low low<e>")
        {b'low': 1, b' low': 1}
        """
        pieces = self._checked_pieces(text, specials)
        return dict(Counter(piece for piece in pieces if not isinstance(piece, int)))

    @property
    def splitting(self) -> str:
        """How text is cut into pretokens, in a few words: the pattern by its name, if it has one.

        >>> Tokenizer(dict(enumerate(bytes([b]) for b in range(256))), []).splitting
        'gpt2'
        """
        return pattern_name(self.pattern) if self.pattern else "several steps"

    def _checked_pieces(self, text: Text, specials: Which) -> Iterator[bytes | int]:
        choice = self.coder.choices.choose(specials)
        choice.check(as_bytes(text))
        return self.coder.pieces(text, choice)

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

    def decode(self, ids: Iterable[int], errors: str = "replace", *,
               skip_special_tokens: bool = False) -> str:
        """The text of ids. Bytes that are not UTF-8 become U+FFFD, or what `errors` says.

        `skip_special_tokens` leaves out the ids of special tokens.

        >>> Tokenizer(dict(enumerate(bytes([b]) for b in range(256))), []).decode([104, 105, 255])
        'hi\\ufffd'
        """
        if skip_special_tokens:
            skipped = self._skipped()
            ids = [number for number in ids if number not in skipped]
        return self.decoder.decode(ids, errors)

    def _skipped(self) -> set[int]:
        """The ids of special tokens, without those of added tokens that are not special."""
        added = () if self._pipeline is None else self._pipeline.added
        ordinary = {token.content for token in added if not token.special}
        return {number for token, number in self._ids.specials.items() if token not in ordinary}

    def decode_bytes(self, ids: Iterable[int]) -> bytes:
        """The bytes of ids, whether they are text or not."""
        return self.decoder.decode_bytes(ids)

    def decode_batch(self, batch: Iterable[Iterable[int]], errors: str = "replace", *,
                     skip_special_tokens: bool = False, workers: int | None = 1) -> list[str]:
        """The text of each of many sequences of ids, by `workers` threads.

        Threads help with long arrays; lists are read under the interpreter's lock, by one thread
        at a time.

        >>> tokenizer = Tokenizer(dict(enumerate(bytes([b]) for b in range(256))), [])
        >>> tokenizer.decode_batch([[97], [], [98, 99]])
        ['a', '', 'bc']
        """
        if skip_special_tokens:
            skipped = self._skipped()
            batch = [[number for number in ids if number not in skipped] for ids in batch]
        return self.decoder.decode_batch(batch, errors, check_workers(workers))

    def decode_file(
        self,
        ids_path: AnyPath,
        output_path: AnyPath,
        *,
        dtype: "DTypeLike | None" = None,
        workers: int | None = None,
        progress: Progress = None,
    ) -> int:
        """Decode a file of ids to a file of bytes, and return how many ids there are.

        The ids are an array in `.npy` format, known by its first bytes, or bare integers of a
        `dtype`, by default the one that `encode_file` writes. The file is read and written in
        blocks, so memory does not grow with it. Until it is complete, the output has another name;
        if anything goes wrong, it is removed.
        """
        return decode_file(self.decoder, ids_path, output_path, dtype or self.smallest_dtype,
                           check_workers(workers), progress)

    def decode_iterable(self, ids: Iterable[int], errors: str = "replace") -> Iterator[str]:
        """The text of ids, piece by piece as they come; a character is never cut.

        An iterator gives a piece for each id that completes a character. Ids that are all there, in
        a list or an array, are decoded some thousands at a time.

        >>> tokenizer = Tokenizer(dict(enumerate(bytes([b]) for b in range(256))), [])
        >>> list(tokenizer.decode_iterable("aé!".encode()))
        ['a', 'é', '!']
        """
        return self.decoder.decode_iterable(ids, errors)

    # --- Copies ----------------------------------------------------------------------------

    def __copy__(self) -> "Tokenizer":
        return self  # it never changes

    def __deepcopy__(self, memo: object) -> "Tokenizer":
        return self

    def __reduce__(self) -> tuple[Callable[..., "Tokenizer"], tuple[Any, ...]]:
        return _rebuild, (dict(self._tokens), list(self._merges), list(self._ids.specials),
                          self.pattern, self.coder.cache_bytes, self._pipeline,
                          self.coder.unmatched)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Tokenizer) and self.model == other.model

    def __hash__(self) -> int:
        return hash((len(self._tokens), self._merges, self.pattern))

    def __repr__(self) -> str:
        pattern = (f"pattern {self.splitting}" if self.pattern
                   else f"cut into pretokens in {self.splitting}")
        specials = ", ".join(map(repr, self._ids.specials)) or "none"
        if len(specials) > 60:
            specials = f"{len(self._ids.specials)}"
        return (f"<Tokenizer: {self.vocab_size:,} tokens, {len(self._merges):,} merges, "
                f"special tokens: {specials}; {pattern}>")

    def _repr_html_(self) -> str:
        """What a notebook shows."""
        from cs336_bpe.views.notebook import tokenizer_html

        return tokenizer_html(self)


def _rebuild(vocab: dict[int, bytes], merges: list[Pair], special_tokens: list[str], pattern: str,
             cache_bytes: int, pipeline: "Pipeline | None", unmatched: Unmatched) -> Tokenizer:
    return Tokenizer(vocab, merges, special_tokens, pattern=pattern, cache_bytes=cache_bytes,
                     pipeline=pipeline, unmatched=unmatched)
