"""The experiments behind the figures in docs/decode. Each saves one file under results/.

    CS336_BPE_DATA=folder python benchmarks/run_decode.py NAME...    (see EXPERIMENTS at the end)

`large` writes a file of ids of 2 GB to a temporary folder, and its text, which is twice as large.
"""

import importlib.metadata
import os
import statistics
import subprocess
import sys
import tempfile
from functools import partial
from pathlib import Path

import common
import numpy
from common import USED_MEMORY, corpus, data, run_experiments
from run_encode import gpt2
from run_tokenizer import GIGATOKEN, OURS, TIKTOKEN, write_ranks
from run_tokenizer import gpt2 as gpt2_tokenizer

from cs336_bpe.common.tables import as_text
from cs336_bpe.measure import ladders

save = partial(common.save, "decode")
ROUNDS = 3
PEER_ROUNDS, PEER_CALLS = 9, 7
NUM_BYTES = 20_000_000
LARGE_IDS = 1_000_000_000


def ids_of(name, num_bytes=NUM_BYTES):
    with corpus(name).open("rb") as file:
        return gpt2_tokenizer().encode_array(file.read(num_bytes).decode("utf-8", "ignore"))


def one_ladder(name, title):
    vocab, _ = gpt2()
    ids = ids_of(name)
    rows = ladders.run_decoding_ladder(vocab, ids.tolist(), rounds=ROUNDS)
    print(as_text(ladders.decoding_table(rows)), flush=True)
    save(f"ladder_{name}", {"title": title, "vocab_size": len(vocab), "num_tokens": len(ids),
                            "num_bytes": rows[0]["num_bytes"], "rounds": ROUNDS, "rows": rows})


def ladder_web():
    one_ladder("web", "GPT-2's vocabulary, the first 20 MB of web text")


def ladder_multilingual():
    one_ladder("multilingual", "GPT-2's vocabulary, the first 20 MB of multilingual text")


# What each peer does: it makes the tokenizer and the ids, then `call` is timed, several times.
PRELUDE = """
import sys, time, numpy
path, ranks, folder = sys.argv[1:4]
EOT = "<|endoftext|>"
array = numpy.load(path)
ids = array.tolist()
"""
POSTLUDE = USED_MEMORY + """
seconds = []
for _ in range(int(sys.argv[4])):
    result = None
    start = time.process_time()
    result = call()
    seconds.append(time.process_time() - start)
import hashlib
result = result.encode() if isinstance(result, str) else bytes(result)
print("RESULT", hashlib.sha256(result).hexdigest(), *seconds)
"""
PEERS = {
    "a list to text": {
        "cs336_bpe": OURS + "call = lambda: tokenizer.decode(ids)",
        "gigatoken": GIGATOKEN + "call = lambda: tokenizer.decode(ids).decode()",
        "tiktoken": TIKTOKEN + "call = lambda: tokenizer.decode(ids)",
    },
    "a list to bytes": {
        "cs336_bpe": OURS + "call = lambda: tokenizer.decode_bytes(ids)",
        "gigatoken": GIGATOKEN + "call = lambda: tokenizer.decode(ids)",
        "tiktoken": TIKTOKEN + "call = lambda: tokenizer.decode_bytes(ids)",
    },
    # gigatoken wants 32 bits; tiktoken takes an array too, and reads it as it reads a list.
    "an array to bytes": {
        "cs336_bpe": OURS + "call = lambda: tokenizer.decode_bytes(array)",
        "gigatoken": GIGATOKEN + "array = array.astype('uint32')\n"
                     "call = lambda: tokenizer.decode(array)",
        "tiktoken": TIKTOKEN + "call = lambda: tokenizer.decode_bytes(array)",
    },
}


def run_peer(program, path, ranks):
    done = subprocess.run(
        [sys.executable, "-c", PRELUDE + program + POSTLUDE, str(path), str(ranks),
         str(data() / "cs336"), str(PEER_CALLS)],
        check=True, capture_output=True, text=True,
        env={**os.environ, "RAYON_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"})
    digest, *seconds = done.stdout.rpartition("RESULT")[2].split()
    return digest, list(map(float, seconds))


def peers():
    """Against gigatoken and tiktoken, in each way; interleaved, in fresh processes."""
    found = {}
    with tempfile.TemporaryDirectory() as folder:
        ranks = write_ranks(folder)
        for name in ("web", "multilingual"):
            path = Path(folder, f"{name}.npy")
            ids = ids_of(name)
            numpy.save(path, ids)
            times = {way: {peer: [] for peer in those} for way, those in PEERS.items()}
            digests = set()
            for _ in range(PEER_ROUNDS):
                for way, those in PEERS.items():
                    for peer, program in those.items():
                        digest, seconds = run_peer(program, path, ranks)
                        digests.add(digest)
                        times[way][peer].extend(seconds)
            if len(digests) != 1:
                raise SystemExit(f"the peers disagree on {name}")
            for way, those in times.items():
                print(name, way, {peer: round(len(ids) / statistics.median(seconds) / 1e6, 1)
                                  for peer, seconds in those.items()}, flush=True)
            found[name] = {"num_tokens": len(ids), "seconds": times}
    versions = {peer: importlib.metadata.version(peer) for peer in ("gigatoken", "tiktoken")}
    save("peers", {"texts_decoded": found, "rounds": PEER_ROUNDS, "calls": PEER_CALLS,
                   "versions": versions})


FILE_PROGRAM = OURS.replace("folder", "sys.argv[1]").replace("EOT", '"<|endoftext|>"')
FILE_PROGRAM = "import sys, time\n" + FILE_PROGRAM + """
from cs336_bpe.measure.process import peak_memory
start = time.perf_counter()
number = tokenizer.decode_file(sys.argv[2], sys.argv[3], workers=int(sys.argv[4]))
print("RESULT", number, time.perf_counter() - start, peak_memory())
"""


def large():
    """A file of 2 GB of ids to a file of text: the time, and the memory of the whole process."""
    rows = []
    with tempfile.TemporaryDirectory(dir=os.environ.get("CS336_BPE_SCRATCH")) as folder:
        path, out = Path(folder, "ids.bin"), Path(folder, "out.txt")
        ids = ids_of("web")
        with path.open("wb") as file:
            for first in range(0, LARGE_IDS, len(ids)):
                file.write(ids[: LARGE_IDS - first].tobytes())
        for workers in (1, 2):
            done = subprocess.run([sys.executable, "-c", FILE_PROGRAM, str(data() / "cs336"),
                                   str(path), str(out), str(workers)],
                                  check=True, capture_output=True, text=True)
            number, seconds, peak = done.stdout.rpartition("RESULT")[2].split()
            rows.append({"workers": workers, "num_ids": int(number), "seconds": float(seconds),
                         "id_bytes": path.stat().st_size, "num_bytes": out.stat().st_size,
                         "peak_bytes": int(peak)})
            print(rows[-1], flush=True)
    save("large", {"rows": rows})


EXPERIMENTS = {function.__name__: function for function in (
    ladder_web, ladder_multilingual, peers, large)}


if __name__ == "__main__":
    run_experiments(EXPERIMENTS)
