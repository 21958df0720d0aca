"""A Sphinx extension: the site is these pages, and what can be made from the package.

The pages stay plain Markdown, which GitHub shows as it is. What only a site can have is added while
it is built, and never committed: the order of the book, each stage's place on its ladder and its
diff, the sources that pages link to, links to the glossary, the API, pages to play with, and, with
the tag `annotated`, what Cython makes of the compiled stages.

Sphinx is imported by `setup` alone, so that the tests of this folder need no Sphinx.
"""

import re
from pathlib import Path

from book_site import annotated, api, order, play, sources, stage_pages, terms

ANNOTATED = "annotated"


def without_last_lines(text):
    """Markdown whose blocks of code don't end with an empty line, which doctests need.

    >>> without_last_lines("```python\\n>>> 1\\n1\\n\\n```\\n\\n```\\na\\n```\\n")
    '```python\\n>>> 1\\n1\\n```\\n\\n```\\na\\n```\\n'
    """
    return re.sub(r"^(```[^`]*?)\n+^```$", r"\1\n```", text, flags=re.MULTILINE)


def read(app, page, text):
    """Add to a page's Markdown what the site has more of."""
    text[0] = play.insert(page, sources.rewrite(page, without_last_lines(text[0])))
    stage = stage_pages.stage_of(page)
    if stage is not None:
        title, _, rest = text[0].partition("\n")
        text[0] = f"{title}\n\n{stage_pages.where(stage)}\n{rest}{stage_pages.what_changes(stage)}"
        if ANNOTATED in app.tags:
            text[0] += annotated.link(stage)
    if page == "api":
        text[0] += "\n" + api.reference()
    if page == "index":
        text[0] += "\n" + "\n".join(order.toctree(pages, caption)
                                    for caption, pages in order.parts().items())
    if page in order.BELOW:
        text[0] += "\n" + order.toctree(order.existing(order.BELOW[page]))


def resolve(app, doctree, page):
    """Point `source:` and `site:` links to their pages, and link the glossary's words."""
    from docutils import nodes

    for link in doctree.findall(nodes.reference):
        scheme, _, path = link.get("refuri", "").partition(":")
        if scheme == "source":
            link["refuri"] = app.builder.get_relative_uri(page, sources.address(path))
        elif scheme == "site":
            link["refuri"] = "../" * page.count("/") + path
        if scheme in ("source", "site"):
            link["internal"] = True
    if page != "glossary":
        terms.link_first_uses(doctree, app.builder.get_relative_uri(page, "glossary"))


def collect(app):
    """The pages of the sources."""
    def highlight(text, language):
        return app.builder.highlighter.highlight_block(text, language, force=True)

    return sources.pages(highlight)


def finish(app, error):
    """Write the pages to play with, and the annotated sources, beside the others."""
    if error is None and app.builder.format == "html":
        play.write(Path(app.outdir))
        if ANNOTATED in app.tags:
            annotated.write(Path(app.outdir))


def setup(app):
    app.connect("source-read", read)
    app.connect("doctree-resolved", resolve)
    app.connect("html-collect-pages", collect)
    app.connect("build-finished", finish)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
