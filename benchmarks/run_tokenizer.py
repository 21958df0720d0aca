"""The experiments behind the figures on encoding whole texts. Each saves one file under results/.

    CS336_BPE_DATA=folder python benchmarks/run_tokenizer.py NAME...    (see EXPERIMENTS at the end)

`large` also needs CS336_BPE_LARGE, a text file of some gigabytes. Every run is in a fresh process;
what is compared is interleaved, and all times are kept.
"""

import base64
import importlib.metadata
import itertools
import os
import random
import statistics
import subprocess
import sys
import tempfile
from functools import partial
from pathlib import Path
from time import perf_counter, process_time

import common
import numpy
from common import EOT, USED_MEMORY, corpus, data, large_corpus, run_experiments

from cs336_bpe import Tokenizer, train_bpe

save = partial(common.save, "tokenizer")
ROUNDS = 9
CALLS, WARM_FROM = 7, 4
TWO_THREADS = "cs336_bpe, 2 threads"


def gpt2():
    folder = data() / "cs336"
    return Tokenizer.from_files(folder / "gpt2_vocab.json", folder / "gpt2_merges.txt", [EOT])


# What each peer does: it makes the tokenizer and the text, then `call` is timed, several times. The
# first call is cold. The fifth and later ones are warm: after one call, each of two threads'
# caches has seen only half of the text. The sum and the number of ids are compared.
PRELUDE = """
import os, sys, time
import numpy  # all need it, and some would import it in the first call
path, ranks, folder = sys.argv[1:4]
EOT = "<|endoftext|>"
data = open(path, "rb").read()
"""
OURS = """
from cs336_bpe import Tokenizer
tokenizer = Tokenizer.from_files(folder + "/gpt2_vocab.json", folder + "/gpt2_merges.txt", [EOT])
"""
GIGATOKEN = """
import gigatoken
tokenizer = gigatoken.Tokenizer.from_tiktoken(ranks, "gpt2", {EOT: 50256})
"""
TIKTOKEN = """
import base64, tiktoken
from cs336_bpe import GPT2_PATTERN
lines = open(ranks, "rb").read().splitlines()
ranks = {base64.b64decode(token): int(rank) for token, rank in map(bytes.split, lines)}
tokenizer = tiktoken.Encoding("gpt2", pat_str=GPT2_PATTERN, mergeable_ranks=ranks,
                              special_tokens={EOT: 50256})
"""
ARRAYS = {
    "cs336_bpe": OURS + "call = lambda: tokenizer.encode_array(data)",
    TWO_THREADS: OURS + "call = lambda: tokenizer.encode_array(data, workers=2)",
    "gigatoken": GIGATOKEN + "call = lambda: tokenizer.encode(data)",
    "tiktoken": TIKTOKEN + "text = data.decode()\n"
                "call = lambda: tokenizer.encode_to_numpy(text, allowed_special='all')",
}
STRINGS = {
    "cs336_bpe": OURS + "text = data.decode()\ncall = lambda: tokenizer.encode_array(text)",
    "gigatoken": GIGATOKEN + "text = data.decode()\ncall = lambda: tokenizer.encode(text)",
}
LISTS = {
    "cs336_bpe": OURS + "text = data.decode()\ncall = lambda: tokenizer.encode(text)",
    "gigatoken": GIGATOKEN + "call = lambda: tokenizer.encode(data).tolist()",
    "gigatoken, encode_batch_list":
        GIGATOKEN + "call = lambda: tokenizer.encode_batch_list([data], parallel=False)[0]",
    "tiktoken, encode_ordinary":
        TIKTOKEN + "text = data.decode()\ncall = lambda: tokenizer.encode_ordinary(text)",
}
POSTLUDE = USED_MEMORY + """
seconds = []
for _ in range(int(sys.argv[4])):
    ids = None
    start = time.perf_counter()
    ids = call()
    seconds.append(time.perf_counter() - start)
print("RESULT", len(ids), int(numpy.asarray(ids, numpy.uint64).sum()), *seconds)
"""


def run_peer(program, path, ranks, calls, after=POSTLUDE):
    done = subprocess.run(
        [sys.executable, "-c", PRELUDE + program + after, str(path), str(ranks),
         str(data() / "cs336"), str(calls)],
        check=True, capture_output=True, text=True,
        env={**os.environ, "RAYON_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"})
    number, total, *seconds = done.stdout.rpartition("RESULT")[2].split()
    return (int(number), int(total)), list(map(float, seconds))


