"""What importing and using a tokenizer imports. Each in a fresh process."""

import subprocess
import sys

import pytest

LATER = ["concurrent.futures", "dataclasses", "hashlib", "inspect", "numpy", "regex", "tiktoken",
         "tokenizers", "tqdm"]


def imported(program, *arguments):
    """Which of the modules that may come later a program has imported in the end."""
    program += f"""
import sys
print(*(module for module in {LATER} if module in sys.modules))"""
    done = subprocess.run([sys.executable, "-c", program, *map(str, arguments)], check=True,
                          capture_output=True, text=True)
    return done.stdout.split()


def test_importing_the_tokenizer_imports_nothing_large():
    assert imported("from cs336_bpe import Tokenizer, load_tokenizer") == []


def test_encoding_and_decoding_lists_needs_neither_numpy_nor_regex(trained):
    program = """
import sys
from cs336_bpe import load_tokenizer
tokenizer = load_tokenizer(sys.argv[1])
text = "Hello, wörld! <|endoftext|> It's 2024.\\n"
ids = tokenizer.encode(text)
assert tokenizer.special_tokens["<|endoftext|>"] in ids
assert tokenizer.decode(ids) == text
assert "".join(tokenizer.decode_iterable(ids)) == text
assert tokenizer.count(text) == len(ids)
assert len(tokenizer.merges) > 100 and len(tokenizer.vocab) > 256
"""
    assert imported(program, trained) == []


@pytest.mark.parametrize(("use", "expected"), [
    ("tokenizer.encode_array('a b')", "numpy"),
    ("tokenizer.explain('a b')", "regex"),
])
def test_what_is_needed_is_imported_then(trained, use, expected):
    program = f"""
import sys
from cs336_bpe import Tokenizer
tokenizer = Tokenizer.load(sys.argv[1])
{use}"""
    assert expected in imported(program, trained)


@pytest.fixture(scope="module")
def trained(tmp_path_factory):
    """GPT-2's two files, of a small vocabulary."""
    from cs336_bpe import Tokenizer, count_pretokens_in, train_bpe_from_counts
    from cs336_bpe.corpora import generated as corpus

    counts = count_pretokens_in(corpus.web(100_000), ["<|endoftext|>"])
    folder = tmp_path_factory.mktemp("tokenizer")
    Tokenizer(*train_bpe_from_counts(counts, 500, ["<|endoftext|>"]), ["<|endoftext|>"]).save(
        folder, format="gpt2")
    return folder
