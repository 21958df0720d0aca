"""Files of every format with mistakes in them: read as a tokenizer that works, or refused.

A file that is refused must be so by a ValueError (or what the system says of files), with a message
that names the file and is not longer than a few lines. One that is accepted must give a tokenizer
that encodes and decodes, and where another library reads the file too, its ids.
"""

import hashlib
import io
import re
import shutil
import zipfile
import zlib
from functools import cache

import numpy
import regex

from cs336_bpe import PretokenCounts, Tokenizer, count_pretokens_in, train_bpe_from_counts
from cs336_bpe.tokenizer.engine import SMALLEST_CACHE_BYTES
from fuzz.core import folder

TEXT = "low lower lowest<|end|> newer naïve 猫 don't 12 <|pad|>\n\n  low"
OPTIONS = {"name", "fix"}
FILES = ["own.bpe.json", "tokenizer.json", "vocab.json", "merges.txt", "ranks.tiktoken",
         "some.counts", "ids.npy"]
WORDS = [b'""', b"{}", b"[]", b"null", b"true", b"-1", b"0", b"1e9", b"1.5", b"NaN", b'"a"', b"[[",
         b"}}", b"\\u0000", b"\\ud800", b"\xff", b"\xc4\xa0", b"\r\n", b"\n", b" ", b"\0", b",",
         b":", b'"', b"<|end|>", b"#version", b"99999999999", b"2147483647", b"2147483648", b"256"]


@cache
def good():
    """A folder with a small tokenizer in every format, counts and ids."""
    words = count_pretokens_in(TEXT * 3 + " low lower" * 5, ["<|end|>", "<|pad|>"])
    vocab, merges = train_bpe_from_counts(words, 280, ["<|end|>", "<|pad|>"])
    tokenizer = Tokenizer(vocab, merges, ["<|end|>", "<|pad|>"])
    place = folder() / "good"
    for format, name in ("own", "own.bpe.json"), ("huggingface", "tokenizer.json"), (
            "gpt2", "vocab.json"), ("tiktoken", "ranks.tiktoken"):
        tokenizer.save(place / name, format=format)
    words.save(place / "some.counts")
    numpy.save(place / "ids.npy", tokenizer.encode_array(TEXT))
    return place, tokenizer


@cache
def copy_of_good():
    """A folder like it, of which one file at a time is spoiled."""
    return shutil.copytree(good()[0], folder() / "mutated")


def make(rng):
    name = rng.choice(FILES)
    data = (good()[0] / name).read_bytes()
    for _ in range(rng.choice([1, 1, 1, 2, 3, 8])):
        data = mutate(rng, data)
    return {"name": name, "data": data, "fix": rng.random() < 0.8}


def mutate(rng, data):
    """One mistake: a byte changed, something cut out, put in, repeated or moved."""
    at = rng.randrange(len(data) + 1)
    stop = min(len(data), at + rng.choice([1, 1, 2, 5, 20, 100, 1000]))
    kind = rng.randrange(9)
    if kind == 0 and at < len(data):
        return data[:at] + bytes([data[at] ^ (1 << rng.randrange(8))]) + data[at + 1 :]
    if kind == 1:
        return data[:at] + data[stop:]
    if kind == 2:
        return data[:at] + rng.choice(WORDS) + data[at:]
    if kind == 3:
        return data[:stop] + data[at:stop] * rng.choice([1, 1, 2, 50]) + data[stop:]
    if kind == 4:
        return data[:at] if rng.random() < 0.5 else data[at:]
    if kind == 5:
        other = rng.randrange(len(data) + 1)
        return data[:other] + data[at:stop] + data[other:]
    if kind == 6:
        return data[:at] + rng.choice(WORDS) + data[stop:]
    return mutate_whole(rng, data)


def mutate_whole(rng, data):
    """A number, a string or a line changed as a whole, so that the rest is still well formed."""
    finds = [rb"\d+", rb'"[^"\n]*"', rb"[^\n]*\n", rb"\[[^\[\]]*\],?", rb"\b(?:true|false|null)\b"]
    found = list(re.finditer(rng.choice(finds), data))
    if not found:
        return data + rng.choice(WORDS)
    first, second = rng.choice(found), rng.choice(found)
    new = rng.choice([b"", second.group(), *WORDS[:12],
                      str(rng.choice([0, 1, 255, 256, 279, 280, 281, 300, 2**31])).encode()])
    return data[: first.start()] + new + data[first.end() :]


