"""One corpus in all its forms: the same counts, the same merges, the same ids."""

import io
import json
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from itertools import chain

import numpy as np
import pytest
from inputs.conftest import DOCUMENTS, EOT, as_text

from cs336_bpe import (
    GPT4_PATTERN,
    Tokenizer,
    count_pretokens,
    count_pretokens_in,
    train_bpe,
    train_bpe_from_texts,
)
from cs336_bpe.common import progress
from cs336_bpe.inputs import Corpus, packing
from cs336_bpe.inputs.finding import in_words
from cs336_bpe.rules import GPT2_PATTERN

NOT_COMPILED = r"(?<=x)y| ?\w+|\W"  # it runs through `regex`
FILES = ["corpus.txt.gz", "corpus.zst", "corpus.bz2", "corpus.xz", "corpus.jsonl", "utf8.jsonl",
         "corpus.jsonl.gz", "lines", "corpus.parquet", "dictionary.parquet", "large.parquet",
         "folder", "folder/**/*.txt"]
ITERABLES = {
    "list": lambda: DOCUMENTS,
    "generator": lambda: (text for text in DOCUMENTS),
    "bytes": lambda: [text.encode() for text in DOCUMENTS],
    "mixed": lambda: [text if number % 2 else bytearray(text.encode())
                      for number, text in enumerate(DOCUMENTS)],
}


@pytest.fixture(scope="module")
def expected(forms):
    """Counts, model and ids of the text file, the definition of what all others must give."""
    counts = count_pretokens(forms / "corpus.txt", [EOT], stage="stage01")
    model = train_bpe(forms / "corpus.txt", 600, [EOT])
    tokenizer = Tokenizer(*model, [EOT])
    ids = tokenizer.encode_array(as_text(DOCUMENTS))
    return counts, model, tokenizer, ids


@pytest.mark.parametrize("name", ["corpus.txt", *FILES])
@pytest.mark.parametrize("workers", [1, 2])
def test_counts_and_merges_of_files(name, workers, forms, expected):
    counts, model, _, _ = expected
    path = forms / name
    assert count_pretokens(path, [EOT], workers=workers) == counts
    assert count_pretokens(path, [EOT], workers=workers, block_bytes=700) == counts
    assert train_bpe(path, 600, [EOT], workers=workers) == model


@pytest.mark.parametrize("name", ["corpus.txt.gz", "corpus.jsonl", "corpus.parquet", "folder"])
@pytest.mark.parametrize("pattern", [GPT4_PATTERN, NOT_COMPILED], ids=["gpt4", "not_compiled"])
def test_any_pattern(name, pattern, forms):
    wanted = count_pretokens(forms / "corpus.txt", [EOT], pattern=pattern)
    assert count_pretokens(forms / name, [EOT], pattern=pattern) == wanted


@pytest.mark.parametrize("kind", ITERABLES)
@pytest.mark.parametrize("workers", [1, 2])
def test_counts_and_merges_of_iterables(kind, workers, expected):
    counts, model, _, _ = expected
    assert count_pretokens_in(ITERABLES[kind](), [EOT], workers=workers) == counts
    assert train_bpe_from_texts(ITERABLES[kind](), 600, [EOT], workers=workers) == model


@pytest.mark.parametrize("name", ["corpus.txt", *FILES])
@pytest.mark.parametrize("pattern", [GPT2_PATTERN, GPT4_PATTERN, NOT_COMPILED],
                         ids=["gpt2", "gpt4", "not_compiled"])
def test_ids_of_files(name, pattern, forms, expected, tmp_path):
    _, model, _, _ = expected
    tokenizer = Tokenizer(*model, [EOT], pattern=pattern)
    ids = tokenizer.encode_array(as_text(DOCUMENTS))
    for workers in (1, 2):
        number = tokenizer.encode_file(forms / name, tmp_path / "ids.npy", workers=workers)
        assert number == len(ids)
        assert np.array_equal(np.load(tmp_path / "ids.npy"), ids)


@pytest.mark.parametrize("kind", ITERABLES)
def test_ids_of_iterables(kind, expected, tmp_path):
    _, _, tokenizer, ids = expected
    for workers in (1, 2):
        tokenizer.encode_texts(ITERABLES[kind](), tmp_path / "ids.npy", workers=workers)
        assert np.array_equal(np.load(tmp_path / "ids.npy"), ids)


