"""Tokens in the terminal and in a notebook."""

import io
import re
import sys
from html.parser import HTMLParser

import pytest

from cs336_bpe import Tokenizer
from cs336_bpe.pages import coloured, tokens_html, use_colour
from cs336_bpe.rules import BYTES
from cs336_bpe.views.appearance import appearance, label

ESCAPE = re.compile(r"\x1b\[([0-9;]*)m")


class Terminal(io.StringIO):
    def isatty(self):
        return True


def test_when_colour_is_used():
    assert use_colour(Terminal(), {"TERM": "xterm"})
    assert use_colour(Terminal(), {"NO_COLOR": ""})  # the convention: set and not empty
    assert not use_colour(Terminal(), {"NO_COLOR": "1", "TERM": "xterm"})
    assert not use_colour(Terminal(), {"TERM": "dumb"})
    assert not use_colour(io.StringIO(), {"TERM": "xterm"})


def test_no_color_is_respected(trained, monkeypatch):
    monkeypatch.setattr(sys, "stdout", Terminal())
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.delenv("NO_COLOR", raising=False)
    assert "\x1b[" in coloured(trained, "the girl")
    monkeypatch.setenv("NO_COLOR", "1")
    assert coloured(trained, "the girl").replace("│", "") == "the girl"


def test_neighbours_have_different_colours(trained):
    text = "Once upon a time there was a sesquipedalian girl."
    shown = coloured(trained, text, colour=True)
    starts = [match[1] for match in ESCAPE.finditer(shown) if match[1] not in ("0", "3", "23")]
    assert len(starts) == len(trained.encode(text))
    assert all(one != other for one, other in zip(starts, starts[1:]))
    assert ESCAPE.sub("", shown) == text


def test_specials_are_marked_and_may_be_plain(trained):
    text = "end<|endoftext|>"
    bold = [match[1] for match in ESCAPE.finditer(coloured(trained, text, colour=True))
            if match[1].startswith("1;4;")]
    assert len(bold) == 1
    assert "⟪<|endoftext|>⟫" in coloured(trained, text, colour=False)
    assert "⟪" not in coloured(trained, text, colour=False, specials="none")
    with pytest.raises(ValueError, match="contains the special token"):
        coloured(trained, text, specials="raise")


def test_lines_are_kept_and_backgrounds_end_with_them(trained):
    shown = coloured(trained, "one\n\ntwo\tx\n", colour=True)
    for line in shown.split("\n")[:-1]:
        assert line.endswith("\x1b[0m")
    assert ESCAPE.sub("", shown) == "one↵\n↵\ntwo→\tx↵\n"


def test_nothing_gets_through_to_the_terminal(nasty):
    """Neither control characters, nor marks that change the direction, in any token."""
    for colour in (True, False):
        for token in nasty.vocab.values():
            shown = ESCAPE.sub("", coloured(nasty, token, colour=colour, specials="none"))
            assert all(c.isprintable() or c in "\n\t" for c in shown), token


def test_parts_of_characters_are_hexadecimal():
    tokenizer = Tokenizer(dict(enumerate(BYTES)), [])
    assert coloured(tokenizer, "é", colour=False) == "\\xc3│\\xa9"
    assert coloured(tokenizer, b"\xff", colour=False) == "\\xff"
    assert coloured(tokenizer, "ab", colour=False, mark="/") == "a/b"
    assert coloured(tokenizer, "", colour=True) == ""


def test_long_text_is_cut(trained):
    shown = coloured(trained, "the girl " * 1000, colour=False, limit=20)
    assert shown.endswith("\n[the first 17 of 9,000 bytes]")
    assert "[the first 10 of 1,000 bytes]" in coloured(trained, "\x01" * 1000, limit=10)


def test_appearance_of_single_things():
    assert label(b"\xc2\xa0") == "\\u00a0"  # not as the byte A0, which is \xa0
    assert label("\u0301a".encode()) == "\u25cc\u0301a"
    assert label(b"\xed\xa0\x80") == "\\xed\\xa0\\x80"  # half a surrogate pair is no UTF-8
    assert label("\U000e0001".encode()) == "\\U000e0001"
    assert [part.kind for part in appearance(b"a\nb\t\xff")] == [
        "text", "newline", "text", "tab", "escape"]


@pytest.mark.parametrize("text", [3, None, ["a"]])
def test_bad_text(trained, text):
    with pytest.raises(TypeError, match="it must be str or bytes"):
        coloured(trained, text)


def test_lone_surrogate(trained):
    with pytest.raises(ValueError, match="lone surrogate"):
        coloured(trained, "a\ud800")


# --- In a notebook ---------------------------------------------------------------------------


class Reader(HTMLParser):
    """The text of HTML, and its tags; raises nothing, as browsers do."""

    def __init__(self, page):
        super().__init__()
        self.tags, self.text, self.titles = set(), "", []
        self.feed(page)
        self.close()

    def handle_starttag(self, tag, attributes):
        self.tags.add(tag)
        self.titles += [value for name, value in attributes if name == "title"]

    def handle_data(self, data):
        self.text += data


def test_tokens_in_a_notebook(trained):
    text = "Once upon <a> time & café<|endoftext|>"
    page = Reader(trained.show(text)._repr_html_())
    assert page.text == text
    ids = [int(re.search(r"id (\d+)", title)[1]) for title in page.titles]
    assert ids == trained.encode(text)
    assert "special token" in page.titles[-1]


def test_notebook_html_is_harmless(nasty):
    text = "\n".join(token.decode("utf-8", "replace") for token in nasty.vocab.values())
    for page in (nasty._repr_html_(), tokens_html(nasty, text, "all", 10**6),
                 tokens_html(nasty, b"\0\xff", "none")):
        assert Reader(page).tags <= {"table", "tr", "th", "td", "code", "div", "span", "i"}
        assert all(c.isprintable() or c in "\n\t" for c in page)


def test_notebook_text_is_cut(trained):
    page = Reader(trained.show("the girl " * 10_000)._repr_html_())
    assert page.text.endswith("of 90,000 bytes.")
    assert len(page.text) < 6000


def test_summary_of_a_tokenizer(trained):
    page = Reader(trained._repr_html_())
    for expected in ("2,000", "1,743", "<|endoftext|>", "gpt2", " sesquipedalian"):
        assert expected in page.text
    many = Tokenizer(trained.vocab, trained.merges, [f"<{n}>" for n in range(30)],
                     pattern=r"\w+|\W")
    text = Reader(many._repr_html_()).text
    assert "20 more" in text
    assert r"\w+|\W" in text


def test_show_in_a_terminal(trained):
    assert repr(trained.show("the girl")).replace("│", "") == "the girl"
    with pytest.raises(TypeError, match="must be str or bytes"):
        trained.show(3)
    with pytest.raises(ValueError, match="specials is 'some'"):
        trained.show("a", specials="some")
