"""Calls through pointers to functions: which functions they may run, and when another one may be meant."""

from __future__ import annotations

import numpy as np
import pytest

from analysis.divergence.levels import Level
from analysis.facts.analyzer import Analyzer
from analysis.facts.file_analysis import FileAnalysis
from analysis.facts.settings import AnalysisSettings
from analysis.ir.function import SourceBranchKind
from analysis.syntax.document import Document
from analysis.syntax.includes import DictLoader
from analysis.verdict.barriers import BarrierVerdict
from sim.faults import FailedAssertion
from tests.lower.check import constructs, lower_one
from tests.sim.running import run

_FUNCTIONS = """
typedef int (*F)(int);
__device__ int one(int x) { return x + 1; }
__device__ int other(int x) { return x - 1; }
__device__ int never(int x) { return 2 * x; }
__device__ int wide(long x) { return x; }
__device__ F taken = one;
__device__ F more[] = {&other, nullptr};
__device__ int (*apart)(long) = wide;
"""
_KERNEL = "__global__ void k(int *o, F p) { o[0] = p(3) + never(1); }"
_UNKNOWN = ["call through function pointer p"]


def _see(text: str, analyzer: Analyzer | None = None, path: str = "a.cu", *, is_linked: bool = False) -> FileAnalysis:
    settings = AnalysisSettings(is_linked=is_linked)
    return (analyzer or Analyzer()).analyze(path, Document.open(text.encode()), DictLoader(), settings)


def test_functions_of_the_type_whose_address_is_taken_may_be_meant() -> None:
    lowered = lower_one(_FUNCTIONS + _KERNEL, "k")
    assert constructs(lowered) == []
    assert sorted(map(str, lowered.callees)) == ["never(int x)", "one(int x)", "other(int x)"]
    assert sum(str(one) == "never(int x)" for one in lowered.callees) == 1


@pytest.mark.parametrize(
    "other",
    [
        "extern __device__ int elsewhere(int x);",
        "__device__ int f(int i) { F q = [](int x) { return x; }; return i; }",
        "template <class T> __device__ T same(T x) { return x; } __device__ F instance = same<int>;",
        "__device__ int two(int x) { return x; } __device__ int two(float x) { return 1; } __device__ F chosen = two;",
        "#define NAMED(n) o##n\n",
        '#include "missing.h"\n',
    ],
)
def test_what_nobody_sees_may_be_meant_too(other: str) -> None:
    assert constructs(lower_one(other + _FUNCTIONS + _KERNEL, "k")) == _UNKNOWN


@pytest.mark.parametrize(
    "other",
    [
        "#define JOINED(n) value##n\n",
        "struct S { __device__ int operator[](int i) { return i; } }; void h(S *s) { delete[] s; }",
        "__device__ int twice(int x) { return 2 * x; } __device__ int called(int x) { return twice (x); } // twice",
        "extern __device__ int later(int x); __device__ int later(int x) { return x; }",
    ],
)
def test_what_can_be_no_function_of_the_type_changes_nothing(other: str) -> None:
    lowered = lower_one(other + _FUNCTIONS + _KERNEL, "k")
    assert constructs(lowered) == []
    assert len(lowered.callees) == 3


def test_other_files_count_where_device_code_is_linked_and_in_headers() -> None:
    def opaque(path: str, *, is_linked: bool) -> list[bool]:
        facts = _see(_FUNCTIONS + _KERNEL, path=path, is_linked=is_linked).facts
        return [bool(one.opaque) for one in facts.functions if one.name == "k"]

    assert opaque("a.cu", is_linked=False) == [False]
    assert opaque("a.cu", is_linked=True) == [True]
    assert opaque("a.cuh", is_linked=False) == [True]


def test_a_call_whose_function_is_known_is_no_choice() -> None:
    text = "__device__ int by(F p, int x) { return p(x); } __global__ void k(int *o) { F p = one; o[0] = by(p, 2); }"
    facts = _see(_FUNCTIONS + text).facts
    assert [branch for one in facts.functions if one.name == "k" for branch in one.branches] == []


def test_a_pointer_that_differs_between_threads_parts_them_and_leads_to_divergent_barriers() -> None:
    waits = "__device__ int waits(int x) { __syncthreads(); return x; } __device__ F waiting = waits;"
    kernel = "__global__ void k(int *o, F *p, int n) { o[threadIdx.x] = p[%s](n); __syncthreads(); o[0] = o[n]; }"
    for index, level, verdict in (
        ("threadIdx.x", Level.VARYING, BarrierVerdict.DIVERGENT),
        ("blockIdx.x", Level.BLOCK, BarrierVerdict.CONVERGENT),
    ):
        functions = {one.name: one for one in _see(_FUNCTIONS + waits + kernel % index).facts.functions}
        assert [(one.level, one.kind) for one in functions["k"].branches] == [(level, SourceBranchKind.CALL)]
        assert [barrier.verdict for barrier in functions["waits"].barriers] == [verdict]


def test_an_edit_elsewhere_that_takes_an_address_is_seen() -> None:
    analyzer = Analyzer()
    before = _see(_FUNCTIONS + _KERNEL, analyzer).facts
    edited = _FUNCTIONS + _KERNEL + "__global__ void late(int *o) { F p = never; o[0] = p != taken; }"
    after = _see(edited, analyzer).facts
    assert after == _see(edited).facts
    assert before == _see(_FUNCTIONS + _KERNEL, analyzer).facts == _see(_FUNCTIONS + _KERNEL).facts


def test_a_run_reports_a_pointer_that_leads_to_no_function() -> None:
    chosen = "F p = threadIdx.x < n ? one : nullptr; if (threadIdx.x & 1) p = other; o[threadIdx.x] = p(5);"
    text = f"{_FUNCTIONS} __global__ void k(int *o, int n) {{ {chosen} }}"
    right = run(text, {"o": np.zeros(32, np.int32), "n": 32})
    assert right.arrays["o"].tolist() == [6, 4] * 16
    (fault,) = run(text, {"o": np.zeros(32, np.int32), "n": 16}).faults
    assert isinstance(fault, FailedAssertion)
    assert fault.of_callee
    assert fault.evidence.count == 8
