"""A whole byte-level BPE tokenizer: train, encode, decode."""

from collections import Counter

import regex

PATTERN = r"'(?:[sdmt]|ll|ve|re)| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"


def split(text, specials):
    """The special tokens of a text, and the pretokens between them as tuples of bytes."""
    longest_first = sorted(specials, key=len, reverse=True)
    borders = "|".join(regex.escape(special) for special in longest_first)
    for part in regex.split(f"({borders})", text) if specials else [text]:
        if part in specials:
            yield part
        else:
            for pretoken in regex.findall(PATTERN, part):
                yield tuple(bytes([byte]) for byte in pretoken.encode())


def merge(word, pair):
    """Make one token of the pair wherever it stands, from left to right."""
    merged, i = [], 0
    while i < len(word):
        step = 2 if word[i : i + 2] == pair else 1
        merged.append(b"".join(word[i : i + step]))
        i += step
    return tuple(merged)


def train(text, vocab_size, specials):
    """Learn a vocabulary and the merges that make it."""
    words = Counter(piece for piece in split(text, specials) if piece not in specials)
    tokens = [bytes([byte]) for byte in range(256)] + [special.encode() for special in specials]
    merges = []
    while len(tokens) < vocab_size:
        pairs = Counter()
        for word, n in words.items():
            for pair in zip(word, word[1:]):
                pairs[pair] += n
        if not pairs:
            break
        best = max(pairs, key=lambda pair: (pairs[pair], pair))
        words = {merge(word, best): n for word, n in words.items()}
        merges.append(best)
        tokens.append(best[0] + best[1])
    return dict(enumerate(tokens)), merges


def encode(text, vocab, merges, specials):
    """The ids of a text."""
    id_of = {token: i for i, token in vocab.items()}
    ids = []
    for piece in split(text, specials):
        if piece in specials:
            ids.append(id_of[piece.encode()])
        else:
            for pair in merges:
                piece = merge(piece, pair)
            ids += [id_of[token] for token in piece]
    return ids


def decode(ids, vocab):
    """The text of ids."""
    return b"".join(vocab[i] for i in ids).decode("utf-8", errors="replace")
