"""Training that goes on from given merges: on the same text as one run, on another one exactly."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cs336_bpe import count_pretokens_in, train_bpe_from_counts
from cs336_bpe.corpora import generated as corpus
from cs336_bpe.encode.stage01_replay_merges import merge_pair
from cs336_bpe.rules import tie_order
from cs336_bpe.train.continuing import continue_merges
from cs336_bpe.train.stage01_recount_everything import learn_merges

WORDS = st.dictionaries(st.text("abc", min_size=1, max_size=8).map(str.encode),
                        st.integers(0, 9), max_size=12)


def by_definition(counts, first, number, tie_break):
    """Make the given merges, then recount everything for each further one."""
    order = tie_order(tie_break)
    words = {word: [word[at : at + 1] for at in range(len(word))] for word in counts}
    merges = []
    while len(merges) < number:
        if len(merges) < len(first):
            best = first[len(merges)]
        else:
            pairs = {}
            for word, tokens in words.items():
                for pair in zip(tokens, tokens[1:]):
                    pairs[pair] = pairs.get(pair, 0) + counts[word]
            pairs = {pair: count for pair, count in pairs.items() if count}
            if not pairs:
                break
            best = max(pairs, key=lambda pair: (pairs[pair], order.rank(pair)))
        words = {word: merge_pair(tokens, best) for word, tokens in words.items()}
        order.learned(best)
        merges.append(best)
    return merges


@given(WORDS, WORDS, st.integers(0, 4), st.integers(0, 8),
       st.sampled_from(["lexicographic", "huggingface"]))
def test_other_text(counts, before, num_given, num_more, tie_break):
    first = learn_merges(before, num_given, tie_break=tie_break)
    expected = by_definition(counts, first, len(first) + num_more, tie_break)
    assert continue_merges(counts, first, len(first) + num_more, learn_merges,
                           tie_break) == expected


@pytest.mark.parametrize("tie_break", ["lexicographic", "huggingface"])
def test_the_same_text_is_one_run(tie_break):
    counts = count_pretokens_in(corpus.web(300_000), [])
    vocab, merges = train_bpe_from_counts(counts, 2_000, ["<e>"], tie_break=tie_break)
    for size in (257, 258, 1_000, 2_000):
        shorter = train_bpe_from_counts(counts, size, ["<e>"], tie_break=tie_break)[1]
        assert train_bpe_from_counts(counts, 2_000, ["<e>"], tie_break=tie_break,
                                     continue_from=shorter) == (vocab, merges)


def test_bad_merges():
    with pytest.raises(ValueError, match="has 2 merges, but the vocabulary has room for only 1"):
        train_bpe_from_counts({b"ab": 1}, 257, [], continue_from=[(b"a", b"b"), (b"c", b"d")])
    with pytest.raises(ValueError, match="no merge before it makes b'bc'"):
        train_bpe_from_counts({b"ab": 1}, 260, [], continue_from=[(b"a", b"bc")])
