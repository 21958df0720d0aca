"""Samples: every document equally likely, bytes kept as they are, near-duplicates found."""

import json
import os
import random
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cs336_bpe.corpora import generated as corpus
from cs336_bpe.corpora.choose import choose_at_random, choose_by_length, shares
from cs336_bpe.corpora.documents import TextDocuments, pieces
from cs336_bpe.corpora.near_duplicates import NearDuplicates
from cs336_bpe.corpora.sample import sample
from cs336_bpe.rules import END_OF_TEXT

END = END_OF_TEXT.encode()
DIGESTS = {False: "d5900447850c77ac", True: "0bb8ab28dfa4a1a0"}  # by whether the sample is smart


@pytest.fixture
def run(tmp_path):
    """Sample some bytes: the report, and the bytes of the sample."""
    def run(data, **options):
        source, target = tmp_path / "in.txt", tmp_path / "out.txt"
        source.write_bytes(data)
        report = sample(source, target, **options)
        return report, target.read_bytes()
    return run


def numbered(count):
    return b"".join(b"\ndocument %d\n" % i + END for i in range(count)) + b"\n"


# --- Chance --------------------------------------------------------------------------------


@pytest.mark.parametrize("options", [(20, None), (None, 0.2)], ids=["documents", "fraction"])
def test_every_document_is_equally_likely(options):
    """Chi-square over 100 documents and 2,000 seeds. The seeds are fixed, so it can't be flaky."""
    total, runs, expected = 100, 2_000, 400
    seen = Counter(i for seed in range(runs) for i in choose_at_random(total, *options, seed))
    variance = runs * 0.2 * 0.8
    chi_square = sum((seen[i] - expected) ** 2 / variance for i in range(total))
    assert 60 < chi_square < 150  # 100 +- 14; beyond these, chance is one in a thousand or less


def test_pairs_of_documents_are_equally_likely():
    """A reservoir that always kept neighbours together would pass the test above."""
    runs = 10_000
    seen = Counter(tuple(choose_at_random(6, 2, None, seed)) for seed in range(runs))
    assert len(seen) == 15
    chi_square = sum((count - runs / 15) ** 2 / (runs / 15) for count in seen.values())
    assert chi_square < 40  # 14 +- 5.3


def test_within_a_stratum_every_document_is_equally_likely():
    lengths, dropped = [100] * 50 + [1000] * 50, bytearray(100)
    seen = Counter(i for seed in range(2_000)
                   for i in choose_by_length(lengths, dropped, 20, seed)[1])
    chi_square = sum((seen[i] - 400) ** 2 / 320 for i in range(100))
    assert 60 < chi_square < 150


def test_a_smaller_sample_is_a_part_of_a_larger_one(run):
    parts = [set(choose_at_random(1_000, n, None, 5)) for n in (1, 10, 100, 500, 999, 1_000)]
    parts = [set(choose_at_random(1_000, None, 0.001, 5)), *parts]
    for small, large in zip(parts[1:], parts[2:]):
        assert small < large
    shares_of = [set(choose_at_random(1_000, None, f, 5)) for f in (0.01, 0.1, 0.5, 1)]
    for small, large in zip(shares_of, shares_of[1:]):
        assert small < large


def test_another_seed_is_another_sample(run):
    data = numbered(100)
    assert run(data, documents=10)[1] == run(data, documents=10)[1]
    assert run(data, documents=10)[1] != run(data, documents=10, seed=1)[1]


@pytest.mark.parametrize("smart", [False, True])
def test_the_same_sample_everywhere(smart, tmp_path):
    """With another hash seed, and as it was when this test was written."""
    program = ("import sys, hashlib; from cs336_bpe.corpora import generated as corpus; "
               "from cs336_bpe.corpora.sample import sample; from pathlib import Path\n"
               "Path(sys.argv[1]).write_bytes(corpus.web(300_000).encode())\n"
               f"sample(sys.argv[1], sys.argv[2], documents=10, seed=7, smart={smart})\n"
               "print(hashlib.sha256(Path(sys.argv[2]).read_bytes()).hexdigest()[:16])")
    root = str(Path(corpus.__file__).parents[2])
    seen = {subprocess.run([sys.executable, "-c", program, tmp_path / "in", tmp_path / "out"],
                           env={**os.environ, "PYTHONHASHSEED": hash_seed, "PYTHONPATH": root},
                           check=True, capture_output=True, text=True).stdout.strip()
            for hash_seed in "12"}
    assert seen == {DIGESTS[smart]}


