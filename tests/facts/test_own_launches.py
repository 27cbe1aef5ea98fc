"""The launches in the text of a file without kernels: kept between versions, and the same as those found anew."""

from __future__ import annotations

from typing import Any

import pytest

from analysis.facts.analyzer import Analyzer
from analysis.launches.find import launches_with as anew
from tests.support.project_analysis import analyzed

KERNEL = "__global__ void k(int *x, int n) { x[threadIdx.x] = n; }\n"
HOST = """\
#include "k.cuh"
#define WIDTH 64
#define LEAVE(x) return x;
__constant__ int limit;
static int size = 3;
struct Sizes { int n = 7; };
__device__ int d(int v) { return v; }
int helper(int v) { int w = v; return w; }
int rows(int n) { return n + 31; }
void resize(int n) { size = 5; }
void bound(int n) { int most = n; cudaMemcpyToSymbol(limit, &most, sizeof most); }
static void launch(int *x, int block) { Sizes s; k<<<1, block>>>(x, s.n); k<<<size, WIDTH>>>(x, 1); }
void other(int *x) { helper(2); bound(9); launch(x, rows(1)); resize(2); launch(x, 96); }
"""


def _differs(before: str, after: str, monkeypatch: pytest.MonkeyPatch) -> bool:
    """Whether launches were looked for again; either way they are those of an analyzer that knows no other version."""
    analyzer = Analyzer()
    files = {"a.cu": HOST, "k.cuh": KERNEL}
    assert len(analyzed(files, "a.cu", analyzer).own_launches) == 2
    files["a.cu"] = HOST.replace(before, after)
    assert files["a.cu"] != HOST
    expected = analyzed(files, "a.cu").own_launches
    found: list[object] = []

    def counted(*given: Any) -> Any:
        found.append(given)
        return anew(*given)

    monkeypatch.setattr("analysis.facts.own_launches.launches_with", counted)
    launches = analyzed(files, "a.cu", analyzer).own_launches
    assert launches == expected
    assert [one.span for one in launches.values()] == [one.span for one in expected.values()]
    return bool(found)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("#include", ";;\n// above\n#include"),
        ("int rows", "\n/* k<<<1, 1>>> */ int rows"),
        ("int w = v;", "int w = v + 1; w *= 2;"),
        ("return v; }", "v *= 2; return v; }"),
    ],
)
def test_what_says_nothing_of_launches_may_change(before: str, after: str, monkeypatch: pytest.MonkeyPatch) -> None:
    assert not _differs(before, after, monkeypatch)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("WIDTH 64", "WIDTH 32"),
        ("size = 3", "size = 4"),
        ("size = 5", "size = 6"),
        ("n = 7", "n = 8"),
        ("n + 31", "n + 63"),
        ("int most = n", "int most = n + 1"),
        ("launch(x, 96)", "launch(x, 128)"),
        ("int w = v;", "int w = v; launch(0, 32);"),
        ("int w = v;", "int w = v; size = 9;"),
        ("int w = v; return w;", "LEAVE(v)"),
        ("int helper(int v)", "int helper(int &v)"),
        ("return v; }", "k<<<2, 2>>>(0, v); return v; }"),
        ("int rows", "#undef WIDTH\n#define WIDTH 32\nint rows"),
        ("k<<<size, WIDTH>>>(x, 1)", "k<<<size, WIDTH>>>(x, __LINE__)"),
    ],
)
def test_what_launches_are_computed_from_is_looked_at_again(
    before: str, after: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert _differs(before, after, monkeypatch)


def test_the_number_of_a_line_is_not_kept() -> None:
    analyzer = Analyzer()
    for lines in range(3):
        text = HOST.replace("(x, 1)", "(x, __LINE__)").replace("int rows", "\n" * lines + "int rows")
        files = {"a.cu": text, "k.cuh": KERNEL}
        assert analyzed(files, "a.cu", analyzer).own_launches == analyzed(files, "a.cu").own_launches
