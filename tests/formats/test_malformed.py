"""Files that are wrong, by accident or on purpose: an error that says what is wrong and where.

Every error must be a ValueError that names the file. Nothing may hang or take all memory; a test
that did would be noticed.
"""

import json
import re
import shutil
import warnings
from base64 import b64encode

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cs336_bpe import GPT2_PATTERN, Tokenizer
from cs336_bpe.formats import (
    read_gpt2,
    read_huggingface,
    read_json,
    read_tiktoken,
    write_gpt2,
    write_huggingface,
    write_json,
    write_tiktoken,
)
from cs336_bpe.formats.huggingface_reader import IgnoredPart
from cs336_bpe.formats.tiktoken import UnmadeTokens
from cs336_bpe.rules import BYTES, Model

READERS = {
    "vocab.json": lambda folder: read_gpt2(folder / "vocab.json", folder / "merges.txt",
                                           ["<|end|>"]),
    "merges.txt": lambda folder: read_gpt2(folder / "vocab.json", folder / "merges.txt",
                                           ["<|end|>"]),
    "own.json": lambda folder: read_json(folder / "own.json"),
    "tokenizer.json": lambda folder: read_huggingface(folder / "tokenizer.json"),
    "ranks.tiktoken": lambda folder: read_tiktoken(folder / "ranks.tiktoken", {"<|end|>": 256}),
}
JSON_FILES = ["vocab.json", "own.json", "tokenizer.json"]


@pytest.fixture(scope="session")
def written(small, tmp_path_factory):
    folder = tmp_path_factory.mktemp("written")
    write_gpt2(small, folder / "vocab.json", folder / "merges.txt")
    write_json(small, folder / "own.json")
    write_huggingface(small, folder / "tokenizer.json")
    write_tiktoken(small, folder / "ranks.tiktoken")
    return folder


@pytest.fixture
def good(written, tmp_path):
    """A folder with the small vocabulary in every format, to spoil."""
    return shutil.copytree(written, tmp_path / "good")


def refused(folder, name, message):
    """Reading fails with a ValueError that names the file and has the message; it is short."""
    with pytest.raises(ValueError, match=message) as caught:
        READERS[name](folder)
    assert str(folder / name) in str(caught.value)
    assert len(str(caught.value).replace(str(folder), "")) < 600
    return str(caught.value)


def change(path, *replacements):
    """Replace parts of a file, each of which must be there."""
    data = path.read_bytes()
    for old, new in replacements:
        assert old in data
        data = data.replace(old, new)
    path.write_bytes(data)


def rewrite(path, edit):
    """Change what a JSON file holds."""
    content = json.loads(path.read_bytes())
    edit(content)
    path.write_text(json.dumps(content), encoding="utf-8")


# --- All formats ------------------------------------------------------------------------------


@pytest.mark.parametrize("name", READERS)
def test_good_files_are_read(name, good, small):
    assert READERS[name](good) == small


@pytest.mark.parametrize("name", READERS)
def test_cut_short(name, good, small):
    """At any byte. Only a list of ranks that ends with a line can't be told from a shorter one."""
    path = good / name
    data = path.read_bytes()
    for size in range(0, len(data), 1 if len(data) < 100 else 37):
        path.write_bytes(data[:size])
        if name == "ranks.tiktoken" and (data[:size] + b"\n") in data:
            continue
        if data[:size].strip() == data.strip():
            continue
        refused(good, name, ".")


@pytest.mark.parametrize("name", READERS)
def test_invalid_utf8(name, good):
    path = good / name
    data = path.read_bytes()
    path.write_bytes(data[:20] + b"\xff" + data[20:])
    refused(good, name, "line" if name == "ranks.tiktoken" else "not valid UTF-8 at byte 20")


@pytest.mark.parametrize("name", READERS)
def test_too_large(name, good):
    """A file without an end must not fill the memory. This one has holes, and takes no room."""
    with open(good / name, "r+b") as file:
        file.truncate(1 << 30)
    refused(good, name, "more than [0-9,]+ bytes, which is the limit")


