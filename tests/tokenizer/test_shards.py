"""Shards: read back by independent readers, continued after any end, the same by any executor."""

import hashlib
import json
import os
import random
import re
import signal
import struct
import subprocess
import sys
import time
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from cs336_bpe import Tokenizer, train_bpe_from_texts
from cs336_bpe.common import progress
from cs336_bpe.common.tasks import LostWorkerWarning
from cs336_bpe.corpora import generated

EOT = "<|endoftext|>"
TEXT = generated.web(150_000)
DOCUMENTS = [text for text in TEXT.split(EOT) if text]
SMALL = {"shard_tokens": 7_001, "chunk_bytes": 9_973}
SLOW = os.environ.get("CS336_BPE_SLOW")


@pytest.fixture(scope="module")
def tokenizer():
    return Tokenizer(*train_bpe_from_texts(DOCUMENTS, 500, [EOT]), [EOT])


@pytest.fixture(scope="module")
def corpus(tmp_path_factory):
    folder = tmp_path_factory.mktemp("corpus")
    text = "".join(document + EOT for document in DOCUMENTS)
    (folder / "corpus.txt").write_text(text, encoding="utf-8", newline="")
    lines = "".join(json.dumps({"text": document}) + "\n" for document in DOCUMENTS)
    (folder / "corpus.jsonl").write_text(lines)
    (folder / "many").mkdir()
    for number, document in enumerate(DOCUMENTS):
        (folder / "many" / f"{number:04}.txt").write_text(document + EOT, "utf-8", newline="")
    return folder


def expected_ids(tokenizer):
    return tokenizer.encode_array("".join(document + EOT for document in DOCUMENTS))


def tree(folder):
    """The files in a folder and below, with what is in them."""
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*")
            if path.is_file()}


# --- Readers, written from the descriptions of the formats ---------------------------------------


def read_nanogpt(path):
    """`np.memmap(path, dtype=np.uint16, mode='r')`, and nothing else."""
    return np.memmap(path, dtype="<u2", mode="r")


def read_llmc(path):
    """A header of 256 int32 (magic, version, number of tokens), then uint16."""
    data = path.read_bytes()
    header = struct.unpack("<256i", data[:1024])
    assert header[:2] == (20240520, 1)
    assert not any(header[3:])
    tokens = np.frombuffer(data, "<u2", offset=1024)
    assert len(tokens) == header[2]
    return tokens


def read_megatron(path):
    """The documents of a .bin and .idx pair."""
    index = path.with_suffix(".idx").read_bytes()
    assert index[:9] == b"MMIDIDX\x00\x00"
    version, code, sequences, documents = struct.unpack_from("<QBQQ", index, 9)
    assert version == 1
    dtype = {1: "u1", 2: "i1", 3: "<i2", 4: "<i4", 5: "<i8", 8: "<u2"}[code]
    at = 9 + 8 + 1 + 8 + 8
    lengths = np.frombuffer(index, "<i4", sequences, at)
    at += lengths.nbytes
    pointers = np.frombuffer(index, "<i8", sequences, at)
    at += pointers.nbytes
    document_starts = np.frombuffer(index, "<i8", documents, at)
    assert at + document_starts.nbytes == len(index)
    assert document_starts.tolist() == list(range(sequences + 1))
    data = path.read_bytes()
    assert sum(lengths) * np.dtype(dtype).itemsize == len(data)
    return [np.frombuffer(data, dtype, length, pointer)
            for length, pointer in zip(lengths, pointers)]


READERS = {"npy": np.load, "bin": lambda path: np.fromfile(path, "<u2"), "nanogpt": read_nanogpt,
           "llmc": read_llmc, "megatron": lambda path: np.concatenate(read_megatron(path))}


