"""A tokenizer from whatever holds one, and what is none."""

import gc
import json
import os
import shutil
import threading

import pytest

from cs336_bpe import GPT2_PATTERN, GPT4_PATTERN, Tokenizer, load_tokenizer, train_bpe_from_counts
from cs336_bpe.formats.loading import FILES, recognise
from cs336_bpe.formats.safe_json import no_collections

END = "<|end|>"
COUNTS = {b" low": 5, b" lower": 4, b" newest": 6, " größer".encode(): 3, b"format": 9, b"model": 8}


def make(specials=(END,), pattern=GPT2_PATTERN):
    return Tokenizer(*train_bpe_from_counts(COUNTS, 280, list(specials)), list(specials),
                     pattern=pattern)


@pytest.fixture
def tokenizer():
    return make()


def specials_for(format):
    return [END] if format == "tiktoken" else None


@pytest.mark.parametrize("format", [name for name in FILES if name != "transformers"])
def test_every_format_from_a_file_and_from_a_folder(tokenizer, tmp_path, format):
    files = tokenizer.save(f"{tmp_path}/new/folder/", format=format)
    assert tuple(file.name for file in files) == FILES[format]
    for path in (files[0].parent, *files):
        assert recognise(path).format == format
        assert load_tokenizer(path, specials_for(format)) == tokenizer
        assert Tokenizer.load(str(path), specials_for(format)) == tokenizer


@pytest.mark.parametrize("format", ["own", "tiktoken", "huggingface"])
def test_the_name_of_a_file_says_nothing(tokenizer, tmp_path, format):
    [file] = tokenizer.save(tmp_path / "a.file.of.mine", format=format)
    assert recognise(file) == (format, (file,))
    assert load_tokenizer(file, specials_for(format)) == tokenizer


@pytest.mark.parametrize(("vocab", "merges"), [
    ("small-vocab.json", "small-merges.txt"), ("encoder.json", "vocab.bpe")])
def test_other_names_of_the_two_files(tokenizer, tmp_path, vocab, merges):
    tokenizer.save(tmp_path, format="gpt2")
    (tmp_path / "vocab.json").rename(tmp_path / vocab)
    (tmp_path / "merges.txt").rename(tmp_path / merges)
    assert load_tokenizer(tmp_path / vocab) == load_tokenizer(tmp_path / merges) == tokenizer


def test_a_folder_with_several_formats_gives_the_most_complete(tokenizer, tmp_path):
    for format in FILES:
        tokenizer.save(tmp_path, format=format)
    assert recognise(tmp_path).format == "own"
    (tmp_path / "tokenizer.bpe.json").unlink()
    assert recognise(tmp_path).format == "huggingface"
    (tmp_path / "tokenizer.json").unlink()
    assert recognise(tmp_path).format == "gpt2"
    (tmp_path / "merges.txt").unlink()
    assert recognise(tmp_path).format == "tiktoken"
    shutil.copy(tmp_path / "tokenizer.tiktoken", tmp_path / "other.tiktoken")
    (tmp_path / "tokenizer.tiktoken").rename(tmp_path / "third.tiktoken")
    with pytest.raises(ValueError, match=r"more than one tokenizer: other.tiktoken, third"):
        load_tokenizer(tmp_path)


def test_special_tokens_of_formats_that_do_not_name_them(tmp_path):
    tokenizer = make(["<a b>", "[é]", END])
    tokenizer.save(tmp_path, format="gpt2")
    assert dict(load_tokenizer(tmp_path).special_tokens) == dict(tokenizer.special_tokens)
    [ranks] = tokenizer.save(tmp_path, format="tiktoken")
    assert not load_tokenizer(ranks).special_tokens
    names = list(tokenizer.special_tokens)
    assert load_tokenizer(ranks, names) == tokenizer  # the gaps are theirs
    assert load_tokenizer(ranks, dict(tokenizer.special_tokens)) == tokenizer
    more = load_tokenizer(ranks, [*names, "<new>"])
    assert more.special_tokens["<new>"] == 280
    assert load_tokenizer(ranks, {END: 1000}).id_of(END) == 1000


def test_a_pattern_for_formats_that_have_none(tmp_path):
    tokenizer = make(pattern=GPT4_PATTERN)
    tokenizer.save(tmp_path, format="gpt2")
    assert load_tokenizer(tmp_path).pattern == GPT2_PATTERN
    assert load_tokenizer(tmp_path, pattern=GPT4_PATTERN) == tokenizer


def test_contradictions(tokenizer, tmp_path):
    [file] = tokenizer.save(tmp_path)
    assert load_tokenizer(file, [END], pattern=GPT2_PATTERN) == tokenizer
    assert load_tokenizer(file, {END: 256}) == tokenizer
    with pytest.raises(ValueError, match=r"says its pattern itself"):
        load_tokenizer(file, pattern=GPT4_PATTERN)
    with pytest.raises(ValueError, match=r"'<x>' is not one of them \('<\|end\|>'\)"):
        load_tokenizer(file, ["<x>"])
    with pytest.raises(ValueError, match=r"with the id 256, not 3"):
        load_tokenizer(file, {END: 3})


