"""Trainers that are wrong on purpose, each in one way. Run by the sandbox, not by pytest."""

import sys
import time

from cs336_bpe import train_bpe


def right(input_path, vocab_size, special_tokens):
    return train_bpe(input_path, vocab_size, special_tokens, stage="stage01")


def prints(input_path, vocab_size, special_tokens):
    print("noise" * 1000)
    return right(input_path, vocab_size, special_tokens)


def raises(input_path, vocab_size, special_tokens):
    raise KeyError("no such pair")


def never_ends(input_path, vocab_size, special_tokens):
    while True:
        time.sleep(0.01)


def takes_memory(input_path, vocab_size, special_tokens):
    blocks = []
    while True:
        blocks.append(bytearray(b"x" * 50_000_000))


def leaves(input_path, vocab_size, special_tokens):
    sys.stdout.flush()
    __import__("os")._exit(7)


def list_for_dict(input_path, vocab_size, special_tokens):
    vocab, merges = right(input_path, vocab_size, special_tokens)
    return list(vocab.values()), merges


def turned_round(input_path, vocab_size, special_tokens):
    vocab, merges = right(input_path, vocab_size, special_tokens)
    return {token: number for number, token in vocab.items()}, merges


def lists_for_tuples(input_path, vocab_size, special_tokens):
    vocab, merges = right(input_path, vocab_size, special_tokens)
    return vocab, [list(pair) for pair in merges]


def strings(input_path, vocab_size, special_tokens):
    vocab, merges = right(input_path, vocab_size, special_tokens)
    return vocab, [(left.decode("latin-1"), right.decode("latin-1")) for left, right in merges]


def nothing(input_path, vocab_size, special_tokens):
    return None


def without_specials(input_path, vocab_size, special_tokens):
    vocab, merges = right(input_path, vocab_size, special_tokens)
    return {number: token for number, token in vocab.items()
            if token.decode("latin-1") not in special_tokens}, merges


def specials_first(input_path, vocab_size, special_tokens):
    vocab, merges = right(input_path, vocab_size, special_tokens)
    specials = [token.encode() for token in special_tokens]
    rest = [token for token in vocab.values() if token not in specials]
    return dict(enumerate(specials + rest)), merges


def stops_early(input_path, vocab_size, special_tokens):
    vocab, merges = right(input_path, vocab_size, special_tokens)
    return dict(list(vocab.items())[:-3]), merges[:-3]


class Methods:
    @staticmethod
    def train(input_path, vocab_size, special_tokens):
        return right(input_path, vocab_size, special_tokens)
