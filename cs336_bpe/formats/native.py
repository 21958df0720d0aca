"""What this room has compiled; or the same in plain Python, if nothing is compiled."""

from typing import TYPE_CHECKING

from cs336_bpe.common.built import is_built

if TYPE_CHECKING or is_built():
    from cs336_bpe.formats.columns import columns_of, columns_of_parts, from_printables, places_of
    from cs336_bpe.formats.json_counts import count_entries, counts_of_text
    from cs336_bpe.formats.rank_lines import read_rank_lines
    from cs336_bpe.formats.recover import last_merges, merges_of_ranks, parts_left
else:
    from cs336_bpe.formats.plain import (
        columns_of,
        columns_of_parts,
        count_entries,
        counts_of_text,
        from_printables,
        last_merges,
        merges_of_ranks,
        parts_left,
        places_of,
        read_rank_lines,
    )

__all__ = ["columns_of", "columns_of_parts", "count_entries", "counts_of_text", "from_printables",
           "last_merges", "merges_of_ranks", "parts_left", "places_of", "read_rank_lines"]
