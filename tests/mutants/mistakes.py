"""Small mistakes, each of which some test must find: a list to be run by hand.

    python -m tests.mutants --list
    python -m tests.mutants --only ties

A mistake is one change of one file. `tests` are the tests that should notice it, as arguments of
pytest; `modules` are the compiled modules that have to be built again. Most files have defaults for
both. `test_mutants.py` fails if the text to be changed is not there any more: then write the
mistake anew, for the code as it is now.
"""

from typing import NamedTuple


class Mistake(NamedTuple):
    """One small change."""

    name: str
    file: str
    old: str
    new: str
    tests: tuple[str, ...]
    modules: tuple[str, ...] = ()


TRAIN = ("tests/train/test_flat_words.py", "tests/train/test_equal_to_definition.py", "-k",
         "stage13 or errors_are")
COUNT_FILES = ("tests/pretokenize/test_stages_agree.py", "tests/pretokenize/test_bad_input.py")
QUICK = "not processes and not control_c and not absurd"  # what takes long, and counts nothing more
COUNT = (*COUNT_FILES, "-k", QUICK + "".join(f" and not stage{n:02}" for n in range(3, 11)))
# Of the stages in between only the one with automata; and bytes that are not text come first.
AUTOMATA = (*COUNT_FILES[::-1], "-k", QUICK + "".join(f" and not stage{n:02}" for n in range(3, 8)))
SCAN = ("tests/native", "tests/pretokenize/test_scanner.py", "-k", "not every_code_point")
ENGINE = ("tests/tokenizer/test_engine.py", "tests/tokenizer/test_tokenizer.py",
          "tests/tokenizer/test_special_tokens.py")
WORDS = ("tests/tokenizer/test_words.py", "tests/tokenizer/test_engine.py",
         "tests/tokenizer/test_tokenizer.py")
LATE = ("tests/tokenizer/test_late_words.py", "tests/tokenizer/test_engine.py")
ENCODE = ("tests/encode/test_stages_agree.py",)
STREAMS = ("tests/tokenizer/test_streams.py",)
FILES = ("tests/tokenizer/test_files.py", "tests/tokenizer/test_special_tokens.py")
PATTERNS = ("tests/patterns/test_random_patterns.py", "tests/patterns")
DEAD_ENDS = ("tests/patterns/test_dead_ends.py", "-k", "not streams")
DEAD_ENDS_OF_STREAMS = ("tests/patterns/test_dead_ends.py", "-k", "streams")
DECODE = ("tests/decode",)
SAMPLE = ("tests/corpora/test_sample.py",)
COUNTS = ("tests/pretokenize/test_counts.py", "tests/train/test_flat_words.py")
FORMATS = ("tests/formats/test_malformed.py", "tests/formats/test_foreign.py",
           "tests/formats/test_round_trips.py")

TABLES = ("tests/native/test_tables.py",)  # compiles the headers itself
TEXT = ("tests/native/test_text.py",)  # so does this
WINDOWS = ("tests/native/test_windows.py",)  # and this

DEFAULTS: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "train/ties.h": (TRAIN, ("train.stage13_prefetch",)),
    "train/words.h": (TRAIN, ("train.stage13_prefetch", "train.words")),
    "train/words.pyx": (TRAIN, ("train.words",)),
    "train/containers.h": (TRAIN, ("train.stage13_prefetch",)),
    "train/huge_vectors.h": (TRAIN, ("train.stage13_prefetch",)),
    "train/stage13_prefetch.pyx": (TRAIN, ("train.stage13_prefetch",)),
    "pretokenize/word_counts.h": (COUNT, ("pretokenize.stage11_threads",)),
    "pretokenize/rolling_counts.h": (COUNT, ("pretokenize.stage12_rolling",)),
    "encode/late_words.h": (LATE, ("tokenizer.engine",)),
    "encode/side_by_side.h": (LATE, ("tokenizer.engine",)),
    "encode/word_caches.h": (LATE, ("tokenizer.engine",)),
    "pretokenize/add_up.h": (COUNT, ("pretokenize.stage11_threads",)),
    "pretokenize/dense_counts.h": (COUNT, ("pretokenize.stage11_threads", "pretokenize.total")),
    "pretokenize/stage11_threads.pyx": (COUNT, ("pretokenize.stage11_threads",)),
    "pretokenize/add_words.h": (COUNT, ("pretokenize.word_table",)),
    "pretokenize/word_table.h": (COUNT, ("pretokenize.word_table", "pretokenize.stage12_rolling")),
    "native/word_key.h": (COUNT, ("pretokenize.stage12_rolling",)),
    "native/open_table.h": (COUNT, ("pretokenize.stage11_threads",)),
    "native/automaton.h": (AUTOMATA, ("pretokenize.stage08_wide_characters",)),
    "native/dead_ends.h": (DEAD_ENDS, ("native.scanner",)),
    "native/starts.h": (ENGINE, ("tokenizer.engine",)),
    "native/masks_gpt2.h": (SCAN, ("native.scan",)),
    "native/masks_cl100k.h": (SCAN, ("native.scan",)),
    "native/scan_tables.h": (AUTOMATA, ("native.scan",)),
    "native/wide_careful.h": (SCAN, ("native.scan",)),
    "encode/merge_numbers.h": (ENCODE, ("encode.stage11_merge_numbers",)),
    "encode/merge_lists.h": (ENGINE, ("tokenizer.engine",)),
    "encode/merge_windows.h": (WINDOWS, ("encode.stage18_side_by_side",)),
    "encode/pretoken_cache.h": (ENCODE, ("encode.stage13_batches",)),
    "encode/batches.h": (ENCODE, ("encode.stage13_batches",)),
    "encode/perfect_merges.h": (WORDS, ("tokenizer.engine",)),
    "encode/merge_words.h": (WORDS, ("tokenizer.engine",)),
    "encode/merge_heap.h": (WORDS, ("tokenizer.engine",)),
    "encode/mergeable_pairs.h": (WORDS, ("tokenizer.engine",)),
    "encode/new_words.h": (WORDS, ("tokenizer.engine",)),
    "encode/whole_tokens.h": (WORDS, ("tokenizer.engine",)),
    "encode/word_cache.h": (WORDS, ("tokenizer.engine",)),
    "encode/rolling.h": (WORDS, ("tokenizer.engine",)),
    "tokenizer/engine.pyx": (ENGINE + STREAMS, ("tokenizer.engine",)),
    "tokenizer/whole_text.h": (ENGINE + STREAMS, ("tokenizer.engine",)),
    "decode/token_table.h": (DECODE, ("decode.token_table", "decode.stage10_lists_in_pieces")),
    "decode/utf8_text.h": (DECODE, ("decode.stage10_lists_in_pieces",)),
    "decode/packed_chars.h": (DECODE, ("decode.stage11_packed_characters",)),
    "decode/bytes_that_grow.h": (DECODE, ("decode.stage10_lists_in_pieces",)),
    "decode/stage08_one_pass.pyx": (DECODE, ("decode.stage08_one_pass",)),
    "decode/slots.pxd": (DECODE, ("decode.stage09_four_at_a_time",
                                  "decode.stage10_lists_in_pieces")),
    "decode/stage10_lists_in_pieces.pyx": (DECODE, ("decode.stage10_lists_in_pieces",)),
    "corpora/near_duplicates.pyx": (SAMPLE, ("corpora.near_duplicates",)),
    "corpora/choose.py": ((*SAMPLE, "cs336_bpe/corpora/choose.py"), ()),
    "cost/vocabulary_size.py": (("tests/cost", "cs336_bpe/cost"), ()),
    "pretokenize/counts.py": (COUNTS, ()),
    "formats/safe_json.py": (("tests/formats/test_loading.py",), ()),
    "tokenizer/shards.py": (("tests/tokenizer/test_shards.py",), ()),
    "pretokenize/counts_file.py": (COUNTS, ()),
    "patterns/nfa.py": (PATTERNS, ()),
    "patterns/dfa.py": (PATTERNS, ()),
    "patterns/simplify.py": (PATTERNS, ()),
    "patterns/cuts.py": (PATTERNS, ()),
    "patterns/automaton.py": (PATTERNS, ()),
    "text/cuts.py": (("tests/text/test_cuts.py", *COUNT), ()),
    "text/blocks.py": (COUNT, ()),
    "text/crew.py": (("tests/text", *FILES), ()),
    "text/specials.py": ((*COUNT[:1], *ENGINE[1:], "cs336_bpe/text"), ()),
    "text/utf8.py": (ENGINE, ()),
    "tokenizer/files.py": (FILES, ()),
    "tokenizer/id_files.py": (("tests/tokenizer/test_decode_files.py",), ()),
    "tokenizer/parallel.py": ((*ENGINE[1:], "tests/tokenizer/test_threads.py"), ()),
    "tokenizer/special_choice.py": (ENGINE[1:], ()),
    "tokenizer/decoder.py": (("tests/tokenizer/test_decoding.py",
                              "tests/tokenizer/test_decode_files.py"), ()),
    "encode/trace.py": (("tests/encode/test_trace.py",), ()),
    "common/atomic_files.py": (("tests/common",), ()),
    "cli.py": (("tests/commands/test_signals.py",), ()),
    "rules/checks.py": (("tests/rules", "tests/test_public_functions.py", *COUNTS), ()),
    "formats/consistent.py": (FORMATS, ()),
}

