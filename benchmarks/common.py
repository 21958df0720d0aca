"""What all experiments share: where the texts are, and what is saved with every result.

Nothing of that is typed: the processor, the compiler, the flags, the versions and the checksums are
read when the result is saved.
"""

import hashlib
import json
import os
import sys
from datetime import datetime, timezone
from functools import lru_cache
from pathlib import Path

from cs336_bpe.common.atomic_files import atomic_writer
from cs336_bpe.measure.machine import describe_machine, read_machine

ROOT = Path(__file__).resolve().parent.parent
RESULTS = ROOT / "benchmarks/results"
END_OF_TEXT = EOT = "<|endoftext|>"
PACKAGES = ("numpy", "regex", "sortedcontainers")  # those that every installation has

_texts = set()  # that the experiment has asked for
_experiment = []  # the name of the one that runs


def data():
    """The folder with the real texts, `corpora/` and `cs336/`."""
    folder = os.environ.get("CS336_BPE_DATA")
    if not folder:
        raise SystemExit("set CS336_BPE_DATA to the folder with corpora/ and cs336/")
    return Path(folder)


def corpus(name):
    """The path of a real text, by its short name: `web`, `stories`, `course` ...

    It is named in every result that is saved from now on, with its size and its checksum.
    """
    path = data() / {"course": "cs336/corpus.en",
                     "tinystories_train": "cs336/tinystories_train_pretoken_counts.json",
                     }.get(name, f"corpora/{name}.txt")
    _texts.add(path)
    return path


def large_corpus():
    """A text of some gigabytes of your own."""
    name = os.environ.get("CS336_BPE_LARGE")
    if not name:
        raise SystemExit("set CS336_BPE_LARGE to a text file of some gigabytes")
    _texts.add(Path(name))
    return Path(name)


USED_MEMORY = "\nimport numpy\nnumpy.ones(1 << 30, numpy.uint8).sum()\n"
"""For programs that are timed: use more memory than they need, and give it back. The host of a
virtual machine may take back what is free in it. Then the first use of a page takes many times as
long, whoever asks for it, and what is measured is when it was last in use."""


def use_memory():
    """The same for a function that is timed in a process of its own."""
    exec(USED_MEMORY, {})


@lru_cache
def describe_file(path):
    """Name, size and checksum, so that a reader can tell whether they have the same text."""
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while block := file.read(1 << 20):
            digest.update(block)
    return {"name": path.name, "bytes": path.stat().st_size, "sha256": digest.hexdigest()}


def describe_counts(counts):
    """The same for a text of which only the counts are there."""
    lines = sorted(f"{word.hex()} {n}\n" for word, n in counts.items())
    return {"kinds": len(counts), "bytes": sum(map(len, counts)), "pretokens": sum(counts.values()),
            "sha256": hashlib.sha256("".join(lines).encode()).hexdigest()}


def save(room, name, value, packages=()):
    """Save a result as `results/ROOM_NAME.json`, with all that a reader must know to judge it.

    `packages` are those that took part, if the value has no `versions` that name them. A runner
    binds its room once: `save = partial(common.save, "train")`.
    """
    value = {
        "command": " ".join(["python", script(), *_experiment]),
        "date": datetime.now(timezone.utc).strftime("%Y-%m-%d"),
        "machine": describe_machine(),
        "environment": read_machine([*PACKAGES, *value.get("versions", ()), *packages]),
        "texts": [describe_file(path) for path in sorted(_texts)],
        **value,
    }
    RESULTS.mkdir(exist_ok=True)
    with atomic_writer(path_of(room, name)) as file:
        file.write((json.dumps(value, indent=1) + "\n").encode())


def script():
    """The program that runs, as a reader types it in a checkout."""
    path = Path(sys.argv[0]).resolve()
    return str(path.relative_to(ROOT)) if ROOT in path.parents else f"benchmarks/{path.name}"


def load(room, name=""):
    return json.loads(path_of(room, name).read_text(encoding="utf-8"))


def path_of(room, name=""):
    return RESULTS / ("_".join(filter(None, (room, name))) + ".json")


def run_experiments(experiments):
    """Run those that the command line names, or all."""
    for name in sys.argv[1:] or experiments:
        if name not in experiments:
            raise SystemExit(f"there is no experiment {name!r}; there are {', '.join(experiments)}")
        _texts.clear()
        _experiment[:] = [name]
        print(f"--- {name}", flush=True)
        experiments[name]()
