"""PretokenCounts: adding up, and the file with every way to get it wrong."""

import copy
import html
import io
import itertools
import os
import pickle
import random
import re
import threading
import tracemalloc
import zipfile
from array import array
from collections import Counter
from collections.abc import MutableMapping
from contextlib import suppress
from fractions import Fraction
from hashlib import sha256
from types import MappingProxyType

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from cs336_bpe import train_bpe_from_counts
from cs336_bpe.pretokenize import counts as counts_module
from cs336_bpe.pretokenize.counts import Columns, PretokenCounts

SMALL = {b"low": 5, b"lower": 2, b"newest": 6, b"widest": 3}
LARGEST = 2**63 - 1

# Few letters, so that pretokens share beginnings; and lengths on both sides of one byte's limit.
words = st.binary(max_size=6) | st.text("ab\0", max_size=8).map(str.encode) | st.builds(
    lambda size, end: b"a" * size + end, st.integers(120, 260), st.binary(max_size=3))
tables = st.dictionaries(words, st.integers(1, 2**40), max_size=30)


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
    assert repr(mine).startswith("<Mine: 16 pretokens, 4 distinct")


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
    assert repr(wrong) == "<PretokenCounts: 2 distinct pretokens, not all of them valid>"
    assert "2 distinct pretokens, not all of them valid" in wrong._repr_html_()


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


@given(tables)
def test_numpy_reads_it(tmp_path, table):
    path = tmp_path / "table.counts"
    saved(table, path)
    with np.load(path, allow_pickle=False) as arrays:
        text, lengths, counts = (arrays[name] for name in ("text", "lengths", "counts"))
    ends = np.cumsum(lengths).tolist()
    assert {text[end - size:end].tobytes(): count for end, size, count
            in zip(ends, lengths.tolist(), counts.tolist())} == table


def test_the_bytes_of_a_small_file(path):
    """The same on every machine and in every year."""
    assert sha256(saved(SMALL, path)).hexdigest()[:16] == "7af1b4edd426ac7e"
    assert sha256(saved({}, path)).hexdigest()[:16] == "a3af5e6d7b181c1c"
    assert PretokenCounts.load(path) == {}


def test_what_was_loaded_trains_without_a_dict(path):
    saved(SMALL, path)
    loaded = PretokenCounts.load(path)
    assert loaded.columns is not None
    assert (loaded.total, loaded.num_bytes, len(loaded)) == (16, 79, 4)
    train_bpe_from_counts(loaded, 262, [])
    assert not loaded._kept
    loaded[b"new"] = 1
    assert loaded == {**SMALL, b"new": 1}


def test_zero_counts_are_left_out(path):
    assert saved({**SMALL, b"zero": 0, b"": 0}, path) == saved(SMALL, path)


def test_any_integers_are_saved(path):
    numpy_counts = {word: np.uint16(count) for word, count in SMALL.items()}
    assert saved(numpy_counts, path) == saved(SMALL, path)
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
    ({b"": 2**63}, "is 9223372036854775808, more than the 64-bit limit"),
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


def test_every_truncation(path):
    data = saved(SMALL, path)
    refuse(b"", path, r"is not a file of pretoken counts: it is empty")
    for size in range(1, len(data)):
        refuse(data[:size], path, "is not a file of pretoken counts")


def test_every_altered_byte(path):
    """A few bytes of a zip file mean nothing to us, such as the date; all others are noticed."""
    data = bytearray(saved(SMALL, path))
    noticed = 0
    for place in range(len(data)):
        for bits in (1, 0x80, 0xFF):
            data[place] ^= bits
            path.write_bytes(data)
            try:
                assert PretokenCounts.load(path) == SMALL
            except ValueError:
                noticed += 1
            data[place] ^= bits
    assert noticed > 2 * len(data)


@pytest.mark.parametrize("data", [b"low 5\n", b"\0", b'{"low": 5}', b"\x80\x04\x95" + b"x" * 1000,
                                  b"PK\3\4" * 100])
