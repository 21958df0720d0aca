"""A Dask cluster of two processes, one of which is killed in the middle of each job."""

import os
import signal

import pytest

from cs336_bpe import Tokenizer, count_pretokens, train_bpe_from_counts
from cs336_bpe.cli import main
from cs336_bpe.common import progress
from cs336_bpe.corpora import generated

distributed = pytest.importorskip("distributed", reason="needs Dask: the extra 'distributed'")
pytestmark = pytest.mark.filterwarnings("ignore")  # Dask's own

EOT = "<|endoftext|>"


@pytest.fixture(scope="module")
def cluster():
    options = {"n_workers": 2, "threads_per_worker": 1, "dashboard_address": None}
    with distributed.LocalCluster(processes=True, **options) as cluster:
        yield cluster


@pytest.fixture(scope="module")
def corpus(tmp_path_factory):
    path = tmp_path_factory.mktemp("corpus") / "corpus.txt"
    path.write_text(generated.web(400_000), encoding="utf-8")
    return path


def tree(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def test_a_lost_worker_changes_nothing(cluster, corpus, tmp_path, monkeypatch):
    monkeypatch.setattr(progress, "SECONDS_BETWEEN_CALLS", 0)
    expected = count_pretokens(corpus, [EOT])
    tokenizer = Tokenizer(*train_bpe_from_counts(expected, 400, [EOT]), [EOT])
    small = {"shard_tokens": 20_000, "chunk_bytes": 10_007}
    shards = tokenizer.encode_files(corpus, tmp_path / "here", **small)
    with distributed.Client(cluster) as client:

        def killer():
            pids = list(client.run(os.getpid).values())
            killed = []

            def kill(phase, done, total):
                if not killed and 0 < done < total:
                    killed.append(pids[0])
                    os.kill(pids[0], signal.SIGKILL)
            return kill, killed

        with client.get_executor() as executor:
            kill, killed = killer()
            options = {"executor": executor, "in_flight": 4, "progress": kill}
            assert count_pretokens(corpus, [EOT], part_bytes=10_007, **options) == expected
            assert killed
            client.wait_for_workers(2, timeout=600)
            kill, killed = killer()
            options["progress"] = kill
            assert tokenizer.encode_files(corpus, tmp_path / "there", **small, **options) == shards
            assert killed
    assert tree(tmp_path / "here") == tree(tmp_path / "there")


def test_the_command_line(cluster, corpus, tmp_path, monkeypatch):
    """`count --dask` and `encode --dask`, and training from what was counted."""
    address = cluster.scheduler_address
    with distributed.Client(cluster) as client:
        client.wait_for_workers(2, timeout=600)

    def run(*arguments):
        assert main([*arguments, "--quiet"]) == 0

    monkeypatch.chdir(tmp_path)
    run("count", str(corpus), "-o", "there.counts", "--dask", address, "--checkpoint", "saved")
    count_pretokens(corpus, [EOT]).save(tmp_path / "here.counts")
    assert (tmp_path / "here.counts").read_bytes() == (tmp_path / "there.counts").read_bytes()
    run("train", "--counts", "there.counts", "--vocab-size", "400", "--out", "tokenizer")
    run("encode", str(corpus), "-o", "there", "-t", "tokenizer", "--shard-tokens", "50000",
        "--dask", address)
    run("encode", str(corpus), "-o", "here", "-t", "tokenizer", "--shard-tokens", "50000")
    assert tree(tmp_path / "here") == tree(tmp_path / "there")
