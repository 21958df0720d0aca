"""`ladder --mine` and its sisters, as a reader runs them."""

import json

import pytest

OWN = '''
import warnings
from cs336_bpe import Tokenizer, count_pretokens_in, train_bpe

def train(input_path, vocab_size, special_tokens):
    warnings.simplefilter("ignore")
    return train_bpe(input_path, vocab_size, special_tokens, stage="stage05")

def smallest(input_path, vocab_size, special_tokens):
    vocab, merges = train_bpe(input_path, vocab_size, special_tokens)
    return vocab, merges[::-1]

def split(text, special_tokens):
    return count_pretokens_in(text, special_tokens)
'''
QUICK = ["--bytes", "30000", "--vocab-size", "300", "--limit", "1", "--quiet"]


@pytest.fixture
def own(tmp_path):
    (tmp_path / "own.py").write_text(OWN, "utf-8")
    return tmp_path


def test_a_right_trainer_is_placed(cs336, own):
    done = cs336("ladder", "--mine", f"{own}/own.py:train", *QUICK)
    assert "gives the results of stage 01 on all" in done.stdout
    assert "Right on the corpus too" in done.stdout
    assert "It stands between" in done.stdout or "It is faster" in done.stdout


def test_a_wrong_one_is_not(cs336, own):
    done = cs336("ladder", "--mine", f"{own}/own.py:smallest", *QUICK, code=1)
    assert "differs from stage 01" in done.stdout


def test_tokenizer_and_pretokenizer(cs336, own):
    done = cs336("ladder", "--my-tokenizer", f"{own}/own.py:Tokenizer", "--my-pretokenizer",
                 f"{own}/own.py:split", *QUICK, "--json", own / "out.json")
    assert done.stdout.count("Right on") == 2
    saved = json.loads((own / "out.json").read_text("utf-8"))
    assert [one["right"] for one in saved["mine"]] == [True, True]
