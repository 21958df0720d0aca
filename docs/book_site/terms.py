"""The glossary's words, which become links where a page first uses them."""

import re
from pathlib import Path

GLOSSARY = Path(__file__).parent.parent / "glossary.md"


def terms() -> dict[str, str]:
    """Each term of the glossary in lower case, and its anchor."""
    headings = re.findall(r"^## (.+)$", GLOSSARY.read_text("utf-8"), re.M)
    return {heading.lower(): re.sub(r"[^\w-]+", "-", heading.lower()) for heading in headings}


def pattern(names: list[str]) -> re.Pattern[str]:
    """Finds a term, or its plural; the longer one where one begins with another.

    >>> text = "Tokens have token ids; tokenizers make them"
    >>> [(match[0], match[1]) for match in pattern(["token", "token id"]).finditer(text)]
    [('Tokens', 'Token'), ('token ids', 'token id')]
    """
    longest_first = "|".join(re.escape(name) for name in sorted(names, key=len, reverse=True))
    return re.compile(rf"(?<![\w-])({longest_first})(?:s|es)?(?![\w-])", re.IGNORECASE)


def link_first_uses(doctree, prefix: str) -> None:  # type: ignore[no-untyped-def]
    """Make the first use of each term in a page's paragraphs a link to the glossary."""
    from docutils import nodes

    anchors = terms()
    find = pattern(list(anchors))
    unused = set(anchors)
    for paragraph in list(doctree.findall(nodes.paragraph)):
        if within(paragraph, nodes.table):
            continue
        for text in list(paragraph.findall(nodes.Text)):
            if within(text, nodes.reference, nodes.literal, nodes.raw, nodes.strong):
                continue
            parts, start = [], 0
            for match in find.finditer(text):
                name = match[1].lower()
                if name in unused:
                    unused.remove(name)
                    parts += [nodes.Text(text[start : match.start()]),
                              nodes.reference("", match[0], refuri=f"{prefix}#{anchors[name]}",
                                              internal=True, classes=["term"])]
                    start = match.end()
            if parts:
                text.parent.replace(text, [*parts, nodes.Text(text[start:])])


def within(node, *kinds: type) -> bool:  # type: ignore[no-untyped-def]
    """Whether a node is inside of one of these kinds."""
    while node is not None:
        if isinstance(node, kinds):
            return True
        node = node.parent
    return False
