"""The pictures of docs/encode, with merges that are learned from the built-in stories."""

from functools import cache

from rendering import BLUE, GREEN, ORANGE, PURPLE, ROOT

from cs336_bpe.encode.stage04_lowest_rank import Encoder
from cs336_bpe.encode.stage17_unmergeable_pairs import Encoder as CuttingEncoder
from cs336_bpe.encode.trace import explain_pretoken, pairs_of
from cs336_bpe.rules import BYTES
from cs336_bpe.train.stage12_falling_heap import learn_merges
from pictures.drawing import GREY, SMALL, Picture, constant, shown
from pictures.pretokenize import draw_key
from pictures.train import story_counts

NUM_MERGES = 1_000


@cache
def learned():
    """(merges, vocabulary) of the built-in stories."""
    merges = learn_merges(story_counts(), NUM_MERGES)
    return merges, dict(enumerate([*BYTES, *(left + right for left, right in merges)]))


def merge_tree():
    """Stage 04: a word from its bytes to one token, with the rank of each merge."""
    merges, vocab = learned()
    word = b" together"
    way = explain_pretoken(word, pairs_of(merges), {token: i for i, token in vocab.items()})
    picture = Picture(f"The merges of the word {word.decode().strip()!r}, from its bytes at the "
                      f"top to one token, lowest rank first")
    size, step, top, left = 54, 46, 14, 124
    bottom_of = {}  # where a token begins: the lower edge of its box
    x = left
    picture.words(10, top + 21, "bytes", at="start", size=SMALL, colour="#555")
    for i in range(len(word)):
        picture.cell(x, top, size - 8, 32, shown(word[i : i + 1]), GREY)
        bottom_of[i] = top + 32, x + (size - 8) / 2
        x += size
    for row, (rank, before, after) in enumerate(zip(way.ranks, way.steps, way.steps[1:]), 1):
        at = next(i for i, (old, new) in enumerate(zip(before, after)) if old != new)
        start = sum(map(len, before[:at]))
        second = start + len(before[at])
        token = after[at]
        y = top + step * row
        x = left + size * start
        width = size * len(token) - 8
        for part in (start, second):
            from_y, from_x = bottom_of[part]
            picture.line((from_x, from_y), (from_x, y))
        picture.cell(x, y, width, 32, shown(token), BLUE, filled=True)
        bottom_of[start] = y + 32, x + width / 2
        picture.words(10, y + 21, f"rank {rank}", at="start", size=SMALL, colour="#555")
    y = top + step * len(way.ranks) + 62
    picture.words(left + size * len(word) / 2 - 4, y,
                  "ids: " + " ".join(map(str, way.ids)), bold=True)
    return picture.svg()


def word_entry():
    """Stage 15: 32 bytes, half of them the key and half the ids."""
    merges, vocab = learned()
    word = b" playground"
    ids = Encoder(vocab, merges).encode_pretoken(word)
    short = constant("native/word_key.h", "SHORT")
    header = (ROOT / "cs336_bpe/encode/word_cache.h").read_text("utf-8")
    if "ROOM = 16 / sizeof(Id) - 1" not in header or "Id ids[ROOM], number" not in header:
        raise ValueError("word_cache.h has another entry than the one that is drawn")
    id_bytes = 2
    room = 16 // id_bytes - 1
    size = 620 / (short + 1)
    picture = Picture(f"An entry of the cache: {word.decode().strip()!r} as a key of {short + 1} "
                      f"bytes, and room for {room} ids of 16 bits and their number")
    picture.words(10, 26, f"key, {short + 1} bytes: read, masked and compared in one step each",
                  at="start", bold=True)
    draw_key(picture, 40, word, short, size)
    for x, text, at in ((10, "the bytes of the pretoken", "start"),
                        (10 + size * len(word), "zeros", "start"), (630, "length", "end")):
        picture.words(x, 100, text, size=SMALL, colour="#555", at=at)
    picture.words(10, 146, f"ids, {id_bytes * (room + 1)} bytes: all of them are written by one "
                  f"store", at="start", bold=True)
    for i in range(room):
        there = i < len(ids)
        picture.cell(10 + 2 * size * i, 160, 2 * size - 3, 38, ids[i] if there else "",
                     GREEN if there else GREY, filled=there, dashed=not there)
    picture.cell(10 + 2 * size * room, 160, 2 * size - 3, 38, len(ids), ORANGE, filled=True)
    x = 10
    for number in ids:
        picture.words(x + size - 1.5, 220, shown(vocab[number]), size=SMALL, mono=True,
                      colour="#555")
        x += 2 * size
    picture.words(x + 8, 220, "the next word writes over these", size=SMALL, colour="#555",
                  at="start")
    picture.words(630, 220, "number", size=SMALL, colour="#555", at="end")
    return picture.svg()


