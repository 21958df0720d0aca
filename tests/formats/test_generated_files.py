"""Random `tokenizer.json` files: we give what `tokenizers` gives, or refuse the file with a reason.

All of it is compared: ids with and without the template, with special tokens found or taken for
text, offsets, decoded text, and the same text in parts.
"""

import os
import random
import warnings

import pytest
from formats.generated_files import texts, tokenizer_json

from cs336_bpe import Tokenizer

tokenizers = pytest.importorskip("tokenizers")

SLOW = os.environ.get("CS336_BPE_SLOW", "0") not in ("", "0")
FILES = 1_000 if SLOW else 150
GROUP = 50


def load(text, path):
    """Both tokenizers of a file; ours is None if it is refused."""
    path.write_text(text, encoding="utf-8")
    try:
        theirs = tokenizers.Tokenizer.from_str(text)
    except BaseException as error:  # the library panics on some files
        assert isinstance(error, Exception) or type(error).__name__ == "PanicException"  # noqa: PT017
        return None, None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return Tokenizer.load(path), theirs
        except ValueError as error:
            assert str(error).startswith(str(path))  # noqa: PT017
            return None, theirs


def in_parts(rng, text):
    cuts = sorted(rng.choices(range(len(text) + 1), k=3))
    return [text[start:stop] for start, stop in zip([0, *cuts], [*cuts, len(text)])]


def compare(ours, theirs, text, rng):
    for add in (False, True):
        expected = theirs.encode(text, add_special_tokens=add)
        ids, offsets = ours.encode_with_offsets(text, add_special_tokens=add)
        assert ours.encode(text, add_special_tokens=add) == expected.ids
        assert ids == expected.ids
        assert offsets == expected.offsets
        for skip in (False, True):
            assert ours.decode(ids, skip_special_tokens=skip) == theirs.decode(
                ids, skip_special_tokens=skip)
    ids = theirs.encode(text, add_special_tokens=False).ids
    assert list(ours.encode_iterable(in_parts(rng, text))) == ids
    assert ours.encode_array(text.encode(), workers=2).tolist() == ids
    assert ours.count(text) == len(ids)
    theirs.encode_special_tokens = True
    assert ours.encode(text, specials="none") == theirs.encode(
        text, add_special_tokens=False).ids
    theirs.encode_special_tokens = False


def check_saved(ours, theirs, path, samples):
    """What we write is what we read, to us and to the library."""
    ours.save(path, format="huggingface")
    assert Tokenizer.load(path) == ours
    again = tokenizers.Tokenizer.from_file(str(path))
    for sample in samples:
        expected = theirs.encode(sample)
        found = again.encode(sample)
        assert (found.ids, found.offsets, found.type_ids) == (
            expected.ids, expected.offsets, expected.type_ids)


@pytest.mark.parametrize("first", range(0, FILES, GROUP))
def test_generated_files(first, tmp_path):
    compared = 0
    for seed in range(first, first + GROUP):
        rng = random.Random(seed)
        text = tokenizer_json(rng)
        ours, theirs = load(text, tmp_path / f"{seed}.json")
        if ours is None:
            continue
        compared += 1
        check_saved(ours, theirs, tmp_path / "saved.json", texts(rng, 3))
        for sample in texts(rng):
            compare(ours, theirs, sample, rng)
    assert compared >= GROUP // 3, "too many files are refused"
