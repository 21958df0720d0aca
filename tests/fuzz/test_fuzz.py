"""A fixed number of cases of each mode; and failures that were found, made small, kept."""

import importlib
import json
import logging
import re

import pytest

from fuzz.core import Comparisons, Difference, Failure, run, run_case, smaller
from fuzz.modes import NAMES, formats, mutated, streams

CASES = {"train": 400, "patterns": 400, "pretokenize": 400, "encode": 200, "decode": 250,
         "streams": 500, "files": 400, "formats": 80, "counts": 250, "mutated": 3_000}


@pytest.mark.parametrize("name", NAMES)
def test_fuzz(name):
    logging.disable(logging.WARNING)
    try:
        tally = run(importlib.import_module(f"fuzz.modes.{name}"), seed=336, cases=CASES[name])
    finally:
        logging.disable(logging.NOTSET)
    assert not tally.failures, "\n\n".join(failure.as_test() for failure in tally.failures)
    assert tally.comparisons >= CASES[name]


class Wrong:
    """A mode with a mistake: two equal letters side by side are found only in long texts."""

    OPTIONS = frozenset()

    @staticmethod
    def check(same, text, numbers):
        same("xx" in text and 7 in numbers, False, "x twice")


def test_a_failure_is_made_small():
    case = {"text": "some text xx and more" * 20, "numbers": {3: 1, 7: 2, 9: 4}}
    failure = run_case(Wrong, "0/0", case, Comparisons())
    assert isinstance(failure, Failure)
    assert isinstance(failure.error, Difference)
    small = smaller(failure)
    assert small.case["text"] == "xx"
    assert list(small.case["numbers"]) == [7]
    source = small.as_test()
    assert "Wrong.check(\n        Comparisons(),\n        text='xx'" in source
    namespace = {"Wrong": Wrong, "Comparisons": Comparisons}
    exec(source, namespace)
    [test] = [value for name, value in namespace.items() if name.startswith("test_")]
    with pytest.raises(Difference, match="x twice"):
        test()


# --- Failures that were found -------------------------------------------------------------------


def test_a_special_token_inside_one_that_is_not_complete():
    """With a pattern that can't be compiled, `s` was taken where `eserved` may begin before it."""
    streams.check(Comparisons(), merges=[], numbering=None, specials=["s", "eserved"],
                  pattern=r"(?<=x)\s|\S+|\s+", parts=["eserve", "d_e"], some=1)


def test_ranks_of_bytes_after_tokens_that_are_made_of_them():
    """The merge was lost: ids of `a` and `b`, although the model was right."""
    formats.check(Comparisons(), merges=[(b"a", b"b")], numbering=921983, specials=[],
                  pattern=r"\s+|\S+", text="ab")


@pytest.mark.parametrize("data", [
    b"30",  # an id that is not known, in bare integers, whose type says its byte order
    b"\x93NUMPY\x01\x00v\x00{'descr'order': Fa(2ls" + b" " * 95 + b": \n\x03\x01",
])
def test_files_of_ids(data):
    mutated.check(Comparisons(), name="ids.npy", data=data, fix=True)


def test_an_added_token_that_takes_the_spaces_after_it():
    """Then a text does not come back as it was, and need not: the ids are those of `tokenizers`."""
    data = (mutated.good()[0] / "tokenizer.json").read_bytes()
    changed = data.replace(b'"rstrip": false', b'"rstrip": true')
    assert changed != data
    mutated.check(Comparisons(), name="tokenizer.json", data=changed, fix=False)


def test_a_pattern_that_matches_all_of_a_text_but_not_of_its_parts():
    r"""20261119/52227: `\s+(?!\S)\s+` matches a space before a special token, but not at the end of
    what is before it. So `encode` refuses the text, and the file isn't to blame."""
    data = (mutated.good()[0] / "own.bpe.json").read_bytes()
    pattern = json.dumps(r"'(?)| ?\p{L}+| ??[^\s\p]+|\s+(?!\S)\s+").encode()
    changed = re.sub(rb'"pattern": .*', lambda _: b'"pattern": ' + pattern + b",", data)
    mutated.check(Comparisons(), name="own.bpe.json", data=changed, fix=True)
