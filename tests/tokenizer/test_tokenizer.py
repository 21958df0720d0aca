"""Every way to encode gives what the definition gives: encode, arrays, batches, streams, counts."""

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from tokenizer.oracle import (
    GPT4_PATTERN,
    PIECES,
    SPECIALS,
    WORDS_ONLY,
    Oracle,
    broken,
    byte_tokenizer,
    encoded,
    texts,
    tokenizer_and_oracle,
    tricky,
)

from cs336_bpe import GPT2_PATTERN, Tokenizer, train_bpe_from_counts
from cs336_bpe.adapters import get_tokenizer
from cs336_bpe.corpora import generated as corpus

PATTERNS = {"gpt2": GPT2_PATTERN, "gpt4": GPT4_PATTERN, "words": WORDS_ONLY}


def check_all_ways(tokenizer, text, expected, **options):
    assert tokenizer.encode(text, **options) == expected
    assert tokenizer.encode_array(text, **options).tolist() == expected
    assert tokenizer.encode_array(text.encode(), workers=3, **options).tolist() == expected
    assert tokenizer.encode_array(bytearray(text.encode()), "i8", **options).tolist() == expected
    assert tokenizer.encode_batch([text, "", text], workers=2, **options) == [expected, [],
                                                                              expected]
    assert list(tokenizer.encode_iterable([text], **options)) == expected
    assert list(tokenizer.encode_iterable(iter(text), **options)) == expected
    assert tokenizer.count(text, **options) == tokenizer.count(text.encode(), **options)
    assert tokenizer.count(text, **options) == len(expected)
    explained = tokenizer.explain(text, **options)
    assert [number for step in explained for number in step.ids] == expected


@pytest.mark.parametrize("pattern", PATTERNS.values(), ids=PATTERNS)
@given(text=texts.filter(encoded))
@example(text="".join(PIECES))
@example(text="")
@settings(max_examples=150)
def test_all_ways_agree_with_the_definition(pattern, text):
    tokenizer, oracle = tokenizer_and_oracle(pattern=pattern)
    check_all_ways(tokenizer, text, oracle.encode(text))
    check_all_ways(tokenizer, text, oracle.encode(text, []), specials="none")


@given(text=tricky, wanted=st.sets(st.sampled_from(SPECIALS)))
def test_some_special_tokens(text, wanted):
    tokenizer, oracle = tokenizer_and_oracle()
    check_all_ways(tokenizer, text, oracle.encode(text, wanted), specials=wanted)


@pytest.mark.parametrize("pattern", PATTERNS.values(), ids=PATTERNS)
@given(data=broken)
@example(data=b"\xe2\x82 \xff\xfe'\x80s")
@settings(max_examples=150)
def test_any_bytes_are_encoded_as_with_surrogateescape(pattern, data):
    tokenizer, oracle = tokenizer_and_oracle(pattern=pattern)
    array = tokenizer.encode_array(data)
    assert array.tolist() == oracle.encode(data.decode("utf-8", "surrogateescape"))
    assert tokenizer.count(data) == len(array)
    assert tokenizer.decode_bytes(array) == data  # nothing is lost, whatever the pattern matches


def test_text_that_the_pattern_does_not_match():
    tokenizer = byte_tokenizer("<e>", pattern=WORDS_ONLY)
    with pytest.raises(ValueError, match=r"does not match ', ', so it would be lost"):
        tokenizer.encode("hello, world")
    assert tokenizer.decode(tokenizer.encode("hello<e>world")) == "hello<e>world"
    kept = byte_tokenizer("<e>", pattern=WORDS_ONLY, unmatched="keep")
    assert kept.decode(kept.encode("hello, <e>world!")) == "hello, <e>world!"
    assert [len(ids) for ids, _ in kept.pretokens("hello, world!")] == [5, 2, 5, 1]
    assert kept.with_special_tokens(["<f>"]).encode("!") == [33]
    with pytest.raises(ValueError, match="unmatched is 'skip'; it must be 'raise' or 'keep'"):
        byte_tokenizer(unmatched="skip")


@st.composite
def tiny_merges(draw):
    tokens, merges = [b"a", b"b", b" ", b"'", b"s"], []
    for left, right in draw(st.lists(st.tuples(*[st.integers(0, 10**6)] * 2), max_size=12)):
        pair = tokens[left % len(tokens)], tokens[right % len(tokens)]
        if pair[0] + pair[1] not in tokens:  # no two merges make the same token
            merges.append(pair)
            tokens.append(pair[0] + pair[1])
    return merges


