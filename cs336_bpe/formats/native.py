"""What this room has compiled; or the same in plain Python, if nothing is compiled."""

from typing import TYPE_CHECKING

from cs336_bpe.common.built import is_built

if TYPE_CHECKING or is_built():
    from cs336_bpe.formats.columns import (
        are_in_order,
        columns_of,
        columns_of_parts,
        columns_of_ranked,
        from_printables,
        not_printable,
    )
    from cs336_bpe.formats.json_counts import count_entries, counts_of_text
    from cs336_bpe.formats.rank_lines import read_rank_lines
    from cs336_bpe.formats.recover import (
        last_merges,
        merges_of_any_ranks,
        merges_of_ranks,
        parts_left,
    )
else:
    from cs336_bpe.formats.plain import (
        are_in_order,
        columns_of,
        columns_of_parts,
        columns_of_ranked,
        count_entries,
        counts_of_text,
        from_printables,
        last_merges,
        merges_of_any_ranks,
        merges_of_ranks,
        not_printable,
        parts_left,
        read_rank_lines,
    )

__all__ = ["are_in_order", "columns_of", "columns_of_parts", "columns_of_ranked", "count_entries",
           "counts_of_text", "from_printables", "last_merges", "merges_of_any_ranks",
           "merges_of_ranks", "not_printable", "parts_left", "read_rank_lines"]
