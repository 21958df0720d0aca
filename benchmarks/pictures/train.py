"""The pictures of docs/train: the state of real trainers, before and after a merge."""

from functools import cache
from math import log2

from rendering import BLUE, GREEN, ORANGE, PURPLE

from cs336_bpe import count_pretokens_in
from cs336_bpe.corpora.generated import stories
from cs336_bpe.rules import BYTES
from cs336_bpe.train import stage11_pair_numbers as pair_numbers
from cs336_bpe.train import stage12_falling_heap as falling_heap
from pictures.drawing import DARK, GREY, SMALL, Picture, shown

NONE = -1
STORIES_BYTES = 1_000_000


def states(counts, num_merges):
    """The state of a trainer at first and after each merge, and the merges."""
    trainer = pair_numbers.Trainer(counts, "lexicographic")
    found = [trainer.state()]
    for merge in range(num_merges):
        trainer.merge_until(merge + 1)
        found.append(trainer.state())
    return found, trainer.finish()


def name(token):
    """What is written for a token: a letter for a byte, otherwise its id."""
    return "" if token == NONE else shown(BYTES[token]) if token < 256 else str(token)


def draw_cells(picture, state, y, size, colours):
    """One row of cells. Those that are inside a token, and so out of date, are dashed."""
    cells, place = state["cells"], 0
    while place < len(cells):
        token = cells[place]["token"]
        length = 1 if token == NONE else state["length"][token]
        for i in range(place, place + length):
            x = 10 + size * i
            if token == NONE:
                picture.bar(x + size / 2 - 6, y + 17, 12, 2, "#bbbbbb")
                continue
            inside = place < i < place + length - 1
            colour = colours.get(token, GREY)
            picture.cell(x, y, size - 3, 36, name(cells[i]["token"]), GREY if inside else colour,
                         size=SMALL, filled=token in colours and not inside, dashed=inside,
                         ink="#999" if inside else DARK, round=2)
        if length > 1:
            picture.line((10 + size * place + 2, y + 41),
                         (10 + size * (place + length) - 5, y + 41), colour=colours[token], width=3)
        place += length


def flat_cells():
    """Stage 10: all words in one array; a merge writes the first and the last cell of a token.

    The cells are those of stage 11, which has a trainer that shows them. Both write the same ids.
    """
    found, merges = states({b"newest": 6, b"widest": 3}, 2)
    number = len(found[0]["cells"])
    size = 620 / number
    picture = Picture("The cells of newest and widest before and after two merges: the id of a "
                      "token is in its first and its last cell")
    for place in range(number):
        picture.words(10 + size * (place + 0.5) - 1.5, 20, place, size=SMALL, colour="#666")
    ids = {256: BLUE, 257: ORANGE}
    for row, state in enumerate(found):
        label = "at first, one cell per byte"
        if row:
            left, right = merges[row - 1]
            label = f"after {shown(left)} + {shown(right)}, which is token {255 + row}"
        y = 58 + 84 * row
        picture.words(10, y - 10, label, at="start", colour="#555")
        draw_cells(picture, state, y, size, ids)
    y = 58 + 84 * len(found)
    picture.words(10, y - 10, "how often the word occurs", at="start", colour="#555")
    for place, cell in enumerate(found[0]["cells"]):
        if cell["token"] != NONE:
            picture.words(10 + size * (place + 0.5) - 1.5, y + 16, cell["count"], mono=True)
    return picture.svg()