@pytest.mark.parametrize("name", READERS)
def test_not_a_file(name, good):
    (good / name).unlink()
    with pytest.raises(FileNotFoundError, match=re.escape(name)):
        READERS[name](good)
    (good / name).mkdir()
    with pytest.raises(IsADirectoryError, match=re.escape(name)):
        READERS[name](good)


@pytest.mark.parametrize("name", JSON_FILES)
@pytest.mark.parametrize(("content", "message"), [
    (b"", "not valid JSON at line 1, column 1"),
    (b"[" * 1_000_000, "nested too deeply"),
    (b'{"a":' * 1_000_000, "nested too deeply"),
    (b"[]", "the whole file is a list of 0; it must be an object"),
    (b"null", "the whole file is null"),
    (b'"text"', "the whole file is the string 'text'"),
    (b"NaN", "the number NaN, which is no JSON"),
    (b'{"a": Infinity}', "the number Infinity"),
    (b"1" * 1_000_000, "a number of 1000000 digits"),
    (b'{"a": 1, "b": 2, "a": 1}', "has the key 'a' twice"),
    (b'{"x": {"a": 1, "a": 1}}', "has the key 'a' twice"),
    (b"\xef\xbb\xbf{}", "not valid JSON at line 1, column 1"),
    (b"\x80\x04\x95cos\nsystem\n", "not valid UTF-8 at byte 0"),
])
def test_not_the_json_that_it_should_be(name, content, message, good):
    (good / name).write_bytes(content)
    refused(good, name, message)


@pytest.mark.parametrize("name", READERS)
@settings(max_examples=200)
@given(changes=st.lists(st.tuples(st.floats(0, 0.999), st.integers(0, 20), st.binary(max_size=8)),
                        min_size=1, max_size=3))
def test_any_damage(name, good, changes):
    """Whatever is wrong: a model that is consistent, or a ValueError, and nothing else."""
    path = good / name
    data = path.read_bytes()
    damaged = data
    for place, length, new in changes:
        start = int(place * len(damaged))
        damaged = damaged[:start] + new + damaged[start + length :]
    path.write_bytes(damaged)
    try:
        model = READERS[name](good)
    except ValueError as error:
        assert str(path) in str(error)  # noqa: PT017
    else:
        assert model.merges
    finally:
        path.write_bytes(data)


JSON_VALUES = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=3)),
    lambda inner: st.one_of(st.lists(inner, max_size=3),
                            st.dictionaries(st.text(max_size=3), inner, max_size=3)),
    max_leaves=4)


@pytest.mark.parametrize("name", JSON_FILES)
@settings(max_examples=200)
@given(choice=st.randoms(use_true_random=False), value=JSON_VALUES)
def test_any_wrong_type(name, good, choice, value):
    """One value somewhere in the file is replaced by any other."""
    path = good / name
    data = path.read_bytes()
    root = node = json.loads(data)
    while True:
        key = choice.choice(list(node) if isinstance(node, dict) else range(len(node)))
        if not isinstance(node[key], (dict, list)) or not node[key] or choice.random() < 0.3:
            break
        node = node[key]
    node[key] = value
    path.write_text(json.dumps(root), encoding="utf-8")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", IgnoredPart)
            READERS[name](good)
    except ValueError as error:
        assert str(path) in str(error)  # noqa: PT017
    finally:
        path.write_bytes(data)


# --- GPT-2 ------------------------------------------------------------------------------------


