"""The colours of the page: whoever reads it in the dark sees as much as who reads it in the light."""

from __future__ import annotations

import re
from importlib.resources import files

import pytest

STYLE = files("presentation.html").joinpath("assets", "report.css").read_text("utf-8")
PAIRS = {
    name: (light, dark)
    for name, light, dark in re.findall(r"--(\w+):[^;]*?light-dark\((#[0-9a-f]{6}), (#[0-9a-f]{6})\)", STYLE)
}
SYNTAX = ("comment", "keyword", "string", "number", "builtin")
WORDS = ("text", "muted", "accent", "low", "high", "bad", "warn", "calm", *SYNTAX)
"""What letters are drawn in."""


def luminance(colour: str) -> float:
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    red, green, blue = (part / 12.92 if part <= 0.03928 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    """As the Web Content Accessibility Guidelines define it: 1 to 21."""
    darker, lighter = sorted((luminance(one), luminance(other)))
    return (lighter + 0.05) / (darker + 0.05)


@pytest.mark.parametrize("name", WORDS)
def test_words_are_read_as_well_in_the_dark(name: str) -> None:
    light, dark = (contrast(colour, PAIRS["card"][at]) for at, colour in enumerate(PAIRS[name]))
    assert min(light, dark) >= 4.5  # what the guidelines ask for
    assert light == pytest.approx(dark, rel=0.05)


@pytest.mark.parametrize("name", ["edge", "track", "waiting", "mark", "page"])
def test_surfaces_stand_off_as_much_in_the_dark(name: str) -> None:
    light, dark = (contrast(colour, PAIRS["card"][at]) for at, colour in enumerate(PAIRS[name]))
    assert light == pytest.approx(dark, rel=0.05)