def compare(peers, name, ranks, rounds):
    path = name if isinstance(name, Path) else corpus(name)
    times = {peer: {"cold": [], "warm": []} for peer in peers}
    digests = {}
    for round_number in range(rounds):
        for peer, program in peers.items():
            slow = "tiktoken" in peer
            if slow and round_number >= 2:
                continue
            digest, seconds = run_peer(program, path, ranks, 1 if slow else CALLS)
            times[peer]["cold"].append(seconds[0])
            times[peer]["warm"].extend(seconds[WARM_FROM:])
            if "ordinary" not in peer:  # there the special tokens are text
                digests[peer] = digest
    if len(set(digests.values())) != 1:
        raise SystemExit(f"the peers disagree on {name}: {digests}")
    for peer, kinds in times.items():
        print(name, peer, {kind: round(path.stat().st_size / statistics.median(values) / 1e6)
                           for kind, values in kinds.items() if values}, flush=True)
    return {"num_bytes": path.stat().st_size, "seconds": times}


def write_ranks(folder):
    path = Path(folder, "gpt2.tiktoken")
    tokenizer = gpt2()
    with path.open("wb") as file:
        for number, token in tokenizer.vocab.items():
            if number not in tokenizer.special_tokens.values():
                file.write(base64.b64encode(token) + b" %d\n" % number)
    return path


def peers():
    """Against gigatoken and tiktoken, one thread each, to arrays and lists; ours with two too."""
    with tempfile.TemporaryDirectory() as folder:
        ranks = write_ranks(folder)
        found = {kind: {name: compare(programs, name, ranks, ROUNDS)
                        for name in ("web", "stories", "multilingual", "code")}
                 for kind, programs in (("arrays", ARRAYS), ("lists", LISTS))}
    save("peers", {**found, "warm_from": WARM_FROM + 1, "versions": versions()},
         packages=["gigatoken", "tiktoken"])


def elsewhere():
    """Arrays again, on another processor than that of the book's tables."""
    programs = {peer: program for peer, program in ARRAYS.items() if peer != "tiktoken"}
    with tempfile.TemporaryDirectory() as folder:
        ranks = write_ranks(folder)
        found = {name: compare(programs, name, ranks, ROUNDS)
                 for name in ("web", "stories", "multilingual", "code")}
    save("elsewhere", {"arrays": found, "warm_from": WARM_FROM + 1, "versions": versions()},
         packages=["gigatoken"])


def strings():
    """The same from str to arrays. gigatoken asks Python for UTF-8, which keeps it with the str: so
    its calls after the first find it there."""
    with tempfile.TemporaryDirectory() as folder:
        ranks = write_ranks(folder)
        found = {name: compare(STRINGS, name, ranks, ROUNDS)
                 for name in ("web", "stories", "multilingual", "code")}
    save("strings", {"strings": found, "warm_from": WARM_FROM + 1, "versions": versions()},
         packages=["gigatoken", "tiktoken"])


def versions():
    return {peer: importlib.metadata.version(peer) for peer in ("gigatoken", "tiktoken")}


# Many short texts, and one. `call` is timed, and returns a list of lists.
LINES, SHORT_CALLS = 20_000, 20_000
SHORT = "Hello, world! How are you today?"
LINES_OF = f"""
texts = [line for line in data.decode().splitlines() if line and EOT not in line][:{LINES}]
"""
BATCHES = {
    "cs336_bpe, encode_batch": OURS + "call = lambda: tokenizer.encode_batch(texts)",
    "cs336_bpe, encode_batch_arrays": OURS + """
def call():
    ids, offsets = tokenizer.encode_batch_arrays(texts)
    return [ids]
""",
    "cs336_bpe, [encode]": OURS + "call = lambda: [tokenizer.encode(line) for line in texts]",
    "gigatoken, encode_batch_list":
        GIGATOKEN + "call = lambda: tokenizer.encode_batch_list(texts, parallel=False)",
    "gigatoken, [encode.tolist]":
        GIGATOKEN + "call = lambda: [tokenizer.encode(line).tolist() for line in texts]",
    "tiktoken, [encode_ordinary]":
        TIKTOKEN + "call = lambda: [tokenizer.encode_ordinary(line) for line in texts]",
}
SHORTS = {
    "cs336_bpe": OURS + "one = tokenizer.encode",
    "gigatoken": GIGATOKEN + "one = lambda text: tokenizer.encode(text).tolist()",
    "tiktoken": TIKTOKEN + "one = tokenizer.encode_ordinary",
}
ONE_BY_ONE = f"""
def call():
    for _ in range({SHORT_CALLS}): ids = one({SHORT!r})
    return [ids]
"""
COUNT_ALL = USED_MEMORY + """
seconds = []
for _ in range(int(sys.argv[4])):
    ids = None
    start = time.perf_counter()
    ids = call()
    seconds.append(time.perf_counter() - start)
print("RESULT", sum(map(len, ids)), sum(int(numpy.sum(some)) for some in ids), *seconds)
"""


