"""What variants are timed on. Runs in a fresh process, with a variant of the package on its path.

    python tasks.py TASK STAGE TEXT [OPTION ...]

TEXT is a file, or the name of one of LONG_WORDS.

It prints JSON: the processor time, a digest of the result, and where the package was found. One
thread never waits for anything here, so its processor time is the time of an idle machine.
"""

import hashlib
import json
import os
import random
import sys
from pathlib import Path
from statistics import median
from time import process_time

import numpy

import cs336_bpe
from cs336_bpe import stages

EOT = "<|endoftext|>"


def count(stage, path):
    """Count the pretokens of a file, without making a dict of the counts."""
    count_pretokens = stage.load().count_pretokens
    Path(path).read_bytes()  # now the system has the file in memory
    start = process_time()
    counts = count_pretokens(path, [EOT])
    seconds = process_time() - start
    return seconds, digest_of(f"{word.hex()} {n}" for word, n in sorted(counts.items())), {}


def train(stage, path, vocab_size="32000"):
    """Learn merges from the counts of a file, or from counts that were saved as JSON."""
    learn_merges = stage.load().learn_merges
    if path.endswith(".json"):
        saved = json.loads(Path(path).read_text(encoding="utf-8"))
        counts = {word.encode(): n for word, n in saved.items()}
    else:
        counts = cs336_bpe.count_pretokens(path, [EOT])
        counts.items()
    start = process_time()
    merges = learn_merges(counts, int(vocab_size) - 257)
    seconds = process_time() - start
    return seconds, digest_of(f"{a.hex()} {b.hex()}" for a, b in merges), {}


def encode(stage, path, num_bytes="20000000"):
    """Encode a text with GPT-2's vocabulary: cold, and then warm, if the stage has a cache."""
    from cs336_bpe.formats import read_gpt2

    folder = Path(path).parent.parent / "cs336"
    model = read_gpt2(folder / "gpt2_vocab.json", folder / "gpt2_merges.txt", [EOT])
    with open(path, "rb") as file:
        text = file.read(int(num_bytes)).decode("utf-8", "ignore")
    documents = [document.encode() for document in text.split(EOT)]
    encoder = stage.load().Encoder(model.vocab, model.merges)
    times = []
    for _ in range(2):
        start = process_time()
        ids = [encoder.encode_text(document) for document in documents]
        times.append(process_time() - start)
    return times[0], digest_of(map(str, ids)), {"warm": times[1]}


def tokenize(_, path):
    """The tokenizer as users have it: a text to an array of GPT-2's ids, cold and then warm."""
    folder = Path(path).parent.parent / "cs336"
    tokenizer = cs336_bpe.Tokenizer.from_files(folder / "gpt2_vocab.json",
                                               folder / "gpt2_merges.txt", [EOT])
    text = Path(path).read_bytes()
    numpy.ones(1 << 30, numpy.uint8).sum()  # see USED_MEMORY in benchmarks/common.py
    times = []
    for _ in range(4):
        ids = None
        start = process_time()
        ids = tokenizer.encode_array(text)
        times.append(process_time() - start)
    return times[0], hashlib.sha256(ids.tobytes()).hexdigest(), {"warm": median(times[1:])}


LONG_WORDS = {"digits": b"0123456789", "random a and b": b"ab", "dashes": b"-", "spaces": b" "}


def long_word(_, name, size="4000000"):
    """One pretoken of megabytes, to an array of GPT-2's ids; the fastest of five times."""
    folder = Path(os.environ["CS336_BPE_DATA"]) / "cs336"
    tokenizer = cs336_bpe.Tokenizer.from_files(folder / "gpt2_vocab.json",
                                               folder / "gpt2_merges.txt", [EOT])
    word = bytes(random.Random(336).choices(LONG_WORDS[name], k=int(size)))
    times = []
    for _ in range(5):
        start = process_time()
        ids = tokenizer.encode_array(word)
        times.append(process_time() - start)
    return min(times), hashlib.sha256(ids.tobytes()).hexdigest(), {}


def digest_of(lines):
    digest = hashlib.sha256()
    for line in lines:
        digest.update(line.encode() + b"\n")
    return digest.hexdigest()


TASKS = {task.__name__: (task, ladder) for task, ladder in (
    (count, "pretokenize"), (train, "train"), (encode, "encode"), (tokenize, "encode"),
    (long_word, "encode"))}


def find_stage(ladder, name):
    """A stage by its name, its number or its idea; `last` is the last of the ladder."""
    rungs = stages.ladder(ladder)
    for stage in rungs:
        if name in (stage.name, stage.number, stage.name.partition("_")[2]):
            return stage
    if name == "last":
        return rungs[-1]
    raise SystemExit(f"there is no {ladder} stage {name!r}; there are "
                     f"{', '.join(stage.name for stage in rungs)}")


if __name__ == "__main__":
    name, stage, path, *options = sys.argv[1:]
    task, ladder = TASKS[name]
    seconds, digest, more = task(find_stage(ladder, stage), path, *options)
    print(json.dumps({"seconds": seconds, "digest": digest, "more": more,
                      "package": str(Path(cs336_bpe.__file__).resolve())}))
