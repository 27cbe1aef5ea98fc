"""`__syncthreads()` where a kernel lacks it: markers in the text say where it is put, or why none is."""

from __future__ import annotations

import re
from typing import Final

import pytest

from analysis.facts.analyzer import Analyzer, FileAnalysis
from analysis.facts.settings import AnalysisSettings
from analysis.refactor.block_order.order import Separated, draft_separation, separate_races
from analysis.refactor.edit import apply_replacements
from analysis.refactor.warp_order.model import CannotOrder, WhyNotOrdered
from analysis.rules.check import check
from analysis.rules.settings import RuleSettings
from analysis.syntax.document import Document
from analysis.syntax.includes import DictLoader

KERNEL: Final = """__global__ void k(float *x, const float *y, int n) {
  __shared__ float s[257];
  int t = threadIdx.x;
BODY
}
void host(float *x, float *y) { k<<<1, 256>>>(x, y, 8); }
"""

SUM: Final = """__device__ float block_sum(float *s, float v) {
FIRST  s[threadIdx.x] = v;
  __syncthreads();
  for (int k = blockDim.x / 2; k > 0; k /= 2) {
    if (threadIdx.x < k) s[threadIdx.x] += s[threadIdx.x + k];
    __syncthreads();
  }
  return s[0];
}
__global__ void k(float *x, const float *y) {
  __shared__ float s[256];
  int t = threadIdx.x;
BODY
}
void host(float *x, float *y) { k<<<1, 256>>>(x, y); }
"""

SEPARATED: Final = {
    "behind the store of a tile, not before its use": (
        "  s[t] = y[t];  // fill\n  @\n  float v = y[t + 1];\n  x[t] = s[255 - t] + v;"
    ),
    "behind the last of several stores": (
        "  s[t] = y[t];\n  if (t == 0) s[256] = 0;\n  @\n  x[t] = s[t + 1];\n  x[t] -= s[255 - t];"
    ),
    "at the end of a loop, before the tile is filled again": (
        "  float v = 0;\n  for (int i = 0; i < n; i++) {\n    s[t] = y[i * 256 + t];\n    __syncthreads();\n"
        "    for (int j = 0; j < 4; j++)\n      v += s[(t + 64 * j) % 256];\n    @\n  }\n  x[t] = v;"
    ),
    "twice in a loop": (
        "  float v = 0;\n  for (int i = 0; i < n; i++) {\n    s[t] = y[i * 256 + t];\n    @\n    v += s[255 - t];\n"
        "    @\n  }\n  x[t] = v;"
    ),
    "in the outer of two loops, where the rounds of the inner one use elements of their own": (
        "  __shared__ float rows[2][256];\n  float v = 0;\n  for (int i = 0; i < n; i++) {\n"
        "    for (int j = 0; j < 2; j++) rows[j][t] = y[t + j];\n    @\n"
        "    for (int j = 0; j < 2; j++) v += rows[j][255 - t];\n    @\n  }\n  x[t] = v;"
    ),
    "once for the rounds of a loop and for what comes behind it": (
        "  s[t] = y[t];\n  __syncthreads();\n  for (int k = 128; k > 0; k /= 2) {\n    if (t < k) s[t] += s[t + k];\n"
        "    @\n  }\n  x[t] = s[0];"
    ),
    "in the body of a uniform branch": ("  if (n > 4) {\n    s[t] = y[t];\n    @\n    x[t] = s[255 - t];\n  }"),
    "before a branch in which the other access stands": (
        "  s[t] = y[t];\n  @\n  if (t < 16) {\n    x[t] = s[255 - t];\n  }"
    ),
    "where statements share a line": "  s[t] = y[t]; @ x[t] = s[255 - t];",
}

