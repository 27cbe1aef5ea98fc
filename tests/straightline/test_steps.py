"""What each transformation does and leaves alone, beside the CUDA text; both ways."""

from __future__ import annotations

import pytest

from analysis.divergence.launch_shape import BlockShape
from analysis.ir.instructions import Binary, Store
from analysis.ir.operators import BinaryOperator
from analysis.ir.types import IntegerType
from analysis.ir.verifier import verify
from analysis.straightline.divisions import bypassed
from analysis.straightline.optimise import Optimised, Step
from analysis.straightline.unroll import unrolled
from tests.straightline.running import lines_after, optimised
from tests.support.cuda import inlined


def stores(result: Optimised) -> int:
    return sum(isinstance(one, Store) for _, one in result.code.instructions())


def division_bits(result: Optimised) -> list[int]:
    found: list[int] = []
    for _, one in result.code.instructions():
        if isinstance(one, Binary) and one.operator in (BinaryOperator.DIVIDE, BinaryOperator.REMAINDER):
            type_ = result.code.types[one.result]
            assert isinstance(type_, IntegerType)
            found.append(type_.bits)
    return found


# -- addresses -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("type_", "is_folded"), [("int", True), ("long", True), ("size_t", True), ("unsigned", False), ("short", True)]
)
def test_a_sum_that_may_wrap_is_not_taken_apart(type_: str, is_folded: bool) -> None:
    text = f"__global__ void k(float *a, {type_} i) {{ a[i] = 1; a[i + 1] = 2; }}"
    assert (lines_after(optimised(text))[-1] == "p1 = &p0[1]") is is_folded


def test_a_sum_whose_range_is_known_does_not_wrap() -> None:
    text = "__global__ void k(float *a) { a[threadIdx.x] = 1; a[threadIdx.x + 1] = 2; }"
    assert lines_after(optimised(text))[-1] == "p1 = &p0[1]"


def test_a_constant_on_its_own_leaves_the_index() -> None:
    result = optimised("__global__ void k(float *a, const float *b, long i, long j) { a[i + 1] = b[i + 1 + j]; }")
    assert lines_after(result) == ["p0 = &b[i + j]", "p1 = &p0[1]", "p2 = &a[i]", "p3 = &p2[1]"]
    assert result.before.of_thread - result.after.of_thread == 4


def test_offsets_that_the_machine_cannot_add_stay() -> None:
    text = "__global__ void k(float *a, long i) { a[i] = 1; a[i + 3000000] = 2; }"
    assert lines_after(optimised(text))[-1] == "p1 = &a[i + 3000000]"


def test_only_what_dominates_is_reused() -> None:
    text = "__global__ void k(int *a, int *b, int i, bool c) { if (c) b[0] = a[i]; else b[1] = a[i + 1]; }"
    lines = lines_after(optimised(text, (Step.COMMON, Step.POINTERS, Step.REASSOCIATION)))
    assert sum(line.endswith("= &a[i]") for line in lines) == 2


# -- divisions -------------------------------------------------------------------------------------------------------


def test_a_division_is_narrowed_where_ranges_say_so() -> None:
    text = "__global__ void k(long *out, unsigned n) { long i = threadIdx.x; out[i] = i / (long)n + i % (long)n; }"
    result = optimised(text)
    assert division_bits(result) == [32, 32]
    assert result.before.of_thread - result.after.of_thread >= 98


@pytest.mark.parametrize(
    "operands",
    [
        "(long)threadIdx.x / n",
        "n / ((long)threadIdx.x + 1)",
        "(long)i / (long)i",
        "(size_t)i / (size_t)(threadIdx.x + 1)",
    ],
)
def test_a_division_of_what_may_be_long_stays(operands: str) -> None:
    """`(long) i / (long) i` may be -2^31 / -1."""
    result = optimised(f"__global__ void k(long *out, long n, int i) {{ out[0] = {operands}; }}")
    assert division_bits(result) == [64]