MISTAKES: list[Mistake] = []


def mistake(name: str, file: str, old: str, new: str, *, tests: tuple[str, ...] | None = None,
            modules: tuple[str, ...] | None = None) -> None:
    usual_tests, usual_modules = DEFAULTS[file]
    MISTAKES.append(Mistake(name, f"cs336_bpe/{file}", old, new,
                            usual_tests if tests is None else tests,
                            usual_modules if modules is None else modules))


# --- Training ---

mistake("ties: only the first eight bytes are compared", "train/ties.h",
        "start < other.start : whole < other.whole", "start < other.start : false")
mistake("ties: the left part alone decides", "train/ties.h",
        "return *right < *other.right;", "return false;")
mistake("ties: lengths are compared before bytes", "train/ties.h",
        "start < other.start : whole < other.whole",
        "start < other.start : whole.size() < other.whole.size()")
mistake("ties: bytes are signed", "train/ties.h", "(uint8_t)key[i] : 0", "key[i] : 0")
mistake("ties: Hugging Face's numbers ascend", "train/ties.h", "(~number >> shift & 0xFF)",
        "(number >> shift & 0xFF)")
mistake("ties: the token is made the wrong way round", "train/ties.h",
        "at(left)->whole + at(right)->whole", "at(right)->whole + at(left)->whole")
mistake("words: counts of 2^31 overlap with places", "train/words.h", "if (count >= LARGE) {",
        "if (count > LARGE) {")
mistake("words: room for one cell fewer is not noticed", "train/words.h",
        "cells.size() + size >= cells.capacity()", "cells.size() > cells.capacity()")
mistake("words: lengths are compared with the whole text", "train/words.pyx",
        "lengths[i] > <uint64_t>(text.shape[0] - at)", "lengths[i] > <uint64_t>text.shape[0]")
mistake("words: counts in columns may be negative", "train/words.pyx",
        " or counts[i] > <uint64_t>LIMIT:", ":")
mistake("words: what has only an index is refused", "train/words.pyx",
        "number = check_count(word, number)", "check_count(word, number)")
mistake("words: the running sum is reported", "train/words.pyx",
        "check_counts(counts)  # raises: it", "check_total(LIMIT + 1)  # raises: it")
mistake("words: words that occur zero times have pairs", "train/words.pyx",
        "size < 2 or count == 0 or sink.add", "size < 2 or sink.add",
        tests=("tests/train/test_equal_to_definition.py", "-k", "zero"))
mistake("lists: the rest of a list overlaps the new one", "train/containers.h",
        "room - size, at + size", "room - size, at")
mistake("lists: one too small is taken", "train/containers.h", "unused.top().first < size",
        "unused.top().first + 1 < size")
mistake("heap: the left child is always taken", "train/containers.h",
        "if (child + 1 < size && entries[child] < entries[child + 1]) child++;", "")
mistake("heap: it stops at the first level", "train/containers.h",
        "if (!(entry < entries[child])) break;", "if (!(entry < entries[child]) || at > 0) break;")
mistake("trainer: lists are empty when they get more room", "train/huge_vectors.h",
        "    larger.insert(larger.end(), items.begin(), items.end());\n", "")
mistake("trainer: stale positions are merged", "train/stage13_prefetch.pyx",
        "if self.cells[here].pair != best:", "if self.cells[here].pair == NONE:")
mistake("trainer: the pair before keeps its count", "train/stage13_prefetch.pyx",
        "self.pair_counts[self.cells[before].pair] -= count", "pass")
mistake("trainer: the last cell keeps the old token", "train/stage13_prefetch.pyx",
        "            self.cells[after - 1].token = new_id\n", "")
mistake("trainer: the second token keeps its pair", "train/stage13_prefetch.pyx",
        "            self.cells[second].pair = NONE\n", "")
mistake("trainer: pairs with the threshold's count are not pushed", "train/stage13_prefetch.pyx",
        """            if self.pair_counts[p] >= self.threshold:
                self.push(p)
        return 0""", """            if self.pair_counts[p] > self.threshold:
                self.push(p)
        return 0""")
mistake("trainer: the threshold is above the greatest count", "train/stage13_prefetch.pyx",
        "max(greatest - greatest // 2, <int64_t>1)", "greatest + 1")
mistake("trainer: an entry that fell to the threshold is dropped", "train/stage13_prefetch.pyx",
        "            if count >= self.threshold:\n                self.heap.replace_top",
        "            if count > self.threshold:\n                self.heap.replace_top")
mistake("trainer: pairs born in one merge are found in the next", "train/stage13_prefetch.pyx",
        "            self.pair_with_right[self.pairs[p].right] = NONE\n", "")
