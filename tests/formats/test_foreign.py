"""The real libraries read what we write, and give the same ids.

Text is restricted to characters of Unicode 3.2: libraries follow different versions of Unicode,
and disagree on whether a character that was assigned lately is a letter.
"""

from unicodedata import ucd_3_2_0

import pytest
import tiktoken
import tiktoken.load
import tokenizers
from hypothesis import given, settings
from hypothesis import strategies as st

from cs336_bpe import GPT2_PATTERN, train_bpe_from_counts
from cs336_bpe.corpora import generated as corpus
from cs336_bpe.formats import (
    read_huggingface,
    read_tiktoken,
    to_huggingface,
    to_tiktoken,
    write_gpt2,
    write_huggingface,
    write_tiktoken,
)
from cs336_bpe.formats.plain_encoder import PlainEncoder
from cs336_bpe.formats.probe import TEXTS
from cs336_bpe.formats.round_trip import checked
from cs336_bpe.rules import Model, assemble_vocab

GPT4_PATTERN = (
    r"""'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]++[\r\n]*"""
    r"""|\s*[\r\n]|\s+(?!\S)|\s+"""
)
CHARACTERS = st.characters(exclude_categories=["Cs"]).filter(
    lambda character: ucd_3_2_0.category(character) != "Cn")
TEXT = st.text(st.one_of(CHARACTERS, st.sampled_from("abst  \n'019.日é")))
SAMPLES = [corpus.web(20_000, seed=1), corpus.stories(20_000, seed=1),
           "one<|endoftext|>two words🙂 ende «x»\n<|pad|><|pad|> two words", *TEXTS]


class Three:
    """A tokenizer as we have it, and as two libraries have it."""

    def __init__(self, model):
        self.ours = PlainEncoder(checked(model))
        self.tiktoken = to_tiktoken(model)
        self.huggingface = to_huggingface(model)

    def check(self, text):
        ids = self.ours.encode(text)
        assert self.tiktoken.encode(text, allowed_special="all") == ids
        assert self.huggingface.encode(text).ids == ids
        assert self.tiktoken.decode(ids) == text
        assert self.huggingface.decode(ids, skip_special_tokens=False) == text


@pytest.fixture(scope="session", params=[GPT2_PATTERN, GPT4_PATTERN], ids=["gpt2", "gpt4"])
def three(trained, request):
    return Three(trained._replace(pattern=request.param))


@pytest.fixture(scope="session")
def three_gpt2(gpt2):
    return Three(gpt2)


def test_samples(three):
    for text in SAMPLES:
        three.check(text)


@given(TEXT)
def test_any_text(three, text):
    three.check(text)


@given(text=TEXT)
def test_any_text_with_gpt2(three_gpt2, text):
    three_gpt2.check(text)


@pytest.mark.parametrize("name", ["code", "multilingual", "stories", "web"])
def test_real_text(name, real_data, three, three_gpt2):
    with open(real_data / "corpora" / f"{name}.txt", "rb") as file:
        for offset in (0, 5_000_000, 15_000_000):
            file.seek(offset)
            text = file.read(100_000).decode("utf-8", "ignore")
            three.check(text)
            three_gpt2.check(text)


# --- The files ------------------------------------------------------------------------------

MODELS = ["trained", pytest.param("gpt2", marks=pytest.mark.real_data)]


@pytest.mark.parametrize("name", MODELS)
def test_tiktoken_reads_our_ranks(name, request, tmp_path, monkeypatch):
    model = request.getfixturevalue(name)
    monkeypatch.setenv("TIKTOKEN_CACHE_DIR", "")  # it would keep a copy, by the name of the file
    path = tmp_path / "ranks.tiktoken"
    write_tiktoken(model, path)
    ids = checked(model).ids
    assert tiktoken.load.load_tiktoken_bpe(str(path)) == ids.ordinary


