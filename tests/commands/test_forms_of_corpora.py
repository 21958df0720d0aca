"""The commands with corpora that are not one text file, and with shards."""

import gzip
import json

import numpy as np
import pytest

from cs336_bpe import Tokenizer, train_bpe_from_texts

EOT = "<|endoftext|>"
DOCUMENTS = [f"document {number} of a few, it's {number * number}.\n" for number in range(200)]


@pytest.fixture
def place(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    lines = "".join(json.dumps({"a": {"body": text}}) + "\n" for text in DOCUMENTS)
    (tmp_path / "lines.jsonl").write_text(lines)
    (tmp_path / "lines.jsonl.gz").write_bytes(gzip.compress(lines.encode()))
    (tmp_path / "corpus").mkdir()
    for number in range(4):
        part = "".join(text + EOT for text in DOCUMENTS[50 * number : 50 * number + 50])
        (tmp_path / "corpus" / f"{number}.txt").write_text(part)
    tokenizer = Tokenizer(*train_bpe_from_texts(DOCUMENTS, 300, [EOT]), [EOT])
    tokenizer.save(tmp_path / "tokenizer.bpe.json")
    return tokenizer.encode_array("".join(text + EOT for text in DOCUMENTS))


def test_train(cs336, place):
    for arguments in (["lines.jsonl", "--field", "a.body"], ["corpus"], ["corpus/?.txt"],
                      ["lines.jsonl.gz", "--column", "a.body"]):
        done = cs336("train", *arguments, "--vocab-size", "300", "--out", "model")
        assert "cs336-bpe: reading " in done.stderr
        assert Tokenizer.load("model") == Tokenizer.load("tokenizer.bpe.json")
    assert "reading" not in cs336("train", "corpus/0.txt", "--vocab-size", "300", "--out", "model"
                                  ).stderr


def test_encode(cs336, place):
    options = ["-t", "tokenizer.bpe.json", "--field", "a.body"]
    for files in (["lines.jsonl"], ["lines.jsonl.gz"], ["corpus"],
                  [f"corpus/{number}.txt" for number in range(4)]):
        result = cs336.json("encode", *files, "-o", "ids.npy", *options)
        assert result["tokens"] == len(place)
        assert np.array_equal(np.load("ids.npy"), place)
        done = cs336("encode", *files, *options, text=False)
        assert np.array_equal(np.frombuffer(done.stdout, "<u2"), place)
    cs336("encode", "lines.jsonl", "-o", "ids.npy", *options, "--separator", "none")
    assert np.array_equal(np.load("ids.npy"), place[place != 256])


def test_shards(cs336, place):
    options = ["-t", "tokenizer.bpe.json", "--field", "a.body", "-o", "out"]
    result = cs336.json("encode", "lines.jsonl", *options, "--shard-tokens", "1000")
    assert result["shards"] == [f"shard-{number:05}.npy" for number in range(len(result["shards"]))]
    arrays = [np.load(f"out/{name}") for name in result["shards"]]
    assert np.array_equal(np.concatenate(arrays), place)
    again = cs336("encode", "lines.jsonl", *options, "--shard-tokens", "1000")
    assert "index.json to out" in again.stdout
    assert "another encoding" in cs336("encode", "lines.jsonl", *options, "--format", "bin",
                                       code=1).stderr


def test_what_does_not_go_together(cs336, place):
    options = ["-t", "tokenizer.bpe.json"]
    assert "shards need a folder" in cs336.fails(
        "encode", "corpus", *options, "--format", "bin", code=2)
    assert "--dask makes shards" in cs336.fails(
        "encode", "corpus", *options, "-o", "x", "--dask", "tcp://nowhere:1", code=2)
    assert "nor with shards" in cs336.fails(
        "encode", "corpus", *options, "-o", "x", "--text", "--format", "bin", code=2)
    assert "--checkpoint goes with --dask" in cs336.fails(
        "count", "corpus", "-o", "x.counts", "--checkpoint", "y", code=2)
    wrong = cs336("train", "lines.jsonl", "--vocab-size", "300", "--out", "new", code=1).stderr
    assert "lines.jsonl, line 1 (at byte 0): no field 'text'; the fields are 'a'" in wrong


def test_explore(cs336, place):
    cs336("explore", "tokenizer.bpe.json", "--on", "lines.jsonl.gz", "--field", "a.body", "-o",
          "page.html")
    with open("page.html", encoding="utf-8") as page:
        assert "document 0 of a few" in page.read()


def test_sample(cs336, place):
    cs336("sample", "lines.jsonl.gz", "part.jsonl", "--documents", "5", "--field", "a.body")
    with open("part.jsonl", encoding="utf-8") as part:
        assert {json.loads(line)["a.body"] for line in part} <= set(DOCUMENTS)
