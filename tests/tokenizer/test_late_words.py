"""New words that wait for their ids, and are merged side by side."""

import random
from itertools import pairwise, product

import pytest
from tokenizer.test_words import NONE, engine_of, merged

from cs336_bpe.tokenizer.engine import SMALLEST_CACHE_BYTES, Ids, Specials

TIES = [(b"a", b"a"), (b"a", b"b"), (b"aa", b"a"), (b"b", b"a"), (b"ab", b"ab"), (b"aa", b"aa"),
        (b"ba", b"ab"), (b" ", b"a"), (b" a", b"b"), (b"aaaa", b"b"), (b"abab", b"aa"),
        (b" ab", b"ab"), (b"aaa", b"aaaa"), (b"b", b"b"), (b"bb", b"bb"), (b" ", b"bb")]


def random_merges(rng, number, letters=b" abcdefgh"):
    """Merges of random tokens that are there already, so that all of them can be used."""
    tokens, merges = [bytes([letter]) for letter in letters], []
    while len(merges) < number:
        left, right = rng.choice(tokens), rng.choice(tokens)
        if len(left + right) < 9 and left + right not in tokens and b" " not in right:
            merges.append((left, right))
            tokens.append(left + right)
    return merges


def random_words(rng, number, lengths=range(2, 16), letters=b"abcdefgh"):
    return [bytes([32, *rng.choices(letters, k=rng.choice(lengths) - 1)]) for _ in range(number)]


def check(engine, ids, merges, words, width=4, cache=None):
    expected = [number for word in words for number in merged(word, merges, ids)]
    found = engine.encode_ids(b"".join(words), NONE, width, cache)
    assert len(found) == len(expected)
    if width:
        assert engine.as_list(found) == expected


@pytest.mark.parametrize("width", [0, 2, 4])
def test_all_short_words_of_two_letters(width):
    """With overlaps and ties of every kind; those of more than 15 bytes are never late."""
    words = [b" " + bytes(letters) for length in range(1, 12)
             for letters in product(b"ab", repeat=length)]
    engine, ids = engine_of(TIES)
    check(engine, ids, TIES, words, width)


@pytest.mark.parametrize("first_id", [256, 70_000])
@pytest.mark.parametrize("seed", range(12))
def test_random_words_and_merges(seed, first_id):
    rng = random.Random(seed)
    merges = random_merges(rng, rng.choice([1, 10, 100, 400]))
    engine, ids = engine_of(merges, first_id=first_id)
    check(engine, ids, merges, random_words(rng, 1_500))
    if seed % 2:  # merges in an order in which some come too early to be used at first
        rng.shuffle(merges)
        engine, ids = engine_of(merges, first_id=first_id)
        check(engine, ids, merges, random_words(rng, 500))


@pytest.mark.parametrize("number", [*range(1, 18), 127, 128, 129, 130])
def test_every_number_of_words_that_wait(number):
    rng = random.Random(number)
    merges = random_merges(rng, 50)
    for lengths in ([3], [8], [9, 12], [13, 15], range(2, 16)):
        engine, ids = engine_of(merges)
        check(engine, ids, merges, random_words(rng, number, lengths))


def test_a_word_that_comes_again_before_it_has_its_ids():
    rng = random.Random(336)
    merges = random_merges(rng, 60)
    few = random_words(rng, 40)
    words = [word for word in few for _ in range(3)] + few + rng.choices(few, k=500)
    for order in (words, sorted(words), rng.sample(words, len(words))):
        engine, ids = engine_of(merges)
        cache = engine.new_cache(1 << 20)
        check(engine, ids, merges, order, cache=cache)
        assert cache.num_pretokens == len(set(order))
        check(engine, ids, merges, order, cache=cache)


def test_what_comes_after_a_short_word_is_not_merged_with_it():
    """In its key there are zeros after it, and there may be merges of a letter and a zero."""
    merges = [(bytes([letter]), b"\0") for letter in b"abcdefgh"]
    engine, ids = engine_of(merges)
    check(engine, ids, merges, random_words(random.Random(336), 200))


def test_between_long_words_and_in_a_cache_that_is_often_full():
    rng = random.Random(336)
    merges = random_merges(rng, 200)
    words = random_words(rng, 12_000, [*range(2, 18), 40, 300])
    for limit in (SMALLEST_CACHE_BYTES, 8 << 20):
        engine, ids = engine_of(merges)
        cache = engine.new_cache(limit)
        check(engine, ids, merges, words, cache=cache)
        assert (cache.times_full > 0) == (limit == SMALLEST_CACHE_BYTES)


def test_words_that_are_tokens_as_a_whole():
    rng = random.Random(336)
    merges = random_merges(rng, 80)
    words = random_words(rng, 2_000)
    wholes = {word: number for number, word in enumerate(words[:300])}
    engine, ids = engine_of(merges, wholes)
    expected = [number for word in words
                for number in ([wholes[word]] if word in wholes else merged(word, merges, ids))]
    assert engine.as_list(engine.encode_ids(b"".join(words), NONE, 4)) == expected


def test_special_tokens_between_words_that_wait():
    rng = random.Random(336)
    merges = random_merges(rng, 80)
    engine, ids = engine_of(merges)
    words = random_words(rng, 3_000)
    expected, text = [], b""
    for number, word in enumerate(words):
        expected += merged(word, merges, ids)
        text += word
        if number % 7 == 0:
            expected.append(999)
            text += b"<e>"
    specials = Specials({"<e>": 999})
    assert engine.as_list(engine.encode_ids(text, specials, 4)) == expected
    # A str that isn't ASCII is encoded by stretches.
    engine, _ = engine_of(merges)
    found = engine.as_list(engine.encode_ids(text.decode() + "é", specials, 4))
    assert found == [*expected, 0xC3, 0xA9]