@pytest.mark.parametrize("name", MODELS)
def test_hugging_face_reads_our_file_and_we_read_theirs(name, request, tmp_path):
    model = request.getfixturevalue(name)
    path = tmp_path / "tokenizer.json"
    write_huggingface(model, path)
    theirs = tokenizers.Tokenizer.from_file(str(path))
    ours = PlainEncoder(checked(model))
    for text in SAMPLES:
        assert theirs.encode(text).ids == ours.encode(text)
    for pretty in (False, True):
        theirs.save(str(path), pretty=pretty)
        assert read_huggingface(path) == model


def test_hugging_face_reads_our_gpt2_files(trained, tmp_path):
    paths = tmp_path / "vocab.json", tmp_path / "merges.txt"
    write_gpt2(trained, *paths)
    theirs = tokenizers.ByteLevelBPETokenizer.from_file(*map(str, paths))
    theirs.add_special_tokens(trained.special_tokens)
    ours = PlainEncoder(checked(trained))
    for text in SAMPLES:
        assert theirs.encode(text).ids == ours.encode(text)


def test_a_tokenizer_that_hugging_face_has_trained(tmp_path):
    theirs = tokenizers.ByteLevelBPETokenizer(add_prefix_space=False)
    theirs.train_from_iterator([corpus.web(100_000)], 1_000, special_tokens=["<s>", "</s>"],
                               show_progress=False)
    path = tmp_path / "tokenizer.json"
    theirs.save(str(path))
    ours = PlainEncoder(checked(read_huggingface(path)))
    for text in [*SAMPLES, "<s>one</s>two<s></s>"]:
        assert ours.encode(text) == theirs.encode(text).ids


def test_added_tokens_that_are_not_in_the_vocab(small, tmp_path):
    theirs = to_huggingface(small)
    theirs.add_special_tokens(["<|new|>", "<|newer|>"])
    path = tmp_path / "tokenizer.json"
    theirs.save(str(path))
    model = read_huggingface(path)
    assert model.vocab == small.vocab | {263: b"<|new|>", 264: b"<|newer|>"}
    text = "low<|newer|><|new|><|end|>"
    assert PlainEncoder(checked(model)).encode(text) == theirs.encode(text).ids


# --- Special tokens ---------------------------------------------------------------------------


def test_the_longest_special_token_wins(small):
    specials = ["<|a|>", "<|a|><|b|>", "<|a|><|b|><|c|>"]
    model = small._replace(vocab=assemble_vocab(specials, small.merges), special_tokens=specials)
    theirs = to_huggingface(model)
    assert theirs.encode("<|a|><|b|><|c|><|a|><|b|><|a|>").ids == [258, 257, 256]
    # tiktoken tries them in the order of its hash table, so some sets can't be had.
    try:
        encoding = to_tiktoken(model)
    except ValueError as error:
        assert "tiktoken would not give the same ids: '<|a|>" in str(error)  # noqa: PT017
    else:
        assert encoding.encode(specials[2], allowed_special="all") == [258]


def test_tiktoken_with_special_tokens_that_begin_with_one_another(small):
    """Of many such pairs about half come in the wrong order, and all of those are refused."""
    refused = 0
    for i in range(20):
        specials = [f"<{i}>", f"<{i}>x"]
        model = small._replace(vocab=assemble_vocab(specials, small.merges),
                               special_tokens=specials)
        try:
            encoding = to_tiktoken(model)
        except ValueError:
            refused += 1
        else:
            assert encoding.encode(f"a<{i}>x", allowed_special="all")[-1] == 257
    assert 0 < refused < 20


