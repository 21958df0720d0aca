"""What is wrong with an input is said with its file and its line, row or byte; nothing is left."""

import bz2
import gzip
import json
import lzma
import os
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest

from cs336_bpe import (
    GPT2_PATTERN,
    Tokenizer,
    count_pretokens,
    count_pretokens_in,
    train_bpe,
    train_bpe_from_texts,
)
from cs336_bpe.inputs.json_lines import JsonLines

EOT = "<|endoftext|>"
TOKENIZER = Tokenizer({n: bytes([n]) for n in range(256)}, [], [EOT])
TEXT = "".join(f"line {n} of a text, {n * n}\n" for n in range(2_000)).encode()


def check(path, tmp_path, *parts, kind=ValueError, **options):
    """The same error from counting and from encoding, to a file and to shards; and no file."""
    small = {"shard_tokens": 50, "chunk_bytes": 1_000}
    before = sorted(os.listdir(tmp_path))
    for call in (lambda: count_pretokens(path, [EOT], **options),
                 lambda: count_pretokens(path, [EOT], workers=2, block_bytes=1_000, **options),
                 lambda: TOKENIZER.encode_file(path, tmp_path / "ids.npy", **options)):
        with pytest.raises(kind) as caught:
            call()
        for part in parts:
            assert re.search(part, str(caught.value)), (part, str(caught.value))
    assert sorted(os.listdir(tmp_path)) == before
    with pytest.raises(kind, match=parts[0]):
        TOKENIZER.encode_files(path, tmp_path / "shards", **small, **options)
    assert sorted(os.listdir(tmp_path)) == before


def zstd(data):
    zstandard = pytest.importorskip("zstandard", reason="needs zstandard")
    return zstandard.ZstdCompressor(write_checksum=True).compress(data)


@pytest.mark.parametrize(("compression", "compress"), [
    ("gzip", gzip.compress), ("bzip2", bz2.compress), ("xz", lzma.compress), ("zstd", zstd)])
@pytest.mark.parametrize("cut", [1, 10, 0.5])
def test_cut_short(compression, compress, cut, tmp_path):
    data = compress(TEXT)
    size = len(data) - cut if isinstance(cut, int) else int(len(data) * cut)
    (tmp_path / "corpus.txt.zip").write_bytes(data[:size])
    check(tmp_path / "corpus.txt.zip", tmp_path, r"corpus\.txt\.zip is cut short or damaged",
          compression, r"after [\d,]+ bytes of text")


@pytest.mark.parametrize(("compression", "compress"), [
    ("gzip", gzip.compress), ("bzip2", bz2.compress), ("xz", lzma.compress), ("zstd", zstd)])