def test_of_many_texts_each_has_its_own_ids():
    rng = random.Random(336)
    merges = random_merges(rng, 80)
    engine, ids = engine_of(merges)
    texts = [b"".join(random_words(rng, rng.randrange(30))).decode() for _ in range(300)]
    found, offsets = engine.encode_many(texts, NONE, 4)
    one, _ = engine_of(merges)
    lists = engine.as_lists(found, offsets)
    assert lists == [one.encode_list(text, NONE) for text in texts]
    assert lists == [[number for word in text.encode().split(b" ")[1:]
                      for number in merged(b" " + word, merges, ids)] for text in texts]


def test_words_of_a_text_that_turns_out_to_be_wrong_are_forgotten():
    """They must not get their ids in the next text. What is wrong comes a while after them: later
    than a batch of pretokens and than a stretch of a str, but before they would get their ids."""
    rng = random.Random(336)
    merges = [*random_merges(rng, 80), (b" ", b"z"), (b" z", b"y"), (b" zy", b"x")]
    engine, ids = engine_of(merges)
    cache = engine.new_cache(1 << 20)
    for wrong, strict in ((b"\xff", True), ("\ud800", False)):
        words = b"".join(random_words(rng, 60)) + 10_000 * b" zyx"
        if strict:
            assert engine.encode_ids(words + wrong, NONE, 4, cache, strict=True) is None
        else:
            with pytest.raises(ValueError, match="surrogate"):
                engine.encode_ids("é" + words.decode() + wrong, NONE, 4, cache)
        check(engine, ids, merges, random_words(rng, 5), cache=cache)


def test_words_of_a_wrong_text_get_their_ids_when_they_come_again():
    rng = random.Random(336)
    merges = random_merges(rng, 80)
    words = random_words(rng, 100)
    for again in (words, words[:50], words[:1] * 30):
        engine, ids = engine_of(merges)
        cache = engine.new_cache(1 << 20)
        assert engine.encode_ids(b"".join(words) + b"\xff", NONE, 4, cache, strict=True) is None
        for _ in range(2):
            check(engine, ids, merges, again, cache=cache)
        found = engine.encode_pieces(words, 4, cache)
        assert engine.as_list(found) == [n for word in words for n in merged(word, merges, ids)]
        assert cache.num_pretokens == len({*words})


def test_parts_of_a_long_word_that_wait_as_words():
    """No merge crosses the bytes of `é`, so what is between two of them is a part."""
    rng = random.Random(336)
    merges = random_merges(rng, 80, letters=b"abcdefgh")
    engine, ids = engine_of(merges)
    cache = engine.new_cache(1 << 20)
    for _ in range(200):
        short = [bytes(rng.choices(b"abcdefgh", k=rng.randrange(4, 12))) for _ in range(3)]
        words = [*short, "é".encode() + "éé".encode().join(short) + "éé".encode(), *short]
        expected = [number for word in words for number in merged(word, merges, ids)]
        found = engine.encode_ids(b"\n".join(words), NONE, 4, cache)
        assert [number for number in engine.as_list(found) if number != 10] == expected


def test_words_wait_while_the_table_grows_and_moves():
    """Their places in it are other ones afterwards. Most words are short and new."""
    rng = random.Random(336)
    merges = random_merges(rng, 80)
    for rounds in range(3):
        engine, ids = engine_of(merges)
        cache = engine.new_cache(8 << 20)
        words = random_words(rng, 9_000, range(5, 9))
        if rounds:  # and few at a time, between words that are known
            known = words[:5]
            words = [word for one in words for word in (one, *rng.choices(known, k=20 * rounds))]
        check(engine, ids, merges, words, cache=cache)
        check(engine, ids, merges, words[-2_000:], cache=cache)
        assert cache.num_pretokens == len({*words})


@pytest.mark.parametrize("last", ["x", "é", "日", "😀"])
def test_parts_of_a_text_one_after_the_other(last):
    rng = random.Random(336)
    merges = random_merges(rng, 80)
    engine, _ = engine_of(merges)
    text = b"".join(random_words(rng, 2_000)).decode() + last
    whole = engine.as_list(engine.encode_ids(text, NONE, 4))
    cuts = [0, *sorted(rng.sample([at for at, letter in enumerate(text) if letter == " "][1:], 9)),
            len(text)]
    for given in (text, text.encode()):
        ends = cuts if given is text else [len(text[:cut].encode()) for cut in cuts]
        ids = Ids(4, 0)
        for start, stop in pairwise(ends):
            engine.encode_part(given, start, stop, NONE, ids)
        assert engine.as_list(ids) == whole
        with pytest.raises(ValueError, match="there is no part"):
            engine.encode_part(given, 0, len(given) + 1, NONE, ids)
        with pytest.raises(ValueError, match="there is no part"):
            engine.encode_part(given, 2, 1, NONE, ids)
    ids.clear()
    assert len(ids) == 0
    engine.encode_part(text, 0, len(text), NONE, ids)
    assert engine.as_list(ids) == whole
    memoryview(ids)
    for change in (ids.clear, lambda: engine.encode_part(text, 0, 1, NONE, ids)):
        with pytest.raises(ValueError, match="in use"):
            change()
