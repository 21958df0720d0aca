"""How far the last rungs are from the limit: the measurements behind that section of each ladder.

    CS336_BPE_DATA=folder python benchmarks/run_limits.py pretokenize encode decode train

The work of a ladder can't be done without some steps: reading the text, finding its pretokens,
visiting a place in memory for each of them, writing the result. Each step is done here by itself,
by our scanner or by numpy, with all that it needs to know worked out before the clock starts.
Beside it the last rung does the whole work. Steps and rungs take turns, on one core, and the time
is that of the processor.
"""

import time
from functools import partial
from statistics import median

import common
import numpy
from common import corpus, run_experiments
from run_encode import gpt2
from run_tokenizer import gpt2 as gpt2_tokenizer
from run_train import real_counts

from cs336_bpe import count_pretokens_in, stages
from cs336_bpe.encode.trace import merge_by_rank, pairs_of
from cs336_bpe.native.scan import count_starts, find_starts
from cs336_bpe.rules import BYTES

save = partial(common.save, "limits")
ROUNDS = 9
PADDING = bytes(64)  # that the scanner may read
NUM_BYTES = 20_000_000
COUNT_ENTRY, WORD_ENTRY, LONGEST_COPY = 3, 4, 2  # in 8 bytes: a count's, a word's, 16 bytes of text
VOCAB_SIZE = 32_000


def in_turns(steps, rounds=ROUNDS):
    """{name: all its times}; a step is a function, or a pair of one that makes it ready and it.

    The first round isn't kept: in it, memory is touched for the first time.
    """
    seconds = {name: [] for name in steps}
    for _ in range(rounds + 1):
        for name, step in steps.items():
            make, run = step if isinstance(step, tuple) else (lambda: (), step)
            ready = make()
            start = time.process_time()
            result = run(*ready)
            seconds[name].append(time.process_time() - start)
            del result, ready
    for name, values in seconds.items():
        del values[0]
        print(f"{name:50} {median(values):.4f} s", flush=True)
    return seconds


def keep(name, seconds, *, needed, rungs, unit, number, **more):
    """`needed` are the steps without which there is no result; `rungs` are what is compared."""
    limit = sum(median(seconds[step]) for step in needed)
    save(name, {"seconds": seconds, "needed": needed, "limit": limit,
                "times_limit": {rung: median(seconds[rung]) / limit for rung in rungs},
                "unit": unit, "number": number, "rounds": ROUNDS, **more})


