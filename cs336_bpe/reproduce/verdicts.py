"""What was measured for a published row, and whether the row holds. Verdicts are computed."""

from dataclasses import asdict, dataclass, field, fields
from typing import Any

from cs336_bpe.common.amounts import readable_size, three_digits
from cs336_bpe.reproduce.published import ROWS, Published, row

ALIKE = 3.0  # machines differ by so much: a factor below that says nothing
CLOSE = 1.5  # of a gain: this much less still counts as the same
NO_GAIN = 1.1
CLOSE_SHARES = 0.15
CLOSE_RATIOS = 0.05  # of tokens per byte, which depend on the text alone


@dataclass(frozen=True)
class Line:
    """One measurement for a published row: with the rung of the same idea, or with the last."""

    figure: str
    name: str
    value: float | str | None  # None: could not be measured here, for the reason given
    stage: str = ""
    text: str = ""
    last: bool = False  # measured with the last rung, which is to beat the published value
    scaled: bool = False  # to the published size
    reason: str = ""  # why it can't be compared
    note: str = ""

    @property
    def published(self) -> Published:
        return row(self.figure, self.name)


@dataclass(frozen=True)
class Table:
    """Figures of our own that explain a published one."""

    title: str
    header: list[str]
    rows: list[list[str]]


@dataclass
class Outcome:
    """All that an experiment gave."""

    lines: list[Line]
    tables: list[Table] = field(default_factory=list)

    def __post_init__(self) -> None:
        """In the order of the published rows, with the last rung after the other."""
        order = {key: number for number, key in enumerate(ROWS)}
        self.lines = sorted(self.lines, key=lambda line: (order[line.figure, line.name], line.last))

    def as_json(self) -> dict[str, Any]:
        lines = [{**asdict(line), "published": shown_published(line.published),
                  "better": better(line), "verdict": verdict(line)} for line in self.lines]
        return {"lines": lines, "tables": [asdict(table) for table in self.tables]}

    @classmethod
    def from_json(cls, value: dict[str, Any]) -> "Outcome":
        """What `as_json` made; verdicts are not read but computed again."""
        names = {one.name for one in fields(Line)}
        return cls([Line(**{name: item for name, item in line.items() if name in names})
                    for line in value["lines"]],
                   [Table(**table) for table in value["tables"]])


# --- Numbers -------------------------------------------------------------------------------


def shown(value: float | str | None, unit: str) -> str:
    """A value with its unit, short.

    >>> shown(0.38, "s"), shown(6.89e9, "bytes"), shown(15.07e6, "tokens/s"), shown(48, "x")
    ('0.380 s', '6.89 GB', '15.1 M/s', '48.0x')
    >>> shown(3768, "bytes/s"), shown(298, "merges/s")
    ('3.77 kB/s', '298 /s')
    >>> shown(0.6641, "%"), shown(0.2442, "tokens/B"), shown("uint16", ""), shown(None, "s")
    ('66.4 %', '0.2442', 'uint16', '')
    """
    if value is None or isinstance(value, str):
        return value or ""
    if unit == "bytes":
        return readable_size(value)
    if unit == "%":
        return f"{three_digits(100 * value) if abs(value) >= 0.001 else f'{100 * value:.2f}'} %"
    if unit == "x":
        return f"{three_digits(value)}x"
    if unit == "tokens/B":
        return f"{value:.4f}"
    if unit.endswith("/s"):
        what = "B/s" if unit == "bytes/s" else "/s"
        for size, letter in ((1e6, "M"), (1e3, "k")):
            if value >= size:
                return f"{three_digits(value / size)} {letter}{what}"
        return f"{three_digits(value)} {what}"
    return f"{three_digits(value)} {unit}".strip()


def shown_published(published: Published) -> str:
    """
    >>> shown_published(row("D", "all of it")), shown_published(row("C1", "gain"))
    ('8 to 15x', '9.03x')
    >>> shown_published(row("A6", "16 processes against 223")), shown_published(row("A4", "total"))
    ('2x', '535 s')
    """
    value, high, unit = published.value, published.high, published.unit
    if isinstance(value, str):
        return value
    factor, mark = (100, " %") if unit == "%" else (1, "x" if unit == "x" else f" {unit}")
    if high is not None and high != value:
        return f"{factor * value:g} to {factor * high:g}{mark}".strip()
    if value == float(f"{value:.{6 if unit == 's' else 3}g}") and unit in ("x", "s"):
        return f"{value:,g}{mark}"
    return shown(value, unit)


