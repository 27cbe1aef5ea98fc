"""An analyzer that followed many edits says what a fresh one says; what once differed, and short random sessions."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.server_process import server_process
from tests.edits.fuzz import check
from tests.edits.programs import Project
from tests.edits.referee import interrupted, replay
from tests.edits.servers import follow, initialize
from tests.support.seeds import Counts

_USER = '#include "h.cuh"\n__global__ void k(int *o) { if (f(threadIdx.x)) __syncthreads(); }\n'
_FUNCTION = "__device__ int f(int v) { return v > 3; }\n"
_CLASS = "struct P { int x, y; __device__ int sum() const { return x + y; } };\n"
_OUTER = "struct O { typedef int T; struct I { __device__ int f(T *p) const { return p[threadIdx.x]; } }; };\n"

_OPEN = """struct P { int x; __device__ P(int a) : x(a) {} __ T twice(T v) { return v + v; }
__device__ inline // namespaceeft, right = 4 };
namespace shapes {
struct P { int x; __device__ P(int a) : x(a) {} __device__ int sum() const { return x; } };
template <typename T> */ T twice(T vs
template <int N> struct Tile { int cell[N]; };
"""

# Two definitions have the signature of `pick`, and the open brackets hide which of them a call means.
_TWICE = """__device__ int pick(int v) { return v > LIMIT ? right : left; }
template <class T> __device__ T reduce(T *s, T v) {
__global__ void first(int *out, const int *in, int n) {
  __shared__ int s[BLOCK];
  int v = reduce(s, in[threadIdx.x]);
__global__ void second(float *out, int n) {
  EACH(i, n) {
  }
  s case 0: out[0] = 2; break; default: out[1] = pick(n); }
  dim3 __device__ int pick(int v) { return threadIdx.x; }"""

CASES = {
    "a place in a header that moved": (Project(_USER, _FUNCTION), Project(_USER, "int moved;\n" + _FUNCTION)),
    "a line in a header that became another": (
        Project(_USER, "int a;\n" + _FUNCTION),
        Project(_USER, "int a; " + _FUNCTION),
    ),
    "the type of a member that a method names": (Project("", _CLASS), Project("", _CLASS.replace("int x", "short x"))),
    "a type of the class around a class": (Project("", _OUTER), Project("", _OUTER.replace("int T", "short T"))),
    "a class that seems to stand in itself": (Project("", ""), Project("", _OPEN)),
}


@pytest.mark.parametrize("name", CASES)
def test_what_was_stale_or_could_be(name: str) -> None:
    assert replay(CASES[name]) is None


def test_an_analysis_that_was_cancelled_leaves_no_other_ids() -> None:
    assert [looks for looks in range(30) if interrupted(Project(_TWICE, ""), looks) is not None] == []


@pytest.mark.parametrize("seed", range(8))
def test_random_sessions(seed: int) -> None:
    counts = Counts()
    assert check(seed, counts, edits=60, every=20) is None
    assert counts["comparisons"] == 3


def test_a_session_of_a_running_server(tmp_path: Path) -> None:
    counts = Counts()
    with server_process() as server:
        initialize(server, tmp_path)
        assert follow(server, tmp_path, 0, edits=20, every=10, counts=counts) is None
    assert counts["comparisons"] == 2
    assert counts["diagnostics compared"] > 0
