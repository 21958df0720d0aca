"""The API reference: signatures and docstrings of the public names, as Markdown."""

import inspect
import re
import textwrap
from collections.abc import Iterator, Mapping

import cs336_bpe


def reference() -> str:
    """Every public name of the package."""
    return "\n".join(entry(name, getattr(cs336_bpe, name))
                     for name in cs336_bpe.__all__ if not name.startswith("_"))


def entry(name: str, thing: object) -> str:
    """A name with its docstring; a class with its public methods."""
    if inspect.isclass(thing):
        members = "\n".join(directive("method", member, function)
                            for member, function in public_methods(thing))
        return f"## {name}\n\n{directive('class', name, thing, members)}"
    if callable(thing):
        return f"## {name}\n\n{directive('function', name, thing)}"
    return f"## {name}\n\n```python\n{name} = {shown(thing)}\n```\n"


def shown(value: str | Mapping[str, str]) -> str:
    """A constant: a pattern, or the names in a table of patterns."""
    return repr(value) if isinstance(value, str) else f"{{{', '.join(map(repr, value))}}}  # names"


def public_methods(cls: type) -> Iterator[tuple[str, object]]:
    """The methods and properties of a class itself, in the order of its source."""
    for name, member in vars(cls).items():
        if not name.startswith("_") and (member.__doc__ or "").strip():
            yield name, member


def directive(kind: str, name: str, thing: object, members: str = "") -> str:
    """A description of the Python domain, which can be searched and linked to.

    >>> def double(n: int) -> int:
    ...     '''Twice `n`.'''
    >>> print(directive("function", "double", double))
    `````{py:function} double(n: int) -> int
    Twice `n`.
    `````
    <BLANKLINE>
    """
    function = getattr(thing, "__func__", getattr(thing, "func", getattr(thing, "fget", thing)))
    try:
        signature = str(inspect.signature(function))  # type: ignore[arg-type]
    except (TypeError, ValueError):
        signature = ""
    if isinstance(thing, property) or hasattr(thing, "func"):
        kind, signature = "property", ""
    signature = re.sub(r"^\((?:self|cls)(?:, )?", "(", signature)
    fence = "``````" if members else "`````"
    parts = [f"{fence}{{py:{kind}}} {name}{signature}", as_markdown(inspect.getdoc(thing) or "")]
    return "\n".join([*parts, *([members] if members else []), fence, ""])


def as_markdown(docstring: str) -> str:
    """A docstring whose examples are fenced.

    >>> as_markdown("Add.\\n\\n>>> 1 + 1\\n2")
    'Add.\\n\\n```pycon\\n>>> 1 + 1\\n2\\n```'
    """
    blocks = textwrap.dedent(docstring).split("\n\n")
    return "\n\n".join(f"```pycon\n{block.strip()}\n```" if block.lstrip().startswith(">>>")
                       else block for block in blocks)
