"""`show`, `explore`, `compare` and `convert`."""

import os
import threading

import pytest

from cs336_bpe import Tokenizer

FORMATS = {"own": "tokenizer.bpe.json", "gpt2": "vocab.json", "tiktoken": "tokenizer.tiktoken",
           "huggingface": "tokenizer.json"}


@pytest.mark.parametrize(("source", "to"), [
    pair for other in list(FORMATS)[1:] for pair in [("own", other), (other, "own")]])
def test_convert(cs336, trained, tmp_path, source, to):
    special = ["--special", "<|endoftext|>"] if source == "tiktoken" else []
    result = cs336.json("convert", trained / FORMATS[source], f"{tmp_path}/", "--to", to, *special)
    assert (result["from"], result["to"]) == (source, to)
    for file in result["files"]:
        name = file.rpartition("/")[2]
        assert (tmp_path / name).read_bytes() == (trained / name).read_bytes()
    assert len(list(tmp_path.iterdir())) == len(result["files"]) == (2 if to == "gpt2" else 1)


@pytest.mark.parametrize("source", ["own", "tiktoken", "huggingface"])
def test_convert_from_a_pipe(cs336, trained, tmp_path, source):
    """Which can be read once only, to tell the format as well as for what it holds."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    data = (trained / FORMATS[source]).read_bytes()
    writer = threading.Thread(target=pipe.write_bytes, args=(data,), daemon=True)
    writer.start()
    special = ["--special", "<|endoftext|>"] if source == "tiktoken" else []
    result = cs336.json("convert", pipe, tmp_path / "out.json", "--to", "own", *special)
    assert result["from"] == source
    own = (trained / FORMATS["own"]).read_bytes()
    assert (tmp_path / "out.json").read_bytes() == own


def test_what_can_not_be_converted(cs336, trained, text_file, tmp_path):
    fails = cs336.fails
    out = tmp_path / "out"
    assert "no tokenizer" in fails("convert", text_file, out, "--to", "own")
    assert "no tokenizer in it" in fails("convert", tmp_path, out, "--to", "own")
    assert "missing" in fails("convert", "missing", out, "--to", "own")
    assert "pattern" in fails("convert", trained, out, "--to", "own", "--pattern", "gpt4")
    cs336("train", text_file, "--vocab-size", "270", "--out", out, "--formats", "own", "--quiet",
          "--pattern", "[a-z]*")
    assert "matches the empty text" in fails("convert", out, tmp_path / "x", "--to", "tiktoken")
    assert not (tmp_path / "x").exists()


def test_compare(cs336, trained, text_file, tmp_path, text):
    result = cs336.json("compare", trained, trained / "vocab.json")
    assert result["identical"]
    assert [row["text"] for row in result["texts"]] == ["built-in tales", "built-in web"]
    assert "They are the same" in cs336("compare", trained, trained / "tokenizer.json").stdout

    tokenizer = Tokenizer.load(trained)
    smaller = tmp_path / "small.bpe.json"
    tokenizer.truncated(600).save(smaller)
    result = cs336.json("compare", trained, smaller, "--on", text_file)
    assert not result["identical"]
    assert result["merges"]["common_beginning"] == 600 - 257
    left, right = tokenizer.merges[600 - 257]
    assert [token["bytes"] for token in result["merges"]["next_in_a"]] == [left.hex(), right.hex()]
    assert result["merges"]["next_in_b"] is None
    assert result["tokens"]["shared"] == result["tokens"]["shared_with_equal_id"] == 600
    assert result["tokens"]["only_in_a"]["number"] == 100
    [row] = result["texts"]
    assert row["tokens_a"] == len(tokenizer.encode(text))
    assert row["bytes_per_token_b"] == len(text.encode()) / row["tokens_b"]
    same = cs336.json("compare", trained, smaller, "--on", "-", input=text)
    assert same["texts"][0] | {"text": ""} == row | {"text": ""}
    shown = cs336("compare", trained, smaller, "--on", text_file).stdout
    assert "merges: the same before merge 343, which is " in shown
    assert "100 only in A: " in shown
    assert "missing" in cs336.fails("compare", trained, "missing")
    assert "missing" in cs336.fails("compare", trained, smaller, "--on", "missing")


def test_show(cs336, trained, text, text_file):
    tokenizer = Tokenizer.load(trained)
    done = cs336("show", "low lower", "-t", trained)
    pieces = [tokenizer.token_bytes(number).decode() for number in tokenizer.encode("low lower")]
    assert done.stdout == "│".join(pieces) + "\n"
    assert done.stderr == ""
    result = cs336.json("show", text_file, "-t", trained)
    assert [token["id"] for token in result["tokens"]] == tokenizer.encode(text)
    assert sum(token["special"] for token in result["tokens"]) == 1
    assert b"".join(bytes.fromhex(token["bytes"]) for token in result["tokens"]) == text.encode()
    assert cs336.json("show", "-", "-t", trained, input=text) == result
    assert "there is no file missing.txt" in cs336("show", "missing.txt", "-t", trained).stderr
    named = cs336.json("show", text_file, "--text", "-t", trained)
    assert named["bytes"] == len(str(text_file))
    cut = cs336("show", text_file, "--limit", "20", "-t", trained).stdout
    assert f"of {len(text.encode())} bytes]" in cut


def test_colours_and_no_color(cs336, trained):
    def show(*options, **environment):
        return cs336("show", "low lower", "-t", trained, *options, **environment).stdout

    def on_terminal(*options, **environment):
        return cs336.on_terminal("show", "low lower", "-t", trained, *options, stream="stdout",
                                 **environment)

    assert "\x1b[" not in show()  # it is a pipe
    assert "\x1b[" in show("--color", "always")
    assert "\x1b[" in on_terminal()
    assert "\x1b[" not in on_terminal("--color", "never")
    assert "\x1b[" not in on_terminal(NO_COLOR="1")


def test_show_without_a_tokenizer(cs336):
    done = cs336("show", "just like that")
    assert "built-in corpus" in done.stderr
    assert done.stdout.replace("│", "") == "just like that\n"


def test_pages(cs336, trained, text_file, tmp_path):
    page = tmp_path / "show.html"
    result = cs336.json("show", text_file, "--html", page, "-t", trained)
    assert result["shown_bytes"] == result["bytes"] == text_file.stat().st_size
    assert "text.txt" in page.read_text(encoding="utf-8")
    counts = tmp_path / "c.counts"
    cs336("count", text_file, "-o", counts, "--quiet")
    for options in ([], ["--on", text_file], ["--counts", counts]):
        done = cs336("explore", trained, "-o", page, *options)
        assert done.stdout.startswith(f"wrote {page}, ")
        html = page.read_text(encoding="utf-8")
        assert html.startswith("<!")
        assert html.rstrip().endswith("</html>")
    assert "missing" in cs336.fails("explore", "missing", "-o", page)
    assert "folder does not exist" in cs336.fails("explore", trained, "-o", "no/such/folder.html")
