"""Checks in columns against the rules, one by one: the same verdict, the same result."""

import json
from base64 import b64encode
from types import MappingProxyType

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cs336_bpe.formats.columns import Table, columns_of, from_printables
from cs336_bpe.formats.consistent import by_columns, consistent, from_entries
from cs336_bpe.formats.json_counts import count_entries, counts_of_text
from cs336_bpe.formats.loading import FILES, load_model, save_model
from cs336_bpe.formats.rank_lines import read_rank_lines
from cs336_bpe.rules import (
    BYTES,
    MAX_ID,
    check_merges,
    from_printable,
    separate_specials,
    to_printable,
)

IDS = {byte: number for number, byte in enumerate(BYTES)}
parts = st.sampled_from([b"a", b"b", b"\0", b"\xff", b" ", b"ab", b"aa", b"\0\0", b"ab ", b"zz"])
tokens = st.text("ab \0\xff", min_size=2, max_size=4).map(lambda text: text.encode("latin-1"))


@st.composite
def vocabularies(draw):
    """Merges, mostly good ones, and the ids of most of the tokens that they make."""
    made, merges = [b"a", b"b", b" ", b"\0", b"\xff"], []
    for _ in range(draw(st.integers(0, 8))):
        pair = draw(st.sampled_from(made)), draw(st.sampled_from(made))
        merges.append(pair)
        made.append(pair[0] + pair[1])
    if draw(st.booleans()):
        merges.insert(draw(st.integers(0, len(merges))), (draw(parts), draw(parts)))
    results = dict.fromkeys(left + right for left, right in merges)
    for token in draw(st.lists(tokens, max_size=2)):
        results.setdefault(token)
    for token in draw(st.lists(st.sampled_from([*results, b"a"]), max_size=1)):
        results.pop(token, None)
    start = draw(st.sampled_from([256, 300, MAX_ID - 60]))
    numbers = range(start, start + len(results))
    return IDS | dict(zip(results, draw(st.permutations(numbers)))), merges


def accepts(ids, merges):
    try:
        check_merges(ids, merges)
    except (ValueError, TypeError):
        return False
    return True


@given(vocabularies())
def test_merges_are_accepted_as_one_by_one(case):
    ids, merges = case
    columns = columns_of(ids, merges)
    assert (columns is not None) == accepts(ids, merges)
    printable = [(to_printable(left), to_printable(right)) for left, right in merges]
    assert columns_of(ids, printable, printable=True) == columns
    assert columns_of(ids, list(map(" ".join, printable)), printable=True) == columns
    if columns is None:
        return
    assert columns.pairs == merges
    made = [*BYTES, *(left + right for left, right in merges)]
    assert list(columns.ids) == [ids[token] for token in made]
    assert [(made[left], made[right]) for left, right in zip(columns.lefts, columns.rights)] \
        == merges


def outcome(check, *arguments):
    """What a check returns, or the words of its error."""
    try:
        return check(*arguments)
    except ValueError as error:
        return str(error)


@given(vocabularies(), st.lists(st.sampled_from(["a", "ab", "aa", "<e>", "é", " "]), unique=True),
       st.booleans())
def test_vocabularies_are_accepted_as_one_by_one(case, specials, spoiled):
    ids, merges = case
    vocab = {number: token for token, number in ids.items()}
    if spoiled:
        vocab[999] = b"<e>"
        vocab[1000] = b"ab"  # perhaps it has an id already
    expected = outcome(separate_specials, vocab, merges, specials)
    if isinstance(expected, str):
        assert by_columns(vocab, merges, specials) is None
        assert outcome(consistent, vocab, merges, specials) == expected
        return
    found = consistent(vocab, merges, specials)
    assert found.ids == expected
    assert list(found.ids.specials) == specials
    assert list(found.tokens) == sorted(found.tokens)
    assert found.tokens == vocab | {number: token.encode()
                                    for token, number in expected.specials.items()}
    assert found.merges.pairs == merges
    quick = by_columns(MappingProxyType(vocab), merges, specials)
    assert quick is None or quick == found


def test_plain_vocabularies_take_the_fast_way():
    vocab = dict(enumerate([*BYTES, b"ab", b"<e>"]))
    assert by_columns(vocab, [(b"a", b"b")], ["<e>", "<f>"]) is not None
    entries = {to_printable(token): number for number, token in vocab.items()}
    assert from_entries(entries, ["a b"], ["<e>"]) is not None
    assert from_entries(entries, [["a", "b"]], ["<e>", "<f>"], {"<f>": 300}) is not None


