"""What a page shows at first, if a reader may then write a text of their own."""

from cs336_bpe.text.utf8 import as_utf8


def text_to_show(text: str | None, sample: str) -> str:
    """The text, or the sample if there is none; an error if it is not text.

    >>> text_to_show("é", "sample"), text_to_show(None, "sample")
    ('é', 'sample')
    """
    if text is None:
        return sample
    if not isinstance(text, str):
        raise TypeError(f"text is a {type(text).__name__}; it must be str")
    as_utf8(text)
    return text
