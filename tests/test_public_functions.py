"""The public functions: results on small texts, the course's fixture, and bad input."""

import hashlib
import json
import os
import warnings
from collections import Counter

import numpy as np
import pytest
import regex

import cs336_bpe
from cs336_bpe import (
    PATTERNS,
    EarlyStopWarning,
    Tokenizer,
    count_pretokens,
    count_pretokens_in,
    load_tokenizer,
    stages,
    train_bpe,
    train_bpe_from_counts,
)
from cs336_bpe.adapters import run_train_bpe
from cs336_bpe.corpora import generated as corpus

EOT = "<|endoftext|>"
SMALL = "low low low low low lower lower widest widest widest " + "newest " * 6


@pytest.fixture
def small(tmp_path):
    path = tmp_path / "small.txt"
    path.write_text(SMALL, encoding="utf-8")
    return path


def test_names():
    for name in cs336_bpe.__all__:
        assert hasattr(cs336_bpe, name)


def test_a_text_that_can_be_followed_by_hand(small):
    vocab, merges = train_bpe(small, 256 + 1 + 6, [EOT])
    assert merges == [(b"s", b"t"), (b"e", b"st"), (b"o", b"w"), (b"l", b"ow"), (b"w", b"est"),
                      (b"n", b"e")]
    assert vocab[256] == EOT.encode()
    assert [vocab[257 + i] for i in range(6)] == [a + b for a, b in merges]
    assert [vocab[i] for i in range(256)] == [bytes([i]) for i in range(256)]


def test_every_stage_end_to_end(small):
    expected = train_bpe(small, 265, [EOT], stage="stage01")
    for stage in stages.ladder("train"):
        assert train_bpe(small, 265, [EOT], stage=stage.name) == expected
        assert train_bpe(small, 265, [EOT], stage=stage.number) == expected
    assert train_bpe(small, 265, [EOT]) == expected
    assert run_train_bpe(small, 265, [EOT]) == expected
    assert run_train_bpe(str(small), 265, [EOT], stage="stage05") == expected


def test_special_tokens_are_never_counted_or_merged(tmp_path):
    path = tmp_path / "specials.txt"
    path.write_text("ab<|x|>ab<|x|><|x|>yab<|x|><|y|>ab", encoding="utf-8")
    _, merges = train_bpe(path, 256 + 2 + 1, ["<|x|>", "<|x|><|y|>"])
    assert merges == [(b"a", b"b")]
    counts = stages.find("pretokenize", "stage01").load().count_pretokens(
        path, ["<|x|>", "<|x|><|y|>"])
    assert counts == {b"ab": 3, b"yab": 1}


def test_counts_may_be_any_mapping_and_any_integers():
    expected = train_bpe_from_counts({b"low": 5, b"lower": 2}, 260, [])
    assert train_bpe_from_counts(Counter({b"low": 5, b"lower": 2}), 260, []) == expected
    numpy_counts = {b"low": np.int64(5), b"lower": np.uint8(2)}
    for stage in stages.ladder("train"):
        assert train_bpe_from_counts(numpy_counts, 260, [], stage=stage.name) == expected


def test_no_pair_left_is_reported():
    with pytest.warns(EarlyStopWarning, match="after 2 merges.*has 259 tokens, not the 1000"):
        vocab, merges = train_bpe_from_counts({b"abc": 1}, 1000, [EOT])
    assert len(merges) == 2
    assert len(vocab) == 259


def test_exactly_the_last_pair_is_no_early_stop():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert len(train_bpe_from_counts({b"abc": 1}, 258, [])[0]) == 258


def test_empty_input(tmp_path):
    path = tmp_path / "empty.txt"
    path.write_bytes(b"")
    vocab, merges = train_bpe(path, 257, [EOT])
    assert (len(vocab), merges) == (257, [])


# --- The course's fixture, and one of our own of the same shape ------------------------------


def digest(merges):
    """The sha256 of the merges, one a line, in hexadecimal."""
    return hashlib.sha256("".join(f"{a.hex()} {b.hex()}\n" for a, b in merges).encode()).hexdigest()


