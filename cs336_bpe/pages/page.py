"""One file for a page: its style, its script and its data, and no way to the network.

A Content-Security-Policy forbids everything that is not named: all requests, and all scripts and
styles but the two whose SHA-256 it states. So even if a token got past the escaping, the browser
would not run it. The data is JSON in which `<`, `>` and `&` are written as escapes, so no token
can end the element that it is in; the script puts it on the page as text, never as HTML.
"""

import html
import json
from base64 import b64encode
from hashlib import sha256
from importlib.resources import files
from string import Template
from typing import Any

from cs336_bpe.common.atomic_files import atomic_writer
from cs336_bpe.common.paths import AnyPath
from cs336_bpe.views import palette
from cs336_bpe.views.appearance import appearance

SCRIPTS = {
    "show": ["elements.js", "merges.js", "show.js"],
    "explore": ["elements.js", "classes.js", "automaton.js", "merges.js", "vocabulary.js",
                "training.js", "compression.js", "explore.js"],
    "pattern": ["elements.js", "classes.js", "automaton.js", "stepper.js", "pattern.js"],
    "play/training": ["elements.js", "stepper.js", "play/words.js", "play/training.js"],
    "play/ladder": ["elements.js", "stepper.js", "play/measurements.js", "play/ladder.js"],
    "play/cutter": ["elements.js", "classes.js", "stepper.js", "play/masks.js", "play/cutter.js"],
    "play/utf8": ["elements.js", "stepper.js", "play/decode_utf8.js", "play/utf8.js"],
    "play/heap": ["elements.js", "stepper.js", "play/words.js", "play/heap.js"],
    "play/positions": ["elements.js", "stepper.js", "play/words.js", "play/positions.js"],
}

_PAGE = Template("""\
<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; \
script-src '$script_hash'; style-src '$style_hash'; base-uri 'none'; form-action 'none'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<title>$title</title>
<style>$style</style>
</head>
<body>
<noscript><p>This page needs JavaScript. It is all in this file; nothing is loaded.</p></noscript>
$body
<script type="application/json" id="data">$data</script>
<script>$script</script>
</body>
</html>
""")


def write_page(path: AnyPath, name: str, title: str, data: dict[str, Any]) -> int:
    """Write the page `name` with its data, and return the size of the file in bytes."""
    page = build_page(name, title, data)
    with atomic_writer(path) as file:
        file.write(page)
    return len(page)


def build_page(name: str, title: str, data: dict[str, Any]) -> bytes:
    """The whole page. Where `name` is "show", its body is `show.html`."""
    if not isinstance(title, str):
        raise TypeError(f"title is {title!r}, a {type(title).__name__}; it must be str")
    shown_title = html.escape("".join(
        part.text for part in appearance(title.encode("utf-8", "surrogatepass"))))
    style = palette.css() + _part("pages.css")
    if name.startswith("play/"):
        style += _part("play/play.css")
    script = "".join(map(_part, SCRIPTS[name]))
    # All at once: what is put in for one name is not searched for the others.
    return _PAGE.substitute(
        title=shown_title, style=style, style_hash=_hash(style), script=script,
        script_hash=_hash(script), data=as_json(data),
        body=Template(_part(f"{name}.html")).substitute(
            title=shown_title, stepper=_part("stepper.html")),
    ).encode()


def as_json(data: object) -> str:
    """JSON that can stand inside `<script>`, whatever is in it.

    >>> as_json({"token": "</script>"})
    '{"token":"\\\\u003c/script\\\\u003e"}'
    """
    text = json.dumps(data, separators=(",", ":"), allow_nan=False)
    return text.replace("<", r"\u003c").replace(">", r"\u003e").replace("&", r"\u0026")


def byte_string(token: bytes) -> str:
    """A token for JSON: a character for each byte.

    >>> byte_string(b"a\\xff")
    'aÿ'
    """
    return token.decode("latin-1")


def _part(name: str) -> str:
    return files("cs336_bpe.pages").joinpath(name).read_text(encoding="utf-8")


def _hash(text: str) -> str:
    return "sha256-" + b64encode(sha256(text.encode()).digest()).decode()
