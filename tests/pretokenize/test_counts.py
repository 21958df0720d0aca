"""PretokenCounts: adding up, the file format and every way to get it wrong, and atomic writing."""

import copy
import errno
import html
import os
import pickle
import random
import stat
import subprocess
import sys
import tracemalloc
from collections import Counter
from collections.abc import MutableMapping
from fractions import Fraction
from hashlib import sha256
from types import MappingProxyType

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from cs336_bpe import train_bpe_from_counts
from cs336_bpe.common.atomic_files import atomic_writer
from cs336_bpe.pretokenize.counts import MAGIC, MAX_SHARED, PretokenCounts

SMALL = {b"low": 5, b"lower": 2, b"newest": 6, b"widest": 3}
LARGEST = 2**63 - 1

# Few letters, so that pretokens share beginnings; and lengths on both sides of the limit of 255.
words = st.binary(max_size=6) | st.text("ab\0", max_size=8).map(str.encode) | st.builds(
    lambda size, end: b"a" * size + end, st.integers(120, 260), st.binary(max_size=3))
tables = st.dictionaries(words, st.integers(1, 2**40), max_size=30)


def varint(number, padding=0):
    """Unsigned LEB128, by the book; `padding` bytes longer than needed."""
    digits = [number & 0x7F]
    while number := number >> 7:
        digits.append(number & 0x7F)
    digits += [0] * padding
    return bytes([*(digit | 0x80 for digit in digits[:-1]), digits[-1]])


def entry(shared, rest, count):
    return bytes([shared]) + varint(len(rest)) + rest + varint(count)


def build(entries, kinds, total, size=None, after=b""):
    """A file with a right checksum, whatever is in it; numbers that are bytes are taken as such."""
    body = b"".join(entries)
    header = [len(body) if size is None else size]
    header = [part if isinstance(part, bytes) else varint(part) for part in (kinds, total, *header)]
    data = MAGIC + b"".join(header) + body + after
    return data + sha256(data).digest()


GOOD = [entry(0, b"low", 5), entry(3, b"er", 2), entry(0, b"newest", 6), entry(0, b"widest", 3)]
START = len(MAGIC) + 3  # of the entries, where the three numbers of the header are small


@pytest.fixture
def path(tmp_path):
    return tmp_path / "small.counts"


def saved(counts, path):
    PretokenCounts(counts).save(path)
    return path.read_bytes()


# --- A dict ----------------------------------------------------------------------------------


def test_it_is_a_mapping():
    for counts in (PretokenCounts(SMALL), PretokenCounts(SMALL.items()),
                   PretokenCounts(iter(SMALL.items())), PretokenCounts(Counter(SMALL))):
        assert counts == SMALL
        assert dict(counts) == SMALL
        assert isinstance(counts, MutableMapping)
        assert list(counts) == list(SMALL)
        assert counts != {b"low": 5}
    assert PretokenCounts() == {}
    with pytest.raises(KeyError):
        PretokenCounts(SMALL)[b"missing"]


def test_copies_keep_the_type():
    counts = PretokenCounts(SMALL)
    copies = [counts.copy(), copy.copy(counts), copy.deepcopy(counts)]
    copies += [pickle.loads(pickle.dumps(counts, protocol)) for protocol in range(6)]
    for other in copies:
        assert type(other) is PretokenCounts
        assert other == counts
        assert other is not counts
        other[b"new"] = 1
    assert counts == SMALL


def test_a_subclass_keeps_its_type(path):
    class Mine(PretokenCounts):
        pass

    mine = Mine(SMALL)
    mine.save(path)
    for other in (mine.copy(), mine.merge({}), mine + {}, mine.scaled(2), Mine.load(path)):
        assert type(other) is Mine
    assert repr(mine).startswith("<Mine: 4 kinds")


def test_training_takes_it(path):
    counts = PretokenCounts(SMALL)
    counts.save(path)
    expected = train_bpe_from_counts(SMALL, 262, [])
    assert train_bpe_from_counts(counts, 262, []) == expected
    assert train_bpe_from_counts(PretokenCounts.load(path), 262, []) == expected


def test_totals():
    counts = PretokenCounts({**SMALL, b"zero": 0, b"": 4})
    assert counts.total == 20
    assert counts.num_bytes == 5 * 3 + 2 * 5 + 6 * 6 + 3 * 6
    assert (PretokenCounts().total, PretokenCounts().num_bytes) == (0, 0)
    numpy_counts = PretokenCounts({b"a" * 300: np.uint8(255), b"b": np.int64(LARGEST)})
    assert numpy_counts.total == 255 + LARGEST
    assert numpy_counts.num_bytes == 300 * 255 + LARGEST


# --- top -------------------------------------------------------------------------------------


