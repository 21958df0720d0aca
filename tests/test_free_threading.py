"""Threads that share one tokenizer, also in a Python without the interpreter's lock.

In such a Python (3.13t, 3.14t) a module that does not say it is safe turns the lock on again, for
the whole program. setup.py lists those that don't say so; the product uses none of them.
"""

import subprocess
import sys
import sysconfig
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from threading import Barrier

import pytest

from cs336_bpe import Tokenizer, count_pretokens_in, train_bpe_from_counts
from cs336_bpe.corpora import generated

THREADS = 4
SPECIALS = ["<|endoftext|>"]


@pytest.fixture
def often():
    """Threads take turns as often as they can, where there is a lock."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


def in_threads(work):
    """What a function returns in each of several threads that start at the same time."""
    barrier = Barrier(THREADS)

    def start(number):
        barrier.wait()
        return work(number)

    with ThreadPoolExecutor(THREADS) as pool:
        return list(pool.map(start, range(THREADS)))


@pytest.mark.usefixtures("often")
def test_everything_at_once():
    texts = [generated.web(20_000, seed=number) for number in range(THREADS)]
    counts = count_pretokens_in(texts, SPECIALS)
    vocab, merges = train_bpe_from_counts(counts, 600, SPECIALS)
    shared = Tokenizer(vocab, merges, SPECIALS, cache_bytes=200_000)  # it is emptied now and then
    expected = [Tokenizer(vocab, merges, SPECIALS).encode(text) for text in texts]

    def work(number):
        for _ in range(3):
            assert shared.encode(texts[number]) == expected[number]
            assert shared.decode(expected[number]) == texts[number]
            assert list(shared.encode_iterable(texts[number].splitlines(True))) == expected[number]
            assert shared.encode_batch(texts, workers=2) == expected
            assert count_pretokens_in(texts, SPECIALS, workers=2) == counts
            assert train_bpe_from_counts(counts, 300, SPECIALS)[1] == merges[:43]
        return True

    assert all(in_threads(work))


@pytest.mark.usefixtures("often")
def test_a_list_that_changes_while_it_is_decoded():
    tokenizer = Tokenizer({number: bytes([number]) for number in range(256)}, [])
    ids = list(range(128)) * 50

    def work(number):
        for turn in range(200):
            if number == 0:
                del ids[len(ids) // 2 :]
                ids.extend(range(128))
                ids.extend([number + turn + 1000] * (turn % 2))  # which is no int of a small cache
                ids.extend(list(range(128)) * 25)
                continue
            with suppress(ValueError):  # there was a wrong one
                assert set(tokenizer.decode_bytes(ids)) <= set(range(128))
        return True

    assert all(in_threads(work))


@pytest.mark.skipif(not sysconfig.get_config_var("Py_GIL_DISABLED"),
                    reason="this Python has the interpreter's lock")
def test_the_product_does_not_turn_the_lock_on():
    program = """
import sys
from cs336_bpe import Tokenizer, count_pretokens_in, train_bpe_from_counts
counts = count_pretokens_in(["low lower lowest"], [])
tokenizer = Tokenizer(*train_bpe_from_counts(counts, 260, []))
assert tokenizer.decode(tokenizer.encode("lower")) == "lower"
print(sys._is_gil_enabled())
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True,
                          check=True)
    assert done.stdout == "False\n", done.stderr
