"""The pictures of docs/pretokenize: masks and starts, cuts, and a table with open addressing."""

import re

import regex
from rendering import BLUE, GREEN, ORANGE, PURPLE, ROOT

from cs336_bpe.native.classes import CLASSES, tables
from cs336_bpe.native.scan import find_starts
from cs336_bpe.rules import GPT2_PATTERN
from cs336_bpe.text.cuts import Cutter
from pictures.drawing import DARK, GREY, SMALL, Picture, constant

SPACE, NEWLINE = "\u2423", "\u21b5"


def seen(character):
    return {" ": SPACE, "\n": NEWLINE}.get(character, character)


def classes_of(text):
    """The class of each byte of ASCII text: L, N, W, or O for all others."""
    index, classes = tables()
    letters = {number: {r"\p{L}": "L", r"\p{N}": "N", r"\s": "W"}[source]
               for number, (source,) in CLASSES.items()}
    return [letters.get(classes[index[byte >> 8] << 8 | byte & 255], "O") for byte in text]


def bit_masks():
    """Stage 09: a row of bits for each class, and the starts that the scanner finds."""
    text = b"I'll buy 12 eggs,  isn't it 5 $?"
    classes = classes_of(text)
    rows = {name: [name == found for found in classes] for name in "LNOW"}
    rows["S"] = [byte == 32 for byte in text]
    begins = [any(rows[name][i] and not (i and rows[name][i - 1]) for name in "LNO")
              for i in range(len(text))]
    starts = set(find_starts(text, "gpt2"))
    rows["runs"] = begins
    rows["starts"] = [i in starts for i in range(len(text))]
    colours = {"L": BLUE, "N": GREEN, "O": PURPLE, "W": GREY, "S": GREY, "runs": BLUE,
               "starts": ORANGE}
    said = {"runs": "begins"}
    picture = Picture(f"The {len(text)} bytes of {text.decode()!r}: a row of bits for letters, "
                      f"digits, others, white space and spaces, and where pretokens start")
    left, size = 78, 17.4
    for i, byte in enumerate(text):
        picture.words(left + size * (i + 0.5), 28, seen(chr(byte)), mono=True, bold=True,
                      colour="#999" if byte == 32 else DARK)
    y = 40
    for name, bits in rows.items():
        if name == "runs":
            y += 12
        picture.words(left - 10, y + 17, said.get(name, name), at="end", size=SMALL, bold=True,
                      colour="#555")
        for i, bit in enumerate(bits):
            x = left + size * i
            picture.bar(x + 1, y + 2, size - 2, 18, colours[name] if bit else "#ededed")
        y += 25
    y += 12
    picture.words(left - 10, y + 20, "cut", at="end", size=SMALL, bold=True, colour="#555")
    places = [*sorted(starts), len(text)]
    for number, (start, end) in enumerate(zip(places, places[1:])):
        picture.box(left + size * start + 1, y, size * (end - start) - 2, 30,
                    ORANGE, filled=number % 2 == 0)
        for i in range(start, end):
            picture.words(left + size * (i + 0.5), y + 21, seen(chr(text[i])), mono=True,
                          colour="#999" if text[i] == 32 else DARK)
    return picture.svg()


def cuts():
    """Where GPT-2's pattern ends a pretoken, and where two characters alone prove it."""
    special = "<|end|>"
    text = f"don't\n\n'tis  12 pm{special}so"
    data = f"{text} on and on it goes".encode()  # more than is shown, so that all is decided
    cutter = Cutter([special])
    may_cut = {cutter.last_cut(data, size) for size in range(1, len(data) + 1)}
    may_cut = {place for place in may_cut if 0 < place < len(text)}
    ends = set()
    at = 0
    for part in re.split(f"({re.escape(special)})", text):
        if part == special:
            ends.add(at + len(part))
        else:
            ends.update(at + match.end() for match in regex.finditer(GPT2_PATTERN, part))
        at += len(part)
    if not may_cut <= ends:
        raise ValueError(f"there is a cut inside a pretoken: {sorted(may_cut - ends)}")
    picture = Picture("A text with its pretokens: green marks where two neighbouring characters "
                      "show that it may be cut, orange where only the whole text shows it")
    size = 620 / len(text)
    start = 0
    for number, end in enumerate(sorted(ends)):
        is_special = text[start:end] == special
        picture.box(10 + size * start + 2, 20, size * (end - start) - 4, 38,
                    PURPLE if is_special else GREY, filled=is_special or number % 2 == 0)
        for i in range(start, end):
            picture.words(10 + size * (i + 0.5), 45, seen(text[i]), mono=True,
                          colour="#999" if text[i].isspace() else DARK, size=20)
        start = end
    for place in sorted(ends - {len(text)}):
        x = 10 + size * place
        colour = GREEN if place in may_cut else ORANGE
        picture.line((x, 10), (x, 68), colour=colour, width=3, dashed=place not in may_cut)
        picture.words(x, 88, "\u25b2", colour=colour, size=SMALL)
    picture.words(10, 122, "\u25b2", colour=GREEN, at="start")
    picture.words(36, 122, "may be cut: two characters, or a special token's end, show it",
                  at="start", size=SMALL)
    picture.words(10, 148, "\u25b2", colour=ORANGE, at="start")
    picture.words(36, 148, "a pretoken ends, but more of the text is needed to know",
                  at="start", size=SMALL)
    return picture.svg()


