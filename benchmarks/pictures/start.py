"""The pictures of docs/start and docs/machine."""

import heapq

from rendering import BLUE, GREEN, ORANGE, PURPLE

from cs336_bpe.encode.stage04_lowest_rank import Encoder
from cs336_bpe.rules import BYTES
from cs336_bpe.train.stage01_recount_everything import learn_merges, merge_word
from pictures.drawing import DARK, GREY, SMALL, Picture, shown

COUNTS = {b"low": 5, b"lower": 2, b"newest": 6, b"widest": 3}


def pipeline():
    """Training on the left, every text on the right."""
    merges = learn_merges(COUNTS, 4)
    vocab = dict(enumerate([*BYTES, *(left + right for left, right in merges)]))
    text = b"lowest"
    ids = Encoder(vocab, merges).encode_pretoken(text)
    tokens = "|".join(vocab[number].decode() for number in ids)
    some = [b"newest", b"low"]
    columns = [
        ("Training, once", 16, BLUE, [
            (None, "corpus", " ".join(word.decode() for word in COUNTS)[:16] + " ..."),
            ("count", "counted pretokens",
             ", ".join(f"{word.decode()} {COUNTS[word]}" for word in some) + ", ..."),
            ("train", "merges", ", ".join(f"{a.decode()}+{b.decode()}" for a, b in merges[:3])
             + ", ...")]),
        ("Every text after that", 344, GREEN, [
            (None, "text", text.decode()),
            ("cut", "pretokens", text.decode()),
            ("encode", "tokens and ids", f"{tokens} = {' '.join(map(str, ids))}"),
            ("decode", "text", b"".join(vocab[number] for number in ids).decode())]),
    ]
    picture = Picture("From a corpus to merges, and from a text to ids and back")
    width, height, step = 280, 60, 104
    for title, x, colour, boxes in columns:
        picture.words(x, 26, title, colour=colour, at="start", bold=True)
        for row, (arrow, name, example) in enumerate(boxes):
            y = 40 + step * row
            picture.box(x, y, width, height, colour if arrow else GREY)
            picture.words(x + width / 2, y + 25, name, bold=True)
            picture.words(x + width / 2, y + 48, example, size=SMALL, colour="#555", mono=True)
            if arrow:
                picture.line((x + width / 2, y - step + height + 4), (x + width / 2, y - 4),
                             arrow=True)
                picture.words(x + width / 2 + 12, y - 16, arrow, colour=colour, at="start")
    y = 40 + 2 * step
    picture.line((296, y + 30), (320, y + 30), (320, y - 22), (344 + 132, y - 22), dashed=True,
                 arrow=True)
    return picture.svg()


def utf8():
    """The bits of a code point, and where its bytes have them."""
    character = "é"
    point, in_bytes = ord(character), character.encode()
    bits = f"{point:011b}"
    first, second = (f"{byte:08b}" for byte in in_bytes)
    if bits != first[3:] + second[2:]:
        raise ValueError("these are not the bits of UTF-8")
    picture = Picture(f"The eleven bits of the code point {point} in two bytes of UTF-8")
    size, gap = 33, 22
    left = (640 - 16 * size - gap) / 2

    def row(y, bits, x, colours):
        for bit, colour in zip(bits, colours):
            picture.cell(x, y, size - 3, 36, bit, colour, filled=colour != GREY, size=20,
                         ink=DARK if colour != GREY else "#666")
            x += size
        return x

    picture.words(left, 28, f"{character} is code point {point}:", at="start", bold=True)
    row(42, bits, left + 3 * size, [BLUE] * 5 + [ORANGE] * 6)
    picture.words(left, 128, f"in UTF-8 it is the bytes {in_bytes[0]} and {in_bytes[1]}:",
                  at="start", bold=True)
    x = row(142, first, left, [GREY] * 3 + [BLUE] * 5)
    row(142, second, x + gap, [GREY] * 2 + [ORANGE] * 6)
    picture.words(left + 1.5 * size, 204, "2 bytes", size=SMALL, colour="#666")
    picture.words(x + gap + size, 204, "a later byte", size=SMALL, colour="#666")
    return picture.svg()


def merges():
    """The four words, merge by merge."""
    learned = learn_merges(COUNTS, 4)
    words = [tuple(BYTES[byte] for byte in word) for word in COUNTS]
    colours = dict(zip((left + right for left, right in learned), (BLUE, ORANGE, GREEN, PURPLE)))
    picture = Picture(f"The words {', '.join(word.decode() for word in COUNTS)} after each of the "
                      f"first {len(learned)} merges")
    size, left, y = 24.5, 92, 14
    steps = ["at first", *(f"{a.decode()} + {b.decode()}" for a, b in learned)]
    for number, label in enumerate(steps):
        if number:
            words = [merge_word(word, learned[number - 1]) for word in words]
        picture.words(left - 12, y + 24, label, colour=DARK if number else "#666", at="end",
                      mono=bool(number), size=SMALL)
        x = left
        for word in words:
            for token in word:
                picture.cell(x, y, size * len(token) - 3, 36, shown(token),
                             colours.get(token, GREY), filled=token in colours)
                x += size * len(token)
            x += 16
        y += 50
    return picture.svg()


def stale_heap():
    """The heap of docs/machine/structures.md, by the same calls."""
    count = {"th": 9, "in": 7, "er": 5}
    heap = [(-n, pair) for pair, n in count.items()]
    heapq.heapify(heap)
    heaps = [(["before"], list(heap))]
    count["th"] = 4
    heapq.heappush(heap, (-count["th"], "th"))
    heaps.append((["th falls to 4: push it,", "leave the old entry"], list(heap)))
    while -heap[0][0] != count[heap[0][1]]:
        heapq.heappop(heap)
    heaps.append((["the old one surfaces,", "and is dropped"], list(heap)))

    picture = Picture("A heap with a stale entry, and the same heap after it was dropped")
    width, height = 78, 38
    for panel, (title, entries) in enumerate(heaps):
        left = 8 + 212 * panel
        middle = left + 100
        for line, text in enumerate(title):
            picture.words(middle, 22 + 22 * line, text, size=SMALL, bold=True)
        at = {0: (middle, 86), 1: (middle - 55, 152), 2: (middle + 55, 152),
              3: (middle - 55, 218)}
        for place in range(1, len(entries)):
            picture.line(at[(place - 1) // 2], at[place])
        for place, (negative, pair) in enumerate(entries):
            x, y = at[place]
            stale = panel == 1 and -negative != {"th": 4, "in": 7, "er": 5}[pair]
            picture.cell(x - width / 2, y - height / 2, width, height, f"{pair} {-negative}",
                         ORANGE if stale else BLUE, filled=stale, dashed=stale)
    picture.words(8 + 212 + 100 + 55, 224, "stale: dashed", size=SMALL, colour="#666")
    return picture.svg()


PICTURES = (pipeline, utf8, merges, stale_heap)