@pytest.mark.parametrize(("old", "new", "message"), [
    (b'"a": 97', b'"a": "97"', "the token 'a' is the string '97'; it must be an id"),
    (b'"a": 97', b'"a": 97.0', "the token 'a' is 97.0; it must be an id"),
    (b'"a": 97', b'"a": true', "the token 'a' is true"),
    (b'"a": 97', b'"a": null', "the token 'a' is null"),
    (b'"a": 97', b'"a": [97]', "the token 'a' is a list of 1"),
    (b'"a": 97', b'"a": -1', "the token 'a' is -1; an id is at least 0"),
    (b'"a": 97', b'"a": 4294967295', "is 4294967295; an id is at least 0 and at most 2147483647"),
    (b'"a": 97', b'"a": 98', "'b' has the id 98, and so has the token 'a'"),
    (b'"a": 97', b'"b": 97', "has the key 'b' twice"),
    (b'"a": 97,', b"", r"the byte b'a' has no id"),
    (b'"est"', b'"tse"', r"merges\[1\] makes b'est', which has no id"),
    (b'"est"', b'"\\ud800"', "has no UTF-8 form"),
    (b'"est"', b'""', r"vocab\[258\] is empty"),
])
def test_bad_vocab(old, new, message, good):
    change(good / "vocab.json", (old, new))
    refused(good, "vocab.json", message)


@pytest.mark.parametrize(("old", "new", "message"), [
    (b"\ns t\n", b"\nst\n", r"line 2 is 'st'; it must be two tokens"),
    (b"\ns t\n", b"\n\n", r"line 2 is ''; it must be two tokens"),
    (b"\ns t\n", b"\ns  t\n", r"line 2 is 's  t'; it must be two tokens"),
    (b"\ns t\n", b"\n t\n", r"line 2 has '' as a part of a merge"),
    (b"\ns t\n", b"\ns t \n", r"line 2 is 's t '"),
    (b"\ns t\n", b"\ns\tt\n", r"line 2 is 's\\tt'"),
    (b"\ns t\n", "\ns 日\n".encode(), r"line 2 has '日' as a part of a merge"),
    (b"\ns t\n", b"\n", r"merges\[0\] joins b'e' and b'st', but no merge before it makes b'st'"),
    (b"\ns t\n", b"\ns t\ns t\n", r"merges\[1\] makes b'st', and so does merges\[0\]"),
    (b"\ns t\n", b"\ns t\nx y\n", r"merges\[1\] makes b'xy', which has no id"),
    (b"\ns t\n", b"\ns t\n#version: 0.2\n", r"b'#version:'"),
])
def test_bad_merges(old, new, message, good):
    change(good / "merges.txt", (old, new))
    refused(good, "merges.txt", message)


def test_merges_cut_short_after_a_line(good):
    lines = (good / "merges.txt").read_bytes().splitlines(keepends=True)
    (good / "merges.txt").write_bytes(b"".join(lines[:-1]))
    refused(good, "merges.txt", "its merge is not there; the list of merges may be cut short")


# --- Our own ----------------------------------------------------------------------------------


