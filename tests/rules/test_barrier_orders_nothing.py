"""SYN107."""

from __future__ import annotations

import pytest

from analysis.rules.diagnostic import Severity
from analysis.rules.settings import RuleSettings
from tests.rules.fixture import analyze, check_fixture

RULE = RuleSettings(select=frozenset({"SYN107"}))
MARK = "  //~ barrier-orders-nothing"

KERNEL = """
__global__ void k(float *out, const float *in, int n) {
  __shared__ float s[256];
  __shared__ float other[256];
  __shared__ int count;
  int t = threadIdx.x;
  float v = 0;
  STATEMENTS
}
void host(float *a) { k<<<1, 128>>>(a, a, 100); }
"""

FIRING = {
    "nothing comes behind it": f"s[t] = in[t];\n__syncthreads();\nout[t] = s[127 - t];\n__syncthreads();{MARK}",
    "nothing comes in front of it": f"__syncthreads();{MARK}\ns[t] = 1;\n__syncthreads();\nv = s[127 - t];",
    "two at once": f"s[t] = 1;\n__syncthreads();\n__syncthreads();{MARK}\nv = s[127 - t];",
    "each thread has its own element": f"s[t] = 1;\n__syncthreads();{MARK}\ns[t] += 2;",
    "different arrays": f"s[t] = 1;\n__syncthreads();{MARK}\nother[127 - t] = 2;",
    "only reads": f"s[t] = 1;\n__syncthreads();\nv = s[127 - t];\n__syncthreads();{MARK}\nv += s[126 - t % 64];",
    "the other barrier of the loop is enough": f"""
  for (int r = 0; r < n; r++) {{
    s[t] = r;
    __syncthreads();
    v += s[127 - t];
    __syncthreads();
    v *= 2;
    __syncthreads();{MARK}
  }}""",
}
SILENT = {
    "what is read was written by others": "s[t] = 1;\n__syncthreads();\nv = s[127 - t];",
    "what is read is written again": "s[t] = 1;\n__syncthreads();\nv = s[127 - t];\n__syncthreads();\ns[t] = v;",
    "the next round fills the tile again": """
  for (int r = 0; r < n; r++) {
    s[t] = r;
    __syncthreads();
    v += s[127 - t];
    __syncthreads();
  }""",
    "atomics are phases": "atomicAdd(&count, 1);\n__syncthreads();\natomicExch(&count, 0);",
    "volatile accesses": "volatile float *w = s;\nw[t] = 1;\n__syncthreads();\nv = w[127 - t];",
    "an element of global memory": "out[t] = 1;\n__syncthreads();\nv = out[127 - t];\n__syncthreads();\nout[t] = v;",
    "pointers that may be the same": "v = in[t];\n__syncthreads();\nout[127 - t] = v;",
    "its value is used": "v = __syncthreads_count(t < n);",
    "code that is not known": "s[t] = 1;\nmystery();\n__syncthreads();",
    "lines that are printed": 'if (t == 0) printf("a");\n__syncthreads();\nif (t == 1) printf("b");',
    "a clock": "long long begin = clock64();\n__syncthreads();\nout[t] = clock64() - begin;",
    "lanes that vote without a mask": "int any = __any(t < n);\n__syncthreads();",
}


def kernel(statements: str) -> str:
    return KERNEL.replace("STATEMENTS", statements)


@pytest.mark.parametrize("statements", FIRING.values(), ids=FIRING)
def test_barriers_that_order_nothing(statements: str) -> None:
    (found,) = check_fixture(kernel(statements), RULE)
    assert (found.code, found.severity) == ("SYN107", Severity.INFORMATION)


@pytest.mark.parametrize("statements", SILENT.values(), ids=SILENT)
def test_what_may_be_ordered_is_silent(statements: str) -> None:
    check_fixture(kernel(statements), RULE)


def test_a_function_counts_with_all_its_calls() -> None:
    text = """
__device__ void step(float *s) {
  s[threadIdx.x] += 1;
  __syncthreads();MARK
}
__global__ void k(float *out) {
  __shared__ float s[128];
  s[threadIdx.x] = 0;
  step(s);
  out[threadIdx.x] = s[INDEX];
}
void host(float *a) { k<<<1, 128>>>(a); }
"""
    check_fixture(text.replace("MARK", MARK).replace("INDEX", "threadIdx.x"), RULE)
    check_fixture(text.replace("MARK", "").replace("INDEX", "127 - threadIdx.x"), RULE)


def test_a_function_whose_callers_are_not_known_is_silent() -> None:
    check_fixture("__device__ void step(float *s) { s[threadIdx.x] += 1; __syncthreads(); }", RULE)


@pytest.mark.parametrize("statements", [*FIRING.values(), *SILENT.values()], ids=[*FIRING, *SILENT])
def test_what_a_hover_lists_and_what_is_reported_agree(statements: str) -> None:
    analysis = analyze(kernel(statements))
    (function,) = analysis.facts.functions
    listed = {order.barrier for order in analysis.order_records(function) if order.is_nothing}
    assert set(analysis.barriers_without_order(function)) == listed
