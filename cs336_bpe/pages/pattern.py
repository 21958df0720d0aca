"""A page on which one steps through the automaton of a pattern, character by character."""

from collections.abc import Iterable
from itertools import groupby
from typing import Any

from cs336_bpe.common.paths import AnyPath
from cs336_bpe.pages.page import write_page
from cs336_bpe.patterns import Automaton, compile_pattern
from cs336_bpe.rules import pattern_name, require_pattern
from cs336_bpe.text.utf8 import as_utf8
from cs336_bpe.views.automata import Names, cut_lines

SAMPLE = "It's 2026:  we'll see 12345 HTML-pages…\n\n  naïve 東京\n"
MOST_CHARACTERS = 2000
"""How long a text may be on the page: each character is a step."""


def write_pattern_page(pattern: str, path: AnyPath, text: str | None = None, *,
                       title: str | None = None) -> int:
    """Write a page about a pattern, or the one of that name; return the size of the file in bytes.

    On the page any text can be written, and followed through the automaton: the state, the class of
    the next character, the marks, and where pretokens start. `text` is what it shows at first.
    Raises `patterns.Unsupported` if the pattern can't be compiled.

    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     size = write_pattern_page("gpt2", Path(folder, "gpt2.html"), "It's 2026.")
    ...     size == Path(folder, "gpt2.html").stat().st_size
    True
    """
    source = require_pattern(pattern)
    if text is not None:
        as_utf8(text)
    names = Names(compile_pattern(source))
    title = f"The pattern {pattern_name(source)}" if title is None else title
    data = _data(names, source, SAMPLE if text is None else text)
    return write_page(path, "pattern", title, data)


def _data(names: Names, source: str, text: str) -> dict[str, Any]:
    automaton = names.automaton
    return {
        "pattern": source, "text": text[:MOST_CHARACTERS], "cut": len(text) > MOST_CHARACTERS,
        "most": MOST_CHARACTERS,
        "names": names.classes, "examples": [names.examples_of(number)
                                             for number in range(automaton.num_classes)],
        "sizes": names.sizes, "paths": names.paths, "cuts": cut_lines(names),
        "gaps": automaton.leaves_gaps, "automaton": automaton_data(automaton),
    }


def automaton_data(automaton: Automaton) -> dict[str, Any]:
    """What `automaton.js` needs to split a text."""
    return {
        "next": automaton.next,
        "accept": [[int(accepts) for accepts in row] for row in automaton.accept],
        "runs": class_runs(automaton.of_point),
    }


def class_runs(of_point: Iterable[int]) -> list[int]:
    """The class of every character, as `classes.js` takes it: a class, and how many characters in
    a row have it.

    >>> class_runs([0, 0, 2, 1, 1, 1])
    [0, 2, 2, 1, 1, 3]
    """
    return [number for run_class, run in groupby(of_point)
            for number in (run_class, sum(1 for _ in run))]
