"""`train`, `count` and `merge-counts`."""

import json
from pathlib import Path

import pytest

from cs336_bpe import GPT4_PATTERN, PATTERNS, Tokenizer, train_bpe
from cs336_bpe.commands.train import output_folder
from cs336_bpe.corpora import generated as corpus

EOT = "<|endoftext|>"


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("corpus")
    paths = []
    for seed in (1, 2):
        paths.append(folder / f"{seed}.txt")
        paths[-1].write_text(corpus.web(50_000, seed), encoding="utf-8", newline="")
    return paths


def test_train(cs336, files, tmp_path):
    out = tmp_path / "new" / "tokenizer"
    result = cs336.json("train", *files, "--vocab-size", "500", "--out", out)
    vocab, merges = train_bpe(files, 500, [EOT])
    tokenizer = Tokenizer.load(out)
    assert dict(tokenizer.vocab) == vocab
    assert list(tokenizer.merges) == merges
    assert list(tokenizer.special_tokens) == [EOT]
    assert sorted(path.name for path in out.iterdir()) == [
        "merges.txt", "tokenizer.bpe.json", "vocab.json"]
    assert result["vocab_size"] == 500
    assert result["bytes"] == sum(path.stat().st_size for path in files)
    assert [phase["name"] for phase in result["phases"]] == ["count", "merge", "write",
                                                             "measure"]
    assert all(phase["seconds"] >= 0 and phase["peak_bytes"] > 1e6 for phase in result["phases"])
    text = "".join(path.read_text(encoding="utf-8") for path in files)
    tokens = sum(len(tokenizer.encode(part)) for part in text.split(EOT))
    assert result["tokens"] == tokens
    longest = max((token for token in vocab.values() if token != EOT.encode()), key=len)
    assert bytes.fromhex(result["longest_tokens"][0]["bytes"]) == longest


def test_the_summary(cs336, files, tmp_path):
    done = cs336("train", files[0], "--vocab-size", "400", "--out", tmp_path)
    for part in ("400 tokens: 256 bytes, 1 special (<|endoftext|>), 143 merges", "distinct",
                 "bytes per token", "longest tokens: ", "peak MB", "count", "merge",
                 f"wrote {tmp_path / 'vocab.json'}"):
        assert part in done.stdout
    assert [line.split(":")[0] for line in done.stderr.splitlines()] == ["count", "merge"]


def test_options_of_training(cs336, files, tmp_path):
    result = cs336.json("train", files[0], "--vocab-size", "400", "--out", tmp_path,
                        "--special", "a", "--special", "<b>", "--no-special", "--pattern", "gpt4",
                        "--workers", "1", "--formats", "own")
    tokenizer = Tokenizer.load(tmp_path / "tokenizer.bpe.json")
    assert dict(tokenizer.special_tokens) == {"a": 256, "<b>": 257}
    assert tokenizer.pattern == GPT4_PATTERN == result["pattern"]
    expected = train_bpe(files[0], 400, ["a", "<b>"], pattern=GPT4_PATTERN)[1]
    assert list(tokenizer.merges) == expected
    assert [path.name for path in tmp_path.iterdir()] == ["tokenizer.bpe.json"]


def test_special_tokens_are_added_to_the_default(cs336, files, tmp_path):
    options = ["train", files[0], "--vocab-size", "400", "--formats", "own"]
    result = cs336.json(*options, "--out", tmp_path / "a", "--special", "<pad>")
    assert result["special_tokens"] == [EOT, "<pad>"]
    assert result["notes"] == []
    result = cs336.json(*options, "--out", tmp_path / "b", "--special", "<pad>", "--no-special")
    times = files[0].read_text(encoding="utf-8").count(EOT)
    assert result["notes"] == [f"the text has {EOT} {times:,} times, which is not a special token "
                               f"here, so it is learned as text; leave --no-special out"]


def test_a_pattern_that_leaves_text_out(cs336, files, tmp_path):
    result = cs336.json("train", files[0], "--vocab-size", "300", "--out", tmp_path, "--pattern",
                        r"\w+", "--formats", "own")
    [note] = result["notes"]
    assert note.startswith(r"the pattern '\\w+' does not match")


def test_continuing(cs336, files, tmp_path):
    options = ["train", files[0], "--formats", "own"]
    cs336(*options, "--vocab-size", "300", "--out", tmp_path / "a")
    cs336(*options, "--vocab-size", "400", "--out", tmp_path / "b")
    cs336(*options, "--vocab-size", "400", "--out", tmp_path / "c", "--continue-from",
          tmp_path / "a")
    assert Tokenizer.load(tmp_path / "b") == Tokenizer.load(tmp_path / "c")

    cs336("train", files[0], "--vocab-size", "300", "--out", tmp_path, "--no-special",
          "--pattern", "[a-z]+|[^a-z]+", "--tie-break", "huggingface", "--quiet")
    tokenizer = Tokenizer.load(tmp_path)
    assert not tokenizer.special_tokens
    assert tokenizer.pattern == "[a-z]+|[^a-z]+"


