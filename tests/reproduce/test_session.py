"""A run that is interrupted goes on where it was; which texts are chosen; wrong counts."""

import pytest

from cs336_bpe.reproduce import digits, session
from cs336_bpe.reproduce.experiments import Experiment
from cs336_bpe.reproduce.session import State, run_session
from cs336_bpe.reproduce.texts import Lab
from cs336_bpe.reproduce.verdicts import Line, Outcome


@pytest.fixture
def fakes(monkeypatch):
    """Experiments that take no time; the second can be told to be interrupted."""
    ran, stopped = [], [True]

    def first(lab):
        ran.append("C6")
        return Outcome([Line("C6", "XL: parameters", "1")])

    def second(lab):
        ran.append("D")
        if stopped[0]:
            raise KeyboardInterrupt
        return Outcome([Line("D", "serial", 1.0)])
    monkeypatch.setattr(session, "EXPERIMENTS", {"C6": Experiment(first, 1, 1),
                                                 "D": Experiment(second, 1, 1)})
    return ran, stopped


def test_resume_after_an_interruption(tmp_path, fakes):
    ran, stopped = fakes
    path = tmp_path / "state.json"
    lab = Lab(tmp_path, None, "quick")
    with pytest.raises(KeyboardInterrupt):
        list(run_session(["C6", "D"], lab, State(path)))
    assert ran == ["C6", "D"]
    stopped[0] = False
    begun = []
    results = list(run_session(["C6", "D"], lab, State(path),
                               lambda name, kept: begun.append((name, kept is not None))))
    assert ran == ["C6", "D", "D"]
    assert begun == [("C6", True), ("D", False)]
    assert [result.figure for result in results] == ["C6", "D"]
    assert list(tmp_path.iterdir()) == [path]  # nothing half-written


def test_other_settings_are_measured_anew(tmp_path, fakes):
    ran, _ = fakes
    path = tmp_path / "state.json"
    for lab in (Lab(tmp_path, None, "quick"), Lab(tmp_path, None, "full"),
                Lab(tmp_path, tmp_path, "full"), Lab(tmp_path, tmp_path, "full")):
        list(run_session(["C6"], lab, State(path)))
    assert ran == ["C6"] * 3


def test_a_file_that_is_something_else(tmp_path):
    path = tmp_path / "state.json"
    for text in ("no JSON", '{"figures": 3}', '{"figures": {"A1": {}}}'):
        path.write_text(text)
        with pytest.raises(ValueError, match=r"state\.json is not a file of"):
            State(path)
        assert State(path, forget=["C6"]).results == {}


def test_fresh_forgets_only_what_is_measured_again(tmp_path, fakes):
    _, stopped = fakes
    stopped[0] = False
    path = tmp_path / "state.json"
    lab = Lab(tmp_path, None, "quick")
    list(run_session(["C6", "D"], lab, State(path)))
    assert list(State(path, forget=["C6"]).results) == ["D"]


# --- Texts ---------------------------------------------------------------------------------


def test_which_text_is_used(tmp_path):
    data, scratch = tmp_path / "data", tmp_path / "scratch"
    (data / "corpora").mkdir(parents=True)
    scratch.mkdir()
    lab = Lab(scratch, data)
    generated = lab.text("tinystories-valid", 5_000)
    assert generated.is_generated
    assert generated.num_bytes <= 5_000
    assert "generated stories instead of TinyStories-valid" in generated.difference
    (data / "corpora/stories.txt").write_text("one<|endoftext|>two" * 600)
    like_it = Lab(scratch, data).text("tinystories-valid", 10_000)
    assert like_it.label == "10.0 kB of stories.txt"
    (data / "TinyStoriesV2-GPT4-valid.txt").write_text("one<|endoftext|>two" * 600)
    part = Lab(scratch, data).text("tinystories-valid", 5_000)
    assert part.label == "the first 5.0 kB of TinyStoriesV2-GPT4-valid.txt"
    assert not part.is_published
    assert part.path.read_text().endswith("one")  # cut between documents
    assert Lab(scratch, data).text("tinystories-valid").is_published
    course = Lab(scratch).text("course")
    assert course.difference == ""  # of the published size
    assert course.is_generated


# --- The digit-exact table -----------------------------------------------------------------


def test_counts_of_another_file_are_refused():
    with pytest.raises(ValueError, match="are these the counts of that file"):
        digits.compute({b"low": 5}, 20, 258)