@pytest.mark.parametrize(("name", "content", "message"), [
    ("a", b"", "no tokenizer"),
    ("a.txt", b"Just a text of some words.", "no tokenizer"),
    ("a.txt", b"two words", "must be called"),
    ("a.json", b"[]", "is JSON, but no tokenizer"),
    ("a.json", b"{}", "is JSON, but no tokenizer"),
    ("a.json", b'{"format": "x"}', "is JSON, but no tokenizer"),
    ("a.json", b'{"a": 1}', "must be called"),
    ("vocab.json", b'{"a": 1}', "merges.txt, is not beside it"),
    ("merges.txt", b"#version: 0.2\na b\n", "vocab.json, is not beside it"),
    ("a.json", b'{"a": ', "not valid JSON"),
    ("a", b"\xff\xfe\x00", "no tokenizer"),
    ("a", b"YQ== 0\n", "has no rank"),
    ("a.json", b"[" * 100_000, "nested too deeply"),
])
def test_what_is_no_tokenizer(tmp_path, name, content, message):
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(ValueError, match=message) as caught:
        load_tokenizer(path)
    assert name in str(caught.value)


def test_empty_folders_and_missing_files(tmp_path):
    with pytest.raises(ValueError, match=r"looked for tokenizer.bpe.json, vocab.json with m"):
        load_tokenizer(tmp_path)
    with pytest.raises(FileNotFoundError):
        load_tokenizer(tmp_path / "missing")


def test_tokens_named_like_the_keys_of_other_formats(tokenizer, tmp_path):
    tokenizer.save(tmp_path, format="gpt2")
    assert {"format", "model"} <= json.loads((tmp_path / "vocab.json").read_text()).keys()
    assert load_tokenizer(tmp_path / "vocab.json") == tokenizer


def test_saving_what_a_format_can_not_keep(tmp_path):
    tokenizer = make(["Ġlow"])  # in GPT-2's alphabet this is the learned token ' low'
    with pytest.raises(ValueError, match=r"was not written: .* would both be written as"):
        tokenizer.save(tmp_path / "new", format="gpt2")
    with pytest.raises(ValueError, match="format is 'word2vec'; it must be one of own, gpt2"):
        tokenizer.save(tmp_path, format="word2vec")
    assert not list(tmp_path.rglob("*.*"))


def test_objects_of_other_libraries(tokenizer):
    text = " low lower<|end|> größer"
    ids = tokenizer.encode(text)
    assert tokenizer.to_tiktoken().encode(text, allowed_special="all") == ids
    assert tokenizer.to_huggingface().encode(text).ids == ids
    assert tokenizer.to_tiktoken("mine").name == "mine"


def test_arrays_of_a_stream_are_the_ids_of_the_text(tokenizer):
    text = " low lower<|end|> größer  \n\n newest" * 5
    for size in (1, 2, 7, 1000):
        parts = [text[start : start + size] for start in range(0, len(text), size)]
        arrays = list(tokenizer.encode_arrays(parts))
        assert {array.dtype.name for array in arrays} == {"uint16"}
        assert [number for array in arrays for number in array] == tokenizer.encode(text)
    assert next(tokenizer.encode_arrays([text], "int64")).dtype.name == "int64"


@pytest.mark.parametrize("format", ["own", "tiktoken", "huggingface"])
def test_from_a_pipe(tokenizer, tmp_path, format):
    """It can be read only once, so the format must be told from what is read anyway."""
    [file] = tokenizer.save(f"{tmp_path}/{format}", format=format)
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = threading.Thread(target=lambda: pipe.write_bytes(file.read_bytes()), daemon=True)
    writer.start()
    loaded = []
    reader = threading.Thread(
        target=lambda: loaded.append(load_tokenizer(pipe, specials_for(format))), daemon=True)
    reader.start()
    reader.join(60)
    assert loaded == [tokenizer]


def test_threads_that_read_at_the_same_time_leave_the_search_for_garbage_on():
    """Whichever of them is first to begin, and to end."""
    assert gc.isenabled()
    first, second = no_collections(), no_collections()
    first.__enter__()
    second.__enter__()
    assert not gc.isenabled()
    first.__exit__(None, None, None)
    assert not gc.isenabled()  # the second one is at work
    second.__exit__(None, None, None)
    assert gc.isenabled()


def test_a_search_for_garbage_that_was_off_stays_off():
    gc.disable()
    try:
        with no_collections():
            pass
        assert not gc.isenabled()
    finally:
        gc.enable()


@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")  # Python 3.12: threads run
def test_the_search_for_garbage_is_on_in_a_process_that_was_forked_meanwhile():
    with no_collections():
        child = os.fork()
        if not child:
            is_on = gc.isenabled()
            with no_collections():
                is_off = not gc.isenabled()
            os._exit(0 if is_on and is_off and gc.isenabled() else 1)
        assert os.waitpid(child, 0)[1] == 0
        assert not gc.isenabled()
    assert gc.isenabled()