mistake("trainer: entries out of date are taken", "train/stage13_prefetch.pyx",
        "if top.count == count:", "if count > 0:")

# --- Counting ---

mistake("counts: long words count once when tables are added", "pretokenize/add_up.h",
        "into.add(from.bytes(entry), entry.size, entry.count)",
        "into.add(from.bytes(entry), entry.size, 1)")
mistake("counts: short words count once when tables are added", "pretokenize/add_up.h",
        "into.add(entry.key, into.hash_of(entry.key), entry.count)",
        "into.add(entry.key, into.hash_of(entry.key), 1)")
mistake("counts: the last entry is not added", "pretokenize/add_up.h",
        "i <= from.mask; i++) {", "i < from.mask; i++) {")
mistake("counts: long words of one length are equal", "pretokenize/word_counts.h",
        "one.hash_of_bytes == hash && one.size == length\n",
        "one.size == length || one.size > 1000\n")
mistake("counts: long words overlap by a byte", "pretokenize/word_counts.h",
        "        size += length;\n", "        size += length - 1;\n")
mistake("counts: long words that are there count once", "pretokenize/word_counts.h",
        "            entry->count += n;\n            return true;\n",
        "            entry->count += 1;\n            return true;\n", tests=TABLES, modules=())
mistake("counts: words of eight bytes are tiny", "pretokenize/word_counts.h",
        "enum { TINY = 7 };", "enum { TINY = 8 };")
mistake("counts: words of sixteen bytes are short", "native/word_key.h",
        "enum { SHORT = 15 };", "enum { SHORT = 16 };")
mistake("counts: the length is not in the key", "pretokenize/word_counts.h",
        "    memcpy((uint8_t *)&key + 15, &last, 1);\n",
        "    memcpy((uint8_t *)&key + 15, \"x\", 1);\n")
mistake("counts: only one of the keys' halves is compared", "pretokenize/word_counts.h",
        "return a == other.a && b == other.b;", "return b == other.b;")
mistake("counts: growing loses an entry", "native/open_table.h",
        "for (size_t i = 0; i <= mask; i++) {\n            if",
        "for (size_t i = 1; i <= mask; i++) {\n            if")
mistake("counts: growing forgets how large the table is", "native/open_table.h",
        "        mask = other.mask;\n", "")
mistake("tables: what collides stays where it is", "native/open_table.h",
        "& mask) > most;", "& mask) > mask;", tests=TABLES, modules=())
mistake("tables: words that collide make the table grow", "native/open_table.h",
        "bool grows = 3 * used > mask;", "bool grows = true;", tests=TABLES, modules=())
mistake("tables: a table that moves keeps its secret", "native/open_table.h",
        "            secret = made;\n", "", tests=TABLES, modules=())
mistake("counts: long words that move keep their hashes", "pretokenize/word_counts.h",
        "return one.hash_of_bytes = secret_hash_of(bytes(one), one.size, made);",
        "return secret_hash_of(bytes(one), one.size, made);", tests=TABLES, modules=())
mistake("counts: a table that has moved is added up by the other's hashes", "pretokenize/add_up.h",
        "return into.add(entry.key, into.hash_of(entry.key), entry.count) && into.tidy();",
        "return into.add(entry.key, hash_of_key(entry.key, process_secret), entry.count);",
        tests=TABLES, modules=())
mistake("counts: a table that was emptied keeps its entries", "pretokenize/add_up.h",
        "most ? from.clear() : from.end();", "")
mistake("counts: a table is emptied, but not added", "pretokenize/add_up.h",
        "if (!add_all(into, from)) return false;", "")
mistake("counts: tables are never emptied", "pretokenize/add_up.h",
        "if (from.used <= most) return true;", "if (most || from.used <= most) return true;")
mistake("counts: each word of the sum is new", "pretokenize/dense_counts.h",
        "return !one.is_free() && is_same(entry_of(one));", "return false;")
mistake("counts: short words count once in the sum", "pretokenize/dense_counts.h",
        "this->entry_of(*place).count += n;", "this->entry_of(*place).count += 1;")
mistake("counts: long words count once in the sum", "pretokenize/dense_counts.h",
        "            entry_of(*place).count += n;", "            entry_of(*place).count += 1;")
mistake("counts: long words of one length are equal in the sum", "pretokenize/dense_counts.h",
        "one.hash_of_bytes == hash && one.size == length\n",
        "one.size == length || one.size > 1000\n")
mistake("counts: the sum's index grows too late", "pretokenize/dense_counts.h",
        "if (2 * ++index.used > index.mask)", "if (2 * ++index.used > 4 * index.mask)",
        tests=TABLES, modules=())
mistake("counts: the sum's index stays where words collide", "pretokenize/dense_counts.h",
        "return !index.is_far(place, hash) || index.move_away(hash_at);", "return true;",
        tests=TABLES, modules=())
mistake("counts: long words of the sum that move keep their hashes", "pretokenize/dense_counts.h",
        "return one.hash_of_bytes = secret_hash_of(bytes(one), one.size, secret);",
        "return secret_hash_of(bytes(one), one.size, secret);", tests=TABLES, modules=())
mistake("merges: fingerprints stay when the table moves", "encode/merge_numbers.h",
        "            one.bits = (one.bits & ~(uint32_t)255) | fingerprint(hash);\n", "",
        tests=TABLES, modules=())
mistake("counts: a block with replaced bytes is counted as it was",
        "pretokenize/stage11_threads.pyx",
        "            buffer = bytearray(clean) + bytes(SCAN_PADDING)\n",
        "            pass\n")
mistake("counts: after a special token the next one is skipped", "pretokenize/stage11_threads.pyx",
        "            at = special + search.length\n",
        "            at = special + search.length + 1\n")
mistake("counts: tables of the other threads are left out", "pretokenize/stage11_threads.pyx",
        "partial(first.add, which, others) for which in range(3)",
        "partial(first.add, which, others[:1]) for which in range(3)")

mistake("columns: del leaves them", "pretokenize/counts.py",
        "        del self._entries()[word]\n        self._columns = None\n",
        "        del self._entries()[word]\n")
mistake("columns: += leaves them", "pretokenize/counts.py",
        "        entries = self._entries()\n        self._columns = None\n",
        "        entries = self._entries()\n")
mistake("columns: [] = leaves them", "pretokenize/counts.py",
        "        self._entries()[word] = count\n        self._columns = None\n",
        "        self._entries()[word] = count\n")
mistake("columns: clear leaves them", "pretokenize/counts.py",
        "        self._kept = {\"dict\": {}}\n        self._columns = None\n",
        "        self._kept = {\"dict\": {}}\n")
mistake("counts: two threads make a dict each", "pretokenize/counts.py",
        "self._kept.setdefault(\"dict\", columns_to_dict(*columns))",
        "self._kept[\"dict\"] = columns_to_dict(*columns)")
mistake("files: the first thread that has read one turns collections on again",
        "formats/safe_json.py", "if not self.inside and self.was_on:\n                gc.enable()",
        "if self.was_on:\n                gc.enable()")
