"""What every command has: help with an example, common options, exit codes, errors in one line."""

import shlex
import signal
import subprocess
import sys
import time

import pytest

from cs336_bpe.cli import main, make_parser
from cs336_bpe.commands import COMMANDS


def test_help_lists_every_command(cs336):
    shown = cs336("--help").stdout
    assert all(f"  {name}" in shown for name in COMMANDS)


@pytest.mark.parametrize("command", COMMANDS)
def test_help_of_each_command(capsys, monkeypatch, command):
    monkeypatch.setenv("COLUMNS", "300")
    with pytest.raises(SystemExit, match="0"):
        main([command, "--help"])
    shown = " ".join(capsys.readouterr().out.split())
    assert f"example: cs336-bpe {command} " in shown
    for option in ("--quiet", "--json", "--debug"):
        assert option in shown


@pytest.mark.parametrize("command", COMMANDS)
def test_the_example_in_the_help_is_understood(command):
    """Its arguments are parsed here; running it would need the files that it names."""
    arguments = shlex.split(COMMANDS[command].example)[1:]
    options = make_parser(command).parse_args(arguments)
    assert callable(options.run)


@pytest.mark.parametrize("arguments", [
    [], ["no-such-command"], ["train"], ["train", "--vocab-size", "many", "--out", "x"],
    ["encode", "--no-such-option"], ["merge-counts", "-o", "x"], ["compare", "only-one"],
    ["convert", "a", "b", "--to", "word2vec"], ["sample", "a", "b"], ["fetch", "everything"],
    ["sample", "a", "b", "--fraction", "0.1", "--documents", "3"], ["cost", "--shape", "huge"],
])
def test_wrong_usage(cs336, arguments):
    assert cs336.fails(*arguments, code=2).endswith("--help' says more)")


def test_version(cs336):
    from cs336_bpe import __version__

    assert cs336("--version").stdout == f"{__version__}\n"


def test_debug_shows_the_traceback(cs336):
    done = subprocess.run(cs336.command("convert", "missing", "x", "--to", "own", "--debug"),
                          capture_output=True, text=True, timeout=60)
    assert done.returncode == 1
    assert "Traceback" in done.stderr
    assert "FileNotFoundError" in done.stderr


def test_a_broken_pipe_is_no_reason_to_complain(cs336, trained, tmp_path):
    path = tmp_path / "long.txt"
    path.write_text("Once upon a time there was a long text. " * 50_000, encoding="utf-8")
    process = cs336.start("encode", path, "--text", "-t", trained, stdout=-1, stderr=-1)
    assert process.stdout.read(10)
    process.stdout.close()
    assert process.stderr.read() == b""
    process.stderr.close()
    assert process.wait(timeout=60) == 141


@pytest.mark.skipif(sys.platform == "win32", reason="signals are other ones there")
@pytest.mark.parametrize("arguments", [
    ["train", "--bytes", str(10**10), "--vocab-size", "500", "--out", "out"],
    ["encode", "-o", "out", "-t", "TOKENIZER"],
], ids=lambda arguments: arguments[0])
def test_control_c(cs336, trained, tmp_path, arguments):
    """Neither would ever end: there is too much text, or standard input stays open."""
    arguments = [str(trained) if argument == "TOKENIZER" else argument for argument in arguments]
    process = cs336.start(*arguments, stdin=-1, stdout=-1, stderr=-1, text=True, cwd=tmp_path,
                          preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))
    deadline = time.monotonic() + 60
    while not list(tmp_path.iterdir()) and time.monotonic() < deadline:  # it has not begun yet
        if arguments[0] == "encode":
            process.stdin.write("Once upon a time. " * 60_000)
        else:
            time.sleep(0.02)
    process.send_signal(signal.SIGINT)
    # Not communicate(), which would close standard input.
    assert process.wait(timeout=60) == 130
    output, error = process.communicate()
    assert output == ""
    assert error == "cs336-bpe: interrupted\n"
    assert list(tmp_path.iterdir()) == []  # nothing half-written, no empty folder


def test_a_bar_on_a_terminal_and_plain_lines_elsewhere(cs336, trained, text_file, tmp_path):
    arguments = ["encode", text_file, "-o", tmp_path / "out.npy", "-t", trained]
    assert "encode: 100%|" in cs336.on_terminal(*arguments, stream="stderr")
    lines = cs336(*arguments).stderr.splitlines()
    assert len(lines) == 1
    assert lines[0].startswith("encode: ")
    assert "|" not in lines[0]
    assert cs336(*arguments, "--quiet").stderr == ""
    assert cs336.on_terminal(*arguments, "--quiet", stream="stderr") == ""


def test_quiet_prints_nothing(cs336, trained, text_file, tmp_path):
    for arguments in (["train", text_file, "--vocab-size", "270", "--out", tmp_path / "t"],
                      ["count", text_file, "-o", tmp_path / "c"],
                      ["convert", trained, tmp_path / "t.json", "--to", "huggingface"]):
        done = cs336(*arguments, "--quiet")
        assert (done.stdout, done.stderr) == ("", "")


def test_any_output_encoding_will_do(cs336, trained):
    done = cs336("show", "漢字", "-t", trained, "--text", PYTHONIOENCODING="ascii")
    assert "\\xe6" in done.stdout


def test_where_there_are_no_posix_modules(tmp_path, cs336):
    """As on Windows, which has neither these modules nor /proc."""
    program = """
import sys
for name in ("resource", "fcntl", "pwd", "grp", "termios"):
    sys.modules[name] = None
from cs336_bpe.cli import main
from cs336_bpe.commands import COMMANDS
from cs336_bpe.measure import process

def no_proc(name):
    raise OSError
process._status = no_proc
for command in COMMANDS:
    try:
        main([command, "--help"])
    except SystemExit as end:
        assert end.code == 0, command
assert main(["train", "--bytes", "20000", "--vocab-size", "300", "--out", sys.argv[1]]) == 0
"""
    done = subprocess.run([sys.executable, "-c", program, tmp_path / "out"], capture_output=True,
                          text=True, env=cs336.environment({}))
    assert done.returncode == 0, done.stderr
    assert "merge:" in done.stderr
    assert (tmp_path / "out" / "vocab.json").exists()
