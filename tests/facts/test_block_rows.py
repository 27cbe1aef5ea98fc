"""A block whose size is an integer that nobody knows has one row."""

from __future__ import annotations

import pytest

from analysis.divergence.levels import Level
from analysis.facts.analyzer import Analyzer
from analysis.facts.settings import AnalysisSettings
from analysis.syntax.document import Document
from analysis.syntax.includes import DictLoader

KERNEL = """
__global__ void k(int *p) { if (threadIdx.x / 32 & 1) p[0] = 1; }
"""


@pytest.mark.parametrize(
    ("host", "level"),
    [
        ("void run(int *p, int n, int size) { k<<<n, size>>>(p); }", Level.WARP),
        ("void run(int *p, int n, int size) { k<<<n, size>>>(p); k<<<n, 96>>>(p); }", Level.WARP),
        ("void run(int *p, int n, int size) { k<<<n, size>>>(p); k<<<n, dim3(8, 8)>>>(p); }", Level.VARYING),
        ("void run(int *p, int n, int size, dim3 b) { k<<<n, size>>>(p); k<<<n, b>>>(p); }", Level.VARYING),
        ("void run(int *p, int n, dim3 size) { k<<<n, size>>>(p); }", Level.VARYING),
        (
            "void run(int *p, int n, int size) { auto f = k; k<<<n, size>>>(p); f<<<n, s()>>>(p); }",
            Level.VARYING,
        ),
        ("", Level.VARYING),
    ],
)
def test_a_row_of_unknown_length_has_its_warps_along_x(host: str, level: Level) -> None:
    document = Document.open((KERNEL + host).encode())
    analysis = Analyzer().analyze("a.cu", document, DictLoader(), AnalysisSettings())
    (branch,) = next(function.branches for function in analysis.facts.functions if function.name == "k")
    assert branch.level is level


LAUNCH = "void launch(int *p, int t) { k<<<9, t>>>(p); }\nint main() { launch(0, 32); }"


@pytest.mark.parametrize(
    ("host", "level"),
    [
        (LAUNCH, Level.WARP),  # another file may launch with two warps
        ("static " + LAUNCH, Level.GRID),
        ("static " + LAUNCH + "\nvoid more() { launch(0, 64); }", Level.WARP),
        (f"template <int N> {LAUNCH}", Level.WARP),
    ],
)
def test_the_block_of_a_call_holds_for_all_only_where_nobody_else_can_call(host: str, level: Level) -> None:
    document = Document.open((KERNEL + host).encode())
    analysis = Analyzer().analyze("a.cu", document, DictLoader(), AnalysisSettings())
    (branch,) = next(function.branches for function in analysis.facts.functions if function.name == "k")
    assert branch.level is level