def read_once(data):
    """A function that reads all bytes once, 8 at a time."""
    words = numpy.frombuffer(data, dtype="<u8", count=len(data) // 8)
    return lambda: words.sum()


def places_of(text, entry):
    """(places, table): where a hash table has the entry of each pretoken of a text, in order.

    The table is as large as a real one that is at most half full, and entries are at random places,
    as a hash puts them. There are ones in it, because memory that was never written is not there.
    """
    starts = [*find_starts(text, "gpt2"), len(text)]
    numbers = {}
    in_order = numpy.fromiter(
        (numbers.setdefault(text[a:b], len(numbers)) for a, b in zip(starts, starts[1:])),
        dtype=numpy.int64, count=len(starts) - 1)
    size = 1 << (2 * len(numbers)).bit_length()
    at_random = numpy.random.default_rng(1).permutation(size)[:len(numbers)]
    return at_random[in_order], numpy.ones((size, entry), dtype=numpy.int64)


def visit(table, places, column):
    """A function that reads one number of each place, in order."""
    numbers, flat = places * table.shape[1] + column, table.reshape(-1)
    found = numpy.empty(len(places), dtype=flat.dtype)
    return lambda: numpy.take(flat, numbers, out=found, mode="clip")


def pretokenize():
    """Counting all of web.txt, with one worker."""
    text = corpus("web").read_bytes()
    padded = text + PADDING
    places, table = places_of(text, COUNT_ENTRY)
    rung = stages.ladder("pretokenize")[-1].name
    seconds = in_turns({
        "read the text once": read_once(text),
        "find the pretokens": lambda: count_starts(padded, "gpt2"),
        "visit one place of a table for each": visit(table, places, 2),
        rung: lambda: count_pretokens_in(text, [], workers=1),
    })
    keep("pretokenize", seconds, needed=["find the pretokens",
                                         "visit one place of a table for each"],
         rungs=[rung], unit="byte", number=len(text), pretokens=len(places),
         table_bytes=table.nbytes)


def encode():
    """GPT-2's vocabulary and 20 MB of web text, to an array; new text, and text that is known."""
    text = corpus("web").read_bytes()[:NUM_BYTES].decode(errors="ignore").encode()
    padded = text + PADDING
    places, table = places_of(text, WORD_ENTRY)
    known = gpt2_tokenizer()
    for _ in range(5):
        ids = known.encode_array(text.decode())
    as_text, copy = text.decode(), numpy.empty_like(ids)
    seconds = in_turns({
        "read the text once": read_once(text),
        "find the pretokens": lambda: count_starts(padded, "gpt2"),
        "visit one place of a table for each": visit(table, places, 2),
        "write the ids": lambda: numpy.copyto(copy, ids),
        "the tokenizer, all words known": lambda: known.encode_array(as_text),
        "the tokenizer, new text": (lambda: (gpt2_tokenizer(),),
                                    lambda tokenizer: tokenizer.encode_array(as_text)),
    })
    keep("encode", seconds, needed=["find the pretokens", "visit one place of a table for each",
                                    "write the ids"],
         rungs=["the tokenizer, all words known", "the tokenizer, new text"], unit="byte",
         number=len(text), pretokens=len(places), table_bytes=table.nbytes, ids=len(ids))


def decode():
    """GPT-2's vocabulary and the ids of 20 MB of web text, from an array to bytes."""
    text = corpus("web").read_bytes()[:NUM_BYTES].decode(errors="ignore")
    ids = gpt2_tokenizer().encode_array(text)
    vocab, _ = gpt2()
    stage = stages.ladder("decode")[-1]
    decoder = stage.load().Decoder(vocab)
    data = numpy.frombuffer(text.encode(), dtype=numpy.uint8)
    table = numpy.ones((max(vocab) + 1, LONGEST_COPY), dtype=numpy.int64)
    places = ids.astype(numpy.int64)
    seconds = in_turns({
        "read the ids once": read_once(ids.tobytes()),
        "write the text": data.tobytes,
        "visit one place of a table for each id": visit(table, places, 0),
        stage.name: lambda: decoder.decode_bytes(ids),
    })
    keep("decode", seconds, needed=["write the text",
                                    "visit one place of a table for each id"],
         rungs=[stage.name], unit="token", number=len(ids), table_bytes=table.nbytes)


def changed_cells(counts, merges):
    """In the order of training: the cell at which each merge of each distinct pretoken begins."""
    pairs = pairs_of(merges)
    ranks, cells = [], []
    begin = 1  # an empty cell is before each word
    for word in counts:
        def note(rank, place, begin=begin):
            ranks.append(rank)
            cells.append(begin + place)
        merge_by_rank([BYTES[byte] for byte in word], pairs, note)
        begin += len(word) + 1
    ranks, cells = numpy.array(ranks), numpy.array(cells)
    return cells[numpy.lexsort((cells, ranks))], begin


def train():
    """The counts of web.txt, to a vocabulary of 32,000."""
    counts = real_counts("web")
    stage = stages.ladder("train")[-1]
    learn_merges = stage.load().learn_merges
    num_merges = VOCAB_SIZE - 257
    places, num_cells = changed_cells(counts, learn_merges(counts, num_merges))
    table = numpy.ones((num_cells, 3), dtype=numpy.int32)  # a cell has 12 bytes
    numbers, flat = places * 3, table.reshape(-1)
    seconds = in_turns({
        "read all cells once": read_once(table.tobytes()),
        "read each changed cell": visit(table, places, 0),
        "write each changed cell": lambda: numpy.put(flat, numbers, 1, mode="clip"),
        f"{stage.name}, without a merge": lambda: learn_merges(counts, 0),
        stage.name: lambda: learn_merges(counts, num_merges),
    })
    keep("train", seconds, needed=["read each changed cell", "write each changed cell"],
         rungs=[stage.name], unit="changed place", number=len(places), merges=num_merges,
         cells=num_cells)


EXPERIMENTS = {function.__name__: function for function in (pretokenize, encode, decode, train)}


if __name__ == "__main__":
    run_experiments(EXPERIMENTS)