mistake("shards: two runs in one folder", "tokenizer/shards.py",
        "        with alone_in(folder):", "        if True:")
mistake("crew: a second interrupt leaves threads", "text/crew.py",
        "            except BaseException as error:\n                interrupt = error",
        "            except ZeroDivisionError as error:\n                interrupt = error")
mistake("crew: threads do not begin if they are stopped before", "text/crew.py",
        "        self.stopped = True\n        self.let_begin()\n", "        self.stopped = True\n")
mistake("counts: a half goes down",
        "pretokenize/counts.py", "(2 * count * up + down) // (2 * down)",
        "(2 * count * up + down - 1) // (2 * down)")
mistake("counts: top has the greatest of equal ones first", "pretokenize/counts.py",
        "key=lambda item: (-item[1], item[0]))", "key=lambda item: -item[1])")

# --- Words that are late, and merged side by side ---

mistake("late words: the last gap is not closed", "encode/late_words.h",
        "for (size_t i = 0; i < late.number; i++) {\n            const To *from",
        "for (size_t i = 0; i + 1 < late.number; i++) {\n            const To *from")
mistake("late words: whole tokens are merged", "encode/late_words.h",
        "if (!found.number && words->is_token(", "if (found.number && words->is_token(")
mistake("late words: a word is counted twice", "encode/word_cache.h",
        "        used += entry->is_free();\n", "        used++;\n", tests=LATE)
mistake("late words: one that waits has ids", "encode/word_cache.h",
        "return key.last() & POOLED ? pooled.number : key.last();", "return key.last();",
        tests=LATE)
mistake("late words: they wait while the table moves", "encode/rolling.h",
        "(cache->is_untidy() || (size_t)", "((size_t)", tests=LATE)
mistake("late words: those of a wrong text get their ids in the next", "encode/word_caches.h",
        "    else cache->late.number = 0;\n", "")
mistake("late words: room for one id less than bytes", "encode/late_words.h",
        "        to += key.last();\n", "        to += key.last() - 1;\n")
mistake("side by side: the right neighbour is the token that goes", "encode/side_by_side.h",
        "const Eight rest = later ^ gone, after", "const Eight rest = later, after")
mistake("side by side: of equal pairs the last is merged first", "encode/side_by_side.h",
        "keys[i] = token << 4 | (uint32_t)i |", "keys[i] = token << 4 | (uint32_t)(15 - i) |")
mistake("side by side: the pair on the left is not looked up again", "encode/side_by_side.h",
        "keys[i] = choose(keys[i], left_key, (Eight)(ahead == exponent_of_bit(i)));\n", ";\n")
mistake("side by side: a word ends one byte too late", "encode/side_by_side.h",
        "(Eight)(lengths <= (uint32_t)i + 1)", "(Eight)(lengths <= (uint32_t)i)")
mistake("rolling counts: long words are told apart by their hash alone",
        "pretokenize/word_table.h",
        "&& (!is_long || !memcmp(one.text, pretoken, length))", "",
        tests=TABLES, modules=())
mistake("rolling counts: what is late is not counted", "pretokenize/rolling_counts.h",
        "table->tidy() && (!num_late || count_late(text))", "table->tidy()",
        tests=TABLES, modules=())
mistake("rolling counts: what crosses the end of a part is left out", "pretokenize/add_words.h",
        "            part->left.push_back(i);", "            ;", tests=TABLES, modules=())
mistake("rolling counts: the last part is not longer", "pretokenize/add_words.h",
        "number + 1 < parts ? begin + share : size", "begin + share", tests=TABLES, modules=())
mistake("rolling counts: what lies behind the end of a part is left out", "pretokenize/add_words.h",
        "i < end || (i < begin + size && !is_free(i))", "i < end", tests=TABLES, modules=())
mistake("rolling counts: long words of another table are freed with it", "pretokenize/add_words.h",
        "return into->texts.take(&from->texts);", "return true;")
mistake("rolling counts: tables with other secrets are walked along", "pretokenize/add_words.h",
        "if (has_same_secret()) {", "if (true) {", tests=TABLES, modules=())
mistake("rolling counts: a table moves while what is left is added", "pretokenize/add_words.h",
        "entry.is_long() && !has_same_secret()", "false", tests=TABLES, modules=())
mistake("rolling counts: a larger table is added to a smaller one", "pretokenize/add_words.h",
        "if (into->mask < from->mask) std::swap(*into, *from);", "", tests=TABLES, modules=())
mistake("rolling counts: no room is made for the words of another table", "pretokenize/add_words.h",
        "            if (!into->grow(2)) return false;", "            break;",
        tests=TABLES, modules=())
mistake("rolling counts: new words of another table are not among those in use",
        "pretokenize/add_words.h", "                part->used++;\n", "", tests=TABLES, modules=())
mistake("columns: sixteen bytes are written behind the last word", "pretokenize/add_words.h",
        "!entry.is_long() && end - to >= 16", "!entry.is_long()", tests=TABLES, modules=())
mistake("columns: the last range is left out", "pretokenize/add_words.h",
        "(begin = next.fetch_add(RANGE)) <= table->mask",
        "(begin = next.fetch_add(RANGE)) + RANGE <= table->mask")
mistake("columns: another thread may come between the room in two of them",
        "pretokenize/add_words.h", "        std::scoped_lock alone(mutex);\n", "",
        tests=TABLES, modules=())
mistake("rolling counts: a word that is longer than a chunk is written over its end",
        "pretokenize/word_table.h", "taken = size > usual ? size : usual;", "taken = usual;")
mistake("rolling counts: short words are emptied as tiny ones", "pretokenize/word_table.h",
        "(length <= TINY ? tinies.add", "(length <= SHORT ? tinies.add")

# --- Scanning ---

mistake("scan: overlong forms of four bytes are text", "native/scan_tables.h",
        "if (c < 0x10000 || c > 0x10FFFF) return 0;", "if (c > 0x10FFFF) return 0;")
mistake("scan: surrogates are text", "native/scan_tables.h",
        "c < 0x800 || (c >= 0xD800 && c < 0xE000) ?", "c < 0x800 ?")
mistake("scan: a character may be cut off at the end", "native/wide_careful.h",
        "if (!length || (size_t)(i + length) > left) {", "if (!length) {")
mistake("scan: a contraction looks into a special token", "native/masks_gpt2.h",
        "three = (both != 0) & (at + 2 < scan->end);", "three = (both != 0);",
        tests=COUNT, modules=("native.scan", "pretokenize.stage11_threads"))
mistake("scan: contractions at a block's end are forgotten", "native/masks_gpt2.h",
        "next_set |= to_set >> 1 >> (63 - i);", "next_set |= 0;")
mistake("scan: a contraction after a space", "native/masks_gpt2.h",
        "begins & b.quote & ahead(b.L, next.L, 1), 0)", "b.O & b.quote & ahead(b.L, next.L, 1), 0)")
mistake("scan: the last white space of a run is not a start", "native/masks_gpt2.h",
        "return b.W & ~b.more & last;", "return b.W & ~b.more & last & ~1;")