def test_datasets(expected, tmp_path):
    import datasets  # slow to import

    counts, _, tokenizer, ids = expected
    dataset = datasets.Dataset.from_dict({"text": DOCUMENTS, "other": DOCUMENTS[::-1]})
    for texts in dataset, dataset["text"], dataset.to_iterable_dataset():
        assert count_pretokens_in(texts, [EOT]) == counts
        tokenizer.encode_texts(texts, tmp_path / "ids.npy")
        assert np.array_equal(np.load(tmp_path / "ids.npy"), ids)
    assert count_pretokens_in(dataset.rename_column("text", "body"), [EOT], field="body") == counts
    with pytest.raises(ValueError, match=r"has no column 'story'; it has 'text', 'other'"):
        count_pretokens_in(dataset, [EOT], field="story")


@pytest.mark.parametrize("name", ["corpus.txt", "corpus.txt.gz", "corpus.zst", "corpus.jsonl",
                                  "corpus.jsonl.gz"])
def test_standard_input(name, forms, expected, tmp_path):
    _, model, tokenizer, ids = expected
    tokenizer.save(tmp_path / "tokenizer.bpe.json")
    data = (forms / name).read_bytes()

    def run(*arguments):
        return subprocess.run([sys.executable, "-m", "cs336_bpe", *arguments], input=data,
                              cwd=tmp_path, check=True, capture_output=True).stdout

    ids_out = run("encode", "-t", "tokenizer.bpe.json", "--quiet")
    assert np.array_equal(np.frombuffer(ids_out, "<u2"), ids)
    run("train", "-", "--vocab-size", "600", "--out", "model", "--quiet")
    assert Tokenizer.load(tmp_path / "model") == Tokenizer(*model, [EOT])


def test_nested_fields(forms, expected):
    counts, _, _, _ = expected
    for name in "corpus.jsonl", "corpus.parquet":
        assert count_pretokens(forms / name, [EOT], field="meta.text") == counts


def test_a_special_token_in_a_document_is_text(tmp_path):
    documents = [f"one{EOT}two", EOT, f"{EOT[:5]}", EOT[5:]]
    (tmp_path / "a.jsonl").write_text("".join(json.dumps({"text": d}) + "\n" for d in documents))
    tokenizer = Tokenizer({n: bytes([n]) for n in range(256)}, [], [EOT])
    for specials, wanted in ((None, "none"), ("none", "none"), ("all", "all")):
        separate = [[*tokenizer.encode(d, specials=wanted), 256] for d in documents]
        tokenizer.encode_file(tmp_path / "a.jsonl", tmp_path / "ids.npy", specials=specials)
        assert np.load(tmp_path / "ids.npy").tolist() == [*chain.from_iterable(separate)]
    with pytest.raises(ValueError, match=r"a\.jsonl, line 1 .* contains the special token"):
        tokenizer.encode_file(tmp_path / "a.jsonl", tmp_path / "no.npy", specials="raise")
    assert not (tmp_path / "no.npy").exists()
    as_texts = sum((count_pretokens_in(d, []) for d in documents), count_pretokens_in("", []))
    as_specials = sum((count_pretokens_in(d, [EOT]) for d in documents), count_pretokens_in("", []))
    assert as_texts != as_specials
    path = tmp_path / "a.jsonl"
    assert count_pretokens(path, [EOT]) == count_pretokens_in(documents, [EOT]) == as_texts
    assert count_pretokens(path, [EOT], specials_in_documents=True) == as_specials
    assert count_pretokens_in(documents, [EOT], specials_in_documents=True) == as_specials


def test_separators(tmp_path):
    tokenizer = Tokenizer({n: bytes([n]) for n in range(256)}, [], ["<a>", "<b>"])
    (tmp_path / "a.jsonl").write_text('{"text": "x"}\n{"text": ""}\n')

    def encode(**options):
        tokenizer.encode_file(tmp_path / "a.jsonl", tmp_path / "ids.npy", **options)
        return np.load(tmp_path / "ids.npy").tolist()

    assert encode() == [ord("x")]  # it has no <|endoftext|>
    assert encode(separator=None) == [ord("x")]
    assert encode(separator="<b>") == [ord("x"), 257, 257]
    with pytest.raises(ValueError, match=r"'<c>', which is not a special token .* '<a>', '<b>'"):
        encode(separator="<c>")


