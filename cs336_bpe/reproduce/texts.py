"""Which text an experiment runs on: the published one, if it is there; or one like it.

A folder of data may hold the corpora of the coursework, under the names that `cs336-bpe fetch`
gives them, and what the benchmarks use: `corpora/stories.txt`, `corpora/web.txt`,
`cs336/corpus.en`, `cs336/tinystories_train_pretoken_counts.json`. What is missing is generated.
"""

import json
import shutil
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, TypeVar

from cs336_bpe.common.amounts import readable_size
from cs336_bpe.common.lazy import lazy
from cs336_bpe.corpora import generated
from cs336_bpe.corpora.fetch import CORPORA
from cs336_bpe.pretokenize import count_pretokens
from cs336_bpe.pretokenize.counts import PretokenCounts
from cs336_bpe.rules import END_OF_TEXT

T = TypeVar("T")
Effort = Literal["tiny", "quick", "full"]
ENOUGH = 0.9  # of the published size: then times can be compared
GENERATED = "generated"
COUNTS = "cs336/tinystories_train_pretoken_counts.json"


@dataclass(frozen=True)
class Role:
    """A text that a write-up used: its file, one that may stand for it, and how to generate it."""

    label: str
    file: str
    like_it: str
    kind: str
    num_bytes: int


def _fetched(label: str, name: str, like_it: str, kind: str) -> Role:
    return Role(label, CORPORA[name].name, like_it, kind, CORPORA[name].size)


ROLES = {
    "course": Role("the course's corpus.en", "cs336/corpus.en", "", "stories", 133_027),
    "tinystories-train": _fetched("TinyStories-train", "tinystories-train", "", "stories"),
    "tinystories-valid": _fetched("TinyStories-valid", "tinystories-valid", "corpora/stories.txt",
                                  "stories"),
    "owt-sample": Role("a sample of OpenWebText", CORPORA["owt-train"].name, "corpora/web.txt",
                       "web", 100_000_000),
    "owt-10gb": Role("OpenWebText-train", CORPORA["owt-train"].name, "", "web", 10_000_000_000),
    "owt-train": _fetched("OpenWebText-train", "owt-train", "corpora/web.txt", "web"),
    "owt-valid": _fetched("OpenWebText-valid", "owt-valid", "corpora/web.txt", "web"),
}


@dataclass(frozen=True)
class Text:
    """A file, and how it differs from the published one."""

    role: Role
    path: Path
    num_bytes: int
    label: str
    difference: str  # "" if it is the published text, or one like it of about the same size
    is_published: bool = False  # all of the very file

    @property
    def is_generated(self) -> bool:
        return self.path.name.startswith(GENERATED)

    @property
    def factor(self) -> float:
        """How many times larger the published text is."""
        return self.role.num_bytes / self.num_bytes


@dataclass
class Lab:
    """Where an experiment runs: with which data, how thoroughly, in which scratch folder."""

    folder: Path
    data: Path | None = None
    effort: Effort = "full"
    note: Callable[[str], None] = lambda text: None
    texts: dict[tuple[str, int], Text] = field(default_factory=dict)

    def pick(self, tiny: T, quick: T, full: T) -> T:
        """What suits the effort."""
        return {"tiny": tiny, "quick": quick, "full": full}[self.effort]

    def find(self, name: str) -> Path | None:
        """A file of the data, if it is there."""
        if self.data is None or not name:
            return None
        places = (self.data / name, self.data / "corpora" / name, self.data / Path(name).name)
        return next((path for path in places if path.is_file()), None)

    def has(self, role_name: str) -> bool:
        """Whether the published text itself is there."""
        return self.find(ROLES[role_name].file) is not None

    def text(self, role_name: str, num_bytes: int | None = None) -> Text:
        """The text of a role, of about so many bytes; by default, as many as the published one."""
        role = ROLES[role_name]
        wanted = min(num_bytes or role.num_bytes, role.num_bytes)
        if (role_name, wanted) not in self.texts:
            self.texts[role_name, wanted] = self._text(role, wanted)
        return self.texts[role_name, wanted]

    def _text(self, role: Role, wanted: int) -> Text:
        if (path := self.find(role.file)) is not None:
            size = path.stat().st_size
            if wanted >= size:
                return Text(role, path, size, role.label, "", True)
            part = self._beginning(path, wanted)
            label = f"the first {readable_size(part.stat().st_size)} of {path.name}"
        elif ((path := self.find(role.like_it)) is not None
              and path.stat().st_size >= ENOUGH * wanted):
            part = self._beginning(path, wanted) if wanted < path.stat().st_size else path
            label = f"{readable_size(part.stat().st_size)} of {path.name}"
        else:
            part = self._generate(role.kind, wanted)
            label = f"{readable_size(part.stat().st_size)} of generated {role.kind}"
        size = part.stat().st_size
        is_like_it = size >= ENOUGH * role.num_bytes
        return Text(role, part, size, label, "" if is_like_it else
                    f"{label} instead of {role.label}, {readable_size(role.num_bytes)}")

    def _beginning(self, path: Path, num_bytes: int) -> Path:
        """The first documents of a file."""
        part = self.folder / f"{path.stem}-{num_bytes}.txt"
        if not part.exists():
            with path.open("rb") as file:
                data = file.read(num_bytes)
            end = data.rfind(END_OF_TEXT.encode())
            part.write_bytes(data[:end] if end > 0 else data)
        return part

    def _generate(self, kind: str, num_bytes: int) -> Path:
        part = self.folder / f"{GENERATED}-{kind}-{num_bytes}.txt"
        if not part.exists():
            free = shutil.disk_usage(self.folder).free
            if free < 1.2 * num_bytes:
                raise OSError(f"{self.folder} has {readable_size(free)} free, and a text of "
                              f"{readable_size(num_bytes)} is to be generated there; set TMPDIR "
                              f"to a folder with more room")
            self.note(f"generating {readable_size(num_bytes)} of {kind}")
            unfinished = part.with_suffix(".part")
            with unfinished.open("w", encoding="utf-8", newline="") as file:
                file.writelines(generated.stream(kind, num_bytes))
            unfinished.rename(part)
        return part

    def counts(self, text: Text) -> PretokenCounts:
        """The pretokens of a text."""
        return count_pretokens(text.path, [END_OF_TEXT])

    @lazy
    def tinystories_counts(self) -> PretokenCounts | None:
        """The counts of the whole of TinyStories-train, if they are there or can be made."""
        if self.effort == "tiny":
            return None
        if (path := self.find(COUNTS)) is not None:
            return load_counts(path)
        if self.effort == "full" and self.has("tinystories-train"):
            return self.counts(self.text("tinystories-train"))
        return None


def load_counts(path: Path) -> PretokenCounts:
    """Counts that `cs336-bpe count` has saved, or a JSON object of pretokens and numbers.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder, "counts.json")
    ...     _ = path.write_text('{"low": 5, " lower": 2}')
    ...     load_counts(path)
    <PretokenCounts: 7 pretokens, 2 distinct, 27 bytes; b'low' 5, b' lower' 2>
    """
    with path.open("rb") as file:
        is_json = file.read(1) == b"{"
    if not is_json:
        return PretokenCounts.load(path)
    words = json.loads(path.read_text(encoding="utf-8"))
    return PretokenCounts((word.encode(), number) for word, number in words.items())