def better(line: Line) -> float | None:
    """How many times better the measured value is than the published one, if that can be said."""
    published = line.published
    theirs, ours = published.value, line.value
    if isinstance(theirs, str) or not isinstance(ours, (int, float)) or not ours or line.reason:
        return None
    if is_less_better(published):
        return (published.high or theirs) / ours
    if line.last:
        theirs = published.high or theirs
    return ours / theirs if published.kind in ("speed", "gain") else None


def is_less_better(published: Published) -> bool:
    return published.kind in ("time", "memory", "limit")


# --- Verdicts ------------------------------------------------------------------------------


def verdict(line: Line) -> str:
    """Whether a published row holds, in words.

    >>> verdict(Line("A1", "speed test: the limit", 0.02, last=True))
    'passed: 75.0 times under the bar'
    >>> verdict(Line("B", "documents", "2,717,700"))
    'reproduced to the digit'
    >>> verdict(Line("B", "16: share of pickling", 0.0))
    'does not hold: it is less'
    >>> verdict(Line("A5", "TinyStories-train: tokens", "541,229,347"))
    'differs by 37'
    >>> verdict(Line("D", "+ batches", 0.7)), verdict(Line("D", "+ batches", 5.2))
    ('does not hold: it is slower, not faster', 'holds')
    >>> verdict(Line("D", "all of it", 240.0, last=True))  # other ideas: it is no test of D's
    'beaten, 16.0 times'
    >>> verdict(Line("A4", "total", None, reason="there is no room for 10 GB"))
    'not comparable: there is no room for 10 GB'
    """
    published = line.published
    if line.reason:
        return f"not comparable: {line.reason}"
    if published.kind == "claim":
        return "not measured: this project has nothing that it is about"
    if published.kind == "exact":
        return _exact(str(published.value), str(line.value))
    assert isinstance(line.value, (int, float))
    assert not isinstance(published.value, str)
    if published.kind == "gain" and not line.last:
        return _gain(published.value, published.high, line.value)
    if published.kind == "share":
        return _share(published, line.value)
    ratio = better(line) or 0.0
    if published.kind == "limit":
        words = (f"passed: {three_digits(ratio)} times under the bar" if ratio >= 1
                 else "missed")
    elif line.last:
        words = f"beaten, {three_digits(ratio)} times" if ratio >= 1 else "not beaten"
    elif 1 / ALIKE <= ratio <= ALIKE:
        words = f"holds: alike, within a factor of {ALIKE:g}"
    else:
        words = "better here" if ratio > 1 else "worse here"
    return f"{words}; scaled to the published size" if line.scaled else words


def _exact(theirs: str, ours: str) -> str:
    if theirs == ours:
        return "reproduced to the digit"
    numbers = [text.replace(",", "") for text in (theirs, ours)]
    if all(number.isdigit() for number in numbers):
        return f"differs by {abs(int(numbers[0]) - int(numbers[1])):,}"
    return "does not hold here"


def _gain(low: float, high: float | None, ours: float) -> str:
    if high is not None and low == high == 1:
        return "the measure of the others"
    if low < 1:  # a step that made it slower: a negative result
        return "holds: slower here too" if ours < 1 else "does not hold: it is faster here"
    if ours < 1:
        return "does not hold: it is slower, not faster"
    enough = low if high is not None else low / CLOSE
    if ours >= enough:
        return "holds" if ours <= (high or low) * CLOSE else "holds, and goes further"
    return "holds in part: less than published" if ours >= NO_GAIN else "does not hold: no gain"


def _share(published: Published, ours: float) -> str:
    assert not isinstance(published.value, str)
    low, high = published.value, published.high or published.value
    if published.unit == "tokens/B":
        close = abs(ours / low - 1) <= CLOSE_RATIOS
    elif published.high is not None:
        if ours < low:
            return "does not hold: it is less"
        close = ours <= high
    else:
        close = abs(ours - low) <= CLOSE_SHARES and ours >= low / ALIKE
    return "holds" if close else f"does not hold: it is {'more' if ours > high else 'less'}"
