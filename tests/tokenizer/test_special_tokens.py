"""Special tokens: which are recognised, where, and with which ids."""

import random
from array import array

import pytest
import regex
from tokenizer.oracle import SPECIALS, byte_tokenizer, tokenizer_and_oracle

from cs336_bpe import Tokenizer, train_bpe_from_counts
from cs336_bpe.tokenizer import files

BYTES = {byte: bytes([byte]) for byte in range(256)}


@pytest.mark.parametrize("special", SPECIALS)
def test_each_kind(special):
    tokenizer = byte_tokenizer(special)
    text = f"x{special}{special} y{special[:-1]}"
    number = tokenizer.special_tokens[special]
    assert number == 256
    plain = list(f" y{special[:-1]}".encode())
    if special not in special[:-1] * 2:
        assert tokenizer.encode(text) == [ord("x"), number, number, *plain]
    assert tokenizer.encode(text, specials="none") == list(text.encode())
    assert tokenizer.encode(text, specials=[special]) == tokenizer.encode(text)
    assert tokenizer.encode(special) == [number]
    assert tokenizer.decode([number, number]) == special * 2
    assert tokenizer.id_of(special) == number
    assert tokenizer.token_bytes(number) == special.encode()


def test_the_leftmost_wins_and_there_the_longest():
    tokenizer = byte_tokenizer("aa", "aaa", "bc", "ab")
    ids = tokenizer.special_tokens
    assert tokenizer.encode("aaaaa") == [ids["aaa"], ids["aa"]]
    assert tokenizer.encode("abc") == [ids["ab"], ord("c")]
    assert tokenizer.encode("aaabc") == [ids["aaa"], ids["bc"]]
    assert tokenizer.encode("abc", specials={"bc"}) == [ord("a"), ids["bc"]]


def test_no_merge_crosses_one_and_the_pattern_starts_anew_behind_it():
    vocab = BYTES | {256: b"ab", 257: b"  "}
    tokenizer = Tokenizer(vocab, [(b"a", b"b"), (b" ", b" ")], ["<e>", "b<"])
    ids = tokenizer.special_tokens
    assert tokenizer.encode("a<e>b") == [97, ids["<e>"], 98]
    assert tokenizer.encode("ab<e>") == [97, ids["b<"], *b"e>"]
    # The white space before it is at the end of its text, and is not left for a word behind it.
    assert tokenizer.encode("  <e>x") == [257, ids["<e>"], 120]
    assert tokenizer.encode("  x") == [32, 32, 120]


def test_raise_refuses_text_that_has_one():
    tokenizer = byte_tokenizer("<e>", "🙂")
    assert tokenizer.encode("<e", specials="raise") == list(b"<e")
    ways = {
        "encode": lambda: tokenizer.encode("é <e>", specials="raise"),
        "array": lambda: tokenizer.encode_array("é <e>".encode(), specials="raise"),
        "workers": lambda: tokenizer.encode_array("é <e>", specials="raise", workers=2),
        "count": lambda: tokenizer.count("é <e>", specials="raise"),
        "explain": lambda: tokenizer.explain("é <e>", specials="raise"),
        "batch": lambda: tokenizer.encode_batch(["", "é <e>"] * 9, specials="raise", workers=2),
        "stream": lambda: list(tokenizer.encode_iterable(["é <", "e", ">"], specials="raise")),
    }
    for way in ways.values():
        with pytest.raises(ValueError, match="special token '<e>' at byte 3;"):
            way()
    with pytest.raises(ValueError, match="special token '🙂' at byte 0;"):
        tokenizer.encode("🙂", specials="raise")


def test_raise_in_a_stream_gives_out_what_is_before_it():
    tokenizer = byte_tokenizer("<e>")
    stream = tokenizer.encode_iterable(["a b c<", "e>"], specials="raise")
    assert [next(stream) for _ in range(5)] == list(b"a b c")
    with pytest.raises(ValueError, match="at byte 5;"):
        next(stream)


def test_what_specials_may_be():
    tokenizer, oracle = tokenizer_and_oracle()
    text = "".join(SPECIALS)
    for kind in set, frozenset, list, tuple, iter, dict.fromkeys:
        some = kind(SPECIALS)
        assert tokenizer.encode(text, specials=some) == oracle.encode(text)
    assert tokenizer.encode(text, specials=[]) == tokenizer.encode(text, specials="none")
    batch = tokenizer.encode_batch([text] * 20, specials=iter(SPECIALS[:2]), workers=2)
    assert batch == [oracle.encode(text, SPECIALS[:2])] * 20


BAD = [
    ("every", ValueError, "specials is 'every'"),
    ({"<no>"}, ValueError, "'<no>', which is not a special token"),
    ([5], (TypeError, ValueError), "5"),
    (None, TypeError, "specials is None"),
    (7, TypeError, "specials is 7"),
    ([["<e>"]], TypeError, "specials"),
]


