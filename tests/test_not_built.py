"""Without a compiler: plain Python stands in for the compiled modules, with the same results.

Here the modules are built. So the programs below run in a process of their own, in which a hook
keeps them from being imported, as if they were not there; and what they print is compared with what
the same program prints with them. `tests/installed.sh` installs without a compiler for real.
"""

import random
import subprocess
import sys
from array import array

import pytest

from cs336_bpe.formats import columns, json_counts, plain, recover
from cs336_bpe.rules import BYTES
from cs336_bpe.tokenizer import engine, plain_engine

HOOK = """
import sys
from importlib.machinery import ExtensionFileLoader, PathFinder

class NotBuilt(PathFinder):
    @classmethod
    def find_spec(cls, name, path=None, target=None):
        spec = super().find_spec(name, path, target)
        if spec and name.startswith("cs336_bpe.") and isinstance(spec.loader, ExtensionFileLoader):
            return None
        return spec

if sys.argv[1] == "plain":
    sys.meta_path[sys.meta_path.index(PathFinder)] = NotBuilt
"""

CORPUS = """
import sys
from cs336_bpe.corpora import generated
folder = sys.argv[2]
with open(f"{folder}/corpus.txt", "w", encoding="utf-8", newline="") as file:
    file.writelines(generated.stream("web", 30_000))
    file.write("<|endoftext|>\\u732b\\u732b I'll caf\\u00e9  \\n\\n 123,456 <|x|>\\r\\n" * 40)
path = f"{folder}/corpus.txt"
text = open(path, encoding="utf-8", newline="").read()
SPECIALS = ["<|endoftext|>", "<|x|>"]
"""


def run(how, folder, program):
    """The output of a program, and what it said besides."""
    done = subprocess.run([sys.executable, "-c", HOOK + CORPUS + program, how, str(folder)],
                          capture_output=True, text=True, encoding="utf-8")
    assert done.returncode == 0, done.stderr
    return done.stdout, done.stderr