def test_top():
    counts = PretokenCounts({b"b": 2, b"c": 3, b"a": 2, b"\xff": 2, b"": 2, b"zero": 0})
    everything = [(b"c", 3), (b"", 2), (b"a", 2), (b"b", 2), (b"\xff", 2)]
    for n in range(8):
        assert counts.top(n) == everything[:n]
    assert counts.top(np.int64(2)) == everything[:2]
    assert PretokenCounts().top(3) == []


@given(tables, st.integers(0, 40))
def test_top_is_the_beginning_of_the_sorted_table(table, n):
    expected = sorted(table.items(), key=lambda item: (-item[1], item[0]))[:n]
    assert PretokenCounts(table).top(n) == expected


@pytest.mark.parametrize(("n", "error", "message"), [
    (-1, ValueError, "n is -1; it must be at least 0"),
    (1.0, TypeError, "n is 1.0, a float; it must be an integer"),
    (None, TypeError, "n is None"),
    (True, TypeError, "n is True"),
])
def test_bad_top(n, error, message):
    with pytest.raises(error, match=message):
        PretokenCounts(SMALL).top(n)


# --- Adding up -------------------------------------------------------------------------------


@given(st.lists(tables, max_size=4))
def test_adding_is_what_counter_does(parts):
    expected = Counter()
    for part in parts:
        expected.update(part)
    merged = PretokenCounts().merge(*parts)
    assert merged == expected
    assert type(merged) is PretokenCounts
    assert PretokenCounts().merge(*reversed(parts)) == expected
    assert sum(map(PretokenCounts, parts), PretokenCounts()) == expected
    in_place = PretokenCounts()
    for part in parts:
        in_place += part
    assert in_place == expected


def test_adding_changes_only_what_it_should():
    left, right = PretokenCounts({b"a": 1, b"b": 2}), PretokenCounts({b"b": 3, b"c": 4})
    expected = {b"a": 1, b"b": 5, b"c": 4}
    assert left + right == left.merge(right) == right + left == expected
    assert left + dict(right) == dict(left) + right == Counter(left) + right == expected
    assert left + MappingProxyType(right) == expected
    assert (left, right) == ({b"a": 1, b"b": 2}, {b"b": 3, b"c": 4})
    assert type(dict(left) + right) is PretokenCounts
    same = left
    same += right
    assert same is left
    assert left == expected
    left += left
    assert left == {b"a": 2, b"b": 10, b"c": 8}
    assert left.merge() == left
    assert left.merge() is not left


def test_zero_adds_nothing():
    assert PretokenCounts({b"a": 0}) + {b"b": 0, b"c": 1} == {b"c": 1}


def test_numbers_of_numpy_do_not_wrap():
    small = PretokenCounts({b"a": np.uint8(200)})
    for total in (small + small, small + {b"a": 200}, PretokenCounts({b"a": 200}) + small):
        assert total == {b"a": 400}
        assert type(total[b"a"]) is int
    small += {b"a": np.uint8(200)}
    assert small == {b"a": 400}


@pytest.mark.parametrize("other", [3, 0, None, [b"a"], "a", [(b"a", 1)], {b"a"}])
def test_only_mappings_can_be_added(other):
    counts = PretokenCounts(SMALL)
    with pytest.raises(TypeError, match="unsupported operand"):
        counts + other
    with pytest.raises(TypeError):
        other + counts
    with pytest.raises(TypeError, match=f"can't add a {type(other).__name__} to PretokenCounts"):
        counts.merge({}, other)
    with pytest.raises(TypeError, match="it must be a mapping from bytes to int"):
        counts += other
    assert counts == SMALL


@pytest.mark.parametrize(("entries", "error", "message"), [
    ({b"low": 1, "low": 1}, TypeError, r"key 'low', a str; keys must be bytes"),
    ({b"low": 1, b"new": -1}, ValueError, r"counts\[b'new'\] is -1; it must be at least 0"),
    ({b"low": 1, b"new": 1.5}, TypeError, r"counts\[b'new'\] is 1.5, a float"),
    ({b"low": 1, b"new": True}, TypeError, r"counts\[b'new'\] is True"),
    ({b"low": 1, b"new": None}, TypeError, r"counts\[b'new'\] is None"),
])
def test_wrong_entries_are_named(path, entries, error, message):
    wrong = PretokenCounts(entries)  # not looked at here
    counts = PretokenCounts(SMALL)
    with pytest.raises(error, match=message):
        counts += entries
    assert counts == SMALL  # not half of it added
    for use in (lambda: counts + entries, lambda: counts.merge(entries), lambda: wrong + {},
                lambda: wrong.top(1), lambda: wrong.total, lambda: wrong.num_bytes,
                lambda: wrong.scaled(2), lambda: wrong.save(path)):
        with pytest.raises(error, match=message):
            use()
    assert not path.exists()
    assert repr(wrong) == "<PretokenCounts: 2 kinds, not all of them valid>"
    assert "2 kinds, not all of them valid" in wrong._repr_html_()


