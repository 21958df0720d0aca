"""The structures of the stages with flat words: they agree with each other after every merge."""

import doctest
import random
import threading
from array import array

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cs336_bpe import count_pretokens_in, stages
from cs336_bpe.pretokenize.counts import Columns, PretokenCounts
from cs336_bpe.train import ENGINE, steps, words
from cs336_bpe.train import stage01_recount_everything as definition

RUNGS = [stage for stage in stages.ladder("train") if stage.compiled]
FLAT = [stage for stage in RUNGS if stage.number >= "stage10"]
NUMBERED = [stage for stage in RUNGS if stage.number >= "stage11"]


@pytest.fixture(params=FLAT, ids=lambda stage: stage.name)
def flat(request):
    return request.param.load()


@pytest.fixture(params=NUMBERED, ids=lambda stage: stage.name)
def numbered(request):
    return request.param.load()


def check(state):
    """Raise unless cells, counts, lists and heap say the same."""
    cells, pairs, length = state["cells"], state["pairs"], state["length"]
    counts = [0] * len(pairs)
    listed = [state["positions"][pair["begin"] : pair["end"]] for pair in pairs]
    assert cells[0]["token"] == cells[-1]["token"] == -1
    at = 1
    while at < len(cells):
        cell = cells[at]
        if cell["token"] == -1:
            at += 1
            continue
        count = cell["count"] if cell["count"] < 2**31 else state["large"][cell["count"] - 2**31]
        after = at + length[cell["token"]]
        assert cells[after - 1]["token"] == cell["token"]
        assert (cell["pair"] == -1) == (cells[after]["token"] == -1)
        if cell["pair"] != -1:
            pair = pairs[cell["pair"]]
            assert (pair["left"], pair["right"]) == (cell["token"], cells[after]["token"])
            assert at in listed[cell["pair"]]
            counts[cell["pair"]] += count
        at = after
    assert counts == state["pair_counts"]
    for number, count in enumerate(counts):
        if count:
            assert listed[number] == sorted(listed[number])
            assert not 0 < state.get("threshold", 0) <= count or number in state["in_heap"]
    assert len(set(state.get("in_heap", ()))) == len(state.get("in_heap", ()))


@given(st.dictionaries(st.lists(st.sampled_from(b"abc"), max_size=12).map(bytes),
                       st.one_of(st.integers(0, 5), st.integers(2**31 - 2, 2**31 + 1)),
                       max_size=12))
def test_structures_agree_after_every_merge(numbered, counts):
    trainer = numbered.Trainer(counts, "lexicographic")
    check(trainer.state())
    done = 0
    while trainer.merge_until(done + 1) > done:
        done += 1
        check(trainer.state())
    assert trainer.finish() == definition.learn_merges(counts, 1000)


def test_no_pair_is_made_twice(flat):
    """A merge that made a token whose bytes exist already would break the order of ties."""
    rng = random.Random(1)
    counts = {bytes(rng.choices(b"ab", k=rng.randint(2, 30))): 1 for _ in range(300)}
    merges = flat.learn_merges(counts, 100_000)
    assert len({left + right for left, right in merges}) == len(merges)


def test_more_cells_than_it_can_number(flat, monkeypatch):
    monkeypatch.setattr(words, "MAX_CELLS", 10)
    assert flat.learn_merges({b"ab": 1, b"abcd": 1}, 1) == [(b"a", b"b")]
    with pytest.raises(ValueError, match=r"11 bytes of distinct pretokens.*use stage09"):
        flat.learn_merges({b"ab": 1, b"abcd": 1, b"a": 1}, 1)


def test_a_mapping_that_changes_while_it_is_read(flat):
    class Growing(dict):
        def items(self):
            yield from super().items()
            yield b"one more", 1

    with pytest.raises(RuntimeError, match="changed"):
        flat.learn_merges(Growing({b"ab": 1}), 1)


def test_threads_do_not_disturb_each_other(flat):
    rng = random.Random(2)
    counts = [{bytes(rng.choices(b"abcdef", k=8)): rng.randint(1, 9) for _ in range(2000)}
              for _ in range(4)]
    expected = [flat.learn_merges(one, 500) for one in counts]
    found = [None] * 4

    def work(i):
        found[i] = flat.learn_merges(counts[i], 500)

    threads = [threading.Thread(target=work, args=(i,)) for i in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == expected


@pytest.mark.parametrize("module", [*(stage.module_name for stage in RUNGS), steps.__name__])
def test_examples_of_compiled_modules(module):
    """pytest looks for doctests in .py files only."""
    found = doctest.testmod(__import__(module, fromlist=["learn_merges"]))
    assert found.attempted > 0
    assert found.failed == 0


def test_the_engine_is_a_stage_that_keeps_the_contract():
    assert stages.find("train", ENGINE).name == ENGINE


class Three:
    def __index__(self):
        return 3


def test_counts_that_only_have_an_index(any_train_stage):
    assert any_train_stage.learn_merges({b"ab": Three()}, 1) == [(b"a", b"b")]


@pytest.mark.parametrize("counts", [{b"jj": 2**62, b"zz": 4}, {b"jj": 2**62, b"zz": 4, b"a": -1},
                                    {b"jj": 2**62, b"zz": 4, "a": 1}])
def test_errors_are_those_of_the_definition(any_train_stage, counts):
    with pytest.raises((ValueError, TypeError)) as wanted:
        definition.learn_merges(counts, 1)
    with pytest.raises(wanted.type) as caught:
        any_train_stage.learn_merges(counts, 1)
    assert str(caught.value) == str(wanted.value)


def counted(text):
    counts = count_pretokens_in(text, [])
    assert counts.columns is not None
    return counts


def delete(counts):
    del counts[b" abab"]


def replace(counts):
    counts[b" abab"] = 1


def add(counts):
    counts += {b" cdcd": 100}


@pytest.mark.parametrize("change", [
    delete, replace, add, lambda counts: counts.update({b" cdcd": 100}),
    lambda counts: counts.pop(b" abab"), lambda counts: counts.clear(),
    lambda counts: counts.setdefault(b" ef", 99)])
def test_counts_that_change_are_trained_as_a_dict_is(flat, change):
    """What a compiled stage has counted is in columns, which must not be older than the counts."""
    counts = counted(" abab" * 30 + " cdcd" * 20 + " cde" * 10)
    change(counts)
    assert flat.learn_merges(counts, 10) == definition.learn_merges(dict(counts), 10)
    assert len(counts) == len(dict(counts))


@pytest.mark.parametrize(("lengths", "numbers"), [
    ([4], [1]), ([2, 2], [1, 1]), ([3, 2**63], [1, 1]), ([3], [2**63]), ([1, 2**64 - 1], [1, 1])])
def test_columns_that_can_not_be(flat, lengths, numbers):
    columns = Columns(b"abc", memoryview(array("Q", lengths)), memoryview(array("Q", numbers)))
    with pytest.raises(ValueError, match="the columns of counts are wrong at entry"):
        flat.learn_merges(PretokenCounts.from_columns(columns), 5)
