"""The measurement behind docs/formats/formats.md: how long the worst files hold a reader up.

    python benchmarks/run_formats.py

Each file is as large as a reader accepts, and is read in a fresh process, which has to refuse it or
to read it. Saves results/formats_worst_files.json.
"""

import base64
import json
import subprocess
import sys
import tempfile
from functools import partial
from pathlib import Path

import common
from common import run_experiments

from cs336_bpe.formats import safe_json
from cs336_bpe.formats.tiktoken import MAX_RANK_FILE_BYTES

save = partial(common.save, "formats")

READ = """
import json, sys, time
from cs336_bpe.measure.process import peak_memory, reset_peak_memory
from cs336_bpe.formats import read_gpt2, read_tiktoken
reader, *paths = sys.argv[1:]
before = reset_peak_memory()
start = time.perf_counter()
try:
    {"read_gpt2": read_gpt2, "read_tiktoken": read_tiktoken}[reader](*paths)
    answer = "read"
except ValueError as error:
    answer = str(error)[-200:]
print(json.dumps({"seconds": time.perf_counter() - start, "peak_bytes": peak_memory() - before,
                  "answer": answer}))
"""


def empty_lists(size):
    return b"[" + b"[]," * ((size - 3) // 3) + b"1]"


def lists(number):
    return b"[" + b"[]," * number + b"1]"


def keys(size, number):
    """An object with so many keys, of a length that fills the file."""
    length = size // number - 11
    return b"{" + b",".join(b'"%0*x":%d' % (length, n, n) for n in range(number)) + b"}"


def runs_of_a(size):
    """Ranks for all bytes, and then for `aa`, `aaa`, `aaaa` and so on."""
    lines = [base64.b64encode(bytes([byte])) + b" %d\n" % byte for byte in range(256)]
    length = sum(map(len, lines))
    number = 2
    while True:
        line = base64.b64encode(b"a" * number) + b" %d\n" % (254 + number)
        length += len(line)
        if length > size:
            return b"".join(lines)
        lines.append(line)
        number += 1


def worst_files():
    """The largest files that are accepted, made to be slow."""
    cases = [("`[],` as often as fits, as a `vocab.json`", "read_gpt2",
              empty_lists(safe_json.MAX_FILE_BYTES)),
             ("`[],` as often as is allowed", "read_gpt2", lists(safe_json.MAX_VALUES // 2 - 2)),
             ("as many keys as are allowed, as a `vocab.json`", "read_gpt2",
              keys(safe_json.MAX_FILE_BYTES, safe_json.MAX_VALUES // 2 - 1)),
             ("ranks for `aa`, `aaa`, `aaaa` and so on", "read_tiktoken",
              runs_of_a(MAX_RANK_FILE_BYTES))]
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        merges = Path(folder, "merges.txt")
        merges.write_text("#version: 0.2\n", "utf-8")
        for title, reader, content in cases:
            path = Path(folder, "file")
            path.write_bytes(content)
            others = [str(merges)] if reader == "read_gpt2" else []
            done = subprocess.run([sys.executable, "-c", READ, reader, str(path), *others],
                                  check=True, capture_output=True, text=True)
            rows.append({"case": title, "num_bytes": len(content), **json.loads(done.stdout)})
            rows[-1]["answer"] = rows[-1]["answer"].replace(folder, "folder")
            print(rows[-1], flush=True)
    save("worst_files", {"rows": rows})


EXPERIMENTS = {function.__name__: function for function in (worst_files,)}


if __name__ == "__main__":
    run_experiments(EXPERIMENTS)
