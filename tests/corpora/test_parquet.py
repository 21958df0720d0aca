"""Samples from and to parquet files. Most of it needs pyarrow, and is skipped without."""

import sys

import pytest

from cs336_bpe.corpora.sample import sample
from cs336_bpe.rules import END_OF_TEXT

END = END_OF_TEXT.encode()


@pytest.fixture(scope="module")
def pa():
    return pytest.importorskip("pyarrow", reason="needs pyarrow: pip install '.[parquet]'")


@pytest.fixture
def table(pa):
    texts = [f"document {i}: " + "ä" * (i % 50) for i in range(3_000)]
    return pa.table({"id": range(3_000), "text": texts, "url": [None] * 3_000})


def write(pa, path, table, **options):
    from pyarrow import parquet
    parquet.write_table(table, path, **options)
    return path


def read(path):
    from pyarrow import parquet
    return parquet.read_table(path)


@pytest.mark.parametrize("smart", [False, True])
def test_parquet_to_parquet_keeps_rows_and_columns(pa, table, tmp_path, smart):
    source = write(pa, tmp_path / "in.parquet", table, row_group_size=700)
    report = sample(source, tmp_path / "out.PARQUET", documents=100, smart=smart)
    out = read(tmp_path / "out.PARQUET")
    assert out.schema.equals(table.schema)
    ids = out["id"].to_pylist()
    assert len(ids) == 100
    assert ids == sorted(ids)
    assert out["text"].to_pylist() == [table["text"][i].as_py() for i in ids]
    assert report.before.documents == 3_000
    assert report.before.bytes == sum(len(t.encode()) for t in table["text"].to_pylist())
    assert report.after.bytes == sum(len(t.encode()) for t in out["text"].to_pylist())
    assert report.after.characters["beyond_ascii"] > 0


def test_all_ways_choose_the_same_documents(pa, table, tmp_path):
    source = write(pa, tmp_path / "in.parquet", table, row_group_size=1_100)
    reports = [sample(source, tmp_path / "1.parquet", documents=50, seed=3),
               sample(source, tmp_path / "all.txt", fraction=1.0),
               sample(tmp_path / "all.txt", tmp_path / "2.parquet", documents=50, seed=3),
               sample(source, tmp_path / "3.txt", documents=50, seed=3)]
    expected = read(tmp_path / "1.parquet")["text"].to_pylist()
    assert len(expected) == 50
    assert read(tmp_path / "2.parquet").column_names == ["text"]
    assert read(tmp_path / "2.parquet")["text"].to_pylist() == expected
    text = (tmp_path / "3.txt").read_bytes()
    assert text == b"".join(document.encode() + END for document in expected)
    assert reports[0].after == reports[2].after == reports[3].after


def test_many_documents_to_parquet(pa, tmp_path):
    """More than fit into a batch."""
    (tmp_path / "in.txt").write_bytes(b"".join(b"%d" % i + END for i in range(5_000)))
    sample(tmp_path / "in.txt", tmp_path / "out.parquet", fraction=1.0, column="story")
    assert read(tmp_path / "out.parquet")["story"].to_pylist() == list(map(str, range(5_000)))


@pytest.mark.parametrize("kind", ["string", "large_string", "binary", "large_binary", "dictionary"])
def test_types_of_text(pa, tmp_path, kind):
    values = pa.array(["one", None, "", "two"], pa.string())
    if kind == "dictionary":
        values = values.dictionary_encode()
    else:
        values = values.cast(getattr(pa, kind)())
    source = write(pa, tmp_path / "in.parquet", pa.table({"story": values}))
    report = sample(source, tmp_path / "out.txt", fraction=1.0, column="story")
    assert (tmp_path / "out.txt").read_bytes() == END.join([b"one", b"", b"", b"two", b""])
    assert report.before.empty == 2
    sample(source, tmp_path / "out.parquet", fraction=1.0, column="story")
    assert read(tmp_path / "out.parquet")["story"].to_pylist() == values.to_pylist()


def test_no_rows(pa, table, tmp_path):
    source = write(pa, tmp_path / "in.parquet", table[:0])
    report = sample(source, tmp_path / "out.parquet", documents=3)
    assert read(tmp_path / "out.parquet").num_rows == 0
    assert report.note == "asked for 3 documents, but there are 0: all were taken"


def test_progress(pa, table, tmp_path):
    source = write(pa, tmp_path / "in.parquet", table, row_group_size=700)
    calls = []
    sample(source, tmp_path / "out.txt", documents=100, progress=lambda *call: calls.append(call))
    assert [phase for phase, done, total in calls if done == total] == ["read", "copy"]


def test_errors(pa, table, tmp_path):
    source = write(pa, tmp_path / "in.parquet", table)
    target = tmp_path / "out.txt"
    with pytest.raises(ValueError, match=r"no column 'story'; it has 'id', 'text', 'url'"):
        sample(source, target, documents=1, column="story")
    with pytest.raises(TypeError, match=r"the column 'id' .* type int64; it must have text"):
        sample(source, target, documents=1, column="id")
    with pytest.raises(ValueError, match=r"document \d+ of .* has the separator ': '"):
        sample(source, target, documents=5, separator=": ")
    (tmp_path / "bad.parquet").write_bytes(b"PAR1 and then nothing that makes sense")
    with pytest.raises(ValueError, match=r"bad.parquet is not a parquet file, or a damaged one"):
        sample(tmp_path / "bad.parquet", target, documents=1)
    with pytest.raises(FileNotFoundError):
        sample(tmp_path / "no.parquet", target, documents=1)
    assert not target.exists()


def test_text_that_is_not_utf8(pa, tmp_path):
    (tmp_path / "in.txt").write_bytes(b"one" + END + b"t\xffo" + END)
    with pytest.raises(ValueError, match=r"document 1 of the sample is not UTF-8 at its byte 1"):
        sample(tmp_path / "in.txt", tmp_path / "out.parquet", fraction=1.0)
    assert not (tmp_path / "out.parquet").exists()


def test_without_pyarrow(monkeypatch, tmp_path):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    (tmp_path / "in.txt").write_bytes(b"one")
    (tmp_path / "in.parquet").write_bytes(b"PAR1")
    for pair in (("in.parquet", "out.txt"), ("in.txt", "out.parquet")):
        with pytest.raises(ImportError, match="pip install pyarrow"):
            sample(tmp_path / pair[0], tmp_path / pair[1], documents=1)