PROGRAMS = {
    "counting and training": """
from cs336_bpe import count_pretokens, count_pretokens_in, train_bpe, train_bpe_from_counts
from cs336_bpe import PretokenCounts, train_bpe_from_texts
counts = count_pretokens(path, SPECIALS, workers=2, block_bytes=5_000)
print(sorted(counts.items()) == sorted(count_pretokens_in(text, SPECIALS).items()))
counts.save(f"{folder}/corpus.counts")
loaded = PretokenCounts.load(f"{folder}/corpus.counts")
print(loaded == counts, loaded.total, sorted(loaded.items()))
for tie_break in ("lexicographic", "huggingface"):
    print(train_bpe_from_counts(counts, 500, SPECIALS, tie_break=tie_break))
print(train_bpe(path, 400, SPECIALS) == train_bpe_from_counts(counts, 400, SPECIALS))
print(train_bpe_from_texts(["low low", "lower"], 259, []))
print(count_pretokens(path, SPECIALS, pattern="gpt4").top(20))
from concurrent.futures import ThreadPoolExecutor
with ThreadPoolExecutor(2) as executor:
    print(count_pretokens(path, SPECIALS, executor=executor, part_bytes=10_000) == counts)
""",
    "encoding and decoding": """
import numpy
from cs336_bpe import Tokenizer, train_bpe
vocab, merges = train_bpe(path, 600, SPECIALS)
for pattern in ("gpt2", "gpt4", r"\\w+|\\W", r"(?<=a)\\w+|\\w|\\W"):  # one of them no automaton has
    tokenizer = Tokenizer(vocab, merges, SPECIALS, pattern=pattern)
    ids = tokenizer.encode(text)
    print(tokenizer, ids)
    for which in ("none", {"<|x|>"}):
        print(tokenizer.encode(text[-300:], specials=which))
    assert tokenizer.decode(ids) == text
    assert list(tokenizer.encode_iterable(text[i : i + 7] for i in range(0, len(text), 7))) == ids
    assert tokenizer.encode_array(text).tolist() == ids
    assert tokenizer.encode_array(text, dtype="int64").tolist() == ids
    assert tokenizer.count(text) == len(ids)
    assert tokenizer.encode_batch(["one", "", text], workers=2)[2] == ids
    arrays, offsets = tokenizer.encode_batch_arrays(["one two", "", text])
    assert arrays[offsets[2] :].tolist() == ids and offsets[1] == offsets[2]
    assert tokenizer.encode_file(path, f"{folder}/ids.npy", workers=2) == len(ids)
    assert numpy.load(f"{folder}/ids.npy").tolist() == ids
    tokenizer.decode_file(f"{folder}/ids.npy", f"{folder}/back.txt")
    assert open(f"{folder}/back.txt", encoding="utf-8", newline="").read() == text
    assert "".join(tokenizer.decode_iterable(iter(ids))) == text
    assert tokenizer.decode_batch([ids, ids[:5]])[0] == text
    print(tokenizer.encode_with_offsets(text[-300:]).offsets)
    print(tokenizer.encode(b"\\xff a\\xc3 b".decode("utf-8", "replace")))
tokenizer.encode_texts(["one", "two<|x|>"], f"{folder}/texts.bin")
print(open(f"{folder}/texts.bin", "rb").read())
for wrong in ("tokenizer.encode('a<|x|>', specials='raise')", "tokenizer.encode('a\\\\ud800')",
              "tokenizer.decode([5, 100_000])", "Tokenizer(vocab, merges[:5] * 2)",
              "Tokenizer(vocab, merges, pattern='[a-z]').encode('a1')",
              "Tokenizer(vocab, merges, cache_bytes=5)"):
    try:
        print(eval(wrong))
    except (TypeError, ValueError) as error:
        print(error)
""",
    "files of tokenizers": """
import os
from cs336_bpe import Tokenizer, load_tokenizer, train_bpe
tokenizer = Tokenizer(*train_bpe(path, 500, SPECIALS), SPECIALS)
for format in ("own", "gpt2", "tiktoken", "huggingface"):
    where = f"{folder}/{format}"
    os.makedirs(where, exist_ok=True)
    for file in tokenizer.save(where, format=format):
        print(file.name, file.read_bytes())
    specials = tokenizer.special_tokens if format == "tiktoken" else None
    print(load_tokenizer(where, specials) == tokenizer)
    for file in sorted(os.listdir(where)):
        data = open(f"{where}/{file}", "rb").read()
        for broken in (data[: len(data) // 2], data.replace(b"30", b"31", 1), data[:-4] + data[-3:],
                       data.replace(b'"t', b'"th')):
            open(f"{where}/{file}", "wb").write(broken)
            try:
                print(load_tokenizer(where, specials))
            except ValueError as error:
                print(error)
        open(f"{where}/{file}", "wb").write(data)
""",
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_the_same_results(name, tmp_path):
    compiled, said = run("compiled", tmp_path, PROGRAMS[name])
    assert "not built" not in said
    plainly, said = run("plain", tmp_path, PROGRAMS[name])
    assert plainly == compiled
    assert len(plainly) > 1000
    assert said.count("not built") == 1


def test_the_corpus_need_not_fit_into_memory(tmp_path):
    said = run("plain", tmp_path, """
from cs336_bpe import Tokenizer
from cs336_bpe.rules import BYTES
import cs336_bpe.text.streams as streams
streams.LONG = 1000
tokenizer = Tokenizer(dict(enumerate(BYTES)), [])
read = 0
def parts():
    global read
    for at in range(0, len(text), 100):
        read = at
        yield text[at : at + 100]
behind = [read - place for place, _ in enumerate(tokenizer.encode_iterable(parts()))]
print(max(behind))
""")[0]
    assert int(said) < 3000


def test_the_command_line(tmp_path):
    program = """
from cs336_bpe.cli import main
print(main(["train", path, "--vocab-size", "400", "--out", f"{folder}/tokenizer", "--quiet"]))
print(main(["encode", path, "-o", f"{folder}/ids.npy", "--tokenizer", f"{folder}/tokenizer",
            "--quiet"]))
print(open(f"{folder}/ids.npy", "rb").read())
"""
    results = [run(how, tmp_path, program)[0] for how in ("compiled", "plain")]
    assert results[0] == results[1]
    assert results[0].startswith("0\n0\n")


def test_the_ladder_says_what_is_not_built(tmp_path):
    output, _ = run("plain", tmp_path, """
from cs336_bpe.cli import main
assert not main(["ladder", "--bytes", "5000", "--vocab-size", "300", "--limit", "1"])
""")
    assert output.count("not built") == 4, output
    assert "stage11" in output


def test_a_compiled_stage_says_how_to_build_it(tmp_path):
    output, _ = run("plain", tmp_path, """
from cs336_bpe import train_bpe
try:
    train_bpe(path, 300, [], stage="stage13")
except ImportError as error:
    print(error)
""")
    assert "needs a C++ compiler" in output


# --- the stand-ins, function by function ------------------------------------------------------


def random_merges(rng):
    """Merges that are right, or nearly; of few letters, so that all kinds of mistakes happen."""
    tokens = [b"a", b"b", b"c"]
    pairs = []
    for _ in range(rng.randrange(8)):
        pair = rng.choice(tokens), rng.choice(tokens)
        pairs.append(pair)
        if rng.random() < 0.9:
            tokens.append(b"".join(pair))
    if rng.random() < 0.3:
        rng.shuffle(pairs)
    vocab = [*BYTES, *dict.fromkeys(token for token in tokens if len(token) > 1)]
    return pairs, vocab


def test_columns():
    rng = random.Random(1)
    seen = set()
    for _ in range(1000):
        pairs, vocab = random_merges(rng)
        ids = {token: 2 * number for number, token in enumerate(vocab)}
        for in_order in (True, False):
            expected = columns.columns_of(ids, pairs, in_order=in_order)
            assert plain.columns_of(ids, pairs, in_order=in_order) == expected
            seen.add((in_order, expected is None))
        texts = [f"{left.decode()} {right.decode()}" for left, right in pairs]
        texts += rng.choice([[], [" a"], ["a "], ["a"], ["a b c"], ["é b"], [("a", "b")], [3]])
        assert plain.columns_of(ids, texts, printable=True) == columns.columns_of(
            ids, texts, printable=True)
        ranked = columns.columns_of_ranked(ids, texts)
        assert plain.columns_of_ranked(ids, texts) == ranked
        seen.add(ranked is None)
        if ranked is not None:
            assert plain.are_in_order(ranked) == columns.are_in_order(ranked)
            seen.add(("in order", columns.are_in_order(ranked)))
    assert len(seen) == 8
    texts = ["Ġa", "a b", "é", "", "猫"]
    assert plain.not_printable(texts) == columns.not_printable(texts) == ["a b", "猫"]


def test_recovery():
    rng = random.Random(2)
    for _ in range(300):
        pairs, vocab = random_merges(rng)
        pairs = list(dict.fromkeys(pairs))
        number = {token: place for place, token in enumerate(
            dict.fromkeys([*vocab, *(left + right for left, right in pairs)]))}
        numbers = [[number[left], number[right], number[left + right]] for left, right in pairs]
        arguments = list(number), *([list(column) for column in zip(*numbers)] or [[], [], []])
        assert plain.last_merges(*arguments) == recover.last_merges(*arguments)
        rng.shuffle(vocab)
        lefts, rights = recover.merges_of_ranks(vocab)
        assert plain.merges_of_ranks(vocab) == (lefts, rights)
        assert plain.merges_of_any_ranks(vocab) == recover.merges_of_any_ranks(vocab)
        if lefts.count(-1) == 256:
            ids = list(range(len(vocab)))
            made = columns.columns_of_parts(vocab, ids, lefts, rights)
            assert plain.columns_of_parts(vocab, ids, lefts, rights) == made
            words = [bytes(rng.choices(b"abc", k=rng.randrange(1, 9))) for _ in range(5)]
            assert plain.parts_left(made, words) == recover.parts_left(made, words)


@pytest.mark.parametrize("text", [
    b"{}", b"[1, 22, 333]",
    b'{"a\\":": [{}, {"b": "1234"}], "c,[{": "4\\\\"}', b'{"\\u00e9": -12.5}',
])
def test_json_counts(text):
    import json

    assert plain.counts_of_text(text) == json_counts.counts_of_text(text)
    value = json.loads(text)
    assert plain.count_entries(value) == json_counts.count_entries(value)


def test_the_limits_are_the_same():
    for name in ("DEFAULT_CACHE_BYTES", "SMALLEST_CACHE_BYTES"):
        assert getattr(plain_engine, name) == getattr(engine, name)
    assert memoryview(plain_engine.Ids(2, 0)).itemsize == 2
    assert memoryview(plain_engine.Ids(4, 0)).itemsize == 4
    assert array("i").itemsize == 4  # of columns
