"""Little memory, files that change while they are read, and programs that end with threads."""

import os
import subprocess
import sys
import threading

import pytest

from cs336_bpe import Tokenizer, count_pretokens
from cs336_bpe.common import progress
from cs336_bpe.corpora import generated as corpus
from cs336_bpe.pretokenize import stage12_rolling
from cs336_bpe.rules import BYTES
from cs336_bpe.tokenizer import files


def run(code, *arguments, **options):
    return subprocess.run([sys.executable, "-c", code, *map(str, arguments)], capture_output=True,
                          text=True, check=False, timeout=120, **options)


LITTLE_MEMORY = """if True:
    import resource, sys
    import numpy
    from cs336_bpe import Tokenizer, count_pretokens_in, train_bpe_from_counts
    from cs336_bpe.rules import BYTES
    counts = {b"ab%d" % n: 1 for n in range(100)}
    merges = train_bpe_from_counts(counts, 300, [])[1]
    tokenizer = Tokenizer(*train_bpe_from_counts(counts, 300, []))
    ids = tokenizer.encode("ab12 ab13")
    text = b"".join(b"word%d " % n for n in range(1_000_000))
    used = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
    results = []
    for more in (1, 5, 20, 60):
        limit = used + more * 2**20
        resource.setrlimit(resource.RLIMIT_AS, (limit, resource.RLIM_INFINITY))
        for call in (lambda: tokenizer.encode_array(text, workers=1),
                     lambda: tokenizer.encode_array(text, workers=2),
                     lambda: count_pretokens_in(text, [], workers=1),
                     lambda: count_pretokens_in(text, [], workers=2),
                     lambda: tokenizer.decode(numpy.full(50_000_000, 97, "uint16"))):
            try:
                call()
                results.append("done")
            except MemoryError:
                results.append("no memory")
            except Exception as error:
                results.append(repr(error))
        resource.setrlimit(resource.RLIMIT_AS, (resource.RLIM_INFINITY,) * 2)
        assert tokenizer.encode("ab12 ab13") == ids
        assert train_bpe_from_counts(counts, 300, [])[1] == merges
    print(sorted(set(results)))
"""


@pytest.mark.skipif(sys.platform != "linux", reason="needs RLIMIT_AS and /proc")
def test_little_memory_is_a_memory_error():
    done = run(LITTLE_MEMORY)
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() in ("['done', 'no memory']", "['no memory']")


@pytest.mark.parametrize("change", ["shorter", "longer", "other text"])
def test_a_file_that_changes_while_it_is_encoded(tmp_path, monkeypatch, change):
    """An error that names it, or the ids of what was read; nothing else is left."""
    monkeypatch.setattr(files, "DEFAULT_BLOCK_BYTES", 1000)
    monkeypatch.setattr(progress, "SECONDS_BETWEEN_CALLS", 0)
    path, out = tmp_path / "text.txt", tmp_path / "ids"
    path.write_text(corpus.stories(300_000))
    size = path.stat().st_size
    changed = threading.Event()

    def change_it(phase, done, total):
        if changed.is_set():
            return
        changed.set()
        if change == "shorter":
            os.truncate(path, 100_000)
        elif change == "longer":
            with path.open("ab") as file:
                file.write(b"more " * 1000)
        else:
            with path.open("r+b") as file:
                file.write(b"x" * size)

    tokenizer = Tokenizer(dict(enumerate(BYTES)), [])
    if change == "shorter":
        with pytest.raises(OSError, match=r"text\.txt became shorter while it was read"):
            tokenizer.encode_file(path, out, workers=1, progress=change_it)
        assert os.listdir(tmp_path) == ["text.txt"]
    else:
        assert tokenizer.encode_file(path, out, workers=1, progress=change_it) == size
        assert sorted(os.listdir(tmp_path)) == ["ids", "text.txt"]
    assert changed.is_set()


AT_EXIT = """if True:
    import sys, threading, time
    from cs336_bpe import Tokenizer, count_pretokens_in
    from cs336_bpe.rules import BYTES
    tokenizer = Tokenizer(dict(enumerate(BYTES)), [])
    text = b"some words and others " * 500_000
    def work():
        while True:
            tokenizer.encode_array(text, workers=2)
            count_pretokens_in(text, [], workers=2)
    for _ in range(4):
        threading.Thread(target=work, daemon=True).start()
    time.sleep(0.2)
    print("bye", flush=True)
"""


def test_the_program_ends_while_threads_are_busy():
    done = run(AT_EXIT)
    assert (done.returncode, done.stdout) == (0, "bye\n"), done.stderr


FORK = """if True:
    import os, threading
    from cs336_bpe import Tokenizer
    from cs336_bpe.rules import BYTES
    tokenizer = Tokenizer(dict(enumerate(BYTES)), [])
    text = b"some words and others " * 10_000
    tokenizer.encode_array(text)  # imports numpy: a child must not wait for a thread's import
    stop = threading.Event()
    def work():
        while not stop.is_set():
            tokenizer.encode_array(text)
    threads = [threading.Thread(target=work) for _ in range(3)]
    for thread in threads:
        thread.start()
    codes = []
    for _ in range(10):
        child = os.fork()
        if not child:
            os._exit(0 if tokenizer.encode_array(text).tolist() == list(text) else 1)
        codes.append(os.waitpid(child, 0)[1])
    stop.set()
    print(codes)
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_fork_beside_busy_threads():
    done = run(FORK)
    assert done.stdout == f"{[0] * 10}\n", done.stderr


def test_counting_a_file_that_grows(tmp_path, monkeypatch):
    path = tmp_path / "text.txt"
    path.write_bytes(b"one two " * 10_000)
    monkeypatch.setattr(progress, "SECONDS_BETWEEN_CALLS", 0)

    def grow(phase, done, total):
        with path.open("ab") as file:
            file.write(b"three ")

    counts = stage12_rolling.count_pretokens(path, [], workers=1, block_bytes=1000, progress=grow)
    assert counts == {b"one": 1, b" one": 9_999, b" two": 10_000, b" ": 1}
    assert count_pretokens(path, [])[b" three"] > 1
