"""The commands of `cs336-bpe`, one small module for each, or for two that belong together.

A module has two functions for each command: `configure_NAME(parser)` adds its arguments, and
`run_NAME(options)` does the work and returns the exit code. Only the module of the command that was
asked for is imported.
"""

from typing import NamedTuple


class Command(NamedTuple):
    """A row of the table below."""

    module: str
    summary: str
    example: str


COMMANDS = {
    "train": Command("train", "learn a tokenizer from text files",
                     "cs336-bpe train corpus.txt --vocab-size 10000 -o tokenizer"),
    "count": Command("count", "count the pretokens of text files, and save the counts",
                     "cs336-bpe count part1.txt part2.txt -o parts.counts"),
    "merge-counts": Command("count", "add saved counts up",
                            "cs336-bpe merge-counts a.counts b.counts -o all.counts"),
    "encode": Command("encode", "text to ids, from file to file or as a filter",
                      "cs336-bpe encode corpus.txt -o corpus.npy --tokenizer tokenizer"),
    "decode": Command("decode", "ids to text, from file to file or as a filter",
                      "cs336-bpe decode corpus.npy -o corpus.txt --tokenizer tokenizer"),
    "show": Command("show", "the tokens of a text, in colour or as a page",
                    "cs336-bpe show 'How is this cut?' --tokenizer tokenizer"),
    "explore": Command("show", "a page about a tokenizer: its tokens, merges and compression",
                       "cs336-bpe explore tokenizer -o tokenizer.html"),
    "pattern": Command("pattern", "a pattern as an automaton, and how it splits a text",
                       "cs336-bpe pattern gpt4 'How is this split?'"),
    "play": Command("play", "pages to step through: UTF-8, training, masks, a heap, a ladder",
                    "cs336-bpe play training low:5 lower:2 newest:6 widest:3 -o training.html"),
    "compare": Command("compare", "how two tokenizers differ",
                       "cs336-bpe compare tokenizer-a tokenizer-b --on text.txt"),
    "convert": Command("convert", "from one format of tokenizers to another",
                       "cs336-bpe convert tokenizer -o tokenizer.json"),
    "sample": Command("sample", "take some documents of a corpus",
                      "cs336-bpe sample corpus.txt -o tenth.txt --fraction 0.1"),
    "fetch": Command("fetch", "download a corpus of the coursework",
                     "cs336-bpe fetch tinystories-valid -o data"),
    "cost": Command("cost", "what a vocabulary costs a model",
                    "cs336-bpe cost --shape small --sizes"),
    "machine": Command("machine", "what this machine is, and what single steps cost on it",
                       "cs336-bpe machine --json"),
    "ladder": Command("ladder", "run the ladders and print their speedup tables",
                      "cs336-bpe ladder --corpus my.txt --vocab-size 5000"),
    "reproduce": Command("reproduce", "run published experiments here, and judge their figures",
                         "cs336-bpe reproduce A2 C4 --quick"),
    "completion": Command("completion", "a script that lets your shell complete all of this",
                          "cs336-bpe completion bash"),
}
