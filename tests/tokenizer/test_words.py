"""The engine's cache of words: crafted words, text that changes, strings by stretches, batches."""

import gc
import itertools
import random
import threading

import pytest
from tokenizer.oracle import tokenizer_and_oracle

from cs336_bpe import Tokenizer, train_bpe_from_counts
from cs336_bpe.formats.columns import columns_of
from cs336_bpe.native.scanner import compiled
from cs336_bpe.rules import BYTES, GPT2_PATTERN
from cs336_bpe.tokenizer.engine import Engine, Specials

STRETCH = 1 << 15  # characters of a str that are converted at a time
NONE = Specials({})


def engine_of(merges, wholes=None, first_id=256):
    tokens = dict(enumerate(BYTES))
    for left, right in merges:
        tokens[first_id + len(tokens) - 256] = left + right
    ids = {token: number for number, token in tokens.items()}
    engine = Engine(tokens, columns_of(ids, merges, in_order=False), 1 << 20, wholes)
    engine.use_pattern(compiled(GPT2_PATTERN))
    return engine, ids


def merged(pretoken, merges, ids):
    """Merge the pair of the lowest rank, the leftmost first, until there is none."""
    ranks = {pair: rank for rank, pair in enumerate(merges)}
    parts = [bytes([byte]) for byte in pretoken]
    while True:
        found = [(ranks[pair], place) for place, pair in enumerate(zip(parts, parts[1:]))
                 if pair in ranks]
        if not found:
            return [ids[part] for part in parts]
        place = min(found)[1]
        parts[place : place + 2] = [parts[place] + parts[place + 1]]


# --- Words that were made to collide ------------------------------------------------------------


@pytest.mark.parametrize("first_id", [256, 70_000])
def test_words_that_collide_move_the_table_once(first_id):
    merges = [(b"a", b"b"), (b"ab", b"ab")]
    engine, ids = engine_of(merges, first_id=first_id)
    cache = engine.new_cache(8 << 20)
    first, second = cache.secret
    assert first != second
    # The hash is a product with (first 8 bytes ^ first secret): here it is 0 for all of them.
    rng = random.Random(336)
    words = [first.to_bytes(8, "little") + bytes(rng.choices(b"abcdefgh", k=7))
             for _ in range(20_000)]
    expected = [number for word in words for number in merged(word, merges, ids)]
    for _ in range(2):
        assert engine.as_list(engine.encode_pieces(words, 4, cache)) == expected
    assert cache.secret != (first, second)
    assert cache.num_pretokens >= len(set(words)) - 200  # but for those that made it move
    assert cache.times_full == 0


def test_long_words_with_one_hash_and_one_length_are_told_apart():
    merges = [(b"a", b"b"), (b"ab", b"ab")]
    engine, ids = engine_of(merges)
    cache = engine.new_cache(8 << 20)
    _, second = cache.secret
    # In each 16 bytes the first 8 are half of the secret: every product is 0, and so is the hash.
    words = [(second.to_bytes(8, "little") + part) * 2 for part in (b"abababab", b"aaaabbbb",
                                                                    b"babababa")]
    expected = [number for word in words for number in merged(word, merges, ids)]
    for _ in range(2):
        assert engine.as_list(engine.encode_pieces(words, 4, cache)) == expected
    assert cache.num_pretokens >= 3


def test_two_caches_never_depend_on_their_secrets():
    tokenizer, _ = tokenizer_and_oracle()
    text = "a few words, and more words that are longer than sixteen bytes: " * 3
    assert tokenizer.encode(text) == Tokenizer(tokenizer.vocab, tokenizer.merges,
                                               tokenizer.special_tokens).encode(text)


# --- Words that can be cut into parts -----------------------------------------------------------


def some_merges(rng, alphabet, number):
    """Merges of tokens that were made before, as training makes them."""
    tokens = [bytes([byte]) for byte in alphabet]
    merges = []
    while len(merges) < number:
        pair = rng.choice(tokens), rng.choice(tokens)
        if pair not in merges and b"".join(pair) not in tokens and len(b"".join(pair)) < 9:
            merges.append(pair)
            tokens.append(b"".join(pair))
    return merges


@pytest.mark.parametrize("alphabet", [b"\xe3\x81\xaf", b"\xd0\xb0z", b"abc"])
@pytest.mark.parametrize("number", [1, 2, 3, 5, 9])
def test_all_words_of_few_bytes(alphabet, number):
    """Parts of up to three bytes are merged without a search."""
    rng = random.Random(number)
    words = [bytes(word) for size in range(1, 6)
             for word in itertools.product(alphabet, repeat=size)]
    for _ in range(12):
        merges = some_merges(rng, alphabet, number)
        engine, ids = engine_of(merges)
        expected = [number for word in words for number in merged(word, merges, ids)]
        for _ in range(2):
            assert engine.as_list(engine.encode_pieces(words, 4)) == expected


