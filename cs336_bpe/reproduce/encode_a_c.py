"""The figures of write-ups A and C on encoding: A5, C4 and C5. A6 is in workers.py."""

import os
from itertools import islice
from time import perf_counter

import numpy

from cs336_bpe import stages
from cs336_bpe.cost.bytes_per_token import bytes_per_token
from cs336_bpe.measure.encoding import EncodeMeasurement, measure_encoding, split_text
from cs336_bpe.measure.ladders import check_encodings
from cs336_bpe.measure.process import measure_call
from cs336_bpe.pretokenize import PretokenCounts, count_pretokens_in
from cs336_bpe.reproduce import digits
from cs336_bpe.reproduce.rungs import SPECIALS, cores, label, last_of, rung
from cs336_bpe.reproduce.texts import Lab, Text
from cs336_bpe.reproduce.verdicts import Line, Outcome, Table, shown
from cs336_bpe.rules import END_OF_TEXT, Pair, Vocab
from cs336_bpe.tokenizer import Tokenizer
from cs336_bpe.train import train_bpe_from_counts

HEAP, CACHED, LAST = rung("encode", "rank_heap"), rung("encode", "cached_words"), last_of("encode")
FILES = (("TinyStories-train", "tinystories-train", 10_000),
         ("TinyStories-valid", "tinystories-valid", 10_000),
         ("OpenWebText-train", "owt-train", 32_000))
ONE_PROCESS = "one process here, 16 there"
NOT_THERE = "the file itself is not there"
CUT_BEFORE = "A's times include cutting the text, ours don't"


def vocabulary(lab: Lab, text: Text, vocab_size: int) -> tuple[Vocab, list[Pair]]:
    """A vocabulary learned from the text, or from the counts of all of TinyStories-train."""
    real = lab.tinystories_counts if text.role.label.startswith("TinyStories") else None
    return train_bpe_from_counts(real if real is not None else lab.counts(text), vocab_size,
                                 SPECIALS)


def beginning(text: Text, num_bytes: int) -> str:
    with text.path.open("rb") as file:
        return file.read(num_bytes).decode("utf-8", "ignore")


def encode_whole(path: str, target: str, vocab: Vocab, merges: list[Pair],
                 workers: int) -> tuple[int, float, str]:
    """A file to a file of ids: how many, the seconds, and the type of array. In a fresh process."""
    tokenizer = Tokenizer(vocab, merges, SPECIALS)
    start = perf_counter()
    number = tokenizer.encode_file(path, target, workers=workers)
    seconds = perf_counter() - start
    return number, seconds, str(numpy.load(target, mmap_mode="r").dtype)


def measure_file(lab: Lab, text: Text, vocab: Vocab,
                 merges: list[Pair]) -> tuple[int, float, str]:
    target = lab.folder / "ids.npy"
    try:
        result: tuple[int, float, str] = measure_call(
            encode_whole, os.fspath(text.path), os.fspath(target), vocab, merges, cores()).value
        return result
    finally:
        target.unlink(missing_ok=True)


def a5(lab: Lab) -> Outcome:
    """Whole files to ids: tokens, seconds, tokens per second, naive and optimized."""
    lines = []
    for name, role, vocab_size in FILES:
        size = lab.pick(50_000, 5_000_000, None if lab.has(role) else 99_000_000)
        text = lab.text(role, size)
        vocab, merges = vocabulary(lab, text, lab.pick(600, vocab_size, vocab_size))
        pretokens = split_text(beginning(text, lab.pick(20_000, 1_000_000, 5_000_000)), SPECIALS)
        runs = {}
        for stage in (HEAP, CACHED):
            lab.note(f"{text.label}: {label(stage)}")
            runs[stage] = measure_encoding(stage, vocab, merges, pretokens,
                                           limit=lab.pick(0.2, 2.0, 20.0))
        check_encodings(list(runs.values()))
        lab.note(f"{text.label}: {label(LAST)}, {cores()} threads")
        tokens, seconds, _ = measure_file(lab, text, vocab, merges)
        lines.append(token_line(lab, name, text, tokens))
        lines += file_lines(name, text, runs, tokens, seconds)
    return Outcome(lines)


