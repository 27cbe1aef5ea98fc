"""Barriers that are missed and stay where they are, with the reason."""

from __future__ import annotations

import pytest

from analysis.refactor.block_barriers.meet import meet_barriers
from analysis.refactor.block_barriers.model import CannotMeet, WhyNotMet
from tests.refactor.meeting import TILE, analyzed, kernel, met, refused

# -- refused -----------------------------------------------------------------------------------------------------------


def test_nothing_is_missed() -> None:
    assert met(kernel(TILE + "  s[t] = x[i];\n  __syncthreads();\n  y[i] = s[0];\n")) is None


@pytest.mark.parametrize(
    ("reason", "body"),
    [
        (
            WhyNotMet.ARMS,
            "  if (t % 2) {\n    __syncthreads();\n    __syncthreads();\n  } else {\n    __syncthreads();\n  }\n",
        ),
        (WhyNotMet.DECLARATION, "  if (i >= n) return;\n  const float &v = x[i];\n  __syncthreads();\n  y[i] = v;\n"),
        (WhyNotMet.DECLARATION, "  if (i >= n) return;\n  auto v = x[i];\n  __syncthreads();\n  y[i] = v;\n"),
        (
            WhyNotMet.EXIT,
            "  for (int k = 0; k < 3; k++) {\n    if (i >= n) return;\n    y[i] = k;\n  }\n  __syncthreads();\n",
        ),
        (WhyNotMet.HEAD, "  if (i >= n) return;\n  for (int k = 0; k < m[0]; k++) __syncthreads();\n"),
        (WhyNotMet.JUMP, "  for (int k = t; k < n; k++) {\n    if (x[k] > 1) break;\n    __syncthreads();\n  }\n"),
        (WhyNotMet.PARTICIPANTS, "  if (i >= n) return;\n  y[i] = __syncthreads_count(1);\n"),
        (WhyNotMet.ROUNDS, "  for (int k = t; k != 64; k = m[k]) __syncthreads();\n"),
        (WhyNotMet.ROUNDS, "  int k = t;\n  do {\n    __syncthreads();\n  } while (++k < n);\n"),
        (WhyNotMet.STATEMENT, "  switch (t) {\n    case 3: __syncthreads();\n  }\n"),
        (
            WhyNotMet.NEW_PROBLEM,
            "  if (t >= 40) return;\n  y[i] = __shfl_sync(0xffffffff, x[i], 0);\n  __syncthreads();\n",
        ),
    ],
)
def test_what_cannot_be_written_is_refused(reason: WhyNotMet, body: str) -> None:
    assert refused(TILE + body) is reason


def test_a_return_inside_of_a_branch_leaves_what_is_behind_that_too() -> None:
    inner = "    if (t > 9) return;\n    s[t] = 1;\n    __syncthreads();\n"
    for outer in ("if (n > 3)", "if (t > 3)", ""):
        assert refused(TILE + f"  {outer} {{\n{inner}  }}\n  y[t] = s[0];\n") is WhyNotMet.EXIT


def test_a_function_that_returns_a_value_is_refused() -> None:
    text = """__device__ float total(float *s, int n) {
  if (threadIdx.x >= n) return 0;
  s[threadIdx.x] = 1;
  __syncthreads();
  return s[0];
}
__global__ void k(float *y, int n) {
  __shared__ float s[64];
  y[threadIdx.x] = total(s, n);
}
"""
    analysis = analyzed(text.encode())
    found = meet_barriers(analysis, analysis.facts.functions[0], analyzed)
    assert isinstance(found, CannotMeet)
    assert found.reason is WhyNotMet.RETURNS_VALUE


def test_a_call_that_does_more_than_wait_is_refused() -> None:
    above = "__device__ void put(float *s, float v) {\n  s[threadIdx.x] = v;\n  __syncthreads();\n}\n"
    assert refused(TILE + "  if (t < 16) put(s, x[i]);\n  y[i] = s[0];\n", above) is WhyNotMet.CALL


def test_a_macro_that_waits_and_does_more_is_refused() -> None:
    above = "#define PUT() __syncthreads(); y[i] = 1\n"
    assert refused(TILE + "  if (t < 16) {\n    PUT();\n  }\n", above) is WhyNotMet.MACRO


@pytest.mark.parametrize("next_one", ["t += 30", "if (t > 3) return", "y[t]++", "bump(&t)"])
def test_a_macro_that_hides_what_it_does_is_refused(next_one: str) -> None:
    body = "  if (t < 16) {\n    s[t] = x[t];\n    NEXT();\n    __syncthreads();\n    y[t] = s[0];\n  }\n"
    assert refused(TILE + body, f"#define NEXT() {next_one}\n") is WhyNotMet.MACRO


def test_an_object_whose_destructor_would_run_earlier() -> None:
    above = "struct Add { float *p; __device__ ~Add() { *p += 1; } };\n"
    body = TILE + "  if (i < n) {\n%s    s[t] = x[i];\n    __syncthreads();\n    y[i] = s[t ^ 1];\n  }\n"
    assert refused(body % "    Add add{y + i};\n", above) is WhyNotMet.DESTRUCTOR
    assert not isinstance(met(kernel(body % "    float *add = y;\n", above)), CannotMeet)
