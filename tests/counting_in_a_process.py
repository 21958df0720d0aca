"""What a fresh process calls to count pretokens with small tables (`measure_call`)."""

from cs336_bpe.pretokenize import stage12_rolling


def count_with_tables_of(path, most):
    """Distinct pretokens of a file, by four threads whose tables are emptied at `most` words."""
    stage12_rolling.MOST_OWN = most
    return len(stage12_rolling.count_pretokens(path, [], workers=4, block_bytes=1 << 18))
