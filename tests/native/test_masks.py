"""The scanner's masks find exactly the starts that `regex` finds, on every path of this machine."""

import os

import numpy as np
import pytest
import regex
from hypothesis import example, given
from hypothesis import strategies as st
from patterns.edge_texts import starts_without_gaps

from cs336_bpe.corpora import generated
from cs336_bpe.native.masked_patterns import MASKED_PATTERNS, name_of_masks
from cs336_bpe.native.scan import count_starts, find_starts, scanner_paths, use_scanner_path
from cs336_bpe.patterns import compile_pattern

SPLIT = {name: regex.compile(pattern) for name, pattern in MASKED_PATTERNS.items()}
PATHS = ["avx512", "avx2", "sse2", "neon", "portable"]


@pytest.fixture(params=MASKED_PATTERNS)
def pattern(request):
    return request.param


def expected_starts(text, pattern):
    return starts_without_gaps(SPLIT[pattern], text)


@pytest.fixture(autouse=True)
def _usual_path():
    yield
    use_scanner_path()


def each_path():
    """The paths that this machine has, one after the other in use."""
    for path in scanner_paths():
        use_scanner_path(path)
        yield path


def check(text, pattern, **options):
    """On every path; what is expected, which takes longest, is found once."""
    data, expected = text.encode(), expected_starts(text, pattern)
    for path in each_path():
        found = np.asarray(find_starts(data, pattern, **options), np.uint64)
        assert np.array_equal(found, expected), (path, found, expected)


SLOW = bool(os.environ.get("CS336_BPE_SLOW"))


def points_of(plane):
    """The code points of a plane, or its first and last ones if nothing has been assigned there."""
    points = range(plane << 16, (plane + 1) << 16)
    assigned = SLOW or plane in (0, 1, 2, 3, 14)
    chosen = points if assigned else [*points[:256], *points[-256:]]
    return [chr(point) for point in chosen if not 0xD800 <= point < 0xE000]


POINTS = [point for plane in range(17) for point in points_of(plane)]
CONTEXTS = ["{}", " {}", "a{}b", "1{}2 ", "\n{} ", "!{}'s", "\u3000{}é", "'{}l", "a'{}E",
            "\r\n {}\t", "猫{}AB", "!!{}a"]
# cl100k's relatives have its masks but for digits and the end of the text.
CASES = [(name, context) for name in MASKED_PATTERNS for context in CONTEXTS
         if SLOW or name in ("gpt2", "cl100k", "o200k") or "1{}" in context]


@pytest.mark.parametrize(("name", "context"), CASES)
def test_every_code_point(name, context):
    check("".join([context.replace("{}", point) for point in POINTS]), name)


SPACES = [" ", "  ", "\n", "\r\n", "\n\n", "\n ", "\r", "\t", "\v", "\f", "\xa0", "\u3000", "\x85",
          "\u1680", "\u2003", "\u2028", "\x1c", "\x1f"]
CONTRACTIONS = ["'", "''", "'s", "'S", "'ſ", "'ll", "'LL", "'lL", "'l", "'ve", "'Ve", "'v", "'re",
                "'x", "’s", "don't", "we'll", "ſ", "K", "lls"]
DIGITS = ["0", "12", "123", "1234", "12345", "7" * 29, "²", "½", "٣", "٣٤٥٦", "𝟘", "𝟙𝟚𝟛", "１２"]
SYMBOLS = ["!", "-", "--", "/", "…", "€", "🙂", "\u0301", "\ufeff", "\x00", "\x7f", "\U0001F1E9",
           "\U000e0001", "\ue000", "\uffff"]
LETTERS = ["a", "Z", "AB", "aB", "猫A", "猫AB", "É", "ñ", "ǅ", "ʰ", "Q" * 70,
           "é", "ß", "ж", "жук", "猫", "e\u0301", "𝒳", "x" * 20, "한국", "ที่", "हिन्दी"]
MARKS = ["\u0301", "\u0301a", "\u093e", "!\u0301", "!!\u0301", "!!\u0301!\u0301", "\u0301" * 33]
SLASHES = ["/", "//", "\n/", "!\n/", "\r/", "/\n/\n", "'sA", "'S'S", "a's's"]
PIECES = SPACES + CONTRACTIONS + DIGITS + SYMBOLS + LETTERS + MARKS + SLASHES
text_of_pieces = st.lists(st.sampled_from(PIECES), max_size=60).map("".join)
# Few distinct pieces, so that rare combinations of them come together.
text_of_few_pieces = st.lists(st.sampled_from(PIECES), min_size=1, max_size=4).flatmap(
    lambda few: st.lists(st.sampled_from(few), max_size=40).map("".join))


@given(text=text_of_pieces | text_of_few_pieces)
@example("'" * 200)
@example("'s" * 100)
@example("''s" * 50)
@example("a'll" * 40)
@example(" 's" * 50 + "'sll'l")
@example("a" + "'t" * 31 + "\u00a0'd" * 40)
@example(" " * 64 + "a" + "\n" * 129 + "b" + " " * 300)
@example("é" * 100 + " " + "猫" * 100 + "🙂" * 100)
@example("!\n\n \n  x!\r\n\r\n" * 20 + "\n  ")
def test_hard_text(pattern, text):
    check(text, pattern)


@given(text=st.text(max_size=200))
def test_any_text(pattern, text):
    check(text, pattern)


