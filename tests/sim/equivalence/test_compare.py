"""Two hand-written versions of a kernel, and the verdict on the second one."""

from __future__ import annotations

from typing import ClassVar

import pytest

from sim.arrays import LaneSets, Rows
from sim.equivalence.model import (
    Confirmed,
    Gap,
    Goal,
    MemoryDiffers,
    NewFault,
    NotChecked,
    NotFewer,
    PrintedDiffers,
    Refuted,
)
from sim.policies.ipdom import Ipdom
from sim.policies.min_pc import MinPc
from sim.policies.protocol import SegmentGraph, Split
from sim.policies.registry import POLICIES
from tests.sim.equivalence.versions import compared

ARMS = """\
__global__ void k(const float *a, const float *b, float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  /*branch*/if (i % 2 == 0) {
    out[i] = a[i] * a[i] + 1.0f;
  } else {
    out[i] = b[i] * b[i] + 1.0f;
  }
}
"""

MELDED = """\
__global__ void k(const float *a, const float *b, float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const float *from = i % 2 == 0 ? a : b;
  out[i] = from[i] * from[i] + 1.0f;
}
"""


def kernel(body: str) -> str:
    """A kernel over `x`, one element per thread."""
    return f"__global__ void k(int *x) {{ int i = blockIdx.x * blockDim.x + threadIdx.x; {body} }}"


class TestConfirmed:
    def test_a_meld_is_confirmed_under_every_policy(self) -> None:
        found = compared(ARMS, MELDED, goal=Goal.FEWER_INSTRUCTIONS)
        assert isinstance(found.verdict, Confirmed)
        assert found.verdict.policies == tuple(POLICIES)
        assert (found.verdict.left_out, found.verdict.is_order_dependent) == ((), False)
        assert found.launch is not None
        assert found.launch.threads == 2048

    def test_the_figures_are_those_of_both_versions(self) -> None:
        reference = compared(ARMS, MELDED).figures[0]
        assert reference.policy == "ipdom"
        before, after = reference.before, reference.after
        assert before.warp_instructions > after.warp_instructions
        assert (before.memory_requests, after.memory_requests) == (6 * 64, 3 * 64)  # of 64 warps
        assert (before.divergent_branches, after.divergent_branches) == (64, 0)
        assert before.active_lanes < after.active_lanes == 32.0

    def test_it_says_how_much_of_the_branch_ran(self) -> None:
        rare = ARMS.replace("out[i] = a", "if (n < 0) out[0] = 0.0f;\n    out[i] = a")
        found = compared(rare, rare)
        assert isinstance(found.verdict, Confirmed)
        assert 0 < found.verdict.unexecuted < found.verdict.instructions
        whole = compared(ARMS, MELDED).verdict
        assert isinstance(whole, Confirmed)
        assert whole.unexecuted == 0 < whole.instructions

    def test_equal_is_not_yet_cheaper(self) -> None:
        assert isinstance(compared(MELDED, MELDED).verdict, Confirmed)
        found = compared(MELDED, MELDED, goal=Goal.FEWER_INSTRUCTIONS)
        assert isinstance(found.verdict, Refuted)
        assert isinstance(found.verdict.evidence, NotFewer)

    def test_a_slower_version_is_refuted_with_both_counts(self) -> None:
        slower = MELDED.replace("out[i] = from", "if (n > 0) out[i] = 0.0f; if (n > 1) out[i] = 1.0f; out[i] = from")
        found = compared(MELDED, slower, goal=Goal.FEWER_INSTRUCTIONS)
        assert isinstance(found.verdict, Refuted)
        assert isinstance(found.verdict.evidence, NotFewer)
        assert found.verdict.evidence.before < found.verdict.evidence.after

    def test_order_of_printed_lines_is_no_difference(self) -> None:
        split = kernel(r'if (i % 2) printf("%d odd\n", i); else printf("%d even\n", i);')
        joined = kernel(r'printf("%d %s\n", i, i % 2 ? "odd" : "even");')
        assert isinstance(compared(split, joined, block=(32, 1, 1)).verdict, Confirmed)

    def test_a_fault_that_was_there_before_is_no_new_one(self) -> None:
        faulty = kernel("if (i % 2) x[i - 64] = 1; else x[i - 64] = 2;")
        assert isinstance(compared(faulty, kernel("x[i - 64] = i % 2 ? 1 : 2;")).verdict, Confirmed)

    def test_policies_under_which_the_version_before_waits_for_ever_are_left_out(self) -> None:
        flag = kernel("if (i == 0) { atomicExch(&x[0], 1); } else { while (atomicAdd(&x[0], 0) == 0) { } }")
        given = {"x": "zeros[64]"}
        found = compared(flag, flag, arguments=given, block=(32, 1, 1), policies=(Ipdom, ElseFirst, MinPc))
        assert found.verdict == Confirmed(("ipdom", "min-pc"), left_out=("else-first",))
        assert [one.policy for one in found.figures] == ["ipdom", "min-pc"]


