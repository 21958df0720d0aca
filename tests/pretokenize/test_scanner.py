"""The scanners split text exactly as `regex` does with GPT-2's pattern."""

import pytest
import regex
from hypothesis import example, given
from hypothesis import strategies as st

from cs336_bpe import count_pretokens_in, stages
from cs336_bpe.corpora import generated
from cs336_bpe.native.scan import use_portable_scanner
from cs336_bpe.pretokenize.stage01_whole_text import count_text
from cs336_bpe.rules import GPT2_PATTERN

SPLIT = regex.compile(GPT2_PATTERN)
COMPILED = {stage.number: stage.load() for stage in stages.ladder("pretokenize") if stage.compiled}
CHARACTER_SCANNERS = [module for module in COMPILED.values() if hasattr(module, "pretokens")]
MASK_SCANNERS = [module for module in COMPILED.values() if not hasattr(module, "pretokens")]


@pytest.fixture(params=[False, True], ids=["simd", "portable"])
def scanner(request):
    if not use_portable_scanner(request.param) and not request.param:
        pytest.skip("this machine has no SIMD")
    yield
    use_portable_scanner(False)


def expected_counts(text, specials=()):
    return count_text(text, list(specials), GPT2_PATTERN, None)


@pytest.fixture(scope="module")
def check(tmp_path_factory):
    path = tmp_path_factory.mktemp("scanner") / "text.txt"

    def check(text):
        expected = [pretoken.encode() for pretoken in SPLIT.findall(text)]
        for module in CHARACTER_SCANNERS:
            assert module.pretokens(text.encode()) == expected
        path.write_bytes(text.encode())
        counts = expected_counts(text)
        for module in COMPILED.values():
            assert module.count_pretokens(path, [], workers=1) == counts, module
        assert count_pretokens_in(text, [], workers=1) == counts

    return check


POINTS = [chr(point) for point in range(0x110000) if not 0xD800 <= point < 0xE000]


@pytest.mark.parametrize("template", ["{}", " {}", "a{}b", "1{}2 ", "\n{} ", "!{}'s", "\u3000{}é"])
def test_every_code_point(tmp_path, template):
    """All of them between two letters, and every seventh between characters of other classes;
    with SIMD and without. (tests/native/test_masks.py has all of them in all places.)"""
    chosen = POINTS[:: 1 if "a" in template else 7]
    text = "<|x|>".join([template.replace("{}", point) for point in chosen])
    path = tmp_path / "points.txt"
    path.write_bytes(text.encode())
    expected = expected_counts(text, ["<|x|>"])
    for module in MASK_SCANNERS:
        assert module.count_pretokens(path, ["<|x|>"]) == expected
    try:
        use_portable_scanner(True)  # one scanner for all of them
        assert MASK_SCANNERS[-1].count_pretokens(path, ["<|x|>"]) == expected
    finally:
        use_portable_scanner(False)


@pytest.mark.parametrize("template", ["{}", " {}1", "\n{} "])
def test_every_code_point_character_by_character(template):
    text = "".join([template.replace("{}", point) for point in POINTS])
    expected = [pretoken.encode() for pretoken in SPLIT.findall(text)]
    for module in CHARACTER_SCANNERS:
        assert module.pretokens(text.encode()) == expected, module


PIECES = ["'", "'s", "'ll", "'ve", "'re", "'LL", "'x", "’s", " ", "  ", "\n", "\r\n", "\t", "\xa0",
          "\u3000", "\x85", "\u2028", "\x1c", "\x1f", "\x00", "\x7f", "a", "Z", "é", "ß", "ж", "猫",
          "0", "9", "²", "½", "٣", "!", "-", "--", "…", "€", "🙂", "e\u0301", "\u0301", "\ufeff",
          "don't", "we'll", "lls", "𝒳", "\U0001F1E9", "\U000e0001", "\ue000", "\uffff"]
text_of_pieces = st.lists(st.sampled_from(PIECES), max_size=60).map("".join)


@given(text_of_pieces)
@example("'" * 200)
@example("'s" * 100)
@example("a'll" * 40)
@example("x" * 63 + "'ll")
@example("x" * 62 + "'s y")
@example("x" * 60 + "    y")
@example("x" * 61 + "\u3000\u3000y" + "z" * 61 + "\u3000")
@example(" " * 64 + "a" + "\n" * 129 + "b" + " " * 300)
@example("é" * 100 + " " + "猫" * 100 + "🙂" * 100)
@example("a" + "'t" * 31 + "\u00a0'd" * 40)
def test_hard_text(scanner, check, text):
    check(text)


@given(st.text(max_size=200))
def test_any_text(scanner, check, text):
    check(text)


@given(st.integers(0, 70), text_of_pieces)
def test_every_place_in_a_block_of_64_bytes(scanner, check, shift, text):
    check("x" * shift + text)


def test_long_pretokens(scanner, check):
    check(" ".join("ab" * n for n in range(40)) + " " + "=" * 5000 + "1" * 5000 + "\n" * 5000)


@pytest.mark.parametrize("name", ["stories", "web", "multilingual", "code"])
def test_real_text(real_data, name):
    check_corpus(real_data / f"corpora/{name}.txt")


@pytest.mark.parametrize("make", [generated.stories, generated.web])
def test_generated_text(make, tmp_path):
    path = tmp_path / "text.txt"
    path.write_text(make(1_000_000), encoding="utf-8", newline="")
    check_corpus(path)


def check_corpus(path):
    text = path.read_bytes().decode()
    expected = expected_counts(text, ["<|endoftext|>"])
    for workers in (1, 2):
        assert count_pretokens_in(text, ["<|endoftext|>"], workers=workers) == expected
    for module in COMPILED.values():
        assert module.count_pretokens(path, ["<|endoftext|>"]) == expected, module
