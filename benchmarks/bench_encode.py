"""The encoding ladder under pytest-benchmark, in groups of equal work.

    pytest benchmarks/ --benchmark-only -m encode

Two groups encode pretokens that have been cut already, as the first rungs take them: few, by all
rungs, and many, by the rungs that can. In the third, whole documents become lists of ids. There a
rung that takes only pretokens cuts with the regular expression, which is timed, and the other
libraries are rows too. Every round starts with a new encoder, whose cache is empty. All ids are
compared with stage 01's, or, where it would need too long, with those of the product.
"""

import base64
import os
from functools import cache

import equal_work
import pytest
from common import EOT
from run_encode import gpt2, text_of
from run_train import built_in_counts

from cs336_bpe import GPT2_PATTERN, Tokenizer, stages, train_bpe_from_counts
from cs336_bpe.corpora import generated
from cs336_bpe.measure.encoding import split_text
from cs336_bpe.rules import check_pattern

pytestmark = pytest.mark.encode

FEW_BYTES, MANY_BYTES, VOCAB_SIZE = 5_000, 1_000_000, 2_000


class Work:
    """A vocabulary, and pretokens to encode with it."""

    def __init__(self, group, vocab, merges, pretokens):
        self.group, self.vocab, self.merges, self.pretokens = group, vocab, merges, pretokens
        self.documents = [text for text in b"".join(
            word or b"\0" for word in pretokens).split(b"\0") if text]
        self.texts = [document.decode() for document in self.documents]

    @property
    def expected(self):
        return expected(self)


@cache
def expected(work):
    """Stage 01's ids, if the work is small; else the product's, whose beginning is stage 01's."""
    first = encode_all(encoder_of(stages.find("encode", "stage01"), work).encode_pretoken,
                       beginning(work.pretokens, FEW_BYTES if work.group.num_bytes <= FEW_BYTES
                                 else 200))
    if work.group.num_bytes <= FEW_BYTES:
        return first
    ids = encode_all(encoder_of(stages.find("encode"), work).encode_pretoken, work.pretokens)
    assert ids[:len(first)] == first
    return ids


def encoder_of(stage, work):
    return stage.load().Encoder(work.vocab, work.merges)


def encode_all(encode, words):
    """One list of ids, so that nobody has to make more objects than another."""
    ids = []
    for word in words:
        ids += encode(word)
    return ids


def beginning(pretokens, num_bytes):
    total, some = 0, []
    for word in pretokens:
        if total + len(word) > num_bytes:
            break
        total += len(word)
        some.append(word)
    return some


@pytest.fixture(scope="module")
def vocabulary():
    """The special token comes last, as GPT-2 has it: gigatoken wants ranks without a gap."""
    vocab, merges = train_bpe_from_counts(built_in_counts("stories", 3_000_000), VOCAB_SIZE - 1, [])
    return {**vocab, len(vocab): EOT.encode()}, merges


@pytest.fixture(scope="module")
def pretokens():
    return split_text(generated.stories(MANY_BYTES), [EOT])


def make_work(new_group, title, vocabulary, words):
    num_bytes = sum(map(len, words))
    group = new_group("encode", title.format(f"{num_bytes:,} bytes"), num_bytes)
    return Work(group, *vocabulary, words)


@pytest.fixture(scope="module")
def few(new_group, vocabulary, pretokens):
    return make_work(new_group, "pretokens of {} of built-in stories, vocabulary 2,000",
                     vocabulary, beginning(pretokens, FEW_BYTES))


@pytest.fixture(scope="module")
def many(new_group, vocabulary, pretokens):
    return make_work(new_group, "pretokens of {} of built-in stories, vocabulary 2,000",
                     vocabulary, pretokens)


@pytest.fixture(scope="module")
def texts(new_group, vocabulary, pretokens):
    return make_work(new_group, "whole documents, {} of built-in stories, vocabulary 2,000, "
                                "cutting included, to lists", vocabulary, pretokens)


@pytest.fixture(scope="module")
def web(new_group):
    if not os.environ.get("CS336_BPE_DATA"):
        pytest.skip("needs the real corpora: set CS336_BPE_DATA to their folder")
    return make_work(new_group, "whole documents, the first {} of web.txt, GPT-2's vocabulary, "
                                "cutting included, to lists", gpt2(), text_of("web", MANY_BYTES))


