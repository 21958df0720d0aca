"""Counting over executors: the same counts, wherever the corpus is cut and whoever is lost."""

import gzip
import io
import json
import os
import signal
import time
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cs336_bpe import GPT4_PATTERN, PretokenCounts, count_pretokens
from cs336_bpe.common import progress, tasks
from cs336_bpe.corpora import generated
from cs336_bpe.inputs.parts import first_cut
from cs336_bpe.pretokenize import over_tasks
from cs336_bpe.pretokenize.total import Total
from cs336_bpe.text.cuts import Cutter

EOT = "<|endoftext|>"
NOT_COMPILED = r"(?<=x)y| ?\w+|\W"  # it runs through `regex`
PIECES = ["a", "b ", " ", "\n", "'s", EOT, "<|", "|>", "é", "\u3000", "1", "\t ", ".", "<|end"]


@given(st.lists(st.sampled_from(PIECES), max_size=60).map("".join),
       st.sampled_from([[], [EOT], [EOT, "<|"], ["b a"]]),
       st.sampled_from(["strict", "replace", "ignore"]), st.booleans())
def test_first_cuts_are_cuts_and_in_order(text, specials, errors, gpt2):
    """Whoever looks from whatever place: all that begin to look before a cut find no later one."""
    data = text.encode()
    cutter = Cutter(specials, *([] if gpt2 else ["[a-z]+|[^a-z]"]), errors=errors)
    found = [first_cut(io.BytesIO(data), place, len(data), cutter)
             for place in range(len(data) + 1)]
    assert found == sorted(found)
    assert all(cut >= place for place, cut in enumerate(found))
    for cut in set(found):
        if 0 < cut < len(data):
            assert found[cut] == cut  # a cut is found from itself, so neighbours agree


@settings(max_examples=50)
@given(st.lists(st.sampled_from(PIECES), max_size=80).map("".join), st.integers(1, 40),
       st.sampled_from([[], [EOT], ["b a", EOT]]))
def test_any_text_in_parts_of_any_size(tmp_path_factory, text, part_bytes, specials):
    path = tmp_path_factory.mktemp("any") / "text.txt"
    path.write_bytes(text.encode())
    with ThreadPoolExecutor(1) as executor:
        for pattern in {}, {"pattern": GPT4_PATTERN}, {"pattern": NOT_COMPILED}:
            parts = count_pretokens(path, specials, executor=executor, part_bytes=part_bytes,
                                    **pattern)
            assert parts == count_pretokens(path, specials, workers=1, **pattern)


@pytest.fixture(scope="module")
def corpus(tmp_path_factory):
    folder = tmp_path_factory.mktemp("corpus")
    text = generated.web(300_000)
    documents = text.split(EOT)
    (folder / "corpus.txt").write_text(text, encoding="utf-8")
    (folder / "corpus.txt.gz").write_bytes(gzip.compress(text.encode()))
    lines = "".join(json.dumps({"text": document}) + "\n\n" for document in documents)
    (folder / "corpus.jsonl").write_text(lines)
    (folder / "many").mkdir()
    for number, document in enumerate(documents):
        (folder / "many" / f"{number}.txt").write_text(document, encoding="utf-8")
    return folder


@pytest.mark.parametrize("name", ["corpus.txt", "corpus.txt.gz", "corpus.jsonl", "many"])
def test_forms(name, corpus):
    expected = count_pretokens(corpus / "corpus.txt", [EOT])
    with ThreadPoolExecutor(2) as executor:
        for part_bytes in (7_919, 100_000, 1 << 30):
            assert count_pretokens(corpus / name, [EOT], executor=executor, part_bytes=part_bytes,
                                   in_flight=5) == expected


