"""Samples of what is neither one text file nor one parquet file."""

import gzip
import json

import pytest

from cs336_bpe.corpora.sample import sample

END = "<|endoftext|>"
DOCUMENTS = [f"document {number}\n" for number in range(100)]


@pytest.fixture
def forms(tmp_path):
    text = "".join(document + END for document in DOCUMENTS)
    lines = "".join(json.dumps({"body": document}) + "\n" for document in DOCUMENTS)
    (tmp_path / "text.txt").write_text(text)
    (tmp_path / "text.gz").write_bytes(gzip.compress(text.encode()))
    (tmp_path / "lines.jsonl").write_text(lines)
    (tmp_path / "folder").mkdir()
    for start in range(0, 100, 10):
        part = "".join(document + END for document in DOCUMENTS[start : start + 10])
        (tmp_path / "folder" / f"{start:03}.txt").write_text(part)
    return tmp_path


@pytest.mark.parametrize("name", ["text.gz", "lines.jsonl", "folder"])
@pytest.mark.parametrize("smart", [False, True])
def test_the_same_sample_of_every_form(name, smart, forms):
    options = {"documents": 7, "seed": 3, "smart": smart, "column": "body"}
    expected = sample(forms / "text.txt", forms / "a.txt", **options)
    report = sample(forms / name, forms / "b.txt", **options)
    assert (forms / "a.txt").read_text() == (forms / "b.txt").read_text()
    assert (report.before, report.after) == (expected.before, expected.after)
    sample(forms / name, forms / "b.jsonl", **options)
    lines = (forms / "b.jsonl").read_text().splitlines()
    assert [json.loads(line)["body"] for line in lines] == (
        (forms / "a.txt").read_text().split(END)[:-1])


def test_a_separator_in_a_document(forms):
    (forms / "lines.jsonl").write_text(json.dumps({"text": f"a{END}b"}) + "\n")
    with pytest.raises(ValueError, match=r"document 0 of .* has the separator"):
        sample(forms / "lines.jsonl", forms / "out.txt", fraction=1.0)
    assert not (forms / "out.txt").exists()
