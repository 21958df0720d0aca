"""`ladder --mine`: a reader's own code, judged, timed, and placed on the ladder."""

import argparse
import os
from collections import Counter
from pathlib import Path
from typing import Any

from cs336_bpe import stages
from cs336_bpe.commands.console import note, print_result, save_json
from cs336_bpe.commands.parser import any_number, whole_number
from cs336_bpe.judge import Verdict, judge_pretokenizer, judge_tokenizer, judge_trainer
from cs336_bpe.judge.encoding import encoding_calls
from cs336_bpe.judge.encoding_mistakes import vocabulary
from cs336_bpe.judge.placing import place
from cs336_bpe.judge.pretokenizing import pretokenizing_calls
from cs336_bpe.judge.probes import ENCODING_SPECIALS
from cs336_bpe.judge.sandbox import Outcome, Sandbox
from cs336_bpe.judge.training import Trained, training_calls
from cs336_bpe.judge.verdict import Finding
from cs336_bpe.measure import ladders
from cs336_bpe.measure.counting import measure_counting
from cs336_bpe.measure.encoding import split_text
from cs336_bpe.pretokenize import count_pretokens
from cs336_bpe.tokenizer import Tokenizer
from cs336_bpe.train import train_bpe_from_counts

ENCODED_BYTES = 200_000  # a reader's tokenizer may be slow


def add_mine(parser: argparse.ArgumentParser) -> None:
    own = parser.add_argument_group(
        "your own code", "Instead of running all ladders: is yours right, and between which rungs "
        "is it? NAME is module:function or path/to/file.py:function. It runs in a process of its "
        "own, and is compared with stage 01 first.")
    own.add_argument("--mine", metavar="NAME",
                     help="your run_train_bpe(input_path, vocab_size, special_tokens)")
    own.add_argument("--my-tokenizer", metavar="NAME",
                     help="your Tokenizer(vocab, merges, special_tokens)")
    own.add_argument("--my-pretokenizer", metavar="NAME",
                     help="your function (text, special_tokens) -> pretokens, or their counts")
    own.add_argument("--time-limit", type=any_number, default=60.0, metavar="SECONDS",
                     help="for your code on the corpus (default: 60); a sixth of it for each small "
                     "test")
    own.add_argument("--memory-limit", type=whole_number, default=1000, metavar="MB",
                     help="for your code (default: 1000)")


def is_wanted(options: argparse.Namespace) -> bool:
    return bool(options.mine or options.my_tokenizer or options.my_pretokenizer)


def run_mine(options: argparse.Namespace, path: Path, specials: list[str]) -> int:
    """Judge what was named; 0 if all of it is right."""
    verdicts, texts = [], []
    for name, judge, run in ((options.mine, judge_trainer, run_trainer),
                             (options.my_tokenizer, judge_tokenizer, run_tokenizer),
                             (options.my_pretokenizer, judge_pretokenizer, run_pretokenizer)):
        if name:
            note(options, f"{name}: on small texts")
            verdict = judge(name, seconds=options.time_limit / 6, megabytes=options.memory_limit)
            text = str(verdict)
            if verdict.is_right:
                note(options, f"{name}: on the corpus, at most {options.time_limit:g} s")
                where = run(options, name, verdict, path, specials)
                text = "\n".join([str(verdict), where])
            verdicts.append(verdict)
            texts.append(text)
    results = {"mine": [verdict.as_json() for verdict in verdicts]}
    save_json(options, results)
    print_result(options, results, "\n\n".join(texts))
    return 0 if all(verdict.is_right for verdict in verdicts) else 1


def _on_corpus(verdict: Verdict, outcome: Outcome) -> bool:
    """Note a call that went wrong; whether it went right."""
    if not outcome.is_done:
        verdict.findings.append(Finding("the corpus", "cost", outcome.problem))
        return False
    verdict.seconds = outcome.seconds
    return True


