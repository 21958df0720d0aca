"""Reading Hugging Face's `tokenizer.json`, without the library.

The file can describe many tokenizers that are not byte-level BPE, or not quite: words first, text
normalised, merges left out at random. Read as plain byte-level BPE they would give wrong ids
without a word. So every part of the file must be one that is known to change nothing, and
everything else is refused, with its name.
"""

import os
from collections.abc import Collection

from cs336_bpe.common.paths import AnyPath
from cs336_bpe.formats.consistent import from_entries
from cs336_bpe.formats.gpt2 import read_entries, read_merge, read_part
from cs336_bpe.formats.plain_encoder import PlainEncoder
from cs336_bpe.formats.probe import uncovered
from cs336_bpe.formats.round_trip import Checked, as_checked, check_special_ids, checked
from cs336_bpe.formats.safe_json import (
    as_id,
    as_list,
    as_object,
    as_pattern,
    as_string,
    excerpt,
    kind,
    naming,
    no_collections,
    read_json_file,
)
from cs336_bpe.rules import GPT2_PATTERN, Model, Pair, from_printable, shown

_Object = dict[str, object]


def read_huggingface(path: AnyPath) -> Model:
    """Read `tokenizer.json`, if it is plain byte-level BPE. See `write_huggingface`."""
    return load_huggingface(path).model


@no_collections()
def load_huggingface(path: AnyPath, data: object = None) -> Checked:
    """The same, ready for a tokenizer. `data` is what the file holds, if it was read already."""
    name = os.fspath(path)
    parts = as_object(read_json_file(path) if data is None else data, f"{name}: the whole file")
    with naming(name):
        _check_keys(parts, "the file", {"version", "truncation", "padding", "added_tokens",
                                       "normalizer", "pre_tokenizer", "post_processor", "decoder",
                                       "model"})
        if "model" not in parts:
            raise ValueError("there is no model; it is no tokenizer.json, or cut short")
        _check(parts, "version", (None, "1.0"), "another version may mean something else")
        for part in ("truncation", "padding", "normalizer"):
            _check(parts, part, (None,), f"a {part} changes the text or the ids")
        post = parts.get("post_processor")
        if post is not None and _type(post, "the post_processor") != "ByteLevel":
            raise ValueError(f"the post_processor is {_type(post, 'it')}, which adds ids around "
                             f"the text; only ByteLevel is read, which does not")
        if _type(parts.get("decoder"), "the decoder") != "ByteLevel":
            raise ValueError(f"the decoder is {_type(parts.get('decoder'), 'it')}; only ByteLevel "
                             f"is read: tokens are not bytes otherwise")
        _check_keys(as_object(parts["decoder"], "the decoder"), "the decoder",
                    {"type", "add_prefix_space", "trim_offsets", "use_regex"})
        pattern = _read_pattern(parts.get("pre_tokenizer"))
        bpe = as_object(parts["model"], "the model")
        _check_model(bpe)
        raw_merges = as_list(bpe.get("merges"), "the merges of the model")
        entries = as_object(bpe.get("vocab"), "the vocab of the model")
        specials = _read_added(parts.get("added_tokens", []), entries)
        found = None
        if not _has_version(raw_merges):
            found = from_entries(entries, raw_merges, list(specials), specials)
        if found is not None:
            tokenizer = as_checked(found, pattern)
        else:
            tokenizer = _read_one_by_one(entries, raw_merges, specials, pattern)
        check_special_ids(tokenizer.ids, specials)
        if bpe.get("ignore_merges"):
            _check_ignore_merges(entries, tokenizer)
    return tokenizer


def _has_version(merges: list[object]) -> bool:
    """Whether a merge that is a string begins with `#version`, see `_read_merges`."""
    try:
        return "\n#version" in "\n" + "\n".join(merges)  # type: ignore[arg-type]
    except TypeError:  # not all are strings
        return any(isinstance(merge, str) and merge.startswith("#version") for merge in merges)


def _read_one_by_one(entries: _Object, raw_merges: list[object], specials: dict[str, int],
                     pattern: str) -> Checked:
    """The vocab and the merges, or an error that names the entry."""
    merges = _read_merges(raw_merges)
    vocab = read_entries(entries, merges, list(specials), "the vocab")
    for token, number in specials.items():
        if vocab.setdefault(number, token.encode()) != token.encode():
            raise ValueError(f"the added token {token!r} has the id {number}, but that is "
                             f"{shown(vocab[number])} in the vocab: give it an id of its own")
    return checked(Model(vocab, merges, list(specials), pattern))


def _check_keys(value: _Object, what: str, known: Collection[str]) -> None:
    for key in value:
        if key not in known:
            raise ValueError(f"{what} has the entry {excerpt(key)}, whose meaning is not known "
                             f"here: it could change the ids")


def _check(value: _Object, key: str, allowed: Collection[object], why: str) -> None:
    """An entry that may be absent or have a value that changes nothing."""
    found = value.get(key)
    # 0 == False in Python, and it would be the same here, but it is not what the format has.
    if found not in allowed or isinstance(found, (list, dict)):
        raise ValueError(f"{key} is {kind(found)}: {why}, so this is not plain byte-level BPE")


def _type(value: object, what: str) -> str:
    if value is None:
        return "missing"
    return as_string(as_object(value, what).get("type"), f"the type of {what}")


