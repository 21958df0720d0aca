"""The registry: every stage of every ladder, in order.

Tests, benchmarks, tables and the command line all read this list, so that a new stage is one
file, one row here and one page under docs/.
"""

import importlib
from dataclasses import dataclass
from types import ModuleType

from cs336_bpe.common.built import is_built


@dataclass(frozen=True)
class Stage:
    """One rung: which idea it adds to which other stage, what that costs, and what it can do.

    The predecessor is the stage that a reader should compare it with. It is mostly the one before,
    but a ladder may branch: the stage after a branch goes on from where the branch began.
    """

    ladder: str
    name: str
    predecessor: str | None
    idea: str
    cost: str
    compiled: bool = False
    any_pattern: bool = False  # pretokenize: takes any regular expression
    automata: bool = False  # pretokenize: takes any pattern that can be compiled
    parallel: bool = False  # pretokenize: takes more than one worker
    blocks: bool = False  # pretokenize: has `count_blocks` too, for text in memory
    whole_texts: bool = False  # encode: its encoder has `encode_text` too

    @property
    def module_name(self) -> str:
        return f"cs336_bpe.{self.ladder}.{self.name}"

    @property
    def number(self) -> str:
        """The short name: `stage03` for `stage03_pair_index`, `detour` for a detour."""
        return self.name.partition("_")[0]

    @property
    def is_there(self) -> bool:
        """Whether it can be run: a compiled one may not have been built."""
        return not self.compiled or is_built()

    def load(self) -> ModuleType:
        """Import the stage. A compiled one that was not built is an error, not another stage."""
        try:
            return importlib.import_module(self.module_name)
        except ImportError as error:
            if not self.compiled:
                raise
            raise ImportError(
                f"{self.module_name} is a compiled stage and can't be imported ({error}). "
                f"Build it with `pip install .` or, in a checkout, `pip install -e .`; that "
                f"needs a C++ compiler. The stages in plain Python work without one."
            ) from error


PRETOKENIZE = (
    Stage("pretokenize", "stage01_whole_text", None,
          "the definition: one regex over the whole text", "the regex engine, all in memory",
          any_pattern=True),
    Stage("pretokenize", "stage02_streaming", "stage01_whole_text",
          "block by block, cut where no pretoken can span", "the same, one block in memory",
          any_pattern=True),
    Stage("pretokenize", "stage03_processes", "stage02_streaming",
          "a pool of processes over chunks of the file", "the same / processes, + pickled counts",
          any_pattern=True, parallel=True),
    Stage("pretokenize", "stage04_scanner", "stage02_streaming",
          "the pattern written out as a scanner", "a look-up per character, an object per pretoken",
          compiled=True),
    Stage("pretokenize", "stage05_own_table", "stage04_scanner",
          "a table of our own: a pretoken is its key", "a look-up per character and per pretoken",
          compiled=True),
    Stage("pretokenize", "stage06_automaton", "stage05_own_table",
          "any pattern, compiled to a table", "two look-ups per character, one per pretoken",
          compiled=True, automata=True),
    Stage("pretokenize", "stage07_one_transition", "stage06_automaton",
          "no branch per pretoken", "the same, all predicted", compiled=True, automata=True),
    Stage("pretokenize", "stage08_wide_characters", "stage07_one_transition",
          "a loop for characters of several bytes", "the same, and no decoding beforehand",
          compiled=True, automata=True),
    Stage("pretokenize", "stage09_bit_masks", "stage08_wide_characters",
          "64 bytes at once, as bit masks", "some instructions per byte, a wait per pretoken",
          compiled=True, automata=True),
    Stage("pretokenize", "stage10_batches", "stage09_bit_masks",
          "batches: waits overlap; smaller keys", "some instructions per byte", compiled=True,
          automata=True),
    Stage("pretokenize", "stage11_threads", "stage10_batches",
          "threads with a table each; columns", "the same / threads, + adding up tables",
          compiled=True, automata=True, parallel=True, blocks=True),
    Stage("pretokenize", "stage12_rolling", "stage11_threads",
          "one table; the look-up rolls after the prefetch", "fewer instructions, better guessed",
          compiled=True, automata=True, parallel=True, blocks=True),
)

