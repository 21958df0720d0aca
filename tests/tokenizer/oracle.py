"""The definition of a tokenizer in plain Python, and texts to try it on.

Special tokens are found by `regex`, the longest first; what is between them is split by the
pattern, again by `regex`; and each pretoken goes through every merge in turn (stage 01). Nothing
here is shared with the compiled code.
"""

import warnings
from functools import cache

import regex
from hypothesis import strategies as st

from cs336_bpe import GPT2_PATTERN, Tokenizer, count_pretokens_in, train_bpe_from_counts
from cs336_bpe.corpora import generated as corpus
from cs336_bpe.encode.stage01_replay_merges import merge_pair
from cs336_bpe.pretokenize import UnmatchedWarning
from cs336_bpe.rules import check_vocab

# One begins another, one ends as another begins, one is inside another; and what means something
# in a regex, to C, or in UTF-8.
SPECIALS = ["<|endoftext|>", "<|endoftext|><|endoftext|>", "<|", "|><", " two words", "\n\n<x>",
            ".*[a(", "é€", "🙂", "a\0b", "'s<"]

GPT4_PATTERN = (r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]++"
                r"[\r\n]*|\s*[\r\n]|\s+(?!\S)|\s+")
WORDS_ONLY = r"\w+"  # does not match the rest, which is kept as pretokens

SPACES = [" ", "  ", "   ", "\n", "\n\n", "\t", "\r\n", "\x0b", "\x0c", "\x85", "\xa0", "\u1680",
          "\u2003", "\u2028", "\u3000", " \u3000", "\u3000 "]
NOT_SPACES = ["\x1c", "\x1d", "\x1e", "\x1f", "\0", "\x7f", "\u200b", "\ufeff", "\u180e"]
APOSTROPHES = ["'", "''", "'s", "'d", "'m", "'t", "'l", "'ll", "'lll", "'v", "'ve", "'r", "'re",
               "'res", "'S", "'LL", "'é", "\u2019s", "'1", "' s"]
OTHERS = ["a", "b", "low", "lower", "the", "é", "e\u0301", "\u0301", "ß", "日本語", "\U00020000",
          "7", "42", "½", "\u0663", ".", "!?", "--", "<", "|", ">", "<|endof", "text|>", "🙂",
          "👩\u200d👩\u200d👧", "\U0010ffff", "\ue000"]

PIECES = [*SPACES, *NOT_SPACES, *APOSTROPHES, *OTHERS, *SPECIALS]


def encoded(text):
    """Nothing but what UTF-8 can write."""
    return not any("\ud800" <= char <= "\udfff" for char in text)


# Text that is rich in what is difficult, and any other.
tricky = st.lists(st.sampled_from(PIECES), max_size=40).map("".join)
texts = tricky | st.text(max_size=60) | st.tuples(tricky, st.text(), tricky).map("".join)
broken = st.lists(
    st.sampled_from(PIECES).map(str.encode) | st.binary(max_size=5), max_size=30).map(b"".join)


class Oracle:
    """Encodes as the definition says."""

    def __init__(self, vocab, merges, special_ids, pattern=GPT2_PATTERN):
        ordinary = {number: token for number, token in vocab.items()
                    if number not in special_ids.values()}
        self.ids = check_vocab(ordinary, merges)
        self.merges = merges
        self.special_ids = special_ids
        self.pattern = regex.compile(pattern)
        self.known = {}

    def encode_pretoken(self, pretoken):
        if pretoken not in self.known:
            tokens = [pretoken[at : at + 1] for at in range(len(pretoken))]
            for left, right in self.merges:
                if left + right in pretoken:  # or it can't be there, whatever the tokens are
                    tokens = merge_pair(tokens, (left, right))
            self.known[pretoken] = [self.ids[token] for token in tokens]
        return self.known[pretoken]

    def pretokens(self, text, specials=None):
        """The parts that a text is cut into: bytes, or the ids of special tokens."""
        wanted = self.special_ids if specials is None else specials
        longest_first = sorted(wanted, key=len, reverse=True)
        either = "|".join(map(regex.escape, longest_first))
        for part in regex.split(f"({either})", text) if either else [text]:
            if part in wanted:
                yield self.special_ids[part]
            else:
                part, end = part or "", 0
                for match in self.pattern.finditer(part):
                    for piece in (part[end : match.start()], match.group()):
                        if piece:
                            yield piece.encode("utf-8", "surrogateescape")
                    end = match.end()
                if part[end:]:
                    yield part[end:].encode("utf-8", "surrogateescape")

    def encode(self, text, specials=None):
        ids = []
        for part in self.pretokens(text, specials):
            ids.extend([part] if isinstance(part, int) else self.encode_pretoken(part))
        return ids


@cache
def trained(size=600, pattern=GPT2_PATTERN):
    """The vocab and merges of the built-in corpora, with difficult text among them."""
    text = corpus.stories(60_000) + corpus.web(60_000)
    text += "".join(PIECES) * 20 + " naïve 日本語 low lower'll don't we've" * 100
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UnmatchedWarning)
        counts = count_pretokens_in(text, SPECIALS, pattern=pattern)
    return train_bpe_from_counts(counts, size, SPECIALS)


@cache
def tokenizer_and_oracle(size=600, pattern=GPT2_PATTERN, specials=tuple(SPECIALS)):
    vocab, merges = trained(size, pattern)
    tokenizer = Tokenizer(vocab, merges, specials, pattern=pattern, unmatched="keep")
    return tokenizer, Oracle(vocab, merges, dict(tokenizer.special_tokens), pattern)


def byte_tokenizer(*specials, **options):
    """No merges: every byte is a token."""
    return Tokenizer({byte: bytes([byte]) for byte in range(256)}, [], specials, **options)
