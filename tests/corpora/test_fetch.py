"""Downloads, from a server on this machine that misbehaves as it is told; no network is needed."""

import errno
import gzip
import hashlib
import os
import random
import socket
import subprocess
import sys
import textwrap
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import SimpleNamespace

import pytest

from cs336_bpe.corpora import fetch as fetching
from cs336_bpe.corpora.fetch import CORPORA, Corpus, FetchError, fetch

file_download = pytest.importorskip("huggingface_hub.file_download",
                                    reason="needs cs336-bpe[fetch]: huggingface_hub")

TEXT = random.Random(1).randbytes(3_000_000) + b"the end"
OTHER = random.Random(2).randbytes(3_000_000) + b"the end"


def digest(data):
    return hashlib.sha256(data).hexdigest()


class Handler(BaseHTTPRequestHandler):
    """What the hub does: an answer to HEAD, and ranges. `linked`: a redirect to another host."""

    def log_message(self, *_):
        pass

    def do_HEAD(self):
        how = self.server.how
        if how.status:
            return self.answer(how.status, {})
        headers = {"ETag": how.etag and f'"{digest(how.data)[:16]}"'}
        if how.linked:
            host = self.headers["Host"].replace("127.0.0.1", "localhost")
            return self.answer(302, {"Location": f"http://{host}/cdn{self.path}",
                                     "X-Linked-ETag": f'"{digest(how.data)}"',
                                     "X-Linked-Size": str(len(how.data))})
        return self.answer(200, {**headers, "Content-Length": str(len(how.data))})

    def do_GET(self):
        how = self.server.how
        how.requests.append((self.path, self.headers["Range"]))
        start = 0
        if self.headers["Range"] and how.ranges:
            start = int(self.headers["Range"].removeprefix("bytes=").removesuffix("-"))
        self.answer(206 if start else 200, {
            "Content-Length": str(len(how.data) - start),
            "Content-Range": start and f"bytes {start}-{len(how.data) - 1}/{len(how.data)}"})
        self.wfile.write(how.data[start:][:how.cuts.pop(0) if how.cuts else None])

    def answer(self, status, headers):
        self.send_response(status)
        for name, value in headers.items():
            if value:
                self.send_header(name, value)
        self.end_headers()


@pytest.fixture
def how():
    """What the server does, to be changed by the test, and what it was asked."""
    return SimpleNamespace(data=TEXT, etag=True, ranges=True, linked=False, status=0, cuts=[],
                           requests=[])


@pytest.fixture
def url(how, monkeypatch):
    """The address of the server, with two small corpora and without pauses."""
    monkeypatch.setitem(CORPORA, "plain", Corpus("a/plain.txt", len(TEXT), digest(TEXT)))
    monkeypatch.setitem(CORPORA, "packed", Corpus("b/packed.txt.gz", len(TEXT), digest(TEXT)))
    monkeypatch.setattr(file_download.time, "sleep", lambda seconds: None)
    # It writes whole blocks, of 10 MB: what is lost by a cut is less than that.
    monkeypatch.setattr(file_download.constants, "DOWNLOAD_CHUNK_SIZE", 50_000)
    for name in list(os.environ):
        if name.lower().endswith("_proxy"):
            monkeypatch.delenv(name)
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.how = how
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}/hub"
    server.shutdown()
    thread.join()
    server.server_close()


def names(folder):
    return sorted(path.name for path in folder.iterdir())


def part_of(folder):
    [part] = folder.glob("*.part")
    return part


def test_addresses():
    """As the README of the course's first assignment has them."""
    hub = "https://huggingface.co/datasets/"
    stories = hub + "roneneldan/TinyStories/resolve/main/TinyStoriesV2-GPT4-"
    assert {name: f"{fetching.HUB}/{corpus.place}" for name, corpus in CORPORA.items()} == {
        "tinystories-valid": stories + "valid.txt",
        "tinystories-train": stories + "train.txt",
        "owt-valid": hub + "stanford-cs336/owt-sample/resolve/main/owt_valid.txt.gz",
        "owt-train": hub + "stanford-cs336/owt-sample/resolve/main/owt_train.txt.gz",
    }


@pytest.mark.parametrize("linked", [False, True])
def test_a_whole_download(url, how, tmp_path, linked, capsys):
    how.linked = linked
    seen = []
    path = fetch("plain", tmp_path / "new" / "folder", url=url + "/",
                 progress=lambda *call: seen.append(call))
    assert path == tmp_path / "new" / "folder" / "plain.txt"
    assert path.read_bytes() == TEXT
    assert names(path.parent) == ["plain.txt"]
    assert how.requests == [("/cdn" * linked + "/hub/a/plain.txt", None)]
    assert ("download", len(TEXT), len(TEXT)) in seen
    assert seen[-1] == ("check", len(TEXT), len(TEXT))
    assert capsys.readouterr().err == ""  # the library's own bar is not shown


def test_what_is_there_needs_no_network(url, how, tmp_path):
    (tmp_path / "plain.txt").write_bytes(TEXT)
    assert fetch("plain", str(tmp_path), url="http://127.0.0.1:1") == tmp_path / "plain.txt"
    assert how.requests == []