@pytest.mark.parametrize("format", READERS)
@pytest.mark.parametrize("name", ["corpus.txt", "corpus.jsonl", "many"])
def test_formats(format, name, tokenizer, corpus, tmp_path):
    ids = expected_ids(tokenizer)
    shards = tokenizer.encode_files(corpus / name, tmp_path / "out", format=format, **SMALL)
    arrays = [READERS[format](tmp_path / "out" / shard.file) for shard in shards]
    assert [len(array) for array in arrays] == [7_001] * (len(ids) // 7_001) + [len(ids) % 7_001]
    assert np.array_equal(np.concatenate(arrays), ids)
    index = json.loads((tmp_path / "out" / "index.json").read_text())
    assert index["tokens"] == len(ids)
    assert index["tokenizer_sha256"] == tokenizer.digest
    assert index["separator"] == {"id": 256, "token": EOT}
    names = {"index.json"}
    for entry in index["shards"]:
        for file, digest in entry["sha256"].items():
            data = (tmp_path / "out" / file).read_bytes()
            assert hashlib.sha256(data).hexdigest() == digest
            names.add(file)
    assert set(os.listdir(tmp_path / "out")) == names


def test_documents_of_megatron(tokenizer, corpus, tmp_path):
    [shard] = tokenizer.encode_files(corpus / "corpus.jsonl", tmp_path / "out", format="megatron",
                                     shard_tokens=None)
    assert shard.file == "shard.bin"
    documents = read_megatron(tmp_path / "out" / "shard.bin")
    assert [tokenizer.decode(ids[:-1]) for ids in documents] == DOCUMENTS
    assert {int(ids[-1]) for ids in documents} == {256}
    with pytest.raises(ValueError, match="after each separator; give one"):
        tokenizer.encode_files(corpus / "corpus.jsonl", tmp_path / "none", format="megatron",
                               separator=None)


def test_where_shards_begin(tokenizer, corpus, tmp_path):
    text = (corpus / "corpus.txt").read_bytes()
    shards = tokenizer.encode_files(corpus / "corpus.txt", tmp_path / "text", **SMALL)
    for shard in shards:
        assert set(shard.begins) == set(shard.ends) == {"input", "byte"}
        ids = np.load(tmp_path / "text" / shard.file)
        assert tokenizer.decode_bytes(ids) == text[shard.begins["byte"] : shard.ends["byte"]]
    assert shards[-1].ends["byte"] == len(text)
    files = sorted(os.listdir(corpus / "many"))
    for shard in tokenizer.encode_files(corpus / "many", tmp_path / "many", **SMALL):
        ids = np.load(tmp_path / "many" / shard.file)
        data = (corpus / "many" / files[shard.begins["input"]]).read_bytes()
        beginning = tokenizer.decode_bytes(ids)
        rest = data[shard.begins["byte"] :]
        assert beginning.startswith(rest[: len(beginning)])
    all_lines = (corpus / "corpus.jsonl").read_bytes()
    for shard in tokenizer.encode_files(corpus / "corpus.jsonl", tmp_path / "lines", **SMALL):
        ids = np.load(tmp_path / "lines" / shard.file)
        begins = shard.begins
        start = begins["from_byte"] and all_lines.index(b"\n", begins["from_byte"] - 1) + 1
        line = all_lines[start:].split(b"\n")[begins["document"]]
        rest = json.loads(line)["text"].encode()[begins["byte"] :]
        beginning = tokenizer.decode_bytes(ids)
        assert beginning.startswith(rest[: len(beginning)])


def test_types(tokenizer, corpus, tmp_path):
    large = Tokenizer({n: bytes([n]) for n in range(256)} | {70_000: EOT.encode()}, [], [EOT])
    with pytest.raises(ValueError, match="nanoGPT reads ids of 2 bytes"):
        large.encode_files(corpus / "corpus.jsonl", tmp_path / "a", format="nanogpt")
    options = {"shard_tokens": None}
    large.encode_files(corpus / "corpus.jsonl", tmp_path / "b", format="llmc", **options)
    data = (tmp_path / "b" / "shard.bin").read_bytes()
    ids = np.frombuffer(data, "<u4", offset=1024)
    assert struct.unpack_from("<3i", data) == (20240801, 7, len(ids))
    large.encode_files(corpus / "corpus.jsonl", tmp_path / "c", format="megatron", **options)
    documents = read_megatron(tmp_path / "c" / "shard.bin")
    assert documents[0].dtype == np.dtype("<i4")
    assert np.array_equal(np.concatenate(documents), ids)
    tokenizer.encode_files(corpus / "corpus.jsonl", tmp_path / "d", dtype="int64", **options)
    assert np.load(tmp_path / "d" / "shard.npy").dtype == np.int64


class LikeTorch:
    """As much of torch as the recipes use, with arrays of numpy for its tensors."""

    def __init__(self, worker=None):
        self.from_numpy = np.asarray
        self.utils = self.data = self
        self.IterableDataset = object
        self.get_worker_info = lambda: worker

    class DataLoader:
        def __init__(self, dataset, batch_size, num_workers):
            self.dataset, self.size = dataset, batch_size

        def __iter__(self):
            rows = list(self.dataset)
            for first in range(0, len(rows), self.size):
                yield tuple(map(np.stack, zip(*rows[first : first + self.size])))


def put_in_place(monkeypatch, torch):
    for name in ("torch", "torch.utils", "torch.utils.data"):
        monkeypatch.setitem(sys.modules, name, torch)


def recipes():
    page = (Path(__file__).parents[2] / "docs" / "tokenizer" / "shards.md").read_text("utf-8")
    blocks = re.findall(r"^```python\n(.*?)^```", page, re.M | re.S)
    first, second = [block for block in blocks if "import torch" in block]
    return first, second.replace("1024", "64").replace("num_workers=2", "num_workers=0")


@pytest.mark.parametrize("torch", [
    LikeTorch(), pytest.param(None, marks=pytest.mark.needs("torch"))], ids=["numpy", "torch"])
def test_recipes(torch, tokenizer, corpus, tmp_path, monkeypatch):
    """Those of docs/tokenizer/shards.md; by torch itself where it is installed."""
    if torch is not None:
        put_in_place(monkeypatch, torch)
    tokenizer.encode_files(corpus / "corpus.jsonl", tmp_path / "ids", format="bin", **SMALL)
    first, second = recipes()
    names = {}
    exec(first, names)
    inputs, targets = names["batch"](tmp_path / "ids" / "shard-00000.bin", 4, 16)
    assert inputs.shape == targets.shape == (4, 16)
    assert inputs[:, 1:].tolist() == targets[:, :-1].tolist()
    monkeypatch.chdir(tmp_path)
    exec(second, names)
    inputs, targets = next(iter(names["loader"]))
    ids = expected_ids(tokenizer)
    assert inputs[1].tolist() == ids[64:128].tolist()
    assert targets[1].tolist() == ids[65:129].tolist()


def test_workers_of_a_loader_share_the_shards_out(tokenizer, corpus, tmp_path, monkeypatch):
    tokenizer.encode_files(corpus / "corpus.jsonl", tmp_path / "ids", format="bin", **SMALL)
    monkeypatch.chdir(tmp_path)
    rows = []
    for worker in None, *(SimpleNamespace(id=number, num_workers=3) for number in range(3)):
        put_in_place(monkeypatch, LikeTorch(worker))
        names = {}
        exec("\n".join(recipes()), names)
        rows.append([tuple(inputs) for inputs, _ in names["loader"].dataset])
    alone, *shared = rows
    assert all(shared)
    assert sorted(row for some in shared for row in some) == sorted(alone)


# --- Stopped, and continued -------------------------------------------------------------------


def test_a_second_run_keeps_what_is_there(tokenizer, corpus, tmp_path):
    out = tmp_path / "out"
    first = tokenizer.encode_files(corpus / "corpus.txt", out, **SMALL)
    times = {path: path.stat().st_mtime_ns for path in out.iterdir()}
    assert tokenizer.encode_files(corpus / "corpus.txt", out, **SMALL) == first
    assert {path: path.stat().st_mtime_ns for path in out.iterdir()} == times
    for other in ({"shard_tokens": 5_000}, {"separator": None}, {"errors": "replace"}):
        with pytest.raises(ValueError, match="another encoding"):
            tokenizer.encode_files(corpus / "corpus.txt", out, **{**SMALL, **other})
    data = (out / "shard-00001.npy").read_bytes()
    (out / "shard-00001.npy").write_bytes(data[:-1] + b"\0")
    with pytest.raises(ValueError, match=r"shard-00001\.npy is not what the index says"):
        tokenizer.encode_files(corpus / "corpus.txt", out, **SMALL)
    (tmp_path / "strange").mkdir()
    (tmp_path / "strange" / "notes.txt").write_text("mine")
    with pytest.raises(ValueError, match=r"not shards of this encoding, such as notes\.txt"):
        tokenizer.encode_files(corpus / "corpus.txt", tmp_path / "strange", **SMALL)


def test_two_runs_at_once(tokenizer, corpus, tmp_path, monkeypatch):
    """The second one is refused, and changes nothing, whichever tokenizer it has."""
    from cs336_bpe.tokenizer import shards

    other = Tokenizer(*train_bpe_from_texts(DOCUMENTS, 400, [EOT]), [EOT])
    whole = tmp_path / "whole"
    tokenizer.encode_files(corpus / "corpus.txt", whole, **SMALL)
    start = shards.ShardRun._start
    refused = []

    def meanwhile(self, folder):
        start(self, folder)
        assert (folder / ".encoding" / f"tokenizer-{tokenizer.digest}.json").exists()
        for second in (tokenizer, other):
            with pytest.raises(OSError, match="Another run is at work in this folder") as error:
                second.encode_files(corpus / "corpus.txt", folder, **SMALL)
            refused.append(error.value.filename)

    monkeypatch.setattr(shards.ShardRun, "_start", meanwhile)
    tokenizer.encode_files(corpus / "corpus.txt", tmp_path / "out", **SMALL)
    assert refused == [str(tmp_path / "out")] * 2
    assert tree(tmp_path / "out") == tree(whole)


class Stopped(Exception):
    pass


@pytest.mark.parametrize("name", ["corpus.txt", "corpus.jsonl"])
def test_stopped_and_continued(name, tokenizer, corpus, tmp_path, monkeypatch):
    """An error of the machine, after each task in turn."""
    from cs336_bpe.tokenizer import shards

    tokenizer.encode_files(corpus / name, tmp_path / "whole", **SMALL)
    use = shards.ShardRun.use
    for number in range(1, 22, 4):
        left = number

        def stop(self, task, result):
            nonlocal left
            left -= 1
            if not left:
                raise Stopped
            use(self, task, result)

        monkeypatch.setattr(shards.ShardRun, "use", stop)
        out = tmp_path / f"out{number}"
        with pytest.raises(Stopped):
            tokenizer.encode_files(corpus / name, out, **SMALL)
        assert not (out / "index.json").exists()
        monkeypatch.setattr(shards.ShardRun, "use", use)
        # What is damaged in the meantime is made anew.
        for path in list((out / ".encoding").glob("chunk-*"))[:1]:
            path.write_bytes(path.read_bytes()[:-1])
        for path in list(out.glob("shard-00001.npy")):
            path.write_bytes(b"damaged")
        tokenizer.encode_files(corpus / name, out, **SMALL)
        assert tree(out) == tree(tmp_path / "whole")


PROGRAM = """
import sys
from cs336_bpe import Tokenizer, train_bpe, load_tokenizer
kind, source, out, model = sys.argv[1:]
print("begin", flush=True)
if kind == "encode":
    load_tokenizer(model).encode_files(source, out, shard_tokens=7_001, chunk_bytes=9_973)
else:
    vocab, merges = train_bpe(source, 400, ["<|endoftext|>"])
    import os; os.makedirs(out, exist_ok=True)
    tokenizer = Tokenizer(vocab, merges, ["<|endoftext|>"])
    tokenizer.save(out); tokenizer.save(out, format="gpt2")
"""


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="needs SIGKILL")
@pytest.mark.parametrize("kind", ["encode", "train"])
def test_killed_at_any_moment_and_run_again(kind, tokenizer, corpus, tmp_path):
    tokenizer.save(tmp_path / "tokenizer.bpe.json")
    arguments = [sys.executable, "-c", PROGRAM, kind, str(corpus / "corpus.txt")]
    model = str(tmp_path / "tokenizer.bpe.json")
    start = time.perf_counter()
    subprocess.run([*arguments, str(tmp_path / "whole"), model], check=True)
    seconds = time.perf_counter() - start
    whole = tree(tmp_path / "whole")
    rng = random.Random(336)
    for number in range(20 if SLOW else 2):
        out = tmp_path / f"out{number}"
        for _ in range(2):  # killed twice
            process = subprocess.Popen([*arguments, str(out), model], stdout=subprocess.PIPE)
            process.stdout.readline()  # the imports are done
            time.sleep(rng.random() * seconds * 0.4)
            process.kill()
            process.wait()
            process.stdout.close()
            if out.exists():
                for name, data in tree(out).items():
                    if "/" not in name and ".part" not in name:
                        assert data == whole[name], name
        subprocess.run([*arguments, str(out), model], check=True)
        assert tree(out) == whole