def header_secret():
    """The two integers of hash.h before the system's randomness is mixed in."""
    text = (ROOT / "cs336_bpe/native/hash.h").read_text("utf-8")
    return [int(digits, 16) for digits in re.findall(r"0x([0-9A-F]{16})u", text)]


def hash_of(key, secret):
    """`secret_hash` of hash.h, of a key of 16 bytes."""
    a, b = (int.from_bytes(key[i : i + 8], "little") ^ secret[i // 8] for i in (0, 8))
    return (a * b ^ a * b >> 64) & (1 << 64) - 1


def key_of(word, short):
    """`short_key` of word_counts.h and word_key.h: bytes, zeros, and the length."""
    return word + bytes(short - len(word)) + bytes([len(word)])


def draw_key(picture, y, word, short, size):
    """The 16 bytes of a key as cells."""
    for i, byte in enumerate(key_of(word, short)):
        colour = BLUE if i < len(word) else ORANGE if i == short else GREY
        text = seen(chr(byte)) if i < len(word) else byte
        picture.cell(10 + size * i, y, size - 3, 38, text, colour, filled=colour != GREY,
                     ink=DARK if colour != GREY else "#999")


def filled(words, secret, short, size):
    """[place]: (word, count, the place that its hash names), by the rule of open_table.h."""
    places = [None] * size
    for word in words:
        first = at = hash_of(key_of(word, short), secret) % size
        while places[at] and places[at][0] != word:
            at = (at + 1) % size
        places[at] = (word, places[at][1] + 1 if places[at] else 1, first)
        if 2 * sum(map(bool, places)) >= size:
            raise ValueError("the real table would have grown")
    return places


def open_addressing():
    """Stage 05: a key with its count, and a small table with words in it."""
    short = constant("native/word_key.h", "SHORT")
    text, new = "The cat ran, and the cat and the mat ran", b" saw"
    words = [match.group().encode() for match in regex.finditer(GPT2_PATTERN, text)]
    secret = header_secret()
    places = filled(words, secret, short, 16)
    picture = Picture(f"A pretoken as a key of {short + 1} bytes with its count, and the "
                      f"pretokens of {text!r} in a table of {len(places)} places")
    word, count, _ = next(entry for entry in places if entry and entry[0] == b" cat")
    size = 620 / (short + 1)
    picture.words(10, 24, "An entry: the pretoken is its own key ...", at="start", bold=True)
    draw_key(picture, 38, word, short, size)
    picture.words(10, 98, f"{short + 1} bytes: the text, zeros, and in the last one the length",
                  at="start", size=SMALL, colour="#555")
    picture.words(10, 138, "... and how often it was seen", at="start", bold=True)
    for i, byte in enumerate(count.to_bytes(8, "little")):
        picture.cell(10 + size * i, 152, size - 3, 38, byte, GREEN, filled=True,
                     ink=DARK if byte else "#999")
    picture.words(20 + size * 8, 177, "8 bytes: the count", at="start", size=SMALL, colour="#555")

    y, half = 290, len(places) // 2
    picture.words(10, 234, f"The table after \u201c{text}\u201d", at="start", bold=True)
    size = 620 / half

    def at(place):
        return 10 + size * (place % half), y + 120 * (place // half)

    for place, entry in enumerate(places):
        left, top = at(place)
        if entry:
            word, count, first = entry
            moved = first != place
            picture.cell(left, top, size - 4, 34, "".join(map(seen, word.decode())),
                         ORANGE if moved else BLUE, filled=True)
            picture.words(left + size / 2 - 2, top + 52, count, mono=True)
            if moved:
                picture.arc(at(first)[0] + size / 2 - 8, top - 2, left + size / 2,
                            24 + 8 * (place - first), ORANGE)
        else:
            picture.box(left, top, size - 4, 34, GREY, dashed=True)
        picture.words(left + size / 2 - 2, top + 74, place, size=SMALL, colour="#888")
    picture.words(10, y + 226, "An arrow leads from the place that the hash names to the first "
                  "free one.", at="start", size=SMALL, colour="#555")
    first = hash_of(key_of(new, short), secret) % len(places)
    free = next(place % len(places) for place in range(first, first + len(places))
                if not places[place % len(places)])
    picture.words(10, y + 250, f"A search for \u2018{seen(' ')}{new.decode().strip()}\u2019 looks "
                  f"at {first} to {free}. Place {free} is free, so it is new.",
                  at="start", size=SMALL, colour="#555")
    return picture.svg()


PICTURES = (bit_masks, cuts, open_addressing)
