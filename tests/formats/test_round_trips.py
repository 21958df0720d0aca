"""What is written comes back exactly, for every format; what a format can't keep is refused."""

import json
import os
import random
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cs336_bpe import GPT2_PATTERN, train_bpe
from cs336_bpe.formats import (
    read_gpt2,
    read_huggingface,
    read_json,
    read_tiktoken,
    to_huggingface,
    to_tiktoken,
    write_gpt2,
    write_huggingface,
    write_json,
    write_tiktoken,
)
from cs336_bpe.rules import BYTES, Model, assemble_vocab, separate_specials

ALL = ["gpt2", "huggingface", "json", "tiktoken"]


def special_ids(model):
    return separate_specials(model.vocab, model.merges, model.special_tokens).specials


def round_trip(name, model, folder):
    """Write a model in a format and read it again."""
    path = folder / name
    if name == "gpt2":
        write_gpt2(model, path, folder / "merges")
        return read_gpt2(path, folder / "merges", model.special_tokens, model.pattern)
    if name == "tiktoken":
        write_tiktoken(model, path)
        return read_tiktoken(path, special_ids(model), model.pattern)
    if name == "huggingface":
        write_huggingface(model, path)
        return read_huggingface(path)
    write_json(model, path)
    return read_json(path)


@pytest.mark.parametrize("name", ALL)
def test_a_trained_vocabulary(name, trained, tmp_path):
    assert round_trip(name, trained, tmp_path) == trained


@pytest.mark.parametrize("name", ALL)
def test_gpt2(name, gpt2, tmp_path):
    assert round_trip(name, gpt2, tmp_path) == gpt2


@pytest.mark.parametrize("name", ALL)
def test_no_merges_and_no_specials(name, tmp_path):
    model = Model(dict(enumerate(BYTES)), [], [], GPT2_PATTERN)
    assert round_trip(name, model, tmp_path) == model


@pytest.mark.parametrize("name", ALL)
def test_another_pattern(name, trained, tmp_path):
    pattern = r"""'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}+|\p{N}{1,3}|""" \
              r""" ?[^\s\p{L}\p{N}]++[\r\n]*|\s*[\r\n]|\s+(?!\S)|\s+"""
    model = trained._replace(pattern=pattern)
    assert round_trip(name, model, tmp_path) == model


@pytest.mark.parametrize("name", ALL)
def test_ids_with_gaps_survive(name, trained, tmp_path):
    vocab = {number * 3 + 7: token for number, token in trained.vocab.items()}
    model = trained._replace(vocab=vocab)
    assert round_trip(name, model, tmp_path) == model


@pytest.mark.parametrize("name", ["gpt2", "huggingface", "json"])
def test_ids_in_any_order_survive(name, trained, tmp_path):
    ids = list(trained.vocab)
    random.Random(0).shuffle(ids)
    vocab = dict(sorted(zip(ids, trained.vocab.values())))
    model = trained._replace(vocab=vocab)
    assert round_trip(name, model, tmp_path) == model
    with pytest.raises(ValueError, match="ids must rise in the order of the merges"):
        round_trip("tiktoken", model, tmp_path)


@pytest.mark.parametrize("name", ALL)
def test_a_special_token_that_is_missing_gets_the_next_id(name, small, tmp_path):
    model = small._replace(special_tokens=["<|end|>", "<|new|>"])
    assert round_trip(name, model, tmp_path).vocab == small.vocab | {263: b"<|new|>"}


@pytest.mark.parametrize("name", ["gpt2", "huggingface", "json"])
def test_a_merge_that_begins_with_version(name, tmp_path):
    """Hugging Face's library leaves out lines that begin with #version; ours must not, except
    for the first."""
    merges, token = [], b"#"
    for byte in b"version 2":
        merges.append((token, bytes([byte])))
        token += bytes([byte])
    model = Model(assemble_vocab([], merges), merges, [], r"[^\n]+|\n+")
    assert round_trip(name, model, tmp_path) == model
    assert to_huggingface(model).encode("#version 2").ids == [264]


def test_a_special_token_that_is_learned_too(tmp_path):
    """By rule 5 the same bytes have two ids then. Where tokens are keys, there can't be two."""
    vocab = assemble_vocab(["low", "l"], [(b"l", b"o"), (b"lo", b"w")])
    model = Model(vocab, [(b"l", b"o"), (b"lo", b"w")], ["low", "l"], GPT2_PATTERN)
    for name in ("json", "tiktoken"):
        assert round_trip(name, model, tmp_path) == model
    assert to_tiktoken(model).encode("low l", allowed_special="all") == [256, 32, 257]
    for name in ("gpt2", "huggingface"):
        with pytest.raises(ValueError, match="ids 108 and 257 would both be written as 'l'"):
            round_trip(name, model, tmp_path)


def test_a_learned_token_that_is_declared_special(small, tmp_path):
    """One id for both; but where special tokens are written literally, it depends on the token."""
    model = small._replace(special_tokens=["<|end|>", "est"])
    for name in ALL:
        assert round_trip(name, model, tmp_path) == model
    model = small._replace(special_tokens=["<|end|>", " low"])
    for name in ("gpt2", "json", "tiktoken"):
        assert round_trip(name, model, tmp_path) == model
    with pytest.raises(ValueError, match="special token ' low' is a learned token too"):
        round_trip("huggingface", model, tmp_path)


