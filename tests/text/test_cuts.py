"""Places that look like cuts, and are none: a special token lies across them, or may."""

from cs336_bpe.text.cuts import Cutter


def test_a_special_token_with_many_bytes_inside_that_are_left_out():
    """Its beginning is further from its end than a cutter looks."""
    data = b"one two<|" + b"\xff" * 1_000 + b"a b|>" + b"c" * 100
    assert data.decode("utf-8", "ignore") == "one two<|a b|>" + "c" * 100
    assert Cutter(["<|a b|>"], errors="ignore").last_cut(data, len(data)) <= len(b"one two")


def test_the_end_of_a_special_token_whose_beginning_belongs_to_another_one():
    """`XbY` is found from the left, so what comes after it is text: `c` is a part of a word."""
    cutter = Cutter(["XbY", "Yc"], None)
    data = b"one Yc" + b"d" * 100
    assert cutter.last_cut(data, len(data)) == len(b"one Yc")
    data = b"one XbYc" + b"d" * 100
    assert cutter.last_cut(data, len(data)) == 0