def test_what_is_there_but_has_the_wrong_size(url, how, tmp_path):
    (tmp_path / "plain.txt").write_bytes(TEXT[:1000])
    with pytest.raises(FetchError, match=r"has 1,000 bytes and must have 3,000,007; remove or"):
        fetch("plain", tmp_path, url=url)
    assert (tmp_path / "plain.txt").read_bytes() == TEXT[:1000]
    assert how.requests == []


@pytest.mark.parametrize("name", ["plain", "packed"])
@pytest.mark.parametrize("linked", [False, True])
def test_resumes_in_the_same_call(url, how, tmp_path, name, linked):
    how.linked = linked
    if name == "packed":
        how.data = gzip.compress(TEXT[:1000]) + gzip.compress(TEXT[1000:])
    how.cuts = [1_200_000, 500_000]
    assert fetch(name, tmp_path, url=url).read_bytes() == TEXT
    assert [wanted for _, wanted in how.requests] == [None, "bytes=1200000-", "bytes=1700000-"]
    assert names(tmp_path) == [f"{name}.txt"]


def test_resumes_in_a_later_call(url, how, tmp_path):
    how.cuts = [100_000, *10 * [0]]
    with pytest.raises(FetchError, match=r"could not download http.* by hand, save http.*/hub/a/"
                                         r"plain.txt as .*plain.txt"):
        fetch("plain", tmp_path, url=url)
    assert part_of(tmp_path).read_bytes() == TEXT[:100_000]
    how.cuts.clear()
    how.requests.clear()
    assert fetch("plain", tmp_path, url=url).read_bytes() == TEXT
    assert [wanted for _, wanted in how.requests] == ["bytes=100000-"]
    assert names(tmp_path) == ["plain.txt"]


def test_an_interruption_keeps_what_has_come(url, how, tmp_path, monkeypatch):
    monkeypatch.setattr("cs336_bpe.common.progress.SECONDS_BETWEEN_CALLS", 0)

    def stop(phase, done, total):
        if done > 1_000_000:
            raise KeyboardInterrupt
    with pytest.raises(KeyboardInterrupt):
        fetch("plain", tmp_path, url=url, progress=stop)
    have = part_of(tmp_path).stat().st_size
    assert have > 1_000_000
    assert fetch("plain", tmp_path, url=url).read_bytes() == TEXT
    assert how.requests[-1][1] == f"bytes={have}-"


def test_what_progress_raises_reaches_the_caller(url, tmp_path, monkeypatch):
    monkeypatch.setattr("cs336_bpe.common.progress.SECONDS_BETWEEN_CALLS", 0)

    def stop(phase, done, total):
        raise RuntimeError("enough")
    with pytest.raises(RuntimeError, match="enough"):
        fetch("plain", tmp_path, url=url, progress=stop)


@pytest.mark.parametrize("change", [{"ranges": False}, {"etag": None}])
def test_starts_over_if_it_cannot_resume(url, how, tmp_path, change):
    vars(how).update(change)
    how.cuts = [1_000_000]
    assert fetch("plain", tmp_path, url=url).read_bytes() == TEXT


@pytest.mark.parametrize("linked", [False, True])
def test_starts_over_if_the_file_has_changed(url, how, tmp_path, linked):
    how.linked, how.data, how.cuts = linked, OTHER, [100_000, *10 * [0]]
    with pytest.raises(FetchError):
        fetch("plain", tmp_path, url=url)
    how.data = TEXT
    how.cuts.clear()
    assert fetch("plain", tmp_path, url=url).read_bytes() == TEXT
    assert how.requests[-1][1] is None
    assert names(tmp_path) == ["plain.txt"]


def test_a_part_that_is_too_long(url, how, tmp_path):
    how.cuts = [100_000, *10 * [0]]
    with pytest.raises(FetchError):
        fetch("plain", tmp_path, url=url)
    how.cuts.clear()
    part_of(tmp_path).write_bytes(TEXT + b"more")
    assert fetch("plain", tmp_path, url=url).read_bytes() == TEXT


def test_a_wrong_checksum(url, how, tmp_path):
    how.data = OTHER
    with pytest.raises(FetchError, match=rf"with the SHA-256 {digest(OTHER)}, but plain.txt has "
                                         rf"3,000,007 with {digest(TEXT)}; it was removed: fetch"):
        fetch("plain", tmp_path, url=url)
    assert list(tmp_path.glob("plain*[!k]")) == []  # a lock may stay


def test_a_wrong_size_is_found_before_the_download(url, how, tmp_path):
    how.data = TEXT + b"!"
    with pytest.raises(FetchError, match=r"has 3,000,008 bytes, but .* has 3,000,007: it is ano"):
        fetch("plain", tmp_path, url=url)
    assert how.requests == []


@pytest.mark.parametrize("status", [401, 404, 500])
def test_a_server_that_refuses(url, how, tmp_path, status):
    how.status = status
    with pytest.raises(FetchError, match=rf"(?s){status} .* save {url}/a/plain.txt as "):
        fetch("plain", tmp_path, url=url)
    assert names(tmp_path) == []


