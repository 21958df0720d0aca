"""What a file is, by its first bytes."""

import json
import re
from typing import NamedTuple

FORMATS = ("text", "jsonl", "parquet", "documents")
"""Text with special tokens between documents, if any; a JSON object per line; a parquet file; and
files each of which is one document."""

COMPRESSIONS = {
    "gzip": b"\x1f\x8b\x08",
    "zstd": b"\x28\xb5\x2f\xfd",
    "bzip2": b"BZh",
    "xz": b"\xfd7zXZ\x00",
}
PARQUET = b"PAR1\x15"  # a magic number, and how the first header begins; "PAR1" may be a text
HEAD_BYTES = 1 << 16  # of a file that are looked at

_OBJECT_BEGINS = re.compile(rb'\{\s*"(?:[^"\\\n]|\\.)*"\s*:')


class Archive(NamedTuple):
    """A kind of file that holds others, which has to be unpacked first."""

    name: str
    offset: int
    magic: bytes


ARCHIVES = (Archive("zip", 0, b"PK\x03\x04"), Archive("tar", 257, b"ustar"),
            Archive("7z", 0, b"7z\xbc\xaf'\x1c"), Archive("Arrow", 0, b"ARROW1"))


def compression_of(head: bytes) -> str | None:
    """How a file is compressed that begins like this.

    >>> compression_of(b"\\x1f\\x8b\\x08"), compression_of(b"Once upon a time")
    ('gzip', None)
    """
    for name, magic in COMPRESSIONS.items():
        if head.startswith(magic):
            # "BZh" may begin a text; then a digit and the first block's magic do not follow.
            if name == "bzip2" and head[4:10] not in (b"1AY&SY", b"\x17rE8P\x90")[: len(head) > 4]:
                continue
            return name
    return None


def format_of(head: bytes, name: str = "") -> str:
    """The format of a file, or of what was compressed in it.

    >>> format_of(b'{"text": "Once"}\\n'), format_of(b"{1, 2, 3}"), format_of(b"PAR1\\x15")
    ('jsonl', 'text', 'parquet')
    """
    if head.startswith(PARQUET) or name.lower().endswith(".parquet"):
        return "parquet"
    for archive in ARCHIVES:
        if head.startswith(archive.magic, archive.offset):
            raise ValueError(f"{name} is a {archive.name} file, which is not read; unpack it, or "
                             f"convert it to text, JSON lines or parquet")
    if re.search(r"\.(jsonl|ndjson|jsonlines)(\.\w+)?$", name, re.IGNORECASE):
        return "jsonl"
    return "jsonl" if begins_with_object(head) else "text"


def begins_with_object(head: bytes) -> bool:
    """Whether the first line that is not empty is a JSON object."""
    lines = head.removeprefix(b"\xef\xbb\xbf").lstrip()
    line, newline, _ = lines.partition(b"\n")
    if not _OBJECT_BEGINS.match(line):
        return False
    try:
        return isinstance(json.loads(line), dict)
    except ValueError:
        return not newline and len(head) >= HEAD_BYTES  # a line that is longer than what we see