def test_a_wrong_entry_of_ours_is_named_when_it_is_added_to():
    counts = PretokenCounts({b"low": 1.5})
    with pytest.raises(TypeError, match=r"counts\[b'low'\] is 1.5, a float"):
        counts += {b"low": 1}


# --- scaled ----------------------------------------------------------------------------------


@pytest.mark.parametrize(("factor", "expected"), [
    (1, [1, 2, 3, 4, 5, 10]),
    (3, [3, 6, 9, 12, 15, 30]),
    (0.5, [1, 1, 2, 2, 3, 5]),  # a half goes up, not to the even number
    (Fraction(1, 4), [0, 1, 1, 1, 1, 3]),
    (Fraction(1, 3), [0, 1, 1, 1, 2, 3]),
    (0.25, [0, 1, 1, 1, 1, 3]),
    (1.5, [2, 3, 5, 6, 8, 15]),
    (0.01, [0, 0, 0, 0, 0, 0]),
    (Fraction(1, 20), [0, 0, 0, 0, 0, 1]),
])
def test_scaled(factor, expected):
    numbers = [1, 2, 3, 4, 5, 10]
    counts = PretokenCounts({b"%d" % number: number for number in numbers})
    scaled = counts.scaled(factor)
    assert type(scaled) is PretokenCounts
    assert scaled == {b"%d" % old: new for old, new in zip(numbers, expected) if new}
    assert list(counts.values()) == numbers


@given(tables, st.floats(1e-6, 1e6) | st.integers(1, 1000) | st.fractions(Fraction(1, 1000), 1000))
def test_scaled_rounds_to_the_nearest(table, factor):
    scaled = PretokenCounts(table).scaled(factor)
    for word, count in table.items():
        error = scaled.get(word, 0) - count * Fraction(factor)
        assert -Fraction(1, 2) < error <= Fraction(1, 2)
    assert 0 not in scaled.values()


def test_scaled_is_exact_where_floats_are_not():
    assert PretokenCounts({b"a": 2**62 + 1}).scaled(1.0) == {b"a": 2**62 + 1}
    assert PretokenCounts({b"a": 5}).scaled(0.7) == {b"a": 3}
    assert PretokenCounts({b"a": 5}).scaled(Fraction("0.7")) == {b"a": 4}
    assert PretokenCounts({b"a": np.uint8(200)}).scaled(np.float64(2.0)) == {b"a": 400}


@pytest.mark.parametrize(("factor", "error", "message"), [
    (0, ValueError, "factor is 0; it must be finite and greater than 0"),
    (-0.5, ValueError, "factor is -0.5"),
    (Fraction(-1, 2), ValueError, "factor is -1/2"),
    (float("inf"), ValueError, "factor is inf"),
    (float("nan"), ValueError, "factor is nan"),
    ("2", TypeError, "factor is '2', a str; it must be an int, a float or a Fraction"),
    (None, TypeError, "factor is None"),
    (True, TypeError, "factor is True"),
    (2j, TypeError, "factor is 2j, a complex"),
])
def test_bad_factors(factor, error, message):
    with pytest.raises(error, match=message):
        PretokenCounts(SMALL).scaled(factor)


# --- Files: what is written ------------------------------------------------------------------


@given(tables)
@example({b"": 1})
@example({b"": LARGEST})
@example({b"x": LARGEST})
@example({bytes([byte]): 1 for byte in range(256)})
@example({b"a" * size: 1 for size in range(250, 262)})
@example({b"a" * 255: 1, b"a" * 255 + b"b": 1, b"a" * 255 + b"ba": 1, b"a" * 254 + b"b": 1})
@example({b"a" * 1000 + bytes([end]): 127 + end for end in range(4)})
def test_round_trip(tmp_path, table):
    path = tmp_path / "table.counts"
    saved(table, path)
    loaded = PretokenCounts.load(path)
    assert type(loaded) is PretokenCounts
    assert loaded == table
    assert list(loaded) == sorted(table)


@given(tables, st.randoms())
def test_the_same_counts_give_the_same_bytes(tmp_path, table, rng):
    path = tmp_path / "table.counts"
    first = saved(table, path)
    items = list(table.items())
    rng.shuffle(items)
    assert saved(items, path) == first
    assert saved(PretokenCounts.load(path), path) == first
    assert saved({**table, b"never": 0} if b"never" not in table else table, path) == first


