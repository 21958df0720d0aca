"""`encode` and `decode`: from file to file, and as filters."""

import subprocess

import numpy
import pytest

from cs336_bpe import Tokenizer


@pytest.fixture(scope="module")
def tokenizer(trained):
    return Tokenizer.load(trained)


@pytest.mark.parametrize("name", ["out.npy", "out.bin"])
def test_from_file_to_file(cs336, trained, tokenizer, text, text_file, tmp_path, name):
    out, back = tmp_path / name, tmp_path / "back.txt"
    result = cs336.json("encode", text_file, "-o", out, "-t", trained)
    ids = numpy.load(out) if name.endswith("npy") else numpy.fromfile(out, "<u2")
    assert ids.tolist() == tokenizer.encode(text)
    assert result["tokens"] == len(ids)
    assert result["dtype"] == "uint16"
    assert result["bytes"] == len(text.encode())
    result = cs336.json("decode", out, "-o", back, "-t", trained)
    assert back.read_bytes() == text_file.read_bytes()
    assert result["tokens"] == len(ids)
    assert cs336("decode", out, "-t", trained, text=False).stdout == text.encode()


def test_the_summary(cs336, trained, text_file, tmp_path):
    done = cs336("encode", text_file, "-o", tmp_path / "out.npy", "-t", trained)
    assert "tokens, " in done.stdout
    assert "bytes per token" in done.stdout
    assert done.stdout.endswith(f"wrote {tmp_path / 'out.npy'} (uint16)\n")


@pytest.mark.parametrize("options", [[], ["--text"], ["--dtype", "uint32"]])
def test_filters_in_a_pipe(cs336, trained, text, text_file, options):
    text_file.write_bytes((text * 5_000).encode())
    with text_file.open("rb") as file:
        encode = cs336.start("encode", "-t", trained, *options, stdin=file, stdout=-1)
    decode = cs336.start("decode", "-", "-t", trained, *options, stdin=encode.stdout, stdout=-1)
    encode.stdout.close()  # decode has it
    with decode.stdout:
        assert decode.stdout.read() == (text * 5_000).encode()
    assert (encode.wait(60), decode.wait(60)) == (0, 0)


def test_numbers_to_read(cs336, trained, tokenizer, text):
    done = cs336("encode", "--text", "-t", trained, input=text)
    assert done.stdout == " ".join(map(str, tokenizer.encode(text))) + "\n"
    assert done.stderr == ""
    numbers = done.stdout.replace(" ", "\n\t")
    back = cs336("decode", "--text", "-t", trained, input=numbers, text=False)
    assert back.stdout == text.encode()


def test_nothing_gives_nothing(cs336, trained, tmp_path):
    for options in ([], ["--text"]):
        assert cs336("encode", "-t", trained, *options, input="").stdout == ""
        assert cs336("decode", "-t", trained, *options, input="").stdout == ""
    cs336("encode", "-o", tmp_path / "none.npy", "-t", trained, input="")
    assert numpy.load(tmp_path / "none.npy").shape == (0,)


def test_ids_come_as_soon_as_they_are_known(cs336, trained, tokenizer):
    """Interactive use: what was typed is answered before the input ends."""
    with cs336.start("encode", "--text", "-t", trained, stdin=subprocess.PIPE,
                     stdout=subprocess.PIPE) as process:
        process.stdin.write(b"one two three")
        process.stdin.flush()
        expected = " ".join(map(str, tokenizer.encode("one two")))  # three may go on
        assert process.stdout.read(len(expected)).decode() == expected
        process.stdin.close()