def test_other_files(path, data):
    refuse(data, path, "is not a file of pretoken counts")


def test_a_file_of_an_earlier_release(path):
    refuse(b"cs336_bpe pretoken counts 1\n\0\0\0" + bytes(32), path,
           "was written by an earlier release, in a format .* count again")


@pytest.mark.skipif(not os.path.exists("/dev/zero"), reason="needs /dev/zero")
def test_a_device_without_an_end():
    with pytest.raises(ValueError, match="/dev/zero is not a file of pretoken counts"):
        PretokenCounts.load("/dev/zero")


def build(text=b"lowlower", lengths=(3, 5), counts=(5, 2), dtype="u1", **options):
    """A file with this in it, right or wrong."""
    file = io.BytesIO()
    columns = {"text": np.frombuffer(text, np.uint8), "lengths": np.array(lengths, dtype),
               "counts": np.array(counts, dtype), **options.pop("more", {})}
    options.get("save", np.savez)(file, **columns)
    return file.getvalue()


@pytest.mark.parametrize(("data", "message"), [
    (build(b"ba", (1, 1), (1, 1)), "b'a' is out of order after b'b'"),
    (build(b"aba", (2, 1), (1, 1)), "b'a' is out of order after b'ab'"),
    (build(b"a", (1, 0), (1, 1)), "b'' is out of order after b'a'"),
    (build(b"aa", (1, 1), (1, 1)), "b'a' is there twice"),
    (build(b"", (0, 0), (1, 1)), "b'' is there twice"),
    (build(counts=(5, 0)), "a count is zero"),
    (build(counts=(5, 2, 1)), "2 lengths, which add up to 8, do not fit 8 bytes .* 3 counts"),
    (build(lengths=(3, 4)), "add up to 7, do not fit 8 bytes of text"),
    (build(lengths=(3, 6)), "add up to 9, do not fit 8 bytes of text"),
    (build(lengths=(2**64 - 1, 9), dtype="u8"), "do not fit 8 bytes of text"),
    (build(counts=(2**63, 1), dtype="u8"), "add up to .* more than the 64-bit limit"),
    (build(counts=(2**62, 2**62), dtype="u8"), "add up to .* more than the 64-bit limit"),
    (build(counts=(5, -2), dtype="i8"), "counts.npy has|lengths.npy has"),
    (build(dtype="f8"), "an array of float64 with 1 dimensions"),
    (build(counts=((5,), (2,))), "with 2 dimensions"),
    (build(counts=5), "with 0 dimensions"),
    (build(dtype=object), "array of object"),
    (build(more={"text": np.array([1, 2], "u2")}), "the text is of type uint16"),
    (build(more={"other": np.zeros(1)}), "it holds .*other.npy"),
    (build(save=np.savez_compressed), "text.npy is compressed, and could be a zip bomb"),
], ids=itertools.count())
def test_wrong_content(path, data, message):
    refuse(data, path, message)


def test_missing_columns(path):
    file = io.BytesIO()
    np.savez(file, text=np.zeros(1, np.uint8), lengths=np.zeros(1, np.uint8))
    refuse(file.getvalue(), path, "it holds text.npy, lengths.npy, not text.npy, lengths.npy, co")


def test_a_file_cannot_make_the_reader_allocate(path):
    """An array that claims to have 2**40 numbers, and one that is all zeros but compressed."""
    def claim(array, shape):
        file = io.BytesIO()
        np.lib.format.write_array_header_1_0(
            file, {"descr": array.dtype.str, "fortran_order": False, "shape": shape})
        return file.getvalue() + array.tobytes()

    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        for name in ("text", "lengths", "counts"):
            archive.writestr(f"{name}.npy", claim(np.zeros(4, np.uint8), (2**40,)))
    bomb = build(bytes(100_000_000), (100_000_000,), (1,), "u8", save=np.savez_compressed)
    assert len(bomb) < 200_000
    tracemalloc.start()
    try:
        refuse(file.getvalue(), path, "has 4 bytes, but says that it has 1099511627776 of uint8")
        refuse(bomb, path, "zip bomb")
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 10_000_000