@given(text=text_of_few_pieces | text_of_pieces, shift=st.integers(0, 70))
def test_every_place_in_a_block(pattern, text, shift):
    check("x" * shift + text, pattern)


BORDERS = ["'s", "'ll", "'l", "'lL", "'ſx", "''s", " 's", "'s's", "'sll", "\n  \n", "\n  x",
           "\n  ", "!\n\n x", "\u3000\u3000y", "\xa0!", "…x", "…!x", " …x",
           "🙂x", "a's's", "猫ABC", "猫ABc", "aBC", "!!\u0301a", "!\n/!",
           "1234", "1٣2𝟘345", "٣٤٥٦٧"]


@pytest.mark.parametrize("border", BORDERS)
def test_every_block_border(pattern, border):
    """Each of them at every place around the end of a block, at the end of the text and before
    more of it, after letters, digits, symbols and white space."""
    for filling in "x1! \n":
        for shift in range(56, 66):
            for rest in ("", "x", " y", "1", "'s", "\n", "!" * 70):
                check(filling * shift + border + rest, pattern)


@pytest.mark.parametrize("size", [1, 63, 64, 65, 127, 128, 129, 1000])
def test_long_runs(pattern, size):
    for one in ("a", "7", "!", " ", "\n", "'", "\u3000", "٣", "猫", "🙂", "\n ", "'l", "'ll", "1 ",
                "A", "aB", "猫A", "\u0301", "!\u0301", "!\n/", "a's"):
        for before, after in (("", ""), ("x", "x"), ("!", "\n"), ("\n", "1"), ("1", "\u0301")):
            check(before + one * size + after, pattern)


@given(text=text_of_pieces, padding=st.sampled_from("'sle\n 1é猫"))
def test_what_follows_the_text_makes_no_difference(pattern, text, padding):
    check(text, pattern, padding=(padding.encode() * 64)[-70:])
    check(text + "'l", pattern, padding=b"l" * 64)


def test_little_room(pattern):
    text = "".join(PIECES) * 30
    for room in (80, 81, 100, 143, 144):
        check(text, pattern, room=room)


def valid_or_symbols(data):
    """Each byte that is not part of a character replaced by a symbol; and where the first was."""
    text, at, first = [], 0, None
    while at < len(data):
        for length in range(1, 5):
            try:
                text.append(data[at:at + length].decode())
                break
            except UnicodeDecodeError:
                continue
        else:
            text.append("\x7f")
            first = at if first is None else first
            length = 1
        at += length
    return "".join(text), first


BROKEN = [b"\x80", b"\xbf", b"\xc0\x80", b"\xc1\xbf", b"\xc3", b"\xe3\x81", b"\xe0\x80\x80",
          b"\xe4", b"\xed\xa0\x80", b"\xed\xbf\xbf", b"\xf0\x9f\x98", b"\xf0\x80\x80\x80",
          b"\xf4\x90\x80\x80",
          b"\xf5\x80\x80\x80", b"\xf8\x88\x80\x80\x80", b"\xff", b"\xfe", b"\xd0", b"\xe5\xa4"]


@given(shift=st.integers(0, 70), data=st.lists(
    st.sampled_from(BROKEN) | st.sampled_from(PIECES).map(str.encode), max_size=30).map(b"".join)
    | st.binary(max_size=150))
@example(62, b"\xe3\x80\x80\x80x")
@example(63, b"\xe3\x80")
@example(61, b"\xf0\x9f\x98\x80\x80")
@example(60, b"\n \xe3\x80\x80 \x80\n")
def test_text_that_is_not_utf8(pattern, shift, data):
    data = b"x" * shift + data
    text, first = valid_or_symbols(data)
    expected = expected_starts(text, pattern).tolist()
    for path in each_path():
        for padding in (bytes(64), b"\x80" * 64):
            found = find_starts(data, pattern, lenient=True, padding=padding).tolist()
            assert found == expected, path
            if first is not None:
                with pytest.raises(ValueError, match=f"not UTF-8 at byte {first}$"):
                    find_starts(data, pattern, padding=padding)


def test_counting(pattern):
    text = "".join(PIECES) * 30
    expected = len(expected_starts(text, pattern))
    for path in each_path():
        assert count_starts(text.encode() + bytes(64), pattern) == expected, path
    with pytest.raises(ValueError, match="64 bytes of padding"):
        count_starts(b"short", pattern)


def test_names():
    assert set(scanner_paths()) <= set(PATHS)
    assert scanner_paths()[-1] == "portable"
    with pytest.raises(ValueError, match="no scanner path 'mmx'"):
        use_scanner_path("mmx")


@pytest.mark.parametrize("corpus", ["stories", "web", "multilingual", "code"])
def test_real_text(real_data, corpus, pattern):
    """The first megabyte, or all of it if CS336_BPE_SLOW is set."""
    text = (real_data / f"corpora/{corpus}.txt").read_bytes().decode()
    for start in range(0, len(text) if SLOW else 1, 1_000_000):
        check(text[start:start + 1_000_000], pattern)


@pytest.mark.parametrize("corpus", [generated.stories, generated.web])
def test_generated_text(corpus, pattern):
    check(corpus(300_000), pattern)


@pytest.mark.parametrize("name", MASKED_PATTERNS)
def test_every_pattern_with_masks_is_known_again(name):
    """Also by the short text on which they all differ, which is looked at first."""
    assert name_of_masks(compile_pattern(MASKED_PATTERNS[name])) == name