def test_patterns_by_name(cs336, files, tmp_path):
    for name in ("gpt4", "llama3", "deepseek3"):
        result = cs336.json("train", files[0], "--vocab-size", "300", "--out", tmp_path / name,
                            "--pattern", name)
        assert result["pattern"] == PATTERNS[name] == Tokenizer.load(tmp_path / name).pattern
    assert all(name in cs336("train", "--help").stdout for name in PATTERNS)
    line = cs336.fails("train", files[0], "--vocab-size", "300", "--out", tmp_path / "no",
                       "--pattern", "gpt3", code=2)
    assert "there is no pattern 'gpt3'; there are gpt2, gpt4, gpt4o," in line
    assert not (tmp_path / "no").exists()


def test_a_pattern_that_can_not_be_compiled_is_named(cs336, files, tmp_path):
    arguments = ["train", files[0], "--vocab-size", "300", "--out", tmp_path / "slow",
                 "--pattern", r"(?<=\n)\s+|\s+|\S+"]
    message = ("cs336-bpe: note: the pattern runs through `regex`, which is slow: it has a "
               r"look-behind, at character 0 of '(?<=\\n)\\s+|\\s+|\\S+'")
    assert cs336(*arguments).stderr.splitlines().count(message) == 1
    assert cs336(*arguments, "--quiet").stderr == ""
    encoded = cs336("encode", files[0], "-o", tmp_path / "ids.npy", "-t", tmp_path / "slow")
    assert encoded.stderr.splitlines().count(message) == 1


def test_the_built_in_corpus(cs336, tmp_path):
    result = cs336.json("train", "--built-in", "web", "--bytes", "30000", "--vocab-size", "300",
                        "--out", tmp_path)
    assert result["source"] == "built-in web"
    path = tmp_path / "text"
    path.write_text(corpus.web(30_000), encoding="utf-8", newline="")
    assert list(Tokenizer.load(tmp_path).merges) == train_bpe(path, 300, [EOT])[1]


def test_too_little_text_is_a_note(cs336, text_file, tmp_path):
    done = cs336("train", text_file, "--vocab-size", "5000", "--out", tmp_path / "t", "--json")
    result = json.loads(done.stdout)
    assert result["vocab_size"] < 5000
    assert "no pair is left" in result["notes"][0]
    assert "cs336-bpe: note: no pair is left" in done.stderr


def test_counts_on_several_machines(cs336, files, tmp_path):
    parts = [tmp_path / f"{number}.counts" for number in (1, 2)]
    for file, part in zip(files, parts):
        result = cs336.json("count", file, "-o", part)
        assert result["bytes"] == file.stat().st_size
    both = tmp_path / "both.counts"
    merged = cs336.json("merge-counts", *parts, "-o", both)
    assert merged["kinds"] >= result["kinds"]
    at_once = tmp_path / "once.counts"
    done = cs336("count", *files, "-o", at_once)
    assert "most frequent: , 882, ␣the " in done.stdout
    assert both.read_bytes() == at_once.read_bytes()
    result = cs336.json("train", "--counts", both, "--vocab-size", "500", "--out", tmp_path / "t")
    assert [phase["name"] for phase in result["phases"]] == ["load", "merge", "write",
                                                             "measure"]
    assert list(Tokenizer.load(tmp_path / "t").merges) == train_bpe(files, 500, [EOT])[1]


def test_errors(cs336, files, text_file, tmp_path):
    out = ["--out", tmp_path / "out"]
    fails, size = cs336.fails, ["--vocab-size", "300"]
    assert "missing.txt: No such file" in fails("train", "missing.txt", *size, *out)
    assert "--vocab-size is 100" in fails("train", text_file, "--vocab-size", "100", *out)
    assert "not a regular expression" in fails("train", text_file, *size, *out, "--pattern", "(")
    assert "workers is 0" in fails("train", text_file, *size, *out, "--workers", "0")
    assert "there is no pattern 'gpt5'; there are gpt2" in fails(
        "train", text_file, *size, *out, "--pattern", "gpt5", code=2)
    assert "'word2vec'" in fails("train", text_file, *size, *out, "--formats", "own,word2vec",
                                 code=2)
    assert "either" in fails("train", text_file, *size, *out, "--counts", "x", code=2)
    assert "text.txt" in fails("train", "--counts", text_file, *size, *out)
    assert "is a file" in fails("train", text_file, *size, "--out", text_file, code=2)
    bad = tmp_path / "bad.txt"
    bad.write_bytes(b"abc \xff def")
    assert "not valid UTF-8 at byte 4" in fails("count", bad, "-o", tmp_path / "c", "--quiet")
    assert "text.txt" in fails("merge-counts", text_file, "-o", tmp_path / "c")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["bad.txt", "text.txt"]
    cs336("count", bad, "-o", tmp_path / "c", "--errors", "ignore")


def test_ctrl_c_right_after_the_folder_was_made(tmp_path, monkeypatch):
    mkdir = Path.mkdir

    def interrupted(self, *arguments, **options):
        mkdir(self, *arguments, **options)
        raise KeyboardInterrupt

    monkeypatch.setattr(Path, "mkdir", interrupted)
    with pytest.raises(KeyboardInterrupt), output_folder(str(tmp_path / "out")):
        pass
    assert not (tmp_path / "out").exists()
