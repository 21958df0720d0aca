"""How much other processes and machines are given at once: the numbers that signatures show."""

IN_FLIGHT = 64
"""Tasks that are submitted and not done, or done and not used, at most."""

PART_BYTES = 1 << 28
"""Of a corpus that is counted: what one task gets."""

CHUNK_BYTES = 1 << 26
"""Of a corpus that is encoded to shards: what one task gets."""