mistake("scan: digits by three go on after the block", "native/masks_cl100k.h",
        "scan->owed = (unsigned)(most - 1 - BPE_CLZ(groups));",
        "scan->owed = (unsigned)(most - 2);")
mistake("scan: newlines after punctuation in the next block", "native/masks_cl100k.h",
        "    scan->tied = tied >> 63;\n", "    scan->tied = 0;\n")
mistake("automaton: overlong forms of four bytes are text", "native/automaton.h",
        "(b | c | d) < 0x40 && *point >= 0x10000 &&", "(b | c | d) < 0x40 &&")
mistake("automaton: overlong forms of three bytes are text", "native/automaton.h",
        "(b | c) < 0x40 && *point >= 0x800 &&", "(b | c) < 0x40 &&")
mistake("automaton: the mark is not moved", "native/automaton.h",
        "mark = step.flags & STEP_MARK ? at : mark;",
        "mark = step.flags & STEP_MARK ? at + 1 : mark;")
mistake("automaton: the end of the text gives nothing back", "native/automaton.h",
        "if (scan->open || !(steps[state + automaton->num_classes].flags & STEP_BACK)) break;",
        "break;")
mistake("automaton: a cut is found beside a part of a character", "native/automaton.h",
        "if (length == at - start) before", "if (length) before",
        tests=("tests/patterns/test_cuts.py", "-k", "last_cut"), modules=("native.scanner",))
mistake("dead ends: anywhere in sixteen bytes", "native/dead_ends.h",
        "        if (place == (at - length) >> SPACING_BITS) return false;\n", "")
mistake("dead ends: attempts beside a dead one are not watched", "native/automaton.h",
        "scan->watched = scan->at < scan->dead_ends.reach;", "scan->watched = false;",
        tests=DEAD_ENDS, modules=("native.scanner",))
mistake("dead ends: whatever the state", "native/dead_ends.h",
        "(uint64_t)place << 16 | state}", "(uint64_t)place << 16 | 1}")
mistake("dead ends: those of the text before stay", "native/dead_ends.h",
        "        if (table.used) forget();\n", "", tests=DEAD_ENDS_OF_STREAMS,
        modules=("tokenizer.engine",))
mistake("dead ends: the table never grows", "native/dead_ends.h",
        "        if (4 * number_kept > size) size *= 2;\n", "")
# Two that were here changed nothing but the work that is done, and gave way to others. `passed`
# need not forget what came before a mark: attempts begin at the mark, and look up no place before
# it. And a table that was tidied may be taken for empty: at most a quarter of it was kept, and half
# a table more comes in before it is tidied again.

# --- Encoding ---

mistake("merges: the right part is not compared", "encode/merge_numbers.h",
        """ && of_slot->left == left
                   && of_slot->right == right;""", " && of_slot->left == left;")
mistake("merges: pairs of high bytes are left out", "encode/merge_numbers.h",
        "if (left < 256 && right < 256) byte_pairs", "if (left < 128 && right < 256) byte_pairs")
mistake("merges: the table can be full", "encode/merge_numbers.h",
        "while (size < 2 * num_merges) size *= 2;", "while (size < num_merges) size *= 2;")
mistake("merges: the rightmost of equal ones comes first", "encode/merge_numbers.h",
        "int lower = joined[i] < lowest;", "int lower = joined[i] <= lowest;")
mistake("merges: the pair before is not looked up again", "encode/merge_numbers.h",
        "        if (at > 0) joined[at - 1] = merges.of(tokens[at - 1], lowest);\n", "")
mistake("merges: pretokens of 128 bytes overflow an array", "encode/merge_numbers.h",
        "for (size_t i = 0; i + 1 < n; i++) joined[i]",
        "for (size_t i = 0; i + 2 < n; i++) joined[i]")
mistake("lists: a merge's list is not emptied", "encode/merge_lists.h",
        "        first[token] = 0;\n        /* The", "        /* The")
mistake("lists: the last word of bits is forgotten", "encode/merge_lists.h",
        "num_words = merges.num_tokens / 64 + 1;", "num_words = merges.num_tokens / 64;")
mistake("lists: a stale place is merged", "encode/merge_lists.h",
        "if (place->token != parts.left || place->next >= length", "if (place->next >= length")
mistake("cache: what is forgotten stays in the pool", "encode/pretoken_cache.h",
        "shorts.used = longs.used = bytes.used = ids.used = 0;", "shorts.used = longs.used = 0;",
        tests=TABLES, modules=())
mistake("cache: long pretokens with equal hashes are equal", "encode/pretoken_cache.h",
        """one.hash_of_bytes == hash && one.length == length
                   && !memcmp(bytes.items + one.start, text, length);""",
        "(one.hash_of_bytes & 7) == (hash & 7) && one.length == length;")
mistake("cache: three ids have room for two", "encode/pretoken_cache.h",
        "if (number <= IN_ENTRY) memcpy(found.ids", "if (number <= IN_ENTRY - 1) memcpy(found.ids")
mistake("cache: the limit may be passed", "encode/pretoken_cache.h",
        "return num_bytes() + 2 * growing->num_bytes() <= limit && twice(growing);",
        "return num_bytes() <= limit && twice(growing);", tests=TABLES, modules=())
mistake("batches: the output has room for the ids only", "encode/batches.h",
        "if (!output->room_for(stop - batch.starts[0] + IN_ENTRY))",
        "if (!output->room_for(stop - batch.starts[0]))")
mistake("batches: where the ids of a long list belong is not said", "encode/batches.h",
        "            output->used = used;\n            if (!cache", "            if (!cache")
mistake("merges without collisions: the right part is not compared", "encode/perfect_merges.h",
        "((slot.left ^ left) | (slot.right ^ right)) & PART ?", "(slot.left ^ left) & PART ?")
mistake("merges without collisions: there are some", "encode/perfect_merges.h",
        "if (slot_for(token, number)->left != UINT32_MAX) break;", "if (false) break;")
mistake("merges without collisions: pairs of high bytes are left out", "encode/perfect_merges.h",
        "if (left < 256 && right < 256) byte_pairs", "if (left < 128 && right < 256) byte_pairs")
mistake("merged words: a token that is gone is merged again", "encode/merge_words.h",
        "        keys[gone] = none();\n", "")
mistake("merged words: the way back is not kept", "encode/merge_words.h",
        "        before[after] = (uint8_t)here;\n", "")
mistake("merged words: the least of the block before is an old one", "encode/merge_words.h",
        "if (here) look_again(ahead);", "if (here > BLOCK) look_again(ahead);")
mistake("merged words: what is after a word is part of it", "encode/merge_words.h",
        "keys[i] = i + 1 < length ? key : none();", "keys[i] = i < length ? key : none();")
mistake("merged words: of twelve places the last four are not looked at", "encode/merge_words.h",
        "b = least_of<4>(keys + 8);", "b = least_of<4>(keys);")
mistake("windows: those that do not agree are taken all the same", "encode/merge_windows.h",
        "if (expected && ends[0] != expected) return 0;", "")