@pytest.mark.parametrize(("old", "new", "message"), [
    (b'"cs336_bpe tokenizer"', b'"other"', "\"format\" is the string 'other', not \"cs336_bpe"),
    (b'"version": 1', b'"version": 2', "version 2, but this program reads version 1"),
    (b'"version": 1', b'"version": 1, "more": 1', "it must have format, version"),
    (b'"version": 1,', b"", "version null"),
    (b'["s", "t"],', b'["s"],', r"merges\[0\] is a list of 1; it must have two values"),
    (b'["s", "t"],', b'["s", 5],', r"merges\[0\] has 5 for a token"),
    (b'["s", "t"],', b'["s", {"bytes": "7"}],', r"merges\[0\] has an object for a token"),
    (b'["s", "t"],', b'["s", {"bytes": 7}],', r"merges\[0\] is 7; it must be a string"),
    (b'["s", "t"],', b'["s", {"byte": "74"}],', r"merges\[0\] has an object for a token"),
    (b'["s", "t"],', b'["s", ""],', r"vocab\[257\] is b's', and so is vocab\[115\]"),
    (b'["s", "t"],', b'["s", "\\udc80"],', "has no UTF-8 form"),
    (b'["s", "t"],', b'["t", "s"],', "no merge before it makes b'st'"),
    (b'["s", "t"],', b"", "no merge before it makes b'st'"),
    (b'"<|end|>", 256', b'"<|end|>", 257', "has the id 257, but by the rules"),
    (b'"<|end|>", 256', b'"<|end|>", 1e3', "1000.0; it must be an id"),
    (b'"<|end|>"', b'""', r"special_tokens\[0\] is empty"),
    (b'"<|end|>"', b'"<|END|>"', "has been altered: its checksum"),
    (b"sha256:", b"sha512:", "has been altered"),
    (b'"bytes, special', b'"special', "ids is the string .* it must be"),
    (b'"pattern": "', b'"pattern": "(', "the pattern can't be used"),
    (b'"pattern": "', b'"pattern": "(?:a{9999}){9999}', "more than 100,000 copies"),
    (b'"pattern": "', b'"pattern": "a{99999999999999999999}', "more than 100,000 copies"),
    (b'"pattern": "', b'"pattern": "(?x)', "has the flag x"),
    (b'"pattern": "', b'"pattern": "' + b"(?:" * 3_000, "the pattern can't be used"),
    (b'"pattern": "', b'"pattern": "' + b"a" * 10_000, "at most 10000 are read"),
])
def test_bad_own_file(old, new, message, good):
    change(good / "own.json", (old, new))
    refused(good, "own.json", message)


@pytest.mark.parametrize(("edit", "message"), [
    (lambda ids: ids.append([5, "x"]), r"ids\[263\] gives the id 5 once more"),
    (lambda ids: ids.append([2**32, "x"]), r"ids\[263\] is 4294967296; an id is"),
    (lambda ids: ids.append([900, "est"]), r"vocab\[900\] is b'est', and so is vocab\[258\]"),
    (lambda ids: ids.append([900, ""]), r"vocab\[900\] is empty"),
    (lambda ids: ids.append(5), r"ids\[263\] is 5; it must be a list"),
    (lambda ids: ids.pop(), r"which has no id"),
    (lambda ids: ids.clear(), r"the byte b'\\x00' has no id"),
])
def test_bad_ids_in_our_own_file(edit, message, good, small):
    rows = [[n, token.decode() if token.isascii() else {"bytes": token.hex()}]
            for n, token in small.vocab.items()]
    edit(rows)
    rewrite(good / "own.json", lambda content: content.update(ids=rows))
    refused(good, "own.json", message)


# --- tiktoken ---------------------------------------------------------------------------------


@pytest.mark.parametrize(("old", "new", "message"), [
    (b"c3Q= 257", b"c3Q=257", r"line 257 is 'c3Q=257'; it must be a token in base64"),
    (b"c3Q= 257", b"c3Q= -257", r"line 257 is"),
    (b"c3Q= 257", b"c3Q= 2 57", r"line 257 is"),
    (b"c3Q= 257", b"c3Q= +257", r"line 257 is"),
    (b"c3Q= 257", b"c3Q= 2_57", r"line 257 is"),
    (b"c3Q= 257", "c3Q= ٣٤٥".encode(), r"line 257 is"),
    (b"c3Q= 257", b"c3Q= 4294967295", r"line 257: the rank is 4294967295"),
    (b"c3Q= 257", b"c3Q= " + b"9" * 1_000_000, r"line 257 is .* at most 2147483647"),
    (b"c3Q= 257", b"c3Q 257", r"line 257 .* is not a token in base64"),
    (b"c3Q= 257", b"c3R= 257", r"line 257 .* is not a token in base64"),
    (b"c3Q= 257", b"c3*= 257", r"line 257 .* is not a token in base64"),
    (b"c3Q= 257", b" 257", r"line 257 .* is not a token in base64"),
    (b"c3Q= 257", b"c3Q= 258", r"line 258 has the rank 258, which line 257 has already"),
    (b"c3Q= 257", b"YQ== 257", r"line 257 has the token b'a', which line 98 has already"),
    (b"c3Q= 257", b"c3Q= 256", r"special token '<\|end\|>' can't have the id 256"),
    (b"YQ== 97\n", b"", r"the byte b'a' has no rank"),
])
def test_bad_ranks(old, new, message, good):
    change(good / "ranks.tiktoken", (old, new))
    refused(good, "ranks.tiktoken", message)


