"""Files encoded and decoded in blocks of any size, by any number of workers."""

import numpy

from cs336_bpe.tokenizer import files, id_files
from fuzz import texts
from fuzz.core import folder, outcome, setting
from fuzz.modes.encode import make_tokenizer

OPTIONS = {"numbering", "errors", "choice", "workers", "block_bytes", "name"}


def make(rng):
    merges = texts.merges(rng, 30)
    pattern = texts.pattern(rng)
    specials = texts.special_tokens(rng, 8)
    return {"merges": merges, "numbering": texts.numbering(rng), "specials": specials,
            "pattern": pattern, "data": texts.data(rng, specials, pattern=pattern),
            "errors": rng.choice(["strict", "replace", "ignore"]),
            "choice": rng.choice(["all", "none", "raise"]), "workers": rng.choice([1, 2, 3]),
            "block_bytes": rng.choice([1, 2, 3, 7, 16, 100, 1000]),
            "name": rng.choice(["ids.npy", "ids.bin"])}


def check(same, merges, numbering, specials, pattern, data, errors, choice, workers, block_bytes,
          name):
    tokenizer, _ = make_tokenizer(merges, numbering, specials, pattern)
    source, target, back = folder() / "in.txt", folder() / name, folder() / "out.txt"
    source.write_bytes(data)
    target.unlink(missing_ok=True)

    def in_memory():
        text = data.decode("utf-8", errors)
        return tokenizer.encode(text, specials=choice)

    def in_blocks():
        number = tokenizer.encode_file(source, target, workers=workers, errors=errors,
                                       specials=choice)
        read = numpy.load if name.endswith(".npy") else numpy.fromfile
        options = {} if name.endswith(".npy") else {"dtype": tokenizer.smallest_dtype}
        ids = read(target, **options).tolist()
        same(len(ids), number, "the number of ids")
        return ids

    expected = outcome(in_memory)
    with setting(files, "DEFAULT_BLOCK_BYTES", block_bytes):
        same(outcome(in_blocks), expected, "encode_file")
    same(target.exists(), expected[0] == "result", "no output after an error")
    same([path.name for path in folder().iterdir() if ".part" in path.name], [], "nothing is left")
    if expected[0] == "result":
        with setting(id_files, "BLOCK", block_bytes):
            same(tokenizer.decode_file(target, back, workers=workers), len(expected[1]),
                 "decode_file, number")
        same(back.read_bytes(), tokenizer.decode_bytes(expected[1]), "decode_file")
