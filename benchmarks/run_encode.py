"""The experiments behind the figures in docs/encode. Each saves one file under results/.

    CS336_BPE_DATA=folder python benchmarks/run_encode.py NAME...    (see EXPERIMENTS at the end)

The ladders have five rounds. In each, every stage has a fresh process; one that is fast is repeated
there, each time with a new encoder, until the times add up to something. The medians are shown.
"""

import cProfile
import pstats
import random
import statistics
from functools import partial
from math import inf
from time import thread_time

import common
from common import EOT, corpus, data, run_experiments, use_memory
from run_train import real_counts

from cs336_bpe import stages, train_bpe_from_counts
from cs336_bpe.common.tables import as_text
from cs336_bpe.encode.stage09_scanned_pairs import HEAP_FROM, Encoder
from cs336_bpe.formats import read_gpt2
from cs336_bpe.measure import ladders
from cs336_bpe.measure.encoding import measure_encoding, split_text
from cs336_bpe.measure.process import in_fresh_process

save = partial(common.save, "encode")
ROUNDS = 3
# The others do the whole text, so that a cache of words has its chance.
LIMITS = dict.fromkeys(("stage01", "stage02", "stage03", "stage04", "stage05", "stage07"), 2.0)


def gpt2():
    """GPT-2's vocabulary and merges."""
    folder = data() / "cs336"
    model = read_gpt2(folder / "gpt2_vocab.json", folder / "gpt2_merges.txt", [EOT])
    return model.vocab, model.merges


def text_of(name, num_bytes):
    with corpus(name).open("rb") as file:
        return split_text(file.read(num_bytes).decode("utf-8", "ignore"), [EOT])


def one_ladder(name, title, vocab, merges, pretokens):
    rows = ladders.run_encoding_ladder(vocab, merges, pretokens, limit=LIMITS, rounds=ROUNDS)
    print(as_text(ladders.encoding_table(rows)), flush=True)
    save(name, {"title": title, "vocab_size": len(vocab), "merges": len(merges),
                "num_bytes": sum(map(len, pretokens)), "pretokens": sum(map(bool, pretokens)),
                "kinds": len(set(pretokens) - {b""}), "limit": LIMITS["stage01"], "rounds": ROUNDS,
                "rows": rows})


def ladder_gpt2():
    one_ladder("ladder_gpt2", "GPT-2's vocabulary (50,000 merges), the first 5 MB of web text",
               *gpt2(), text_of("web", 5_000_000))


def ladder_multilingual():
    one_ladder("ladder_multilingual",
               "GPT-2's vocabulary (50,000 merges), the first 5 MB of multilingual text",
               *gpt2(), text_of("multilingual", 5_000_000))


def ladder_stories():
    vocab, merges = train_bpe_from_counts(real_counts("stories"), 10_000, [EOT])
    one_ladder("ladder_stories",
               "a vocabulary of 10,000 trained on the stories, their first 5 MB",
               vocab, merges, text_of("stories", 5_000_000))


def profiles():
    """Where the time of each stage in plain Python goes, by cProfile, largest share first."""
    vocab, merges = gpt2()
    pretokens = text_of("web", 500_000)
    numbers = {"stage01": 100, "stage02": 2_000, "stage03": 2_000, "stage04": 50_000,
               "stage05": 50_000, "stage06": 100_000}
    seen = {}
    for stage in stages.ladder("encode"):
        if stage.compiled:
            continue
        encode = stage.load().Encoder(vocab, merges).encode_pretoken
        some = pretokens[:numbers[stage.number]]
        profiler = cProfile.Profile()
        profiler.runcall(lambda encode, some: [encode(word) for word in some], encode, some)
        stats = pstats.Stats(profiler).get_stats_profile()
        rows = [(function.tottime / stats.total_tt, name, function.ncalls)
                for name, function in stats.func_profiles.items()]
        seen[stage.name] = {
            "pretokens": len(some),
            "rows": [{"share": share, "function": name, "calls": calls}
                     for share, name, calls in sorted(rows, reverse=True)[:6]],
        }
        print(stage.name, *seen[stage.name]["rows"], sep="\n  ")
    save("profiles", {"stages": seen})


def filters():
    """What stages 02 and 03 ask of every merge, how often it is so, and what asking costs."""
    _, merges = gpt2()
    pretokens = text_of("web", 20_000)[:1_000]
    merge_pair = stages.find("encode", "stage02").load().merge_pair
    left_there = both_there = applied = 0
    for word in pretokens:
        tokens = [bytes([byte]) for byte in word]
        present = set(tokens)
        for left, right in merges:
            if left in present:
                left_there += 1
                if right in present:
                    both_there += 1
                    merged = merge_pair(tokens, (left, right))
                    if len(merged) < len(tokens):
                        applied += 1
                        tokens, present = merged, set(merged)

    tokens = [bytes([byte]) for byte in b" house"]
    words, pairs = set(tokens), set(zip(tokens, tokens[1:]))

    def nothing():
        for _left, _right in merges:
            pass

    def ask_for_tokens():
        for left, right in merges:
            if left in words and right in words:
                pass

    def ask_for_pairs():
        for pair in merges:
            if pair in pairs:
                pass

    seconds = {function.__name__: [] for function in (nothing, ask_for_tokens, ask_for_pairs)}
    for _ in range(51):
        for function in (nothing, ask_for_tokens, ask_for_pairs):
            start = thread_time()
            function()
            seconds[function.__name__].append(thread_time() - start)
    nanoseconds = {name: statistics.median(values) / len(merges) * 1e9
                   for name, values in seconds.items()}
    n = len(pretokens)
    result = {"pretokens": n, "merges": len(merges), "left_there": left_there / n,
              "both_there": both_there / n, "applied": applied / n, "nanoseconds": nanoseconds}
    print(result)
    save("filters", result)


