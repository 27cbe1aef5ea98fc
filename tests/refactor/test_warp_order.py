"""Barriers between the exchanges of a warp: the text before, and the text after or the reason why there is none."""

from __future__ import annotations

from typing import Final

import pytest

from analysis.facts.analyzer import Analyzer, FileAnalysis
from analysis.facts.settings import AnalysisSettings
from analysis.refactor.edit import apply_replacements
from analysis.refactor.warp_order.model import CannotOrder, Ordered, WhyNotOrdered
from analysis.refactor.warp_order.order import draft_order, order_exchanges
from analysis.syntax.document import Document
from analysis.syntax.includes import DictLoader

KERNEL: Final = """__global__ void k(float *x, const float *y, int n) {
  __shared__ volatile float s[64];
  int t = threadIdx.x;
  s[t] = x[t];
  __syncthreads();
BODY
  x[t] = s[0];
}
void host(float *x, float *y, int n) { k<<<2, 64>>>(x, y, n); }
"""

ORDERED: Final = {
    "a ladder is taken apart": (
        "  if (t < 32) {\n    s[t] += s[t + 32];  // halves\n    s[t] += s[t + 16];\n  }\n  __syncthreads();",
        "  if (t < 32) {\n    s[t] += s[t + 32];  // halves\n    __syncwarp();\n"
        "    const auto value = s[t] + s[t + 16];\n    __syncwarp();\n    s[t] = value;\n  }\n  __syncthreads();",
    ),
    "lanes that no other reads from stay as they are": (
        "  if (t < 32) {\n    if (t < 16) s[t] += s[t + 16];\n    if (t < 8) s[t] += s[t + 8];\n"
        "  }\n  __syncthreads();",
        "  if (t < 32) {\n    if (t < 16) s[t] += s[t + 16];\n    __syncwarp();\n    if (t < 8) s[t] += s[t + 8];\n"
        "  }\n  __syncthreads();",
    ),
    "lanes that come are named before they part": (
        "  if (t < 8) {\n    s[t] += s[t + 8];\n    s[t] += s[t + 4];\n  }\n  __syncthreads();",
        "  const unsigned active = __ballot_sync(0xffffffff, t < 8);\n  if (t < 8) {\n    s[t] += s[t + 8];\n"
        "    __syncwarp(active);\n    const auto value = s[t] + s[t + 4];\n    __syncwarp(active);\n    s[t] = value;\n"
        "  }\n  __syncthreads();",
    ),
    "rounds of a loop, and braces for its body": (
        "  for (int k = 16; k > 0; k >>= 1)\n    if (t < k)\n      s[t] += s[t + k];\n  __syncthreads();",
        "  for (int k = 16; k > 0; k >>= 1) {\n    if (t < k)\n      s[t] += s[t + k];\n    __syncwarp();\n  }\n"
        "  __syncthreads();",
    ),
    "one line stays one line": (
        "  if (t < 32) for (int k = 16; k; k /= 2) s[t] += s[t + k]; /* all */\n  __syncthreads();",
        "  if (t < 32) for (int k = 16; k; k /= 2) { const auto value = s[t] + s[t + k]; __syncwarp(); s[t] = value; "
        "__syncwarp(); } /* all */\n  __syncthreads();",
    ),
    "names that are taken, and operands that bind less": (
        "  float value = y[t];\n  if (t < 32) {\n    s[t] *= s[t + 1] - value;\n  }\n  __syncthreads();",
        "  float value = y[t];\n  if (t < 32) {\n    const auto value2 = s[t] * (s[t + 1] - value);\n"
        "    __syncwarp();\n    s[t] = value2;\n  }\n  __syncthreads();",
    ),
    "an assignment within": (
        "  float sum = s[t];\n  if (t < 32) s[t] = sum = sum + s[t + 16];\n  __syncthreads();\n  x[t] = sum;",
        "  float sum = s[t];\n  if (t < 32) { const auto value = sum = sum + s[t + 16]; __syncwarp(); s[t] = value; }\n"
        "  __syncthreads();\n  x[t] = sum;",
    ),
}


def analyzed(text: bytes) -> FileAnalysis:
    return Analyzer().analyze("a.cu", Document.open(text), DictLoader(), AnalysisSettings())


def answer(text: str, name: str = "k") -> Ordered | CannotOrder | None:
    analysis = analyzed(text.encode())
    function = next(one for one in analysis.facts.functions if one.name == name)
    return order_exchanges(analysis, function, analyzed)


def check_order(before: str, after: str, name: str = "k") -> Ordered:
    """Barriers of one function make one text of the other, which then needs none."""
    found = answer(before, name)
    assert isinstance(found, Ordered), found
    assert apply_replacements(before.encode(), found.edit).decode() == after
    assert answer(after, name) is None
    return found


@pytest.mark.parametrize("name", ORDERED)
def test_ordered(name: str) -> None:
    check_order(*(KERNEL.replace("BODY", body) for body in ORDERED[name]))


@pytest.mark.parametrize("name", ["a ladder is taken apart", "rounds of a loop, and braces for its body"])
def test_line_ends_are_those_of_the_file(name: str) -> None:
    check_order(*(KERNEL.replace("BODY", body).replace("\n", "\r\n") for body in ORDERED[name]))


