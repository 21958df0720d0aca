"""Time and memory of the stages, and the tables that `cs336-bpe ladder` prints."""