def reference_decode(data):
    """The format, read as simply as can be; it believes what it reads."""
    position = len(MAGIC)

    def number():
        nonlocal position
        value = shift = 0
        while True:
            byte = data[position]
            position += 1
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value

    kinds, total, size = number(), number(), number()
    start, word, counts = position, b"", {}
    for _ in range(kinds):
        shared = data[position]
        position += 1
        length = number()
        word = word[:shared] + data[position : position + length]
        position += length
        counts[word] = number()
    assert position == start + size == len(data) - 32
    assert total == sum(counts.values())
    assert sha256(data[:-32]).digest() == data[-32:]
    return counts


@given(tables)
def test_an_independent_reader_agrees(tmp_path, table):
    assert reference_decode(saved(table, tmp_path / "table.counts")) == table


def test_the_bytes_of_a_small_file(path):
    data = build(GOOD, kinds=4, total=16)
    assert saved(SMALL, path) == data
    assert data[:-32] == (b"cs336_bpe pretoken counts 1\n" b"\x04\x10\x1d" b"\x00\x03low\x05"
                          b"\x03\x02er\x02" b"\x00\x06newest\x06" b"\x00\x06widest\x03")
    assert saved({}, path) == build([], 0, 0)
    assert PretokenCounts.load(path) == {}


def test_zero_counts_are_left_out(path):
    assert saved({**SMALL, b"zero": 0, b"": 0}, path) == build(GOOD, 4, 16)


def test_any_integers_are_saved(path):
    numpy_counts = {word: np.uint16(count) for word, count in SMALL.items()}
    assert saved(numpy_counts, path) == build(GOOD, 4, 16)
    assert {type(count) for count in PretokenCounts.load(path).values()} == {int}


def test_a_large_table(path):
    rng = random.Random(0)
    table = {rng.randbytes(rng.randrange(1, 12)): rng.randrange(1, 10**rng.randrange(1, 15))
             for _ in range(20_000)}
    saved(table, path)
    assert PretokenCounts.load(path) == table


@pytest.mark.parametrize(("counts", "message"), [
    ({b"ab": 2**62}, "counts add up to 9223372036854775808 bytes of text"),
    ({b"a": 2**200}, "more than the 64-bit limit"),
    ({b"": 2**63}, "counts add up to 9223372036854775808 pretokens"),
    ({b"": 2**62, b"a": 2**62}, "counts add up to 9223372036854775808 pretokens"),
])
def test_too_large_to_save(path, counts, message):
    with pytest.raises(ValueError, match=message):
        PretokenCounts(counts).save(path)
    assert os.listdir(path.parent) == []


def test_paths_of_every_kind(path):
    counts = PretokenCounts(SMALL)
    for name in (path, str(path), os.fsencode(path)):
        counts.save(name)
        assert PretokenCounts.load(name) == counts
        path.unlink()


# --- Files: what is refused ------------------------------------------------------------------


def refuse(data, path, message):
    path.write_bytes(data)
    with pytest.raises(ValueError, match=message) as caught:
        PretokenCounts.load(path)
    assert str(path) in str(caught.value)
    return str(caught.value)


def test_every_truncation(path):
    data = saved(SMALL, path)
    refuse(b"", path, r"is empty; copy it again")
    for size in range(1, len(data)):
        refuse(data[:size], path, rf"is cut short at byte {size}\b.*; copy it again")
    assert len(data) == 92
    refuse(data[:-1], path, "is cut short at byte 91 of 92; copy it again")


def test_every_altered_byte(path):
    data = bytearray(saved(SMALL, path))
    for place in range(len(data)):
        for bits in (1, 0x80, 0xFF):
            data[place] ^= bits
            refuse(bytes(data), path, "copy it again|not a file of pretoken counts|of version")
            data[place] ^= bits
    data[-40] ^= 1
    refuse(bytes(data), path, "has been altered: the checksum in its last 32 bytes")


def test_bytes_after_the_end(path):
    data = saved(SMALL, path)
    refuse(data + b"\n", path, "wrong at byte 92: the file should end here, but has 1 byte more; "
                               "copy it again")
    refuse(data + data, path, "the file should end here, but has 92 bytes more")
    refuse(build(GOOD, 4, 16, size=29, after=b"more"), path,
           "wrong at byte 92: .* has 4 bytes more; its checksum is right")


@pytest.mark.parametrize("data", [b"low 5\n", b"\0", b'{"low": 5}', b"\x80\x04\x95" + b"x" * 1000,
                                  b"PK\3\4" * 100, MAGIC.replace(b"\n", b"\r\n") + b"x" * 100])
def test_other_files(path, data):
    refuse(data, path, "is not a file of pretoken counts: it starts with b.*PretokenCounts.save")


@pytest.mark.parametrize("version", [0, 2, 9, 10, 123])
def test_other_versions(path, version):
    magic = MAGIC.replace(b"1", b"%d" % version)
    assert "this program reads version 1" in refuse(
        magic + build(GOOD, 4, 16)[len(MAGIC):], path, f"of version {version}, but")