def test_a_fixture_of_our_own(tmp_path):
    """A corpus of the course's size and vocabulary: every stage learns what stage 01 learns."""
    path = tmp_path / "corpus.txt"
    path.write_text(corpus.stories(133_000), encoding="utf-8", newline="")
    expected = train_bpe(path, 500, [EOT], stage="stage01")
    assert train_bpe(path, 500, [EOT]) == expected
    for stage in stages.ladder("train")[1:]:
        assert train_bpe(path, 500, [EOT], stage=stage.name) == expected, stage.name
    vocab, merges = expected
    assert len(vocab) == 500
    assert merges[:3] == [(b" ", b"t"), (b"h", b"e"), (b"i", b"n")]
    assert digest(merges) == "6ff8d1da069ab4f4c321c5a6972263133c05fc46655d19d71d0dca6f26c9c065"


def printable_to_byte():
    """GPT-2's alphabet: which printable character stands for which byte."""
    printable = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    alphabet = {chr(byte): byte for byte in printable}
    others = [byte for byte in range(256) if byte not in printable]
    alphabet.update({chr(256 + n): byte for n, byte in enumerate(others)})
    return alphabet


def test_the_course_fixture(real_data):
    alphabet = printable_to_byte()

    def to_bytes(text):
        return bytes(alphabet[character] for character in text)

    folder = real_data / "cs336"
    lines = (folder / "train-bpe-reference-merges.txt").read_text(encoding="utf-8").splitlines()
    reference_merges = [tuple(map(to_bytes, line.split(" "))) for line in lines]
    reference = json.loads((folder / "train-bpe-reference-vocab.json").read_text(encoding="utf-8"))
    for stage in stages.ladder("train"):
        vocab, merges = run_train_bpe(folder / "corpus.en", 500, [EOT], stage=stage.name)
        assert merges == reference_merges
        assert set(vocab) == set(reference.values())
        assert set(vocab.values()) == {
            token.encode() if token == EOT else to_bytes(token) for token in reference
        }


TINYSTORIES_DIGEST = "604bf5d310c3e56db7b565ffabb68f77b34cfe816668165ab5837af9f62bd221"


def test_tinystories_train(real_data):
    """The whole of TinyStories-train, from its counts. The first stages do not get far in a few
    seconds; CS336_BPE_SLOW=1 takes five minutes for 200 merges of stages 01 and 02 and all 9,743
    of stage 03."""
    path = real_data / "cs336/tinystories_train_pretoken_counts.json"
    counts = {word.encode(): n for word, n in json.loads(path.read_text("utf-8")).items()}
    if os.environ.get("CS336_BPE_SLOW"):
        limits = {"stage01": 200, "stage02": 200}
    else:
        limits = {"stage01": 10, "stage02": 30, "stage03": 100}
    expected = stages.find("train", "stage09").load().learn_merges(counts, 9743)
    assert digest(expected) == TINYSTORIES_DIGEST
    for stage in stages.ladder("train")[:-1]:
        num_merges = limits.get(stage.number, 9743)
        assert stage.load().learn_merges(counts, num_merges) == expected[:num_merges], stage.name


def test_many_merges_of_generated_text():
    """The same on text that anybody can make; the first stages learn a few of the merges."""
    counts = count_pretokens_in(corpus.web(400_000), [EOT])
    expected = stages.find("train", "stage09").load().learn_merges(counts, 2000)
    assert len(expected) == 2000
    for stage in stages.ladder("train"):
        num_merges = {"stage01": 5, "stage02": 20, "stage03": 60}.get(stage.number, 2000)
        assert stage.load().learn_merges(counts, num_merges) == expected[:num_merges], stage.name


# --- Patterns have names ---------------------------------------------------------------------

CUT_DIFFERENTLY = "It'S 12345 HTMLParser's:\n\n \n  東京の2026年 x_y e\u0301 \r\n"