@given(merges=tiny_merges(), text=st.text("ab 's", max_size=300), data=st.data())
def test_tiny_vocabularies_with_ids_in_any_order(merges, text, data):
    tokens = [*(bytes([byte]) for byte in range(256)), *(left + right for left, right in merges)]
    ids = data.draw(st.permutations(range(0, 3 * len(tokens), 3)))
    vocab = dict(zip(ids, tokens)) | {2**31 - 1: b"ab", 2**31 - 5: b"a's"}
    specials = ["ab", "a's"] if data.draw(st.booleans()) else []
    if b"ab" in tokens or b"a's" in tokens or not specials:
        vocab, specials = dict(zip(ids, tokens)), []
    tokenizer = Tokenizer(vocab, merges, specials)
    oracle = Oracle(vocab, merges, dict(tokenizer.special_tokens))
    check_all_ways(tokenizer, text, oracle.encode(text))


@pytest.mark.parametrize("kind", ["stories", "web"])
def test_built_in_corpora(kind):
    text = getattr(corpus, kind)(200_000, seed=5)
    tokenizer, oracle = tokenizer_and_oracle()
    expected = oracle.encode(text)
    assert tokenizer.encode(text) == tokenizer.encode(text) == expected
    assert tokenizer.encode_array(text).tolist() == expected
    assert list(tokenizer.encode_iterable(text.splitlines(keepends=True))) == expected
    assert tokenizer.count(text) == len(expected)
    assert tokenizer.encode_batch(text.split("\n"), workers=2) == [
        oracle.encode(line) for line in text.split("\n")]


def test_large_texts_are_divided_among_workers():
    tokenizer, _ = tokenizer_and_oracle()
    text = corpus.web(3_500_000) + " " * 70_000 + "x" * 1_100_000 + "<|endoftext|> é\u3000x" * 9999
    expected = tokenizer.encode_array(text)
    for workers in 2, 3, 8, None:
        assert np.array_equal(tokenizer.encode_array(text, workers=workers), expected)
    broken_text = text.encode()[1:].replace(b"the", b"\xff\xc2 \xa0\xe3\x80 ")
    expected = tokenizer.encode_array(broken_text)
    assert np.array_equal(tokenizer.encode_array(broken_text, workers=3), expected)
    assert tokenizer.decode_bytes(expected) == broken_text


GPT2_SPELLINGS = [
    GPT2_PATTERN,
    r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+",
    r"'(?:[sdmt]|ll|ve|re)| ?\p{L}++| ?\p{N}++| ?[^\s\p{L}\p{N}]++|\s++$|\s+(?!\S)|\s",
]


@pytest.mark.parametrize("pattern", GPT2_SPELLINGS)
def test_every_way_to_write_gpt2s_pattern(pattern):
    text = "".join(PIECES)
    tokenizer, oracle = tokenizer_and_oracle(pattern=pattern)
    assert tokenizer.encode(text) == oracle.encode(text)


def test_a_pattern_that_matches_nothing_or_the_empty_string():
    vocab = dict(enumerate([*(bytes([byte]) for byte in range(256))]))
    ids = [97, 49, 50, 256, 98, 51]
    for pattern in (r"\d*", "(?!)"):
        tokenizer = Tokenizer(vocab, [], ["<e>"], pattern=pattern, unmatched="keep")
        check_all_ways(tokenizer, "a12<e>b3", ids)


def test_explanations_go_one_merge_at_a_time():
    tokenizer, oracle = tokenizer_and_oracle()
    text = "lower'll  don't<|endoftext|>日本語" + "".join(PIECES)
    explanations = tokenizer.explain(text)
    assert [each.pretoken for each in explanations] == [
        part if isinstance(part, bytes) else tokenizer.vocab[part]
        for part in oracle.pretokens(text)]
    for each in explanations:
        assert [tokenizer.vocab[number] for number in each.ids] == each.steps[-1]
        assert str(each)
        assert all(b"".join(step) == each.pretoken for step in each.steps)
        if not each.special:
            assert list(map(len, each.steps)) == list(
                range(len(each.pretoken), len(each.steps[-1]) - 1, -1))
            assert len(each.ranks) == len(each.steps) - 1
            assert each.ranks == sorted(each.ranks)


def test_the_courseworks_adapter():
    vocab, merges = train_bpe_from_counts({b"low": 5, b" lower": 2}, 260, ["<|end|>"])
    tokenizer = get_tokenizer(vocab, merges, ["<|end|>"])
    assert tokenizer == Tokenizer(vocab, merges, ["<|end|>"])
    assert tokenizer.decode(tokenizer.encode("low lower<|end|>")) == "low lower<|end|>"
    assert get_tokenizer(vocab, merges).encode("<|end|>") == list(b"<|end|>")
    assert get_tokenizer(vocab, merges, None).special_tokens == {}
