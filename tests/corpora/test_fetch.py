"""Downloads, from a server on this machine that misbehaves as it is told; no network is needed."""

import errno
import gzip
import hashlib
import json
import os
import random
import socket
import subprocess
import sys
import textwrap
import threading
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import SimpleNamespace

import pytest

from cs336_bpe.corpora import fetch as fetching
from cs336_bpe.corpora.download import download, note_path
from cs336_bpe.corpora.fetch import CORPORA, Corpus, FetchError, fetch

TEXT = random.Random(1).randbytes(3_000_000) + b"the end"
OTHER = random.Random(2).randbytes(3_000_000) + b"the end"


def digest(data):
    return hashlib.sha256(data).hexdigest()


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def do_GET(self):
        how = self.server.how
        how.requests.append((self.path, dict(self.headers)))
        self.place = len(how.served)
        how.served.append(0)
        status = how.status.pop(0) if how.status else 200
        if status != 200:
            self.answer(status, {"Content-Length": "0"})
        elif how.linked and self.path.startswith("/hub/"):
            self.answer(302, {"Location": "/cdn" + self.path, "Content-Length": "0",
                              "X-Linked-ETag": f'"{digest(how.data)}"',
                              "X-Linked-Size": str(len(how.data))})
        else:
            self.send_file(how)

    def send_file(self, how):
        data, start, headers = how.data, 0, {"Content-Type": how.type}
        if how.etag:
            headers["ETag"] = f'"{digest(data)[:16]}"' if how.etag is True else how.etag
        wanted = self.headers["Range"]
        same = self.headers["If-Range"] in (None, headers.get("ETag"))
        if wanted and how.ranges and same:
            start = int(wanted.removeprefix("bytes=").removesuffix("-"))
            if start >= len(data):
                return self.answer(416, {"Content-Length": "0"})
            start += how.shift
            headers["Content-Range"] = f"bytes {start}-{len(data) - 1}/{len(data)}"
        if how.length:
            headers["Content-Length"] = str(len(data) - start)
        else:
            headers["Connection"] = "close"
        self.answer(206 if start else 200, headers)
        body = data[start:]
        if how.cuts:
            body = body[:how.cuts.pop(0)]
            self.close_connection = True
        how.served[self.place] = len(body)  # before the client can ask for more
        self.wfile.write(body)
        return None

    def answer(self, status, headers):
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()


@pytest.fixture
def how():
    """What the server does, to be changed by the test, and what it was asked."""
    return SimpleNamespace(data=TEXT, etag=True, ranges=True, linked=False, length=True, shift=0,
                           type="text/plain", cuts=[], status=[], requests=[], served=[])


@pytest.fixture
def url(how, monkeypatch):
    """The address of the server, with two small corpora and without pauses."""
    monkeypatch.setitem(CORPORA, "plain", Corpus("a/plain.txt", len(TEXT), digest(TEXT)))
    monkeypatch.setitem(CORPORA, "packed", Corpus("b/packed.txt.gz", len(TEXT), digest(TEXT)))
    how.pauses = []
    monkeypatch.setattr(fetching, "download",
                        partial(download, sleep=how.pauses.append, timeout=5))
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
def test_a_whole_download(url, how, tmp_path, linked):
    how.linked = linked
    seen = []
    path = fetch("plain", tmp_path / "new" / "folder", url=url + "/",
                 progress=lambda *call: seen.append(call))
    assert path == tmp_path / "new" / "folder" / "plain.txt"
    assert path.read_bytes() == TEXT
    assert names(path.parent) == ["plain.txt"]
    assert how.requests[0][0] == "/hub/a/plain.txt"
    assert ("download", len(TEXT), len(TEXT)) in seen
    assert seen[-1] == ("check", len(TEXT), len(TEXT))


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


