"""The colours of control-flow graphs: whoever looks at them in the dark sees as much as who looks in the light."""

from __future__ import annotations

import re

import pytest

from analysis.features.control_flow_graph.svg_style import STYLE
from tests.presentation.test_contrast import contrast

LIGHT, DARK = (dict(re.findall(r"--([\w-]+): (?:var\([^,]*, )?(#\w{6})", block)) for block in STYLE.split("@media")[:2])


@pytest.mark.parametrize(
    ("drawn", "on"),
    [
        *((name, "even") for name in ("ink", "quiet", "varying", "good", "bad", "open")),
        *((f"split-{name}", "split") for name in ("ink", "quiet", "varying", "good", "bad", "open")),
        *((name, "page") for name in ("edge", "line", "back", "depends", "even", "warps")),
    ],
)
def test_both_themes_have_the_same_contrast(drawn: str, on: str) -> None:
    light, dark = contrast(LIGHT[drawn], LIGHT[on]), contrast(DARK[drawn], DARK[on])
    assert light == pytest.approx(dark, rel=0.06)
