"""What can go wrong, and how it is said: in one line, and in the words of the command line."""

from collections.abc import Callable


class UsageError(Exception):
    """Arguments that contradict each other; argparse's exit code, 2."""


class ReaderIsGone(Exception):
    """Nobody reads standard output any more, as after `| head`: no reason to complain."""


EXPECTED = (OSError, ValueError, TypeError, ImportError, MemoryError, RuntimeError)


def in_one_line(error: Exception, in_own_words: Callable[[str], str] = str) -> str:
    """What is said of an error. `in_own_words` changes what was said to a caller in Python.

    >>> in_one_line(FileNotFoundError(2, "No such file or directory", "missing.txt"))
    'missing.txt: No such file or directory'
    >>> in_one_line(KeyError("x"))
    "unexpected KeyError: 'x'; run it again with --debug, and report what that shows"
    """
    if isinstance(error, OSError) and error.strerror and error.filename is not None:
        message = f"{error.filename}: {error.strerror}"
    else:
        message = in_own_words(" ".join(str(error).split("\n")))
    if isinstance(error, MemoryError):
        return f"not enough memory{': ' if message else ''}{message}"
    if isinstance(error, EXPECTED):
        return message or type(error).__name__
    return (f"unexpected {type(error).__name__}: {message}; run it again with --debug, and report "
            f"what that shows")
