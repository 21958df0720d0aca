"""A reader's tokenizer and pretokenizer: each mistake gets the right diagnosis."""

from dataclasses import replace
from pathlib import Path

import pytest

from cs336_bpe import Tokenizer
from cs336_bpe.judge import Verdict, judge_pretokenizer, judge_tokenizer
from cs336_bpe.judge import mistakes as pretokenizer_habits
from cs336_bpe.judge.encoding import _judge_growth
from cs336_bpe.judge.encoding_mistakes import ENCODING_MISTAKES, RIGHT, diagnose, encode, vocabulary
from cs336_bpe.judge.mistakes import MISTAKES
from cs336_bpe.judge.pretokenizing import HABITS
from cs336_bpe.judge.pretokenizing import diagnose as diagnose_split
from cs336_bpe.judge.probes import ENCODING_PROBES, ENCODING_SPECIALS, TRAINING_PROBES
from cs336_bpe.judge.sandbox import Outcome

TOKENIZERS = Path(__file__).with_name("wrong_tokenizers.py")
PRETOKENIZERS = Path(__file__).with_name("wrong_pretokenizers.py")


@pytest.mark.parametrize("probe", ENCODING_PROBES, ids=lambda probe: probe.about)
def test_the_tokenizer_with_switches_is_right_when_all_are_off(probe):
    tokenizer = Tokenizer(*vocabulary(), ENCODING_SPECIALS)
    assert encode(probe, RIGHT) == tokenizer.encode(probe.text)


@pytest.mark.parametrize("mistake", ENCODING_MISTAKES, ids=" ".join)
def test_each_mistake_is_recognised(mistake):
    habits = replace(RIGHT, **{mistake[0]: mistake[1]})
    results = [(probe, encode(probe, habits)) for probe in ENCODING_PROBES]
    assert any(ids != encode(probe, RIGHT) for probe, ids in results)
    rule, words = ENCODING_MISTAKES[mistake]
    assert diagnose(results) == [f"{words} ({rule})"]


@pytest.mark.parametrize("name", ["Right", "WithoutStream"])
def test_right_tokenizers(name):
    verdict = judge_tokenizer(f"{TOKENIZERS}:{name}")
    assert verdict.is_right, str(verdict)
    assert (name == "WithoutStream") == ("no encode_iterable" in str(verdict))


@pytest.mark.parametrize(("name", "words"), [
    ("NoContractions", "does not keep contractions"),
    ("PartByPart", "you encode each part of a stream alone"),
    ("LosesABlank", "a stream"),
    ("DecodesOneByOne", "join the bytes of all tokens first"),
    ("GivesStrings", "ids are integers"),
    ("Raises", "it raised NotImplementedError"),
    ("NeedsFourArguments", "it raised TypeError"),
    ("Missing", "has no 'Missing'"),
])
def test_wrong_tokenizers(name, words):
    verdict = judge_tokenizer(f"{TOKENIZERS}:{name}")
    assert not verdict.is_right
    assert words in str(verdict)


def test_quadratic_time():
    verdict = judge_tokenizer(f"{TOKENIZERS}:Quadratic", seconds=2)
    assert not verdict.is_right
    assert "the time grows with the square of the length" in str(verdict)


class Stalls:
    """Its calls take as long as `seconds` says, but for one, as if the machine was busy."""

    def __init__(self, seconds):
        self.seconds = seconds
        self.sizes = []

    def call(self, function, text):
        assert function == "encode"
        self.sizes.append(len(text))
        stalled = len(text) == 64_000 and self.sizes.count(64_000) == 1
        return Outcome("done", seconds=0.5 if stalled else self.seconds(len(text)))


def test_one_call_that_stalls_is_not_quadratic_time():
    """Nor if the same call is so short without it that nothing can be told from its time."""
    verdict = Verdict("stalls")
    sandbox = Stalls(lambda size: 0.0001 if size < 50_000 else 1e-8 * size)
    _judge_growth(sandbox, verdict)
    assert verdict.is_right
    assert sandbox.sizes.count(128_000) == 2  # it went on, with both kinds of text


def test_what_takes_long_enough_without_a_stall_is_judged():
    verdict = Verdict("quadratic")
    _judge_growth(Stalls(lambda size: 1e-11 * size**2), verdict)
    assert not verdict.is_right
    assert "the square of the length" in str(verdict)


def test_a_busy_machine_is_not_quadratic_time():
    verdict = judge_tokenizer(f"{TOKENIZERS}:StallsOnce")
    assert verdict.is_right, str(verdict)


@pytest.mark.parametrize("name", ["right", "counts", "as_tuples"])
def test_right_pretokenizers(name):
    verdict = judge_pretokenizer(f"{PRETOKENIZERS}:{name}")
    assert verdict.is_right, str(verdict)


@pytest.mark.parametrize("mistake", [key for key in MISTAKES if key[0] in HABITS], ids=" ".join)
def test_each_mistake_of_a_pretokenizer_is_recognised(mistake):
    habits = replace(pretokenizer_habits.RIGHT, **{mistake[0]: mistake[1]})
    rule, words = MISTAKES[mistake]
    assert diagnose_split([(probe, pretokenizer_habits.count(probe.text, probe.specials, habits))
                           for probe in TRAINING_PROBES]) == [f"{words} ({rule})"]


def test_a_wrong_pretokenizer():
    verdict = judge_pretokenizer(f"{PRETOKENIZERS}:no_contractions")
    assert "does not keep contractions" in str(verdict)


@pytest.mark.parametrize(("name", "words"), [
    ("number", "it returned a int"), ("numbers", "it gives a int as a pretoken"),
    ("floats", "a count is an int"), ("none_found", "times"),
])
def test_pretokenizers_that_return_something_else(name, words):
    assert words in str(judge_pretokenizer(f"{PRETOKENIZERS}:{name}"))
