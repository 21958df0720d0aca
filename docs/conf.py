"""How Sphinx makes a site of these pages. What is special about it is in `book_site`."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

project = "Byte-level BPE, rung by rung"
author = "the authors of cs336_bpe"
extensions = ["myst_parser", "book_site"]
exclude_patterns = ["_build", "book_site"]

myst_heading_anchors = 4  # the anchors that GitHub gives to headings
myst_url_schemes = ["http", "https", "mailto", "source", "site"]  # two of them are book_site's

html_theme = "furo"
html_title = project
html_static_path = ["book_site/static"]
html_css_files = ["book.css"]
html_copy_source = False
html_show_copyright = False
