"""Writing Hugging Face's `tokenizer.json`, and making a `tokenizers.Tokenizer`.

The file describes a pipeline, of which byte-level BPE needs three parts: a pretokenizer that splits
the text by the pattern and writes bytes in the printable alphabet, the BPE model with a vocab and
merges in that alphabet, and a decoder that turns the alphabet back into bytes. Special tokens are
"added tokens", which are looked for first; the longest match wins there too.

Traps, all found by comparing with the library:

- The ids of added tokens in the file are not used. One that is in the model's vocab gets its id
  from there; any other gets the next number. So all of them are written into the vocab.
- Merges that are written as strings lose those that begin with `#version`, which the library takes
  for the first line of a `merges.txt`. So they are written as lists, which version 0.20 introduced.
- Its regex engine (Oniguruma) is not ours. In it, `$` also matches before a line feed. So what a
  pattern means there is tried out on texts.
"""

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from cs336_bpe.common.atomic_files import atomic_writer
from cs336_bpe.common.paths import AnyPath
from cs336_bpe.formats.gpt2 import vocab_entries
from cs336_bpe.formats.huggingface_parts import added_token, byte_level, parts_of
from cs336_bpe.formats.huggingface_reader import read_huggingface
from cs336_bpe.formats.probe import check_ids, is_installed, missing
from cs336_bpe.formats.round_trip import Checked, check_same, checked
from cs336_bpe.rules import GPT2_PATTERN, Model, to_printable
from cs336_bpe.rules.pipeline import AddedToken, ByteLevel, Split, SplitStep

if TYPE_CHECKING:
    import tokenizers


def write_huggingface(model: Model, path: AnyPath) -> None:
    """Write `tokenizer.json`, if reading it gives the same model back.

    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from cs336_bpe import train_bpe_from_counts
    >>> vocab, merges = train_bpe_from_counts({b" low": 5, b" lower": 2}, 260, ["<|end|>"])
    >>> model = Model(vocab, merges, ["<|end|>"], GPT2_PATTERN)
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder, "tokenizer.json")
    ...     write_huggingface(model, path)
    ...     read_huggingface(path) == model
    True
    """
    tokenizer = checked(_with_steps(model))
    text = _tokenizer_json(tokenizer)
    with atomic_writer(path) as file:
        file.write(text.encode())
        file.flush()
        check_same(tokenizer.model, read_huggingface(file.name))
        if is_installed("tokenizers"):
            _load(text, tokenizer)


def to_huggingface(model: Model) -> "tokenizers.Tokenizer":
    """The tokenizer as a `tokenizers.Tokenizer`, if that gives the same ids.

    >>> from cs336_bpe import train_bpe_from_counts
    >>> vocab, merges = train_bpe_from_counts({b" low": 5, b" lower": 2}, 260, ["<|end|>"])
    >>> theirs = to_huggingface(Model(vocab, merges, ["<|end|>"], GPT2_PATTERN))
    >>> theirs.encode(" low lower<|end|>").tokens
    ['Ġlow', 'Ġlow', 'e', 'r', '<|end|>']
    """
    tokenizer = checked(_with_steps(model))
    return _load(_tokenizer_json(tokenizer), tokenizer)


def _with_steps(model: Model) -> Model:
    """The same model, with steps that say what the pattern and the special tokens do if there are
    others, because the file's reader says all of them or none."""
    pipeline = model.pipeline
    if pipeline is None or pipeline.splits:
        return model
    splits: tuple[SplitStep, ...] = (Split(model.pattern), ByteLevel(use_regex=False))
    if model.pattern == GPT2_PATTERN:
        splits = (ByteLevel(),)
    added = tuple(AddedToken(token) for token in model.special_tokens)
    return Model(model.vocab, model.merges, model.special_tokens, model.pattern,
                 replace(pipeline, splits=splits, added=added))


def _load(text: str, tokenizer: Checked) -> "tokenizers.Tokenizer":
    """What the library makes of the file's text, if it gives our ids."""
    try:
        import tokenizers
    except ImportError:
        raise missing("tokenizers") from None
    try:
        theirs = tokenizers.Tokenizer.from_str(text)
    except Exception as error:  # the library raises nothing more precise
        raise ValueError(f"tokenizers can't use this tokenizer with the pattern "
                         f"{tokenizer.model.pattern!r}: {error}") from None
    check_ids("tokenizers", lambda text: theirs.encode(text, add_special_tokens=False).ids,
              tokenizer)
    return theirs


def _tokenizer_json(tokenizer: Checked) -> str:
    model, ids, _ = tokenizer
    entries = vocab_entries(model, ids)
    for token, number in ids.specials.items():
        if entries.get(token) != number:  # it shares its id with an ordinary token
            raise ValueError(f"the special token {token!r} is a learned token too, with the id "
                             f"{number}, and tokenizers would give it another id; rename it, or "
                             f"use another format")
    pipeline = model.pipeline
    if pipeline is None:
        tokens = tuple(AddedToken(token) for token in ids.specials)
        around = {"normalizer": None, "pre_tokenizer": _pre_tokenizer(model.pattern),
                  "post_processor": None}
    else:
        tokens = pipeline.added
        around = parts_of(pipeline, ids.specials)
        for one in tokens:
            if not one.in_vocab:
                del entries[one.content]  # it gets the next id, in the order of added tokens
    added = [added_token(one, ids.specials[one.content]) for one in tokens]
    parts = {"version": "1.0", "truncation": None, "padding": None, "added_tokens": added,
             **around, "decoder": byte_level()}
    settings = {
        "type": "BPE", "dropout": None, "unk_token": None, "continuing_subword_prefix": None,
        "end_of_word_suffix": None, "fuse_unk": False, "byte_fallback": False,
        "ignore_merges": pipeline is not None and pipeline.whole_tokens,
    }
    merges = [[to_printable(left), to_printable(right)] for left, right in model.merges]
    lines = ["{", *_lines(parts), '"model": {', *_lines(settings), '"vocab": {',
             ",\n".join(f"{_dump(key)}: {number}" for key, number in entries.items()),
             "},", '"merges": [', ",\n".join(map(_dump, merges)), "]", "}", "}"]
    return "".join(f"{line}\n" for line in lines)


def _pre_tokenizer(pattern: str) -> object:
    if pattern == GPT2_PATTERN:
        return byte_level()  # it has this pattern built in
    split = {"type": "Split", "pattern": {"Regex": pattern}, "behavior": "Isolated",
             "invert": False}
    return {"type": "Sequence", "pretokenizers": [split, byte_level(use_regex=False)]}


def _lines(entries: Mapping[str, object]) -> list[str]:
    return [f"{_dump(key)}: {_dump(value)}," for key, value in entries.items()]


def _dump(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)