class ElseFirst:
    """The stack, with the lanes first for which a condition is false."""

    name: ClassVar[str] = "else-first"
    can_switch: ClassVar[bool] = Ipdom.can_switch
    uses_convergence: ClassVar[bool] = Ipdom.uses_convergence

    def __init__(self, rows: int, warp_size: int, graph: SegmentGraph) -> None:
        self._stack = Ipdom(rows, warp_size, graph)
        self.segment = self._stack.segment
        self.active = self._stack.active

    def start(self, rows: Rows, lanes: LaneSets, entry: int) -> None:
        self._stack.start(rows, lanes, entry)

    def advance(self, rows: Rows, segment: int, split: Split) -> None:
        self._stack.advance(rows, segment, tuple(reversed(split)))

    def follows(self, rows: Rows, target: int) -> bool:
        return self._stack.follows(rows, target)

    def block(self, rows: Rows) -> None:
        self._stack.block(rows)

    def release(self, rows: Rows, lanes: LaneSets, target: int) -> None:
        self._stack.release(rows, lanes, target)


class TestRefuted:
    def test_one_element_that_differs_is_named(self) -> None:
        wrong = kernel("x[i] = i; if (i == 37) x[i] = 5;")
        found = compared(kernel("x[i] = i;"), wrong)
        assert found.verdict == Refuted("ipdom", MemoryDiffers("x", (37,), "37", "5", 1))

    def test_rounding_is_a_difference(self) -> None:
        before = "__global__ void k(float *x) { int i = threadIdx.x; x[i] = (x[i] + 1.5f) + 1e-7f; }"
        after = "__global__ void k(float *x) { int i = threadIdx.x; x[i] = x[i] + (1.5f + 1e-7f); }"
        found = compared(before, after, arguments={"x": "random(0,1)[256]"})
        assert isinstance(found.verdict, Refuted)
        assert isinstance(found.verdict.evidence, MemoryDiffers)

    def test_signs_of_zero_and_bits_of_nan_are_differences(self) -> None:
        before = "__global__ void k(float *x) { x[threadIdx.x] = 0.0f; }"
        found = compared(before, before.replace("0.0f", "-0.0f"))
        assert isinstance(found.verdict, Refuted)
        assert found.verdict.evidence == MemoryDiffers("x", (0,), "0.0", "-0.0", 256)
        first = "__global__ void k(float *x) { x[threadIdx.x] = __int_as_float(0x7fc00000); }"
        found = compared(first, first.replace("0000)", "0001)"))
        assert isinstance(found.verdict, Refuted)
        assert isinstance(found.verdict.evidence, MemoryDiffers)
        assert (found.verdict.evidence.before, found.verdict.evidence.after) == ("nan (0000c07f)", "nan (0100c07f)")

    def test_variables_of_the_file_count(self) -> None:
        before = "__device__ int total; " + kernel("if (i == 0) total = 1;")
        found = compared(before, before.replace("total = 1", "total = 2"))
        assert isinstance(found.verdict, Refuted)
        assert found.verdict.evidence == MemoryDiffers("total", (), "1", "2", 1)

    def test_a_new_fault_is_told_with_its_line(self) -> None:
        guarded = kernel("if (i % 2) x[i] = 1;")
        found = compared(guarded, kernel("\nx[i % 2 ? i : i - 4096] = 1;"))
        assert isinstance(found.verdict, Refuted)
        assert isinstance(found.verdict.evidence, NewFault)
        assert found.verdict.evidence.kind == "out-of-bounds"
        assert found.verdict.evidence.place is not None
        assert found.verdict.evidence.place.line == 2

    def test_another_line_that_is_printed(self) -> None:
        before = kernel(r'if (i < 2) printf("%d\n", i);')
        found = compared(before, before.replace("i < 2", "i < 3"))
        assert isinstance(found.verdict, Refuted)
        assert found.verdict.evidence == PrintedDiffers("2\n", 0, 1)


