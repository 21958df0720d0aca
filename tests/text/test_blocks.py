"""Blocks of a text, and how often each byte is looked at."""

import io

import pytest

from cs336_bpe.text.blocks import BlockReader
from cs336_bpe.text.cuts import Cutter


class WatchedCutter(Cutter):
    """Adds up the bytes in which a cut was looked for."""

    def __init__(self, *arguments):
        super().__init__(*arguments)
        self.looked_at = 0
        find = self._find_cut

        def watched(data, size, first, last):
            cut = find(data, size, first, last)
            self.looked_at += min(last, size) - max(cut, first)
            return cut
        self._find_cut = watched


@pytest.mark.parametrize("specials", [[], ["<|end|>"], [" a b ", "77 77"]])
@pytest.mark.parametrize("text", [b"7" * 300_000, "🙂".encode() * 70_000, b"=" * 150_000 + b" x"])
def test_where_nothing_can_be_cut_each_byte_is_looked_at_once(text, specials):
    cutter = WatchedCutter(specials)
    reader = BlockReader(io.BytesIO(text), "text", cutter, 1_000, end=len(text))
    buffer = bytearray()
    parts = []
    while size := reader.read_into(buffer):
        parts.append(bytes(buffer[:size]))
    assert b"".join(parts) == text
    assert cutter.looked_at < 1.2 * len(text)


def test_a_cut_that_more_text_makes_one_is_found():
    """At first the token may still go on at the end of what was read."""
    text = b"x" * 990 + b" word<|end|>" + b"y" * 5_000 + b" z" * 50
    reader = BlockReader(io.BytesIO(text), "text", Cutter(["<|end|>" + "long" * 50, "<|end|>"]),
                         1_000, end=len(text))
    buffer = bytearray()
    assert reader.read_into(buffer) == 1_002
