"""Reading Hugging Face's `tokenizer.json`, without the library.

The file can describe many tokenizers that are not byte-level BPE. Read as such they would give
wrong ids without a word. So every part of the file is either read exactly or refused by name.

What comes out is a plain `Model` if that says everything, as for GPT-2's file. If not, the model
has a `Pipeline` (docs/formats/model.md).
"""

import os
import warnings
from typing import NamedTuple

from cs336_bpe.common.paths import AnyPath
from cs336_bpe.formats.consistent import Consistent, consistent, from_entries
from cs336_bpe.formats.gpt2 import read_entries, read_merge, read_part
from cs336_bpe.formats.huggingface_steps import (
    Object,
    as_bool,
    check_keys,
    read_normalizer,
    read_post_processor,
    read_splits,
    type_of,
)
from cs336_bpe.formats.native import are_in_order, not_printable
from cs336_bpe.formats.probe import check_time, uncovered
from cs336_bpe.formats.pruning import last_merges, pairs_in_order
from cs336_bpe.formats.round_trip import Checked, as_checked, check_special_ids
from cs336_bpe.formats.safe_json import (
    as_id,
    as_list,
    as_object,
    as_string,
    excerpt,
    kind,
    naming,
    no_collections,
    read_json_file,
)
from cs336_bpe.model.normal import Normalizer
from cs336_bpe.model.reduce import patterns_of
from cs336_bpe.model.splitting import as_split, compiled
from cs336_bpe.patterns import why_not
from cs336_bpe.patterns.known import is_same
from cs336_bpe.rules import GPT2_PATTERN, Model, Pair, Vocab, from_printable, shown
from cs336_bpe.rules.pipeline import AddedToken, Pipeline, Split, SplitStep

_PARTS = {"version", "truncation", "padding", "added_tokens", "normalizer", "pre_tokenizer",
          "post_processor", "decoder", "model"}


class IgnoredPart(UserWarning):
    """A file says something that is no part of a tokenizer."""


def read_huggingface(path: AnyPath) -> Model:
    """Read `tokenizer.json`, if it is byte-level BPE. See `write_huggingface`."""
    return load_huggingface(path).model


@no_collections()
def load_huggingface(path: AnyPath, data: object = None) -> Checked:
    """The same, ready for a tokenizer. `data` is what the file holds, if it was read already."""
    name = os.fspath(path)
    parts = as_object(read_json_file(path) if data is None else data, f"{name}: the whole file")
    with naming(name):
        tokenizer = _read(parts)
    for part in ("padding", "truncation"):
        if parts.get(part) is not None:
            warnings.warn(f"{name} has a {part}, which is the caller's choice and no part of the "
                          f"tokenizer; it is ignored", IgnoredPart, stacklevel=3)
    return tokenizer


def _read(data: Object) -> Checked:
    """What a `tokenizer.json` says, once it is read as JSON."""
    check_keys(data, "the file", _PARTS)
    if "model" not in data:
        raise ValueError("there is no model; it is no tokenizer.json, or cut short")
    if data.get("version") not in (None, "1.0"):
        raise ValueError(f"its version is {data['version']!r:.50}; only 1.0 is read, as another "
                         f"version may mean something else")
    bpe = as_object(data["model"], "the model")
    _check_kind(bpe, data.get("decoder"))
    decoder = as_object(data["decoder"], "the decoder")
    check_keys(decoder, "the decoder", {"type", "add_prefix_space", "trim_offsets", "use_regex"})
    _check_model(bpe)
    merges = as_list(bpe.get("merges"), "the merges of the model")
    entries = as_object(bpe.get("vocab"), "the vocab of the model")
    added = _read_added(data.get("added_tokens", []), entries)
    specials = added.ids
    found = from_entries(entries, merges, list(specials), specials, ranked=True)
    if found is None:
        found = _read_slowly(entries, merges, specials)
    after = read_post_processor(data.get("post_processor"), specials)
    pipeline = Pipeline(
        normalize=read_normalizer(data.get("normalizer")),
        added=added.tokens,
        splits=read_splits(data.get("pre_tokenizer")),
        whole_tokens=as_bool(bpe, "ignore_merges", "the model", False),
        template=after.template,
        trim_offsets=after.trim_offsets,
        trim_prefix_space=after.trim_prefix_space,
        in_order=are_in_order(found.merges),
    )
    _check_contents(pipeline)
    if pipeline.whole_tokens:
        _check_reachable(entries, specials)
    pattern = _one_pattern(pipeline)
    is_plain = (
        pattern and _is_said(pattern, pipeline.splits)
        and pipeline == Pipeline(added=added.tokens, splits=pipeline.splits)
        and all(token.special and token.is_plain for token in added.tokens)
        and len({token.normalized for token in added.tokens}) <= 1)
    check_special_ids(found.ids, specials)
    return as_checked(found, pattern, None if is_plain else pipeline)