@pytest.mark.skipif(not os.path.exists("/dev/zero"), reason="needs /dev/zero")
def test_a_device_without_an_end():
    with pytest.raises(ValueError, match="/dev/zero is not a file of pretoken counts"):
        PretokenCounts.load("/dev/zero")


LONG = b"a" * 300

WRONG_CONTENT = {
    "out of order": (
        [entry(0, b"b", 1), entry(0, b"a", 1)], 2, 2, START + 4, "b'a' is out of order after b'b'"),
    "a prefix comes after": (
        [entry(0, b"ab", 1), entry(1, b"", 1)], 2, 2, START + 5, "b'a' is out of order after"),
    "nothing comes after": (
        [entry(0, b"a", 1), entry(0, b"", 1)], 2, 2, START + 4, "b'' is out of order after b'a'"),
    "repeated": (
        [entry(0, b"a", 1), entry(0, b"a", 1)], 2, 2, START + 4, "b'a' is there already"),
    "repeated by sharing": (
        [entry(0, b"a", 1), entry(1, b"", 1)], 2, 2, START + 4, "b'a' is there already"),
    "nothing, repeated": (
        [entry(0, b"", 1), entry(0, b"", 1)], 2, 2, START + 3, "b'' is there already"),
    "long and repeated": (
        [entry(0, LONG, 1), entry(255, LONG[255:], 1)], 2, 2, None, "of 300 bytes is there"),
    "long and out of order": (
        [entry(0, LONG, 1), entry(255, LONG[256:], 1)], 2, 2, None, "of 299 bytes is out of order"),
    "shares more than it says": (
        [entry(0, b"ab", 1), entry(1, b"bc", 1)], 2, 2, START + 5,
        "b'abc' takes over 1 byte from b'ab', which has more in common"),
    "shares nothing, could all": (
        [entry(0, b"ab", 1), entry(0, b"abc", 1)], 2, 2, START + 5, "has more in common"),
    "shares 254, could 255": (
        [entry(0, LONG, 1), entry(254, LONG[254:] + b"b", 1)], 2, 2, None, "has more in common"),
    "shares more than there is": (
        [entry(0, b"ab", 1), entry(3, b"c", 1)], 2, 2, START + 5, "takes over 3 bytes from one "
                                                                 "that has only 2"),
    "the first shares": ([entry(1, b"a", 1)], 1, 1, START, "takes over 1 byte from one"),
    "zero": ([entry(0, b"a", 0)], 1, 0, START + 3, "the count of b'a' is zero"),
    "padded zero": ([b"\0\1a\x80\0"], 1, 0, START + 3, "the number 0 is written in more bytes"),
    "padded count": (
        [b"\0\1a" + varint(5, padding=1)], 1, 5, START + 3, "number 5 is written in more bytes"),
    "padded length": (
        [b"\0" + varint(1, padding=2) + b"a\1"], 1, 1, START + 1, "written in more bytes"),
    "overlong count": (
        [b"\0\1a" + b"\x80" * 10 + b"\1"], 1, 1, START + 3, "a number of more than 10 bytes"),
    "overlong length": (
        [b"\0" + b"\x80" * 40 + b"\1a\1"], 1, 1, START + 1, "a number of more than 10 bytes"),
    "count of 2^63": (
        [entry(0, b"a", 2**63)], 1, 5, START + 3, "9223372036854775808 is above the 64-bit limit"),
    "count of 2^70 - 1": ([entry(0, b"a", 2**70 - 1)], 1, 5, START + 3, "above the 64-bit limit"),
    "length past the end": ([b"\0\5abc\1"], 1, 1, START, "goes on after the end of the entries"),
    "length to the end": ([b"\0\4abc\1"], 1, 1, START, "goes on after the end of the entries"),
    "length of 2^60": (
        [b"\0" + varint(2**60) + b"a\1"], 1, 1, START, "goes on after the end of the entries"),
    "a last entry of one byte": (
        [entry(0, b"a", 1), b"\1"], 2, 1, START + 4, "goes on after the end of the entries"),
    "a count that does not end": (
        [b"\0\1a\x81"], 1, 1, None, "goes on after|number"),
    "fewer kinds": (GOOD, 3, 16, len(MAGIC), "there are 3 entries, but there are 4"),
    "more kinds": (GOOD, 5, 16, len(MAGIC), "there are 5 entries, but there are 4"),
    "2^60 kinds": (GOOD, 2**60, 16, len(MAGIC), "entries, but there are 4"),
    "kinds but no entries": ([], 1, 0, len(MAGIC), "there are 1 entries, but there are 0"),
    "another total": (GOOD, 4, 17, len(MAGIC) + 1, "add up to 17, but they add up to 16"),
    "padded kinds": (GOOD, varint(4, padding=1), 16, len(MAGIC), "written in more bytes"),
    "overlong kinds": (GOOD, b"\xff" * 12, 16, len(MAGIC), "a number of more than 10 bytes"),
    "overlong total": (GOOD, 4, b"\xff" * 12, len(MAGIC) + 1, "a number of more than 10 bytes"),
    "kinds of 2^63": (GOOD, 2**63, 16, len(MAGIC), "above the 64-bit limit"),
}