def run_trainer(options: argparse.Namespace, name: str, verdict: Verdict, path: Path,
                specials: list[str]) -> str:
    with Sandbox(name, training_calls, seconds=options.time_limit,
                 megabytes=options.memory_limit) as sandbox:
        outcome = sandbox.call("train", os.fspath(path), options.vocab_size, specials)
    if not _on_corpus(verdict, outcome):
        return f"On the corpus {outcome.problem}."
    counts = count_pretokens(path, specials)
    _, merges = train_bpe_from_counts(counts, options.vocab_size, specials)
    mine: Trained = outcome.value
    if mine.merges != merges:
        at = next((place for place, (one, other) in enumerate(zip(mine.merges, merges))
                   if one != other), min(len(mine.merges), len(merges)))
        words = f"the merges differ from stage 01's at number {at}"
        verdict.findings.append(Finding("the corpus", "rule 8", words))
        return f"On the corpus {words}, although all small texts are right."
    counting = measure_counting(stages.find("pretokenize", "stage02"), path, specials)
    rows = ladders.run_training_ladder(counts, len(merges), limit=options.limit)
    rungs = [(row.stage, counting.seconds + row.run.whole_seconds) for row in rows]
    return (f"Right on the corpus too, in {outcome.seconds:.2f} s from the file to the merges. "
            f"Reading and counting\nwith `regex` takes {counting.seconds:.2f} s, and is added to "
            f"the times of the training stages.\n{place(outcome.seconds, rungs)}")


def run_tokenizer(options: argparse.Namespace, name: str, verdict: Verdict, path: Path,
                  specials: list[str]) -> str:
    text = path.read_bytes()[:ENCODED_BYTES].decode("utf-8", "ignore")
    with Sandbox(name, encoding_calls, seconds=options.time_limit,
                 megabytes=options.memory_limit) as sandbox:
        outcome = sandbox.call("encode", text)
    if not _on_corpus(verdict, outcome):
        return f"On the corpus {outcome.problem}."
    vocab, merges = vocabulary()
    if outcome.value != Tokenizer(vocab, merges, ENCODING_SPECIALS).encode(text):
        words = "the ids differ from stage 01's"
        verdict.findings.append(Finding("the corpus", "rule 10", words))
        return f"On the corpus {words}, although all small texts are right."
    pretokens = split_text(text, ENCODING_SPECIALS)
    rows = ladders.run_encoding_ladder(vocab, merges, pretokens, limit=options.limit)
    size = len(text.encode())
    rungs = [(stages.find("encode", row["stage"]), size / row["bytes_per_second"]) for row in rows]
    return (f"Right on the first {size:,} bytes of the corpus too, in {outcome.seconds:.2f} s "
            f"({size / outcome.seconds:,.0f} bytes/s).\n{place(outcome.seconds, rungs)}")


def run_pretokenizer(options: argparse.Namespace, name: str, verdict: Verdict, path: Path,
                     specials: list[str]) -> str:
    text = path.read_bytes().decode("utf-8", "replace")
    with Sandbox(name, pretokenizing_calls, seconds=options.time_limit,
                 megabytes=options.memory_limit) as sandbox:
        outcome = sandbox.call("split", text, specials)
    if not _on_corpus(verdict, outcome):
        return f"On the corpus {outcome.problem}."
    right: Any = count_pretokens(path, specials, errors="replace")
    if outcome.value.counts != Counter(dict(right)):
        words = "the counts differ from stage 01's"
        verdict.findings.append(Finding("the corpus", "rule 1", words))
        return f"On the corpus {words}, although all small texts are right."
    rows = ladders.run_counting_ladder(path, specials, workers=1)
    rungs = [(stages.find("pretokenize", row["stage"]), row["seconds"]) for row in rows]
    return (f"Right on the corpus too, in {outcome.seconds:.2f} s.\n"
            f"{place(outcome.seconds, rungs)}")
