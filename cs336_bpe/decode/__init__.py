"""The decoding ladder: ids in, the bytes of their tokens out, as bytes or as text."""