def _read_pattern(value: object) -> str:
    """The pattern of a pretokenizer: ByteLevel alone, or Split with a regex and then ByteLevel."""
    if _type(value, "the pre_tokenizer") == "ByteLevel":
        if not _byte_level(value, "the pre_tokenizer"):
            raise ValueError("the pre_tokenizer is ByteLevel without its regex, so nothing splits "
                             "the text into pretokens; to keep it so, split by [\\s\\S]+")
        return GPT2_PATTERN
    steps: list[object] = []
    if _type(value, "the pre_tokenizer") == "Sequence":
        sequence = as_object(value, "the pre_tokenizer")
        _check_keys(sequence, "the pre_tokenizer", {"type", "pretokenizers"})
        steps = as_list(sequence.get("pretokenizers"), "the pretokenizers")
    types = [_type(step, "a pretokenizer") for step in steps[:10]]
    if types != ["Split", "ByteLevel"]:
        found = " and ".join(types) or _type(value, "the pre_tokenizer")
        raise ValueError(f"the pre_tokenizer is {excerpt(found)}; only ByteLevel is read, or a "
                         f"Sequence of Split and ByteLevel")
    if _byte_level(steps[1], "the second pretokenizer"):
        raise ValueError("the second pretokenizer is ByteLevel with its own regex, which splits "
                         "once more; only use_regex false is read after Split")
    split = as_object(steps[0], "Split")
    _check_keys(split, "Split", {"type", "pattern", "behavior", "invert"})
    _check(split, "behavior", ("Isolated",), "matches are not the pretokens")
    _check(split, "invert", (None, False), "matches are not the pretokens")
    regex = as_object(split.get("pattern"), "the pattern of Split")
    if list(regex) != ["Regex"]:
        raise ValueError("the pattern of Split must be a Regex")
    pattern = as_pattern(regex["Regex"], "the pattern of Split")
    gap = uncovered(pattern)
    if gap is not None:
        raise ValueError(f"the pattern of Split does not match {excerpt(gap)}; tokenizers makes a "
                         f"pretoken of it, and this program leaves it out")
    return pattern


def _byte_level(value: object, what: str) -> bool:
    """Whether a ByteLevel step uses its regex, if it changes nothing else."""
    step = as_object(value, what)
    _check_keys(step, what, {"type", "add_prefix_space", "trim_offsets", "use_regex"})
    # Absent, it is true.
    if step.get("add_prefix_space", True) is not False:
        raise ValueError(f"{what} has add_prefix_space, which puts a blank before the text; so it "
                         f"can't be decoded to what it was")
    use_regex = step.get("use_regex", True)
    if not isinstance(use_regex, bool):
        raise ValueError(f"{what} has use_regex {kind(use_regex)}; it must be true or false")
    return use_regex


def _check_model(bpe: _Object) -> None:
    _check_keys(bpe, "the model", {
        "type", "dropout", "unk_token", "continuing_subword_prefix", "end_of_word_suffix",
        "fuse_unk", "byte_fallback", "ignore_merges", "vocab", "merges"})
    # Early files, GPT-2's among them, have no type.
    _check(bpe, "type", (None, "BPE"), "only BPE models are read")
    _check(bpe, "dropout", (None, 0), "merges are left out at random")
    for key in ("continuing_subword_prefix", "end_of_word_suffix"):
        _check(bpe, key, (None, ""), "tokens are marked by their place in a word")
    _check(bpe, "byte_fallback", (None, False), "tokens such as <0x0A> stand for bytes")
    _check(bpe, "ignore_merges", (None, False, True), "it must be true or false")
    # unk_token and fuse_unk are for characters without a token; here every byte has one.


def _read_merges(entries: list[object]) -> list[Pair]:
    """Merges as lists `["a", "b"]`, or as strings `"a b"`, as they were before version 0.20."""
    merges = []
    for place, entry in enumerate(entries):
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


def _read_added(value: object, entries: _Object) -> dict[str, int]:
    """The special tokens and their ids, which must be the ones that the library would give."""
    specials: dict[str, int] = {}
    next_id = len(entries)
    normalized = set()
    for place, entry in enumerate(as_list(value, "added_tokens")):
        what = f"added_tokens[{place}]"
        token = as_object(entry, what)
        _check_keys(token, what, {"id", "content", "single_word", "lstrip", "rstrip", "normalized",
                                  "special"})
        for key in ("single_word", "lstrip", "rstrip"):
            if token.get(key, False) is not False:
                raise ValueError(f"{what} has {key}, which makes it depend on the text around it; "
                                 f"special tokens here do not")
        content = as_string(token.get("content"), f"the content of {what}")
        number = as_id(token.get("id"), f"the id of {what}")
        if content in specials:
            raise ValueError(f"{what} is {excerpt(content)}, which is there already")
        expected = entries.get(content, next_id)
        if number != expected:
            raise ValueError(f"{what} is {excerpt(content)} with the id {number}, but tokenizers "
                             f"would give it the id {kind(expected)}: correct it")
        next_id += content not in entries
        specials[content] = number
        normalized.add(kind(token.get("normalized")))
    if len(normalized) > 1:
        raise ValueError("some added tokens are normalized and some are not; tokenizers looks for "
                         "them one after the other, so the longest match need not win")
    return specials


def _check_ignore_merges(entries: _Object, tokenizer: Checked) -> None:
    """With `ignore_merges` a pretoken that is a token is left as it is. Usually merges make it."""
    encoder = PlainEncoder(tokenizer)
    for key, number in entries.items():
        word = from_printable(key)
        if word and word.decode("utf-8", "replace") not in tokenizer.ids.specials \
                and encoder.encode_bytes(word) != [number]:
            raise ValueError(f"ignore_merges is true, and merges alone would not make "
                             f"{shown(word)}, so it changes the ids")
