"""Spaces of pointers, from CUDA text: `//@ shared, global` names the spaces of the line's accesses, in order."""

from __future__ import annotations

import re

from analysis.graph.control_flow import ControlFlow
from analysis.ir.function import Function
from analysis.ir.ids import ValueId
from analysis.ir.instructions import Atomic, Load, Store
from analysis.memory.spaces import SpaceResult, infer_spaces
from tests.support.cuda import inlined
from tests.support.textual import read


def check(text: str) -> SpaceResult:
    """The spaces of all accesses on lines with a claim, and no claim without an access."""
    function = inlined(text)
    result = infer_spaces(function, ControlFlow.of(function))
    start = text.index("__global__") if "__global__" in text else text.index("__device__")
    found: dict[int, list[str]] = {}
    for address, access in accesses(function):
        call = access.span
        while call.frame:  # an access in a callee belongs to the line of the call
            call = function.frames[call.frame].call
        line = text[: start + call.start].count("\n")
        found.setdefault(line, []).append(result.space(address).value)
    claims = {
        number: re.findall(r"\w+", line.split("//@")[1])
        for number, line in enumerate(text.split("\n"))
        if "//@" in line
    }
    assert {line: found.get(line) for line in claims} == claims
    return result


def accesses(function: Function) -> list[tuple[ValueId, Load | Store | Atomic]]:
    return [(found.address, found) for _, found in function.instructions() if isinstance(found, Load | Store | Atomic)]


def test_figure_4_a_pointer_induction_variable_keeps_its_space() -> None:
    check("""__global__ void k(float *b) {
  __shared__ float a[1024];
  float *p = a;
  float *end = a + 1024;
  while (p != end) {
    float v = *p; //@ shared
    p++;
    b[0] = v; //@ global
  }
}""")


def test_an_induction_variable_that_meets_another_space_is_generic() -> None:
    check("""__global__ void k(float *b, int n) {
  __shared__ float a[1024];
  float *p = a;
  for (int i = 0; i < n; i++) {
    *p = 1; //@ generic
    p++;
    if (i == n / 2) p = b;
  }
}""")


def test_variables_and_kernel_arguments() -> None:
    check("""__constant__ float c[4];
__device__ float d[4];
extern __shared__ float dynamic[];
struct S { float *p; };
__global__ void k(float *g, S s, int n) {
  float l[4];
  l[n] = c[n]; //@ constant local
  dynamic[n] = d[n]; //@ global shared
  g[n] = s.p[n]; //@ global global
  g[n + 1] = l[n + 1]; //@ local global
}""")


def test_pointers_from_memory_are_not_known() -> None:
    check("""struct S { float *p; };
__device__ float *cursor;
__global__ void k(float **rows, S *s, float *out) {
  float *row = rows[0]; //@ global
  row[1] = 0; //@ generic
  s->p[1] = 0; //@ global generic
  *cursor = 0; //@ global generic
}""")


def test_casts_and_members_keep_the_space_and_integers_lose_it() -> None:
    check("""__global__ void k(float4 *g, int n) {
  __shared__ float tile[64];
  float *through = (float *)((char *)tile + 16);
  void *blind = &g[n];
  ((float4 *)(void *)through)[n].y = 1; //@ shared
  ((int *)blind)[1] = 1; //@ global
  *(float *)((size_t)tile + 4) = 1; //@ generic
}""")


def test_selects_and_null() -> None:
    check("""__global__ void k(float *g, float *h, int n) {
  __shared__ float a[4];
  float *same = n > 3 ? g : h;
  float *mixed = n > 3 ? g : a;
  float *late = nullptr;
  if (n > 3) late = a;
  same[n] = 1; //@ global
  mixed[n] = 1; //@ generic
  late[n] = 1; //@ shared
}""")


def test_callees_are_looked_through_and_two_calls_are_two_answers() -> None:
    check("""__device__ void add(float *to, const float *from) { *to += *from; }
__device__ float *next(float *p) { return p + 1; }
__global__ void k(float *g) {
  __shared__ float a[64];
  add(a, g); //@ global shared shared
  add(g, a); //@ shared global global
  *next(a) = 1; //@ shared
}""")


def test_a_device_function_alone_knows_nothing_of_its_parameters() -> None:
    check("""__device__ void k(float *p, int n) {
  float *q = p + n;
  *q = 1; //@ generic
}""")


def test_the_heap_is_global() -> None:
    check("""__global__ void k(int n) {
  float *a = (float *)malloc(n);
  float *b = new float[n];
  a[0] = 1; //@ global
  b[0] = 1; //@ global
}""")


def test_null_alone_points_nowhere() -> None:
    named = read("entry:\n  %z: ptr<generic s32> = const 0\n  %q: ptr<generic s32> = element %z, %n\n  return")
    result = infer_spaces(named.function, named.control)
    assert result.space(named.values["q"]).value == "generic"
