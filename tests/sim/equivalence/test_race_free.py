"""`__syncthreads()` that was inserted: what running both versions says of it."""

from __future__ import annotations

from typing import Final

from analysis.refactor.barrier_goal import BarrierGoal
from analysis.refactor.edit import Replacement
from sim.equivalence.checked_barriers import CheckedBarriers, NoBarriers, check_barriers
from sim.equivalence.checked_edit import Change, check_edit
from sim.equivalence.model import Confirmed, Gap, Goal, NewFault, NotChecked, Refuted, StillRaces, Verdict
from tests.sim.equivalence.test_checked_barriers import analyzed

TILES: Final = """__global__ void k(float *x, int n) {
  __shared__ float s[64];
  int t = threadIdx.x;
  float v = 0;
  for (int i = 0; i < 4; i++) {
    s[t] = x[t] + i;
    __syncthreads();
    v += s[63 - t];
  }
  x[t] = v;
}
void host(float *x) { k<<<1, 64>>>(x, 3); }
"""
TURNS: Final = "    v += s[63 - t];\n"


def separated(text: str, name: str = "k") -> CheckedBarriers | NoBarriers:
    analysis = analyzed(text.encode())
    (function,) = [one for one in analysis.facts.functions if one.name == name]
    return check_barriers(analysis, function, BarrierGoal.SEPARATE, function.start, analyzed)


def replaced(text: str, old: str, new: str) -> Verdict:
    """Of a change that promises to put an end to races."""
    analysis = analyzed(text.encode())
    start = text.index(old)
    change = Change(analysis.facts.functions[0], (Replacement(start, start + len(old), new),), Goal.RACE_FREE)
    return check_edit(analysis, change, analyzed).verdict


def test_the_title_says_what_was_checked() -> None:
    found = separated(TILES)
    assert isinstance(found, CheckedBarriers)
    assert isinstance(found.verdict, Confirmed)
    words = "Insert `__syncthreads()`: 1 race gone, equal results under 8 policies, checked on 64 threads"
    assert found.title == words


def test_a_barrier_in_a_function_is_checked_in_the_kernels_that_call_it() -> None:
    sums = """__device__ float total(float *s, float v) {
  s[threadIdx.x] = v;
  __syncthreads();
  return s[0] + s[63];
}
__global__ void once(float *x) {
  __shared__ float s[64];
  x[threadIdx.x] = total(s, x[threadIdx.x]);
}
__global__ void twice(float *x) {
  __shared__ float s[64];
  x[threadIdx.x] = total(s, x[threadIdx.x]) + total(s, x[threadIdx.x] * 2);
}
void host(float *x) { once<<<1, 64>>>(x); twice<<<1, 64>>>(x); }
"""
    found = separated(sums, "twice")
    assert isinstance(found, CheckedBarriers)
    assert isinstance(found.verdict, Confirmed)


def test_a_race_that_is_left_refutes() -> None:
    verdict = replaced(TILES, TURNS, f"    __syncthreads();\n{TURNS}")
    assert isinstance(verdict, Refuted)
    assert isinstance(verdict.evidence, StillRaces)
    assert verdict.evidence.place is not None
    assert verdict.evidence.place.line in (6, 9)


def test_a_barrier_that_some_threads_miss_refutes() -> None:
    verdict = replaced(TILES, TURNS, f"{TURNS}    if (t < 16) __syncthreads();\n")
    assert isinstance(verdict, Refuted)
    assert isinstance(verdict.evidence, NewFault | StillRaces)


def test_without_a_race_before_nothing_shows_what_is_mended() -> None:
    verdict = replaced(TILES.replace("63 - t", "t"), "s[t];\n", "s[t];\n    __syncthreads();\n")
    assert isinstance(verdict, NotChecked)
    assert verdict.gap is Gap.NO_RACE


def test_what_lanes_of_one_warp_race_for_stays_open() -> None:
    text = TILES.replace(TURNS, "    v += s[63 - t];\n    s[t] += s[t ^ 1];\n")
    verdict = replaced(text, "    s[t] +=", "    __syncthreads();\n    s[t] +=")
    assert not isinstance(verdict, Confirmed)


def test_results_that_still_depend_on_the_order_of_threads_are_not_confirmed() -> None:
    text = TILES.replace("  x[t] = v;\n", "  x[t] = v;\n  if (t & 1) x[0] = 1; else x[0] = 2;\n")
    verdict = replaced(text, TURNS, f"{TURNS}    __syncthreads();\n")
    assert isinstance(verdict, NotChecked)
    assert verdict.gap is Gap.ORDER_DEPENDENT


def test_what_cannot_be_written_has_a_reason() -> None:
    found = separated(TILES.replace("  for (", "  if (t > 60) return;\n  for ("))
    assert isinstance(found, NoBarriers)
    found = separated(TILES.replace(TURNS, f"{TURNS}    __syncthreads();\n"))
    assert found == NoBarriers("no threads of several warps race in shared memory")