mistake("windows: a window may begin anywhere", "encode/merge_windows.h",
        "at += ends[kept - 1];", "at += ends[kept - 1] - (ends[kept - 1] > 1);")
mistake("windows: one without a border to go back to", "encode/merge_windows.h",
        "if (!kept) return 0;", "")
mistake("windows: the end of one that is not the first is forgotten", "encode/merge_windows.h",
        "if (at + part == size) return (ptrdiff_t)made + number;",
        "if (at + part == size) return (ptrdiff_t)made + (number > 1 ? number - 1 : 1);")
mistake("heap: the rightmost of equal merges comes first", "encode/merge_heap.h",
        "place > other.place;", "place < other.place;")
mistake("heap: a stale candidate is merged", "encode/merge_heap.h",
        "if (here.next >= size || !merges.is(top.token, here.token, places[here.next].token))",
        "if (here.next >= size || here.token == NO_MERGE)")
mistake("cuts in words: the wrong end of the left part", "encode/mergeable_pairs.h",
        "left = merges.parts[left].right;", "left = merges.parts[left].left;")
mistake("cuts in words: the two bytes are swapped", "encode/mergeable_pairs.h",
        "has(text[at - 1], text[at])", "has(text[at], text[at - 1])")
mistake("whole tokens: the longest is not found", "encode/whole_tokens.h",
        "if (length > longest) return false;", "if (length >= longest) return false;")
mistake("words: long ones with equal hashes are equal", "encode/word_cache.h",
        "one.pooled.length == length && !memcmp(bytes.items + one.pooled.text, text, length);",
        "one.pooled.length == length;")
mistake("words: one id too many is in an entry", "encode/word_cache.h",
        "if (number <= E::ROOM && ", "if (number <= E::ROOM + 1 && ")
mistake("words: what is forgotten stays in the pools", "encode/word_cache.h",
        "used = bytes.used = ids.used = 0;\n        full", "used = 0;\n        full")
mistake("words: parts of a whole token are looked for as such", "encode/word_cache.h",
        "if (length > SHORT || words.whole)", "if (length > SHORT)")
mistake("words: a part ends where its window does", "encode/word_cache.h",
        "is_open = done + part > places && places + 1 < left;", "is_open = false;")
mistake("words: keys of parts with few bytes are made", "encode/word_cache.h",
        "cross & cross >> 1 & cross >> 2 & ~(cross << 1);", "cross & cross >> 1 & ~(cross << 1);")
mistake("easy words: a part of four bytes is one of three", "encode/new_words.h",
        "if (cross & cross >> 1 & cross >> 2) return 0;",
        "if (cross & cross >> 1 & cross >> 2 & cross >> 3) return 0;")
mistake("easy words: of equal pairs the right one comes first", "encode/new_words.h",
        "is_first = first <= second;", "is_first = first < second;")
mistake("easy words: one byte may be a merge of itself", "encode/new_words.h",
        "merged = (length - 1) & (size_t)(token != NO_MERGE);",
        "merged = (size_t)(token != NO_MERGE);")
mistake("words: a crowded cache stays", "encode/word_cache.h",
        "if (moves++ < MOST_MOVES) move(", "if (false) move(")
mistake("words: places are asked for too early", "encode/rolling.h",
        "first = number < AHEAD ? number : AHEAD;",
        "first = number < AHEAD + 1 ? number : AHEAD + 1;")
mistake("words: the output has room for the ids only", "encode/rolling.h",
        "room_for(starts[number] - starts[0] + SLACK)", "room_for(starts[number] - starts[0])")
mistake("gaps: each character is a piece of its own", "native/starts.h",
        "in_gap = stop == run.at;", "in_gap = false;",
        tests=(*ENGINE, "tests/patterns/test_dead_ends.py"))
mistake("engine: a special token may lie across stretches", "tokenizer/whole_text.h",
        "have > longest_special ? have - longest_special : 0;", "have;",
        tests=("tests/tokenizer/test_words.py", *ENGINE))
mistake("pairs: crowded buckets stay", "train/containers.h",
        "        move_away();\n        return", "        return", tests=TABLES, modules=())
mistake("starts: the last start is not kept for the next batch", "native/starts.h",
        "        starts[0] = starts[ready];\n", "")
mistake("engine: the end of a text is not copied", "tokenizer/whole_text.h",
        "size - SCAN_PADDING, 1)", "size, 1)")
mistake("engine: a stream's special token may still become longer", "tokenizer/engine.pyx",
        "at = max(at, self.size - longest + 1)", "at = max(at, self.size - longest + 2)")
mistake("engine: a stream forgets what it has searched", "tokenizer/engine.pyx",
        "        self.searched -= min(size, self.searched)\n", "")
mistake("threads: refused special tokens are cut in two", "tokenizer/files.py",
        "uncut = coder.choices.all if self.in_text.refused is not None else self.in_text",
        "uncut = self.in_text")
mistake("files: the header has no number", "tokenizer/files.py",
        "                target.write(npy_header(dtype, num_ids))\n",
        "                target.write(npy_header(dtype, 0))\n")
mistake("files: the input may be the output", "tokenizer/files.py",
        "if not source.is_stream and os.path.samestat(os.stat(source.path), state):", "if False:")
mistake("files: the ids may be the output", "tokenizer/files.py", "    if same:\n",
        "    if not same:\n", tests=("tests/tokenizer/test_decode_files.py",))
mistake("files: an error's place is that in the block", "text/blocks.py",
        'decode(text, "strict", self.name, self.offset)', 'decode(text, "strict", self.name)')
mistake("crew: the first failure in time is raised", "text/crew.py",
        "raise min(self.failures, key=lambda failure: failure[0])[1]", "raise self.failures[0][1]")
mistake("crew: results are used as they come", "text/crew.py",
        "                if self.num_used not in self.early:\n"
        "                    self.is_using = False\n"
        "                    return\n"
        "                result, item = self.early.pop(self.num_used)\n",
        "                if not self.early:\n"
        "                    self.is_using = False\n"
        "                    return\n"
        "                result, item = self.early.popitem()[1]\n")
mistake("crew: any number of results may wait", "text/crew.py",
        "most = 2 * len(self.works)", "most = 2**62")
mistake("crew: two threads may fail to take an item", "text/crew.py",
        "            if self.stopped:  # or", "            if False:  # or")
mistake("crew: no thread at all is an endless wait", "text/crew.py",
        "                if number == 0:\n", "                if number < 0:\n")
mistake("parallel: a long text is one part", "tokenizer/parallel.py",
        "len(text) <= (LONG if workers == 1 else PART_BYTES)",
        "len(text) <= (2**62 if workers == 1 else PART_BYTES)")
mistake("parallel: parts overlap by a byte", "tokenizer/parallel.py",
        "        yield start, cut\n        start = cut\n",
        "        yield start, cut + 1\n        start = cut\n")
mistake("specials: the shortest is found first", "text/specials.py",
        "sorted(tokens, key=len, reverse=True)", "sorted(tokens, key=len)")