def warming():
    """What is a cache worth, by the length of the text? A heap without and with one, and typed."""
    vocab, merges = gpt2()
    pretokens = text_of("web", 10_000_000)
    sizes, size, seen, found = [], 0, set(), 0
    goals = [1_000, 10_000, 100_000, 1_000_000, 10_000_000 - 100]
    for number, word in enumerate(pretokens, 1):
        size += len(word)
        found += word in seen
        seen.add(word)
        if len(sizes) < len(goals) and (size >= goals[len(sizes)] or number == len(pretokens)):
            sizes.append({"pretokens": number, "num_bytes": size, "seen": found / number,
                          "speeds": {"stage05": [], "stage06": [], "stage09": []}})
    for _ in range(3):
        for row in sizes:
            for number, speeds in row["speeds"].items():
                run = measure_encoding(stages.find("encode", number), vocab, merges,
                                       pretokens[:row["pretokens"]],
                                       limit=LIMITS.get(number, inf))
                speeds.append(run.bytes_per_second)
    for row in sizes:
        row["medians"] = {name: statistics.median(values) for name, values in row["speeds"].items()}
        print(row)
    save("warming", {"rows": sizes, "rounds": 3})


PASSES_FROM = "stage12"  # the first with a cache of its own
PASSES_BYTES = 20_000_000


def encode_twice(pipe, stage, vocab, merges, text):
    """In a fresh process: the seconds of two passes over a text, and the number of its tokens."""
    encode = stage.load().Encoder(vocab, merges).encode_text
    use_memory()
    seconds = []
    for _ in range(2):
        start = thread_time()
        ids = encode(text)
        seconds.append(thread_time() - start)
    pipe.send(("result", (*seconds, len(ids))))


def passes():
    """The stages with a cache, on a text that is new to them, and on the same one again."""
    vocab, merges = gpt2()
    chosen = [stage for stage in stages.ladder("encode") if stage.number >= PASSES_FROM]
    rows = []
    for name in ("web", "stories", "code", "multilingual"):
        with corpus(name).open("rb") as file:
            text = file.read(PASSES_BYTES).decode("utf-8", "ignore").encode()
        seen = {stage.name: [] for stage in chosen}
        for _ in range(5):
            for stage in chosen:
                seen[stage.name].append(in_fresh_process(
                    encode_twice, stage, lambda: None, dict(vocab), list(merges), text))
        assert len({tokens for runs in seen.values() for *_, tokens in runs}) == 1
        for stage_name, runs in seen.items():
            rows.append({"text": name, "stage": stage_name, "num_bytes": len(text),
                         "first": [run[0] for run in runs], "second": [run[1] for run in runs]})
            print(name, stage_name, *(f"{len(text) / 1e6 / statistics.median(rows[-1][which]):.1f}"
                                      for which in ("first", "second")), flush=True)
    save("passes", {"rows": rows, "rounds": 5})


LENGTHS = [2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512]


def crossing():
    """A plain scan against a heap, by the length of the pretoken, in one process, interleaved."""
    vocab, merges = gpt2()
    scan = Encoder(vocab, merges, heap_from=2**31).encode_pretoken
    heap = Encoder(vocab, merges, heap_from=0).encode_pretoken
    rng = random.Random(336)
    letters = b"abcdefghijklmnopqrstuvwxyz"
    web = text_of("web", 5_000_000)
    words = b"".join(word for word in web if word[:1] == b" " and word[1:].isalpha())

    def nanoseconds(encode, pretokens):
        start = thread_time()
        for pretoken in pretokens:
            encode(pretoken)
        return (thread_time() - start) / len(pretokens) * 1e9

    rows = []
    for length in LENGTHS:
        number = max(40, 20_000 // length)
        starts = rng.sample(range(len(words) - length), number)
        kinds = {"random letters": [bytes(rng.choices(letters, k=length)) for _ in range(number)],
                 "one letter": [b"a" * length] * number,
                 "real words": [words[start:start + length] for start in starts]}
        for kind, pretokens in kinds.items():
            assert [*map(scan, pretokens)] == [*map(heap, pretokens)]
            times = {"scan": [], "heap": []}
            for _ in range(21):
                times["scan"].append(nanoseconds(scan, pretokens))
                times["heap"].append(nanoseconds(heap, pretokens))
            rows.append({"length": length, "kind": kind, "number": number,
                         **{name: statistics.median(values) for name, values in times.items()},
                         "ratio": statistics.median(
                             b / a for a, b in zip(times["scan"], times["heap"]))})
            print(rows[-1], flush=True)
    shares = {}
    for name in ("stories", "web", "code", "multilingual"):
        sizes = [len(word) for word in text_of(name, 5_000_000)]
        shares[name] = {"mean": statistics.mean(sizes), "longest": max(sizes), **{
            str(limit): sum(size >= limit for size in sizes) / len(sizes)
            for limit in (8, 16, 32, 64, HEAP_FROM)}}
    save("crossing", {"rows": rows, "shares": shares, "heap_from": HEAP_FROM})


EXPERIMENTS = {function.__name__: function for function in (
    ladder_gpt2, ladder_multilingual, ladder_stories, profiles, filters, warming,
    passes, crossing)}


if __name__ == "__main__":
    run_experiments(EXPERIMENTS)
