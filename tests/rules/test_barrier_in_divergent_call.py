"""SYN104."""

from __future__ import annotations

import pytest

from analysis.facts.analyzer import Analyzer
from analysis.facts.settings import AnalysisSettings
from analysis.rules.check import check
from analysis.rules.consequence_text import ALLOWED
from analysis.rules.settings import RuleSettings
from analysis.syntax.document import Document
from analysis.syntax.includes import DictLoader
from analysis.verdict.barriers import Tier
from tests.rules.fixture import check_fixture

HELPER = "__device__ void sync() { __syncthreads(); }\n"


def test_the_call_is_reported_and_not_the_barrier() -> None:
    text = (
        HELPER
        + """__global__ void k() {
  if (threadIdx.x < 16) {
    sync();  //~ barrier-in-divergent-call
  }
}
void host() { k<<<1, 32>>>(); }
"""
    )
    (found,) = check_fixture(text)
    assert (found.code, found.tier, found.function) == ("SYN104", Tier.PROVEN, "k")
    assert text[found.start : found.end] == "sync()"
    assert found.message == (
        "This call leads to a barrier in divergent code. Threads 0-15 of the block arrive at the block barrier at "
        "line 1, 16-31 do not (blocks of 32 threads): at the `if` at line 3, `threadIdx.x < 16` depends on "
        f"`threadIdx.x`.{ALLOWED}"
    )
    assert found.related[-1].location.start == text.index("__syncthreads()")


def test_a_call_in_converged_code_is_fine() -> None:
    check_fixture(HELPER + "__global__ void k(int n) { sync(); if (n > 3) sync(); }\n")


def test_two_divergent_calls_are_two_findings_and_one_call_is_one() -> None:
    check_fixture("""
__device__ void sync2() { __syncthreads(); __syncthreads(); }
__global__ void k() {
  if (threadIdx.x < 16) sync2();  //~ barrier-in-divergent-call
  if (threadIdx.x < 8) sync2();  //~ barrier-in-divergent-call
}
""")


def test_a_call_inside_a_called_function_is_reported_where_the_guard_is() -> None:
    check_fixture(
        HELPER
        + """
__device__ void outer() { sync(); }
__device__ void guarded() { if (threadIdx.x < 3) outer(); }  //~ barrier-in-divergent-call
__global__ void k() { guarded(); }
"""
    )


def test_a_barrier_that_is_unsafe_by_itself_is_not_reported_at_calls() -> None:
    check_fixture("""
__device__ void helper() {
  if (threadIdx.x < 5) __syncthreads();  //~ divergent-barrier
}
__global__ void k() {
  if (threadIdx.x < 16) helper();
}
""")


def test_a_barrier_that_is_unsafe_by_itself_and_by_a_call_is_reported_once() -> None:
    check_fixture("""
__device__ void helper(bool flag) {
  if (flag) __syncthreads();  //~ divergent-barrier
}
__global__ void a(bool flag) { if (threadIdx.x < 16) helper(flag); }
__global__ void b() { helper(threadIdx.x < 16); }
""")


def test_a_barrier_in_a_header() -> None:
    text = '#include "sync.cuh"\n__global__ void k() {\n  if (threadIdx.x < 16) sync();\n}\n'
    analysis = Analyzer().analyze(
        "main.cu", Document.open(text.encode()), DictLoader({"sync.cuh": HELPER.encode()}), AnalysisSettings()
    )
    (found,) = check(analysis, RuleSettings())
    assert found.code == "SYN104"
    assert text[found.start : found.end] == "sync()"
    assert "the block barrier in sync.cuh" in found.message


SHAPES = """
__device__ void meet(int *s) { __syncthreads(); s[threadIdx.x] = 0; }
__global__ void k(int *x, int n) {
  int t = threadIdx.x;
  STATEMENTS
}
void host(int *x) { k<<<4, 128>>>(x, 100); }
"""


@pytest.mark.parametrize(
    "statements",
    [
        "if (t < n)\n    meet(x);  MARK",
        "if (t == 0) x[0] = 1;\n  else\n    meet(x);  MARK",
        "if (t != 7)\n    meet(x);  MARK",
    ],
)
def test_firing(statements: str) -> None:
    check_fixture(SHAPES.replace("STATEMENTS", statements.replace("MARK", "//~ barrier-in-divergent-call")))


@pytest.mark.parametrize(
    "statements",
    [
        "meet(x);",
        "if (n > 3) meet(x);",
        "if (blockIdx.x == 1) meet(x);",
    ],
)
def test_silent(statements: str) -> None:
    check_fixture(SHAPES.replace("STATEMENTS", statements))
