"""`pattern`: a pattern as the automaton that it is compiled to."""

import argparse
import sys
from typing import Any

from cs336_bpe.commands.console import add_common, print_result
from cs336_bpe.common.amounts import readable_size
from cs336_bpe.native.masked_patterns import name_of_masks
from cs336_bpe.pages import coloured_pieces, use_colour, write_pattern_page
from cs336_bpe.patterns import Automaton, compile_pattern, why_not
from cs336_bpe.rules import PATTERNS, check_pattern, pattern_name
from cs336_bpe.text.utf8 import as_utf8
from cs336_bpe.views.automata import Names, class_lines, cut_lines, dot, pieces, table_lines


def configure_pattern(parser: argparse.ArgumentParser) -> None:
    parser.description = (
        "Show the automaton of a pattern: its classes of characters, its states, where a text may "
        "be cut whatever it is, and how TEXT is split. A pattern that can't be compiled runs "
        "through the package regex; then this says why, and fails.")
    parser.add_argument("pattern", metavar="NAME|REGEX",
                        help=f"{', '.join(PATTERNS)}, or a regular expression")
    parser.add_argument("text", metavar="TEXT", nargs="?", help="a text to split")
    parser.add_argument("--dot", action="store_true", help="print a graph for Graphviz instead")
    parser.add_argument("-o", "--html", "--out", dest="html", metavar="OUT.html",
                        help="write a page instead, on which one steps through a text")
    parser.add_argument("--color", choices=["auto", "always", "never"], default="auto",
                        help="colours in the terminal (default: auto)")
    add_common(parser)


def run_pattern(options: argparse.Namespace) -> int:
    source = check_pattern(options.pattern).pattern
    reason = why_not(source)
    if reason is not None:
        raise ValueError(f"this pattern can't be compiled, and runs through `regex`; it has "
                         f"{reason}")
    automaton = compile_pattern(source)
    title = pattern_name(source) if options.pattern not in PATTERNS else options.pattern
    if options.text is not None:
        as_utf8(options.text)  # says where it can't be text
    if options.html:
        size = write_pattern_page(source, options.html, options.text,
                                  title=f"The pattern {title}")
        print_result(options, {"out": options.html, "page_bytes": size},
                     f"wrote {options.html}, {readable_size(size)}", summary=True)
        return 0
    names = Names(automaton)
    if options.dot:
        print_result(options, {"dot": dot(names, title)}, dot(names, title))
        return 0
    colour = use_colour(sys.stdout) if options.color == "auto" else options.color == "always"
    print_result(options, as_json(names, title, source, options.text),
                 as_text(names, title, source, options.text, colour))
    return 0


def as_text(names: Names, title: str, source: str, text: str | None, colour: bool) -> str:
    automaton = names.automaton
    masks = name_of_masks(automaton)
    parts = [
        [f"{title}: {automaton.num_states} states, {automaton.num_classes} classes of characters",
         source,
         "It leaves gaps: there are characters that no match takes."
         if automaton.leaves_gaps else "It leaves no gaps: every character is part of a match.",
         f"It runs by masks, 64 bytes at once ({masks})." if masks else "It runs as a table."],
        ["classes: name, examples, number of characters", *class_lines(names)],
        ["states (a number: go on there; ': a match may end; |: it ends; .: go back)",
         *table_lines(names)],
        ["every text may be cut", *(cut_lines(names) or ["nowhere"])]]
    if text is not None:
        found = [(piece.encode(), not matched) for piece, matched in pieces(automaton, text)]
        note = ["(⟪⟫: in no match)"] if any(gap for _, gap in found) and not colour else []
        parts.append(["the text is split", coloured_pieces(found, colour=colour), *note])
    return "\n\n".join("\n".join(part) for part in parts)


def as_json(names: Names, title: str, source: str, text: str | None) -> dict[str, Any]:
    automaton: Automaton = names.automaton
    value: dict[str, Any] = {
        "name": title, "pattern": source, "leaves_gaps": automaton.leaves_gaps,
        "masks": name_of_masks(automaton),
        "classes": [{"name": name, "examples": examples, "characters": size}
                    for name, examples, size in zip(names.classes, names.examples, names.sizes)],
        "states": [{"after": path, "next": list(row), "accept": list(accept)}
                   for path, row, accept in zip(names.paths, automaton.next, automaton.accept)],
        "safe": automaton.safe,
    }
    if text is not None:
        value["pieces"] = [{"text": piece, "matched": matched}
                           for piece, matched in pieces(automaton, text)]
    return value
