"""The pretokenization ladder under pytest-benchmark: pytest benchmarks/ --benchmark-only

Every stage of the registry gets one benchmark per corpus, in ladder order, with one worker. After
it is timed, its counts are compared with those of `cs336_bpe.count_pretokens`.
"""

import os
from pathlib import Path

import pytest
from common import EOT

from cs336_bpe import count_pretokens, stages
from cs336_bpe.corpora import generated as corpus


@pytest.fixture(scope="module", params=["stories_3MB", "web_3MB", "web_100MB"])
def text_file(request, tmp_path_factory):
    if request.param == "web_100MB":
        if not os.environ.get("CS336_BPE_DATA"):
            pytest.skip("needs the real corpora: set CS336_BPE_DATA to their folder")
        return request.param, Path(os.environ["CS336_BPE_DATA"], "corpora/web.txt")
    path = tmp_path_factory.mktemp("corpus") / "text.txt"
    with path.open("w", encoding="utf-8", newline="") as file:
        file.writelines(corpus.stream(request.param.partition("_")[0], 3_000_000))
    return request.param, path


@pytest.mark.parametrize("stage", stages.ladder("pretokenize"), ids=lambda stage: stage.number)
def test_pretokenize(benchmark, text_file, stage):
    name, path = text_file
    count = stage.load().count_pretokens
    benchmark.group = f"pretokenize, {name}"
    benchmark.name = stage.number
    rounds = 5 if stage.compiled else 1
    found = benchmark.pedantic(count, (path, [EOT]), {"workers": 1}, rounds=rounds)
    assert found == count_pretokens(path, [EOT])