# --- Is it byte-level BPE? -----------------------------------------------------------------


_OTHER_MODELS = {
    "Unigram": "a Unigram model, which chooses among all ways to cut a word by their probability; "
               "sentencepiece and tokenizers read it",
    "WordPiece": "a WordPiece model, which takes the longest token that fits; tokenizers reads it",
    "WordLevel": "a table of whole words; tokenizers reads it",
}


def _check_kind(bpe: Object, decoder: object) -> None:
    """An error in one sentence, if the file is another kind of tokenizer."""
    found = bpe.get("type")
    if isinstance(found, str) and found in _OTHER_MODELS:
        raise ValueError(f"this is not byte-level BPE but {_OTHER_MODELS[found]}")
    # Early files, GPT-2's among them, have no type.
    if found is not None and found != "BPE":
        raise ValueError(f"the type of the model is {kind(found)}; only BPE is read")
    if bpe.get("byte_fallback") not in (None, False):
        raise ValueError("this is not byte-level BPE but a SentencePiece-like one with byte "
                         "fallback: its symbols are characters, and a token such as <0x0A> stands "
                         "for a byte where a character has none; tokenizers reads it, and "
                         "sentencepiece the model that it was made from")
    if type_of(decoder, "the decoder") != "ByteLevel":
        raise ValueError(f"the decoder is {type_of(decoder, 'it')}; only ByteLevel is read: tokens "
                         f"are not bytes otherwise; tokenizers reads the file")


def _check_model(bpe: Object) -> None:
    check_keys(bpe, "the model", {
        "type", "dropout", "unk_token", "continuing_subword_prefix", "end_of_word_suffix",
        "fuse_unk", "byte_fallback", "ignore_merges", "vocab", "merges"})
    _check(bpe, "dropout", (None, 0), "merges are left out at random")
    for key in ("continuing_subword_prefix", "end_of_word_suffix"):
        _check(bpe, key, (None, ""), "tokens are marked by their place in a word")
    # unk_token and fuse_unk are for characters without a token; here every byte has one.


def _check(value: Object, key: str, allowed: tuple[object, ...], why: str) -> None:
    """An entry that may be absent or have a value that changes nothing."""
    found = value.get(key)
    # 0 == False in Python, and it would be the same here, but it is not what the format has.
    if found not in allowed or isinstance(found, (bool, list, dict)):
        raise ValueError(f"{key} is {kind(found)}: {why}, so this is not plain byte-level BPE")


# --- Merges --------------------------------------------------------------------------------


def _read_slowly(entries: Object, listed: list[object], specials: dict[str, int]) -> Consistent:
    """The vocab, and of the merges those that happen; or an error that names what is wrong."""
    pairs = _read_merges(listed)
    merges = last_merges(pairs)
    vocab = _read_vocab(entries, merges, specials)
    _check_listed(pairs, set(vocab.values()))
    return consistent(vocab, merges, list(specials), in_order=pairs_in_order(merges))


def _read_vocab(entries: Object, merges: list[Pair], specials: dict[str, int]) -> Vocab:
    vocab = read_entries(entries, merges, list(specials), "the vocab")
    for token, number in specials.items():
        if vocab.setdefault(number, token.encode()) != token.encode():
            raise ValueError(f"the added token {token!r} has the id {number}, but that is "
                             f"{shown(vocab[number])} in the vocab: give it an id of its own")
    return vocab


def _read_merges(listed: list[object]) -> list[Pair]:
    """Merges as lists `["a", "b"]`, or as strings `"a b"`, as they were before version 0.20."""
    merges = []
    for place, entry in enumerate(listed):
        what = f"merges[{place}]"
        if isinstance(entry, str):
            if entry.startswith("#version"):
                raise ValueError(f"{what} is {excerpt(entry)}, which tokenizers leaves out as if "
                                 f"it were the first line of a merges.txt: write it as a list")
            merges.append(read_merge(entry, what))
        else:
            pair = as_list(entry, what)
            if len(pair) != 2:
                raise ValueError(f"{what} is {kind(entry)}; it must be a pair of tokens")
            left, right = (read_part(as_string(part, what), what) for part in pair)
            merges.append((left, right))
    return merges


