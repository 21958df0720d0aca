"""One module per mode. `fuzz.core` says what a mode is."""

NAMES = ("train", "patterns", "pretokenize", "encode", "decode", "streams", "files", "formats",
         "counts", "mutated")
