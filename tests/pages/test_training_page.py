"""The page that steps through training, in a real browser."""

import random

import pytest

from cs336_bpe.pages import write_training_page
from cs336_bpe.train.stage01_recount_everything import count_pairs, learn_merges

WORDS = {b"low": 5, b"lower": 2, b"newest": 6, b"widest": 3}
STATE = """({
    words: Array.from(document.querySelectorAll("#words td"), (row) =>
        Array.from(row.querySelectorAll(".token"), (token) => token.textContent)),
    pairs: Array.from(document.querySelectorAll("#pairs tr:not(.past)"), (row) =>
        [row.cells[0].textContent, parseInt(row.cells[1].textContent.replaceAll(",", ""))]),
    best: Array.from(document.querySelectorAll("#pairs .best th"), (cell) => cell.textContent),
    tied: document.querySelectorAll("#pairs .tied").length,
    merges: document.querySelectorAll("#merges li").length,
    said: byId("said").textContent,
})"""
EVERY_STEP = f"Array.from({{length: lastStep + 1}}, (_, step) => (setStep(step), {STATE}))"


def spelt(token):
    return token.decode().replace(" ", "␣")


def pair_name(pair):
    return "\u202f+\u202f".join(map(spelt, pair))


@pytest.mark.parametrize("counts", [
    WORDS, {b"aaaa": 3, b" aa": 1, b"b": 9}, {b"aXaXa": 1, b"XaX": 1, b"": 4}, {}],
    ids=["the book's", "overlaps", "ties", "nothing"])
def test_every_step_is_that_of_stage_01(browser, tmp_path, counts):
    write_training_page(tmp_path / "page.html", counts)
    browser.open(tmp_path / "page.html")
    merges = learn_merges(counts, 100)
    assert browser.run("lastStep") == 2 * len(merges)
    rows = [(tuple(bytes([byte]) for byte in word), n) for word, n in counts.items()]
    for step, shown in enumerate(browser.run(EVERY_STEP)):
        if step % 2:
            rows = [(by_hand(word, merges[step // 2]), n) for word, n in rows]
        pairs = count_pairs(rows)
        assert shown["words"] == [list(map(spelt, word)) for word, _ in rows]
        assert dict(shown["pairs"]) == {pair_name(pair): n for pair, n in pairs.items()}
        assert shown["merges"] == (step + 1) // 2
        if step % 2 == 0 and pairs:
            assert shown["best"] == [pair_name(merges[step // 2])]
            tied = sum(n == max(pairs.values()) for n in pairs.values())
            assert shown["tied"] == tied - 1
            assert ("a tie" in shown["said"]) == (tied > 1)
    assert "No pair is left" in shown["said"]


def by_hand(word, pair):
    """Merge as one would with a pencil, from left to right."""
    for i in range(len(word) - 1):
        if word[i : i + 2] == pair:
            return (*word[:i], pair[0] + pair[1], *by_hand(word[i + 2 :], pair))
    return word


def test_what_it_says(browser, tmp_path):
    write_training_page(tmp_path / "page.html")
    browser.open(tmp_path / "page.html")
    told = [browser.text("#said").replace("\u202f", "") for _ in range(4)
            if browser.press("ArrowRight") is None]
    assert told[0] == ("1 / 24. Merge: s+t becomes the token st, in newest and widest. Then count "
                       "again.")
    assert told[1] == "2 / 24. Choose: of 10 pairs, e+st is the most frequent. It occurs 9 times."
    assert told[3] == ("4 / 24. Choose: a tie. o+w and l+o occur 7 times each. The greater pair "
                       "wins, as Python compares tuples of bytes: o+w.")
    changed = browser.run("""(setStep(1), Array.from(document.querySelectorAll("#pairs .change"),
        (change) => change.closest("tr").cells[0].textContent + change.textContent))""")
    assert [text.replace("\u202f", "") for text in changed] == ["e+st new", "s+t gone", "e+s gone"]


def test_random_words(browser, tmp_path):
    rng = random.Random(3)
    counts = {bytes(rng.choices(b"ab", k=rng.randrange(1, 12))): rng.randrange(1, 5)
              for _ in range(8)}
    write_training_page(tmp_path / "page.html", counts)
    browser.open(tmp_path / "page.html", 400)
    browser.press("End")
    assert browser.run("merges") == [[token.decode() for token in pair]
                                     for pair in learn_merges(counts, 200)]


def test_words_that_are_not_text(browser, tmp_path):
    write_training_page(tmp_path / "page.html", {b"\xff</script>": 2, "é🙂".encode(): 1})
    browser.open(tmp_path / "page.html")
    browser.press("End")
    assert browser.run(STATE)["words"] == [["\\xff</script>"], ["é🙂"]]


def test_too_many_words(tmp_path):
    with pytest.raises(ValueError, match="201 bytes of words, too many to step through"):
        write_training_page(tmp_path / "page.html", {b"a" * 201: 1})
    with pytest.raises(TypeError, match="keys must be bytes"):
        write_training_page(tmp_path / "page.html", {"a": 1})
    assert list(tmp_path.iterdir()) == []
