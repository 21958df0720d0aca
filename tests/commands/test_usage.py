"""Wrong usage: one line, in the words of the command line, with what was probably meant."""

import argparse
import os

import pytest

from cs336_bpe.cli import main
from cs336_bpe.commands.parser import any_number, whole_number


def said(capsys, *arguments, code=2):
    """The one line that is said of an error."""
    try:
        ended = main(arguments)
    except SystemExit as end:
        ended = end.code
    assert ended == code
    shown = capsys.readouterr()
    assert shown.out == ""
    [line] = shown.err.splitlines()
    return line


@pytest.mark.parametrize(("arguments", "begins"), [
    ([], "cs336-bpe: give a command"),
    (["trian"], "cs336-bpe: there is no command 'trian'; did you mean 'train'?"),
    (["merge_counts"], "cs336-bpe: there is no command 'merge_counts'; did you mean 'merge-"),
    (["xyz"], "cs336-bpe: there is no command 'xyz' ("),
    (["--quiet", "train"], "cs336-bpe: unknown option --quiet; options of a command come after it"),
    (["train", "--vocab_size", "9", "-o", "x"],
     "cs336-bpe train: unknown option --vocab_size; did you mean '--vocab-size'?"),
    (["train", "--vocabsize=9"],
     "cs336-bpe train: unknown option --vocabsize; did you mean '--vocab-size'?"),
    (["train", "-x"], "cs336-bpe train: unknown option -x ("),
    (["train"], "cs336-bpe train: missing: --vocab-size, -o/--out ("),
    (["train", "--vocab-size", "many", "-o", "x"],
     "cs336-bpe train: --vocab-size: 'many' is not a whole number ("),
    (["train", "--vocab-size"], "cs336-bpe train: --vocab-size: a value is missing after it ("),
    (["convert", "a", "-o", "b", "--to", "hf"],
     "cs336-bpe convert: --to: there is no 'hf'; choose from own, gpt2, tiktoken, huggingface, "
     "transformers; did you mean 'huggingface'?"),
    (["convert", "a", "b"], "cs336-bpe convert: missing: --to, because 'b' does not say"),
    (["convert", "a", "--to", "own"], "cs336-bpe convert: missing: -o OUT"),
    (["convert", "a", "b", "-o", "c"], "cs336-bpe convert: 'b' and -o 'c' are two outputs"),
    (["compare", "a", "b", "c"], "cs336-bpe compare: 'c' is too much ("),
    (["sample", "a", "b"], "cs336-bpe sample: give one of --documents --fraction ("),
    (["fetch", "tinystory"], "cs336-bpe fetch: NAME: there is no 'tinystory'; choose from "),
])
def test_usage(capsys, arguments, begins):
    line = said(capsys, *arguments)
    assert line.startswith(begins)
    assert line.endswith("--help' says more)")


@pytest.mark.parametrize(("arguments", "words"), [
    (["train", "--vocab-size", "100", "-o", "OUT"],
     "--vocab-size is 100; it must be at least 257 (256 bytes and 1 special token)"),
    (["train", "FILE", "--vocab-size", "300", "-o", "OUT", "--workers", "0"],
     "--workers is 0; it must be at least 1"),
    (["train", "BINARY", "--vocab-size", "300", "-o", "OUT"],
     "or pass --errors replace or ignore"),
    (["train", "--bytes", "-4", "--vocab-size", "300", "-o", "OUT"],
     "--bytes must not be negative"),
    (["train", "--special", "", "--vocab-size", "300", "-o", "OUT"], "--special is empty"),
    (["sample", "FILE", "-o", "OUT", "--fraction", "2"], "--fraction is 2.0"),
])
def test_errors_of_functions_have_the_names_of_options(capsys, tmp_path, arguments, words):
    (tmp_path / "text.txt").write_text("a text")
    (tmp_path / "binary").write_bytes(b"a \xff text")
    places = {"FILE": tmp_path / "text.txt", "BINARY": tmp_path / "binary", "OUT": tmp_path / "out"}
    line = said(capsys, *(str(places.get(word, word)) for word in arguments), "--quiet", code=1)
    assert words in line
    assert "_" not in line.replace(str(tmp_path), "")


def test_a_file_where_a_folder_should_be(capsys, tmp_path):
    (tmp_path / "out").write_text("")
    line = said(capsys, "train", "--vocab-size", "300", "-o", str(tmp_path / "out"))
    assert "is a file; give the name of a folder" in line


def test_help_is_a_command_too(capsys):
    for arguments in (["help", "train"], ["train", "--help"]):
        with pytest.raises(SystemExit, match="0"):
            main(arguments)
    first, second = capsys.readouterr().out.split("usage: ")[1:]
    assert first == second


def test_files_may_come_after_options(capsys, tmp_path):
    for name in "ab":
        (tmp_path / name).write_text("low lower\n")
    out = str(tmp_path / "out")
    assert main(["count", str(tmp_path / "a"), "-o", out, "--quiet", str(tmp_path / "b")]) == 0
    assert main(["count", "--json", str(tmp_path / "a"), str(tmp_path / "b"), "-o", out]) == 0
    assert '"pretokens": 6' in capsys.readouterr().out


def test_what_begins_with_a_dash_comes_after_two(capsys):
    assert main(["show", "--color", "never", "--quiet", "--", "--text"]) == 0
    assert capsys.readouterr().out.replace("│", "") == "--text\n"


def test_the_name_of_the_output_says_the_format(tmp_path, trained, capsys):
    for name, format in (("tokenizer.json", "huggingface"), ("x.tiktoken", "tiktoken"),
                         ("x.bpe.json", "own")):
        assert main(["convert", str(trained), "-o", str(tmp_path / name)]) == 0
        assert f"to {format}:" in capsys.readouterr().out
        assert os.path.exists(tmp_path / name)


def test_numbers():
    assert [whole_number(text) for text in ("-5", "1,000", "1_000", "12,345,678")] == [
        -5, 1000, 1000, 12_345_678]
    for text in ("1,5", "1.5", "", "k", "1,0000"):
        with pytest.raises(argparse.ArgumentTypeError, match="whole number"):
            whole_number(text)
    with pytest.raises(argparse.ArgumentTypeError, match="'x' is not a number"):
        any_number("x")
