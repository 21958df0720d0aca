"""Numbers for people: how each kind of amount is written, everywhere in the package."""


def plural(number: int, noun: str) -> str:
    """
    >>> plural(1, "file"), plural(2000, "file")
    ('1 file', '2,000 files')
    """
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def readable_size(num_bytes: float) -> str:
    """
    >>> [readable_size(number) for number in (1, 999, 1000, 21_460_000, 999_950, 2_227_753_162)]
    ['1 byte', '999 bytes', '1.0 kB', '21.5 MB', '1.0 MB', '2.23 GB']
    """
    if num_bytes < 1000:
        return plural(round(num_bytes), "byte")
    for unit, name in ((1e3, "kB"), (1e6, "MB")):
        if num_bytes < unit * 999.95:  # what is above would be shown as 1000.0
            return f"{num_bytes / unit:.1f} {name}"
    return f"{num_bytes / 1e9:,.2f} GB"


def scientific(value: float) -> str:
    """
    >>> scientific(4348654387200), scientific(999_960)
    ('4.349e12', '1.000e6')
    """
    digits, exponent = f"{value:.3e}".split("e")
    return f"{digits}e{int(exponent)}"


def percent(share: float) -> str:
    """
    >>> percent(0.69444)
    '69.44 %'
    """
    return f"{100 * share:.2f} %"


def three_digits(value: float) -> str:
    """Three digits, whatever the size.

    >>> three_digits(0.02345), three_digits(1.234), three_digits(12.34), three_digits(1234.5)
    ('0.0234', '1.23', '12.3', '1,234')
    """
    if value >= 100:
        return f"{value:,.0f}"
    decimals = 1 if value >= 10 else 2 if value >= 1 else 3 if value >= 0.1 else 4
    return f"{value:.{decimals}f}"


def gib(num_bytes: int) -> str:
    """
    >>> gib(8_507_609_600)
    '7.92 GiB'
    """
    return f"{num_bytes / 2**30:,.2f} GiB"