def test_counts() -> None:
    found = check_order(
        *(KERNEL.replace("BODY", body) for body in ORDERED["lanes that come are named before they part"])
    )
    assert (found.barriers, found.masked, found.splits) == (2, 2, 1)


REFUSED: Final = {
    "#define STEP(k) s[t] += s[t + k]": ("  if (t < 32) { STEP(16); }\n  __syncthreads();", "ONE_STATEMENT"),
    "": ("  if (t < 32) { float v = s[t] = s[t + 1]; x[t] = v; }\n  __syncthreads();", "ONE_STATEMENT"),
    "// effects": ("  int i = t;\n  if (t < 32) s[i++] += s[t + 1];\n  __syncthreads();", "EFFECTS"),
    "// two branches": (
        "  if (t < 16) {\n    if (y[t] > 0) {\n      s[t] = 1;\n      x[t] = s[t ^ 1];\n    }\n  }\n  __syncthreads();",
        None,
    ),
    "// two known branches": (
        "  if (t < 16) {\n    if (t > 3) {\n      s[t] = 1;\n      x[t] = s[t ^ 1];\n    }\n  }\n  __syncthreads();",
        "DIVERGENT",
    ),
    "// else": (
        "  if (t > 15) {\n    x[t] = 0;\n  } else {\n    s[t] = 1;\n    x[t] = s[t ^ 1];\n  }\n  __syncthreads();",
        "DIVERGENT",
    ),
    "// an exit": (
        "  if (t < 16) {\n    s[t] = 1;\n    if (t == 3) return;\n    x[t] = s[t ^ 1];\n  }\n  __syncthreads();",
        "DIVERGENT",
    ),
    "// arms": (
        "  if (t % 2) {\n    s[t] = 1;\n  } else {\n    x[t] = s[t ^ 1];\n  }\n  __syncthreads();",
        "ARMS",
    ),
    "// lanes that left": (
        "  if (t > 15) return;\n  s[t] += s[t + 16];\n  s[t] += s[t + 8];",
        "NOT_TOGETHER",
    ),
}


@pytest.mark.parametrize("first", REFUSED)
def test_refused(first: str) -> None:
    body, reason = REFUSED[first]
    found = answer(f"{first}\n{KERNEL.replace('BODY', body)}")
    if reason is None:
        assert found is None  # which lanes come is not known, and nothing is said
    else:
        assert isinstance(found, CannotOrder)
        assert found.reason is WhyNotOrdered[reason]


def test_a_function_template_gets_its_barriers_for_all_its_calls() -> None:
    kernel = """template <unsigned size> __device__ void fold(volatile int *s, unsigned t) {
  if (size >= 64) s[t] += s[t + 32];
  if (size >= 32) s[t] += s[t + 16];
}
template <unsigned size> __global__ void k(int *x) {
  extern __shared__ int s[];
  unsigned t = threadIdx.x;
  s[t] = x[t];
  __syncthreads();
  if (t < 32) fold<size>(s, t);
  if (t == 0) x[0] = s[0];
}
void host(int *x) { k<64><<<1, 64, 512>>>(x); k<32><<<1, 64, 512>>>(x); }
"""
    after = kernel.replace("+ 32];\n", "+ 32];\n  __syncwarp();\n").replace(
        "s[t] += s[t + 16];", "{ const auto value = s[t] + s[t + 16]; __syncwarp(); s[t] = value; }"
    )
    check_order(kernel, after, "k")
    check_order(kernel, after, "fold")


def test_a_call_is_a_statement_of_its_caller() -> None:
    kernel = """__device__ void put(volatile float *s, int t, float v) { s[t] = v; }
__device__ float get(volatile float *s, int t) { return s[t]; }
__global__ void k(float *x) {
  __shared__ volatile float s[32];
  int t = threadIdx.x;
  put(s, t, x[t]);
  x[t] = get(s, 31 - t);
}
void host(float *x) { k<<<1, 32>>>(x); }
"""
    check_order(kernel, kernel.replace("x[t]);\n  x", "x[t]);\n  __syncwarp();\n  x"))


def test_arrays_that_are_not_volatile_are_ordered_as_well() -> None:
    kernel = KERNEL.replace("volatile ", "").replace("  __syncthreads();\nBODY", "  float v = s[t ^ 1];\n  x[t] = v;")
    kernel = kernel.replace("  x[t] = s[0];\n", "")
    check_order(kernel, kernel.replace("s[t] = x[t];\n", "s[t] = x[t];\n  __syncwarp();\n"))


def test_what_several_warps_exchange_is_a_matter_of_block_barriers() -> None:
    assert answer(KERNEL.replace("BODY", "  x[t] = s[63 - t];").replace("  __syncthreads();\n", "")) is None


def test_the_draft_is_what_is_proven_later() -> None:
    text = KERNEL.replace("BODY", ORDERED["a ladder is taken apart"][0])
    analysis = analyzed(text.encode())
    assert draft_order(analysis, analysis.facts.functions[0]) == answer(text)