@pytest.mark.parametrize("special", ["Ġ", "é"])
def test_a_special_token_that_looks_like_a_byte(special, small, tmp_path):
    model = small._replace(special_tokens=["<|end|>", special])
    for name in ("json", "tiktoken"):
        assert round_trip(name, model, tmp_path).vocab[263] == special.encode()
    for name in ("gpt2", "huggingface"):
        with pytest.raises(ValueError, match=f"both be written as '{special}'"):
            round_trip(name, model, tmp_path)
    write_gpt2(small, tmp_path / "vocab", tmp_path / "merges")
    read = read_gpt2(tmp_path / "vocab", tmp_path / "merges", ["<|end|>", special])
    assert (read.vocab[0x20], read.vocab[0xE9], read.vocab[263]) == (
        b" ", b"\xe9", special.encode())


@given(st.lists(st.text(st.characters(exclude_categories=["Cs"]), min_size=1), unique=True,
                max_size=4))
def test_any_special_tokens_survive_or_are_refused(tmp_path, small, specials):
    model = small._replace(vocab=assemble_vocab(specials, small.merges), special_tokens=specials)
    assert round_trip("json", model, tmp_path) == model
    for name in ("gpt2", "huggingface"):
        try:
            assert round_trip(name, model, tmp_path) == model
        except ValueError as error:
            assert re.search("would both be written as|takes for bytes when it decodes",  # noqa: PT017
                                str(error))


# --- Details of single formats ---------------------------------------------------------------


def test_the_course_fixture(real_data):
    folder = real_data / "cs336"
    model = read_gpt2(folder / "train-bpe-reference-vocab.json",
                      folder / "train-bpe-reference-merges.txt", ["<|endoftext|>"])
    vocab, merges = train_bpe(folder / "corpus.en", 500, ["<|endoftext|>"])
    assert model.merges == merges
    assert model.vocab[0] == b"<|endoftext|>"
    assert sorted(model.vocab.values()) == sorted(vocab.values())


def test_line_ends_and_a_missing_version_line(small, tmp_path):
    vocab, merges = tmp_path / "vocab.json", tmp_path / "merges.txt"
    write_gpt2(small, vocab, merges)
    lines = merges.read_bytes().splitlines(keepends=True)
    assert lines[0] == b"#version: 0.2\n"
    merges.write_bytes(b"".join(lines[1:]))
    assert read_gpt2(vocab, merges, ["<|end|>"]) == small
    merges.write_bytes(b"".join(lines).replace(b"\n", b"\r\n"))
    assert read_gpt2(vocab, merges, ["<|end|>"]) == small
    merges.write_bytes(b"".join(lines).rstrip(b"\n"))
    assert read_gpt2(vocab, merges, ["<|end|>"]) == small


def test_special_tokens_that_are_not_named(small, tmp_path):
    write_gpt2(small, tmp_path / "vocab", tmp_path / "merges")
    model = read_gpt2(tmp_path / "vocab", tmp_path / "merges")
    assert model == small._replace(special_tokens=[])


def test_our_own_file_is_the_same_for_the_same_model(trained, tmp_path):
    write_json(trained, tmp_path / "one")
    backwards = dict(reversed(trained.vocab.items()))
    write_json(trained._replace(vocab=backwards), tmp_path / "two")
    assert (tmp_path / "one").read_bytes() == (tmp_path / "two").read_bytes()


def test_our_own_file_may_be_laid_out_in_another_way(trained, tmp_path):
    path = tmp_path / "tokenizer.json"
    write_json(trained, path)
    path.write_text(json.dumps(json.loads(path.read_bytes()), indent=4), encoding="utf-8")
    assert read_json(path) == trained


def test_hugging_face_merges_as_strings(trained, tmp_path):
    path = tmp_path / "tokenizer.json"
    write_huggingface(trained, path)
    content = json.loads(path.read_bytes())
    content["model"]["merges"] = [" ".join(pair) for pair in content["model"]["merges"]]
    path.write_text(json.dumps(content), encoding="utf-8")
    assert read_huggingface(path) == trained


def test_a_failed_write_leaves_the_old_file(trained, small, tmp_path):
    path = tmp_path / "file"
    path.write_bytes(b"old")
    model = trained._replace(special_tokens=["Ġ"])
    for message, write in (
        ("'Ġ'", lambda: write_gpt2(model, path, tmp_path / "merges")),
        ("can't be both files", lambda: write_gpt2(small, path, path)),
        ("its merge is not there", lambda: write_gpt2(
            small._replace(merges=small.merges[:-1]), path, tmp_path / "merges")),
        ("'Ġ'", lambda: write_huggingface(model, path)),
        ("which no merge makes", lambda: write_tiktoken(model._replace(merges=[]), path)),
        ("no merge before it", lambda: write_json(model._replace(merges=[(b"x", b"yz")]), path)),
    ):
        with pytest.raises(ValueError, match=message):
            write()
        assert path.read_bytes() == b"old"
        assert os.listdir(tmp_path) == ["file"]


@pytest.mark.parametrize("name", ALL)
def test_a_writer_finds_out_what_does_not_come_back(name, small, tmp_path, monkeypatch):
    """With a reader that loses a merge, nothing is written."""
    import cs336_bpe.formats as formats

    module = {"gpt2": formats.gpt2, "huggingface": formats.huggingface,
              "json": formats.own, "tiktoken": formats.tiktoken}[name]
    read = getattr(module, f"read_{name}")

    def forgetful(*args):
        model = read(*args)
        return model._replace(merges=model.merges[:-1])

    monkeypatch.setattr(module, f"read_{name}", forgetful)
    with pytest.raises(ValueError, match=r"6 merges come back as 5; nothing was written"):
        round_trip(name, small, tmp_path)
    assert os.listdir(tmp_path) == []