def token_line(lab: Lab, name: str, text: Text, tokens: int) -> Line:
    real = lab.tinystories_counts
    if name == "TinyStories-train" and real is not None:
        return Line("A5", f"{name}: tokens", f"{digits.compute(real).tokens:,}", label(LAST),
                    name, note="the page says what was tried to explain the difference")
    return Line("A5", f"{name}: tokens", f"{tokens:,}", label(LAST), text.label,
                reason="" if text.is_published else NOT_THERE)


def file_lines(name: str, text: Text, runs: dict[stages.Stage, EncodeMeasurement], tokens: int,
               seconds: float) -> list[Line]:
    """What the two rungs and the last one make of a file."""
    lines = []
    for version, stage in (("naive", HEAP), ("optimized", CACHED)):
        whole = text.role.num_bytes / runs[stage].bytes_per_second
        lines.append(Line("A5", f"{name}: {version}", whole, label(stage), text.label,
                          scaled=True, reason=ONE_PROCESS))
    scaled = bool(text.difference)
    lines.append(Line("A5", f"{name}: optimized", seconds * (text.factor if scaled else 1),
                      label(LAST), text.label, True, scaled))
    cached = runs[CACHED]
    lines.append(Line("A5", f"{name}: tokens/s", cached.num_tokens / cached.seconds,
                      label(CACHED), text.label, reason=ONE_PROCESS))
    lines.append(Line("A5", f"{name}: tokens/s", tokens / seconds, label(LAST),
                      text.label, True, note=f"{cores()} threads"))
    lines.append(Line("A5", f"{name}: gain", cached.bytes_per_second
                      / runs[HEAP].bytes_per_second, label(HEAP, CACHED), text.label,
                      reason=CUT_BEFORE))
    return lines


# --- C4 ------------------------------------------------------------------------------------

STEPS = (("replay every merge", "replay_merges"), ("skip absent tokens", "skip_absent"),
         ("a set of the pairs present", "pair_set"), ("a heap by merge rank", "rank_heap"))


def c4(lab: Lab) -> Outcome:
    """Four encoders beside four, and every other rung."""
    text = lab.text("tinystories-valid", lab.pick(50_000, 2_000_000, None))
    vocab, merges = vocabulary(lab, text, lab.pick(600, 10_000, 10_000))
    pretokens = split_text(beginning(text, lab.pick(10_000, 1_000_000, 5_000_000)), SPECIALS)
    speeds, runs = {}, []
    steps = [rung("encode", idea) for _, idea in STEPS]
    ladder = stages.ladder("encode")
    for stage in lab.pick([*steps, LAST], ladder, ladder):
        lab.note(f"{text.label}: {label(stage)}")
        run = measure_encoding(stage, vocab, merges, pretokens, limit=lab.pick(0.1, 1.0, 10.0))
        speeds[stage.name] = run.bytes_per_second
        runs.append(run)
    check_encodings(runs)
    lines = [Line("C4", name, speeds[stage.name], label(stage), text.label)
             for (name, _), stage in zip(STEPS, steps)]
    lines.append(Line("C4", "a heap by merge rank", speeds[LAST.name], label(LAST), text.label,
                      last=True))
    for name, one, other in (("gain of skipping", 0, 1), ("gain of the set over skipping", 1, 2),
                             ("gain of the heap over the set", 2, 3)):
        lines.append(Line("C4", name, speeds[steps[other].name] / speeds[steps[one].name],
                          label(steps[one], steps[other]), text.label))
    real = lab.tinystories_counts
    lines.append(Line("C4", "tokens per byte", None if real is None else
                      digits.compute(real).tokens_per_byte, label(LAST),
                      "" if real is None else "TinyStories-train",
                      reason="neither TinyStories-train nor its counts are there"
                      if real is None else ""))
    table = Table(f"All rungs, on {text.label}", ["stage", "bytes/s", "idea"],
                  [[stage.number, shown(speeds[stage.name], "bytes/s"), stage.idea]
                   for stage in ladder if stage.name in speeds])
    return Outcome(lines, [table])


# --- C5 ------------------------------------------------------------------------------------


