"""The measurements behind docs/formats/loading.md: how long a tokenizer takes to be there.

    CS336_BPE_DATA=... python benchmarks/run_loading.py [files] [importing]

`files` loads GPT-2's vocabulary in three formats, here and with the libraries whose formats these
are. If CS336_BPE_RANKS names a file of tiktoken's ranks, that is loaded too; OpenAI's largest has
200,000 tokens. If CS336_BPE_TOKENIZERS names a folder, so is every `NAME/tokenizer.json` in it that
is byte-level BPE. `importing` asks the interpreter how long each import takes. Every run is in a
fresh process, and what is compared is interleaved. Saves results/loading_*.json.
"""

import importlib.metadata
import json
import os
import subprocess
import sys
import tempfile
from functools import partial
from pathlib import Path
from statistics import median

import common
from common import END_OF_TEXT, data, run_experiments

from cs336_bpe import GPT2_PATTERN, Tokenizer

save = partial(common.save, "loading")
REPEATS = 9
BYTECODE = tempfile.TemporaryDirectory()
PEERS = ("tokenizers", "tiktoken", "gigatoken")
PROBE = "Hello, world! It's 2024; naïve 日本語.\n\n    Bytes and tokens"

# Each one imports, and then loads. `paths` are the files, and `specials` the special tokens.
LOADERS = {
    "GPT-2's two files": {
        "cs336_bpe": ("from cs336_bpe import Tokenizer",
                      "tokenizer = Tokenizer.from_files(*paths, list(specials))"),
        "tokenizers": ("import tokenizers",
                       "tokenizer = tokenizers.Tokenizer(tokenizers.models.BPE.from_file(*paths))\n"
                       "tokenizer.pre_tokenizer = tokenizers.pre_tokenizers.ByteLevel(False)\n"
                       "tokenizer.add_special_tokens(list(specials))"),
        "tiktoken": ("import tiktoken, tiktoken.load",
                     "ranks = tiktoken.load.data_gym_to_mergeable_bpe_ranks(\n"
                     "    vocab_bpe_file=paths[1], encoder_json_file=paths[0])\n"
                     "tokenizer = tiktoken.Encoding('x', pat_str=pattern, mergeable_ranks=ranks,\n"
                     "                              special_tokens=specials)"),
    },
    "tokenizer.json": {
        "cs336_bpe": ("from cs336_bpe import Tokenizer", "tokenizer = Tokenizer.load(*paths)"),
        "tokenizers": ("import tokenizers",
                       "tokenizer = tokenizers.Tokenizer.from_file(*paths)"),
        "gigatoken": ("import gigatoken", "tokenizer = gigatoken.Tokenizer(*paths)"),
    },
    "tiktoken's ranks": {
        "cs336_bpe": ("from cs336_bpe import Tokenizer",
                      "tokenizer = Tokenizer.load(*paths, specials)"),
        "tiktoken": ("import tiktoken, tiktoken.load",
                     "ranks = tiktoken.load.load_tiktoken_bpe(*paths)\n"
                     "tokenizer = tiktoken.Encoding('x', pat_str=pattern, mergeable_ranks=ranks,\n"
                     "                              special_tokens=specials)"),
        "gigatoken": ("import gigatoken",
                      "tokenizer = gigatoken.Tokenizer.from_tiktoken(*paths, 'gpt2', specials)"),
    },
}

RUN = """
import json, sys, time
importing, loading, probe, pattern, specials, *paths = json.loads(sys.argv[1])
places = {"paths": paths, "specials": specials, "pattern": pattern}
def now():
    return time.perf_counter(), time.process_time()
times = [now()]
for step in importing, loading:
    exec(step, places)
    times.append(now())
(imported, _), (loaded, cpu) = ([b - a for a, b in zip(*pair)] for pair in zip(times, times[1:]))
try:
    ids = places["tokenizer"].encode(probe, add_special_tokens=False)
except TypeError:  # a library that never adds any
    ids = places["tokenizer"].encode(probe)
print(json.dumps({"import": imported, "load": loaded, "load_cpu": cpu,
                  "ids": list(map(int, getattr(ids, "ids", ids)))}))
"""


def run(importing, loading, specials, paths):
    arguments = json.dumps([importing, loading, PROBE, GPT2_PATTERN, specials, *map(str, paths)])
    return json.loads(fresh("-c", RUN, arguments).stdout)