@given(st.binary(max_size=60), st.integers(0, 10**9))
def test_random_damage(tmp_path, junk, place):
    """Either it is refused, or it is what was saved."""
    path = tmp_path / "random.counts"
    data = bytearray(saved(SMALL, path))
    start = place % len(data)
    data[start:start + len(junk)] = junk
    path.write_bytes(data)
    with suppress(ValueError):
        assert PretokenCounts.load(path) == SMALL


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


# --- For people ------------------------------------------------------------------------------


def test_repr():
    assert repr(PretokenCounts()) == "<PretokenCounts: 0 pretokens, 0 distinct, 0 bytes>"
    assert repr(PretokenCounts({b"a": 1})) == (
        "<PretokenCounts: 1 pretoken, 1 distinct, 1 byte; b'a' 1>")
    assert repr(PretokenCounts({b" the": 1_003_119, b",": 901_004, b"a": 5, b"b": 1})) == (
        "<PretokenCounts: 1,904,129 pretokens, 4 distinct, 4.9 MB; b' the' 1,003,119, "
        "b',' 901,004, b'a' 5, ...>")
    assert str(PretokenCounts({b"a": 1})) == repr(PretokenCounts({b"a": 1}))


@given(st.dictionaries(st.binary(max_size=200), st.integers(0, LARGEST), max_size=20))
def test_repr_is_short(table):
    assert len(repr(PretokenCounts(table))) < 600
    assert len(PretokenCounts(table)._repr_html_()) < 6000


def test_repr_of_much():
    counts = PretokenCounts({b"%d" % n: n for n in range(50_000)})
    counts[b"\xff" * 1_000_000] = 10**9
    assert len(repr(counts)) < 400
    assert "of 1000000 bytes 1,000,000,000, b'49999' 49,999" in repr(counts)
    assert "1,000,006.20 GB" in repr(counts)
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
    assert text.startswith("<table><caption>5 pretokens, 5 distinct, 17 bytes</caption>")


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


def test_no_byte_of_a_file_can_be_changed(path):
    """Not one of a header either, of which `zipfile` passes over many."""
    data = saved(SMALL, path)
    for at in range(len(data)):
        path.write_bytes(data[:at] + bytes([data[at] ^ 1]) + data[at + 1 :])
        with pytest.raises(ValueError, match=re.escape(str(path))):
            PretokenCounts.load(path)
    path.write_bytes(data + b"\0")
    with pytest.raises(ValueError, match=re.escape(str(path))):
        PretokenCounts.load(path)


def test_it_is_an_ordinary_zip_file(path):
    """Although its headers are our own."""
    saved(SMALL, path)
    with zipfile.ZipFile(path) as archive:
        assert archive.testzip() is None


def test_two_threads_that_change_counts_nobody_has_looked_at(monkeypatch):
    """The dict is made when somebody looks. If two do at the same time, both must get the same."""
    lengths = memoryview(array("Q", map(len, SMALL))).cast("B").cast("Q")
    numbers = memoryview(array("Q", SMALL.values())).cast("B").cast("Q")
    counts = PretokenCounts.from_columns(Columns(b"".join(SMALL), lengths, numbers))
    both = threading.Barrier(2, timeout=20)
    to_dict = counts_module.columns_to_dict

    def slowly(*columns):
        entries = to_dict(*columns)
        both.wait()
        return entries

    monkeypatch.setattr(counts_module, "columns_to_dict", slowly)
    threads = [threading.Thread(target=counts.__setitem__, args=(word, 7)) for word in (b"x", b"y")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert counts == SMALL | {b"x": 7, b"y": 7}
    assert counts.columns is None
    assert len(counts) == 6
