"""Colours that can be read, and told apart, also by colour-blind readers."""

import pytest

from cs336_bpe.views import palette

# What each kind of colour blindness makes of linear RGB (Machado, Oliveira and Fernandes 2009,
# severity 1.0).
BLINDNESS = {
    "none": [[1, 0, 0], [0, 1, 0], [0, 0, 1]],
    "protanopia": [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216],
                   [-0.003882, -0.048116, 1.051998]],
    "deuteranopia": [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413],
                     [-0.011820, 0.042940, 0.968881]],
    "tritanopia": [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602],
                   [0.004733, 0.691367, 0.303900]],
    "no colours at all": [[0.2126, 0.7152, 0.0722]] * 3,
}


def linear(colour):
    """The light of a colour `#rrggbb`: red, green and blue from 0 to 1."""
    values = [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    return [v / 12.92 if v <= 0.04045 else ((v + 0.055) / 1.055) ** 2.4 for v in values]


def luminance(rgb):
    return 0.2126 * rgb[0] + 0.7152 * rgb[1] + 0.0722 * rgb[2]


def contrast(one, other):
    """The ratio that the Web Content Accessibility Guidelines define; 4.5 is enough for text."""
    light, dark = sorted([luminance(linear(one)), luminance(linear(other))], reverse=True)
    return (light + 0.05) / (dark + 0.05)


def lab(rgb):
    """CIE L*a*b*, in which equal distances look about equally large."""
    x = (0.4124 * rgb[0] + 0.3576 * rgb[1] + 0.1805 * rgb[2]) / 0.9505
    y = luminance(rgb)
    z = (0.0193 * rgb[0] + 0.1192 * rgb[1] + 0.9505 * rgb[2]) / 1.089
    fx, fy, fz = (v ** (1 / 3) if v > 216 / 24389 else (24389 / 27 * v + 16) / 116
                  for v in (x, y, z))
    return 116 * fy - 16, 500 * (fx - fy), 200 * (fy - fz)


def seen(colour, blindness):
    rgb = linear(colour)
    return lab([max(0.0, min(1.0, sum(weight * value for weight, value in zip(row, rgb))))
                for row in BLINDNESS[blindness]])


def xterm(number):
    """One of xterm's 216 colours in a cube."""
    levels = [0, 95, 135, 175, 215, 255]
    number -= 16
    return "#" + "".join(f"{levels[number // 6**place % 6]:02x}" for place in (2, 1, 0))


TERMINAL = [xterm(number) for number in palette.TERMINAL_TOKENS]
SEQUENCES = {"light": palette.LIGHT.tokens, "dark": palette.DARK.tokens, "terminal": TERMINAL}


def test_the_measure():
    assert contrast("#000000", "#ffffff") == pytest.approx(21)
    assert lab(linear("#ffffff")) == pytest.approx((100, 0, 0), abs=0.1)
    assert xterm(229) == "#ffffaf"


@pytest.mark.parametrize("theme", [palette.LIGHT, palette.DARK], ids=["light", "dark"])
def test_text_can_be_read(theme):
    for background in theme.tokens:
        assert contrast(theme.token_text, background) >= 4.5
    assert contrast(theme.special_text, theme.special) >= 7
    for text in (theme.text, theme.faint, theme.accent):
        assert contrast(text, theme.card) >= 4.5
        assert contrast(text, theme.page) >= 4.5
    assert contrast(theme.on_accent, theme.accent) >= 4.5
    assert contrast(theme.special, theme.card) >= 3  # that a special token is seen at all


def test_text_can_be_read_in_the_terminal():
    for number in palette.TERMINAL_TOKENS:
        assert contrast(xterm(palette.TERMINAL_TEXT), xterm(number)) >= 7
    assert contrast(xterm(palette.TERMINAL_SPECIAL_TEXT), xterm(palette.TERMINAL_SPECIAL)) >= 7


@pytest.mark.parametrize("blindness", BLINDNESS)
@pytest.mark.parametrize("name", SEQUENCES)
def test_neighbours_differ_for_everybody(name, blindness):
    colours = SEQUENCES[name]
    assert len(colours) % 2 == 0
    for one, other in zip(colours, [*colours[1:], colours[0]]):
        first, second = seen(one, blindness), seen(other, blindness)
        assert abs(first[0] - second[0]) >= 12, (one, other)  # lightness
        distance = sum((a - b) ** 2 for a, b in zip(first, second)) ** 0.5
        assert distance >= 15, (one, other)


def test_both_themes_are_in_the_style():
    style = palette.css()
    for theme in (palette.LIGHT, palette.DARK):
        for colour in [theme.page, theme.text, theme.special, *theme.tokens]:
            assert colour in style
    assert "prefers-color-scheme:dark" in style