def test_special_tokens_for_ranks(good, small):
    path = good / "ranks.tiktoken"
    assert read_tiktoken(path) == small._replace(
        special_tokens=[], vocab={n: t for n, t in small.vocab.items() if n != 256})
    with pytest.raises(ValueError, match="'est' has the id 900, but by the rules"):
        read_tiktoken(path, {"est": 900})
    with pytest.raises(TypeError, match="the id of the special token 'x' is '1'"):
        read_tiktoken(path, {"x": "1"})
    with pytest.raises(ValueError, match="is -1; it must be at least 0"):
        read_tiktoken(path, {"x": -1})
    with pytest.raises(ValueError, match="the greatest possible is"):
        read_tiktoken(path, {"x": 2**40})


def test_a_long_token_takes_no_quadratic_time(good):
    """A token of 65,536 bytes, put together in 16 steps, and one that can't be put together."""
    path = good / "ranks.tiktoken"
    lines = [b"%b %d\n" % (b64encode(byte), rank) for rank, byte in enumerate(BYTES)]
    for power in range(1, 17):
        lines.append(b"%b %d\n" % (b64encode(b"a" * 2**power), 255 + power))
    path.write_bytes(b"".join(lines))
    assert read_tiktoken(path).merges[-1] == (b"a" * 2**15, b"a" * 2**15)
    lines[-1] = b"%b 300\n" % b64encode(b"ab" * 500_000)
    path.write_bytes(b"".join(lines))
    with pytest.warns(UnmadeTokens, match=r"b'abab.* of 1000000 bytes of rank 300"):
        assert len(read_tiktoken(path).merges) == 15


@pytest.mark.parametrize(("merges", "extra", "message"), [
    ([(b"a", b"b"), (b"b", b"c"), (b"a", b"bc")], {}, r"merges\[2\] .* never happens"),
    ([], {300: b"unmade"}, "the vocab has b'unmade' with the id 300, which no merge makes"),
])
def test_merges_that_ranks_can_not_keep(merges, extra, message, tmp_path):
    tokens = [*BYTES, *dict.fromkeys(left + right for left, right in merges)]
    model = Model(dict(enumerate(tokens)) | extra, merges, [], GPT2_PATTERN)
    with pytest.raises(ValueError, match=message):
        write_tiktoken(model, tmp_path / "ranks.tiktoken")
    write_json(model, tmp_path / "own.json")
    assert read_json(tmp_path / "own.json") == model


# --- Hugging Face -----------------------------------------------------------------------------

SPLIT = {"type": "Split", "pattern": {"Regex": r"[^\n]+|\n+"}, "behavior": "Isolated",
         "invert": False}
BYTE_LEVEL = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True,
              "use_regex": False}


def steps(*pretokenizers):
    return {"pre_tokenizer": {"type": "Sequence", "pretokenizers": [*pretokenizers]}}