@pytest.mark.parametrize(("pattern", "function", "message"), [
    (r"\w+|\W+", to_huggingface, "tokenizers would not give the same ids"),
    (r"\p{N}{1,3}+|[^\p{N}]+", to_huggingface, "tokenizers would not give the same ids"),
    (r"[^,]+", to_huggingface, "tokenizers would not give the same ids"),
    (r"[a-z]*|.", to_huggingface, "matches the empty text"),
    (r"[a-z]*|.", to_tiktoken, "matches the empty text"),
    (r"(?V1)[[a-z]--[aeiou]]+|[\s\S]", to_tiktoken, "tiktoken can't use the pattern"),
    (r"(?V1)[[a-z]--[aeiou]]+|[\s\S]", to_huggingface, "tokenizers can't use this tokenizer"),
])
def test_patterns_that_mean_something_else_elsewhere(pattern, function, message):
    # Merges that show it: digits of a group of three and the next, a blank before a fraction.
    merges = [(b"8", b"9"), (b" ", b"\xc2")]
    with pytest.raises(ValueError, match=message):
        function(Model(assemble_vocab([], merges), merges, [], pattern))


def test_a_library_that_is_not_installed(small, monkeypatch, tmp_path):
    import sys

    from cs336_bpe.formats import gpt2, huggingface
    from cs336_bpe.formats import tiktoken as ranks

    for module in (gpt2, huggingface, ranks):
        monkeypatch.setattr(module, "is_installed", lambda package: False)
    for package in ("tiktoken", "tokenizers"):
        monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(ImportError, match="pip install tiktoken"):
        to_tiktoken(small)
    with pytest.raises(ImportError, match="pip install tokenizers"):
        to_huggingface(small)
    write_tiktoken(small, tmp_path / "ranks")
    write_huggingface(small, tmp_path / "tokenizer.json")
    write_gpt2(small, tmp_path / "vocab.json", tmp_path / "merges.txt")
    assert read_tiktoken(tmp_path / "ranks", {"<|end|>": 256}) == small
    assert read_huggingface(tmp_path / "tokenizer.json") == small


# --- Ranks and merges -------------------------------------------------------------------------


def replay(word, merges):
    """The definition: every merge in order."""
    for left, right in merges:
        done = []
        for token in word:
            done.append(token)
            while len(done) > 1 and done[-2:] == [left, right]:
                done[-2:] = [left + right]
        word = done
    return word


WORDS = st.lists(st.text("abc", min_size=1, max_size=12), min_size=1, max_size=20)


@settings(max_examples=200)
@given(WORDS, st.integers(1, 30), st.text("abc", max_size=150))
@pytest.mark.filterwarnings("ignore::cs336_bpe.EarlyStopWarning")
def test_trained_merges_are_found_from_ranks(tmp_path, words, size, text):
    """Three letters, so that ties and overlaps are everywhere."""
    counts = {word.encode(): 1 for word in words}
    vocab, merges = train_bpe_from_counts(counts, 256 + size, [])
    model = Model(vocab, merges, [], r"[\s\S]+")
    write_tiktoken(model, tmp_path / "ranks")  # which compares the merges
    tokens = replay([bytes([byte]) for byte in text.encode()], merges)
    number = {token: n for n, token in vocab.items()}
    assert to_tiktoken(model).encode(text) == [number[token] for token in tokens]
    assert PlainEncoder(checked(model)).encode(text) == [number[token] for token in tokens]


@settings(max_examples=300)
@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), max_size=9, unique=True),
       st.text("abc", max_size=40))
def test_any_merges_are_written_to_ranks_or_refused(tmp_path, picks, text):
    """Merges that nobody has trained: some never happen, and tiktoken can't keep these."""
    tokens = [b"a", b"b", b"c"]
    merges = []
    for first, second in picks:
        pair = tokens[first % len(tokens)], tokens[second % len(tokens)]
        if pair not in merges and pair[0] + pair[1] not in tokens:
            merges.append(pair)
            tokens.append(pair[0] + pair[1])
    model = Model(assemble_vocab([], merges), merges, [], r"[\s\S]+")
    try:
        write_tiktoken(model, tmp_path / "ranks")
    except ValueError as error:
        assert "never happens" in str(error) or "not made by one merge" in str(error)  # noqa: PT017
        return
    ours = PlainEncoder(checked(model)).encode(text)
    assert to_tiktoken(model).encode(text) == ours
    assert ours == [next(n for n, t in model.vocab.items() if t == token)
                    for token in replay([bytes([byte]) for byte in text.encode()], merges)]