@pytest.mark.parametrize("linked", [False, True])
def test_resumes_in_the_same_call(url, how, tmp_path, linked):
    how.linked = linked
    how.cuts = [1_200_000, 500_000]
    assert fetch("plain", tmp_path, url=url).read_bytes() == TEXT
    ranges = [headers.get("Range") for path, headers in how.requests if linked == ("cdn" in path)]
    assert ranges == [None, "bytes=1200000-", "bytes=1700000-"]
    assert sum(how.served) == len(TEXT)
    assert how.pauses == [1, 2]
    assert names(tmp_path) == ["plain.txt"]


def test_resumes_in_a_later_call(url, how, tmp_path):
    how.cuts = [100_000, 0, 0, 0, 0]
    with pytest.raises(FetchError, match=r"cut after 100,000 of 3,000,007 bytes; gave up after 5 "
                                         r"attempts .* by hand, save http.*/hub/a/plain.txt as "):
        fetch("plain", tmp_path, url=url)
    assert how.pauses == [1, 2, 4, 8]
    assert (tmp_path / "plain.txt.part").read_bytes() == TEXT[:100_000]
    assert names(tmp_path) == ["plain.txt.part", "plain.txt.part.json"]
    how.requests.clear()
    assert fetch("plain", tmp_path, url=url).read_bytes() == TEXT
    assert [headers["Range"] for _, headers in how.requests] == ["bytes=100000-"]
    assert how.requests[0][1]["If-Range"] == f'"{digest(TEXT)[:16]}"'


def test_a_long_download_may_be_cut_often(url, how, tmp_path):
    """What is bounded is the number of attempts that bring nothing, not that of all."""
    how.data = TEXT * 4
    how.cuts = [1_100_000] * 10
    note = download(url + "/a", tmp_path / "part", sleep=how.pauses.append)
    assert note.size == len(TEXT) * 4
    assert (tmp_path / "part").read_bytes() == how.data
    assert how.pauses == [1] * 10


def test_gives_up_on_a_server_without_ranges_that_always_cuts(url, how, tmp_path):
    how.ranges = False
    how.cuts = [2_000_000] * 100
    with pytest.raises(FetchError, match="gave up"):
        fetch("plain", tmp_path, url=url)
    assert len(how.requests) < 10


@pytest.mark.parametrize("linked", [False, True])
def test_starts_over_if_the_file_has_changed(url, how, tmp_path, linked):
    how.linked, how.data, how.cuts = linked, OTHER, [100_000, 0, 0, 0, 0]
    with pytest.raises(FetchError, match="gave up"):
        fetch("plain", tmp_path, url=url)
    how.data = TEXT
    how.pauses.clear()
    assert fetch("plain", tmp_path, url=url).read_bytes() == TEXT
    assert how.served[-1] == len(TEXT)
    assert how.pauses == []  # it did not take another attempt to find out


def test_the_hubs_checksum_outweighs_the_mark_of_the_other_host(url, how, tmp_path):
    how.linked, how.cuts, how.etag = True, [100_000, 0, 0, 0, 0], '"one"'
    with pytest.raises(FetchError, match="gave up"):
        fetch("plain", tmp_path, url=url)
    how.etag = '"two"'
    assert fetch("plain", tmp_path, url=url).read_bytes() == TEXT
    assert how.served[-1] == len(TEXT) - 100_000


@pytest.mark.parametrize("change", [{"ranges": False}, {"etag": None}, {"etag": 'W/"weak"'},
                                    {"shift": 1}])
def test_starts_over_if_it_cannot_resume(url, how, tmp_path, change):
    vars(how).update(change)
    how.cuts = [1_000_000]
    assert fetch("plain", tmp_path, url=url).read_bytes() == TEXT
    assert how.served[-1] == len(TEXT)


@pytest.mark.parametrize("note", [b"", b"{}", b"[1]", b"[" * 100_000, b"\xff", b'{"url": 1}'])
def test_a_note_that_makes_no_sense_starts_over(url, how, tmp_path, note):
    part = tmp_path / "plain.txt.part"
    part.write_bytes(OTHER[:1000])
    note_path(part).write_bytes(note)
    assert fetch("plain", tmp_path, url=url).read_bytes() == TEXT
    assert "Range" not in how.requests[0][1]


