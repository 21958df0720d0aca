"""A vocabulary that is not consistent is refused, and the error names the entry."""

import numpy as np
import pytest

from cs336_bpe import train_bpe_from_counts
from cs336_bpe.rules import BYTES, MAX_ID, check_vocab, separate_specials

VOCAB = dict(enumerate(BYTES))
EOT = "<|endoftext|>"


class Index:
    """An integer of somebody's own."""

    def __index__(self):
        return 256


def test_the_ids_of_a_consistent_vocabulary():
    vocab, merges = train_bpe_from_counts({b"low": 5, b"lower": 2}, 260, [EOT])
    ids = check_vocab(vocab, merges)
    assert {number: token for token, number in ids.items()} == vocab


def test_ids_may_be_any_integers_in_any_order_with_gaps():
    vocab = {MAX_ID - number: token for number, token in VOCAB.items()} | {Index(): b"th"}
    ids = check_vocab(vocab, [(b"t", b"h")])
    assert ids[b"\x00"] == MAX_ID
    assert ids[b"th"] == 256
    assert all(type(number) is int for number in ids.values())
    assert check_vocab({np.uint8(n): token for n, token in VOCAB.items()}, [])[b"\xff"] == 255


def test_merges_may_be_lists():
    merges = [[b"a", b"b"], (b"b", b"c"), [b"ab", b"c"]]
    assert check_vocab(VOCAB | {256: b"ab", 257: b"bc", 258: b"abc"}, merges)[b"abc"] == 258


def test_a_token_needs_no_merge():
    assert check_vocab(VOCAB | {256: b"never made"}, [])[b"never made"] == 256


BOTH = [check_vocab, lambda vocab, merges: separate_specials(vocab, merges, [EOT])]

BAD = {
    "vocab is a list": (list(BYTES), [], TypeError, r"vocab is a list; it must be a mapping"),
    "vocab is None": (None, [], TypeError, r"vocab is a NoneType; it must be a mapping"),
    "the other way round": ({token: n for n, token in VOCAB.items()}, [], TypeError,
                            r"an id of the vocab is b'\\x00', a bytes; it must be an integer"),
    "a bool": ({False: b"\x00"}, [], TypeError, "an id of the vocab is False; .* an integer"),
    "a float": ({1.0: b"x"}, [], TypeError, r"an id of the vocab is 1\.0, a float"),
    "a negative id": (VOCAB | {-1: b"th"}, [], ValueError,
                      "an id of the vocab is -1; it must be at least 0"),
    "a huge id": (VOCAB | {MAX_ID + 1: b"th"}, [], ValueError,
                  f"the vocab has the id {MAX_ID + 1}; the greatest possible is {MAX_ID}"),
    "a str": (VOCAB | {256: "th"}, [], TypeError, r"vocab\[256\] is 'th', a str; .* be bytes"),
    "a bytearray": (VOCAB | {256: bytearray(b"th")}, [], TypeError,
                    r"vocab\[256\] is bytearray\(b'th'\), a bytearray; tokens must be bytes"),
    "an empty token": (VOCAB | {256: b""}, [], ValueError, r"vocab\[256\] is empty"),
    "no token at all": ({}, [], ValueError, r"the byte b'\\x00' has no id"),
    "a missing byte": ({n: t for n, t in VOCAB.items() if n != 0x61}, [], ValueError,
                       "the byte b'a' has no id in the vocab"),
    "a duplicate": (VOCAB | {256: b"th", 300: b"th"}, [], ValueError,
                    r"vocab\[300\] is b'th', and so is vocab\[256\]: .* only one id"),
    "a duplicate byte": (VOCAB | {256: b"a"}, [], ValueError,
                         r"vocab\[256\] is b'a', and so is vocab\[97\]"),
    "a long duplicate": (VOCAB | {256: b"x" * 99, 257: b"x" * 99}, [], ValueError,
                         r"vocab\[257\] is b'x{40}'\.\.\. of 99 bytes, and so is vocab\[256\]"),
    "merges is None": (VOCAB, None, TypeError, "merges is a NoneType; it must be a list of pairs"),
    "merges is bytes": (VOCAB, b"th", TypeError, "merges is a bytes; it must be a list of pairs"),
    "merges has no order": (VOCAB | {256: b"th"}, {(b"t", b"h")}, TypeError,
                            "merges is a set; it must be a list of pairs"),
    "merges can be read only once": (VOCAB | {256: b"th"}, iter([(b"t", b"h")]), TypeError,
                                     "merges is a list_iterator; it must be a list of pairs"),
    "merges as text": (VOCAB | {256: b"th"}, ["t h"], TypeError,
                       r"merges\[0\] is 't h'; it must be a pair of bytes"),
    "a joined merge": (VOCAB | {256: b"th"}, [b"th"], TypeError,
                       r"merges\[0\] is b'th'; it must be a pair of bytes"),
    "a pair of str": (VOCAB | {256: b"th"}, [("t", "h")], TypeError,
                      r"merges\[0\] is \('t', 'h'\); it must be a pair of bytes"),
    "three parts": (VOCAB | {256: b"the"}, [(b"t", b"h", b"e")], TypeError,
                    r"merges\[0\] is \(b't', b'h', b'e'\); it must be a pair of bytes"),
    "an empty part": (VOCAB, [(b"", b"h")], ValueError,
                      r"merges\[0\] joins b'' and b'h', but no merge before it makes b''"),
    "out of order": (VOCAB | {256: b"th", 257: b"the"}, [(b"th", b"e"), (b"t", b"h")], ValueError,
                     r"merges\[0\] joins b'th' and b'e', but no merge before it makes b'th'"),
    "a part that has an id but no merge": (
        VOCAB | {256: b"th", 257: b"the"}, [(b"th", b"e")], ValueError,
        r"merges\[0\] joins b'th' and b'e', but no merge before it makes b'th'"),
    "the right part is missing": (
        VOCAB | {256: b"he", 257: b"the"}, [(b"t", b"he")], ValueError,
        r"merges\[0\] joins b't' and b'he', but no merge before it makes b'he'"),
    "a result without an id": (
        VOCAB | {256: b"th"}, [(b"t", b"h"), (b"th", b"e")], ValueError,
        r"merges\[1\] makes b'the', which has no id in the vocab"),
    "the same merge twice": (VOCAB | {256: b"th"}, [(b"t", b"h"), [b"t", b"h"]], ValueError,
                             r"merges\[1\] makes b'th', and so does merges\[0\]: leave one out"),
    "two merges that make the same token": (
        VOCAB | {256: b"ab", 257: b"bc", 258: b"abc"},
        [(b"a", b"b"), (b"b", b"c"), (b"ab", b"c"), (b"a", b"bc")], ValueError,
        r"merges\[3\] makes b'abc', and so does merges\[2\]: leave one out"),
}


