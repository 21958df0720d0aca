"""Text that is normalized in a few places, and given to the engine as a whole: as step by step."""

import pytest
import tokenizers
from hypothesis import example, given
from hypothesis import strategies as st
from tokenizers import AddedToken, decoders, models, normalizers, pre_tokenizers

from cs336_bpe import Tokenizer, count_pretokens_in, train_bpe_from_counts
from cs336_bpe.rules import to_printable
from cs336_bpe.tokenizer.coder import Coder

TEXT = "the cafe\u0301 > café, naïve e\u0301e\u0301 Ångström ÅK;x " * 3
VOCAB, MERGES = train_bpe_from_counts(dict(count_pretokens_in(TEXT, [])), 280, [])
ADDED = [AddedToken("<e>", normalized=False, special=True),
         AddedToken("<K;>", normalized=False, special=True),
         AddedToken("x>", normalized=False), AddedToken("<a \u00e9>", normalized=False)]
PIECES = ["<e>", "<e", ">", "\u0338", "<K;>", "<\u212a;>", "<K\u037e>", "x>", "x", "e\u0301", "é",
          "<a e\u0301>", "<a \u00e9>", "the", " ", "猫", "a" * 70, "\n", "\u0301"]


@pytest.fixture(scope="module", params=["NFC", "NFKC"])
def both(request, tmp_path_factory):
    theirs = tokenizers.Tokenizer(models.BPE(
        vocab={to_printable(token): number for number, token in VOCAB.items()},
        merges=[(to_printable(left), to_printable(right)) for left, right in MERGES]))
    theirs.normalizer = getattr(normalizers, request.param)()
    theirs.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    theirs.decoder = decoders.ByteLevel()
    theirs.add_tokens(ADDED)
    path = tmp_path_factory.mktemp("normal") / "tokenizer.json"
    theirs.save(str(path))
    return theirs, Tokenizer.load(path)


@given(text=st.lists(st.sampled_from(PIECES), max_size=25).map("".join))
@example(text="<e>\u0338")
@example(text="a<e>e\u0301<e>")
@example(text="<\u212a;> <K\u037e> <K;>")
@example(text="<a e\u0301>")
@example(text="x>\u0338")
def test_as_the_library(both, text):
    theirs, ours = both
    expected = theirs.encode(text, add_special_tokens=False).ids
    assert ours.encode(text) == expected
    assert ours.encode_array(text.encode()).tolist() == expected


def test_the_whole_text_is_taken_at_once(both, monkeypatch):
    """A token beside a change, but not in it, is no reason to go step by step."""
    _, ours = both
    monkeypatch.setattr(Coder, "_encode_parts", None)
    assert ours.encode("<e>cafe\u0301 <e> café <e>") == ours.encode("<e>café <e> café <e>")