def check(same, name, data, fix):
    path = copy_of_good() / name
    path.write_bytes(fixed(name, data) if fix else data)
    try:
        {"some.counts": check_counts, "ids.npy": check_ids}.get(name, check_tokenizer)(same, path)
    except (ValueError, OSError) as error:
        message = str(error)
        same(path.name in message, True, "the message names the file")
        same(len(message) < 1500, True, "the message is short")
    finally:
        shutil.copyfile(good()[0] / name, path)


def fixed(name, data):
    """With the checksum that the file would have: what is behind it is to be tested too."""
    if name == "own.bpe.json":
        body, found, _ = data.partition(b'"checksum"')
        if found:
            checksum = hashlib.sha256(body).hexdigest().encode()
            return body + b'"checksum": "sha256:%b"\n}\n' % checksum
    if name == "some.counts":
        return with_checksums(data)
    return data


def with_checksums(data):
    """The members of a zip, as far as they can be found, with the checksums that they have now."""
    result = bytearray(data)
    good_data = (good()[0] / "some.counts").read_bytes()
    if len(data) != len(good_data):
        return data
    for info in zipfile.ZipFile(io.BytesIO(good_data)).infolist():
        start = info.header_offset + 30 + len(info.filename) + 20  # zip64's field
        checksum = zlib.crc32(data[start : start + info.file_size]).to_bytes(4, "little")
        old = info.CRC.to_bytes(4, "little")
        for at in (info.header_offset + 14, bytes(result).rfind(old)):
            if at >= 0:
                result[at : at + 4] = checksum
    return bytes(result)


def check_tokenizer(same, path):
    specials = ["<|end|>", "<|pad|>"] if path.suffix == ".tiktoken" else None
    tokenizer = Tokenizer.load(path, specials, cache_bytes=SMALLEST_CACHE_BYTES)
    if leaves_something_out(tokenizer):
        return  # its pattern was changed; then `encode` refuses the text
    ids = tokenizer.encode(TEXT)
    if tokenizer.model.pipeline is None:  # other steps may change a text: `rstrip` takes spaces
        same(tokenizer.decode(ids), TEXT, "a text, there and back")
    anew = Tokenizer.from_model(tokenizer.model, cache_bytes=SMALLEST_CACHE_BYTES)
    same(anew.encode(TEXT), ids, "the same tokenizer, made anew")
    if path.name == "tokenizer.json":
        import tokenizers

        try:
            theirs = tokenizers.Tokenizer.from_file(str(path))
        except Exception:
            return  # we may read what they refuse, such as a field that they need and we don't
        same(theirs.encode(TEXT, add_special_tokens=False).ids, ids, "tokenizers")


def leaves_something_out(tokenizer):
    """Whether there is no match in some place; the pattern sees what is between special tokens."""
    longest_first = sorted(filter(None, tokenizer.special_tokens), key=len, reverse=True)
    parts = regex.split("|".join(map(regex.escape, longest_first)), TEXT) if longest_first else [
        TEXT]
    return any("".join(match.group() for match in regex.finditer(tokenizer.pattern, part)) != part
               for part in parts)


def check_counts(same, path):
    counts = PretokenCounts.load(path)
    counts.save(path.with_suffix(".again"))
    same(path.with_suffix(".again").read_bytes(), path.read_bytes(), "the same bytes")
    same(counts.total, sum(counts.values()), "total")


def check_ids(same, path):
    _, tokenizer = good()
    number = tokenizer.decode_file(path, path.with_suffix(".txt"), workers=1)
    try:
        ids = numpy.load(path, allow_pickle=False).tolist()
    except Exception:
        return  # bare numbers, for instance
    same(number, len(ids), "as many ids as numpy finds")
    same(path.with_suffix(".txt").read_bytes(), tokenizer.decode_bytes(ids), "their bytes")
