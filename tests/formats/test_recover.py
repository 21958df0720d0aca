"""Which merge makes a token: compiled, against the definition in Python, and the theorem itself."""

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cs336_bpe import train_bpe_from_counts
from cs336_bpe.encode.trace import merge_by_rank, pairs_of
from cs336_bpe.formats.columns import columns_of
from cs336_bpe.formats.recover import last_merges, merges_of_ranks, parts_left

words = st.text("ab", min_size=2, max_size=7).map(str.encode)


@st.composite
def lists_of_merges(draw):
    """Tokens in any order, and any of the merges that join two of them to a third, in any order."""
    tokens = [b"a", b"b", *draw(st.lists(words, unique=True, max_size=12))]
    tokens = draw(st.permutations(tokens))
    known = set(tokens)
    splits = [(token[:cut], token[cut:]) for token in tokens for cut in range(1, len(token))
              if token[:cut] in known and token[cut:] in known]
    return tokens, draw(st.permutations(splits))[: draw(st.integers(0, len(splits)))]


def columns(tokens, merges):
    number = {token: place for place, token in enumerate(tokens)}
    return ([number[left] for left, _ in merges], [number[right] for _, right in merges],
            [number[left + right] for left, right in merges])


def merged(word, merges):
    """The definition: the merge of the lowest rank, leftmost first, until none is left.

    Returns the parts, and the two that were joined last.
    """
    row, last = [bytes([byte]) for byte in word], None
    while True:
        possible = [(merges.index(pair), place) for place, pair in enumerate(zip(row, row[1:]))
                    if pair in merges]
        if not possible:
            return row, last
        _, place = min(possible)
        last = row[place], row[place + 1]
        row[place : place + 2] = [last[0] + last[1]]


def found(tokens, merges):
    """What the compiled function finds, as pairs of bytes."""
    lefts, rights = last_merges(tokens, *columns(tokens, merges))
    return {token: (tokens[left], tokens[right])
            for token, left, right in zip(tokens, lefts, rights, strict=True) if left >= 0}


@given(lists_of_merges())
def test_a_token_s_own_bytes_say_which_merge_makes_it(case):
    tokens, merges = case
    expected = {}
    for token in tokens:
        row, last = merged(token, merges)
        if row == [token] and last is not None:
            expected[token] = last
    assert found(tokens, merges) == expected


@given(lists_of_merges(), st.text("ab", max_size=40).map(str.encode))
def test_the_other_merges_never_apply(case, text):
    """The theorem: with one merge for each token, every text is merged as with all of them."""
    tokens, merges = case
    useful = set(found(tokens, merges).values())
    row, _ = merged(text, merges)
    assert merged(text, [pair for pair in merges if pair in useful])[0] == row


@pytest.mark.filterwarnings("ignore::cs336_bpe.EarlyStopWarning")
@pytest.mark.parametrize("length", [126, 127, 128, 129, 1_000, 4_000])
def test_long_tokens_take_the_heap_to_the_same_end(length):
    """Training on one long word ends with the whole of it, and each merge makes another token."""
    word = bytes(Random(length).choices(b"abc", k=length))
    vocab, merges = train_bpe_from_counts({word: 1}, 256 + length, [])
    tokens = list(vocab.values())
    assert tokens[-1] == word
    got = found(tokens, merges)
    assert list(got.values()) == merges
    # Without the first merge hardly anything is made, and the heap has to find that out too.
    fewer = found(tokens, merges[1:])
    pairs = pairs_of(merges[1:])
    assert fewer == {left + right: (left, right) for left, right in merges[1:]
                     if len(merge_by_rank(tuple(map(bytes, zip(left + right))), pairs)) == 1}


def test_a_byte_without_a_token_is_joined_by_nothing():
    tokens = [b"a", b"b", b"ab", b"xab"]
    assert found(tokens, [(b"a", b"b")]) == {b"ab": (b"a", b"b")}


@pytest.mark.parametrize(("columns", "message"), [
    (([0], [1], []), "1 left parts, 1 right parts and 0 results"),
    (([0], [9], [2]), r"merge 0 is \(0, 9\) -> 2; there are only 3 tokens"),
    (([0], [0], [2]), r"merge 0 is \(0, 0\) -> 2; but b'a' and b'a' do not make b'ab'"),
    (([0, 0], [1, 1], [2, 2]), r"merge 1 is \(0, 1\), which is there already"),
])
def test_wrong_columns_are_errors(columns, message):
    with pytest.raises(ValueError, match=message):
        last_merges([b"a", b"b", b"ab"], *columns)
    with pytest.raises(OverflowError):
        last_merges([b"a", b"b", b"ab"], [-1], [1], [2])


@pytest.mark.parametrize("wrong", [[b"a", b""], [b"a", None]])
def test_wrong_tokens_are_errors(wrong):
    with pytest.raises(ValueError, match=r"tokens\[1\] is empty"):
        last_merges(wrong, [], [], [])
    with pytest.raises(TypeError):
        last_merges(["a"], [], [], [])


def merged_by_ranks(word, tokens):
    """tiktoken's rule: of all neighbours that are a token together, the one of the lowest rank."""
    row = [bytes([byte]) for byte in word]
    while True:
        possible = [(tokens.index(left + right), place)
                    for place, (left, right) in enumerate(zip(row, row[1:]))
                    if left + right in tokens]
        if not possible:
            return row
        _, place = min(possible)
        row[place : place + 2] = [row[place] + row[place + 1]]


@st.composite
def ranked_tokens(draw):
    """Tokens in the order of ranks. Each joins two that are there already, so many can be made."""
    tokens = [b"a", b"b"]
    for _ in range(draw(st.integers(0, 10))):
        tokens.append(draw(st.sampled_from(tokens)) + draw(st.sampled_from(tokens)))
    return list(dict.fromkeys(tokens))


@given(ranked_tokens(), st.text("ab", max_size=40).map(str.encode))
def test_ranks_stand_for_the_merges_that_tiktoken_does(tokens, text):
    lefts, rights = merges_of_ranks(tokens)
    merges, all_made = {}, True
    for place, token in enumerate(tokens[2:], 2):
        row = merged_by_ranks(token, tokens[:place])  # what tokens of lower rank leave of it
        if len(row) != 2:
            assert (lefts[place], rights[place]) == (-1, -1)
            all_made = False
            break  # a file with such a token is refused
        assert row == [tokens[lefts[place]], tokens[rights[place]]]
        merges[tuple(row)] = place, token
    assert (lefts.count(-1) == 2) == all_made
    if all_made:
        assert merged_by_ranks(text, tokens) == merge_by_rank(
            [bytes([byte]) for byte in text], merges)


@given(st.lists(words, max_size=5))
def test_parts_that_merges_leave(texts):
    merges = [(b"a", b"b"), (b"ab", b"a"), (b"b", b"b"), (b"aba", b"bb")]
    ids = {bytes([byte]): byte for byte in range(256)}
    ids |= {left + right: 256 + place for place, (left, right) in enumerate(merges)}
    columns = columns_of(ids, merges)
    assert parts_left(columns, texts) == [len(merged(text, merges)[0]) for text in texts]