@pytest.mark.parametrize("name", PATTERNS)
def test_a_name_stands_for_its_pattern_everywhere(name, tmp_path):
    path = tmp_path / "text.txt"
    path.write_text(CUT_DIFFERENTLY, encoding="utf-8", newline="")
    pattern = PATTERNS[name]
    expected = Counter(regex.findall(pattern, CUT_DIFFERENTLY))
    counts = count_pretokens(path, [], pattern=name)
    assert counts == {pretoken.encode(): n for pretoken, n in expected.items()}
    assert count_pretokens_in(CUT_DIFFERENTLY, [], pattern=name) == counts

    vocab, merges = train_bpe(path, 262, [], pattern=name)
    assert (vocab, merges) == train_bpe_from_counts(counts, 262, [])
    tokenizer = Tokenizer(vocab, merges, pattern=name)
    assert tokenizer == Tokenizer(vocab, merges, pattern=pattern)
    assert tokenizer.pattern == pattern
    assert tokenizer.decode(tokenizer.encode(CUT_DIFFERENTLY)) == CUT_DIFFERENTLY

    for kind in ("gpt2", "tiktoken", "own"):
        (tmp_path / kind).mkdir()
        tokenizer.save(tmp_path / kind, format=kind)
        assert load_tokenizer(tmp_path / kind, pattern=name) == tokenizer


def test_a_name_that_there_is_not(small):
    message = r"there is no pattern 'gpt3'; there are gpt2, gpt4, .*nanochat, and any regular"
    for call in (lambda: train_bpe(small, 300, [], pattern="gpt3"),
                 lambda: count_pretokens_in("a", [], pattern="gpt3"),
                 lambda: Tokenizer({n: bytes([n]) for n in range(256)}, [], pattern="gpt3")):
        with pytest.raises(ValueError, match=message):
            call()


# --- Bad input -------------------------------------------------------------------------------


@pytest.mark.parametrize(("vocab_size", "specials", "error", "message"), [
    (255, [], ValueError, "vocab_size is 255; it must be at least 256"),
    (256, [EOT], ValueError, r"at least 257 \(256 bytes and 1 special"),
    (-5, [], ValueError, "vocab_size is -5"),
    (300.0, [], TypeError, "vocab_size is 300.0, a float; it must be an integer"),
    ("300", [], TypeError, "vocab_size is '300', a str"),
    (True, [], TypeError, "must be an integer"),
    (None, [], TypeError, "vocab_size is None"),
    (300, [""], ValueError, r"special_tokens\[0\] is empty"),
    (300, ["a", "b", "a"], ValueError, r"special_tokens\[2\] is 'a', which is there already at 0"),
    (300, ["a", b"b"], TypeError, r"special_tokens\[1\] is b'b', a bytes; it must be a str"),
    (300, [None], TypeError, r"special_tokens\[0\] is None"),
    (300, "<|endoftext|>", TypeError, "must be a list of strings, such as"),
    (300, ["\ud800"], ValueError, "lone surrogate"),
    (300, None, TypeError, r"special_tokens is None; it must be a list of strings, \[\] for none"),
])
def test_bad_sizes_and_specials(small, vocab_size, specials, error, message):
    with pytest.raises(error, match=message):
        train_bpe(small, vocab_size, specials)
    with pytest.raises(error, match=message):
        train_bpe_from_counts({b"ab": 1}, vocab_size, specials)


@pytest.mark.parametrize(("counts", "error", "message"), [
    ({"low": 1}, TypeError, r"key 'low', a str; keys must be bytes \(use key.encode\(\)\)"),
    ({b"low": 1, 3: 1}, TypeError, "key 3, a int; keys must be bytes"),
    ({(b"l", b"o"): 1}, TypeError, "keys must be bytes"),
    ({b"low": -1}, ValueError, r"counts\[b'low'\] is -1; it must be at least 0"),
    ({b"low": 1.5}, TypeError, r"counts\[b'low'\] is 1.5, a float; it must be an integer"),
    ({b"low": None}, TypeError, r"counts\[b'low'\] is None"),
    ({b"low": "3"}, TypeError, r"counts\[b'low'\] is '3'"),
    ({b"low": True}, TypeError, "must be an integer"),
    ({b"x" * 100: -1}, ValueError, "of 100 bytes"),
    ({b"ab": 2**63}, ValueError, "more than the 64-bit limit"),
    ({b"ab": 2**200}, ValueError, "more than the 64-bit limit"),
    ({b"": 2**70}, ValueError, "more than the 64-bit limit"),
    ({b"ab": 2**61, b"cd": 2**61, b"ef": 2**61}, ValueError, "more than the 64-bit limit"),
    ([b"low"], TypeError, "counts is a list; it must be a mapping"),
    (None, TypeError, "counts is a NoneType"),
])
def test_bad_counts(any_train_stage, counts, error, message):
    with pytest.raises(error, match=message):
        any_train_stage.learn_merges(counts, 10)