# --- Executors --------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["corpus.txt", "corpus.jsonl", "many"])
def test_threads_of_somebody_else(name, tokenizer, corpus, tmp_path):
    here = tokenizer.encode_files(corpus / name, tmp_path / "here", **SMALL)
    with ThreadPoolExecutor(3) as executor:
        there = tokenizer.encode_files(corpus / name, tmp_path / "there", executor=executor,
                                       in_flight=4, **SMALL)
    assert here == there
    assert tree(tmp_path / "here") == tree(tmp_path / "there")


def test_a_lost_process_loses_nothing(tokenizer, corpus, tmp_path, monkeypatch):
    monkeypatch.setattr(progress, "SECONDS_BETWEEN_CALLS", 0)
    tokenizer.encode_files(corpus / "corpus.txt", tmp_path / "here", **SMALL)
    killed = []
    with ProcessPoolExecutor(2) as executor:

        def kill(phase, done, total):
            if not killed and 0 < done < total:
                killed.append(next(iter(executor._processes)))
                os.kill(killed[0], signal.SIGKILL)
                time.sleep(0.3)

        with pytest.warns(LostWorkerWarning, match="a worker was lost"):
            tokenizer.encode_files(corpus / "corpus.txt", tmp_path / "there", executor=executor,
                                   in_flight=4, progress=kill, **SMALL)
    assert killed
    assert tree(tmp_path / "here") == tree(tmp_path / "there")
