"""Pages to play with: a tokenizer that was trained on this book, as single files."""

from pathlib import Path

from book_site import order
from cs336_bpe import Tokenizer, train_bpe_from_texts
from cs336_bpe.pages import write_explore_page, write_pattern_page, write_show_page

VOCAB_SIZE = 4096
TEXT = """A language model does not read text; it reads numbers. Naïve programs cut at spaces.
The low, the lower, the newest and the widest: 1, 12, 123, 1234. 你好, мир! 🙂
"""
LINKS = """
```{admonition} Play with it
These pages are single files. Their tokenizer was trained on the text of this book.

- [The explorer](site:play/explorer.html): the vocabulary, its merges, and a text of your own as
  training goes on
- [A text in tokens](site:play/text.html): click a token to see the tree of its merges
- [A pattern at work](site:play/pattern.html): a text of your own on its way through the automaton
```
"""


def links(page: str) -> str:
    """What a page says about them, if anything."""
    return LINKS if page in ("index", "pages/pages", "start/why_tokens") else ""


def book_tokenizer() -> Tokenizer:
    """A tokenizer trained on the pages of this book."""
    texts = [path.read_text("utf-8") for path in sorted(order.DOCS.rglob("*.md"))]
    special_tokens = ["<|endoftext|>"]
    return Tokenizer(*train_bpe_from_texts(texts, VOCAB_SIZE, special_tokens), special_tokens)


def write(folder: Path) -> None:
    """Write the pages into a folder of the site."""
    target = folder / "play"
    target.mkdir(exist_ok=True)
    tokenizer = book_tokenizer()
    write_explore_page(tokenizer, target / "explorer.html", TEXT,
                       title="A tokenizer trained on this book")
    write_show_page(tokenizer, TEXT, target / "text.html")
    write_pattern_page("gpt2", target / "pattern.html", "It's 12345 o'clock")
