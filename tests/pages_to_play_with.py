"""The pages to play with, by name: what writes each of them, with something to show."""

import json
from functools import partial
from pathlib import Path

from cs336_bpe.pages import (
    write_cutter_page,
    write_heap_page,
    write_ladder_page,
    write_positions_page,
    write_training_page,
    write_utf8_page,
)

RESULTS = Path(__file__).parent.parent / "benchmarks" / "results"
HARD_TEXTS = [
    "", " ", "a", "'", "It's 12345 o'clock, WE'LL see!\n\n  naïve 東京の\t\r\n", "\n \n  x",
    "a  b   c", "'l'l'll 've'r e\u0301\u00a0\u3000 🙂🙂 ٣٤ ½ HTMLParser's/\n", "''s 's's '",
    "0" * 10, "x '\u00e9", "\U000e0001\ufeff\u202e हिन्दी", "\x1c\x85\u2028 a\u3000b\u00a0\u3000 c",
    "\U0001f469\u200d\U0001f469\u200d\U0001f467 \U0001f44d\U0001f3fd e\u0301\u0323",
    "\0\x7f\x80\u07ff\u0800\ud7ff\ue000\uffff\U00010000\U0010ffff", "don't 've" * 12,
    " " * 70 + "x",
]
"""Contractions, white space of all widths, emoji of several code points, the ends of ranges."""

LADDERS = ["train_ladder_web", "train_ladder_course", "pretokenize_ladder_web",
           "encode_ladder_gpt2", "decode_ladder_web"]


def saved(name):
    return json.loads((RESULTS / f"{name}.json").read_text(encoding="utf-8"))


PLAY_PAGES = {
    "training": write_training_page,
    "cutter": write_cutter_page,
    "utf8": write_utf8_page,
    "heap": write_heap_page,
    "positions": write_positions_page,
    "ladder": partial(write_ladder_page, results=[saved(name) for name in LADDERS]),
}
"""Each takes a path, and maybe a title."""