CALLS: Final = {
    "between two calls": (
        "",
        "  float a = block_sum(s, y[t]);\n  @\n  float b = block_sum(s, y[t + 256]);\n  x[t] = a + b;",
    ),
    "in the function, for two calls in one expression": (
        "  @\n",
        "  x[t] = block_sum(s, y[t]) + block_sum(s, y[t + 256]);",
    ),
    "in the function, for more than two calls": (
        "  @\n",
        "  float a = block_sum(s, y[t]);\n  float b = block_sum(s, y[t + 256]);\n"
        "  x[t] = a + b + block_sum(s, y[t + 9]);",
    ),
    "behind a call in a loop": (
        "",
        "  float v = 0;\n  for (int i = 0; i < 4; i++) {\n    v += block_sum(s, y[i * 256 + t]);\n    @\n  }\n"
        "  x[t] = v;",
    ),
}

REWRITTEN: Final = {
    "braces for the body of a loop": (
        "  s[t] = y[t];\n  __syncthreads();\n  for (int k = 128; k > 0; k /= 2)\n    if (t < k) s[t] += s[t + k];\n"
        "  if (t == 0) x[0] = s[0];",
        "  s[t] = y[t];\n  __syncthreads();\n  for (int k = 128; k > 0; k /= 2) {\n    if (t < k) s[t] += s[t + k];\n"
        "    __syncthreads();\n  }\n  if (t == 0) x[0] = s[0];",
    ),
    "a read and a write of one statement": (
        "  s[t] = y[t];\n  if (t == 0) s[256] = 0;\n  __syncthreads();\n  s[t] = s[t + 1];\n  __syncthreads();\n"
        "  x[t] = s[255 - t];",
        "  s[t] = y[t];\n  if (t == 0) s[256] = 0;\n  __syncthreads();\n  const auto value = s[t + 1];\n"
        "  __syncthreads();\n  s[t] = value;\n  __syncthreads();\n  x[t] = s[255 - t];",
    ),
    "a read and a write of some threads": (
        "  s[t] = y[t];\n  __syncthreads();\n  for (int k = 1; k < 256; k *= 2) {\n    if (t >= k) s[t] += s[t - k];\n"
        "    __syncthreads();\n  }\n  x[t] = s[t];",
        "  s[t] = y[t];\n  __syncthreads();\n  for (int k = 1; k < 256; k *= 2) {\n"
        "    const auto value = t >= k ? s[t] + s[t - k] : 0;\n    __syncthreads();\n    if (t >= k) s[t] = value;\n"
        "    __syncthreads();\n  }\n  x[t] = s[t];",
    ),
}

WITHHELD: Final = {
    "both accesses in the branch of some threads": (
        "  if (t < 128) {\n    s[t] = y[t];\n    x[t] = s[127 - t];\n  }",
        WhyNotOrdered.THREADS,
    ),
    "some threads left before": (
        "  if (t > 200) return;\n  s[t] = y[t];\n  x[t] = s[200 - t];",
        WhyNotOrdered.THREADS,
    ),
    "the rounds of a loop that threads leave at different times": (
        "  for (int i = 0; i < t; i++) {\n    s[(t + i) % 256] = y[i];\n    x[t] += s[t];\n  }",
        WhyNotOrdered.THREADS,
    ),
    "two arms of one branch": (
        "  if (t % 64 < 32) s[t] = y[t];\n  else x[t] = s[t - 32];",
        WhyNotOrdered.ARMS,
    ),
    "several threads at one access": ("  s[t % 64] = (float)t;", WhyNotOrdered.ONE_ACCESS),
    "one statement that writes twice": (
        "  s[t] = y[t];\n  __syncthreads();\n  x[t] = s[t] = s[255 - t];",
        WhyNotOrdered.ONE_STATEMENT,
    ),
    "a condition that calls a function": (
        "  s[t] = y[t];\n  __syncthreads();\n  if (max(t, 9) > 40) s[t] += s[t - 40];",
        WhyNotOrdered.CONDITION,
    ),
}


def analyzed(text: bytes) -> FileAnalysis:
    return Analyzer().analyze("a.cu", Document.open(text), DictLoader(), AnalysisSettings())