def test_each_file_a_document(tmp_path):
    tokenizer = Tokenizer({n: bytes([n]) for n in range(256)}, [], [EOT])
    (tmp_path / "in").mkdir()
    for name, text in (("a.txt", "one"), ("b.txt", f"two{EOT}"), ("c.txt", "")):
        (tmp_path / "in" / name).write_text(text)
    tokenizer.encode_file(tmp_path / "in", tmp_path / "ids.npy", input_format="documents")
    wanted = [*b"one", 256, *f"two{EOT}".encode(), 256, 256]
    assert np.load(tmp_path / "ids.npy").tolist() == wanted


def test_json_as_text_if_so_wished(forms):
    data = (forms / "corpus.jsonl").read_bytes()
    assert (count_pretokens(forms / "corpus.jsonl", [EOT], input_format="text")
            == count_pretokens_in(data, [EOT]))


@pytest.mark.parametrize("name", ["corpus.txt", *FILES])
def test_progress_goes_to_the_end_and_no_further(name, forms, expected, tmp_path, monkeypatch):
    monkeypatch.setattr(progress, "SECONDS_BETWEEN_CALLS", 0)
    path, tokenizer = forms / name, expected[2]
    size = Corpus(path).size
    with ThreadPoolExecutor(1) as executor:
        for work in (
            partial(count_pretokens, path, [EOT], workers=1, block_bytes=700),
            partial(count_pretokens, path, [EOT], executor=executor, part_bytes=5_000),
            partial(tokenizer.encode_files, path, tmp_path / "here", chunk_bytes=5_000),
            partial(tokenizer.encode_files, path, tmp_path / "there", chunk_bytes=5_000,
                    executor=executor),
        ):
            seen = []
            work(progress=lambda phase, done, total, seen=seen: seen.append((done, total)))
            assert {total for _, total in seen} == {size}
            assert max(done for done, _ in seen) == seen[-1][0] == size, work
            if name in ("corpus.txt", "corpus.jsonl", "corpus.parquet"):  # others are one part
                assert seen[0][0] < size, work


def test_what_is_said(forms):
    assert Corpus(forms / "corpus.parquet").in_words == "1 parquet file, column text"
    corpus = Corpus([forms / "corpus.parquet", forms / "large.parquet", forms / "lines"], field="a")
    assert corpus.in_words == "2 parquet files, column a; 1 file of JSON lines, field a"
    assert Corpus(forms / "corpus.txt").is_plain_text
    assert "gzip text file" in in_words(Corpus(forms / "corpus.txt.gz").inputs, "text")


@pytest.mark.parametrize("text", ["{", "{}\n{}", '{"a": 1}\n', '{"a"', "[1]\n", "{1, 2}\n",
                                  '{"text": "a"} and more\n', "PAR", "PAR1", "BZh is how it begins",
                                  "\x1f", "PK", "\ufeff{"])
def test_texts_that_look_like_something_else(text, tmp_path):
    path = tmp_path / "some.txt"
    path.write_bytes(text.encode())
    if text == '{"a": 1}\n':
        with pytest.raises(ValueError, match="no field 'text'; the fields are 'a'"):
            count_pretokens(path, [])
        return
    assert count_pretokens(path, []) == count_pretokens_in(text, [])


def test_the_command_line_says_what_it_reads(forms, tmp_path):
    done = subprocess.run(
        [sys.executable, "-m", "cs336_bpe", "count", str(forms / "corpus.parquet"), "-o",
         str(tmp_path / "a.counts")], check=True, capture_output=True, text=True)
    assert "reading 1 parquet file, column text" in done.stderr
    assert io.StringIO(done.stdout).readline()


def test_packing_without_a_compiler(monkeypatch, expected):
    counts, _, _, _ = expected
    monkeypatch.setattr(packing, "is_built", lambda: False)
    monkeypatch.setitem(sys.modules, "cs336_bpe.inputs.pack", None)
    for texts in ITERABLES.values():
        assert count_pretokens_in(texts(), [EOT]) == counts