@pytest.mark.parametrize("case", WRONG_CONTENT)
def test_wrong_content_with_a_right_checksum(path, case):
    entries, kinds, total, offset, message = WRONG_CONTENT[case]
    text = refuse(build(entries, kinds, total), path, message)
    assert "its checksum is right, so it was written like this: count again" in text
    if offset is not None:
        assert f"wrong at byte {offset}:" in text


def test_wrong_sizes_with_a_right_checksum(path):
    for size in (30, 1000, 2**60, LARGEST):
        refuse(build(GOOD, 4, 16, size=size), path, "is cut short at byte .* checksum is right")
    refuse(build(GOOD, 4, 16, size=28), path, "wrong at byte 91: the file should end here")
    refuse(build(GOOD, 4, 16, size=b"\xff" * 12), path, "a number of more than 10 bytes")


def test_more_text_than_can_be_trained_on(path):
    refuse(build([entry(0, b"aa", 2**62)], 1, 2**62), path, "counts add up to .* bytes of text")


@given(st.binary(max_size=60))
def test_random_content_with_a_right_checksum(tmp_path, content):
    """Either it is what save would have written, or it is refused."""
    path = tmp_path / "random.counts"
    data = MAGIC + content
    data += sha256(data).digest()
    path.write_bytes(data)
    try:
        counts = PretokenCounts.load(path)
    except ValueError:
        return
    assert saved(counts, path) == data


@given(st.lists(st.builds(entry, st.integers(0, 3), st.text("ab", max_size=3).map(str.encode),
                          st.integers(0, 2)), max_size=4))
def test_random_entries_with_a_right_checksum(tmp_path, entries):
    path = tmp_path / "random.counts"
    total = sum(part[-1] for part in entries)
    data = build(entries, len(entries), total)
    path.write_bytes(data)
    try:
        counts = PretokenCounts.load(path)
    except ValueError:
        return
    assert saved(counts, path) == data


def test_a_file_cannot_make_the_reader_allocate(path):
    """The worst file there is: a long word, then many entries that share as much as they can.
    If there were no limit to that, this file of 130 kB would ask for 800 MB."""
    words = [n.to_bytes(2, "big") for n in range(1, 10_001)]
    entries = [entry(0, b"\0" * 80_000, 1), *(entry(MAX_SHARED, word, 1) for word in words)]
    good = build(entries, 10_001, 10_001)
    tracemalloc.start()
    try:
        path.write_bytes(good)
        assert max(map(len, list(PretokenCounts.load(path))[1:])) == 257
        for claim in (2**60, LARGEST):
            refuse(build(entries, claim, 10_001), path, "entries, but there are 10001")
            refuse(build(entries, 10_001, claim), path, "but they add up to 10001")
            refuse(build(entries, 10_001, 10_001, size=claim), path, "is cut short")
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 40_000_000


def test_missing_files_and_folders(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"missing\.counts"):
        PretokenCounts.load(tmp_path / "missing.counts")
    with pytest.raises(IsADirectoryError) as caught:
        PretokenCounts.load(tmp_path)
    assert str(tmp_path) in str(caught.value)
    with pytest.raises(FileNotFoundError, match=r"folder does not exist; make it first.*a\.counts"):
        PretokenCounts(SMALL).save(tmp_path / "nowhere" / "a.counts")
    with pytest.raises(IsADirectoryError, match="Is a directory; give the name of a file"):
        PretokenCounts(SMALL).save(tmp_path)
    assert os.listdir(tmp_path) == []


# --- Atomic writing --------------------------------------------------------------------------


class Stop(Exception):
    pass


@pytest.mark.parametrize("error", [Stop, KeyboardInterrupt, SystemExit, GeneratorExit, MemoryError])
@pytest.mark.parametrize("old", [None, b"what was there"])
@pytest.mark.parametrize("size", [0, 10, 1_000_000])
def test_a_failing_block_leaves_nothing(path, error, old, size):
    if old is not None:
        path.write_bytes(old)
    files = []

    def write_and_fail():
        with atomic_writer(path) as file:
            files.append(file)
            file.write(b"x" * size)
            names = os.listdir(path.parent)
            assert len(names) == 1 + (old is not None)
            assert all(name.startswith(path.name) for name in names)
            raise error

    with pytest.raises(error):
        write_and_fail()
    assert files[0].closed
    if old is None:
        assert os.listdir(path.parent) == []
    else:
        assert os.listdir(path.parent) == [path.name]
        assert path.read_bytes() == old


