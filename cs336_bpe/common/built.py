"""Whether the compiled modules are there.

They are, unless there was no C++ compiler when the package was installed. Then plain Python stands
in for them: each room has its own stand-in, and asks here which one to take.
"""

from functools import cache
from importlib.util import find_spec


@cache
def is_built() -> bool:
    """One module stands for all: a build that fails half-way is an error (see setup.py)."""
    return find_spec("cs336_bpe.native.build") is not None


@cache
def say_not_built() -> None:
    """Tell the user, once, that plain Python does the work, and what to do about it."""
    import logging

    logging.getLogger("cs336_bpe").warning(
        "the compiled modules are not built, so plain Python does the work: the same results, "
        "much more slowly. For speed, install a C++ compiler, then this package again")