@pytest.mark.parametrize("apart", [b"", b"\xff", b"\xfe\xff"])
@pytest.mark.parametrize("wholes", [False, True])
def test_parts_that_end_anywhere(apart, wholes):
    """Long words are looked at in windows of 64 bytes, and a part may lie across their ends."""
    rng = random.Random(len(apart))
    merges = some_merges(rng, b"ab\xe9", 6)
    engine, ids = engine_of(merges)
    if wholes:
        wholes = {token: number for token, number in ids.items() if len(token) > 3}
        engine, _ = engine_of(merges, wholes)
    words = []
    for size in [*range(1, 18), *range(58, 70), 100, 127, 128, 129, 190, 255, 256, 300]:
        for longest in 1, 2, 3, 4, 9, 40, 80:
            word = b""
            while len(word) < size:
                word += bytes(rng.choices(b"ab\xe9", k=rng.randint(1, longest))) + apart
            words.append(word[:size])
    words = [word for word in words if not wholes or word not in wholes]
    expected = [merged(word, merges, ids) for word in words]
    for _ in range(2):
        got = [engine.as_list(engine.encode_pieces([word], 4)) for word in words]
        assert got == expected
    everything = engine.as_list(engine.encode_pieces(words, 4))
    assert everything == [number for word in expected for number in word]


def test_a_part_longer_than_a_window_ends_where_no_merge_crosses():
    """A merge crosses from `a` to `b`, and none from `b` to `a`."""
    merges = [(b"a", b"b"), (b"a", b"a"), (b"aa", b"aa")]
    engine, ids = engine_of(merges)
    words = [b"a" * before + b"b" + b"a" * after for before in [*range(60, 70), 127, 200]
             for after in (0, 1, 20)]
    found = engine.as_list(engine.encode_pieces(words, 4))
    assert found == [number for word in words for number in merged(word, merges, ids)]


# --- Text that changes while it is read ---------------------------------------------------------


def test_a_buffer_that_changes_poisons_nothing():
    counts = {b" low": 5, b" lower": 2, b"aaaaaaaaaaaa": 6}
    tokenizer = Tokenizer(*train_bpe_from_counts(counts, 265, []))
    words = b" secret", b" secret as long as this is"
    others = b" public", b" public as long as this is"
    for word, other in zip(words, others):
        buffer = bytearray(b"a" * 2_000_000 + word + b" x" * 2000)
        started = threading.Event()

        def change(buffer=buffer, other=other, started=started):
            started.wait()
            buffer[2_000_000 : 2_000_000 + len(other)] = other

        thread = threading.Thread(target=change)
        thread.start()
        started.set()
        tokenizer.encode_array(buffer)
        thread.join()
        for text in word.decode(), other.decode():
            assert tokenizer.decode(tokenizer.encode(text)) == text


# --- A str, a stretch at a time -----------------------------------------------------------------

WIDEST = {1: "\xe9", 2: "\u65e5", 4: "\U0001f600"}