ASK, LOOK, WAIT = 1, 1, 8  # units of time: make a key and ask, look and write, until it is there


def schedule(number, ahead, rolling):
    """[(asked, there, looked at)] of each look-up; one processor, and memory that overlaps waits.

    `ahead` look-ups are asked for before the first one is looked at. Then either one more is asked
    for after each look (rolling), or all are looked at before the next ones are asked for.
    """
    now, done, rows = 0, 0, []

    def ask():
        nonlocal now
        rows.append([now, now + ASK + WAIT, None])
        now += ASK

    def look():
        nonlocal now, done
        now = max(now, rows[done][1])
        rows[done][2] = now
        now += LOOK
        done += 1

    while done < number:
        while len(rows) < number and len(rows) - done < ahead:
            ask()
        look()
        while not rolling and done < len(rows):
            look()
    return rows


def waits():
    """Stage 16: look-ups that wait one after the other, in batches, and rolling along."""
    number, ahead, shown_units = 24, 6, 60
    real = constant("encode/rolling.h", "CS336_BPE_AHEAD")
    plans = [("One after the other", schedule(number, 1, False)),
             (f"In batches (here of {ahead})", schedule(number, ahead, False)),
             (f"Rolling (here {ahead} ahead; in the code {real})", schedule(number, ahead, True))]
    unit = 620 / shown_units
    picture = Picture(f"Time lines of {number} look-ups: one after the other, in batches, and "
                      f"rolling")
    y = 0
    for title, rows in plans:
        y += 28
        picture.words(10, y, title, at="start", bold=True)
        end = rows[-1][2] + LOOK
        picture.words(630, y, f"{end} units of time", at="end", colour="#555")
        y += 12
        if end > shown_units:
            rows = [row for row in rows if row[2] < shown_units]
            picture.words(10, y + 8 * len(rows),
                          f"... and {number - len(rows)} more, further right", at="start",
                          size=SMALL, colour="#555")
        for asked, there, look in rows:
            picture.bar(10 + unit * asked, y, unit * ASK, 7, BLUE)
            picture.bar(10 + unit * (asked + ASK), y + 2.5, unit * (there - asked - ASK), 2,
                        "#c9c9c9")
            picture.bar(10 + unit * look, y, unit * LOOK, 7, ORANGE)
            y += 8
        y += 12
    for x, colour, text in ((10, BLUE, "make a key, ask"), (210, "#c9c9c9", "memory at work"),
                            (410, ORANGE, "look, write ids")):
        picture.bar(x, y + 6, 18, 12, colour)
        picture.words(x + 26, y + 18, text, size=SMALL, at="start", colour="#555")
    return picture.svg()


