"""Rule 8: the same bytes, whatever the hash seed, the workers, the blocks and the scanner's way."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from cs336_bpe import Tokenizer, count_pretokens, train_bpe_from_counts
from cs336_bpe.corpora import generated
from cs336_bpe.native.scan import scanner_paths, use_scanner_path
from cs336_bpe.tokenizer import files
from fuzz.digests import digests

SCRIPT = Path(__file__).with_name("digests.py")
SPECIALS = ["<|endoftext|>", "a b"]


@pytest.fixture(scope="module")
def expected():
    return digests(workers=1)


@pytest.mark.parametrize("workers", [1, 2, 3])
def test_workers_and_runs(expected, workers):
    assert digests(workers) == expected


@pytest.mark.parametrize("path", scanner_paths())
def test_scanner_paths(expected, path):
    use_scanner_path(path)
    try:
        assert digests() == expected
    finally:
        use_scanner_path(None)


def test_hash_seeds(expected):
    """In other processes, with other orders of sets."""
    runs = [subprocess.Popen([sys.executable, SCRIPT], stdout=subprocess.PIPE, text=True,
                             env=os.environ | {"PYTHONHASHSEED": seed}) for seed in ("0", "7")]
    for run in runs:
        output, _ = run.communicate(timeout=300)
        assert run.returncode == 0
        found = dict(reversed(line.split("  ", 1)) for line in output.splitlines())
        assert found == expected


def test_block_sizes(tmp_path, monkeypatch):
    source, target = tmp_path / "text.txt", tmp_path / "ids.npy"
    source.write_text(generated.web(30_000) + "a b é<|endoftext|>" * 50, encoding="utf-8")
    results = set()
    for block_bytes in 50, 1_000, 1 << 20:
        counts = count_pretokens(source, SPECIALS, block_bytes=block_bytes, workers=2)
        counts.save(tmp_path / "counts")
        vocab, merges = train_bpe_from_counts(counts, 400, SPECIALS)
        monkeypatch.setattr(files, "DEFAULT_BLOCK_BYTES", block_bytes)
        Tokenizer(vocab, merges, SPECIALS).encode_file(source, target, workers=2)
        results.add(((tmp_path / "counts").read_bytes(), tuple(merges), target.read_bytes()))
    assert len(results) == 1
