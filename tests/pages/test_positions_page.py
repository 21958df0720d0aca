"""The page about the index of positions, and the model of stage 10 that it shows."""

import random

import pytest

from cs336_bpe.pages import write_positions_page
from cs336_bpe.pages.play.flat_words import NONE, FlatWords
from cs336_bpe.train import stage10_flat_words, stage11_pair_numbers
from cs336_bpe.train.stage01_recount_everything import count_pairs, learn_merges, merge_word

WORDS = {b"low": 5, b"lower": 2, b"newest": 6, b"widest": 3}
SHOWN = """({
    cells: Array.from(document.querySelectorAll("#cells .cell"), (cell) =>
        [Number(cell.firstChild.textContent), cell.lastChild.textContent]),
    index: Array.from(document.querySelectorAll("#index tr"), (row) => [row.cells[0].textContent,
        Array.from(row.querySelectorAll(".entries span"), (place) => [Number(place.textContent),
            place.classList.contains("stale")])]),
    touched: Array.from(document.querySelectorAll("#cells .touched small"), (cell) =>
        Number(cell.textContent)),
})"""
EVERY_STEP = f"Array.from({{length: lastStep + 1}}, (_, step) => (setStep(step), {SHOWN}))"


def random_words(seed):
    rng = random.Random(seed)
    return {bytes(rng.choices(b"abc"[: rng.randrange(1, 4)], k=rng.randrange(1, 12))):
            rng.randrange(1, 6) for _ in range(12)}


def merged(flat):
    return [(flat.tokens[left], flat.tokens[right]) for left, right in flat.merges]


@pytest.mark.parametrize("counts", [WORDS, {b"aaaaa": 2, b"aa": 1, b"a": 5}, {},
                                    *map(random_words, range(25))])
def test_the_model_does_what_stage_10_does(counts):
    """The same merges, and after each of them the cells of stage 11, which can be looked into, and
    the counts of stage 01."""
    flat = FlatWords(list(counts.items()))
    trainer = stage11_pair_numbers.Trainer(counts, "lexicographic")
    rows = [(tuple(bytes([byte]) for byte in word), n) for word, n in counts.items()]
    while True:
        assert flat.cells == [cell["token"] for cell in trainer.state()["cells"]]
        assert {(flat.tokens[left], flat.tokens[right]): n for (left, right), n in
                flat.pair_counts.items()} == dict(count_pairs(rows))
        for pair, count in flat.pair_counts.items():
            places = flat.places_of[pair]
            assert len(places) == len(set(places))
            # Those that are not stale are where the pair is; of a run of equal tokens all are.
            assert sum(flat.counts[at] for at in places if flat.is_at(pair, at)) == count
        best = flat.best()
        if best is None:
            break
        for _ in flat.merge(best):
            pass
        trainer.merge_until(len(flat.merges))
        rows = [(merge_word(word, merged(flat)[-1]), n) for word, n in rows]
    assert merged(flat) == stage10_flat_words.learn_merges(counts, 200) == learn_merges(counts, 200)


def test_the_page_shows_every_step(browser, tmp_path):
    write_positions_page(tmp_path / "page.html", WORDS | {b"nest": 2})
    browser.open(tmp_path / "page.html")
    steps = browser.run("steps")
    kinds = [step["kind"] for step in steps]
    assert kinds[:5] == ["start", "choose", "merge", "merge", "merge"]
    assert kinds.count("stale") == 1  # what the word `nest` is for
    tokens = browser.run("tokens")
    for step, shown in zip(steps, browser.run(EVERY_STEP), strict=True):
        assert shown["cells"] == [[at, str(cell) if cell > 255 else chr(cell)]
                                  for at, cell in enumerate(step["cells"]) if cell != NONE]
        index = {"\u202f+\u202f".join((tokens[left], tokens[right])): places
                 for left, right, _, places in step["index"] if places}
        assert {name: [[at, int(stale)] for at, stale in places]
                for name, places in shown["index"]} == index
        if step["kind"] in ("merge", "stale"):
            size = sum(len(tokens[token]) for token in step["pair"])
            assert shown["touched"] == list(range(step["at"], step["at"] + size))
        else:
            assert shown["touched"] == []


def test_what_it_says(browser, tmp_path):
    write_positions_page(tmp_path / "page.html")
    browser.open(tmp_path / "page.html", 400)

    def told(step):
        return browser.run(f"(setStep({step}), byId('said').textContent)").replace("\u202f", "")

    last = browser.run("lastStep")
    assert told(1) == (f"1 / {last}. The most frequent pair is s+t. Its list has 3 positions: 15, "
                       "22, 27.")
    assert told(2) == (f"2 / {last}. Position 15: write token 256 into cells 15 and 16. The "
                       "neighbour is e in cell 14: a new position for the index.")
    stale = browser.run("steps.findIndex((step) => step.kind === 'stale')")
    assert told(stale) == (f"{stale} / {last}. Position 25 is stale: n+e is not there any more. "
                           "Go on.")
    assert told(last).endswith("Counts are corrected.")
    assert browser.run("document.querySelectorAll('#merges li').length") == 12


def test_words_without_pairs(browser, tmp_path):
    write_positions_page(tmp_path / "page.html", {b"a": 3})
    browser.open(tmp_path / "page.html")
    assert browser.run("lastStep") == 0
    with pytest.raises(ValueError, match="num_merges"):
        write_positions_page(tmp_path / "page.html", {b"ab": 3}, -1)
