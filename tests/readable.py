"""Whether text on a page can be read: its contrast with what is behind it."""

import re

LEAST_CONTRAST = 4.5  # what the guidelines for accessible pages ask for
TEXTS = ("h1, h2, h3, p, button:enabled, input, select, textarea, .token, li, summary, td, th, dt, "
         "dd, label, code, small, .cell > span, .change, .popped, .entries span")
COLOURS = """(texts) => Array.from(document.querySelectorAll(texts))
    .filter((element) => element.offsetParent && element.textContent + (element.value || ""))
    .map((element) => {
        let behind = element;
        while (getComputedStyle(behind).backgroundColor === "rgba(0, 0, 0, 0)") {
            behind = behind.parentElement;
        }
        return [getComputedStyle(element).color, getComputedStyle(behind).backgroundColor];
    })"""
DRAWN = """() => Array.from(document.querySelectorAll("svg text"), (text) => {
    const box = text.parentElement.querySelector("rect");
    const fill = box && getComputedStyle(box).fill;
    const solid = fill && fill !== "none" && !fill.startsWith("rgba(0, 0, 0, 0");
    const card = getComputedStyle(text.closest(".card")).backgroundColor;
    return [getComputedStyle(text).fill, solid ? fill : card];
})"""


def assert_readable(browser):
    """All text of the page as it is now, that of drawings included."""
    pairs = browser.page.evaluate(COLOURS, TEXTS) + browser.page.evaluate(DRAWN)
    assert len(pairs) > 20
    for text, background in {tuple(pair) for pair in pairs}:
        assert contrast(text, background) >= LEAST_CONTRAST, (text, background)


def light(colour):
    values = [int(number) / 255 for number in re.findall(r"\d+", colour)[:3]]
    return [v / 12.92 if v <= 0.04045 else ((v + 0.055) / 1.055) ** 2.4 for v in values]


def contrast(one, other):
    weights = (0.2126, 0.7152, 0.0722)
    a, b = (sum(w * v for w, v in zip(weights, light(colour))) for colour in (one, other))
    return (max(a, b) + 0.05) / (min(a, b) + 0.05)