@pytest.mark.parametrize("format", FILES)
def test_good_files_take_the_fast_way(trained, format, tmp_path, monkeypatch):
    """Nothing is asked of single entries, in any format: that would be correct, but slow."""
    files = save_model(trained, tmp_path / "it", format)

    def slow(*_):
        raise AssertionError("the slow way")

    for name in ("consistent.separate_specials", "gpt2.read_entries", "gpt2.read_merge",
                 "huggingface_reader.read_entries", "tiktoken.merges_of_any_ranks",
                 "tiktoken._read_line_by_line"):
        monkeypatch.setattr(f"cs336_bpe.formats.{name}", slow)
    specials = separate_specials(trained.vocab, trained.merges, trained.special_tokens).specials
    model = load_model(files[0], specials if format == "tiktoken" else None)
    assert (model.vocab, model.merges) == (trained.vocab, trained.merges)
    assert set(model.special_tokens) == set(trained.special_tokens)


@pytest.mark.parametrize("merges", [
    iter([]), "ab", {(b"a", b"b")}, None, [b"ab"], [(b"a",)], [(b"a", b"b", b"c")], [("a", "b")],
    ["a b"], [(b"a", "b")], [None], [(b"", b"ab")], [(bytearray(b"a"), b"b")],
])
def test_what_is_not_merges_of_bytes_is_refused(merges):
    assert columns_of(IDS | {b"ab": 256}, merges) is None


@pytest.mark.parametrize("line", ["ab", "a", "", " ", "a ", " b", "a  b", "a b ", " a b", "a b c",
                                  "a\tb", "a \u0101\u0300", "a \U0001f642", "a \ud800"])
def test_what_is_not_a_line_of_a_merge_is_refused(line):
    ids = IDS | {b"ab": 256}
    assert columns_of(ids, ["a b"], printable=True) is not None
    assert columns_of(ids, [line], printable=True) is None
    assert columns_of(ids, [(b"a", b"b")], printable=True) is None


@given(st.lists(st.text(st.characters(codec="utf-8") | st.sampled_from("ĠĊ\u0143\u0144\xad"))))
def test_many_texts_in_the_alphabet_as_one_by_one(texts):
    assert from_printables(texts) == list(map(from_printable, texts))


def test_tokens_of_zeros_do_not_collide_in_one_place():
    """A polynomial of zeros would be zero, however long."""
    zeros = [b"\0" * length for length in range(2, 3_000)]
    ids = IDS | {token: 256 + place for place, token in enumerate(zeros)}
    merges = [(b"\0", b"\0"), *((token, b"\0") for token in zeros[:-1])]
    columns = columns_of(ids, merges)
    assert columns is not None
    assert columns.lefts[-1] == 256 + len(merges) - 2


json_values = st.recursive(
    st.none() | st.integers(0, 10**6) | st.text('a":{}\\', max_size=4),
    lambda inner: (st.lists(inner, max_size=3)
                   | st.dictionaries(st.text('ab":\\', max_size=3), inner, max_size=3)))


@given(json_values)
def test_entries_are_counted_in_the_text_as_in_the_value(value):
    text = json.dumps(value).encode()
    assert counts_of_text(text)[0] == count_entries(value)


@given(st.dictionaries(st.binary(min_size=1, max_size=5), st.integers(0, MAX_ID), max_size=5),
       st.sampled_from([b"\n", b"\r\n", b"\n\n"]))
def test_ranks_are_read_as_they_were_written(ranks, end):
    lines = [b64encode(token) + b" %d" % rank for token, rank in ranks.items()]
    expected = ranks if len(set(ranks.values())) == len(ranks) else None
    assert read_rank_lines(end.join(lines)) == expected
    assert read_rank_lines(end.join([*lines, b""])) == expected


@pytest.mark.parametrize("line", [
    b"IQ==", b"IQ== ", b"IQ==  1", b"IQ== -1", b"IQ== +1", b"IQ== 1x", b"IQ== 2147483648",
    b"IQ== 00000000001", b" 1", b"==== 1", b"IR== 1", b"SGl= 1", b"IQ= 1", b"IQ 1", b"I=Q= 1",
    b"IQ==IQ== 1", b"IQ\xff= 1", b"A=== 1", b"I Q== 1", b"\r 1",
])
def test_lines_that_are_no_ranks_are_left_to_the_slow_way(line):
    assert read_rank_lines(b"AAAA 0\n" + line) is None
    assert read_rank_lines(b"AAAA 0\nAAAB 2147483647") == {b"\0\0\0": 0, b"\0\0\1": MAX_ID}


@pytest.mark.parametrize("token", [None, 97, "a", bytearray(b"a")])
def test_a_token_that_is_not_bytes_is_refused(token):
    """It was read as if it were bytes."""
    with pytest.raises(TypeError, match="it must be bytes"):
        Table([*BYTES, token])
