"""C6, what a vocabulary costs the model; and slips in published tables, resolved by arithmetic."""

from dataclasses import replace

from cs336_bpe.common.amounts import gib, percent, readable_size, scientific
from cs336_bpe.corpora.fetch import CORPORA
from cs336_bpe.cost.transformer import SHAPES, cost
from cs336_bpe.reproduce.published import PARTS, row
from cs336_bpe.reproduce.texts import Lab
from cs336_bpe.reproduce.verdicts import Line, Outcome

LONG_CONTEXT = 16_384


def c6(lab: Lab) -> Outcome:
    """Parameters, bytes and FLOPs, counted by `cs336-bpe cost`."""
    xl = cost(SHAPES["xl"])
    long = cost(replace(SHAPES["xl"], context=LONG_CONTEXT))
    values = {
        "XL: parameters": f"{xl.total_parameters:,}", "XL: in float32": gib(xl.num_bytes),
        "XL: FLOPs, no output head": scientific(xl.flops_without_head),
        "XL: FLOPs of the FFN": scientific(xl.flops["ffn"]),
        "XL: FLOPs of projections": scientific(xl.flops["projections"]),
        "XL: FLOPs of products": scientific(xl.flops["products"]),
        "XL, 16,384: FLOPs": scientific(long.flops_without_head),
    }
    for part, name in PARTS.items():
        for shape in SHAPES:
            share = cost(SHAPES[shape]).share(part, head=False)
            values[f"{shape}: share of {name}"] = percent(share)
        values[f"XL, 16,384: share of {name}"] = percent(long.share(part, head=False))
    lines = [Line("C6", name, value, "cost") for name, value in values.items()]
    head = xl.flops["head"]
    lines[2] = replace(lines[2], note=f"the output head would add {scientific(head)}, "
                       f"{percent(head / xl.total_flops)} of all")
    return Outcome(lines)


# --- Slips ---------------------------------------------------------------------------------


def slips(figure: str) -> list[str]:
    """What does not fit in a published table, and what the rest of the table says it should be."""
    return [words for name, words in (
        ("A2", a2_slip()), ("A5", a5_slip()), ("A5", a5_sizes()), ("A5", a5_vocabulary()),
        ("B", b_debugger()), ("C2", c2_gain()), ("C4", c4_vocabulary()), ("E", e_steps()),
    ) if name == figure]


def _number(figure: str, name: str) -> float:
    value = row(figure, name).value
    assert isinstance(value, (int, float))
    return value


def a2_slip() -> str:
    """
    >>> print(a2_slip())
    The optimized total, 0.39 s, is less than its own pretokenizing, 0.4 s. It is the slip: 3,839 \
merges at 13,450 per second take 0.29 s, with the pretokenizing 0.69 s; and the naive total \
divided by the published gain, 32.42 / 48, is 0.68 s. The naive total does not add up either: \
3,839 merges at 298 per second take 12.9 s, with 6.18 s of pretokenizing 19.1 s, not 32.42 s.
    """
    merges = 4096 - 257
    fast, slow = _number("A2", "optimized: merging"), _number("A2", "naive: merging")
    count, slow_count = (_number("A2", f"{name}: pretokenizing")
                         for name in ("optimized", "naive"))
    total, slow_total = _number("A2", "optimized: total"), _number("A2", "naive: total")
    gain = _number("A2", "gain")
    return (f"The optimized total, {total:g} s, is less than its own pretokenizing, {count:g} s. "
            f"It is the slip: {merges:,} merges at {fast:,} per second take {merges / fast:.2f} s, "
            f"with the pretokenizing {merges / fast + count:.2f} s; and the naive total divided by "
            f"the published gain, {slow_total:g} / {gain:g}, is {slow_total / gain:.2f} s. The "
            f"naive total does not add up either: {merges:,} merges at {slow:,} per second take "
            f"{merges / slow:.1f} s, with {slow_count:g} s of pretokenizing "
            f"{merges / slow + slow_count:.1f} s, not {slow_total:g} s.")


def a5_slip() -> str:
    """
    >>> print(a5_slip())
    TinyStories-train: 219.56 s / 35.21 s is 6.24, and the table has 6.1. TinyStories-valid: \
4.84 s / 0.64 s is 7.56, and the table has 8. OpenWebText-train: 2169.38 s / 212.79 s is 10.19, \
and the table has 10.3. The first gain fits the published tokens per second instead: \
541,229,310 tokens at 15.07 million per second take 35.91 s, and 219.56 / 35.91 is 6.11. The \
others come nearer that way, but not all the way: 5,637,616 at 9.14 million take 0.62 s, 7.85; \
2,727,120,452 at 12.84 million take 212.39 s, 10.21.
    """
    words: list[str] = []
    fits: list[str] = []
    for name in ("TinyStories-train", "TinyStories-valid", "OpenWebText-train"):
        naive, fast, gain = (_number("A5", f"{name}: {what}")
                             for what in ("naive", "optimized", "gain"))
        words.append(f"{name}: {naive:g} s / {fast:g} s is {naive / fast:.2f}, and the table has "
                     f"{gain:g}.")
        tokens = int(str(row("A5", f"{name}: tokens").value).replace(",", ""))
        speed = _number("A5", f"{name}: tokens/s")
        seconds = tokens / speed
        if fits:
            fits.append(f"{tokens:,} at {speed / 1e6:.2f} million take {seconds:.2f} s, "
                        f"{naive / seconds:.2f}")
        else:
            fits.append(f"{tokens:,} tokens at {speed / 1e6:.2f} million per second take "
                        f"{seconds:.2f} s, and {naive:g} / {seconds:.2f} is "
                        f"{naive / seconds:.2f}")
    return (f"{' '.join(words)} The first gain fits the published tokens per second instead: "
            f"{fits[0]}. The others come nearer that way, but not all the way: "
            f"{'; '.join(fits[1:])}.")


