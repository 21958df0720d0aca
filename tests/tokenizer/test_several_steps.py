"""What looks into a tokenizer, with one whose text is cut in several steps."""

import pytest

from cs336_bpe import Tokenizer, cli
from cs336_bpe.pages.explore import write_explore_page
from cs336_bpe.rules import BYTES
from cs336_bpe.rules.pipeline import ByteLevel, Digits, Pipeline, Split, UnicodeForm

WORDS = [b"lo", b"low", b"12"]
MERGES = [(b"l", b"o"), (b"lo", b"w"), (b"1", b"2")]


def tokenizer_of(words=WORDS, merges=MERGES, **steps):
    steps.setdefault("splits", (Split("o", is_regex=False), Digits(True), ByteLevel()))
    vocab = dict(enumerate([*BYTES, *words]))
    return Tokenizer(vocab, merges, pattern="", pipeline=Pipeline(**steps))


def test_explain_follows_the_steps():
    tokenizer = tokenizer_of(normalize=(UnicodeForm("NFC"),), splits=(Digits(True), ByteLevel()))
    found = tokenizer.explain("low12e\u0301")
    assert [explanation.pretoken for explanation in found] == [b"low", b"1", b"2", "é".encode()]
    assert str(found[0]) == "l o w\nlo w   merge 0: l + o\nlow    merge 1: lo + w"
    assert [number for one in found for number in one.ids] == tokenizer.encode("low12e\u0301")


def test_explain_knows_whole_tokens():
    words, splits = [*WORDS, b"slow"], (ByteLevel(),)
    text = "slow slows low"
    for wholes in (False, True):
        tokenizer = tokenizer_of(words, whole_tokens=wholes, splits=splits)
        found = tokenizer.explain(text)
        assert [number for one in found for number in one.ids] == tokenizer.encode(text)
        assert [one.whole for one in found] == [wholes, False, False]
    assert str(found[0]) == "slow  a token as a whole"


def test_views_work(capsys):
    tokenizer = tokenizer_of()
    assert str(tokenizer.show("low 12")) == "l│o│w│ │1│2"
    assert "several steps" in repr(tokenizer)
    assert "<td>several steps</td>" in tokenizer._repr_html_()
    assert tokenizer.pretoken_counts("lol 1") == {b"l": 2, b"o": 1, b" ": 1, b"1": 1}


def test_the_page_is_written(tmp_path):
    write_explore_page(tokenizer_of(), tmp_path / "page.html", text="low 12")
    assert "several steps" in (tmp_path / "page.html").read_text(encoding="utf-8")


@pytest.mark.parametrize(("tokenizer", "message"), [
    (tokenizer_of([*WORDS, b"slow"], whole_tokens=True), "no merge makes b'slow'"),
    (tokenizer_of([b"abc", b"ab"], [(b"ab", b"c"), (b"a", b"b")], in_order=False),
     "comes before those of its parts"),
])
def test_the_page_says_what_it_can_not_show(tokenizer, message, tmp_path):
    with pytest.raises(ValueError, match=message):
        write_explore_page(tokenizer, tmp_path / "page.html")


def test_cost(tmp_path, capsys):
    [path] = tokenizer_of().save(tmp_path / "tokenizer.json", format="huggingface")
    assert cli.main(["cost", "--sizes", "--tokenizer", str(path)]) == 0
    assert "built-in web corpus" in capsys.readouterr().out
    text = tmp_path / "text.txt"
    text.write_text("low", encoding="utf-8")
    assert cli.main(["cost", "--sizes", "--tokenizer", str(path), "--on", str(text)]) != 0
    assert "leave out --on, or give --counts" in capsys.readouterr().err
