"""The page about the lazy heap: what was watched is what stage 05 does, and the page shows it."""

import random
import sys

import pytest

from cs336_bpe.pages import write_heap_page
from cs336_bpe.pages.play.heap import Watcher
from cs336_bpe.pages.play.watching import watch
from cs336_bpe.train import stage05_lazy_heap
from cs336_bpe.train.stage01_recount_everything import count_pairs, learn_merges

WORDS = {b"low": 5, b"lower": 2, b"newest": 6, b"widest": 3}
SHOWN = """({
    entries: Array.from(document.querySelectorAll("#tree .entry"), (entry) =>
        [...Array.from(entry.querySelectorAll("text"), (text) => text.textContent),
         entry.classList.contains("stale")]),
    latest: Array.from(document.querySelectorAll("#tree .latest .count"), (one) => one.textContent),
    words: Array.from(document.querySelectorAll("#words td"), (row) =>
        Array.from(row.querySelectorAll(".token"), (token) => token.textContent)),
    said: byId("said").textContent,
    popped: document.querySelectorAll(".popped").length,
})"""
EVERY_STEP = f"Array.from({{length: lastStep + 1}}, (_, step) => (setStep(step), {SHOWN}))"


def watched(counts, num_merges):
    watcher = Watcher()
    merges = watch(stage05_lazy_heap.learn_merges, counts, num_merges, look=watcher.look)
    assert merges == learn_merges(counts, num_merges)
    return merges, watcher.steps


def random_words(seed):
    rng = random.Random(seed)
    return {bytes(rng.choices(b"abc", k=rng.randrange(1, 9))): rng.randrange(1, 6)
            for _ in range(12)}


@pytest.mark.parametrize("counts", [WORDS, {b"aaaa": 2, b"aa": 1}, *map(random_words, range(20))])
def test_every_push_and_pop_is_seen(counts):
    """From the first heap, the pushes and pops of the steps lead to every other one."""
    merges, steps = watched(counts, 100)
    heap = [tuple(entry) for entry in steps[0]["heap"]]
    assert steps[0]["kind"] == "start"
    assert sorted(heap) == sorted(map(tuple, steps[0]["counts"]))
    popped = []
    for before, step in zip(steps, steps[1:]):
        entry = (*step["pair"], step["count"]) if step["pair"] else None
        truth = {(left, right): n for left, right, n in step["counts"]}
        if step["kind"] in ("pop", "stale"):
            assert tuple(before["heap"][0]) == entry
            heap.remove(entry)
            assert (truth.get(entry[:2]) == entry[2]) == (step["kind"] == "pop")
            if step["kind"] == "pop":
                popped.append(tuple(token.encode("latin-1") for token in entry[:2]))
        elif step["kind"] == "push":
            heap.append(entry)
            assert truth[entry[:2]] == entry[2]
        else:
            assert (step["kind"], entry[2]) == ("gone", 0)
            assert entry[:2] not in truth
        assert sorted(map(tuple, step["heap"])) == sorted(heap)
    assert popped == merges


@pytest.mark.parametrize("counts", [WORDS, *map(random_words, range(5))])
def test_the_counts_of_a_pop_are_true(counts):
    for step in watched(counts, 100)[1]:
        if step["kind"] == "pop":
            rows = [(tuple(token.encode("latin-1") for token in word), n)
                    for word, n in zip(step["words"], counts.values())]
            assert {(left.encode("latin-1"), right.encode("latin-1")): n
                    for left, right, n in step["counts"]} == dict(count_pairs(rows))


def test_watching_leaves_nothing_behind():
    def fail():
        raise ValueError("on purpose")

    before = sys.gettrace()
    assert watch(learn_merges, WORDS, 1, look=lambda variables: None) == [(b"s", b"t")]
    with pytest.raises(ValueError, match="on purpose"):
        watch(fail, look=lambda variables: None)
    assert sys.gettrace() is before


def test_the_page_shows_every_step(browser, tmp_path):
    write_heap_page(tmp_path / "page.html")
    browser.open(tmp_path / "page.html")
    _, steps = watched(WORDS, 12)
    for number, (step, shown) in enumerate(zip(steps, browser.run(EVERY_STEP), strict=True)):
        truth = {(left, right): n for left, right, n in step["counts"]}
        assert shown["entries"] == [[str(n), left, right, truth.get((left, right)) != n]
                                    for left, right, n in step["heap"]]
        assert shown["words"] == step["words"]
        assert shown["latest"] == ([str(step["count"])] if step["kind"] == "push" else [])
        assert shown["said"].startswith(f"{number} / {len(steps) - 1}. ")
        assert ("stale" in shown["said"]) == (
            step["kind"] in ("stale", "gone") or step["before"] > 0)
        assert shown["popped"] == (step["kind"] in ("pop", "stale"))


def test_what_it_says(browser, tmp_path):
    write_heap_page(tmp_path / "page.html")
    browser.open(tmp_path / "page.html")

    def told(step):
        return browser.run(f"(setStep({step}), byId('said').textContent)").replace("\u202f", "")

    assert told(0) == "0 / 44. An entry for each of 11 pairs: a count and the pair."
    assert told(1) == "1 / 44. Out comes s+t with 9. That is its count: merge it."
    assert told(2) == ("2 / 44. The merge has taken all 9 occurrences of e+s. Its entry stays, and "
                       "is stale from now on.")
    assert told(3) == "3 / 44. e+st is a new pair, which occurs 9 times: push it."
    assert told(5) == ("5 / 44. The count of w+e falls from 8 to 2: push a new entry. The old one "
                       "stays, and is stale.")
    assert told(10) == ("10 / 44. Out comes w+e with 8. But its count is 2: the entry is stale. "
                        "Throw it away.")


def test_a_few_words_fit_on_a_narrow_page(browser, tmp_path):
    write_heap_page(tmp_path / "page.html")
    browser.open(tmp_path / "page.html", 400)
    assert browser.run("byId('tree').parentElement.scrollWidth <= "
                       "byId('tree').parentElement.clientWidth")


def test_nothing_to_do(browser, tmp_path):
    write_heap_page(tmp_path / "page.html", {b"a": 3})
    browser.open(tmp_path / "page.html")
    assert browser.text("#said") == "0 / 0. An entry for each of 0 pairs: a count and the pair."
    assert browser.run("byId('tree').getAttribute('aria-label')") == "The heap is empty"
