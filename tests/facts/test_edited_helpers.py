"""What a launch says is said anew when a function that computes its grid is edited."""

from __future__ import annotations

import pytest

from analysis.facts.analyzer import Analyzer
from tests.support.project_analysis import analyzed

KERNEL = "__global__ void k(float *x, int n) { x[0] = n; }\n"
HOST = "void go(float *x, int n, int t) { k<<<GRID, t>>>(x, n); }\n"
UP = "int cdiv(int a, int b) { return (a + b - 1) / b; }"


def _relations(analyzer: Analyzer, files: dict[str, str], path: str) -> set[str]:
    analysis = analyzed(files, path, analyzer)
    launch = analysis.launch_of(next(one for one in analysis.facts.functions if one.name == "k"))
    assert launch is not None
    return {one.kind.name for one in launch.relations}


@pytest.mark.parametrize(
    ("grid", "before", "after"),
    [
        ("cdiv(n, t)", f"static {UP}", "static int cdiv(int a, int b) { return (a + b) / b; }"),
        ("cdiv(n, t)", f"static {UP}", "static short cdiv(int a, int b) { return (a + b - 1) / b; }"),
        ("cdiv(n, t)", f"static {UP}", "static int cdiv(int a, int b) { int c = a; return (a + b - 1) / b; }"),
        ("cdiv(n, t)", f"static {UP}", f"static int up(int a) {{ return a; }} static {UP.replace('a +', 'up(a) +')}"),
        ("std::max((n + t - 1) / t, 1)", "", "static int max(int a, int b) { if (b) return 3; return a; }"),
    ],
)
def test_a_helper_that_changes(grid: str, before: str, after: str) -> None:
    for name, text in (("k.cu", ""), ("h.cuh", '#include "h.cuh"\n')):
        analyzer, host = Analyzer(), HOST.replace("GRID", grid)
        for helper, is_known in ((before, True), (after, False), (before, True)):
            files = {"k.cu": f"{text}{KERNEL}{host}"}
            files[name] = f"{helper}\n{files.get(name, '')}"
            assert bool(_relations(analyzer, files, "k.cu")) is is_known, (name, helper)


def test_a_helper_in_another_unit_that_changes() -> None:
    analyzer = Analyzer()
    for helper, is_known in ((UP, True), (UP.replace(" - 1", ""), False), (UP, True)):
        files = {
            "k.cuh": KERNEL,
            "h.h": f"static {helper}\n",
            "main.cu": '#include "k.cuh"\n#include "h.h"\n' + HOST.replace("GRID", "cdiv(n, t)"),
        }
        assert bool(_relations(analyzer, files, "k.cuh")) is is_known