def test_greatest_total(any_train_stage):
    """Just below the limit is fine, and nothing wraps."""
    counts = {b"cd": 2**61, b"ab": 2**61 - 4, b"abab": 1, b"x": 3}  # 2^63 - 1 bytes in all
    assert any_train_stage.learn_merges(counts, 2) == [(b"c", b"d"), (b"a", b"b")]
    with pytest.raises(ValueError, match="counts add up to 9223372036854775808 bytes"):
        any_train_stage.learn_merges({**counts, b"y": 1}, 2)


@pytest.mark.parametrize(("num_merges", "error"), [(-1, ValueError), (1.0, TypeError),
                                                   ("1", TypeError), (None, TypeError)])
def test_bad_number_of_merges(any_train_stage, num_merges, error):
    with pytest.raises(error, match="num_merges is"):
        any_train_stage.learn_merges({b"ab": 1}, num_merges)


def test_bad_tie_break(any_train_stage):
    with pytest.raises(ValueError, match="tie_break is 'first'; it must be 'lexicographic' or"):
        any_train_stage.learn_merges({b"ab": 1}, 1, tie_break="first")


def test_unknown_stage(small):
    with pytest.raises(ValueError, match=r"no train stage 'stage99'; there are stage01_recount"):
        train_bpe(small, 300, [], stage="stage99")


def test_unknown_keyword(small):
    with pytest.raises(TypeError, match="num_processes"):
        run_train_bpe(small, 300, [], num_processes=4)


def test_bad_files(tmp_path, small):
    with pytest.raises(FileNotFoundError, match=r"missing\.txt"):
        train_bpe(tmp_path / "missing.txt", 300, [])
    (tmp_path / "empty").mkdir()
    with pytest.raises(ValueError, match="is a folder without files"):
        train_bpe(tmp_path / "empty", 300, [])
    with pytest.raises(ValueError, match="errors is 'lenient'"):
        train_bpe(small, 300, [], errors="lenient")
    with pytest.raises(ValueError, match="not a regular expression"):
        train_bpe(small, 300, [], pattern="(")
    with pytest.raises(ValueError, match="capturing group"):
        train_bpe(small, 300, [], pattern="(a)|b")
    with pytest.raises(ValueError, match="workers is 0"):
        train_bpe(small, 300, [], workers=0)


def test_invalid_utf8(tmp_path):
    path = tmp_path / "invalid.txt"
    path.write_bytes("é".encode() * 3 + b"ab\xffab")
    with pytest.raises(ValueError, match=r"not valid UTF-8 at byte 8.*errors='replace'"):
        train_bpe(path, 257, [])
    assert train_bpe(path, 257, [], errors="ignore")[1] == [(b"\xc3", b"\xa9")]
    replaced = train_bpe(path, 262, [], errors="replace")[1]
    assert (b"\xef", b"\xbf") in replaced or (b"\xbf", b"\xbd") in replaced


# --- Progress --------------------------------------------------------------------------------


def test_progress_callback(any_train_stage):
    counts = {bytes([a, b, a]): a + b for a in range(60, 90) for b in range(60, 90)}
    seen = []
    any_train_stage.learn_merges(counts, 30, progress=lambda *call: seen.append(call))
    assert seen[-1] == ("merge", 30, 30)
    assert [call[1] for call in seen] == sorted(call[1] for call in seen)


def test_a_callback_that_raises_stops_the_work(any_train_stage):
    class Stop(Exception):
        pass

    def stop(phase, done, total):
        raise Stop

    with pytest.raises(Stop):
        any_train_stage.learn_merges({b"abcabc": 1}, 3, progress=stop)


def test_progress_bar(capsys, small):
    train_bpe(small, 260, [], progress=True)
    assert "merge" in capsys.readouterr().err


def test_bad_progress():
    with pytest.raises(TypeError, match="progress is 3; it must be None, True or a function"):
        train_bpe_from_counts({b"ab": 1}, 257, [], progress=3)