TRAIN = (
    Stage("train", "stage01_recount_everything", None,
          "the definition: count all pairs before every merge", "all bytes per merge"),
    Stage("train", "stage02_incremental_counts", "stage01_recount_everything",
          "recount only the words that changed", "all words per merge, looked at"),
    Stage("train", "stage03_pair_index", "stage02_incremental_counts",
          "an index from each pair to its words", "the pair's words + all pairs per merge"),
    Stage("train", "stage04_sorted_pairs", "stage03_pair_index",
          "a sorted set keeps the best pair at hand", "the pair's words, log(pairs) per change"),
    Stage("train", "stage05_lazy_heap", "stage04_sorted_pairs",
          "a heap whose stale entries are skipped", "the pair's words, one push per change"),
    Stage("train", "stage06_changed_neighbourhood", "stage05_lazy_heap",
          "recount only the neighbourhood of a merge", "the pair's places, four look-ups each"),
    Stage("train", "stage07_interned_words", "stage06_changed_neighbourhood",
          "tokens as small integers", "the same, cheaper to hash and compare"),
    Stage("train", "stage08_compiled_unchanged", "stage07_interned_words",
          "the same source, compiled", "the same, no interpreter", compiled=True),
    Stage("train", "stage09_typed", "stage08_compiled_unchanged",
          "C integers and C++ containers", "the same, no objects; six hash look-ups each",
          compiled=True),
    Stage("train", "stage10_flat_words", "stage09_typed",
          "all words in one array, positions for words", "the places only, six look-ups each",
          compiled=True),
    Stage("train", "stage11_pair_numbers", "stage10_flat_words",
          "cells know their pair: no hash table", "a few reads and writes per place, and pushes",
          compiled=True),
    Stage("train", "stage12_falling_heap", "stage11_pair_numbers",
          "counts only fall: correct the heap when asked", "a few reads and writes per place",
          compiled=True),
    Stage("train", "stage13_prefetch", "stage12_falling_heap",
          "ask for the next cells ahead of time", "the same, waits overlap", compiled=True),
    Stage("train", "detour_process_pool", "stage01_recount_everything",
          "count in parallel processes", "all bytes per merge, pickled both ways"),
)

ENCODE = (
    Stage("encode", "stage01_replay_merges", None,
          "the definition: every merge in order", "all merges, each over all tokens"),
    Stage("encode", "stage02_skip_absent", "stage01_replay_merges",
          "only merges whose tokens are present", "a look at every merge"),
    Stage("encode", "stage03_pair_set", "stage02_skip_absent",
          "only merges whose pair is present", "a more expensive look at every merge"),
    Stage("encode", "stage04_lowest_rank", "stage03_pair_set",
          "a dictionary of ranks: the lowest pair by `min`", "all its pairs, for each merge"),
    Stage("encode", "stage05_rank_heap", "stage04_lowest_rank",
          "a heap of the pairs present, and links", "log(bytes) for each merge"),
    Stage("encode", "stage06_cached_words", "stage05_rank_heap",
          "+ a cache of pretokens seen", "one look-up, if seen before"),
    Stage("encode", "stage07_compiled_unchanged", "stage05_rank_heap",
          "stage05's source, compiled", "as stage05, no interpreter", compiled=True),
    Stage("encode", "stage08_typed_ranks", "stage07_compiled_unchanged",
          "C integers, and a table of pairs", "one look-up per byte and two per merge",
          compiled=True),
    Stage("encode", "stage09_scanned_pairs", "stage08_typed_ranks",
          "no heap for short pretokens", "the same look-ups, fewer steps", compiled=True),
    Stage("encode", "stage10_whole_texts", "stage09_scanned_pairs",
          "whole texts: the scanner finds the pretokens", "the merges, no objects",
          compiled=True, whole_texts=True),
    Stage("encode", "stage11_merge_numbers", "stage10_whole_texts",
          "one number for rank and token: small tables", "the merges, fewer wrong guesses",
          compiled=True, whole_texts=True),
    Stage("encode", "stage12_cached_texts", "stage11_merge_numbers",
          "a cache of pretokens, ids beside the bytes", "one visit to a table, if seen before",
          compiled=True, whole_texts=True),
    Stage("encode", "stage13_batches", "stage12_cached_texts",
          "batches, so that waits for memory overlap", "some instructions per byte",
          compiled=True, whole_texts=True),
    Stage("encode", "stage14_no_collisions", "stage13_batches",
          "pairs in a table without collisions", "one visit for a look-up of a pair",
          compiled=True, whole_texts=True),
    Stage("encode", "stage15_one_store", "stage14_no_collisions",
          "one comparison for a key, one store for all ids", "fewer instructions",
          compiled=True, whole_texts=True),
    Stage("encode", "stage16_rolling_prefetch", "stage15_one_store",
          "the look-up rolls along after the prefetch", "the same, waits evenly spread",
          compiled=True, whole_texts=True),
    Stage("encode", "stage17_unmergeable_pairs", "stage16_rolling_prefetch",
          "new words are cut where no merge can cross", "the merges of parts that are new",
          compiled=True, whole_texts=True),
    Stage("encode", "stage18_side_by_side", "stage17_unmergeable_pairs",
          "eight new words are merged at once", "the steps of the longest of eight",
          compiled=True, whole_texts=True),
)