@pytest.mark.parametrize(("update", "message"), [
    ({"model": None}, "the model is null"),
    ({"unheard_of": 1}, "the file has the entry 'unheard_of', whose meaning is not known"),
    ({"normalizer": {"type": "Lowercase"}}, "the normalizer is 'Lowercase'; only NFC"),
    ({"normalizer": {"type": "Replace", "pattern": {"Regex": "x*"}, "content": ""}},
     r"the pattern of Replace is 'x\*'; only plain ones"),
    ({"normalizer": {"type": "Prepend", "prepend": ""}}, "Prepend has nothing to put before"),
    ({"post_processor": {"type": "TemplateProcessing"}}, "the special_tokens of the template is"),
    ({"post_processor": {"type": "TemplateProcessing", "single": [], "pair": [],
                         "special_tokens": {}}},
     "does not have the text in it"),
    ({"post_processor": {"type": "RobertaProcessing", "cls": ["<s>", 5], "sep": ["<s>", 5]}},
     r"RobertaProcessing gives '<s>' the ids \[5\]; it must be an added token"),
    ({"post_processor": {"type": "Other"}}, "the post_processor is 'Other'"),
    ({"decoder": None}, "the decoder is missing; only ByteLevel"),
    ({"decoder": {"type": "WordPiece"}}, "the decoder is WordPiece"),
    ({"pre_tokenizer": None}, "the pre_tokenizer is 'missing'; exactly one"),
    ({"pre_tokenizer": {"type": "Whitespace"}}, "the pre_tokenizer has 'Whitespace'"),
    ({"pre_tokenizer": {"type": 5}}, "the type of the pre_tokenizer is 5"),
    ({"pre_tokenizer": BYTE_LEVEL | {"more": 1}}, "the entry 'more'"),
    (steps(SPLIT), "the pre_tokenizer is 'Split'"),
    (steps(BYTE_LEVEL, BYTE_LEVEL), "is 'ByteLevel and ByteLevel'"),
    (steps(SPLIT, BYTE_LEVEL | {"use_regex": 0}), "use_regex 0; it must be true or false"),
    (steps(SPLIT | {"behavior": "removed"}, BYTE_LEVEL), "behavior of Split is .* 'removed'"),
    (steps(SPLIT | {"invert": 1}, BYTE_LEVEL), "invert 1; it must be true or false"),
    (steps(SPLIT | {"pattern": {"String": ""}}, BYTE_LEVEL), "the pattern of Split is empty"),
    (steps(SPLIT | {"pattern": {"Text": " "}}, BYTE_LEVEL), "must be a String or a Regex"),
    (steps(SPLIT | {"pattern": {"Regex": "("}}, BYTE_LEVEL), "the pattern of Split can't be used"),
    (steps(SPLIT | {"pattern": {"Regex": r"\h"}}, BYTE_LEVEL),
     r"the pattern of Split has \\h at character 0, which means something else"),
    ({"added_tokens": {}}, "added_tokens is an object; it must be a list"),
    ({"added_tokens": [5]}, r"added_tokens\[0\] is 5"),
])
def test_hugging_face_files_that_are_not_plain_byte_level_bpe(update, message, good):
    rewrite(good / "tokenizer.json", lambda content: content.update(update))
    refused(good, "tokenizer.json", message)


def test_a_pattern_that_takes_for_ever(good, monkeypatch):
    monkeypatch.setattr("cs336_bpe.formats.probe.MAX_SECONDS", 0.2)
    split = SPLIT | {"pattern": {"Regex": r"(?:z|z|zz)+y|[\s\S]"}}
    rewrite(good / "tokenizer.json", lambda content: content.update(steps(split, BYTE_LEVEL)))
    refused(good, "tokenizer.json", "takes more than 0.2 seconds on")


# Each is exponential, and `regex` has to run it: it looks back.
@pytest.mark.parametrize("pattern", [
    r"(?:q|q)+!|(?<!x)[\s\S]",
    r"(?:(?:%+)+)+!|(?<!x)[\s\S]",
])
def test_a_pattern_that_takes_for_ever_where_its_own_characters_repeat(pattern, good, monkeypatch):
    monkeypatch.setattr("cs336_bpe.formats.probe.MAX_SECONDS", 0.2)
    split = SPLIT | {"pattern": {"Regex": pattern}}
    for splits in ([split], [SPLIT, split]):
        update = steps(*splits, BYTE_LEVEL)
        rewrite(good / "tokenizer.json", lambda content, update=update: content.update(update))
        refused(good, "tokenizer.json", "takes more than 0.2 seconds on")
    rewrite(good / "own.json", lambda content: content.update(pattern=pattern))
    refused(good, "own.json", "takes more than 0.2 seconds on")