def test_a_mark_that_is_not_fit_for_a_header(url, how, tmp_path):
    part = tmp_path / "plain.txt.part"
    part.write_bytes(TEXT[:1000])
    note = {"url": url + "/a/plain.txt", "size": len(TEXT), "mark": "x\r\ny: z", "sha256": None}
    note_path(part).write_text(json.dumps(note))
    assert fetch("plain", tmp_path, url=url).read_bytes() == TEXT
    assert "Range" not in how.requests[0][1]


def test_a_part_that_is_too_long(url, how, tmp_path):
    how.cuts = [100_000, 0, 0, 0, 0]
    with pytest.raises(FetchError, match="gave up"):
        fetch("plain", tmp_path, url=url)
    (tmp_path / "plain.txt.part").write_bytes(TEXT + b"more")
    assert fetch("plain", tmp_path, url=url).read_bytes() == TEXT


def test_the_servers_file_is_shorter_than_the_part(url, how, tmp_path):
    """A server that does not look at If-Range, and has a shorter file by now: 416, then anew."""
    part = tmp_path / "part"
    part.write_bytes(OTHER[:2_000])
    note_path(part).write_text(json.dumps(
        {"url": url + "/a", "size": 5_000, "mark": None, "sha256": "0" * 64}))
    how.data = TEXT[:1_000]
    download(url + "/a", part, sleep=how.pauses.append)
    assert part.read_bytes() == TEXT[:1_000]
    assert len(how.requests) == 2


def test_a_wrong_checksum(url, how, tmp_path):
    how.data = OTHER
    with pytest.raises(FetchError, match=rf"has the SHA-256 {digest(OTHER)}, but it must be "
                                         rf"{digest(TEXT)}; it was removed"):
        fetch("plain", tmp_path, url=url)
    assert names(tmp_path) == []


def test_a_wrong_size_is_found_before_the_download(url, how, tmp_path):
    how.data = TEXT + b"!"
    with pytest.raises(FetchError, match=r"has 3,000,008 bytes, but .* has 3,000,007: it is ano"):
        fetch("plain", tmp_path, url=url)


def test_a_wrong_size_does_not_cost_what_has_come(url, how, tmp_path):
    how.cuts = [100_000, 0, 0, 0, 0]
    with pytest.raises(FetchError, match="gave up"):
        fetch("plain", tmp_path, url=url)
    how.data, how.type = b"<html>Please log in</html>", "text/html; charset=utf-8"
    with pytest.raises(FetchError, match="sent a web page instead"):
        fetch("plain", tmp_path, url=url)
    how.data, how.type = TEXT, "text/plain"
    assert fetch("plain", tmp_path, url=url).read_bytes() == TEXT
    assert how.served[-1] == len(TEXT) - 100_000


def test_a_server_that_does_not_tell_the_size(url, how, tmp_path):
    how.length = False
    with pytest.raises(FetchError, match="does not say how large"):
        fetch("plain", tmp_path, url=url)
    how.linked = True  # the redirect tells
    assert fetch("plain", tmp_path, url=url).read_bytes() == TEXT


@pytest.mark.parametrize("status", [401, 403, 404, 410])
def test_a_final_answer_is_not_asked_for_again(url, how, tmp_path, status):
    how.status = [status]
    with pytest.raises(FetchError, match=rf"answered {status} .* save {url}/a/plain.txt as "):
        fetch("plain", tmp_path, url=url)
    assert len(how.requests) == 1


@pytest.mark.parametrize("status", [429, 500, 503])
def test_a_server_in_trouble_is_asked_again(url, how, tmp_path, status):
    how.status = [status] * 2
    assert fetch("plain", tmp_path, url=url).read_bytes() == TEXT
    assert how.pauses == [1, 2]


