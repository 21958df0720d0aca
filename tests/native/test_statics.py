"""Variables that all threads share: set when a module is imported, and never afterwards.

A function that sets one when it is first called is a data race, because threads call it without
the interpreter's lock.
"""

import re
from pathlib import Path

import cs336_bpe

PACKAGE = Path(cs336_bpe.__file__).parent
VARIABLE = re.compile(r"(\s*)static (?!const\b|inline\b|constexpr\b)"
                      r"(?:struct \{.*\}|[\w:<>]+)[ *]+(\w+)[^()]*;")
SET_AT_IMPORT = {
    "scan_tables.h": {"class_index", "classes", "row_of", "rows", "letters_low", "first_letter",
                      "planes_of"},
    "word_key.h": {"key_parts", "pooled_mark"},
    "pretoken_cache.h": {"key_parts"},
}


def test_no_function_keeps_anything():
    found = {}
    for path in sorted(PACKAGE.rglob("*.h")):
        for line in path.read_text(encoding="utf-8").splitlines():
            if variable := VARIABLE.match(line):
                assert not variable[1], f"{path}: a static variable in a function: {line.strip()}"
                found.setdefault(path.name, set()).add(variable[2])
    assert found == SET_AT_IMPORT


def test_what_is_found():
    assert VARIABLE.match("    static int has_avx2 = -1;")[1]  # as it once was
    assert VARIABLE.match("static uint8_t rows[2][256][64];")[2] == "rows"
    assert VARIABLE.match("static struct { Key mask, length; } key_parts[16];")[2] == "key_parts"
    assert not VARIABLE.match("    static const uint32_t NO_TOKEN = 1;")
    assert not VARIABLE.match("static int class_of(int kind);")