def unmergeable():
    """Stage 17: a word, the places that no merge crosses, and the tokens of the parts."""
    merges, vocab = learned()
    word = b" Donaudampfschiff"
    seams = {(left[-1], right[0]) for left, right in merges}
    cuts = [i for i in range(1, len(word)) if (word[i - 1], word[i]) not in seams]
    parts = [word[a:b] for a, b in zip([0, *cuts], [*cuts, len(word)])]
    encoder = CuttingEncoder(vocab, merges)
    of_parts = [Encoder(vocab, merges).encode_pretoken(part) for part in parts]
    if encoder.encode_pretoken(word) != [number for ids in of_parts for number in ids]:
        raise ValueError("the parts have other ids than the whole")
    if len(word) <= constant("native/word_key.h", "SHORT"):
        raise ValueError("the stage cuts longer words only")
    picture = Picture(f"The word {word.decode().strip()!r} cut where none of {NUM_MERGES:,} "
                      f"merges can cross, and the tokens of its parts")
    size = 620 / len(word)
    picture.words(10, 24, f"the {len(word)} bytes, and where no merge can cross", at="start",
                  size=SMALL, colour="#555")
    for i in range(len(word)):
        picture.cell(10 + size * i, 40, size - 4, 36, shown(word[i : i + 1]), GREY)
    for cut in cuts:
        picture.line((8 + size * cut, 32), (8 + size * cut, 84), colour=PURPLE, width=4)
    y = 128
    picture.words(10, y - 16, "the parts: those of three bytes or more are looked up like "
                  "words", at="start", size=SMALL, colour="#555")
    x = 10
    for part in parts:
        picture.cell(x, y, size * len(part) - 4, 36, shown(part), BLUE, filled=True)
        x += size * len(part)
    y = 212
    picture.words(10, y - 16, "their tokens", at="start", size=SMALL, colour="#555")
    x = 10
    for ids in of_parts:
        for number in ids:
            token = vocab[number]
            picture.cell(x, y, size * len(token) - 4, 36, shown(token), GREEN, filled=True)
            x += size * len(token)
    return picture.svg()


def side_by_side():
    """Stage 18: four words, and what each step makes of all of them."""
    merges, vocab = learned()
    words = [b" garden", b" snow", b" whisper", b" blue"]
    ids = {token: number for number, token in vocab.items()}
    ways = [explain_pretoken(word, pairs_of(merges), ids).steps for word in words]
    picture = Picture(f"{len(words)} words, each in a lane of its own: after every step, the "
                      f"tokens of all of them")
    top, left, height = 44, 60, 40
    size = 510 / sum(map(len, words))
    for step in range(max(map(len, ways))):
        y = top + height * step
        picture.words(10, y + 19, f"step {step}" if step else "bytes", at="start", size=SMALL,
                      colour="#555")
        x = left
        for way in ways:
            before = way[min(step, len(way)) - 1] if step else None
            for token in way[min(step, len(way) - 1)]:
                width = size * len(token)
                is_new = step and step < len(way) and token not in before
                picture.cell(x, y, width - 2, 28, shown(token),
                             BLUE if is_new else GREY, size=SMALL, filled=bool(is_new),
                             dashed=step >= len(way))
                x += width
            x += 10
    x = left
    for number, word in enumerate(words):
        picture.words(x + size * len(word) / 2, 24, f"lane {number}", size=SMALL, colour="#555")
        x += size * len(word) + 10
    return picture.svg()


def windows():
    """A word in two windows that agree; the word and the merges of docs/encode/long_words.md."""
    counts = {b"0123401234": 9, b"1230412": 7, b"2301": 5}
    merges = learn_merges(counts, 8)
    vocab = dict(enumerate([*BYTES, *(left + right for left, right in merges)]))
    encoder = Encoder(vocab, merges)
    word, end, start = b"03441412300411", 9, 4

    def tokens(part):
        return [vocab[number] for number in encoder.encode_pretoken(part)]
    first, second, whole = tokens(word[:end]), tokens(word[start:]), tokens(word)
    kept = next(k for k in range(len(first)) if sum(map(len, first[:k])) == start)
    if first[kept] != second[0] or first[:kept] + second != whole:
        raise ValueError("the windows do not agree")
    picture = Picture(f"The word {word.decode()} in two windows that overlap, and the tokens of "
                      f"both and of the whole")
    size, left = 41, 20
    rows = [("the first window", 0, first, [BLUE] * kept + [ORANGE]),
            ("the second window, from where a token of the first one begins", start, second,
             [ORANGE] + [GREEN] * len(second)),
            ("the whole word", 0, whole, [BLUE] * kept + [ORANGE] + [GREEN] * len(second))]
    for row, (title, at, found, colours) in enumerate(rows):
        y = 40 + 76 * row
        picture.words(left + size * at, y - 12, title, at="start", size=SMALL, colour="#555")
        x = left + size * at
        for k, token in enumerate(found):
            taken = k < len(colours)
            picture.cell(x, y, size * len(token) - 4, 34, shown(token),
                         colours[k] if taken else GREY, filled=taken, dashed=not taken)
            x += size * len(token)
    return picture.svg()


PICTURES = (merge_tree, word_entry, waits, unmergeable, side_by_side, windows)