def fresh(*arguments):
    """Run Python in a new process. Modules are compiled to bytecode by then, as after a first use;
    where, doesn't depend on how this program was started."""
    environment = os.environ | {"PYTHONPYCACHEPREFIX": BYTECODE.name}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    return subprocess.run([sys.executable, *arguments], check=True, capture_output=True, text=True,
                          env=environment)


def files():
    """The same vocabulary in each format, with each library that reads it."""
    source = [data() / "cs336" / name for name in ("gpt2_vocab.json", "gpt2_merges.txt")]
    gpt2 = Tokenizer.from_files(*source, [END_OF_TEXT])
    specials = dict(gpt2.special_tokens)
    with tempfile.TemporaryDirectory() as folder:
        cases = [(name, gpt2.vocab_size, specials, gpt2.save(Path(folder, format), format=format))
                 for name, format in (("GPT-2's two files", "gpt2"),
                                      ("tokenizer.json", "huggingface"),
                                      ("tiktoken's ranks", "tiktoken"))]
        ranks = os.environ.get("CS336_BPE_RANKS")
        if ranks:
            cases.append(("tiktoken's ranks", Tokenizer.load(ranks).vocab_size, {}, [Path(ranks)]))
        cases += list(real_tokenizers())
        rows = [row for case in cases for row in compare(*case)]
    save("files", {"repeats": REPEATS, "rows": rows,
                   "versions": {peer: importlib.metadata.version(peer) for peer in PEERS}})


def real_tokenizers():
    """Files in wide use, in a folder that the user has."""
    for path in sorted(Path(os.environ.get("CS336_BPE_TOKENIZERS", "/dev/null")).glob(
            "*/tokenizer.json")):
        try:
            yield "tokenizer.json", Tokenizer.load(path).vocab_size, {}, [path]
        except ValueError as error:
            print(error)


def compare(name, num_tokens, specials, paths):
    """One file, or two: the libraries in turn, again and again."""
    found = {library: [] for library in LOADERS[name]}
    for _ in range(1 + REPEATS):
        for library, (importing, loading) in LOADERS[name].items():
            found[library].append(run(importing, loading, specials, paths))
    found = {library: results[1:] for library, results in found.items()}  # files are in memory now
    expected = found["cs336_bpe"][0]["ids"]
    for library, results in found.items():
        assert all(result["ids"] == expected for result in results), f"{library} gives other ids"
        row = {"format": name, "tokens": num_tokens, "library": library,
               "bytes": sum(os.path.getsize(path) for path in paths),
               **{key: [result[key] for result in results]
                  for key in ("load", "load_cpu", "import")}}
        print(paths[0].parent.name, name, num_tokens, library, *(round(median(row[key]), 4)
                                           for key in ("load", "load_cpu", "import")), flush=True)
        yield row


def importing():
    """What `from cs336_bpe import Tokenizer` takes, and how much of it is in our own modules."""
    statement = "from cs336_bpe import Tokenizer"
    timed = f"""import time
start, cpu = time.perf_counter(), time.process_time()
{statement}
print(time.perf_counter() - start, time.process_time() - cpu)"""
    fresh("-c", statement)
    rows = []
    for _ in range(REPEATS):
        seconds, cpu = map(float, fresh("-c", timed).stdout.split())
        before, after = imports("pass"), imports(statement)
        new = {module: time for module, time in after.items() if module not in before}
        ours = sum(time for module, time in new.items() if module.startswith("cs336_bpe"))
        rows.append({"seconds": seconds, "cpu": cpu, "share": ours / sum(new.values()),
                     "modules": len(new),
                     "ours": sum(module.startswith("cs336_bpe") for module in new)})
        print(rows[-1], flush=True)
    save("importing", {"repeats": REPEATS, "rows": rows})


def imports(statement):
    """The seconds in each module itself, as the interpreter tells. It adds some to all of them."""
    told = fresh("-X", "importtime", "-c", statement).stderr.splitlines()[1:]
    lines = [line.removeprefix("import time:").split("|") for line in told]
    return {module.strip(): int(own) / 1e6 for own, _, module in lines}


EXPERIMENTS = {function.__name__: function for function in (files, importing)}


if __name__ == "__main__":
    run_experiments(EXPERIMENTS)