DECODE = (
    Stage("decode", "stage01_joined_dictionary", None,
          "the definition: look up each id, join", "a look-up in a dictionary, a copy"),
    Stage("decode", "stage02_token_list", "stage01_joined_dictionary",
          "a list instead of a dictionary", "a read from a list, a copy"),
    Stage("decode", "stage03_flat_blob", "stage02_token_list",
          "one blob with offsets, by numpy", "some 8-byte numbers per byte of the result"),
    Stage("decode", "stage04_typed_copies", "stage03_flat_blob",
          "two passes in C: add up, then copy", "two reads and a `memcpy`", compiled=True),
    Stage("decode", "stage05_wide_copies", "stage04_typed_copies",
          "16 bytes at once, whatever the length", "two reads, a load and a store", compiled=True),
    Stage("decode", "stage06_own_text", "stage05_wide_copies",
          "text in one go: count, then write characters", "the same, and a write per character",
          compiled=True),
    Stage("decode", "stage07_huge_pages", "stage06_own_text",
          "huge pages for the result", "the same, fewer interruptions", compiled=True),
    Stage("decode", "stage08_one_pass", "stage07_huge_pages",
          "one pass, into room that was guessed", "a read, a load and a store", compiled=True),
    Stage("decode", "stage09_four_at_a_time", "stage08_one_pass",
          "four tokens at a time, lengths beside them", "a load, a store, a fourth of a check",
          compiled=True),
    Stage("decode", "stage10_lists_in_pieces", "stage09_four_at_a_time",
          "the integers of a list in pieces", "the same", compiled=True),
    Stage("decode", "stage11_packed_characters", "stage10_lists_in_pieces",
          "the bytes of many characters packed side by side", "the same", compiled=True),
)

STAGES = PRETOKENIZE + TRAIN + ENCODE + DECODE


def ladder(name: str) -> list[Stage]:
    """The rungs of one ladder, in order; a detour is not a rung.

    >>> ladder("train")[0].name
    'stage01_recount_everything'
    """
    rungs = [stage for stage in STAGES if stage.ladder == name and stage.number != "detour"]
    if not rungs:
        names = sorted({stage.ladder for stage in STAGES})
        raise ValueError(f"there is no ladder {name!r}; there are {', '.join(names)}")
    return rungs


def find(ladder_name: str, name: str | None = None) -> Stage:
    """A stage by its name or number; by default the last that is there, which is the fastest.

    >>> find("train", "stage03").idea
    'an index from each pair to its words'
    """
    rungs = ladder(ladder_name)
    if name is None:
        return [stage for stage in rungs if stage.is_there][-1]
    for stage in STAGES:
        if stage.ladder == ladder_name and name in (stage.name, stage.number):
            return stage
    names = ", ".join(stage.name for stage in STAGES if stage.ladder == ladder_name)
    raise ValueError(f"there is no {ladder_name} stage {name!r}; there are {names}")