@pytest.fixture(scope="module")
def pace():
    """Seconds per byte of a stage with a vocabulary, from what it does in a third of a second."""
    known = {}

    def measure(stage, work):
        key = stage.name, len(work.merges)
        if key not in known:
            encode = encoder_of(stage, work).encode_pretoken
            start, done = equal_work.cpu_seconds(), 0
            for word in work.pretokens:
                encode(word)
                done += len(word)
                if equal_work.cpu_seconds() - start > 0.3:
                    break
            known[key] = (equal_work.cpu_seconds() - start) / done
        return known[key]
    return measure


def time_pretokens(benchmark, work, stage, pace, budget):
    seconds = pace(stage, work) * work.group.num_bytes
    equal_work.skip_if_too_slow(work.group, stage.number, seconds, budget)
    assert encode_all(encoder_of(stage, work).encode_pretoken, work.pretokens) == work.expected
    equal_work.time_row(
        benchmark, work.group, stage.number, encode_all, stage=stage, seconds=seconds,
        make=lambda: (encoder_of(stage, work).encode_pretoken, work.pretokens))


@equal_work.rungs("encode")
def test_few_pretokens(benchmark, few, stage, pace, budget):
    time_pretokens(benchmark, few, stage, pace, max(budget, 60))


@equal_work.rungs("encode")
def test_many_pretokens(benchmark, many, stage, pace, budget):
    time_pretokens(benchmark, many, stage, pace, budget)


# --- Whole documents, against others. Each gets them as it likes them: bytes, or strings ---------


def cut_and_encode(encode_pretoken, texts):
    find = check_pattern(GPT2_PATTERN).finditer
    ids = []
    for text in texts:
        for match in find(text):
            ids += encode_pretoken(match[0].encode())
    return ids


def time_texts(benchmark, work, stage, pace, budget):
    seconds = pace(stage, work) * work.group.num_bytes
    equal_work.skip_if_too_slow(work.group, stage.number, seconds, budget)

    def make():
        encoder = encoder_of(stage, work)
        if stage.whole_texts:
            return encode_all, encoder.encode_text, work.documents
        return cut_and_encode, encoder.encode_pretoken, work.texts

    call, *arguments = make()
    assert call(*arguments) == work.expected
    equal_work.time_row(benchmark, work.group, stage.number, call, make=lambda: make()[1:],
                        seconds=seconds, stage=stage)


@equal_work.rungs("encode")
def test_whole_documents(benchmark, texts, stage, pace, budget):
    time_texts(benchmark, texts, stage, pace, budget)


@equal_work.rungs("encode")
def test_real_documents(benchmark, web, stage, pace, budget):
    time_texts(benchmark, web, stage, pace, budget)


def make_tiktoken(work, folder):
    return Tokenizer(work.vocab, work.merges, [EOT]).to_tiktoken().encode_ordinary, work.texts


def make_tokenizers(work, folder):
    encode = Tokenizer(work.vocab, work.merges, [EOT]).to_huggingface().encode
    return lambda text: encode(text).ids, work.texts


def make_gigatoken(work, folder):
    import gigatoken
    path = folder / "ranks.tiktoken"
    *ranks, (special, _) = sorted(work.vocab.items())
    path.write_bytes(b"".join(base64.b64encode(token) + b" %d\n" % rank for rank, token in ranks))
    tokenizer = gigatoken.Tokenizer.from_tiktoken(str(path), "gpt2", {EOT: special})
    return lambda document: tokenizer.encode(document).tolist(), work.documents


PEERS = {"gigatoken": make_gigatoken, "tiktoken": make_tiktoken, "tokenizers": make_tokenizers}


def time_peer(benchmark, work, package, folder):
    if reason := equal_work.missing(package):
        equal_work.skip(work.group, f"theirs: {package}", reason)
    make = PEERS[package]
    assert encode_all(*make(work, folder)) == work.expected
    equal_work.time_row(benchmark, work.group, equal_work.peer_name(package), encode_all,
                        make=lambda: make(work, folder), agrees="the same ids")


@pytest.mark.peers
@pytest.mark.parametrize("package", PEERS)
def test_peers(benchmark, texts, package, tmp_path):
    time_peer(benchmark, texts, package, tmp_path)


@pytest.mark.peers
@pytest.mark.parametrize("package", PEERS)
def test_peers_on_real_text(benchmark, web, package, tmp_path):
    time_peer(benchmark, web, package, tmp_path)