def test_a_pattern_that_looks_back_may_be_read(small, tmp_path):
    model = small._replace(pattern=r"(?<=\d)\p{L}+|\d|\D")
    write_json(model, tmp_path / "own.json")
    assert read_json(tmp_path / "own.json").pattern == model.pattern


@pytest.mark.parametrize(("update", "message"), [
    ({"type": "Unigram"}, "not byte-level BPE but a Unigram model.*sentencepiece and tokenizers"),
    ({"type": "WordPiece"}, "not byte-level BPE but a WordPiece model.*tokenizers reads it"),
    ({"type": ["BPE"]}, "the type of the model is a list of 1"),
    ({"dropout": 0.1}, "dropout is 0.1: merges are left out at random"),
    ({"continuing_subword_prefix": "##"}, "continuing_subword_prefix is the string '##'"),
    ({"end_of_word_suffix": "</w>"}, "end_of_word_suffix is the string '</w>'"),
    ({"byte_fallback": True}, "not byte-level BPE but a SentencePiece-like one with byte"),
    ({"ignore_merges": "yes"}, "ignore_merges the string 'yes'; it must be true"),
    ({"vocab": []}, "the vocab of the model is a list of 0; it must be an object"),
    ({"merges": {}}, "the merges of the model is an object; it must be a list"),
    ({"merges": ["s"]}, r"merges\[0\] is 's'; it must be two tokens"),
    ({"merges": [["s"]]}, r"merges\[0\] is a list of 1; it must be a pair"),
    ({"merges": [["s", 5]]}, r"merges\[0\] is 5; it must be a string"),
    ({"merges": [["s", "日"]]}, r"merges\[0\] has '日' as a part"),
    ({"merges": [["s", "t"], ["x", "yz"]]}, "joins b'x' and b'yz', but b'yz' is not in"),
    ({"merges": ["s t", "#version e"]}, "which tokenizers leaves out"),
    ({"new_setting": False}, "the model has the entry 'new_setting'"),
])
def test_hugging_face_models_that_are_not_plain_byte_level_bpe(update, message, good):
    rewrite(good / "tokenizer.json", lambda content: content["model"].update(update))
    refused(good, "tokenizer.json", message)


@pytest.mark.parametrize(("update", "message"), [
    ({"lstrip": 1}, r"added_tokens\[0\] has lstrip 1; it must be true or false"),
    ({"id": 900}, "with the id 900, but tokenizers would give it the id 256"),
    ({"id": -1}, "the id of added_tokens.0. is -1"),
    ({"content": None}, "the content of added_tokens.0. is null"),
    ({"content": ""}, r"added_tokens\[0\] is empty; it would match everywhere"),
    ({"content": "Ġ", "id": 32}, "is 'Ġ', which tokenizers takes for bytes when it decodes"),
    ({"content": "<|new|>", "id": 256}, "but tokenizers would give it the id 263"),
    ({"more": 1}, "the entry 'more'"),
])
def test_bad_added_tokens(update, message, good):
    rewrite(good / "tokenizer.json", lambda content: content["added_tokens"][0].update(update))
    refused(good, "tokenizer.json", message)


def test_padding_and_truncation_are_noted_and_ignored(good, small):
    padding = {"strategy": "BatchLongest", "direction": "Right", "pad_to_multiple_of": None,
               "pad_id": 0, "pad_type_id": 0, "pad_token": "!"}
    for update in ({"padding": padding, "truncation": None},
                   {"padding": None, "truncation": {"max_length": 5}}):
        rewrite(good / "tokenizer.json", lambda content, update=update: content.update(update))
        with pytest.warns(IgnoredPart, match="which is the caller's choice and no part of the"):
            assert read_huggingface(good / "tokenizer.json") == small