mistake("specials: refused ones are named with a wrong place", "tokenizer/special_choice.py",
        "at byte {offset + start}", "at byte {start}", tests=FILES)
mistake("utf8: items of two bytes are taken for bytes", "text/utf8.py",
        "text.itemsize == text.ndim == 1", "text.ndim == 1")
mistake("trace: the rightmost of equal merges comes first", "encode/trace.py",
        "heap = [(merge[0], place) for place", "heap = [(merge[0], -place) for place")
mistake("trace: any pretoken is explained", "encode/trace.py",
        "if len(pretoken) > MOST_EXPLAINED:", "if len(pretoken) > 10 * MOST_EXPLAINED:")

# --- Cutting and reading ---

mistake("cuts: a special token may span a cut", "text/cuts.py",
        "return not self._is_spanned(data, cut)", "return True")
mistake("cuts: not enough is in view", "text/cuts.py",
        "        if cut + self.longest > size:\n            return False\n", "")
mistake("cuts: bytes that are left out complete no special token", "text/cuts.py",
        "too_short or self._is_spanned(left + right, len(left))",
        "self._is_spanned(left + right, len(left))")
mistake("cuts: the end of a special token that another one owns", "text/cuts.py",
        "if start + self.longest > size or self._is_spanned(data, start):",
        "if start + self.longest > size:")
mistake("cuts: every place is tried before the special tokens", "text/cuts.py",
        "FIRST_TRIES = 50", "FIRST_TRIES = 10**9")
mistake("blocks: what is left is lost", "text/blocks.py",
        "self._left = bytes(buffer[cut:size])", "self._left = bytes(buffer[cut : size - 1])")
mistake("blocks: a file that shrinks ends early", "text/blocks.py",
        "                    if self.end is not None:\n", "                    if False:\n")
mistake("blocks: a text without a cut is held without a limit", "text/blocks.py",
        "if size >= MOST_UNCUT and self.cutter.finds_pairs:", "if False:")
mistake("blocks: read errors have no name", "text/blocks.py",
        """            return super().readinto(buffer)
        except OSError as error:
            error.filename = os.fsdecode(self.name)
""", """            return super().readinto(buffer)
        except OSError as error:
""", tests=("tests/commands/test_signals.py", "-k", "not_be_read"))

# --- Patterns ---

mistake("patterns: lazy and greedy are swapped", "patterns/nfa.py",
        "(after, again) if lazy else (again, after)", "(again, after) if lazy else (after, again)")
mistake("patterns: one repetition too few", "patterns/nfa.py", "for _ in range(most - least):",
        "for _ in range(most - least - 1):")
mistake("patterns: alternatives in another order", "patterns/nfa.py",
        "_build(nfa, option, then) for option in options)",
        "_build(nfa, option, then) for option in reversed(options))")
mistake("patterns: a look ahead holds at the end", "patterns/dfa.py",
        "if or_end if at_end else self.members", "if True if at_end else self.members")
mistake("patterns: what is less preferred than a match goes on", "patterns/dfa.py",
        "                    return True, tuple(after)\n        return False, tuple(after)",
        "                    accepted = True\n        return accepted, tuple(after)")
mistake("patterns: options are tried from the last", "patterns/dfa.py",
        "stack.extend(reversed(options))", "stack.extend(options)")
mistake("patterns: the start is a state that loops come back to", "patterns/dfa.py",
        "numbers: dict[tuple[int, ...], int] = {}\n    lists",
        "numbers: dict[tuple[int, ...], int] = {(nfa.start,): 0}\n    lists")
mistake("patterns: states that accept differently are merged", "patterns/simplify.py",
        "looks = (group[state], *accept[state], *(",
        "looks = (group[state], *accept[state][:-1], *(")
mistake("patterns: a match is overridden though the other may fail", "patterns/simplify.py",
        "accepts and not (then >= 0 and sure[then])", "accepts and not then >= 0")
mistake("patterns: dead ends are kept alive by nothing", "patterns/simplify.py",
        "alive = [any(row) for row in accept]", "alive = [any(row[:-1]) for row in accept]")
mistake("patterns: pairs are safe if the attempt ends", "patterns/cuts.py",
        "following[s][y] < 0 and accept[s][y] == accept[s][num_classes]", "following[s][y] < 0")
mistake("patterns: pairs are safe if a match ends", "patterns/cuts.py",
        "following[s][y] < 0 and accept[s][y] == accept[s][num_classes]",
        "accept[s][y] == accept[s][num_classes]")
mistake("patterns: a gap is one only if nothing has matched", "patterns/cuts.py",
        "ended = matched or accept[state][column]", "ended = True")
mistake("patterns: a cut beside a byte that is not text", "patterns/cuts.py",
        "if before is None or start + _length(data[start]) != at:", "if before is None:")
mistake("patterns: matches skip a character", "patterns/automaton.py",
        "start = max(stop, start + 1)", "start = max(stop + 1, start + 1)")

# --- Decoding ---

mistake("decode: far ids are taken for the nearest", "decode/token_table.h",
        "if (found != last && *found != id) found = last;", "")
mistake("decode: a gap is an empty token",
        "decode/token_table.h", "gap |= !length;", "gap |= false;")
mistake("decode: negative ids wrap round", "decode/token_table.h",
        "return width == 1 ? has_negative((const int8_t *)ids, size)", "return width == 1 ? false")
mistake("decode: room for the next token, and no more", "decode/stage08_one_pass.pyx",
        "elif length and length <= <size_t>(end - to):", "elif length:")
mistake("decode: one id is left out where there was no room", "decode/slots.pxd",
        "    done[0] = i\n", "    done[0] = i + (needed != 0)\n")
mistake("decode: a token of 16 bytes is in a slot", "decode/slots.pxd",
        "<uint8_t>length if length < WIDE else LONG", "<uint8_t>length if length <= WIDE else LONG")
mistake("decode: one of four may be no token", "decode/slots.pxd",
        "| <uint32_t>b.length - 1 |", "|")
mistake("decode: what was not used is given out", "decode/bytes_that_grow.h",
        "                Py_SET_SIZE((PyVarObject *)object, (Py_ssize_t)used);\n", "")
mistake("decode: surrogates are text", "decode/utf8_text.h",
        "code < 0x800 || (code >= 0xD800 && code < 0xE000)", "code < 0x800")
mistake("decode: overlong forms of four bytes are text", "decode/utf8_text.h",
        "if (code < 0x10000 || code > 0x10FFFF) return 0;", "if (code > 0x10FFFF) return 0;")
mistake("decode: overlong forms of two bytes are text", "decode/utf8_text.h",
        "if (first < 0xC2 ||", "if (first < 0xC0 ||")
mistake("decode: overlong forms of two bytes are text in a row", "decode/utf8_text.h",
        "!= 0x0020002000200020) return false;", "== 0) return false;")
mistake("decode: overlong forms of three bytes are text in a row", "decode/utf8_text.h",
        "is_triple && code >= 0x800 &&", "is_triple &&")