# --- Bytes ---------------------------------------------------------------------------------


@pytest.mark.parametrize("data", [
    b"", b"\n", b" \n" * 1000, END, END + END, END + b"\n", b"one", b"one" + END,
    b"one" + END + b"two", b"one" + END + b"two\n", b"one" + END + b"\n", END + b"one",
    b"one" + END + END + b"two" + END + b" \n\t", b"\xff\xfe\x00" + END + b"\x80" + END,
    b"<|endof" + END + b"text|>", END[:-1], END[1:], END + END[:-1], numbered(300),
], ids=lambda data: repr(data[:40]))
def test_all_of_it_is_the_input(run, data):
    for options in ({"fraction": 1.0}, {"documents": 10**9}):
        for block_bytes in (1, 2, 7, 1 << 20):
            report, out = run(data, block_bytes=block_bytes, **options)
            assert out == data
            assert report.before == report.after


@settings(max_examples=200)
@given(data=st.lists(st.sampled_from([b"a", b"b", b"ab", b"aab", b" ", b"\n", b"\xff"])),
       separator=st.sampled_from(["a", "ab", "aa", "aba", "b\n"]), block=st.integers(1, 9))
def test_pieces_make_what_split_makes(data, separator, block, tmp_path_factory):
    """Also for separators that overlap with themselves, and wherever a block ends."""
    data, separator = b"".join(data), separator.encode()
    path = tmp_path_factory.getbasetemp() / "pieces.txt"
    path.write_bytes(data)
    with path.open("rb") as file:
        assert joined(pieces(file, separator, block)) == data.split(separator)
    *documents, last = data.split(separator)
    source = TextDocuments(path, separator, block)
    read, rest = joined(source.read(lambda _: None)), b"".join(source.read_tail())
    assert source.tail == len(rest) == (len(last) if last.isspace() else 0)
    assert read.pop() == rest
    assert read == documents + [last] * (last != rest)
    assert list(source.lengths) == list(map(len, read))


def joined(parts):
    """Whole documents, and what follows the last that has ended."""
    documents = [b""]
    for piece, ends in parts:
        documents[-1] += piece
        if ends:
            documents.append(b"")
    return documents


@pytest.mark.parametrize("smart", [False, True])
def test_the_size_of_blocks_does_not_matter(run, smart):
    data = corpus.web(100_000).encode()
    expected = None
    for block_bytes in (1, 13, 1000, 1 << 20):
        report, out = run(data, fraction=0.3, smart=smart, block_bytes=block_bytes)
        expected = expected or (report, out)
        assert (report, out) == expected


def test_order_and_bytes_are_kept(run):
    random_bytes = random.Random(3).randbytes
    documents = [b"%d " % i + random_bytes(i).replace(b"<", b"") for i in range(300)]
    report, out = run(END.join(documents) + END, documents=40)
    chosen = out.split(END)
    assert chosen.pop() == b""
    places = [documents.index(document) for document in chosen]
    assert len(places) == 40
    assert places == sorted(places)
    assert report.after.bytes == sum(map(len, chosen))


def test_the_last_document_keeps_having_no_separator(run):
    data = END.join(b"%d" % i for i in range(20))
    ends = {run(data, documents=5, seed=seed)[1].endswith(END) for seed in range(20)}
    assert ends == {True, False}
    for seed in range(20):
        out = run(data, documents=5, seed=seed)[1]
        assert out.endswith(b"19" if END + b"19" in out else END)


