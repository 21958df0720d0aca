"""The training ladder under pytest-benchmark, in groups of equal work.

    pytest benchmarks/ --benchmark-only -m train

Two groups start from counts, so that only the merge loop is timed: the first merges, by all rungs,
and all merges, by the rungs that can. The third starts from a file, counting included, because that
is what other libraries do; there they are rows too. The first merges of every run are stage 01's.
"""

import os
from contextlib import suppress
from functools import partial

import equal_work
import pytest
from common import EOT
from run_train import built_in_counts, real_counts

from cs336_bpe import GPT2_PATTERN, stages, train_bpe
from cs336_bpe.corpora import generated
from cs336_bpe.rules import from_printable
from cs336_bpe.train import ENGINE

pytestmark = pytest.mark.train

NUM_BYTES, FEW, ALL = 1_000_000, 30, 1_743
REAL = {"tinystories_train": ("TinyStories-train", 2_227_753_162, 9_743),
        "web": ("web.txt", None, 31_743)}


@pytest.fixture(scope="module")
def counts():
    return built_in_counts("stories", NUM_BYTES)


@pytest.fixture(scope="module")
def first_merges(counts):
    """Stage 01's, with which the beginning of everything here is compared."""
    return stages.find("train", "stage01").load().learn_merges(counts, FEW)


@pytest.fixture(scope="module")
def all_merges(counts, first_merges):
    merges = stages.find("train", ENGINE).load().learn_merges(counts, ALL)
    assert merges[:FEW] == first_merges
    return merges


@pytest.fixture(scope="module")
def few_group(new_group):
    return new_group("train", f"the first {FEW} merges, from the counts of {NUM_BYTES / 1e6:g} MB "
                              f"of built-in stories", NUM_BYTES, FEW)


@pytest.fixture(scope="module")
def all_group(new_group):
    return new_group("train", f"all {ALL:,} merges, from the counts of {NUM_BYTES / 1e6:g} MB of "
                              f"built-in stories", NUM_BYTES, ALL)


@equal_work.rungs("train")
def test_few_merges(benchmark, few_group, counts, first_merges, stage):
    learn_merges = stage.load().learn_merges
    assert learn_merges(counts, FEW) == first_merges
    equal_work.time_row(benchmark, few_group, stage.number, learn_merges,
                        make=lambda: (counts, FEW), stage=stage)


@equal_work.rungs("train")
def test_all_merges(benchmark, all_group, counts, all_merges, stage, budget):
    train_all(benchmark, all_group, counts, all_merges, stage, budget)


def train_all(benchmark, group, counts, expected, stage, budget):
    seconds = check_in_time(group, counts, expected, stage, budget)
    equal_work.time_row(benchmark, group, stage.number, stage.load().learn_merges,
                        make=lambda: (counts, len(expected)), stage=stage, seconds=seconds)


class OutOfTime(Exception):
    """Raised in a progress call to end a run."""


tried = {}  # by stage and number of merges: how many of them in how many seconds


def check_in_time(group, counts, expected, stage, budget):
    """Learn all merges, compare them, and return the seconds; skip a stage that takes too long.

    The first merges say little about the others, so nothing is extrapolated: the stage runs until
    it is done, or until the budget is used up.
    """
    wanted = len(expected)
    if (stage.name, wanted) not in tried:
        start = equal_work.cpu_seconds()

        def progress(phase, done, total):
            tried[stage.name, wanted] = done, equal_work.cpu_seconds() - start
            if equal_work.cpu_seconds() - start > budget and done < total:
                raise OutOfTime

        with suppress(OutOfTime):
            assert stage.load().learn_merges(counts, wanted, progress=progress) == expected
            tried[stage.name, wanted] = wanted, equal_work.cpu_seconds() - start
    done, seconds = tried[stage.name, wanted]
    if done < wanted or seconds > budget:
        equal_work.skip(group, stage.number, f"it did {done:,} of {wanted:,} merges in "
                                             f"{seconds:.1f} s, and had --budget={budget:g}")
    return seconds


@pytest.fixture(scope="module", params=REAL)
def real(request, new_group):
    if not os.environ.get("CS336_BPE_DATA"):
        pytest.skip("needs the real corpora: set CS336_BPE_DATA to their folder")
    title, num_bytes, num_merges = REAL[request.param]
    counts = real_counts(request.param)
    num_bytes = num_bytes or sum(len(word) * n for word, n in counts.items())
    expected = stages.find("train", ENGINE).load().learn_merges(counts, num_merges)
    return new_group("train", f"all {num_merges:,} merges, from the counts of {title}", num_bytes,
                     num_merges), counts, expected


