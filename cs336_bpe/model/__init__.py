"""What a byte-level BPE tokenizer is, completely: all that can stand around the merges.

`rules.Model` is the plain case, and what we train: a pattern, special tokens, merges. Files of
other people have more steps. `rules.pipeline` says what these are, and this room carries each one
out in plain Python: `normal` rewrites text, `added` finds added tokens in it, `splitting` cuts it
into pretokens, `wholes` knows pretokens that are tokens, `reduce` says which patterns come to the
same, `oniguruma` reads patterns of another regex engine, and `aligned` remembers where everything
came from. docs/formats/model.md is the page about it.
"""