def test_a_document_may_be_larger_than_memory_is_meant_to_be(tmp_path):
    """100 MB in one document, with an address space that does not hold it. Sampled both ways."""
    source = tmp_path / "in.txt"
    line = b"".join(b"%d " % i for i in range(1000))
    with source.open("wb") as file:
        file.write(b"short" + END)
        for _ in range(100_000_000 // len(line)):
            file.write(line)
        file.write(END)
    program = ("import sys, resource; from cs336_bpe.corpora.sample import sample; "
               "from cs336_bpe.corpora.near_duplicates import NearDuplicates\n"
               "used = int(open('/proc/self/statm').read().split()[0]) * resource.getpagesize()\n"
               "resource.setrlimit(resource.RLIMIT_AS, (used + 60_000_000,) * 2)\n"
               "for smart in (False, True):\n"
               "    print(sample(*sys.argv[1:], documents=2, smart=smart).after.bytes)")
    if not Path("/proc/self/statm").exists():
        pytest.skip("needs Linux")
    done = subprocess.run(
        [sys.executable, "-c", program, source, tmp_path / "out"], capture_output=True, text=True,
        env={**os.environ, "PYTHONPATH": str(Path(corpus.__file__).parents[2])})
    assert done.stderr == ""
    assert done.stdout.split() == [str(source.stat().st_size - 2 * len(END))] * 2
    assert (tmp_path / "out").stat().st_size == source.stat().st_size


# --- Strata --------------------------------------------------------------------------------


@given(st.dictionaries(st.integers(0, 20), st.integers(1, 10_000), min_size=1),
       st.integers(1, 100_000))
def test_shares(sizes, wanted):
    parts = shares(sizes, wanted)
    total = sum(sizes.values())
    assert parts.keys() == sizes.keys()
    assert sum(parts.values()) == min(wanted, total)
    assert all(0 <= parts[name] <= sizes[name] for name in sizes)
    if wanted >= len(sizes):
        assert all(parts.values())
    if wanted < total and all(wanted * size >= total for size in sizes.values()):
        assert all(abs(parts[name] - wanted * sizes[name] / total) < 1 for name in sizes)


def test_the_long_tail_is_kept(run):
    """One of 1,000 documents is long; 99 in 100 random samples of ten documents miss it."""
    rng = random.Random(1)
    documents = [rng.randbytes(50).hex().encode() for _ in range(999)]
    documents.insert(500, rng.randbytes(40_000).hex().encode())
    data = END.join(documents) + END
    smart = [run(data, fraction=0.01, smart=True, seed=seed)[0] for seed in range(10)]
    plain = [run(data, fraction=0.01, seed=seed)[0] for seed in range(10)]
    assert all(report.after.percentiles[100] == 80_000 for report in smart)
    assert all(report.after.documents == 10 for report in smart)
    assert any(report.after.percentiles[100] == 100 for report in plain)
    assert [(s.shortest, s.longest, s.before, s.after) for s in smart[0].strata] == [
        (64, 127, 999, 9), (65536, 131071, 1, 1)]


# --- Near-duplicates -----------------------------------------------------------------------


def shingles(text):
    """The definition, in plain Python."""
    folded = b" ".join(text.lower().split())
    return {folded[i : i + 24] for i in range(max(1, len(folded) - 23))}


def alike(a, b):
    a, b = shingles(a), shingles(b)
    return len(a & b) / len(a | b)


def changed(rng, text, changes):
    text = bytearray(text)
    for place in rng.sample(range(len(text)), changes):
        text[place] = rng.choice(b"abcdefghijklmnopqrstuvwxyz")
    return bytes(text)


def words(rng, count):
    letters = "abcdefghijklmnopqrstuvwxyz"
    return " ".join("".join(rng.choices(letters, k=rng.randint(2, 9)))
                    for _ in range(count)).encode()


def test_near_duplicates_are_found_and_others_kept():
    """500 texts and for each a changed one, of which the exact definition tells how alike it is."""
    rng = random.Random(4)
    found = {"above": [], "below": []}
    seen = NearDuplicates()
    for _ in range(500):
        text = words(rng, rng.randint(50, 500))
        other = changed(rng, text, rng.randint(0, len(text) // 40))
        likeness = alike(text, other)
        assert not seen.add(text)
        if likeness >= 0.9:
            found["above"].append(seen.add(other))
        elif likeness <= 0.65:
            found["below"].append(seen.add(other))
    assert min(map(len, found.values())) > 50
    assert sum(found["above"]) >= 0.99 * len(found["above"])
    assert sum(found["below"]) <= 0.01 * len(found["below"])


def test_the_estimate_has_no_bias():
    """Pairs of a likeness just above and just below the threshold fall on both sides of it."""
    rng = random.Random(5)
    for aim, low, high in ((0.85, 0.75, 1.0), (0.74, 0.0, 0.25)):
        results = []
        while len(results) < 80:
            text = words(rng, 300)
            other = changed(rng, text, rng.randint(1, 20))
            if abs(alike(text, other) - aim) < 0.02:
                seen = NearDuplicates()
                seen.add(text)
                results.append(seen.add(other))
        assert low <= sum(results) / 80 <= high


def sketch(text):
    """The smallest hash in each of 128 bins, of a text in small letters that leaves none empty."""
    base, bits = 0x9E3779B97F4A7C15, 2**64 - 1
    power, number, bins = pow(base, 24, 2**64), 0, {}
    for place, byte in enumerate(text):
        number = (number * base + byte + 1) & bits
        if place >= 24:
            number = (number - (text[place - 24] + 1) * power) & bits
        if place >= 23:
            x = ((number ^ number >> 33) * 0xFF51AFD7ED558CCD) & bits
            x = ((x ^ x >> 33) * 0xC4CEB9FE1A85EC53) & bits
            x ^= x >> 33
            bins[x >> 57] = min(x, bins.get(x >> 57, x))
    return [bins[place] & 0xFFFF for place in range(128)]


def test_near_duplicates_have_a_band_and_102_of_128_bins_in_common():
    """And not 101: texts on both sides of the border, and on it."""
    rng = random.Random(8)
    text = words(rng, 400)
    own, on_the_border = sketch(text), Counter()
    for _ in range(120):
        other = changed(rng, text, rng.randint(8, 16))
        equal = [a == b for a, b in zip(own, sketch(other))]
        meet = any(all(equal[band : band + 8]) for band in range(0, 128, 8))
        seen = NearDuplicates()
        assert not seen.add(text)
        assert seen.add(other) == (meet and sum(equal) >= 102)
        on_the_border[sum(equal)] += meet
    assert min(on_the_border[101], on_the_border[102]) > 0


@pytest.mark.parametrize(("one", "other"), [
    (b"", b""), (b"", b" \n\t "), (b"a", b"A"), (b"a", b" a\n"), (b"x y", b"x \n\n y"),
    (b"Some words that are a little longer", b"\nsome WORDS that are\n\ta little longer\r\n"),
    (b"\xff\x00" * 50, b"\xff\x00" * 50), (b"a" * 24, b"a" * 5000),  # the same one shingle
])
def test_what_counts_as_the_same(one, other):
    seen = NearDuplicates()
    assert not seen.add(one)
    assert seen.add(other)


@pytest.mark.parametrize(("one", "other"), [
    (b"", b"a"), (b"a", b"b"), (b"a", b"aa"), (b"ab", b"ba"), (b"x y", b"xy"), (b"\x00", b""),
    (b"\x00", b"\x00\x00"), (b"123456789 123456789 123", b"123456789 123456789 124"),
])
def test_what_counts_as_different(one, other):
    seen = NearDuplicates()
    assert not seen.add(one)
    assert not seen.add(other)
    assert seen.add(one)
    assert seen.add(other)


@given(st.binary(max_size=200), st.lists(st.integers(0, 200)))
def test_a_document_in_pieces_is_the_same_document(text, cuts):
    seen = NearDuplicates()
    assert not seen.add(text)
    places = sorted({0, len(text), *(cut for cut in cuts if cut < len(text))})
    for start, end in zip(places, places[1:]):
        seen.update(text[start:end])
    assert seen.finish()
    assert seen.remembered == 1


def test_a_text_whose_hash_stands_for_an_empty_bin():
    """Its only shingle has the hash 2**64 - 1. In a process of its own, for it did not end."""
    program = ("from cs336_bpe.corpora.near_duplicates import NearDuplicates; n = NearDuplicates();"
               "text = b'mkmkoqnnmhonklomnljmjmno'; print(n.add(text), n.add(text), n.add(b'no'))")
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True,
                         timeout=60)
    assert run.stdout == "False True False\n"


def test_memory_is_bounded():
    """Of 5,000 documents the last 1,500 are remembered; growing to that loses none of them."""
    rng = random.Random(6)
    texts = [words(rng, 40) for _ in range(5_000)]
    seen = NearDuplicates(1_500)
    assert not any(seen.add(text) for text in texts)
    assert (seen.remembered, seen.forgotten) == (5_000, 3_500)
    assert all(seen.add(text) for text in texts[-1_500:])
    assert not any(seen.add(text) for text in texts[:100])


def test_smart_drops_near_duplicates(run):
    rng = random.Random(7)
    texts = [words(rng, 100) for _ in range(50)]
    copies = [b"\n" + text.upper() + b"\n" for text in texts[:20]]
    data = END.join(texts + copies + [b"", b"", b" "]) + END
    report, out = run(data, fraction=1.0, smart=True)
    assert out == END.join([*texts, b""]) + END
    assert report.near_duplicates == 22
    assert report.before.documents == 73
    assert report.after.documents == 51
    assert report.note == ("asked for 73 documents, but there are 51 that are not near-duplicates "
                           "of another (73 in all): all were taken")
    assert run(data, documents=51, smart=True)[0].note == ""


@pytest.mark.parametrize("limit", [0, -1, 2**28 + 1])
def test_bad_limits(limit):
    with pytest.raises(ValueError, match="max_documents"):
        NearDuplicates(limit)


# --- The report ----------------------------------------------------------------------------


def test_report(run):
    data = "Ab 1.<|endoftext|>\n<|endoftext|><|endoftext|>Öl €5\n".encode()
    report, out = run(data, fraction=1.0)
    assert out == data
    before = report.before
    assert (before.documents, before.bytes, before.empty, before.mean) == (4, 15, 1, 3.75)
    assert before.percentiles == {5: 0, 25: 0, 50: 1, 75: 5, 95: 9, 99: 9, 100: 9}
    assert before.characters == {"letters": 3 / 12, "digits": 2 / 12, "white_space": 4 / 12,
                                 "other_ascii": 1 / 12, "beyond_ascii": 2 / 12}
    values = json.loads(json.dumps(report.as_json()))
    assert values["before"]["percentiles"]["50"] == 1
    assert values["after"]["documents"] == 4
    assert values["wanted"] == 4
    assert values["input"].endswith("in.txt")


def test_more_than_there_are(run):
    report, out = run(numbered(5), documents=6)
    assert out == numbered(5)
    assert report.note == "asked for 6 documents, but there are 5: all were taken"
    assert run(numbered(5), documents=5)[0].note == ""


def test_progress(run):
    calls = []
    run(numbered(100), documents=50, progress=lambda *call: calls.append(call))
    size = len(numbered(100))
    assert calls[0] == ("read", size, size)
    phase, done, total = calls[-1]
    assert phase == "copy"
    assert done == total > 0


# --- Errors --------------------------------------------------------------------------------


@pytest.mark.parametrize(("options", "message"), [
    ({}, "either documents"), ({"documents": 1, "fraction": 0.5}, "either documents"),
    ({"documents": 0}, "at least 1"), ({"documents": -3}, "at least 1"),
    ({"fraction": 0}, "greater than 0"), ({"fraction": 1.01}, "at most 1"),
    ({"fraction": float("nan")}, "fraction is nan"), ({"fraction": "0.5"}, "fraction is '0.5'"),
    ({"documents": 1, "separator": ""}, "separator is ''"),
    ({"documents": 1, "separator": b"x"}, "separator is b'x'"),
    ({"documents": 1, "block_bytes": 0}, "block_bytes is 0"),
])
def test_bad_arguments(run, tmp_path, options, message):
    with pytest.raises(ValueError, match=message):
        run(numbered(3), **options)
    assert not (tmp_path / "out.txt").exists()


@pytest.mark.parametrize("documents", [1.5, "3", True])
def test_a_number_of_documents_that_is_none(run, documents):
    with pytest.raises(TypeError, match="documents is"):
        run(numbered(3), documents=documents)


def test_input_and_output_must_differ(tmp_path, monkeypatch):
    path = tmp_path / "in.txt"
    path.write_bytes(numbered(3))
    (tmp_path / "link.txt").symlink_to(path)
    (tmp_path / "hard.txt").hardlink_to(path)
    monkeypatch.chdir(tmp_path)
    for other in (path, tmp_path / "link.txt", tmp_path / "hard.txt", "in.txt"):
        for pair in ((path, other), (other, path)):
            with pytest.raises(ValueError, match="are the same file"):
                sample(*pair, documents=1)
    assert path.read_bytes() == numbered(3)


def test_no_input(tmp_path):
    with pytest.raises(FileNotFoundError):
        sample(tmp_path / "no.txt", tmp_path / "out.txt", documents=1)
    with pytest.raises(ValueError, match="is a folder without files"):
        sample(tmp_path, tmp_path / "out.txt", documents=1)
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(ValueError, match=r"is not a regular file.* save it to a file first"):
        sample(tmp_path / "pipe", tmp_path / "out.txt", documents=1)


def test_the_output_is_all_or_nothing(tmp_path):
    source, target = tmp_path / "in.txt", tmp_path / "out.txt"
    source.write_bytes(numbered(1000))
    target.write_bytes(b"what was there before")

    def stop(phase, done, total):
        if phase == "copy":
            raise KeyboardInterrupt
    with pytest.raises(KeyboardInterrupt):
        sample(source, target, documents=500, progress=stop)
    assert target.read_bytes() == b"what was there before"
    assert sorted(os.listdir(tmp_path)) == ["in.txt", "out.txt"]


@pytest.mark.parametrize("change", [b"", numbered(1000) + b"more"])
def test_the_input_changes_meanwhile(tmp_path, change):
    source, target = tmp_path / "in.txt", tmp_path / "out.txt"
    source.write_bytes(numbered(1000))

    def meddle(phase, done, total):
        if phase == "read" and done == total:
            source.write_bytes(change)
    with pytest.raises(OSError, match="was changed while it was sampled"):
        sample(source, target, documents=500, progress=meddle)
    assert not target.exists()


# --- What small mistakes would change --------------------------------------------------------


def test_growing_forgets_no_document():
    rng = random.Random(8)
    texts = [words(rng, 40) for _ in range(1_025)]  # one more than there is room for at first
    seen = NearDuplicates()
    assert not any(seen.add(text) for text in texts)
    assert all(seen.add(text) for text in texts)


def test_white_space_at_the_end_does_not_reach_the_next_document():
    seen = NearDuplicates()
    assert not seen.add(b"abc")
    assert not seen.add(b"def \n")
    assert seen.add(b"abc")


def test_an_object_that_was_not_initialised_is_harmless():
    assert not NearDuplicates.__new__(NearDuplicates).add(b"abc")


def test_kept_documents_are_chosen_by_the_keys_of_all(run):
    """A document that is dropped takes a key too: the sample does not depend on which are alike."""
    rng = random.Random(9)
    texts = [words(rng, 100) for _ in range(30)]
    copies = END.join([texts[0], texts[0], *texts[1:]]) + END
    others = END.join([texts[0], words(rng, 100), *texts[1:]]) + END
    kept = run(copies, documents=8, smart=True, seed=5)[1].split(END)
    from_others = run(others, documents=9, smart=True, seed=5)[1].split(END)
    assert len(set(kept) & set(from_others)) >= 7 + 1  # and the empty one at the end