@equal_work.rungs("train")
def test_all_merges_of_real_text(benchmark, real, stage, budget):
    group, counts, expected = real
    train_all(benchmark, group, counts, expected, stage, budget)


# --- From a file, against others ---------------------------------------------------------------


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    path = tmp_path_factory.mktemp("corpus") / "stories.txt"
    with path.open("w", encoding="utf-8", newline="") as file:
        file.writelines(generated.stream("stories", NUM_BYTES))
    return path


@pytest.fixture(scope="module")
def file_group(new_group):
    return new_group("train", f"from a file of {NUM_BYTES / 1e6:g} MB of built-in stories to "
                              f"{ALL:,} merges, counting included, one thread", NUM_BYTES, ALL)


@equal_work.rungs("train")
def test_from_a_file(benchmark, file_group, path, counts, all_merges, stage, budget):
    seconds = check_in_time(file_group, counts, all_merges, stage, budget)
    train = partial(train_bpe, workers=1, stage=stage.number)
    _, found = equal_work.time_row(benchmark, file_group, stage.number, train,
                                   make=lambda: (path, 257 + ALL, [EOT]), stage=stage,
                                   seconds=seconds)
    assert found == all_merges


def with_gigatoken(path):
    """It prints what it does; pytest keeps that."""
    import gigatoken
    return gigatoken.train_bpe(str(path), 257 + ALL, [EOT])[1]


def with_rustbpe(path):
    import rustbpe
    documents = path.read_bytes().decode().split(EOT)
    tokenizer = rustbpe.Tokenizer()
    tokenizer.train_from_iterator(iter(documents), 256 + ALL, pattern=GPT2_PATTERN)
    return [token for token, _ in tokenizer.get_mergeable_ranks()][256:]


def with_tokenizers(path):
    import tokenizers
    documents = path.read_bytes().decode().split(EOT)
    tokenizer = tokenizers.Tokenizer(tokenizers.models.BPE())
    tokenizer.pre_tokenizer = tokenizers.pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.train_from_iterator(documents, tokenizers.trainers.BpeTrainer(
        vocab_size=257 + ALL, special_tokens=[EOT], show_progress=False,
        initial_alphabet=tokenizers.pre_tokenizers.ByteLevel.alphabet()))
    return tokenizer


PEERS = {"gigatoken": with_gigatoken, "rustbpe": with_rustbpe, "tokenizers": with_tokenizers}


def tokens_of(package, found):
    """The tokens that a peer has learned, in their order, as bytes."""
    if package == "gigatoken":
        return [bytes(left) + bytes(right) for left, right in found]
    if package == "rustbpe":
        return list(map(bytes, found))
    by_id = sorted(found.get_vocab().items(), key=lambda item: item[1])
    return [from_printable(token) for token, number in by_id if number >= 257]


@pytest.mark.peers
@pytest.mark.parametrize("package", PEERS)
def test_peers_from_a_file(benchmark, file_group, path, counts, all_merges, package):
    if reason := equal_work.missing(package):
        equal_work.skip(file_group, f"theirs: {package}", reason)
    train = PEERS[package]
    theirs = tokens_of(package, train(path))
    assert len(theirs) == ALL, "it did other work"
    agrees = agreement(counts, all_merges, theirs)
    equal_work.time_row(benchmark, file_group, equal_work.peer_name(package), train,
                        make=lambda: (path,), agrees=agrees)


def agreement(counts, all_merges, theirs):
    """In words; what is not explained by ties is an error."""
    if theirs == [left + right for left, right in all_merges]:
        return "the same tokens"
    learn_merges = stages.find("train", ENGINE).load().learn_merges
    merges = learn_merges(counts, ALL, tie_break="huggingface")
    if theirs == [left + right for left, right in merges]:
        return "the same tokens as ours with tie_break='huggingface'"
    shared = len({left + right for left, right in all_merges} & set(theirs)) / ALL
    assert shared > 0.95, "it learned other tokens"
    return f"{shared:.1%} of the tokens are ours; it breaks ties by another rule"