@pytest.mark.parametrize("check", BOTH, ids=["check_vocab", "separate_specials"])
@pytest.mark.parametrize("name", BAD)
def test_errors_name_the_entry(check, name):
    vocab, merges, error, message = BAD[name]
    with pytest.raises(error, match=message):
        check(vocab, merges)


# --- Special tokens ----------------------------------------------------------------------------


def test_special_tokens_of_training():
    vocab, merges = train_bpe_from_counts({b"low": 5}, 260, [EOT, "<|pad|>"])
    ordinary, specials = separate_specials(vocab, merges, ["<|pad|>", EOT])
    assert list(specials.items()) == [("<|pad|>", 257), (EOT, 256)]
    assert EOT.encode() not in ordinary
    assert ordinary[b"low"] == 259


def test_missing_special_tokens_come_after_the_greatest_id():
    vocab = {1000 - number: token for number, token in VOCAB.items()}
    assert separate_specials(vocab, [], ["<b>", "<a>"]).specials == {"<b>": 1001, "<a>": 1002}
    assert separate_specials(VOCAB, [], []) == ({token: n for n, token in VOCAB.items()}, {})


def test_the_next_id_does_not_wrap_around_with_small_numpy_integers():
    vocab = {np.uint8(number): token for number, token in VOCAB.items()}
    assert separate_specials(vocab, [], [EOT]).specials == {EOT: 256}


def test_a_special_token_that_is_learned_too():
    """Rule 5: a byte comes before special tokens, a merged token after them."""
    vocab, merges = train_bpe_from_counts({b"low": 5}, 260, ["low", "o"])
    assert vocab[256] == vocab[259] == b"low"
    assert vocab[257] == b"o"
    ordinary, specials = separate_specials(vocab, merges, ["low", "o"])
    assert specials == {"low": 256, "o": 257}
    assert ordinary[b"low"] == 259
    assert ordinary[b"o"] == ord("o")


def test_a_special_token_that_is_a_byte_or_a_learned_token_and_has_one_id():
    vocab = VOCAB | {256: b"lo"}
    ordinary, specials = separate_specials(vocab, [(b"l", b"o")], ["lo", "o"])
    assert ordinary[b"lo"] == specials["lo"] == 256
    assert ordinary[b"o"] == ord("o")
    assert specials["o"] == 257


BAD_SPECIALS = {
    "one string": (VOCAB, [], "<x>", TypeError, "special_tokens is '<x>'; .* a list of strings"),
    "bytes": (VOCAB, [], [b"<x>"], TypeError, r"special_tokens\[0\] is b'<x>', a bytes"),
    "None": (VOCAB, [], None, TypeError, "special_tokens is None"),
    "empty": (VOCAB, [], ["<x>", ""], ValueError, r"special_tokens\[1\] is empty"),
    "twice": (VOCAB, [], ["<x>", "<x>"], ValueError, r"special_tokens\[1\] .* already at 0"),
    "a lone surrogate": (VOCAB, [], ["\ud800"], ValueError, r"special_tokens\[0\] .* surrogate"),
    "no id is left": (VOCAB | {MAX_ID: b"th"}, [], ["<x>"], ValueError,
                      f"no id left for a special token: the greatest is {MAX_ID}"),
    "two ids": (VOCAB | {256: b"<x>", 260: b"<x>"}, [], ["<x>"], ValueError,
                r"vocab\[260\] is b'<x>', which has an id already \(256\)"),
    "three ids of a learned one": (
        VOCAB | {256: b"lo", 257: b"lo", 258: b"lo"}, [(b"l", b"o")], ["lo"], ValueError,
        r"vocab\[258\] is b'lo', which has an id already \(256\)"),
    "three ids of a byte": (VOCAB | {256: b"o", 257: b"o"}, [], ["o"], ValueError,
                            r"vocab\[257\] is b'o', which has an id already \(256\)"),
    "learned, but without an id": (VOCAB, [(b"l", b"o")], ["lo"], ValueError,
                                  r"merges\[0\] makes b'lo', which has no id in the vocab"),
}


@pytest.mark.parametrize("name", BAD_SPECIALS)
def test_errors_of_special_tokens_name_the_entry(name):
    vocab, merges, specials, error, message = BAD_SPECIALS[name]
    with pytest.raises(error, match=message):
        separate_specials(vocab, merges, specials)