def test_damaged(compression, compress, tmp_path):
    data = bytearray(compress(TEXT))
    data[len(data) // 2] ^= 0xFF
    (tmp_path / "corpus.gz").write_bytes(data)
    with pytest.raises(ValueError, match=rf"corpus\.gz is .* damaged \({compression}\)"):
        count_pretokens(tmp_path / "corpus.gz", [])


def lines(tmp_path, *more, name="corpus.jsonl", pack=bytes):
    good = [json.dumps({"text": f"document {n}", "meta": {"text": "x"}}) for n in range(50)]
    data = "".join(line + "\n" for line in [*good, *more, *good]).encode()
    (tmp_path / name).write_bytes(pack(data))
    return tmp_path / name, len("".join(line + "\n" for line in good))


@pytest.mark.parametrize(("line", "problem"), [
    ('{"text": "cut', "not JSON"),
    ('{"text": "a"} {"text": "b"}', "not JSON: Extra data"),
    ('{"body": "x", "id": 5}', "no field 'text'; the fields are 'body', 'id'"),
    ('{"text": null}', "the field 'text' is null, not a text"),
    ('{"text": ["a"]}', "the field 'text' is a list"),
    ('{"text": 5}', "the field 'text' is a number"),
    ('["text"]', "the value is a list, not an object"),
    ('"text"', "the value is a text, not an object"),
    ('{"text": "\\ud800"}', "lone surrogate"),
    ("[" * 100_000, "nested too deeply|not JSON"),
])
def test_a_wrong_line(line, problem, tmp_path):
    path, offset = lines(tmp_path, line)
    check(path, tmp_path, rf"corpus\.jsonl, line 51 \(at byte {offset:,}\)", problem)


def test_a_wrong_line_in_a_compressed_file(tmp_path):
    path, offset = lines(tmp_path, "{", name="corpus.jsonl.gz", pack=gzip.compress)
    check(path, tmp_path, rf"corpus\.jsonl\.gz, line 51 \(at byte {offset:,} of the text\)")


@pytest.mark.parametrize("workers", [1, 3])
def test_a_refused_token_in_a_line(workers, tmp_path, monkeypatch):
    """The line is looked for once, and for the error only: it means to read the file again."""
    tokenizer = Tokenizer({n: bytes([n]) for n in range(256)} | {256: b"<e>"}, [], ["<e>"])
    path, offset = lines(tmp_path, '{"text": "an <e>"}')
    calls = []
    count_lines = JsonLines.count_lines
    monkeypatch.setattr(JsonLines, "count_lines",
                        lambda self, end: (calls.append(end), count_lines(self, end))[1])
    with pytest.raises(ValueError, match=rf"corpus\.jsonl, line 51 \(at byte {offset:,}\) contains "
                                         r"the special token '<e>' at byte 3"):
        tokenizer.encode_files(path, tmp_path / "ids", specials="raise", workers=workers)
    assert calls == [offset]


def test_a_refused_token_in_a_stream(tmp_path):
    """Whoever reads is further on by then."""
    tokenizer = Tokenizer({n: bytes([n]) for n in range(256)} | {256: b"<e>"}, [], ["<e>"])
    path, _ = lines(tmp_path, '{"text": "an <e>"}')
    os.mkfifo(tmp_path / "stream.jsonl")
    with ThreadPoolExecutor(1) as pool:
        pool.submit(lambda: (tmp_path / "stream.jsonl").write_bytes(path.read_bytes()))
        with pytest.raises(ValueError, match=r"stream\.jsonl, line 51 contains the special token"):
            tokenizer.encode_files(tmp_path / "stream.jsonl", tmp_path / "ids", specials="raise")


def test_nested_fields_that_are_missing(tmp_path):
    path, _ = lines(tmp_path, '{"text": "a", "meta": {"other": 1}}')
    check(path, tmp_path, "line 51", "no field 'meta.text'; the fields are 'other'",
          field="meta.text")
    path, _ = lines(tmp_path, '{"text": "a", "meta": 5}')
    with pytest.raises(ValueError, match="the field 'meta' is a number, not an object"):
        count_pretokens(path, [], field="meta.text")


def test_a_line_that_is_not_utf8(tmp_path):
    path, offset = lines(tmp_path)
    data = path.read_bytes()
    (path).write_bytes(data[:offset] + b'{"text": "\xff"}\n' + data[offset:])
    check(path, tmp_path, r"line 51 \(at byte", f"not valid UTF-8 at byte {offset + 10:,}")
    assert count_pretokens(path, [], errors="replace")["\ufffd".encode()] == 1


def parquet(path, **columns):
    pyarrow = pytest.importorskip("pyarrow", reason="needs pyarrow")
    write_table = pytest.importorskip("pyarrow.parquet").write_table
    write_table(pyarrow.table(columns), path, row_group_size=7)


def test_parquet(tmp_path):
    path = tmp_path / "corpus.parquet"
    parquet(path, text=["a"] * 30 + [None] + ["b"] * 30)
    check(path, tmp_path, r"corpus\.parquet, row 30 \(counted from 0\), column 'text': .* is null")
    parquet(path, body=["a"], id=[5])
    check(path, tmp_path, r"corpus\.parquet has no column 'text'; it has 'body', 'id'")
    check(path, tmp_path, r"the column 'id' of .*corpus\.parquet has values of the type int64",
          kind=TypeError, field="id")
    parquet(path, text=[b"fine", b"a\xff"])
    check(path, tmp_path, r"corpus\.parquet, row 1 .* is not valid UTF-8 at byte 1")
    assert count_pretokens(path, [], errors="ignore") == {b"fine": 1, b"a": 1}
    data = path.read_bytes()
    path.write_bytes(data[: len(data) // 2])
    check(path, tmp_path, r"corpus\.parquet is not a parquet file, or a damaged one")


def test_texts(tmp_path):
    for call in (lambda texts: count_pretokens_in(texts, [EOT]),
                 lambda texts: train_bpe_from_texts(texts, 300, [EOT]),
                 lambda texts: TOKENIZER.encode_texts(texts, tmp_path / "ids.npy")):
        with pytest.raises(TypeError, match=r"texts\[1\] is a dict with 'text'; give its texts"):
            call(["a", {"text": "b"}])
        with pytest.raises(TypeError, match=r"texts\[2\] is a NoneType; it must be str or bytes"):
            call(text for text in ["a", b"b", None])
        with pytest.raises(ValueError, match=r"texts\[1\] has a lone surrogate"):
            call(["a", "b\ud800"])
        with pytest.raises(ValueError, match=r"texts\[1\] is not valid UTF-8 at byte 1"):
            call([b"a", b"b\xff"])
        with pytest.raises(TypeError):
            call(5)
    for call in (lambda text: train_bpe_from_texts(text, 300, [EOT]),
                 lambda text: TOKENIZER.encode_texts(text, tmp_path / "ids.npy")):
        with pytest.raises(TypeError, match=r"\[text\]"):
            call("one text")
    assert os.listdir(tmp_path) == []


def test_texts_where_paths_belong():
    story = "Once upon a time, in a small village, there was a baker who baked."
    for call in (lambda texts: count_pretokens(texts, [EOT]),
                 lambda texts: train_bpe(texts, 300, [EOT])):
        for texts in ([story], [story * 50], story, "two\nlines", iter([story])):
            with pytest.raises(ValueError, match=r"is not the path of a file\. If it is a text"):
                call(texts)
        with pytest.raises(TypeError, match=r"input_path\[0\] is \{'text': 'a'\}.*train_bpe_from"):
            call([{"text": "a"}])
        with pytest.raises(FileNotFoundError):
            call("missing.txt")


def test_archives_are_not_read_as_text(tmp_path):
    import tarfile
    import zipfile

    with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive:
        archive.writestr("a.txt", "text")
    (tmp_path / "a.txt").write_text("text")
    with tarfile.open(tmp_path / "a.tar.gz", "w:gz") as archive:
        archive.add(tmp_path / "a.txt", "a.txt")
    for name, kind in ("a.zip", "zip"), ("a.tar.gz", "tar"):
        with pytest.raises(ValueError, match=f"{name} is a {kind} file, which is not read; unpack"):
            count_pretokens(tmp_path / name, [])


def test_paths(tmp_path):
    with pytest.raises(ValueError, match="is a folder without files"):
        count_pretokens(tmp_path, [])
    with pytest.raises(FileNotFoundError, match="no file matches the pattern"):
        count_pretokens(tmp_path / "*.txt", [])
    with pytest.raises(ValueError, match="input_format is 'json'; it must be one of text, jsonl"):
        count_pretokens(tmp_path, [], input_format="json")
    odd = tmp_path / "a[1]*.txt"
    odd.write_text("a name that looks like a pattern")
    assert count_pretokens(odd, [])[b" name"] == 1
    (tmp_path / "a.gz").write_bytes(gzip.compress(b"x"))
    with pytest.raises(ValueError, match="stage reads plain text only"):
        count_pretokens(tmp_path / "a.gz", [], stage="stage02")


def test_extras_that_are_missing_are_named(tmp_path):
    """With a Python that can't import them."""
    (tmp_path / "a.parquet").write_bytes(b"PAR1")
    (tmp_path / "a.zst").write_bytes(b"\x28\xb5\x2f\xfd")
    (tmp_path / "a.txt.gz").write_bytes(gzip.compress(b"text"))
    program = """
import sys
for name in ("pyarrow", "zstandard", "isal", "distributed"):
    sys.modules[name] = None
from cs336_bpe import count_pretokens
assert count_pretokens("a.txt.gz", []) == {b"text": 1}
for name in ("a.parquet", "a.zst"):
    try:
        count_pretokens(name, [])
    except ImportError as error:
        print(error)
"""
    done = subprocess.run([sys.executable, "-c", program], cwd=tmp_path, capture_output=True,
                          text=True, check=True)
    assert done.stdout.splitlines() == [
        "parquet files need pyarrow: pip install pyarrow",
        "zstd files need zstandard: pip install zstandard"]


@pytest.mark.parametrize("pattern", [GPT2_PATTERN, r"(?<=x)y|\w+|\W"], ids=["compiled", "not"])
def test_a_file_that_changes(tmp_path, pattern):
    from cs336_bpe.inputs import Corpus

    path = tmp_path / "a.txt"
    path.write_text("one")
    corpus = Corpus(path)
    path.write_text("another")
    with pytest.raises(OSError, match="was changed while it was in use"):
        count_pretokens(corpus, [], pattern=pattern)
