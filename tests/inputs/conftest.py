"""One corpus in many forms."""

import bz2
import gzip
import json
import lzma

import pytest

from cs336_bpe.corpora import generated

EOT = "<|endoftext|>"


def make_documents():
    """Documents of many lengths, with what is difficult in each form."""
    documents = [text for text in generated.web(60_000).split(EOT) if text]
    documents += ["", " ", "\n", "one\n\n", "  two", "'s", "'", "l", "naïve 日本語 🙂",
                  'a "quoted" \\ one', "tab\tand\x00nul\x7f",
                  "\u2028 separators \u0085", "x" * 3_000, "\r\n\r\n"]
    return documents


DOCUMENTS = make_documents()


def as_text(documents):
    return "".join(document + EOT for document in documents).encode()


def as_json_lines(documents, ensure_ascii=True):
    lines = [json.dumps({"id": number, "text": text, "meta": {"text": text}},
                        ensure_ascii=ensure_ascii) for number, text in enumerate(documents)]
    return "".join(line + "\n" for line in lines).encode()


@pytest.fixture(scope="session")
def forms(tmp_path_factory):
    """A path for each form of the corpus."""
    pyarrow = pytest.importorskip("pyarrow", reason="parquet needs pyarrow")
    write_table = pytest.importorskip("pyarrow.parquet").write_table
    zstandard = pytest.importorskip("zstandard", reason="zstd needs zstandard")
    folder = tmp_path_factory.mktemp("forms")
    text, lines = as_text(DOCUMENTS), as_json_lines(DOCUMENTS)
    contents = {
        "corpus.txt": text,
        "corpus.txt.gz": gzip.compress(text[:5_000]) + gzip.compress(text[5_000:]),  # two members
        "corpus.zst": zstandard.compress(text[:5_000]) + zstandard.compress(text[5_000:]),
        "corpus.bz2": bz2.compress(text),
        "corpus.xz": lzma.compress(text),
        "corpus.jsonl": lines,
        "utf8.jsonl": b"\xef\xbb\xbf" + as_json_lines(DOCUMENTS, ensure_ascii=False)
        .replace(b"\n", b"\n\n", 3)[:-1],  # a mark, empty lines, and no end of the last line
        "corpus.jsonl.gz": gzip.compress(lines),
        "lines": lines,  # known by its content alone
    }
    for name, data in contents.items():
        (folder / name).write_bytes(data)
    table = pyarrow.table({"text": DOCUMENTS, "meta": [{"text": text} for text in DOCUMENTS]})
    write_table(table, folder / "corpus.parquet", row_group_size=20)
    dictionary = pyarrow.table({"text": pyarrow.array(DOCUMENTS).dictionary_encode()})
    write_table(dictionary, folder / "dictionary.parquet")
    large = pyarrow.table({"text": pyarrow.array(DOCUMENTS, pyarrow.large_binary())})
    write_table(large, folder / "large.parquet")
    (folder / "folder" / "below").mkdir(parents=True)
    (folder / "folder" / ".hidden").write_bytes(b"not this")
    for number, start in enumerate(range(0, len(DOCUMENTS), 5)):
        place = folder / "folder" / "below" if number > 3 else folder / "folder"
        name = f"{number:03}.txt" if number <= 3 else f"z{number:03}.txt"
        (place / name).write_bytes(as_text(DOCUMENTS[start : start + 5]))
    # In the order of the names: "below" comes after the digits.
    return folder
