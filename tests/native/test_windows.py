"""Very long words, which are merged window by window."""

import random
import re
import subprocess
from pathlib import Path

import pytest
from native.programs import PACKAGE, built

from cs336_bpe import train_bpe_from_counts
from cs336_bpe.encode import stage09_scanned_pairs, stage18_side_by_side

HEADER = (PACKAGE / "encode" / "merge_lists.h").read_text("utf-8")
WINDOW = int(re.search(r"#define CS336_BPE_WINDOW (\d+)", HEADER)[1])  # bytes of the first one


@pytest.mark.parametrize("window", [8, 16, 32, 64])
def test_windows_give_the_tokens_of_the_whole_word(window, tmp_path):
    """With windows so small that many do not agree, and merges of two letters in any order."""
    program = built(Path(__file__).with_name("check_windows.cpp"), f"CS336_BPE_WINDOW={window}",
                    folder=tmp_path)
    done = subprocess.run([program], capture_output=True, text=True, check=False, timeout=600)
    assert done.returncode == 0, done.stdout
    agreed, not_agreed, by_heap = (int(word) for word in done.stdout.split() if word.isdigit())
    assert agreed > 1000
    assert not_agreed > 100
    assert by_heap > 100


LETTERS = [b"a", b"ab", b"0123456789", b"aaab"]


@pytest.mark.parametrize("letters", LETTERS, ids=repr)
def test_words_of_several_windows(letters):
    """Every pair of these letters is in some token, so nothing cuts the words."""
    rng = random.Random(336)
    counts = {bytes(rng.choices(letters, k=n)): rng.randrange(1, 50)
              for n in (2, 5, 12, 200) for _ in range(60)}
    vocab, merges = train_bpe_from_counts(counts, 256 + (7 if letters == b"a" else 60), [])
    expected = stage09_scanned_pairs.Encoder(vocab, merges)  # with a heap
    encoder = stage18_side_by_side.Encoder(vocab, merges)
    for size in (WINDOW - 1, WINDOW, WINDOW + 1, WINDOW + 2, 2 * WINDOW, 5 * WINDOW + 333):
        word = bytes(rng.choices(letters, k=size))
        assert encoder.encode_pretoken(word) == expected.encode_pretoken(word), size
