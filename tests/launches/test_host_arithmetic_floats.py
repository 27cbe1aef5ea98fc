"""Host code that computes in floats gets what a float holds."""

from __future__ import annotations

import pytest

from analysis.launches import Shape, launch_shapes
from analysis.syntax.document import Document
from analysis.syntax.includes import DictLoader
from analysis.syntax.translation_unit import TranslationUnit


@pytest.mark.parametrize(
    ("grid", "expected"),
    [
        ("ceilf(m / 256.0f)", Shape(65536)),
        ("ceil(m / 256.0)", Shape(65537)),
        ("ceil((double)m / T)", Shape(65537)),
        ("ceil((float)m / T)", Shape(65536)),
        ("(int)(m / 1.5f) / 1000", Shape(11184)),
        ("ceil(m / scale())", None),
        ("(m > 3.5f) + 1", Shape(2)),
        ("m - 16777217", None),
        ("m * 256 / 65536", None),
        ("(size_t)m * 256 / 65536", Shape(65536)),
        ("m * 256l / 65536", Shape(65536)),
        ("m * sizeof(long) * 32 / 65536", Shape(65536)),
        ("m * 128 / 65536", Shape(32768)),
    ],
)
def test_an_extent(grid: str, expected: Shape | None) -> None:
    text = f"const int T = 256; __global__ void k(int n);\nvoid go() {{ int m = 16777217; k<<<{grid}, 256>>>(m); }}"
    unit = TranslationUnit.build("k.cu", Document.open(text.encode()), DictLoader({}))
    (launch,) = launch_shapes(unit)["k"]
    assert launch.grid == expected
    assert not (grid == "m - 16777217" and any(one.block for one in launch.made))
