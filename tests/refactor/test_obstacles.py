"""What is not melded, and why: one kernel for each reason, beside one that differs in that alone where it helps."""

from __future__ import annotations

import pytest

from analysis.refactor.meld.model import Obstacle, Opportunity, Refusal
from tests.refactor.melding import melded, obstacle, outcomes

SAME = "a[i] = x[i] * x[i + 1] / 7;"
OTHER = "a[i] = y[i] * y[i + 1] / 7;"


def kernel(condition: str, first: str, second: str, before: str = "") -> str:
    """The branch stands in line 4."""
    return (
        "__device__ int unknown(int *); struct Add { int *p; __device__ ~Add() { *p += 1; } };\n"
        f"__global__ void k(const int *x, const int *y, int *a, volatile int *flag, int n) {{\n"
        f"  int i = threadIdx.x; {before}\n"
        f"  if ({condition}) {{\n{first}\n}} else {{\n{second}\n}}\n}}\n"
    )


def test_the_plain_kernel_is_melded() -> None:
    assert isinstance(outcomes(kernel("i % 2", SAME, OTHER))[4], Opportunity)


@pytest.mark.parametrize(
    ("first", "reason"),
    [
        ("__syncthreads(); " + SAME, Obstacle.BARRIER),
        ("__threadfence(); " + SAME, Obstacle.BARRIER),
        ("__syncwarp(); " + SAME, Obstacle.WARP_INTRINSIC),
        ("a[i] = __shfl_sync(0xffffffffu, x[i], 0);", Obstacle.WARP_INTRINSIC),
        ("a[i] = __ballot_sync(0xffffffffu, x[i]);", Obstacle.WARP_INTRINSIC),
        ("a[i] = x[i] * (int)__activemask();", Obstacle.WARP_INTRINSIC),
        ("a[i] = x[i] * flag[0];", Obstacle.VOLATILE),
        ("Add add{a}; " + SAME, Obstacle.DESTRUCTOR),
        ("while (atomicCAS(a, 0, 1) != 0) {} " + SAME, Obstacle.ATOMIC),
        ("a[i] = x[i] * unknown(a);", Obstacle.UNKNOWN_CODE),
        ("auto f = [&](int v) { return v + i; }; a[i] = f(x[i]);", Obstacle.UNKNOWN_CODE),
        ("again: a[i] -= x[i]; if (a[i] > n) goto again;", Obstacle.LEAVES_ARM),
        ("\n#ifdef FAST\n#endif\n" + SAME, Obstacle.MACRO),
    ],
)
def test_an_arm_that_must_not_be_melded(first: str, reason: Obstacle) -> None:
    assert obstacle(kernel("i % 2", first, OTHER), 4) is reason


def test_the_same_outside_of_the_arms_does_no_harm() -> None:
    text = kernel("i % 2", SAME, OTHER, "__syncthreads(); flag[0] = 1; a[i] = __shfl_sync(0xffffffffu, i, 0);")
    assert isinstance(outcomes(text)[4], Opportunity)


def test_an_if_without_else_has_one_arm() -> None:
    text = "__global__ void k(int *a) {\n  if (threadIdx.x % 2) a[threadIdx.x] = 3;\n}\n"
    assert obstacle(text, 2) is Obstacle.ONE_ARM


def test_an_empty_arm_is_no_arm() -> None:
    text = "__global__ void k(int *a) {\n  if (threadIdx.x % 2) { a[threadIdx.x] = 3; } else {}\n}\n"
    assert obstacle(text, 2) is Obstacle.ONE_ARM


def test_loops_and_operators_are_no_statements_with_two_arms() -> None:
    text = (
        "__global__ void k(int *a, int n) {\n"
        "  int i = threadIdx.x;\n"
        "  for (int j = 0; j < i; j++) a[i] += j;\n"
        "  a[i] = i % 3 ? a[i + 1] : a[i + 2];\n"
        "}\n"
    )
    assert {line: obstacle(text, line) for line in (3, 4)} == dict.fromkeys((3, 4), Obstacle.NOT_A_STATEMENT)


def test_a_condition_that_declares_a_variable() -> None:
    text = kernel("int v = i % 2", "a[i] = v + x[i] * x[i + 1];", "a[i] = v + y[i] * y[i + 1];")
    assert obstacle(text, 4) is Obstacle.CONDITION


def test_arms_that_have_nothing_in_common() -> None:
    assert obstacle(kernel("i % 2", "a[i] = x[i] % 5;", "for (int j = 0; j < n; j++) { a[j + i] += 2; }"), 4) is (
        Obstacle.NOTHING_ALIKE
    )


def test_what_does_not_pay() -> None:
    assert obstacle(kernel("i % 2", "n = i;", "n = i + 1;"), 4) in (Obstacle.NO_GAIN, Obstacle.NOTHING_ALIKE)


def test_a_bounds_check_of_the_whole_grid_splits_few_warps() -> None:
    text = kernel("blockIdx.x * blockDim.x + i < n", SAME, OTHER)
    assert obstacle(text, 4) is Obstacle.NO_GAIN


def test_a_branch_on_which_the_block_agrees_is_no_region() -> None:
    assert outcomes(kernel("blockIdx.x % 2", SAME, OTHER)) == {}


def test_an_arm_that_ends_inside_a_macro() -> None:
    text = (
        "#define BEGIN if (threadIdx.x % 2) {\n"
        "#define STORE(v) a[threadIdx.x] = v; }\n"
        "__global__ void k(const int *x, int *a) {\n"
        "  if (threadIdx.x % 2) { STORE(x[0]) else { a[threadIdx.x] = x[1]; }\n"
        "}\n"
    )
    assert obstacle(text, 4) is Obstacle.MACRO


def test_a_reference_is_not_declared_without_its_object() -> None:
    first = "int &v = a[i]; v += x[i] * x[i + 1]; v += x[i + 2];"
    second = "int &w = a[i + 1]; w += y[i] * y[i + 1]; w += y[i + 2];"
    found = outcomes(kernel("i % 2", first, second))[4]
    assert isinstance(found, Opportunity) or found.obstacle in (Obstacle.DECLARATION, Obstacle.NOTHING_ALIKE)


def test_arrays_in_registers_are_not_selected_by_address() -> None:
    text = kernel(
        "i % 2", f"p[0] = x[i]; q[n & 1] = 1; {SAME}", f"q[0] = x[i]; p[n & 1] = 1; {OTHER}", "int p[2], q[2];"
    )
    assert "? p : q" not in melded(text, 4)


@pytest.mark.parametrize(
    ("before", "first", "second"),
    [("if (i == n)", SAME, OTHER), ("int v;", "v = 1;", "v = 2;"), ("int v;", "v = 1;", OTHER)],
)
def test_where_a_split_loses_nothing_melding_saves_nothing(before: str, first: str, second: str) -> None:
    assert obstacle(kernel("x[i] % 2", first, second, before), 4) is Obstacle.NO_GAIN


def test_what_is_not_understood_is_named() -> None:
    found = outcomes(kernel("i % 2", "a[i] = x[i] * undeclared(i);", OTHER))[4]
    assert isinstance(found, Refusal)
    assert found.message == "an arm contains code that is not understood: call of unknown function undeclared"
