"""Ask every address outside that the book names whether it still answers.

    python docs/check_addresses.py           print the dead ones; exit code 1 if there are any
    python docs/check_addresses.py --save    also note in docs/addresses.md which answered, and when

It needs a network and nothing but Python's standard library. The addresses are those in
`addresses.md`, and a test compares that list with the pages.
"""

import argparse
import re
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import date
from pathlib import Path
from urllib.error import HTTPError
from urllib.request import Request, urlopen

ROOT = Path(__file__).parent.parent
LIST = ROOT / "docs/addresses.md"
CORPORA = ROOT / "cs336_bpe/corpora/fetch.py"
ROW = re.compile(r"^- <(?P<address>.+)>\n  \((?P<places>.+?)\): (?P<checked>.+)$", re.M)
SECONDS = 20
AGENT = "cs336_bpe-check-addresses"  # some servers refuse a program that gives no name


def in_text(text: str) -> list[str]:
    """The addresses in a text; one with `...` in it is an example and does not count.

    >>> in_text("[a](https://a.org/b), <http://c.org>. And `https://d.org/...`")
    ['https://a.org/b', 'http://c.org']
    """
    found = re.findall(r"https?://[^\s)>\]\"'`|]+", text)
    return [address.rstrip(".,:;") for address in found if "..." not in address]


def pages() -> Iterator[Path]:
    """The files whose addresses are checked."""
    yield from sorted(ROOT.glob("*.md"))
    yield from (path for path in sorted((ROOT / "docs").rglob("*.md")) if path != LIST)
    yield ROOT / "pyproject.toml"


def named() -> dict[str, list[str]]:
    """Each address that the project names, with the files that name it."""
    places: dict[str, list[str]] = {}
    for path in pages():
        for address in dict.fromkeys(in_text(path.read_text("utf-8"))):
            places.setdefault(address, []).append(path.relative_to(ROOT).as_posix())
    source = CORPORA.read_text("utf-8")
    hub = re.search(r'^HUB = "(.+)"$', source, re.M)
    assert hub, CORPORA
    for place in re.findall(r'"([^"\s]+/resolve/[^"]+)"', source):
        places[f"{hub[1]}/{place}"] = [CORPORA.relative_to(ROOT).as_posix()]
    return dict(sorted(places.items()))


def listed() -> dict[str, tuple[str, str]]:
    """Each address of the list, with the files and what is known of it."""
    return {row["address"]: (row["places"], row["checked"])
            for row in ROW.finditer(LIST.read_text("utf-8"))}


def trouble(address: str, seconds: float = SECONDS) -> str:
    """Why an address is dead, or nothing. A server that refuses HEAD is asked with GET."""
    for method in ("HEAD", "GET"):
        try:
            request = Request(address, method=method, headers={"User-Agent": AGENT})
            with urlopen(request, timeout=seconds):
                return ""
        except HTTPError as error:
            said = f"{error.code} {error.reason}"
            error.close()
        except (OSError, ValueError) as error:
            said = str(error) or type(error).__name__
    return said


def note(answers: dict[str, str], today: str) -> None:
    """Write into the list which addresses have answered."""
    def with_note(row: re.Match[str]) -> str:
        if answers[row["address"]]:
            return row[0]
        return f"- <{row['address']}>\n  ({row['places']}): answered on {today}"

    LIST.write_text(ROW.sub(with_note, LIST.read_text("utf-8")), "utf-8")


def main(arguments: list[str] | None = None) -> int:
    assert __doc__
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--save", action="store_true", help="note the answers in the list")
    options = parser.parse_args(arguments)
    addresses = list(listed())
    with ThreadPoolExecutor(8) as pool:
        answers = dict(zip(addresses, pool.map(trouble, addresses)))
    dead = {address: why for address, why in answers.items() if why}
    for address, why in dead.items():
        print(f"{address}: {why}")
    print(f"{len(addresses)} addresses, {len(dead)} dead")
    if options.save:
        note(answers, date.today().isoformat())
    return 1 if dead else 0


if __name__ == "__main__":
    sys.exit(main())