def answer(text: str) -> Separated | CannotOrder | None:
    analysis = analyzed(text.encode())
    (function,) = [one for one in analysis.facts.functions if one.name == "k"]
    return separate_races(analysis, function, analyzed)


def check_separated(before: str, after: str) -> Separated:
    """One text becomes the other, which has no race and no barrier that is wrong or superfluous."""
    done = answer(before)
    assert isinstance(done, Separated), done
    written = apply_replacements(before.encode(), done.edit)
    assert written.decode() == after
    found = check(analyzed(written), RuleSettings())
    assert [one.message for one in found if one.code.startswith(("RAC301", "RAC302", "SYN"))] == []
    assert answer(after) is None
    return done


def check_marked(marked: str) -> None:
    """`@` stands where a barrier is put."""
    before = re.sub(r"(?:\n *| )@|^ *@\n", "", marked, flags=re.M)
    done = check_separated(before, marked.replace("@", "__syncthreads();"))
    assert (done.barriers, done.splits) == (marked.count("@"), 0)


@pytest.mark.parametrize("body", SEPARATED.values(), ids=SEPARATED.keys())
def test_the_barrier_stands_where_a_person_would_put_it(body: str) -> None:
    check_marked(KERNEL.replace("BODY", body))


@pytest.mark.parametrize(("first", "body"), CALLS.values(), ids=CALLS.keys())
def test_calls_that_use_one_array_are_separated_in_one_place(first: str, body: str) -> None:
    check_marked(SUM.replace("FIRST", first).replace("BODY", body))


@pytest.mark.parametrize(("before", "after"), REWRITTEN.values(), ids=REWRITTEN.keys())
def test_statements_are_changed_where_they_have_to_be(before: str, after: str) -> None:
    check_separated(KERNEL.replace("BODY", before), KERNEL.replace("BODY", after))


@pytest.mark.parametrize(("body", "reason"), WITHHELD.values(), ids=WITHHELD.keys())
def test_it_is_withheld_with_the_reason(body: str, reason: WhyNotOrdered) -> None:
    done = answer(KERNEL.replace("BODY", body))
    assert isinstance(done, CannotOrder), done
    assert done.reason is reason


def test_arrays_of_other_types_than_numbers_are_not_read_where_they_are_not_needed() -> None:
    scan = "  if (t >= 40) s[t] = s[t - 40];\n  __syncthreads();\n  x[t] = 1;"
    text = KERNEL.replace("BODY", f"  s[t] = Kind::one;\n  __syncthreads();\n{scan}")
    text = "enum class Kind { none, one };\n" + text.replace("__shared__ float", "__shared__ Kind")
    done = answer(text)
    assert isinstance(done, CannotOrder), done
    assert done.reason is WhyNotOrdered.ONE_STATEMENT


def test_a_function_that_others_may_call_with_some_threads_gets_none() -> None:
    three = "  x[t] = block_sum(s, y[t]) + block_sum(s, y[t + 256]);\n  if (t < 32) x[t] += block_sum(s, 1.0f);"
    text = SUM.replace("FIRST", "").replace("BODY", three)
    assert not isinstance(answer(text), Separated)


def test_what_is_offered_at_once_is_what_is_done_in_simple_cases() -> None:
    text = KERNEL.replace("BODY", "  s[t] = y[t];\n  x[t] = s[255 - t];")
    analysis = analyzed(text.encode())
    draft, done = draft_separation(analysis, analysis.facts.functions[0]), answer(text)
    assert draft is not None
    assert isinstance(done, Separated)
    assert not isinstance(draft, CannotOrder)
    assert draft.edit == done.edit


def test_races_inside_warps_are_not_for_all_threads() -> None:
    text = KERNEL.replace("BODY", "  s[t] = y[t];\n  x[t] = s[t ^ 1];")
    assert answer(text) is None