def test_a_server_that_stays_in_trouble(url, how, tmp_path):
    how.status = [500] * 100
    with pytest.raises(FetchError, match=r"answered 500 \(Internal Server Error\) for .* gave up"):
        fetch("plain", tmp_path, url=url)
    assert len(how.requests) == 5


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def test_no_server(url, how, tmp_path):
    address = f"http://127.0.0.1:{free_port()}"
    with pytest.raises(FetchError) as caught:
        fetch("packed", tmp_path, url=address)
    message = str(caught.value)
    assert message.startswith(f"no connection to {address}/b/packed.txt.gz: ")
    assert message.endswith(f"save {address}/b/packed.txt.gz as {tmp_path / 'packed.txt.gz'}")
    assert how.pauses == []


def test_no_network_at_all(url, monkeypatch, tmp_path):
    def no_address(*_, **__):
        raise socket.gaierror(-2, "Name or service not known")
    monkeypatch.setattr(socket, "getaddrinfo", no_address)
    with pytest.raises(FetchError, match=r"no connection to https://huggingface.co/datasets/ronen.*"
                                         r"Name or service not known.* by hand, save https"):
        fetch("tinystories-valid", tmp_path)


def test_the_network_goes_and_comes_back(url, how, tmp_path, monkeypatch):
    how.cuts = [1_000_000]
    connect, calls = socket.create_connection, []

    def unreliable(*args, **kwargs):
        calls.append(args)
        if len(calls) == 2:
            raise OSError(errno.ENETUNREACH, "Network is unreachable")
        return connect(*args, **kwargs)
    monkeypatch.setattr(socket, "create_connection", unreliable)
    assert fetch("plain", tmp_path, url=url).read_bytes() == TEXT
    assert len(calls) == 3