@pytest.mark.parametrize("kind", WIDEST)
@pytest.mark.parametrize("space", [" ", ""])
def test_special_tokens_at_every_place_of_a_stretch(kind, space):
    tokenizer, _ = tokenizer_and_oracle()
    special = max(tokenizer.special_tokens, key=len)
    around = [*range(STRETCH - 40, STRETCH + 3), 2 * STRETCH - 10, 3 * STRETCH - 3]
    for place in around:
        word = f"{space}caf{WIDEST[kind]}s"
        text = (word * (place // len(word) + 1))[:place] + special + word * 9_000
        assert tokenizer.encode(text) == tokenizer.encode_array(text.encode()).tolist()


def test_stretches_of_random_text():
    tokenizer, _ = tokenizer_and_oracle()
    rng = random.Random(336)
    pieces = [" the", "\n\n", "  ", "\u00e9", "\u65e5\u672c", "\U0001f600", "'ll", "x" * 400, "7",
              *tokenizer.special_tokens]
    for _ in range(20):
        text = "".join(rng.choices(pieces, k=30_000))
        assert tokenizer.encode(text) == tokenizer.encode_array(text.encode()).tolist()


@pytest.mark.parametrize("place", [0, 5, STRETCH - 1, STRETCH, 3 * STRETCH])
@pytest.mark.parametrize("filler", ["a ", "\U0001f600"])
def test_a_lone_surrogate_anywhere(place, filler):
    tokenizer, _ = tokenizer_and_oracle()
    text = (filler * (place + 1))[:place] + "\ud800" + filler * 9
    message = f"text has a lone surrogate, '.ud800', at character {place}: it has no UTF-8 form"
    for call in (tokenizer.encode, tokenizer.encode_array, tokenizer.count,
                 lambda text: tokenizer.encode_batch(["ok", text]),
                 lambda text: tokenizer.encode_batch_arrays(["ok", text])):
        with pytest.raises(ValueError, match=message):
            call(text)
    assert tokenizer.encode("ok") == tokenizer.encode_array(b"ok").tolist()


# --- Batches ------------------------------------------------------------------------------------


@pytest.mark.parametrize("workers", [1, 2])
@pytest.mark.parametrize("dtype", [None, "uint32", "int64"])
def test_batches_as_arrays(workers, dtype):
    tokenizer, _ = tokenizer_and_oracle()
    special = next(iter(tokenizer.special_tokens))
    rng = random.Random(336)
    pieces = ["", " the", "\u00e9t\u00e9", "\U0001f600", special, "a" * 50]
    texts = ["".join(rng.choices(pieces, k=rng.randrange(9))) for _ in range(3_000)]
    expected = [tokenizer.encode(text) for text in texts]
    assert tokenizer.encode_batch(texts, workers=workers) == expected
    ids, offsets = tokenizer.encode_batch_arrays(texts, dtype, workers=workers)
    assert ids.dtype == (dtype or tokenizer.smallest_dtype)
    assert [ids[start:stop].tolist() for start, stop in zip(offsets, offsets[1:])] == expected


def test_an_empty_batch():
    tokenizer, _ = tokenizer_and_oracle()
    ids, offsets = tokenizer.encode_batch_arrays([])
    assert (ids.tolist(), offsets.tolist(), tokenizer.encode_batch([])) == ([], [0], [])


def test_a_batch_with_another_pattern():
    tokenizer = Tokenizer(dict(enumerate(BYTES)), [], pattern="x|[^x]+")
    ids, offsets = tokenizer.encode_batch_arrays(["axb", "", "x"])
    assert (ids.tolist(), offsets.tolist()) == ([97, 120, 98, 120], [0, 3, 3, 4])
    assert tokenizer.encode_batch(["axb", "", "x"]) == [[97, 120, 98], [], [120]]


def test_a_batch_refuses_special_tokens():
    tokenizer, _ = tokenizer_and_oracle()
    special = next(iter(tokenizer.special_tokens))
    with pytest.raises(ValueError, match="contains the special token"):
        tokenizer.encode_batch_arrays(["a", f"b{special}"], specials="raise")


@pytest.mark.parametrize("enabled", [True, False])
def test_the_garbage_collector_is_as_it_was(enabled):
    tokenizer, _ = tokenizer_and_oracle()
    was = gc.isenabled()
    try:
        (gc.enable if enabled else gc.disable)()
        tokenizer.encode_batch(["a b"] * 3_000)
        assert gc.isenabled() == enabled
    finally:
        (gc.enable if was else gc.disable)()


def test_a_long_list_counts_its_references():
    """Where references are counted once per id, a deleted list must leave all as it was."""
    tokenizer = Tokenizer(dict(enumerate(BYTES)), [], cache_bytes=1 << 20)
    text = "abc " * 100_000
    for _ in range(3):
        ids = tokenizer.encode(text)
        assert ids == list(text.encode())
        del ids
    wide = Tokenizer({number + 1000: token for number, token in enumerate(BYTES)}, [])
    for _ in range(3):
        ids = wide.encode(text)
        assert ids == [byte + 1000 for byte in text.encode()]
        del ids
    assert wide.encode("abc") == [1097, 1098, 1099]


def test_a_cache_that_was_full_has_as_much_room_as_before():
    """Words whose ids are in the pools: of 100,000 about 7,000 fit."""
    engine, _ = engine_of([])
    cache = engine.new_cache(1 << 20)
    for start in range(0, 100_000, 500):
        engine.encode_pieces([b"%020d" % number for number in range(start, start + 500)], 2, cache)
    assert 5 <= cache.times_full <= 30


# --- Other people's merges ----------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(30))
def test_merges_that_come_before_their_parts(seed):
    rng = random.Random(seed)
    merges, tokens = [], [b"a", b"b", b"c"]
    while len(merges) < 12:
        left, right = rng.choices(tokens, k=2)
        if left + right not in tokens and len(left + right) < 12:
            merges.append((left, right))
            tokens.append(left + right)
    rng.shuffle(merges)
    engine, ids = engine_of(merges)
    for length in [1, 2, 5, 8, 9, 15, 16, 17, 33, 100, 127, 128, 129, 400]:
        word = bytes(rng.choices(b"abc", k=length))
        expected = merged(word, merges, ids)
        for _ in range(2):
            assert engine.as_list(engine.encode_pieces([word], 2)) == expected


@pytest.mark.parametrize("letters", [b"ab", b"abcd", bytes(range(97, 123))])
def test_words_of_every_length(letters):
    rng = random.Random(336)
    counts = {bytes(rng.choices(letters, k=rng.randrange(2, 9))): 1 for _ in range(300)}
    _, merges = train_bpe_from_counts(counts, 256 + 150, [])
    engine, ids = engine_of(merges)
    for length in range(1, 280):
        word = bytes(rng.choices(letters, k=length))
        assert engine.as_list(engine.encode_pieces([word], 2)) == merged(word, merges, ids)


@pytest.mark.parametrize("letters", [b"a", b"ab", b"aaaab"])
def test_long_words_with_a_merge_whose_part_is_made_later(letters):
    """Then merges can't be gone through once, in order; of equal ones the leftmost comes first. Any
    two letters are merged, so a word is not cut; and often the one on the right before the left."""
    merges = [(b"aaa", b"b"), (b"aa", b"a"), (b"a", b"a"), (b"b", b"b"), (b"a", b"b"), (b"b", b"a"),
              (b"aa", b"bb")]
    engine, ids = engine_of(merges)
    rng = random.Random(336)
    for length in (127, 128, 129, 130, 131, 200, 255, 256, 300):
        word = bytes(rng.choices(letters, k=length))
        assert engine.as_list(engine.encode_pieces([word], 2)) == merged(word, merges, ids)


def test_what_comes_after_the_bytes_of_a_word_is_not_merged_with_them():
    """In the cache, zeros and the length come after a short word."""
    after = [b"\x00", *(bytes([length]) for length in range(1, 17))]
    merges = [*((b"a", byte) for byte in after), (b"b", b"b"), (b"b", b"a")]
    engine, ids = engine_of(merges)
    for length in range(1, 40):
        word = b"b" * (length - 1) + b"a"
        expected = merged(word, merges, ids)
        for _ in range(2):
            assert engine.as_list(engine.encode_pieces([word], 2)) == expected
            assert engine.as_list(engine.encode_ids(word + b" \x00", NONE, 2)) == [*expected, 32, 0]


def test_whole_pretokens_that_are_tokens():
    merges = [(b"a", b"b"), (b"ab", b"c")]
    long = b"ab-" * 10
    engine, ids = engine_of(merges, {b"bc": 300, b"abcabc": 301, long: 302, b"ab": 303, b"-": 304})
    for _ in range(2):
        for word, expected in ((b"bc", [300]), (b"abcabc", [301]), (long, [302]), (b"ab", [303]),
                               (b"bcb", [98, 99, 98]), (b"abc", [ids[b"abc"]])):
            assert engine.as_list(engine.encode_pieces([word], 2)) == expected
    # A part of a word is no whole pretoken, even where a word is cut, and was looked up before.
    word = b"ab-" * 9
    assert engine.as_list(engine.encode_pieces([word], 2)) == merged(word, merges, ids)
    text = "ab-" * 100
    assert engine.as_list(engine.encode_ids(text, NONE, 2)) == 100 * [303, 304]


def test_a_part_of_a_word_that_would_be_a_token_as_a_whole():
    """Of three letters, because fewer are not looked for; the word is cut beside the hyphens."""
    merges = [(b"a", b"b"), (b"b", b"a")]
    engine, ids = engine_of(merges, {b"aba": 300})
    for word, expected in ((b"aba", [300]), (b"aba-" * 9, merged(b"aba-" * 9, merges, ids))):
        for _ in range(2):
            assert engine.as_list(engine.encode_pieces([word], 2)) == expected


def test_ids_of_four_bytes_at_the_end_of_the_table():
    """Wide ids in every place of the table, the last one too; the sanitizers see what is read."""
    engine, ids = engine_of([(b"a", b"b")], first_id=70_000)
    ends = [bytes(b"klmnopqrst"[int(digit)] for digit in str(number)) for number in range(20_000)]
    text = b"".join(b" ab" + end for end in ends)
    expected = [number for end in ends for number in [32, ids[b"ab"], *end]]
    for _ in range(3):
        assert engine.as_list(engine.encode_ids(text, NONE, 4)) == expected