def test_a_division_by_a_constant_is_none() -> None:
    text = "__global__ void k(long *out) { long i = threadIdx.x; out[i] = i / 7; }"
    assert division_bits(optimised(text)) == [64]


def test_a_bypass_has_two_ways_and_one_result() -> None:
    function = inlined(
        "__global__ void k(long *o, long a, long b) { for (long i = 1; i < b; i++) o[i] = a / i + a % i; }"
    )
    result = bypassed(function)
    assert verify(result.function) == ()
    assert result.divisions == len(result.long_ways) == 2
    assert len(result.function.blocks) == len(function.blocks) + 6 == len(result.origins)


# -- stores ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("between", "left"),
    [
        ("", 1),
        ("int t = s[j];", 1),  # other memory
        ("int t = b[j];", 2),  # may be the same
        ("__syncthreads();", 2),
        ("atomicAdd(&s[0], 1);", 2),
        ("__threadfence();", 2),
    ],
)
def test_a_store_is_dead_where_nobody_may_read_it(between: str, left: int) -> None:
    body = f"__shared__ int s[64]; a[i] = 1; {between} a[i] = 2;"
    assert stores(optimised(f"__global__ void k(int *a, const int *b, int i, int j) {{ {body} }}")) == left


def test_a_volatile_store_is_never_dead() -> None:
    assert stores(optimised("__global__ void k(volatile int *a) { a[0] = 1; a[0] = 2; }")) == 2


@pytest.mark.parametrize(("use", "left"), [("", 0), ("o[0] = t[i];", 2), ("f(t);", 1)])
def test_stores_to_a_variable_that_nobody_reads_are_dead(use: str, left: int) -> None:
    text = f"__device__ void f(int *t); __global__ void k(int *o, int i) {{ int t[8]; t[i] = i; {use} }}"
    assert stores(optimised(text)) == left


# -- loops -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("loop", "is_unrolled"),
    [
        ("for (int j = 0; j < 4; j++) s += a[j];", True),
        ("for (int j = 4; j > 0; j /= 2) s += a[j];", False),
        ("for (int j = 8; j > 0; j >>= 1) s += a[j];", True),
        ("for (int j = 0; j < 4; j++) for (int l = 0; l < 3; l++) s += a[j * l];", True),
        ("for (int j = 0; j < 4; j++) for (int l = 0; l < j; l++) s += a[j * l];", False),
        ("for (int j = 0; j < n; j++) s += a[j];", False),
        ("for (int j = 0; j < 1000; j++) s += a[j];", False),
        ("for (int j = 0; j < 4; j++) { if (a[j]) break; s += j; }", False),
        ("for (int j = 0; j < 4; j++) { if (a[j]) s += j; else s -= j; }", True),
    ],
)
def test_small_constant_loops_are_unrolled(loop: str, is_unrolled: bool) -> None:
    function = inlined(f"__global__ void k(int *a, int n) {{ int s = 0; {loop} a[0] = s; }}")
    result = unrolled(function)
    assert verify(result) == ()
    assert (result is not function) is is_unrolled


# -- counts ----------------------------------------------------------------------------------------------------------


def test_what_agrees_in_the_warp_is_one_operation_for_it() -> None:
    varying = optimised("__global__ void k(int *a, int n) { a[threadIdx.x] = n * 3; }", shapes=[BlockShape(64)]).before
    assert (varying.once, varying.each) == (1, 3)
    assert varying.of_thread == 4
    assert varying.of_warp(32) == 97


def test_loops_count_as_often_as_they_run() -> None:
    kernel = "__global__ void k(int *a, int n) {{ for (int j = 0; j < 100; j++) a[j * n] = {value}; }}"
    one = optimised(kernel.format(value="n")).before.of_thread
    two = optimised(kernel.format(value="n * n")).before.of_thread
    assert 100 <= two - one <= 101
