"""`sample`, `fetch` and `cost`."""

import pytest

from cs336_bpe import Tokenizer
from cs336_bpe.cost.bytes_per_token import bytes_per_token
from cs336_bpe.pretokenize import count_pretokens


@pytest.fixture
def documents(tmp_path):
    path = tmp_path / "corpus.txt"
    path.write_text("".join(f"This is document {number}.<|endoftext|>" for number in range(200)))
    return path


def test_sample(cs336, documents, tmp_path):
    out = tmp_path / "out.txt"
    result = cs336.json("sample", documents, out, "--documents", "7", "--seed", "5")
    assert result["after"]["documents"] == out.read_text().count("<|endoftext|>") == 7
    assert result["before"]["documents"] == 200
    done = cs336("sample", documents, out, "--fraction", "0.5", "--smart")
    assert "near-duplicates left out" in done.stdout
    assert f"wrote {out}" in done.stdout
    lines = "".join(f"{number} {number * number * 'word '}|" for number in range(9))
    documents.write_text(lines)
    result = cs336.json("sample", documents, out, "--documents", "100", "--separator", "|")
    assert result["after"]["documents"] == 9
    assert "all were taken" in result["note"]
    assert out.read_text() == lines


def test_sample_errors(cs336, documents):
    fails = cs336.fails
    assert "missing" in fails("sample", "missing", "x", "--documents", "1")
    assert "fraction is 2.0" in fails("sample", documents, "x", "--fraction", "2")
    assert "same file" in fails("sample", documents, documents, "--fraction", "0.1")


def test_fetch(cs336, tmp_path):
    """What needs no network; test_fetching.py has the rest, with a server."""
    nowhere = ["--url", "http://127.0.0.1:9"]
    message = cs336.fails("fetch", "tinystories-valid", "--folder", tmp_path, *nowhere, "--quiet")
    assert "put it in place by hand" in message
    path = tmp_path / "TinyStoriesV2-GPT4-valid.txt"
    path.write_text("wrong")
    assert "must have 22,502,601" in cs336.fails("fetch", "tinystories-valid", "--folder", tmp_path)
    with path.open("wb") as file:
        file.truncate(22_502_601)  # of the right size: taken as it is
    result = cs336.json("fetch", "tinystories-valid", "--folder", tmp_path, *nowhere)
    assert result["path"] == str(path)


def test_cost_reproduces_the_published_figures(cs336):
    shapes = cs336.json("cost")["shapes"]
    assert list(shapes) == ["small", "medium", "large", "xl"]
    xl = shapes["xl"]
    assert xl["total_parameters"] == 2_126_902_400
    assert f"{xl['forward_flops_without_head']:.3e}" == "4.349e+12"
    shares = [round(100 * shapes[name]["shares_without_head"]["ffn"], 2) for name in shapes]
    assert shares == [64.29, 66.67, 68.18, 69.44]
    shown = cs336("cost").stdout
    assert "7.92 GiB" in shown
    assert "leave out" in shown
    long = cs336.json("cost", "--shape", "xl", "--context", "16384")
    assert f"{long['forward_flops_without_head']:.3e}" == "1.469e+14"
    assert round(100 * long["shares_without_head"]["products"], 2) == 56.14


def test_shapes_of_ones_own(cs336):
    released = cs336.json("cost", "--shape", "small", "--released")
    assert released["total_parameters"] == 124_439_808
    own = cs336.json("cost", "--shape", "small", "--vocab-size", "1000", "--d-model", "64",
                     "--heads", "4", "--layers", "1", "--tied", "--not-gated")
    assert own["total_parameters"] == 1000 * 64 + 4 * 64 * 64 + 2 * 64 * 256
    assert "vocabulary 1,000" in cs336("cost", "--shape", "small", "--vocab-size", "1000").stdout
    assert "heads is 5" in cs336.fails("cost", "--shape", "small", "--heads", "5")
    assert "need --sizes" in cs336.fails("cost", "--on", "x", code=2)
    assert "--vocab-size" in cs336.fails("cost", "--sizes", "--vocab-size", "9", code=2)
    assert "need --tokenizer" in cs336.fails("cost", "--sizes", "--on", "x", code=2)


def test_sizes(cs336, trained, text_file, tmp_path):
    tokenizer = Tokenizer.load(trained)
    counts = count_pretokens(text_file, tokenizer.special_tokens)
    curve = bytes_per_token(tokenizer.merges, counts, [257, 512, 700], num_specials=1)
    arguments = ["cost", "--sizes", "-t", trained, "--shape", "medium"]
    result = cs336.json(*arguments, "--on", text_file)
    assert {row["vocab_size"]: row["bytes_per_token"] for row in result["sizes"]} == curve
    counts.save(tmp_path / "c")
    again = cs336.json(*arguments, "--counts", tmp_path / "c")
    assert again["sizes"] == result["sizes"]
    shown = cs336(*arguments, "--context-bytes", "4000").stdout
    assert "FLOPs/byte" in shown
    assert "built-in web corpus" in shown


def test_sizes_of_the_built_in_corpus(cs336):
    result = cs336.json("cost", "--sizes")
    sizes = [row["vocab_size"] for row in result["sizes"]]
    assert sizes[0] == 257
    assert sizes[-1] > 50_000
    assert sizes[0] < result["cheapest"] < sizes[-1]