class TestNotChecked:
    def test_a_branch_that_never_splits(self) -> None:
        uniform = ARMS.replace("i % 2 == 0", "n > 0")
        found = compared(uniform, uniform, arguments={"n": "2048"})
        assert isinstance(found.verdict, NotChecked)
        assert (found.verdict.gap, found.verdict.message) == (
            Gap.ARMS_NOT_REACHED,
            "no input splits a warp at this branch",
        )

    def test_an_arm_without_threads(self) -> None:
        never = ARMS.replace("i % 2 == 0", "i < 1 << 20")
        found = compared(never, never)
        assert isinstance(found.verdict, NotChecked)
        assert found.verdict.gap is Gap.ARMS_NOT_REACHED

    @pytest.mark.parametrize(
        "condition", ["i < limit", "blockIdx.x == 0 && threadIdx.x > 300", "a[i] > 0.9995f && i % 64 == 5"]
    )
    def test_other_inputs_are_tried(self, condition: str) -> None:
        hard = ARMS.replace("i % 2 == 0", condition).replace("int n)", "int n, int limit)")
        assert isinstance(compared(hard, hard).verdict, Confirmed)

    def test_what_is_given_stays(self) -> None:
        hard = ARMS.replace("i % 2 == 0", "i < limit").replace("int n)", "int n, int limit)")
        found = compared(hard, hard, arguments={"limit": "32"})
        assert isinstance(found.verdict, NotChecked)
        assert found.verdict.gap is Gap.ARMS_NOT_REACHED

    def test_a_construct_that_is_not_simulated_has_its_place(self) -> None:
        strange = kernel('\nasm volatile("frobnicate.b32 %0, 1;" : "=r"(x[i]));')
        found = compared(strange, strange)
        assert isinstance(found.verdict, NotChecked)
        assert found.verdict.gap is Gap.NOT_SIMULATED
        assert found.verdict.place is not None
        assert found.verdict.place.line == 2

    def test_a_launch_that_does_not_fit(self) -> None:
        found = compared(kernel("x[i] = 1;"), kernel("x[i] = 1;"), arguments={"y": "3"})
        assert isinstance(found.verdict, NotChecked)
        assert found.verdict.gap is Gap.LAUNCH
        assert found.launch is None

    def test_a_run_that_does_not_end(self) -> None:
        endless = kernel("for (volatile int j = 0; ; j++) { if (j < 0) x[0] = j; }")
        found = compared(kernel("x[i] = 1;"), endless, max_steps=20_000)
        assert isinstance(found.verdict, NotChecked)
        assert found.verdict.gap is Gap.TRUNCATED

    def test_nobody_wants_it_any_more(self) -> None:
        endless = kernel("for (volatile int j = 0; ; j++) { if (j < 0) x[0] = j; }")
        found = compared(endless, endless, progress=lambda share: False)
        assert isinstance(found.verdict, NotChecked)
        assert found.verdict.gap is Gap.CANCELLED

    def test_it_stops_before_the_change(self) -> None:
        trapping = kernel("if (i == 3) __trap(); x[i] = 1;")
        found = compared(trapping, trapping)
        assert isinstance(found.verdict, NotChecked)
        assert found.verdict.gap is Gap.STOPPED

    def test_threads_that_wait_for_ever(self) -> None:
        lock = kernel("while (atomicCAS(&x[0], 0, 1) != 0) { } x[1] += 1; atomicExch(&x[0], 0);")
        found = compared(lock, lock, arguments={"x": "zeros[64]"}, block=(32, 1, 1))
        assert isinstance(found.verdict, NotChecked)
        assert found.verdict.gap is Gap.STOPPED

    def test_a_difference_proves_nothing_where_the_order_of_threads_decides(self) -> None:
        racy = kernel("if (i % 2) x[0] = i; else x[0] = i + 100;")
        found = compared(racy, kernel("x[0] = i % 2 ? i : i + 100;"))
        assert isinstance(found.verdict, NotChecked)
        assert found.verdict.gap is Gap.ORDER_DEPENDENT

    def test_a_race_that_both_versions_run_alike_is_confirmed_and_said(self) -> None:
        racy = kernel("if (i % 2) x[0] = i; else x[0] = i + 100; x[i + 1] = 1;")
        found = compared(racy, racy.replace("= 1;", "= 2 - 1;"))
        assert isinstance(found.verdict, Confirmed)
        assert found.verdict.is_order_dependent


class TestInstances:
    TEMPLATE = """\
template <typename T> __global__ void k(T *x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  /*branch*/if (i % 2) x[i] = x[i] & 7; else x[i] = x[i] & 3;
}
"""

    def test_the_version_after_gets_the_template_arguments_of_the_one_before(self) -> None:
        """`T` is an integer because of the `&`, which the second version hides."""
        after = self.TEMPLATE.replace("x[i] & 7", "f(x[i], 7)").replace("x[i] & 3", "f(x[i], 3)")
        function = "template <typename U> __device__ U f(U a, int b) { return a & b; }\n"
        assert isinstance(compared(function + self.TEMPLATE, function + after).verdict, Confirmed)
