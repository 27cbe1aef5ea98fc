"""MEM503."""

from __future__ import annotations

import pytest

from analysis.rules.diagnostic import Severity
from analysis.rules.settings import RuleSettings
from tests.rules.fixture import check_fixture

ONLY = RuleSettings(select=frozenset({"MEM503"}))

PROGRAM = """
__device__ QUALIFIER float first(const float *p, int n) { return p[n]; }CLAIM
__global__ void k(float *out, int n) {
  __shared__ float s[64];
  __shared__ float t[64];
  float l[4];
  s[threadIdx.x] = t[threadIdx.x] = l[n] = 1.0f;
  CALLS
}
"""


def program(calls: str, qualifier: str = "__noinline__", claim: str = "") -> str:
    return PROGRAM.replace("CALLS", calls).replace("QUALIFIER", qualifier).replace("CLAIM", claim)


@pytest.mark.parametrize(
    ("calls", "words"),
    [
        ("out[0] = first(s, n);", "pointer to shared memory as `p`"),
        ("out[0] = first(s, n) + first(t + 3, n);", "`__builtin_assume(__isShared(p))`"),
        ("out[0] = first(out, n) + first(out + n, 0);", "pointer to global memory"),
        ("out[0] = first(l, n);", "pointer to local memory"),
    ],
)
def test_calls_that_agree(calls: str, words: str) -> None:
    (found,) = check_fixture(program(calls, claim="  //~ generic-pointer"), ONLY)
    assert (found.code, found.severity, found.tier) == ("MEM503", Severity.HINT, None)
    assert words in found.message


@pytest.mark.parametrize("calls", ["out[0] = first(s, n) + first(out, n);", "out[0] = first(n > 3 ? s : out, n);", ""])
def test_calls_that_differ_or_are_not_there(calls: str) -> None:
    check_fixture(program(calls), ONLY)


def test_what_compilers_inline_or_know_is_silent() -> None:
    check_fixture(program("out[0] = first(s, n);", qualifier="__forceinline__"), ONLY)
    check_fixture(program("out[0] = first(s, n);", qualifier=""), ONLY)
    told = program("out[0] = first(s, n);").replace("{ return p", "{ __builtin_assume(__isShared(p)); return p")
    check_fixture(told, ONLY)


def test_a_header_does_not_know_its_callers() -> None:
    check_fixture(program("out[0] = first(s, n);"), ONLY, path="a.cuh")