def _check_listed(listed: list[Pair], tokens: set[bytes]) -> None:
    """Every merge that the file lists, also one that never happens, must join tokens to a token."""
    for place, (left, right) in enumerate(listed):
        for token in (left, right, left + right):
            if token not in tokens:
                raise ValueError(f"merges[{place}] joins {shown(left)} and {shown(right)}, but "
                                 f"{shown(token)} is not in the vocab: add it, or leave the merge "
                                 f"out")


# --- Added tokens --------------------------------------------------------------------------


class _Added(NamedTuple):
    tokens: tuple[AddedToken, ...]
    ids: dict[str, int]


def _read_added(value: object, entries: Object) -> _Added:
    """The added tokens and their ids, which must be the ones that the library would give."""
    tokens = []
    ids: dict[str, int] = {}
    next_id = len(entries)
    for place, entry in enumerate(as_list(value, "added_tokens")):
        what = f"added_tokens[{place}]"
        token = as_object(entry, what)
        check_keys(token, what, {"id", "content", "single_word", "lstrip", "rstrip", "normalized",
                                 "special"})
        content = as_string(token.get("content"), f"the content of {what}")
        number = as_id(token.get("id"), f"the id of {what}")
        if not content:
            raise ValueError(f"{what} is empty; it would match everywhere")
        if content in ids:
            raise ValueError(f"{what} is {excerpt(content)}, which is there already")
        if from_printable(content) not in (None, content.encode()):
            raise ValueError(f"{what} is {excerpt(content)}, which tokenizers takes for bytes when "
                             f"it decodes; rename it")
        expected = entries.get(content, next_id)
        if number != expected:
            raise ValueError(f"{what} is {excerpt(content)} with the id {number}, but tokenizers "
                             f"would give it the id {kind(expected)}: correct it")
        ids[content] = number
        next_id += content not in entries
        special = as_bool(token, "special", what, False)
        tokens.append(AddedToken(
            content, special, as_bool(token, "lstrip", what, False),
            as_bool(token, "rstrip", what, False), as_bool(token, "single_word", what, False),
            as_bool(token, "normalized", what, not special),
            in_vocab=content in entries))
    return _Added(tuple(tokens), ids)


def _check_contents(pipeline: Pipeline) -> None:
    """A normalized token must stay what it is. If not, `tokenizers` decodes it to another text."""
    normalizer = Normalizer(pipeline.normalize)
    for token in pipeline.added:
        if token.normalized and normalizer(token.content) != token.content:
            raise ValueError(f"the added token {token.content!r} is normalized, and the normalizer "
                             f"makes {normalizer(token.content)!r} of it; it would be decoded to "
                             f"another text than it stands for")


def _check_reachable(entries: Object, specials: dict[str, int]) -> None:
    """With `ignore_merges`, a token that no pretoken can be must not look like one that can."""
    for key in not_printable(entries):
        if key not in specials:
            raise ValueError(f"the vocab has {excerpt(key)}, which has characters outside of the "
                             f"alphabet for bytes and is not an added token: with ignore_merges it "
                             f"can't be told from the token of the same bytes")


def _is_said(pattern: str, splits: tuple[SplitStep, ...]) -> bool:
    """Whether the writer would say these steps, given the pattern alone."""
    if pattern == GPT2_PATTERN:
        return True
    return isinstance(splits[0], Split) and splits[0].is_regex and splits[0].pattern == pattern


def _one_pattern(pipeline: Pipeline) -> str:
    """The one pattern that cuts text into pretokens, and matches all of it; empty if none does."""
    reduced = patterns_of(pipeline.splits)
    if reduced is not None and not reduced.prefix_space and len(reduced.patterns) == 1:
        pattern = reduced.patterns[0]
        if is_same(pattern, GPT2_PATTERN):
            return GPT2_PATTERN
        if uncovered(pattern) is None:
            if why_not(pattern) is not None:
                check_time(pattern)
            return pattern
    for split in map(as_split, pipeline.splits):  # `regex` runs them one after the other
        if split.is_regex:
            check_time(compiled(split.pattern, is_regex=True).pattern)
    return ""