def test_a_server_that_says_nothing(url, how, tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as silent:
        address = f"http://127.0.0.1:{silent.getsockname()[1]}"
        with pytest.raises(FetchError, match="nothing came from the server for too long; gave up"):
            download(address, tmp_path / "part", timeout=0.05, sleep=how.pauses.append)


@pytest.mark.parametrize("name", ["plain", "packed"])
def test_a_full_disk(url, how, tmp_path, name):
    """A limit on the size of files stands for it: the same failure, from the system itself."""
    if name == "packed":
        text = bytes(len(TEXT))
        how.data = gzip.compress(text)
    else:
        text = TEXT
    program = textwrap.dedent(f"""
        import resource, sys
        from cs336_bpe.corpora import fetch as fetching
        fetching.CORPORA[{name!r}] = fetching.Corpus(
            {CORPORA[name].place!r}, {len(text)}, {digest(text)!r})
        if sys.argv[1] == "full":
            resource.setrlimit(resource.RLIMIT_FSIZE, (1_000_000, 1_000_000))
        try:
            print(fetching.fetch({name!r}, {str(tmp_path)!r}, url={url!r}))
        except fetching.FetchError as error:
            print(error.errno, error)
    """)
    def run(how_full):
        env = {**os.environ, "PYTHONPATH": str(Path(fetching.__file__).parent.parent)}
        return subprocess.run([sys.executable, "-c", program, how_full], check=True,
                              capture_output=True, text=True, env=env).stdout

    output = run("full")
    assert output.startswith(f"{errno.EFBIG} ")
    assert "kept, so make room" in output
    remote = CORPORA[name].remote_name
    assert names(tmp_path) == [f"{remote}.part", f"{remote}.part.json"]
    served = sum(how.served)
    assert run("room").strip() == str(tmp_path / f"{name}.txt")
    assert (tmp_path / f"{name}.txt").read_bytes() == text
    assert names(tmp_path) == [f"{name}.txt"]
    if name == "plain":
        assert how.requests[-1][1]["Range"] == "bytes=1000000-"
    else:
        assert sum(how.served) == served  # it had come, and only had to be unpacked


@pytest.mark.parametrize("linked", [False, True])
def test_unpacks(url, how, tmp_path, linked):
    how.linked, how.data = linked, gzip.compress(TEXT[:1000]) + gzip.compress(TEXT[1000:])
    how.cuts = [50_000]
    assert fetch("packed", tmp_path, url=url).read_bytes() == TEXT
    assert names(tmp_path) == ["packed.txt"]
    assert sum(how.served) == len(how.data)


def test_unpacks_what_was_put_in_place_by_hand(url, how, tmp_path):
    (tmp_path / "packed.txt.gz").write_bytes(gzip.compress(TEXT))
    assert fetch("packed", tmp_path, url=url).read_bytes() == TEXT
    assert names(tmp_path) == ["packed.txt", "packed.txt.gz"]
    assert how.requests == []


def packed_badly():
    good = gzip.compress(TEXT)
    wrong = bytearray(good)
    wrong[len(good) // 2] ^= 1
    return {"cut": good[:-100], "changed": bytes(wrong), "no gzip": b"what?" * 100, "empty": b"",
            "other text": gzip.compress(OTHER), "longer": gzip.compress(TEXT + b"!"),
            "a bomb": gzip.compress(bytes(50_000_000))}


@pytest.mark.parametrize(("case", "data"), packed_badly().items(), ids=packed_badly())
def test_bad_gzip(url, how, tmp_path, case, data):
    how.data = data
    what = "unpacks to more than" if case in ("longer", "a bomb") else "unpack"
    with pytest.raises(FetchError, match=rf"{what}.*; it was removed: fetch again"):
        fetch("packed", tmp_path, url=url)
    assert names(tmp_path) == []


def test_bad_gzip_put_in_place_by_hand_is_left_there(url, how, tmp_path):
    (tmp_path / "packed.txt.gz").write_bytes(b"what?")
    with pytest.raises(FetchError, match=r"packed.txt.gz can't be unpacked"):
        fetch("packed", tmp_path, url=url)
    assert names(tmp_path) == ["packed.txt.gz"]
    assert how.requests == []


def test_packed_data_that_differ_from_the_hubs_checksum(url, how, tmp_path):
    """The part was spoilt between two calls: found before it is unpacked."""
    how.linked, how.data = True, gzip.compress(TEXT)
    how.cuts = [100_000, 0, 0, 0, 0]
    with pytest.raises(FetchError, match="gave up"):
        fetch("packed", tmp_path, url=url)
    (tmp_path / "packed.txt.gz.part").write_bytes(bytes(100_000))
    with pytest.raises(FetchError, match=r"has the SHA-256"):
        fetch("packed", tmp_path, url=url)
    assert names(tmp_path) == []


def test_two_at_a_time(url, how, tmp_path):
    fcntl = pytest.importorskip("fcntl")
    with (tmp_path / "plain.txt.part").open("ab") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        with pytest.raises(FetchError, match="another program is downloading"):
            fetch("plain", tmp_path, url=url)
    assert fetch("plain", tmp_path, url=url).read_bytes() == TEXT


def test_an_interruption_keeps_what_has_come(url, how, tmp_path, monkeypatch):
    monkeypatch.setattr("cs336_bpe.common.progress.SECONDS_BETWEEN_CALLS", 0)

    def stop(phase, done, total):
        if done > 1_000_000:
            raise KeyboardInterrupt
    with pytest.raises(KeyboardInterrupt):
        fetch("plain", tmp_path, url=url, progress=stop)
    have = (tmp_path / "plain.txt.part").stat().st_size
    assert have > 1_000_000
    assert fetch("plain", tmp_path, url=url).read_bytes() == TEXT
    assert how.requests[-1][1]["Range"] == f"bytes={have}-"


def test_no_such_corpus(tmp_path):
    with pytest.raises(ValueError, match=r"'owt' is no corpus of the coursework; there are tinyst"):
        fetch("owt", tmp_path)


def test_a_folder_that_cannot_be_made(url, tmp_path):
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(OSError, match="file"):
        fetch("plain", tmp_path / "file" / "folder", url=url)