def position_index():
    """Stage 11: the lists of places, and what one merge changes in them."""
    [before, after], [merge] = states({b"west": 6, b"yes": 2, b"sty": 4}, 1)
    size = 620 / len(before["cells"])
    picture = Picture(f"The pairs of west, yes and sty with their places, before and after "
                      f"{shown(merge[0])} + {shown(merge[1])}")
    for place in range(len(before["cells"])):
        picture.words(10 + size * (place + 0.5) - 1.5, 20, place, size=SMALL, colour="#666")
    draw_cells(picture, before, 30, size, {})
    draw_cells(picture, after, 76, size, {256: BLUE})

    columns = {"pair": 20, "count": 160, "places": 240, "count after": 400, "places after": 480}
    y = 148
    for heading, x in columns.items():
        picture.words(x, y, heading.removesuffix(" after"), at="start", bold=True)
    picture.words(columns["count after"] - 22, y, "→", colour="#666")
    best = next(p for p, pair in enumerate(before["pairs"])
                if (BYTES[pair["left"]], BYTES[pair["right"]]) == merge)
    for p, pair in enumerate(after["pairs"]):
        y += 31
        was = before["pair_counts"][p] if p < len(before["pairs"]) else None
        now = after["pair_counts"][p]
        colour = (BLUE if p == best else GREEN if was is None else
                  ORANGE if was != now else None)
        if colour:
            picture.box(10, y - 21, 620, 29, colour, filled=True)
        picture.words(columns["pair"], y, f"{name(pair['left'])} {name(pair['right'])}",
                      at="start", mono=True)
        if was is not None:
            picture.words(columns["count"] + 24, y, was, mono=True, at="end")
            picture.words(columns["places"], y, " ".join(map(str, listed(before, p))), mono=True,
                          at="start")
        if p == best:
            picture.words(columns["count after"], y, "merged: list given back", size=SMALL,
                          at="start")
            continue
        picture.words(columns["count after"] + 24, y, now, mono=True, at="end")
        stale = [place for place in listed(after, p) if after["cells"][place]["pair"] != p]
        x = columns["places after"]
        for place in listed(after, p):
            text = f"({place})" if place in stale else f"{place}"
            picture.words(x, y, text, mono=True, at="start",
                          colour="#888" if place in stale else DARK)
            x += 11 * (len(text) + 1)
    y += 34
    for x, colour, text in ((10, ORANGE, "its count falls"), (210, GREEN, "born in this merge"),
                            (430, None, "( ) stale place")):
        if colour:
            picture.box(x, y - 15, 18, 18, colour, filled=True)
        picture.words(x + (26 if colour else 0), y, text, size=SMALL, at="start", colour="#555")
    return picture.svg()


def listed(state, p):
    pair = state["pairs"][p]
    return state["positions"][pair["begin"]:pair["end"]]


@cache
def story_counts():
    return dict(count_pretokens_in([stories(STORIES_BYTES)], []))


def octaves():
    """Stage 12: how many pairs have which count, and which of them are in the heap."""
    trainer = falling_heap.Trainer(story_counts(), "lexicographic")
    moments = []
    for goal in (1, 100, 1000):
        trainer.merge_until(goal)
        state = trainer.state()
        counts = [n for n in state["pair_counts"] if n]
        waiting = [state["pair_counts"][p] for p in state["in_heap"]]
        moments.append((goal, state["threshold"], counts, waiting))
    picture = Picture("Pairs by their count after 1, 100 and 1,000 merges: only those of the top "
                      "octave are in the heap")
    most = max(log2(max(counts)) for _, _, counts, _ in moments)
    left, width, height = 20, 600, 90
    bins = int(most) + 1

    def x_of(count):
        return left + width * log2(count) / bins

    y = 0
    for goal, threshold, counts, waiting in moments:
        y += 150
        bars = [[0, 0] for _ in range(bins)]
        for n in counts:
            bars[int(log2(n))][0] += 1
        for n in waiting:
            if n:
                bars[int(log2(n))][1] += 1
        tallest = max(number for number, _ in bars)
        merges = f"{goal:,} merge" + "s" * (goal > 1)
        picture.words(left, y - 118, f"after {merges}: {len(waiting):,} of {len(counts):,} pairs "
                                     f"are in the heap", at="start", bold=True)
        for place, (number, in_heap) in enumerate(bars):
            x = left + width * place / bins
            for value, colour in ((number, BLUE), (in_heap, ORANGE)):
                if value:
                    bar = max(3, height * value / tallest)
                    picture.bar(x + 1, y - bar, width / bins - 2, bar, colour)
        picture.line((left, y), (left + width, y), colour="#555")
        picture.line((x_of(threshold), y - height - 8), (x_of(threshold), y), colour=PURPLE,
                     dashed=True)
        picture.words(x_of(threshold) - 8, y - height + 12, f"threshold {threshold:,}", at="end",
                      size=SMALL, colour="#9a3f74")
    for power in range(5):
        picture.line((x_of(10 ** power), y), (x_of(10 ** power), y + 6), colour="#555")
        picture.words(x_of(10 ** power), y + 24, f"{10 ** power:,}", size=SMALL)
    picture.words(left + width / 2, y + 48, "how often the pair occurs", size=SMALL)
    for x, colour, text in ((left, BLUE, "waits for the next filling"),
                            (left + 270, ORANGE, "in the heap (low ones: out of date)")):
        picture.bar(x, y + 62, 16, 16, colour)
        picture.words(x + 24, y + 76, text, size=SMALL, at="start", colour="#555")
    return picture.svg()


PICTURES = (flat_cells, position_index, octaves)