def test_the_name_appears_when_all_is_written(path):
    with atomic_writer(path) as file:
        file.write(b"one ")
        assert not path.exists()
        assert ".part" in os.listdir(path.parent)[0]
        file.write(b"two")
    assert file.closed
    assert path.read_bytes() == b"one two"
    assert os.listdir(path.parent) == [path.name]


def test_two_writers_of_one_file(path):
    with atomic_writer(path) as first, atomic_writer(path) as second:
        first.write(b"first")
        second.write(b"second")
    assert path.read_bytes() == b"first"  # the last to finish
    assert os.listdir(path.parent) == [path.name]


@pytest.mark.parametrize("step", ["fsync", "replace", "chmod"])
@pytest.mark.parametrize("error", [OSError, KeyboardInterrupt])
def test_a_failure_at_the_end(path, monkeypatch, step, error):
    def fail(*args):
        names = [arg for arg in args if isinstance(arg, str)]  # as the system's errors have them
        if error is OSError and len(names) == 2:
            raise OSError(errno.EIO, "Input/output error", names[0], None, names[1])
        raise error(errno.EIO, "Input/output error", *names)

    path.write_bytes(b"what was there")
    monkeypatch.setattr(os, step, fail)
    with pytest.raises(error) as caught:
        PretokenCounts(SMALL).save(path)
    monkeypatch.undo()
    assert os.listdir(path.parent) == [path.name]
    assert path.read_bytes() == b"what was there"
    if error is OSError:
        assert str(caught.value) == f"[Errno 5] Input/output error: {str(path)!r}"


FULL_DISK = """
import resource, sys
from cs336_bpe.pretokenize.counts import PretokenCounts
resource.setrlimit(resource.RLIMIT_FSIZE, (10_000, 10_000))
try:
    PretokenCounts({b"%d" % n: 1 for n in range(int(sys.argv[2]))}).save(sys.argv[1])
except OSError as error:
    print(error)
"""


@pytest.mark.parametrize("number", [4_000, 100_000])  # less and more than a file object buffers
@pytest.mark.parametrize("old", [None, b"what was there"])
def test_a_full_disk(path, number, old):
    pytest.importorskip("resource")
    if old is not None:
        path.write_bytes(old)
    result = subprocess.run([sys.executable, "-c", FULL_DISK, path, str(number)],
                            capture_output=True, text=True, check=True)
    assert f"[Errno {errno.EFBIG}]" in result.stdout
    assert str(path) in result.stdout
    assert ".part" not in result.stdout
    assert os.listdir(path.parent) == ([] if old is None else [path.name])
    assert old is None or path.read_bytes() == old


def test_errors_name_the_file_once_and_others_keep_their_own(path):
    with pytest.raises(FileNotFoundError, match="other") as caught, atomic_writer(path):
        open(path.parent / "other")  # noqa: SIM115
    assert caught.value.filename == str(path.parent / "other")
    with pytest.raises(OSError, match=r"^no number, no name$"), atomic_writer(path):
        raise OSError("no number, no name")
    with pytest.raises(OSError, match="No space left") as caught, atomic_writer(path):
        raise OSError(errno.ENOSPC, "No space left on device")
    assert caught.value.filename == str(path)
    assert os.listdir(path.parent) == []


@pytest.fixture
def umask():
    old = os.umask(0o027)
    yield
    os.umask(old)


@pytest.mark.usefixtures("umask")
def test_permissions(path):
    PretokenCounts(SMALL).save(path)
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    for mode in (0o600, 0o644, 0o666, 0o755):  # more than the umask allows, too
        path.chmod(mode)
        PretokenCounts(SMALL).save(path)
        assert stat.S_IMODE(path.stat().st_mode) == mode


def test_a_private_file_is_private_from_the_start(path, monkeypatch):
    path.write_bytes(b"")
    path.chmod(0o600)
    monkeypatch.setattr(os, "chmod", lambda *args: None)  # it would come too late
    with atomic_writer(path) as file:
        assert stat.S_IMODE(os.fstat(file.fileno()).st_mode) == 0o600