def c5(lab: Lab) -> Outcome:
    """Longest tokens, tokens per byte on own and foreign text, and the type of the ids."""
    size = lab.pick(100_000, 5_000_000, 99_000_000)
    stories, web = lab.text("tinystories-valid", size), lab.text("owt-sample", size)
    sizes = lab.pick((400, 600), (10_000, 32_000), (10_000, 32_000))
    lab.note("tokenizers of both texts")
    vocabularies = [train_bpe_from_counts(train_counts(text), vocab_size, SPECIALS)
                    for text, vocab_size in zip((stories, web), sizes)]
    (own_vocab, own), (web_vocab, webs) = vocabularies
    lines = []
    for name, merges, text in (("stories, own", own, stories), ("web, own", webs, web),
                               ("web, stories'", own, web)):
        held_out = count_pretokens_in(held_out_part(text), SPECIALS)
        ratio = 1 / bytes_per_token(merges, held_out, [257 + len(merges)], num_specials=1)[
            257 + len(merges)]
        lines.append(Line("C5", f"tokens per byte: {name}", ratio, label(last_of("train")),
                          f"{text.label}, the last twentieth held out",
                          reason=f"{text.label}, not {text.role.label}" if text.is_generated
                          else ""))
    real = lab.tinystories_counts
    number, token = digits.compute(real).longest[0] if real is not None else (0, "")
    lines.insert(0, Line("C5", "longest TinyStories token",
                         f"{token!r} ({number})" if token else None, label(last_of("train")),
                         "TinyStories-train" if token else "", reason="" if token else
                         "neither TinyStories-train nor its counts are there"))
    lab.note(f"{stories.label}: {label(LAST)}")
    _, _, dtype = measure_file(lab, stories, own_vocab, own)
    lines.append(Line("C5", "array type of the ids", dtype, label(LAST), stories.label,
                      note=f"the greatest ids are {max(own_vocab):,} and {max(web_vocab):,}; "
                      f"uint16 has room up to {2**16 - 1:,}"))
    tokens = sorted(set(web_vocab.values()) - {END_OF_TEXT.encode()},
                    key=lambda token: (-len(token), token))
    longest = tokens[0].decode("utf-8", "backslashreplace")
    lines.append(Line("C5", "longest web token is mojibake",
                      "yes" if is_mojibake(longest) else "no", label(last_of("train")), web.label,
                      note=f"it is {shorten(longest)}, {len(tokens[0])} bytes",
                      reason="" if lab.has("owt-sample") else f"{web.label}, not OpenWebText"))
    return Outcome(lines, [Table(
        "The longest tokens", ["stories", "bytes", "web", "bytes"],
        [[shorten(_text(one)), str(len(one)), shorten(_text(other)), str(len(other))]
         for one, other in islice(zip(sorted(own_vocab.values(), key=len, reverse=True), tokens),
                                  5)])])


def train_counts(text: Text) -> PretokenCounts:
    data = text.path.read_bytes()
    return count_pretokens_in(data[:cut_of(data)], SPECIALS)


def held_out_part(text: Text) -> bytes:
    data = text.path.read_bytes()
    return data[cut_of(data):]


def cut_of(data: bytes) -> int:
    """Where the last twentieth of the documents begins."""
    wanted = len(data) * 19 // 20
    later, earlier = data.find(END_OF_TEXT.encode(), wanted), data.rfind(END_OF_TEXT.encode(), 0,
                                                                         wanted)
    return later if later > 0 else earlier if earlier > 0 else wanted


def _text(token: bytes) -> str:
    return token.decode("utf-8", "backslashreplace")


def shorten(text: str, most: int = 24) -> str:
    """
    >>> shorten("-" * 64), shorten(" accomplishment")
    ("'----------------------' ...", "' accomplishment'")
    """
    return repr(text) if len(text) <= most else f"{text[: most - 2]!r} ..."


def is_mojibake(text: str) -> bool:
    """Whether a text is UTF-8 that was read as Latin-1, once or several times.

    >>> is_mojibake("Ã‚Ã‚".encode().decode()), is_mojibake("Ã\\x83Ã\\x82"), is_mojibake("naïve")
    (False, True, False)
    """
    try:
        return not text.isascii() and text.encode("latin-1").decode("utf-8") != text
    except UnicodeError:
        return False
