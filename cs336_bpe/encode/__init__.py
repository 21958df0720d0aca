"""The encoding ladder: a pretoken in, its ids out; and `trace`, which shows the steps."""