def test_other_ways_from_and_to(cs336, trained, tokenizer, text, text_file, tmp_path):
    ids = tokenizer.encode(text)
    cs336("encode", "-", "-o", tmp_path / "a.npy", "-t", trained, input=text_file.read_bytes(),
          text=False)
    assert numpy.load(tmp_path / "a.npy").tolist() == ids
    cs336("encode", text_file, "-o", tmp_path / "a.txt", "--text", "-t", trained)
    assert list(map(int, (tmp_path / "a.txt").read_text().split())) == ids
    stdout = cs336("encode", text_file, "-t", trained, text=False).stdout
    assert numpy.frombuffer(stdout, "<u2").tolist() == ids
    cs336("encode", text_file, "-o", tmp_path / "a4.npy", "--dtype", "uint32", "-t", trained)
    wide = numpy.load(tmp_path / "a4.npy")
    assert wide.dtype == numpy.uint32
    assert wide.tolist() == ids
    numpy.save(tmp_path / "own.npy", numpy.array(ids, ">i8"))  # what others may have written
    assert cs336("decode", tmp_path / "own.npy", "-t", trained, text=False).stdout == text.encode()


def test_special_tokens(cs336, trained, tokenizer):
    def encode(*options, **more):
        return cs336("encode", "--text", "-t", trained, *options, input="a<|endoftext|>", **more)

    assert encode().stdout.split() == ["97", "256"]
    plain = tokenizer.encode("a<|endoftext|>", specials="none")
    assert list(map(int, encode("--specials", "none").stdout.split())) == plain
    assert "contains the special token" in encode("--specials", "raise", code=1).stderr


def test_formats_that_do_not_say_everything(cs336, trained, tokenizer, text):
    expected = cs336("encode", "--text", "-t", trained, input=text).stdout
    ranks = trained / "tokenizer.tiktoken"
    for path, options in [(trained / "vocab.json", []), (trained / "merges.txt", []),
                          (trained / "tokenizer.json", []),
                          (ranks, ["--special", "<|endoftext|>"]),
                          (ranks, ["--special", "<|endoftext|>=256", "--pattern", "gpt2"])]:
        assert cs336("encode", "--text", "-t", path, *options, input=text).stdout == expected
    moved = cs336("encode", "--text", "-t", ranks, "--special", "<|endoftext|>=900", input=text)
    assert moved.stdout.split().count("900") == text.count("<|endoftext|>")


def test_wrong_input(cs336, trained, text_file, tmp_path):
    fails, using = cs336.fails, ["-t", trained]
    out = ["-o", tmp_path / "out"]
    bad = tmp_path / "bad.txt"
    bad.write_bytes(b"x" * 70_000 + b"\xe6\xbc")
    for more in (["--text"], []):
        assert "at byte 70000" in fails("encode", bad, *out, *using, "--quiet", *more)
    assert "missing" in fails("encode", "missing", *out, *using)
    assert "missing" in fails("encode", text_file, *out, "-t", "missing")
    assert "no tokenizer" in fails("encode", text_file, *out, "-t", text_file)
    assert "needs -o" in fails("encode", text_file, "--json", *using, code=2)
    assert "--text" in fails("encode", text_file, "--text", "-o", "x.npy", *using, code=2)
    assert "give all or none" in fails("encode", *using, "--special", "a", "--special", "b=1",
                                       code=2)
    assert "leave --special out" in fails("encode", "-t", trained, "--special", "<x>")
    assert "place 2 is 'x'" in fails("decode", "--text", *using, input="1 2 x")
    assert "place 0 is 9999" in fails("decode", "--text", *using, input="9999")
    assert "cut short" in fails("decode", *using, input="c")
    assert "not a number" in fails("decode", "--text", *using, input="1" * 600_000)
    numpy.save(tmp_path / "a.npy", numpy.zeros((2, 2), "<u2"))
    assert "2 dimensions" in fails("decode", tmp_path / "a.npy", *using)
    numpy.save(tmp_path / "a.npy", numpy.zeros(2))
    assert "float64" in fails("decode", tmp_path / "a.npy", *using)
    numpy.save(tmp_path / "a.npy", numpy.zeros(20, "<u2"))
    (tmp_path / "a.npy").write_bytes((tmp_path / "a.npy").read_bytes()[:-4])
    assert "18 integers" in fails("decode", tmp_path / "a.npy", *out, "--quiet", *using)
    (tmp_path / "a.npy").write_bytes(b"\x93NUMPY\x01\x00\xff\xff")
    assert "header" in fails("decode", tmp_path / "a.npy", *using)
    assert not (tmp_path / "out").exists()