def a5_sizes() -> str:
    """
    >>> print(a5_sizes())
    The sizes mix units. 2.23 GB are 2,227,753,162 bytes, in powers of ten; but 11.10 "GB" are \
11,920,511,059 bytes, 11.10 GiB, and 21.46 "MB" are 22,502,601 bytes, 21.46 MiB.
    """
    train, valid, web = (CORPORA[name].size for name in ("tinystories-train", "tinystories-valid",
                                                         "owt-train"))
    return (f"The sizes mix units. {readable_size(train)} are {train:,} bytes, in powers of ten; "
            f"but {web / 2**30:.2f} \"GB\" are {web:,} bytes, {web / 2**30:.2f} GiB, and "
            f"{valid / 2**20:.2f} \"MB\" are {valid:,} bytes, {valid / 2**20:.2f} MiB.")


def a5_vocabulary() -> str:
    """
    >>> print(a5_vocabulary())
    OpenWebText-train has 2,727,120,452 tokens in 11,920,511,059 bytes, 0.2288 per byte. With \
TinyStories' vocabulary C5 has 0.2966, so this was a vocabulary of OpenWebText's own.
    """
    tokens, size = 2_727_120_452, CORPORA["owt-train"].size
    foreign = _number("C5", "tokens per byte: web, stories'")
    return (f"OpenWebText-train has {tokens:,} tokens in {size:,} bytes, {tokens / size:.4f} per "
            f"byte. With TinyStories' vocabulary C5 has {foreign:.4f}, so this was a vocabulary of "
            f"OpenWebText's own.")


def b_debugger() -> str:
    """
    >>> print(b_debugger())
    Both runs are under cProfile, and the first under a debugger too, so the seconds are not the \
program's own. 536,592,168 calls in 1,314 s leave 2.4 microseconds for each pretoken, about what \
a profiled call costs. The gain of 10.0x compares two programs that were watched differently.
    """
    calls = int(str(row("B", "pretokens").value).replace(",", ""))
    one, many = _number("B", "one process"), _number("B", "16 processes")
    return (f"Both runs are under cProfile, and the first under a debugger too, so the seconds are "
            f"not the program's own. {calls:,} calls in {one:,g} s leave {one / calls * 1e6:.1f} "
            f"microseconds for each pretoken, about what a profiled call costs. The gain of "
            f"{one / many:.1f}x compares two programs that were watched differently.")


def c2_gain() -> str:
    """
    >>> print(c2_gain())
    Choosing fell from 6.4 s to 0.002 s, 3,200 times. In the same step updates rose from 0.467 s \
to 2.82 s, so both together fell from 6.87 s to 2.82 s, 2.4 times.
    """
    before = _number("C2", "linear max: choosing"), _number("C2", "linear max: updates")
    after = _number("C2", "lazy heap: choosing"), _number("C2", "lazy heap: updates")
    return (f"Choosing fell from {before[0]:g} s to {after[0]:g} s, {before[0] / after[0]:,.0f} "
            f"times. In the same step updates rose from {before[1]:g} s to {after[1]:g} s, so both "
            f"together fell from {sum(before):.2f} s to {sum(after):.2f} s, "
            f"{sum(before) / sum(after):.1f} times.")


def c4_vocabulary() -> str:
    """
    >>> print(c4_vocabulary())
    C4 does not name its vocabulary. Its tokens per byte, 0.24566, are nearly those of \
TinyStories' 10,000, so that must have been it.
    """
    return (f"C4 does not name its vocabulary. Its tokens per byte, "
            f"{_number('C4', 'tokens per byte')}, are nearly those of TinyStories' 10,000, so that "
            f"must have been it.")


def e_steps() -> str:
    """
    >>> print(e_steps())
    The speedups are divisions, not measurements. 3.3x is 10 / 3 million documents. 6.2x / 3.7x is \
1.68, near 5 / 3 epochs, and 7.7x / 6.2x is 1.24, near 256 / 192 tokens per sequence. That leaves \
3.7x / 3.3x, 1.11, for the greater learning rate.
    """
    steps = [_number("E", name) for name in (
        "3 of 10 million: time", "with the second change", "with the third change",
        "with the fourth change")]
    first, second, third = (later / earlier for earlier, later in zip(steps, steps[1:]))
    return (f"The speedups are divisions, not measurements. {steps[0]:.1f}x is 10 / 3 million "
            f"documents. {steps[2]:g}x / {steps[1]:g}x is {second:.2f}, near 5 / 3 epochs, and "
            f"{steps[3]:g}x / {steps[2]:g}x is {third:.2f}, near 256 / 192 tokens per sequence. "
            f"That leaves {steps[1]:g}x / {steps[0]:.1f}x, {first:.2f}, for the greater learning "
            f"rate.")
