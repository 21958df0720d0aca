"""Names of other libraries, and special tokens that come later."""

import pickle

import pytest
from tokenizer.oracle import byte_tokenizer, tokenizer_and_oracle

from cs336_bpe import Tokenizer, count_pretokens_in, train_bpe_from_counts
from cs336_bpe.corpora import generated as corpus

END = "<|endoftext|>"


def test_tiktoken(data_free_encoding):
    ours, theirs = data_free_encoding
    assert (ours.n_vocab, ours.eot_token) == (theirs.n_vocab, theirs.eot_token)
    text = f"one{END}two <|pad|>"
    assert ours.encode_ordinary(text) == theirs.encode_ordinary(text)
    for allowed in ("all", {END}, set()):
        for disallowed in ("all", (), {"<|pad|>"}):
            options = {"allowed_special": allowed, "disallowed_special": disallowed}
            try:
                expected = theirs.encode(text, **options)
            except ValueError:
                with pytest.raises(ValueError, match="text contains the special token"):
                    ours.encode(text, **options)
            else:
                assert ours.encode(text, **options) == expected
    assert ours.encode(text, allowed_special="all") == theirs.encode(text, allowed_special="all")
    with pytest.raises(ValueError, match="text contains the special token"):
        ours.encode(text, allowed_special={"<|pad|>"})
    with pytest.raises(ValueError, match="'<x>' is not a special token"):
        ours.encode(text, allowed_special={"<x>"})


@pytest.fixture(scope="module")
def data_free_encoding():
    pytest.importorskip("tiktoken")
    counts = count_pretokens_in(corpus.stories(50_000), [END])
    ours = Tokenizer(*train_bpe_from_counts(counts, 400, [END, "<|pad|>"]), [END, "<|pad|>"])
    return ours, ours.to_tiktoken()


def test_tokenizers():
    pytest.importorskip("tokenizers")
    ours, _ = tokenizer_and_oracle(specials=("<|endoftext|>",))
    theirs = ours.to_huggingface()
    assert len(ours) == theirs.get_vocab_size()
    for token, number in theirs.get_vocab().items():
        assert ours.token_to_id(token) == number
        assert ours.id_to_token(number) == token
    assert ours.token_to_id("no such token") is None
    assert ours.id_to_token(10**6) is None
    batch = [ours.encode(f"a{END}b"), []]
    for skip in (False, True):
        assert ours.decode_batch(batch, skip_special_tokens=skip) == theirs.decode_batch(
            batch, skip_special_tokens=skip)


def test_no_end_of_text():
    with pytest.raises(ValueError, match=r"has no special token <.endoftext.>"):
        _ = byte_tokenizer().eot_token


def test_special_tokens_later():
    tokenizer = byte_tokenizer("<a>")
    more = tokenizer.with_special_tokens(["<a><b>", "<c>"])
    assert more.special_tokens == {"<a>": 256, "<a><b>": 257, "<c>": 258}
    assert more.encode("<a><b><c><a>") == [257, 258, 256]
    assert tokenizer.encode("<c>") == [60, 99, 62]  # it never changes
    assert tokenizer.with_special_tokens({"<c>": 1000}).encode("<c>") == [1000]
    assert pickle.loads(pickle.dumps(more)) == more
    for wrong, message in ((["<a>"], "is a special token already, with the id 256"),
                           ({"<c>": 97}, "can't have the id 97: that is b'a'"),
                           (["x", "x"], "is there already"), ({"<c>": -1}, "at least 0")):
        with pytest.raises(ValueError, match=message):
            tokenizer.with_special_tokens(wrong)


def test_extended():
    counts = count_pretokens_in(corpus.web(200_000), [END])
    small, large = (Tokenizer(*train_bpe_from_counts(counts, size, [END]), [END])
                    for size in (500, 1_000))
    assert small.extended(counts, 1_000) == large
    assert large.truncated(500) == small
    assert small.extended(counts, 500) == small
    later = small.with_special_tokens(["<|pad|>"])
    assert later.extended(counts, 1_001).merges == large.merges
    assert later.extended(counts, 1_001).id_of("<|pad|>") == 500
    with pytest.raises(ValueError, match="vocab_size is 499; it must be at least 500"):
        small.extended(counts, 499)
