"""Each mistake gets the right diagnosis, and no program can do the judge any harm."""

from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from cs336_bpe.judge import judge_trainer
from cs336_bpe.judge.mistakes import MISTAKES, RIGHT, mistakes_of, train
from cs336_bpe.judge.probes import TRAINING_PROBES
from cs336_bpe.judge.training import Trained, definition, diagnose, difference

FILE = Path(__file__).with_name("wrong_trainers.py")


def judged(name, **limits):
    return judge_trainer(f"{FILE}:{name}", **limits)


def results_of(habits):
    return [(probe, Trained(train(probe.text, probe.vocab_size, probe.specials, habits),
                            Counter(), [], [])) for probe in TRAINING_PROBES]


@pytest.mark.parametrize("probe", TRAINING_PROBES, ids=lambda probe: probe.about)
def test_the_trainer_with_switches_is_right_when_all_are_off(probe, tmp_path):
    path = tmp_path / "probe.txt"
    path.write_bytes(probe.text.encode())
    assert train(probe.text, probe.vocab_size, probe.specials, RIGHT) == definition(path, probe)


@pytest.mark.parametrize("mistake", MISTAKES, ids=" ".join)
def test_each_mistake_is_recognised(mistake):
    name, habit = mistake
    habits = replace(RIGHT, **{name: habit})
    rule, words = MISTAKES[mistake]
    assert diagnose(results_of(habits)) == [f"{words} ({rule})"]
    wrong = [(probe, trained) for probe, trained in results_of(habits)
             if trained.merges != train(probe.text, probe.vocab_size, probe.specials, RIGHT)]
    assert wrong
    probe, trained = wrong[0]
    assert difference(trained, train(probe.text, probe.vocab_size, probe.specials, RIGHT), probe)


def test_two_mistakes_are_recognised_together():
    habits = replace(RIGHT, ties="smallest", overlaps="once")
    assert len(mistakes_of(habits)) == 2
    assert diagnose(results_of(habits)) == [f"{words} ({rule})"
                                            for rule, words in mistakes_of(habits)]


def test_the_page_shows_what_the_judge_says():
    wrong = sum(trained.merges != train(probe.text, probe.vocab_size, probe.specials, RIGHT)
                for probe, trained in results_of(replace(RIGHT, ties="concatenation")))
    page = (Path(__file__).parents[2] / "docs/judge/enrolled.md").read_text("utf-8")
    assert f"differs from stage 01 on {wrong} of {len(TRAINING_PROBES)} probes" in page


def test_a_mistake_that_nobody_knows():
    results = [(probe, replace_first(trained)) for probe, trained in results_of(RIGHT)]
    assert diagnose(results) == []


def replace_first(trained):
    return Trained([(b"?", b"!"), *trained.merges[1:]], Counter(), [], [])


@pytest.mark.parametrize("name", ["right", "prints", "Methods.train"])
def test_right_trainers(name, capfd):
    verdict = judged(name)
    assert verdict.is_right, str(verdict)
    assert verdict.num_probes == len(TRAINING_PROBES)
    assert "gives the results of stage 01" in str(verdict)


@pytest.mark.parametrize(("name", "words"), [
    ("raises", "it raised KeyError: 'no such pair' (wrong_trainers.py, line"),
    ("leaves", "it ended its process (exit code 7)"),
    ("list_for_dict", "vocab is a list; it must be a dict"),
    ("turned_round", "vocab maps tokens to ids; it must map ids to tokens"),
    ("lists_for_tuples", "merges[0] is a list; it must be a tuple"),
    ("strings", "it must be a pair of bytes"),
    ("nothing", "it returned a NoneType; it must return a tuple (vocab, merges)"),
    ("without_specials", "your vocab lacks b'<|endoftext|>'"),
    ("stops_early", "you stop after"),
    ("missing", "has no 'missing'"),
])
def test_wrong_trainers(name, words):
    verdict = judged(name)
    assert not verdict.is_right
    assert any(words in finding.words for finding in verdict.findings), str(verdict)
    assert words in str(verdict) or len(verdict.findings) > 3


def test_never_ends():
    verdict = judged("never_ends", seconds=0.3)
    assert [finding.words for finding in verdict.findings] == [
        "it did not end within 0.3 seconds"] * 2
    assert "not tried" in str(verdict)


def test_takes_memory():
    verdict = judged("takes_memory", megabytes=400)
    assert "it took more than 400 MB of memory" in str(verdict)


def test_another_order_of_ids_is_only_noted():
    verdict = judged("specials_first")
    assert verdict.is_right, str(verdict)


@pytest.mark.parametrize("name", ["nowhere:train", "no_colon", "missing.py:train", "os.path:"])
def test_what_is_not_there(name):
    verdict = judge_trainer(name)
    assert not verdict.is_right
    assert "can't be used" in str(verdict)
    assert verdict.num_probes == 1
