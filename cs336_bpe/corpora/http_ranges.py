"""One HTTP request for a file, or for the rest of it.

What is asked and what is answered, without the file that the answer goes to; that is the affair of
`download.py`. Every way in which a request can go wrong becomes one of three errors: `FetchError`
is final, `CutOff` is worth another try, and `NoConnection` is worth one if there was a connection
before.

Hugging Face answers with a redirect to another host, and has the SHA-256 of a large file in that
first answer (`X-Linked-ETag`). It is a better mark than any other, because it also tells in the end
whether the file is right, so it is used where it is there.
"""

import http.client
import re
import urllib.error
import urllib.request
from dataclasses import dataclass
from email.message import Message
from typing import IO, Any

from cs336_bpe._version import __version__

BLOCK = 1 << 18
WORTH_ANOTHER_TRY = (408, 425, 429, 500, 502, 503, 504)


class FetchError(OSError):
    """A file could not be downloaded, or is not the right one."""


class CutOff(Exception):
    """The connection was cut, or the server was busy: worth another try."""


class NoConnection(CutOff):
    """There was none to begin with."""


class WrongPart(CutOff):
    """What is here is not the beginning of the server's file: start over."""


@dataclass
class Note:
    """What the server said about a file."""

    url: str
    size: int | None
    mark: str | None  # for If-Range: a strong ETag, or the time of the last change
    sha256: str | None  # of the whole file, where the server tells


class Answer:
    """The server's answer: all of the file, or the rest of it. To be used in a `with` block."""

    def __init__(self, response: Any, note: Note, start: int) -> None:
        self._response = response
        self.note = note
        self.start = start  # the place in the file of the first byte that comes

    def __enter__(self) -> "Answer":
        return self

    def __exit__(self, *_: object) -> None:
        self._response.close()

    def read(self) -> bytes:
        """The next block; nothing at the end, which may be too early: compare sizes."""
        try:
            block: bytes = self._response.read(BLOCK)
        except (OSError, http.client.HTTPException) as error:
            raise CutOff(_say(error)) from error
        return block


def ask(url: str, note: Note | None, have: int, timeout: float) -> Answer:
    """Ask for a file; if `have` bytes of it are here, and `note` is about them, for the rest."""
    request = urllib.request.Request(url, headers={
        "User-Agent": f"cs336-bpe/{__version__}", "Accept-Encoding": "identity"})
    if note and have and (note.mark or note.sha256):
        request.add_header("Range", f"bytes={have}-")
        if note.mark:
            request.add_header("If-Range", note.mark)
    redirects = _Redirects(note)
    response = _connect(request, redirects, timeout)
    try:
        answer = _describe(response, url, redirects)
        if response.status != 206:
            _check_type(response, url)
            return Answer(response, answer, 0)
        if not note or not _fits(response, answer, note, have):
            raise WrongPart("the server sent another piece of the file than was asked for")
        return Answer(response, Note(url, note.size, answer.mark or note.mark,
                                     answer.sha256 or note.sha256), have)
    except BaseException:
        response.close()
        raise


class _Redirects(urllib.request.HTTPRedirectHandler):
    """Follows redirects, and takes note of what the first answer says about the file."""

    def __init__(self, note: Note | None) -> None:
        self.note = note
        self.sha256: str | None = None
        self.size: int | None = None

    def redirect_request(self, req: urllib.request.Request, fp: IO[bytes], code: int, msg: str,
                         headers: Message, newurl: str) -> urllib.request.Request | None:
        if req.type == "https" and not newurl.startswith("https:"):
            raise FetchError(f"{req.full_url} leads to {newurl}, which is not encrypted; refused")
        new = super().redirect_request(req, fp, code, msg, headers, newurl)  # type: ignore[arg-type]
        self.sha256 = _sha256_of(headers["X-Linked-ETag"]) or self.sha256
        self.size = _number(headers["X-Linked-Size"]) or self.size
        if new is not None and self.note and self.note.sha256 and self.sha256:
            # Now it is known whether the file is the same. The other host's own mark may differ
            # from one of its machines to the next, and is not needed.
            new.remove_header("If-range")
            if self.note.sha256 != self.sha256:
                new.remove_header("Range")
        return new


def _connect(request: urllib.request.Request, redirects: _Redirects, timeout: float) -> Any:
    try:
        return urllib.request.build_opener(redirects).open(request, timeout=timeout)
    except urllib.error.HTTPError as error:
        with error:
            code, reason = error.code, error.reason
        if code == 416:
            raise WrongPart("the server's file is shorter than the part that is here") from error
        what = f"the server answered {code} ({reason}) for {request.full_url}"
        if code in WORTH_ANOTHER_TRY:
            raise CutOff(what) from error
        raise FetchError(what) from error
    except FetchError:
        raise
    except urllib.error.URLError as error:
        raise NoConnection(error.reason) from error
    except (OSError, http.client.HTTPException) as error:
        raise CutOff(_say(error)) from error


def _describe(response: Any, url: str, redirects: _Redirects) -> Note:
    headers = response.headers
    mark = headers["ETag"]
    if not mark or mark.startswith("W/"):  # a weak one says "much the same", which is not enough
        mark = headers["Last-Modified"]
    length = headers["Content-Length"]
    size = redirects.size if length is None else _number(length)
    return Note(url, size, mark, redirects.sha256 or _sha256_of(headers["X-Linked-ETag"]))


def _check_type(response: Any, url: str) -> None:
    if response.headers.get_content_type() == "text/html":
        raise FetchError(f"the server sent a web page instead of {url}; does this network ask "
                         f"for a login first?")


def _fits(response: Any, answer: Note, note: Note, have: int) -> bool:
    """Whether a 206 answer is the rest of the file of which we have the beginning."""
    match = re.fullmatch(r"bytes (\d+)-(\d+)/(\d+|\*)", response.headers["Content-Range"] or "")
    if match is None or int(match[1]) != have:
        return False
    if match[3] != "*" and note.size is not None and int(match[3]) != note.size:
        return False
    return answer.sha256 is None or note.sha256 is None or answer.sha256 == note.sha256


def _sha256_of(etag: str | None) -> str | None:
    match = re.fullmatch(r'"?([0-9a-f]{64})"?', etag or "")
    return match[1] if match else None


def _number(text: str | None) -> int | None:
    return int(text) if text and re.fullmatch("[0-9]{1,18}", text) else None


def _say(error: Exception) -> str:
    if isinstance(error, TimeoutError):
        return "nothing came from the server for too long"
    return f"the connection was cut ({str(error) or type(error).__name__})"
