"""The pretokenization ladder under pytest-benchmark, in groups of equal work.

    pytest benchmarks/ --benchmark-only -m pretokenize

A small text for all rungs, and a larger one for the rungs that can; with CS336_BPE_DATA, web.txt
too. All count with one worker, from a file to a dict. First all counts are compared: on the small
text with stage 01's, on the others with the product's, with which stage 01 is compared like others.
"""

import os
from collections import Counter
from functools import partial
from pathlib import Path

import equal_work
import pytest
from common import EOT

from cs336_bpe import count_pretokens, stages
from cs336_bpe.corpora import generated
from cs336_bpe.rules import from_printable

pytestmark = pytest.mark.pretokenize

SMALL = 2_000_000
TEXTS = {"small": SMALL, "larger": 20_000_000, "web.txt": None}


@pytest.fixture(scope="module", params=TEXTS)
def text(request, tmp_path_factory, new_group):
    """The group, the path and the counts of a text."""
    num_bytes = TEXTS[request.param]
    if num_bytes:
        path = tmp_path_factory.mktemp("corpus") / "web.txt"
        with path.open("w", encoding="utf-8", newline="") as file:
            file.writelines(generated.stream("web", num_bytes))
        title = f"{num_bytes / 1e6:g} MB of built-in web text, one worker"
    else:
        if not os.environ.get("CS336_BPE_DATA"):
            pytest.skip("needs the real corpora: set CS336_BPE_DATA to their folder")
        path = Path(os.environ["CS336_BPE_DATA"], "corpora/web.txt")
        title = "web.txt, one worker"
    count = count_pretokens
    if request.param == "small":
        count = stages.find("pretokenize", "stage01").load().count_pretokens
    return (new_group("pretokenize", title, path.stat().st_size), path,
            dict(count(path, [EOT])))


@pytest.fixture(scope="module")
def pace(tmp_path_factory):
    """Seconds per byte of a counting function on a small text, once for all groups."""
    path = tmp_path_factory.mktemp("pace") / "web.txt"
    path.write_bytes(generated.web(SMALL // 4).encode())
    known = {}

    def measure(name, count):
        if name not in known:
            start = equal_work.cpu_seconds()
            count(path)
            known[name] = (equal_work.cpu_seconds() - start) / path.stat().st_size
        return known[name]
    return measure


@equal_work.rungs("pretokenize")
def test_pretokenize(benchmark, text, stage, pace, budget):
    group, path, expected = text
    count = partial(stage.load().count_pretokens, special_tokens=[EOT], workers=1)
    seconds = pace(stage.number, count) * group.num_bytes
    equal_work.skip_if_too_slow(group, stage.number, seconds, budget)
    assert count(path) == expected
    equal_work.time_row(benchmark, group, stage.number, count, make=lambda: (path,),
                        seconds=seconds, stage=stage)


def with_tokenizers(path):
    """What somebody would write who has only that library."""
    from tokenizers.pre_tokenizers import ByteLevel
    cut = ByteLevel(add_prefix_space=False).pre_tokenize_str
    counts = Counter()
    for document in path.read_bytes().decode().split(EOT):
        counts.update(word for word, _ in cut(document))
    return counts


@pytest.mark.peers
def test_peer(benchmark, text, pace, budget):
    """The others count only inside of their trainers."""
    group, path, expected = text
    if reason := equal_work.missing("tokenizers"):
        equal_work.skip(group, "theirs: tokenizers", reason)
    name = equal_work.peer_name("tokenizers")
    seconds = pace(name, with_tokenizers) * group.num_bytes
    equal_work.skip_if_too_slow(group, name, seconds, budget)
    found = with_tokenizers(path)
    assert {from_printable(word): n for word, n in found.items()} == expected
    equal_work.time_row(benchmark, group, name, with_tokenizers, make=lambda: (path,),
                        seconds=seconds, agrees="the same counts, in a Counter of its strings")
