"""`pattern`: the automaton of a pattern, as text, as JSON, as a graph and as a page."""

import json
import re
from string import ascii_lowercase

import pytest
import regex

from cs336_bpe import PATTERNS
from cs336_bpe.native.masked_patterns import name_of_masks
from cs336_bpe.patterns import compile_pattern
from cs336_bpe.views.automata import cells

TEXT = "It's 12345 naïve  東京\n\n  x_y (ok)."


@pytest.mark.parametrize("name", PATTERNS)
def test_a_named_pattern(cs336, name):
    shown = cs336("pattern", name, TEXT).stdout
    automaton = compile_pattern(PATTERNS[name])
    lines = shown.splitlines()
    assert lines[0] == (f"{name}: {automaton.num_states} states, {automaton.num_classes} classes "
                        f"of characters")
    assert lines[1] == PATTERNS[name]
    assert all(cells(line) <= 80 for line in lines[2:])
    pieces = regex.findall(PATTERNS[name], TEXT)
    assert shown.endswith("the text is split\n" + "│".join(pieces).replace("\n", "↵\n") + "\n")
    assert ("runs by masks" in shown) == (name_of_masks(automaton) is not None)


def test_json(cs336):
    found = cs336.json("pattern", "[a-z]+", "ab, c")
    automaton = compile_pattern("[a-z]+")
    assert [state["next"] for state in found["states"]] == list(map(list, automaton.next))
    assert [state["accept"] for state in found["states"]] == list(map(list, automaton.accept))
    assert found["safe"] == automaton.safe
    assert found["leaves_gaps"]
    assert found["masks"] is None
    assert sum(one["characters"] for one in found["classes"]) == 0x110000
    assert found["pieces"] == [{"text": "ab", "matched": True}, {"text": ", ", "matched": False},
                               {"text": "c", "matched": True}]
    assert cs336.json("pattern", "llama3")["masks"] == "cl100k_2023"


def test_gaps_and_colours(cs336):
    shown = cs336("pattern", "[a-z]+", "ab, c").stdout
    assert "It leaves gaps" in shown
    assert shown.endswith("ab│⟪, ⟫│c\n(⟪⟫: in no match)\n")
    assert "\x1b[" in cs336("pattern", "[a-z]+", "ab", "--color", "always").stdout
    assert "\x1b[" in cs336.on_terminal("pattern", "[a-z]+", "ab", stream="stdout")
    assert "nowhere" in cs336("pattern", r"[\s\S]+").stdout


def test_a_wide_table_is_cut_into_parts(cs336):
    wide = "|".join(f"{letter}{letter}{letter}" for letter in ascii_lowercase)
    shown = cs336("pattern", wide).stdout
    assert all(cells(line) <= 80 for line in shown.splitlines()[2:])
    table = shown.partition("go back)\n")[2].partition("\n\nevery")[0]
    heads = [part.splitlines()[0].split() for part in table.split("\n\n")]
    assert len(heads) > 1
    assert sorted(head for part in heads for head in part) == sorted(["end", "A", *ascii_lowercase])
    widths = {len(part.splitlines()) for part in table.split("\n\n")}
    assert widths == {1 + compile_pattern(wide).num_states}


def test_a_graph(cs336):
    shown = cs336("pattern", "gpt2", "--dot").stdout
    assert shown.startswith("digraph pattern {\n")
    automaton = compile_pattern(PATTERNS["gpt2"])
    edges = {(int(a), int(b)) for a, b in re.findall(r"^  (\d+) -> (\d+) \[label=\".+\"\];$", shown,
                                                     re.M)}
    assert edges == {(state, then) for state, row in enumerate(automaton.next)
                     for then in row if then >= 0}
    assert shown.count("doublecircle") == sum(any(row) for row in automaton.accept)
    assert cs336.json("pattern", "gpt2", "--dot")["dot"] + "\n" == shown


def test_a_page(cs336, tmp_path):
    path = tmp_path / "gpt4.html"
    assert cs336("pattern", "gpt4", "--html", path).stdout.startswith(f"wrote {path}, ")
    page = path.read_text(encoding="utf-8")
    data = json.loads(re.search(r'id="data">(.*?)</script>', page)[1])
    assert data["pattern"] == PATTERNS["gpt4"]
    assert sum(data["automaton"]["runs"][1::2]) == 0x110000


@pytest.mark.parametrize(("pattern", "message"), [
    ("(?<=a)b", r"can't be compiled, .*`regex`; it has a look-behind, at character 0"),
    ("a*", "it has a match of the empty string"),
    ("(a)b", "has a capturing group"),
    ("(", "is not a regular expression"),
    ("gpt3", "there is no pattern 'gpt3'; there are gpt2,"),
])
def test_what_can_not_be_shown(cs336, pattern, message):
    assert re.search(message, cs336.fails("pattern", pattern))
    assert re.search(message, cs336.fails("pattern", pattern, "--html", "x.html"))