def test_a_lost_process_loses_nothing(corpus, monkeypatch):
    monkeypatch.setattr(progress, "SECONDS_BETWEEN_CALLS", 0)
    killed = []
    with ProcessPoolExecutor(2) as executor:

        def kill(phase, done, total):
            if not killed and 0 < done < total:
                killed.append(next(iter(executor._processes)))
                os.kill(killed[0], signal.SIGKILL)
                time.sleep(0.3)

        with pytest.warns(tasks.LostWorkerWarning):
            counts = count_pretokens(corpus / "corpus.txt", [EOT], executor=executor, in_flight=4,
                                     part_bytes=9_973, progress=kill)
    assert killed
    assert counts == count_pretokens(corpus / "corpus.txt", [EOT])


class Stopped(Exception):
    pass


def test_a_checkpoint(corpus, tmp_path, monkeypatch):
    monkeypatch.setattr(progress, "SECONDS_BETWEEN_CALLS", 0)
    monkeypatch.setattr(over_tasks, "SECONDS_BETWEEN_CHECKPOINTS", 0)
    counted = []
    count_task = over_tasks.run_tasks

    def run_tasks(executor, function, items, **options):
        for number, result in count_task(executor, function, items, **options):
            counted.append(number)
            yield number, result

    monkeypatch.setattr(over_tasks, "run_tasks", run_tasks)

    def count(stop_after, **options):
        counted.clear()

        def stop(phase, done, total):
            if len(counted) == stop_after:
                raise Stopped

        with ThreadPoolExecutor(1) as executor:
            return count_pretokens(corpus / "corpus.txt", [EOT], executor=executor,
                                   part_bytes=30_000, progress=stop,
                                   checkpoint=tmp_path / "checkpoint", **options)

    for _ in range(2):
        with pytest.raises(Stopped):
            count(4)
        assert len(list((tmp_path / "checkpoint").glob("*.counts"))) == 1
    with pytest.raises(ValueError, match="a checkpoint of other files or options"):
        count(100, errors="replace")
    assert count(100) == count_pretokens(corpus / "corpus.txt", [EOT])
    assert len(counted) == 2  # of ten
    assert not (tmp_path / "checkpoint").exists()


def test_a_task_that_was_added_in_part_is_not_in_a_checkpoint(corpus, tmp_path, monkeypatch):
    class Interrupted(Total):
        number = 0

        def add(self, text, lengths, counts):
            self.number += 1
            super().add(text, lengths, counts)
            if self.number == 4:
                raise MemoryError  # or Ctrl-C, after it was added and before that is noted

    def count():
        with ThreadPoolExecutor(1) as executor:
            return count_pretokens(corpus / "corpus.txt", [EOT], executor=executor,
                                   part_bytes=30_000, checkpoint=tmp_path / "checkpoint")

    with monkeypatch.context() as patch:
        patch.setattr(over_tasks, "new_total", Interrupted)
        with pytest.raises(MemoryError):
            count()
    assert count() == count_pretokens(corpus / "corpus.txt", [EOT])


def test_what_does_not_go_together(corpus, tmp_path):
    with pytest.raises(ValueError, match="a checkpoint is kept only with an executor"):
        count_pretokens(corpus / "corpus.txt", [], checkpoint=tmp_path)
    with ThreadPoolExecutor(1) as executor:
        with pytest.raises(ValueError, match="either a stage or an executor"):
            count_pretokens(corpus / "corpus.txt", [], executor=executor, stage="stage01")
        (tmp_path / "bad.txt").write_bytes(b"x " * 5_000 + b"\xff")
        with pytest.raises(ValueError, match=r"bad\.txt is not valid UTF-8 at byte 10000"):
            count_pretokens(tmp_path / "bad.txt", [], executor=executor, part_bytes=1_000)


@given(st.lists(st.dictionaries(st.binary(min_size=1, max_size=20), st.integers(1, 2**40),
                                max_size=20), max_size=5))
def test_totals(dicts):
    total = Total()
    for entries in dicts:
        total.add(*over_tasks.pack_counts(PretokenCounts(entries)))
    assert total.as_counts() == PretokenCounts().merge(*dicts)
    with pytest.raises(ValueError, match="do not fit"):
        total.add(b"abc", [1, 1], [1, 1])