def small():
    """Many lines of text in one call, and one short text many times; one thread each."""
    found = {}
    with tempfile.TemporaryDirectory() as folder:
        ranks = write_ranks(folder)
        for kind, peers, more in (("batches", BATCHES, ""), ("shorts", SHORTS, ONE_BY_ONE)):
            times = {peer: {"cold": [], "warm": []} for peer in peers}
            digests = set()
            for _ in range(ROUNDS):
                for peer, program in peers.items():
                    digest, seconds = run_peer(LINES_OF + program + more, corpus("web"), ranks,
                                               CALLS, after=COUNT_ALL)
                    digests.add(digest)
                    times[peer]["cold"].append(seconds[0])
                    times[peer]["warm"].extend(seconds[WARM_FROM:])
            if len(digests) != 1:
                raise SystemExit(f"the peers disagree: {digests}")
            for peer, kinds in times.items():
                print(peer, {name: statistics.median(some) for name, some in kinds.items()},
                      flush=True)
            found[kind] = times
    lines = [line for line in corpus("web").read_bytes().decode().splitlines()
             if line and EOT not in line][:LINES]
    save("small", {**found, "num_lines": len(lines), "warm_from": WARM_FROM + 1,
                   "num_bytes": sum(len(line.encode()) for line in lines), "short": SHORT,
                   "short_calls": SHORT_CALLS, "versions": versions()},
         packages=["gigatoken", "tiktoken"])


# Today's tokenizers, from files that are somebody else's: a folder with NAME.tiktoken and
# NAME/tokenizer.json.
RANKS = {"cl100k_base": ("gpt4", "cl100k"), "o200k_base": ("gpt4o", "o200k")}
FILES = ("llama3", "gpt4o", "qwen2_5")
TODAY_BYTES, TODAY_ROUNDS = 20_000_000, 3
OF_RANKS = {
    "cs336_bpe": """
from cs336_bpe import Tokenizer
tokenizer = Tokenizer.load(ranks, pattern="{ours}")
call = lambda: tokenizer.encode_array(data)
""",
    "gigatoken": """
import gigatoken
tokenizer = gigatoken.Tokenizer.from_tiktoken(ranks, "{theirs}", {{}})
call = lambda: tokenizer.encode(data)
""",
    "tiktoken": """
import base64, tiktoken
from cs336_bpe.rules import PATTERNS
lines = open(ranks, "rb").read().splitlines()
ranks = {{base64.b64decode(token): int(rank) for token, rank in map(bytes.split, lines)}}
tokenizer = tiktoken.Encoding("{ours}", pat_str=PATTERNS["{ours}"], mergeable_ranks=ranks,
                              special_tokens={{}})
text = data.decode()
call = lambda: tokenizer.encode_to_numpy(text)
""",
}
OF_FILES = {
    "cs336_bpe": """
from cs336_bpe import Tokenizer
tokenizer = Tokenizer.load(ranks)
call = lambda: tokenizer.encode_array(data)
""",
    "gigatoken": """
import gigatoken
tokenizer = gigatoken.Tokenizer(ranks)
call = lambda: tokenizer.encode(data)
""",
}


def today():
    """Tokenizers of today, one thread, to arrays: needs CS336_BPE_TOKENIZERS, a folder of them."""
    given = Path(os.environ["CS336_BPE_TOKENIZERS"])
    rows = {}
    with tempfile.TemporaryDirectory() as folder:
        for name in ("web", "code", "multilingual"):
            path = Path(folder, f"{name}.txt")
            text = corpus(name).read_bytes()[:TODAY_BYTES].decode("utf-8", "ignore")
            path.write_text(text.replace(EOT, ""), "utf-8", newline="")
            for tokenizer, (ours, theirs) in RANKS.items():
                programs = {peer: program.format(ours=ours, theirs=theirs)
                            for peer, program in OF_RANKS.items()}
                rows[f"{tokenizer} {name}"] = compare(
                    programs, path, given / f"{tokenizer}.tiktoken", TODAY_ROUNDS)
            for tokenizer in FILES:
                rows[f"{tokenizer} {name}"] = compare(
                    OF_FILES, path, given / tokenizer / "tokenizer.json", TODAY_ROUNDS)
    save("today", {"arrays": rows, "warm_from": WARM_FROM + 1, "versions": versions()},
         packages=["gigatoken", "tiktoken"])