mistake("decode: surrogates are text in a row", "decode/utf8_text.h",
        "(code & 0xF800) != 0xD800 ? code : 0", "code != 0xD800 ? code : 0")
mistake("decode: a row is read behind the end", "decode/utf8_text.h",
        "end - text >= 4 && (code = read_triple(text))", "(code = read_triple(text))",
        tests=TEXT, modules=())
mistake("decode: four characters are read behind the end", "decode/utf8_text.h",
        "end - text >= 8 && write_four_pairs", "write_four_pairs", tests=TEXT, modules=())
mistake("packed text: overlong forms of two bytes are text", "decode/packed_chars.h",
        "_mm512_maskz_mov_epi32(two, all_of(0x80))", "_mm512_maskz_mov_epi32(two, all_of(0x40))")
mistake("packed text: surrogates are text", "decode/packed_chars.h",
        "            | (uint32_t)_mm512_cmpeq_epi32_mask(high, all_of(0xD800));",
        "            | 0 * (uint32_t)_mm512_cmpeq_epi32_mask(high, all_of(0xD800));")
mistake("packed text: first bytes above F7 are those of other characters", "decode/packed_chars.h",
        "of_four, all_of(0x3FFFFF));", "of_four, all_of(0x1FFFFF));")
mistake("packed text: what the bytes before need is forgotten", "decode/packed_chars.h",
        "owed = two >> 63 | three >> 62 | four >> 61;", "owed = two >> 63;")
mistake("packed text: ASCII may follow half a character", "decode/packed_chars.h",
        "            wrong |= owed;\n", "", tests=TEXT, modules=())
mistake("packed text: the end of the last character is not looked at", "decode/packed_chars.h",
        "if (text == end || (*text++ & 0xC0) != 0x80) return false;", "text++;")
mistake("packed text: the end of the text is not seen", "decode/packed_chars.h",
        "READ = STEP + 3 };", "READ = STEP };", tests=TEXT, modules=())
mistake("packed text: the room for characters ends later", "decode/packed_chars.h",
        "full - to >= STEP;", "full - to >= STEP / 2;", tests=TEXT, modules=())
mistake("decode: each piece of a list is the first", "decode/stage10_lists_in_pieces.pyx",
        "copy_objects(ids, first, here, piece)", "copy_objects(ids, 0, here, piece)")
mistake("decode: a wrong id ends a list", "decode/stage10_lists_in_pieces.pyx",
        "            if done < here:\n                return None\n", "")
mistake("decode: a list that became shorter is read behind its end", "decode/token_table.h",
        "const size_t good = std::min(there, size);", "const size_t good = size;")
mistake("decode: characters above U+00FF have a byte", "decode/utf8_text.h",
        "most < 0xC4 ? 0xFF", "most < 0xC5 ? 0xFF")
mistake("decode: blocks of 256 bytes overflow a counter", "decode/utf8_text.h",
        "enum { BLOCK = 240 };", "enum { BLOCK = 256 };")
mistake("decode: places in an error begin at 0 in each part", "tokenizer/decoder.py",
        "plain_ids(as_ids(ids), self._tokens, where, before)",
        "plain_ids(as_ids(ids), self._tokens, where, 0)")
mistake("decode: a file that is cut short is not noticed", "tokenizer/id_files.py",
        "if held or (expected is not None and number != expected):", "if held:")

# --- Samples and costs ---

mistake("sample: the border is 101", "corpora/near_duplicates.pyx", "if equal >= AGREE:",
        "if equal >= AGREE - 1:")
mistake("sample: growing forgets all documents", "corpora/near_duplicates.pyx",
        "        for number in range(self.remembered):\n", "        for number in range(0):\n")
mistake("sample: white space leaks into the next document", "corpora/near_duplicates.pyx",
        "        self.window.space = False\n\n    cdef void read", "\n    cdef void read")
mistake("sample: the newest replaces the newest", "corpora/near_duplicates.pyx",
        "self.remember(self.remembered % self.capacity, sketch)",
        "self.remember(min(self.remembered, self.capacity - 1), sketch)")
mistake("sample: a hash that stands for nothing", "corpora/near_duplicates.pyx",
        "        value -= value == UINT64_MAX\n", "")
mistake("sample: keys are drawn for kept documents only", "corpora/choose.py",
        """    for number, (length, drop, key) in enumerate(zip(lengths, dropped, _keys(seed))):
        if not drop:
            reservoirs[length.bit_length()].offer(key, number)
""", """    keys = _keys(seed)
    for number, (length, drop) in enumerate(zip(lengths, dropped)):
        if not drop:
            reservoirs[length.bit_length()].offer(next(keys), number)
""")
mistake("sample: a stratum may get nothing", "corpora/choose.py",
        "max(1, wanted * size // total)", "wanted * size // total")
mistake("sample: the surplus is taken from the smallest", "corpora/choose.py",
        "parts[max(parts, key=lambda name: (parts[name], name))] -= 1",
        "parts[min(parts, key=lambda name: (parts[name], name))] -= 1")
mistake("sample: the reservoir keeps the largest keys", "corpora/choose.py",
        "elif self._heap and -key > self._heap[0][0]:",
        "elif self._heap and -key < self._heap[0][0]:")
mistake("cost: of equal ones the larger", "cost/vocabulary_size.py",
        "(row.flops_per_byte, row.vocab_size))", "(row.flops_per_byte, -row.vocab_size))")
mistake("cost: nearly the cheapest excludes the border", "cost/vocabulary_size.py",
        "row.flops_per_byte <= limit", "row.flops_per_byte < limit")

# --- Files and signals ---

mistake("atomic: no fsync", "common/atomic_files.py", "        os.fsync(file.fileno())\n", "")
mistake("atomic: the part stays after an interrupt", "common/atomic_files.py",
        "    except BaseException as error:\n        if file",
        "    except Exception as error:\n        if file")
mistake("atomic: the link is replaced", "common/atomic_files.py",
        "target = os.path.realpath(name)", "target = os.path.abspath(name)")
mistake("atomic: a read-only file is replaced", "common/atomic_files.py",
        "if not os.access(target, os.W_OK):", "if False:")
mistake("atomic: parts in use are removed", "common/atomic_files.py",
        "        fcntl.flock(number, fcntl.LOCK_EX | fcntl.LOCK_NB)\n        os.unlink(part)",
        "        os.unlink(part)")
mistake("atomic: parts are never removed", "common/atomic_files.py",
        "        _remove_abandoned(folder, stem)\n", "")
mistake("atomic: a removed part is not noticed", "common/atomic_files.py",
        "    except FileNotFoundError:\n        return False\n\n\ndef _permissions",
        "    except FileNotFoundError:\n        return True\n\n\ndef _permissions")
mistake("atomic: other names are taken for parts", "common/atomic_files.py",
        "if of_a_part.fullmatch(name):", "if of_a_part.match(name):")
mistake("signals: SIGHUP ends on the spot", "cli.py", '("SIGTERM", "SIGHUP")', '("SIGTERM",)')
mistake("signals: an ignored one is caught", "cli.py", "== signal.SIG_DFL]", "is not None]")