def test_no_permission(path, monkeypatch):
    path.write_bytes(b"what was there")
    path.chmod(0o444)
    monkeypatch.setattr(os, "access", lambda *args: False)  # root may do everything
    with pytest.raises(PermissionError, match=r"Is read-only; choose another name: .*small"):
        PretokenCounts(SMALL).save(path)
    assert path.read_bytes() == b"what was there"
    assert os.listdir(path.parent) == [path.name]


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may write")
def test_a_folder_without_permission(tmp_path):
    folder = tmp_path / "folder"
    folder.mkdir()
    folder.chmod(0o555)
    with pytest.raises(PermissionError) as caught:
        PretokenCounts(SMALL).save(folder / "a.counts")
    assert caught.value.filename == str(folder / "a.counts")


def test_a_link_stays_a_link(tmp_path):
    (tmp_path / "real").mkdir()
    link = tmp_path / "link.counts"
    link.symlink_to(tmp_path / "real" / "a.counts")
    for counts in (PretokenCounts(SMALL), PretokenCounts({b"a": 1})):
        counts.save(link)
        assert link.is_symlink()
        assert PretokenCounts.load(tmp_path / "real" / "a.counts") == counts
    assert sorted(os.listdir(tmp_path)) == ["link.counts", "real"]
    assert os.listdir(tmp_path / "real") == ["a.counts"]


def test_devices_and_pipes_are_not_replaced(tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with pytest.raises(OSError, match=r"Is not a regular file, so it can't be replaced: .*pipe"):
        PretokenCounts(SMALL).save(pipe)
    assert stat.S_ISFIFO(pipe.stat().st_mode)


@pytest.mark.parametrize("name", ["", "folder/"])
def test_names_without_a_file(tmp_path, monkeypatch, name):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(IsADirectoryError, match="give the name of a file"):
        PretokenCounts(SMALL).save(name)
    assert os.listdir(tmp_path) == []


def test_bad_paths():
    for bad in (3, None, 1.5):
        with pytest.raises(TypeError, match=r"str, bytes or os\.PathLike"):
            PretokenCounts(SMALL).save(bad)
        with pytest.raises(TypeError, match=r"str, bytes or os\.PathLike"):
            PretokenCounts.load(bad)


# --- For people ------------------------------------------------------------------------------


def test_repr():
    assert repr(PretokenCounts()) == "<PretokenCounts: 0 kinds, 0 pretokens, 0 bytes>"
    assert repr(PretokenCounts({b"a": 1})) == (
        "<PretokenCounts: 1 kind, 1 pretoken, 1 byte; b'a' 1>")
    assert repr(PretokenCounts({b" the": 1_003_119, b",": 901_004, b"a": 5, b"b": 1})) == (
        "<PretokenCounts: 4 kinds, 1,904,129 pretokens, 4.9 MB; b' the' 1,003,119, b',' 901,004, "
        "b'a' 5, ...>")
    assert str(PretokenCounts({b"a": 1})) == repr(PretokenCounts({b"a": 1}))


@given(st.dictionaries(st.binary(max_size=200), st.integers(0, LARGEST), max_size=20))
def test_repr_is_short(table):
    assert len(repr(PretokenCounts(table))) < 600
    assert len(PretokenCounts(table)._repr_html_()) < 6000


def test_repr_of_much():
    counts = PretokenCounts({b"%d" % n: n for n in range(50_000)})
    counts[b"\xff" * 1_000_000] = 10**9
    assert len(repr(counts)) < 300
    assert "of 1,000,000 bytes 1,000,000,000, b'49999' 49,999" in repr(counts)
    assert "1.0 PB" in repr(counts)
    assert len(counts._repr_html_()) < 2000


@pytest.mark.parametrize("count", [10**400, 10**5000], ids=["long", "too long to print"])
def test_repr_of_numbers_beyond_reason(count):
    assert len(repr(PretokenCounts({b"a": 1, b"b": count}))) < 1000


def test_html_is_escaped():
    words = [b"<script>", b"&amp;", b'"', b"'", b"\xff<"]
    text = PretokenCounts(dict.fromkeys(words, 1))._repr_html_()
    assert "<script>" not in text
    for word in words:
        assert f"<td><code>{html.escape(repr(word))}</code></td><td>1</td>" in text
    assert text.startswith("<table><caption>5 kinds, 5 pretokens, 17 bytes</caption>")


def test_html_has_ten_rows():
    text = PretokenCounts({b"%d" % n: n for n in range(1, 1001)})._repr_html_()
    assert text.count("<tr>") == 1 + 10 + 1
    assert "<td><code>b&#x27;1000&#x27;</code></td><td>1,000</td>" in text
    assert "990 more" in text


def test_clear_is_linear_and_complete():
    counts = PretokenCounts({b"%d" % n: n for n in range(200_000)})
    counts.clear()
    assert counts == {}
    assert len(counts) == 0


def test_a_name_as_long_as_names_may_be(tmp_path):
    path = tmp_path / ("n" * 250)
    PretokenCounts({b"low": 5}).save(path)
    assert PretokenCounts.load(path) == {b"low": 5}
