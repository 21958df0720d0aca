"""The commands are run as a user runs them: in a process of their own."""

import json
import os
import struct
import subprocess
import sys

import pytest

TEXT = ("Low, lower, lowest: it's the newest of 123 wide rivers.\n\n  Über naïve 漢字 😀\t\r\n"
        "<|endoftext|>The end<|endof text|>  \n")


class Shell:
    """Runs `cs336-bpe`."""

    def __call__(self, *arguments, input=None, code=0, text=True, **environment):
        """The finished process, if its exit code is the one expected, and it shows no traceback."""
        if isinstance(input, str) and not text:
            input = input.encode()
        done = subprocess.run(
            self.command(*arguments), input=input, capture_output=True, timeout=120,
            **({"encoding": "utf-8"} if text else {}), env=self.environment(environment))
        error = done.stderr if text else done.stderr.decode()
        assert done.returncode == code, (done.returncode, error)
        assert "Traceback" not in error
        return done

    def fails(self, *arguments, input=None, code=1):
        """The one line that is said about an error."""
        done = self(*arguments, input=input, code=code)
        assert done.stdout == ""
        lines = done.stderr.splitlines()
        assert len(lines) == 1, lines
        assert lines[-1].startswith("cs336-bpe")
        return lines[-1]

    def json(self, *arguments, **options):
        """What `--json` prints; nothing else may be on standard output."""
        return json.loads(self(*arguments, "--json", **options).stdout)

    def on_terminal(self, *arguments, stream, **environment):
        """What appears on a terminal that is one of the two outputs."""
        fcntl = pytest.importorskip("fcntl", reason="there are no pseudo-terminals here")
        import pty
        import termios

        ours, theirs = pty.openpty()
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
        streams = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, stream: theirs}
        process = subprocess.Popen(self.command(*arguments), **streams,
                                   env=self.environment(environment))
        os.close(theirs)
        shown = b""
        while True:
            try:
                block = os.read(ours, 4096)
            except OSError:  # how Linux says that the other end is closed
                break
            if not block:
                break
            shown += block
        os.close(ours)
        assert process.wait(timeout=60) == 0
        return shown.decode()

    def start(self, *arguments, **options):
        return subprocess.Popen(self.command(*arguments), env=self.environment({}), **options)

    @staticmethod
    def command(*arguments):
        return [sys.executable, "-m", "cs336_bpe", *map(str, arguments)]

    @staticmethod
    def environment(changes):
        environ = {name: value for name, value in os.environ.items() if name != "NO_COLOR"}
        return environ | {"PYTHONWARNINGS": "error", "TERM": "xterm-256color"} | changes


@pytest.fixture(scope="session")
def cs336():
    return Shell()


@pytest.fixture(scope="session")
def text():
    return TEXT


@pytest.fixture
def text_file(tmp_path, text):
    path = tmp_path / "text.txt"
    path.write_text(text, encoding="utf-8", newline="")
    return path


@pytest.fixture(scope="session")
def trained(tmp_path_factory, cs336):
    """A folder with a tokenizer in all formats."""
    folder = tmp_path_factory.mktemp("trained") / "tokenizer"
    cs336("train", "--bytes", "200000", "--vocab-size", "700", "--out", folder,
          "--formats", "own,gpt2,tiktoken,huggingface", "--quiet")
    return folder