def test_no_server(url, tmp_path):
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        nowhere = f"http://127.0.0.1:{free.getsockname()[1]}"
    with pytest.raises(FetchError, match=rf"could not download {nowhere}/a/plain.txt: .* by hand"):
        fetch("plain", tmp_path, url=nowhere)


@pytest.mark.parametrize("name", ["plain", "packed"])
def test_a_full_disk(url, how, tmp_path, name):
    """A limit on the size of files stands for it: the same failure, from the system itself."""
    pytest.importorskip("resource")
    text = TEXT if name == "plain" else bytes(len(TEXT))
    how.data = TEXT if name == "plain" else gzip.compress(text)
    program = textwrap.dedent(f"""
        import resource, sys
        from huggingface_hub import constants
        from cs336_bpe.corpora import fetch as fetching
        fetching.CORPORA[{name!r}] = fetching.Corpus(
            {CORPORA[name].place!r}, {len(text)}, {digest(text)!r})
        constants.DOWNLOAD_CHUNK_SIZE = 50_000
        if sys.argv[1] == "full":
            resource.setrlimit(resource.RLIMIT_FSIZE, (1_000_000, 1_000_000))
        try:
            print(fetching.fetch({name!r}, {str(tmp_path)!r}, url={url!r}))
        except fetching.FetchError as error:
            print(error.errno, error)
    """)

    def run(how_full):
        env = {**os.environ, "PYTHONPATH": str(Path(fetching.__file__).parents[2])}
        return subprocess.run([sys.executable, "-c", program, how_full], check=True,
                              capture_output=True, text=True, env=env).stdout

    output = run("full")
    assert output.startswith(f"{errno.EFBIG} ")
    assert "kept, so make room" in output
    assert part_of(tmp_path).exists()
    how.requests.clear()
    assert run("room").strip() == str(tmp_path / f"{name}.txt")
    assert (tmp_path / f"{name}.txt").read_bytes() == text
    assert names(tmp_path) == [f"{name}.txt"]
    # A packed file had come, and only had to be unpacked.
    assert [wanted for _, wanted in how.requests] == ["bytes=1000000-"] * (name == "plain")


def test_unpacks_what_was_put_in_place_by_hand(url, how, tmp_path):
    (tmp_path / "packed.txt.gz").write_bytes(gzip.compress(TEXT))
    assert fetch("packed", tmp_path, url=url).read_bytes() == TEXT
    assert names(tmp_path) == ["packed.txt", "packed.txt.gz"]
    assert how.requests == []


def packed_badly():
    good = gzip.compress(TEXT)
    wrong = bytearray(good)
    wrong[len(good) // 2] ^= 1
    return {"cut": good[:-100], "changed": bytes(wrong), "no gzip": b"what?" * 100,
            "other text": gzip.compress(OTHER), "longer": gzip.compress(TEXT + b"!"),
            "a bomb": gzip.compress(bytes(50_000_000))}


@pytest.mark.parametrize(("case", "data"), packed_badly().items(), ids=packed_badly())
def test_bad_gzip(url, how, tmp_path, case, data):
    how.data = data
    what = {"longer": "more than", "a bomb": "more than", "other text": "with the SHA-256"}
    with pytest.raises(FetchError, match=rf"{what.get(case, 'unpack')}.*; it was removed: fetch"):
        fetch("packed", tmp_path, url=url)
    assert list(tmp_path.glob("packed*[!k]")) == []  # a lock may stay


def test_bad_gzip_put_in_place_by_hand_is_left_there(url, how, tmp_path):
    (tmp_path / "packed.txt.gz").write_bytes(b"what?")
    with pytest.raises(FetchError, match=r"packed.txt.gz can't be unpacked"):
        fetch("packed", tmp_path, url=url)
    assert names(tmp_path) == ["packed.txt.gz"]
    assert how.requests == []


def test_two_at_a_time(url, how, tmp_path):
    filelock = pytest.importorskip("filelock")
    how.cuts = [100_000, *10 * [0]]
    with pytest.raises(FetchError):
        fetch("plain", tmp_path, url=url)
    how.cuts.clear()
    with (filelock.FileLock(part_of(tmp_path).with_suffix(".lock")),
          pytest.raises(FetchError, match="another program is downloading to it")):
        fetch("plain", tmp_path, url=url)
    assert fetch("plain", tmp_path, url=url).read_bytes() == TEXT


def test_without_the_library(url, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "huggingface_hub", None)
    with pytest.raises(FetchError, match=r"pip install huggingface_hub.*put it in place by h"):
        fetch("plain", tmp_path, url=url)


def test_no_such_corpus(tmp_path):
    with pytest.raises(ValueError, match=r"'owt' is not a corpus of the coursework; there are ti"):
        fetch("owt", tmp_path)


def test_a_folder_that_cannot_be_made(url, tmp_path):
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(OSError, match="file"):
        fetch("plain", tmp_path / "file" / "folder", url=url)
