"""Text: special tokens in it, where it may be cut, and how to read it block by block."""