def test_ignore_merges(good, small):
    """A pretoken that is a token is that token, even if merges don't make it."""
    path = good / "tokenizer.json"
    rewrite(path, lambda content: content["model"]["vocab"].update({"Ġunmade": 263}))
    plain = read_huggingface(path)
    assert plain.pipeline is None
    assert Tokenizer.from_model(plain).encode(" unmade")[-1] != 263
    rewrite(path, lambda content: content["model"].update(ignore_merges=True))
    whole = read_huggingface(path)
    assert whole.pipeline.whole_tokens
    assert Tokenizer.from_model(whole).encode(" unmade low unmades")[:2] == [
        263, *Tokenizer.from_model(small).encode(" low")[:1]]
    rewrite(path, lambda content: content["model"]["vocab"].update({"x y": 264}))
    refused(good, "tokenizer.json", "'x y', which has characters outside of the alphabet")


def test_an_early_file(good, small):
    """As GPT-2's: no type, no settings that came later."""
    def edit(content):
        content["post_processor"] = {"type": "ByteLevel", "add_prefix_space": True,
                                     "trim_offsets": False}
        for key in ("type", "byte_fallback", "ignore_merges"):
            del content["model"][key]
        content["model"].update(continuing_subword_prefix="", end_of_word_suffix="")
        del content["pre_tokenizer"]["use_regex"]

    rewrite(good / "tokenizer.json", edit)
    assert read_huggingface(good / "tokenizer.json") == small


def test_many_special_tokens_take_no_quadratic_time(good):
    """A file may hold very many; each was once compared with all before it."""
    def edit(content):
        token = content["added_tokens"][0]
        content["added_tokens"] += [token | {"content": f"<{i}>", "id": 263 + i}
                                    for i in range(50_000)]

    rewrite(good / "tokenizer.json", edit)
    assert len(read_huggingface(good / "tokenizer.json").special_tokens) == 50_001


# --- Files within the limits that would take long ---------------------------------------------


@pytest.mark.parametrize("name", JSON_FILES)
def test_too_many_values(name, good):
    """`[],` takes three bytes in a file and 64 in memory: 63 MiB were 1.7 GB."""
    (good / name).write_bytes(b'{"model":[' + b"[]," * 20_000_000 + b"[]]}")
    refused(good, name, "more than 4,194,304 values, which is the limit")


def test_a_very_long_token_that_no_merge_makes(good):
    """It can't be one whose merge was lost, so it is not merged to find that out."""
    vocab = json.loads((good / "vocab.json").read_bytes())
    rewrite(good / "vocab.json", lambda entries: entries.update({"a" * 10_000_000: len(vocab)}))
    model = READERS["vocab.json"](good)
    assert len(model.vocab[len(vocab)]) == 10_000_000


def test_many_long_tokens_that_no_merge_makes(good):
    merges = (good / "merges.txt").read_text(encoding="utf-8")
    token, doubled = "a", ["a a"]
    while len(token) < 2_000:
        token *= 2
        doubled.append(f"{token} {token}")
    (good / "merges.txt").write_text(merges + "\n".join(doubled) + "\n", encoding="utf-8")
    vocab = json.loads((good / "vocab.json").read_bytes())
    made = ["a" * 2**power for power in range(1, len(doubled) + 1)]
    others = [f"{number:04}" + "a" * 3_000 for number in range(2_000)]
    rewrite(good / "vocab.json", lambda entries: entries.update(
        {key: len(vocab) + place for place, key in enumerate(made + others)}))
    refused(good, "vocab.json", "2,000 tokens, 6,008,000 bytes, that no merge makes; 4,194,304 b")


@pytest.mark.parametrize("version", ["2.0", 1, ["1.0"]])
def test_another_version(good, version):
    rewrite(good / "tokenizer.json", lambda content: content.update(version=version))
    refused(good, "tokenizer.json", "another version may mean something else")


def test_a_decoder_with_settings_that_nobody_knows(good):
    rewrite(good / "tokenizer.json", lambda content: content["decoder"].update(upside_down=True))
    refused(good, "tokenizer.json", "the decoder has the entry 'upside_down', whose meaning is not")
