"""The 60 lines of the book's first part give what the first rungs of the ladders give."""

import re
from pathlib import Path

import pytest
import regex
import tiny_bpe
from hypothesis import given, settings
from hypothesis import strategies as st

from cs336_bpe.rules import GPT2_PATTERN
from cs336_bpe.stages import find
from cs336_bpe.text.specials import SpecialSplitter

START = Path(__file__).parent.parent / "docs/start"
COUNTING, TRAINING, ENCODING, DECODING = (
    find(ladder, "stage01").load() for ladder in ("pretokenize", "train", "encode", "decode"))
SPECIALS = ["<|a|>", "<|a|><|a|>", "a+b"]

# Few letters, so that there are ties and overlaps; white space, wide characters, special tokens.
texts = st.lists(st.sampled_from(["a", "b", "ab", " ", "\n", "é", "猫", "'s", "1", "!", *SPECIALS]),
                 max_size=60).map("".join)
some_specials = st.lists(st.sampled_from(SPECIALS), unique=True)


def test_the_page_shows_the_file():
    page = (START / "whole_tokenizer.md").read_text("utf-8")
    assert f"```python\n{(START / 'tiny_bpe.py').read_text('utf-8')}```\n" in page


def test_it_has_sixty_lines():
    lines = (START / "tiny_bpe.py").read_text("utf-8").splitlines()
    assert 50 <= sum(bool(line.strip()) for line in lines) <= 60


def test_its_pattern_is_gpt2s():
    assert tiny_bpe.PATTERN == GPT2_PATTERN


@settings(max_examples=300, deadline=None)
@given(texts, some_specials, st.integers(0, 20))
def test_training_is_that_of_the_first_rungs(text, specials, num_merges):
    vocab, merges = tiny_bpe.train(text, 256 + len(specials) + num_merges, specials)
    counts = COUNTING.count_text(text, specials, GPT2_PATTERN, None)
    assert merges == TRAINING.learn_merges(counts, num_merges)
    assert [vocab[i] for i in range(256, len(vocab))] == [
        *(special.encode() for special in specials), *(left + right for left, right in merges)]


@settings(max_examples=300, deadline=None)
@given(texts, texts, some_specials)
def test_encoding_and_decoding_are_those_of_the_first_rungs(corpus, text, specials):
    vocab, merges = tiny_bpe.train(corpus, 256 + len(specials) + 20, specials)
    encoder, decoder = ENCODING.Encoder(vocab, merges), DECODING.Decoder(vocab)
    expected = []
    for part in SpecialSplitter({s: 256 + i for i, s in enumerate(specials)}).split(text):
        if isinstance(part, int):
            expected.append(part)
        else:
            for pretoken in regex.findall(GPT2_PATTERN, part):
                expected += encoder.encode_pretoken(pretoken.encode())
    ids = tiny_bpe.encode(text, vocab, merges, specials)
    assert ids == expected
    assert tiny_bpe.decode(ids, vocab) == decoder.decode(ids) == text


def test_half_a_character_is_decoded_as_the_first_rung_does():
    vocab = {byte: bytes([byte]) for byte in range(256)}
    for ids in ([195], [97, 231, 140], [169, 97], [231, 140, 171]):
        assert tiny_bpe.decode(ids, vocab) == DECODING.Decoder(vocab).decode(ids)


@pytest.mark.parametrize("page", sorted(START.glob("*.md")), ids=lambda page: page.stem)
def test_every_block_of_code_runs(page):
    """A block of Python is an example with results, or code that another test runs."""
    for block in re.findall(r"```python\n(.*?)```", page.read_text("utf-8"), re.DOTALL):
        assert block.startswith(">>> ") or page.stem in ("whole_tokenizer", "exercises")


def test_the_page_says_how_to_be_judged(tmp_path):
    page = (START / "whole_tokenizer.md").read_text("utf-8")
    code = next(block for block in re.findall(r"```python\n(.*?)```", page, re.DOTALL)
                if "def train_bpe(input_path" in block)
    names = {}
    exec(code, names)
    corpus = tmp_path / "corpus.txt"
    corpus.write_bytes(b"low low\r\nlower")
    assert names["train_bpe"](corpus, 260, []) == tiny_bpe.train("low low\r\nlower", 260, [])