@pytest.mark.parametrize(("specials", "kind", "message"), BAD, ids=lambda value: repr(value)[:20])
def test_bad_specials(specials, kind, message, tmp_path):
    tokenizer = byte_tokenizer("<e>")
    (tmp_path / "in.txt").write_text("x")
    ways = [
        lambda: tokenizer.encode("", specials=specials),
        lambda: tokenizer.encode_array(b"", specials=specials),
        lambda: tokenizer.encode_batch([], specials=specials),
        lambda: tokenizer.encode_batch(["x"] * 5, specials=specials, workers=2),
        lambda: tokenizer.encode_iterable([], specials=specials),
        lambda: tokenizer.count("", specials=specials),
        lambda: tokenizer.explain("", specials=specials),
    ]
    if specials is not None:  # then it depends on the file
        ways.append(lambda: tokenizer.encode_file(tmp_path / "in.txt", tmp_path / "out.bin",
                                                  specials=specials))
    for way in ways:
        with pytest.raises(kind, match=message):
            way()
    assert not (tmp_path / "out.bin").exists()


# --- Ids -----------------------------------------------------------------------------------------


def test_missing_ones_are_appended_in_order():
    tokenizer = Tokenizer(BYTES | {1000: b"<b>"}, [], ["<a>", "<b>", "<c>"])
    assert dict(tokenizer.special_tokens) == {"<a>": 1001, "<b>": 1000, "<c>": 1002}
    assert tokenizer.vocab[1002] == b"<c>"
    assert tokenizer.vocab_size == 259
    with pytest.raises(ValueError, match="no id left"):
        Tokenizer(BYTES | {2**31 - 1: b"<b>"}, [], ["<a>"])


def test_one_that_is_a_byte():
    tokenizer = byte_tokenizer("a", "\0")
    assert tokenizer.encode("ba\0") == [98, 256, 257]
    assert tokenizer.encode("ba\0", specials="none") == [98, 97, 0]
    assert tokenizer.decode([98, 256, 97]) == "baa"
    assert tokenizer.id_of("a") == 256
    assert tokenizer.id_of(b"a") == 97
    declared = Tokenizer(dict(tokenizer.vocab), [], ["a", "\0"])
    assert declared == tokenizer


def test_one_that_is_learned_as_well():
    vocab, merges = train_bpe_from_counts({b"low": 5}, 259, ["low"])
    tokenizer = Tokenizer(vocab, merges, ["low"])
    assert tokenizer.encode("low") == [256]
    learned = tokenizer.encode("low", specials="none")
    assert learned == [258]
    assert tokenizer.decode([256, *learned]) == "lowlow"
    shared = Tokenizer({n: t for n, t in vocab.items() if n != 256}, merges, ["low"])
    assert shared.encode("low") == shared.encode("low", specials="none") == [258]


def test_some_thousands():
    specials = [f"<{number}>" for number in range(3_000)]
    tokenizer = byte_tokenizer(*specials)
    text = "".join(specials[::-1]) + "<3000>"
    assert tokenizer.encode(text) == [*range(3_255, 255, -1), *b"<3000>"]
    assert list(tokenizer.encode_iterable([text[:5_000], text[5_000:]])) == tokenizer.encode(text)


def test_a_very_long_one():
    special = "<" + "long " * 20_000 + ">"
    tokenizer = byte_tokenizer(special)
    text = special[:-1] + "!" + special
    expected = [*text[:-len(special)].encode(), 256]
    assert tokenizer.encode(text) == expected
    cut = len(special) // 2
    assert list(tokenizer.encode_iterable([text[:cut], text[cut:]])) == expected


def test_hundreds_that_begin_alike():
    """They are found by narrowing a sorted list, where one begins another too. (When each was tried
    in turn, and at each place, the last lines took minutes.)"""
    rng = random.Random(336)
    for _ in range(30):
        letters = rng.choice(["<|", "ab", "<|é", "abcdefghijklmnop"])
        tokens = list({"".join(rng.choices(letters, k=rng.randrange(1, 8))) for _ in range(300)})
        tokenizer = byte_tokenizer(*tokens)
        text = "".join(rng.choices(letters + "x", k=300))
        found = [tokenizer.token_bytes(number).decode() for number in tokenizer.encode(text)
                 if number >= 256]
        assert found == regex.findall("|".join(
            map(regex.escape, sorted(tokens, key=len, reverse=True))), text)
        assert list(tokenizer.encode_iterable(text)) == tokenizer.encode(text)
    many = byte_tokenizer(*(f"<|reserved_{number}|>" for number in range(10_000)))
    assert many.encode("<" * 100_000) == [60] * 100_000
    assert list(many.encode_iterable("<" * 10_000)) == [60] * 10_000
    long = byte_tokenizer("ab" * 500 + "c")
    assert list(long.encode_iterable("ab" * 2_500)) == [97, 98] * 2_500


def test_one_with_spaces_is_not_cut_at_a_blocks_border(tmp_path, monkeypatch):
    monkeypatch.setattr(files, "DEFAULT_BLOCK_BYTES", 20)
    tokenizer = Tokenizer(BYTES, [], ["end of text"])
    for pad in range(40):
        (tmp_path / "text.txt").write_text("x" * pad + " end of text " + "y" * 30)
        with pytest.raises(ValueError, match=f"'end of text' at byte {pad + 1};"):
            tokenizer.encode_file(tmp_path / "text.txt", tmp_path / "ids", specials="raise")


def test_a_refused_one_in_a_buffer_of_wide_items():
    tokenizer = Tokenizer(BYTES, [], ["<|e|>"])
    wide = memoryview(array("H", b"ab<|e|>xyz  "[:12]))
    with pytest.raises(ValueError, match=r"the special token '<\|e\|>' at byte 2;"):
        tokenizer.encode_array(wide, specials="raise")