CASES = {
    "one letter": lambda n, rng: "a" * n,
    "ab": lambda n, rng: "ab" * (n // 2),
    "random letters": lambda n, rng: "".join(rng.choices("abcdefghijklmnopqrstuvwxyz", k=n)),
    "digits": lambda n, rng: "".join(rng.choices("0123456789", k=n)),
    "spaces": lambda n, rng: " " * n,
    "newlines, spaces, tabs": lambda n, rng: "".join(rng.choices(" \n\t", k=n)),
    "emoji": lambda n, rng: "\U0001f600" * (n // 4),
    "random emoji": lambda n, rng: "".join(
        chr(rng.randrange(0x1F600, 0x1F640)) for _ in range(n // 4)),
}


def pathological():
    """A single pretoken of megabytes: is the time linear?"""
    tokenizer = gpt2()
    texts = {case: [make(megabytes * 1_000_000, random.Random(0)) for megabytes in (1, 2, 4)]
             for case, make in CASES.items()}
    times = {case: [[], [], []] for case in CASES}
    for _ in range(ROUNDS):
        for case, sizes in texts.items():
            for text, found in zip(sizes, times[case]):
                start = process_time()
                tokenizer.encode_array(text)
                found.append(process_time() - start)
    rows = [{"case": case, "all_seconds": found, "seconds": [*map(statistics.median, found)]}
            for case, found in times.items()]
    for row in rows:
        print(row["case"], [round(value, 4) for value in row["seconds"]], flush=True)
    save("pathological", {"rows": rows, "rounds": ROUNDS})


def cache():
    """Text with more distinct words than fit: 100 MB of words that are all different, and web text
    with a small cache."""
    # Letters only: the pattern would cut a word with digits in it into parts that come again.
    letters = "abcdefghijklmnopqrstuvwxyz"
    words = map("".join, itertools.product(letters, repeat=6))
    different = "".join(f" {word}" for word in itertools.islice(words, 1 << 24))[:100_000_000]
    web = corpus("web").read_bytes()
    original = gpt2()
    cases = [("all words different", different, 128),
             *(("web", web, megabytes) for megabytes in (1, 4, 16, 32, 64, 128))]
    rows = [{"text": name, "num_bytes": len(text), "cache_bytes": megabytes << 20,
             "all_seconds": []} for name, text, megabytes in cases]
    for _ in range(ROUNDS):
        for row, (_, text, megabytes) in zip(rows, cases):
            tokenizer = Tokenizer(original.vocab, original.merges, [EOT],
                                  cache_bytes=megabytes << 20)
            one = tokenizer.coder.engine.new_cache(megabytes << 20)
            splitter = tokenizer.coder.choices.all.native
            start = perf_counter()
            tokenizer.coder.engine.encode_ids(text, splitter, 2, one)
            row["all_seconds"].append(perf_counter() - start)
            row.update(used_bytes=one.num_bytes, times_full=one.times_full)
            assert one.num_bytes <= megabytes << 20
    for row in rows:
        row["seconds"] = statistics.median(row["all_seconds"])
        print(row, flush=True)
    save("cache", {"rows": rows, "rounds": ROUNDS})


FILE = """
import sys, time
from pathlib import Path
from cs336_bpe import Tokenizer
source, target, folder, workers = sys.argv[1:5]
tokenizer = Tokenizer.from_files(folder + "/gpt2_vocab.json", folder + "/gpt2_merges.txt",
                                 ["<|endoftext|>"])
start = time.perf_counter()
number = tokenizer.encode_file(source, target, workers=int(workers))
seconds = time.perf_counter() - start
lines = Path("/proc/self/status").read_text().splitlines()
peak = next(int(line.split()[1]) * 1024 for line in lines if line.startswith("VmHWM"))
print(number, seconds, peak)
"""


def run_file(source, target, workers):
    done = subprocess.run([sys.executable, "-c", FILE, str(source), str(target),
                           str(data() / "cs336"), str(workers)],
                          check=True, capture_output=True, text=True)
    number, seconds, peak = done.stdout.split()
    return {"workers": workers, "num_bytes": source.stat().st_size, "num_ids": int(number),
            "seconds": float(seconds), "peak_bytes": int(peak)}


def large():
    """encode_file on gigabytes; the result is compared with the parts, encoded one by one."""
    source = large_corpus()
    rows = []
    with tempfile.TemporaryDirectory(dir=source.parent) as folder:
        target = Path(folder, "ids.npy")
        for workers in (1, 2):
            rows.append(run_file(source, target, workers))
            print(rows[-1], flush=True)
        tokenizer = gpt2()
        ids = numpy.load(target, mmap_mode="r")
        at = 0
        with source.open("rb") as file:
            left = b""
            while block := file.read(50_000_000):
                block = left + block
                cut = block.rfind(EOT.encode()) + len(EOT) if len(block) > 50_000_00 else len(block)
                left = block[cut:]
                expected = tokenizer.encode_array(block[:cut])
                assert numpy.array_equal(ids[at : at + len(expected)], expected)
                at += len(expected)
            expected = tokenizer.encode_array(left)
            assert numpy.array_equal(ids[at:], expected)
            assert at + len(expected) == len(ids)
        print("equal to the parts")
    save("large", {"rows": rows})


PROCESSES = """
import multiprocessing, sys, time
from cs336_bpe import Tokenizer

def start(folder):
    global tokenizer
    tokenizer = Tokenizer.from_files(folder + "/gpt2_vocab.json", folder + "/gpt2_merges.txt",
                                     ["<|endoftext|>"])

def encode(text):
    return tokenizer.encode(text)

if __name__ == "__main__":
    path, folder, workers, how = sys.argv[1:5]
    workers = int(workers)
    documents = [d + "<|endoftext|>" for d in
                 open(path, encoding="utf-8", newline="").read().split("<|endoftext|>")]
    begin = time.perf_counter()
    start(folder)
    if how == "threads":
        encoded = tokenizer.encode_batch(documents, workers=workers)
    elif how == "processes":
        with multiprocessing.Pool(workers, start, (folder,)) as pool:
            encoded = pool.map(encode, documents, chunksize=64)
    print(time.perf_counter() - begin, sum(map(len, encoded)))
"""


def workers():
    """Documents to lists of ids with threads and with processes: write-ups A5 and A6."""
    path = corpus("web")
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        script = Path(folder, "encode_documents.py")
        script.write_text(PROCESSES, "utf-8")
        for number in (1, 2, 4, 8, 16):
            for how in ("threads", "processes"):
                times = []
                for _ in range(3):
                    done = subprocess.run(
                        [sys.executable, str(script), str(path), str(data() / "cs336"),
                         str(number), how], check=True, capture_output=True, text=True)
                    times.append(float(done.stdout.split()[0]))
                rows.append({"workers": number, "how": how, "seconds": times,
                             "num_ids": int(done.stdout.split()[1])})
                print(rows[-1], flush=True)
    save("workers", {"num_bytes": path.stat().st_size, "rows": rows})


def coursework():
    """The coursework's questions: longest tokens, bytes per token on own and foreign text."""
    rows, texts, tokenizers = [], {}, {}
    for name, vocab_size in (("stories", 10_000), ("web", 32_000)):
        path = corpus(name)
        documents = path.read_text("utf-8").split(EOT)
        held_out = len(documents) // 20
        with tempfile.TemporaryDirectory() as folder:
            part = Path(folder, "train.txt")
            part.write_text(EOT.join(documents[:-held_out]), "utf-8", newline="")
            tokenizers[name] = Tokenizer(*train_bpe(part, vocab_size, [EOT]), [EOT])
        texts[name] = EOT.join(documents[-held_out:])
    for name, tokenizer in tokenizers.items():
        tokens = [token for number, token in tokenizer.vocab.items()
                  if number not in tokenizer.special_tokens.values()]
        longest = sorted(tokens, key=lambda token: (-len(token), token))[:3]
        row = {"tokenizer": name, "vocab_size": tokenizer.vocab_size,
               "longest": [token.decode("utf-8", "replace") for token in longest],
               "lengths": list(map(len, longest)), "bytes_per_token": {}}
        for other, text in texts.items():
            pure = text.split(EOT)  # a special token is neither text nor compressed
            row["bytes_per_token"][other] = (sum(len(part.encode()) for part in pure)
                                             / sum(map(tokenizer.count, pure)))
        rows.append(row)
        print(row)
    save("coursework", {"rows": rows})


EXPERIMENTS = {function.__name__: function for function in (
    peers, elsewhere, strings, small, today, pathological, cache, workers, coursework, large)}


if __name__ == "__main__":
    run_experiments(EXPERIMENTS)
