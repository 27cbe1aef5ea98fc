"""Reports on runs that have not ended: they change nothing, say nothing too early, and come when they should."""

from __future__ import annotations

import json

import numpy as np

from analysis.lower.program import LowerSettings, Program
from analysis.pipeline import unit_of_text
from presentation.html.page import html_page
from presentation.terminal.report import plain, report_lines
from sim.glance import Glance
from sim.launch.planner import Planner
from sim.launch.request import Request
from sim.policies.ipdom import Ipdom
from sim.policies.registry import policies_named
from sim.report.assemble import report_kernel
from sim.report.interim import Interim
from sim.report.json_report import kernel_object
from sim.report.model import KernelReport
from sim.result import Result, TruncationReason
from sim.simulate import simulate
from sim.specification import Array, Budget, LaunchSpecification
from tests.sim.running import kernel_of

MIXED = """__device__ int total;
__device__ int deep(int n) { return n < 2 ? n : deep(n - 1) + 1; }
__global__ void k(int *x, const int *index, float *y, int n) {
  __shared__ int tile[64];
  int own[4] = {1, 2, 3, 4};
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  tile[threadIdx.x] = i;
  if (i % 3) own[i % 4] += deep(i % 5);
  x[i] = tile[(threadIdx.x + 1) % 64] + own[index[i] % 4];
  __syncthreads();
  for (int j = 0; j < i % 7; ++j) y[i * 3] += tile[j];
  atomicAdd(&total, own[i % 4]);
  atomicAdd(&x[i % 8], 1);
  if (i == 5) printf("%d\\n", own[1]);
  __syncwarp();
}
"""
"""A race in shared memory, local and device variables, calls, atomics, output, arrays that have to grow."""

OWN_FAULT = """__global__ void k(int *x) {
  __shared__ int tile[32];
  tile[threadIdx.x] = 1;
  x[threadIdx.x] = tile[threadIdx.x / 2];
  for (int j = 0; j < 9; ++j) x[threadIdx.x] += j;
}
"""


def counted(
    text: str,
    *,
    policies: tuple[str, ...] = ("ipdom",),
    interim: Interim | None = None,
    **arguments: str,
) -> KernelReport:
    """Of the kernel `k` in two blocks of 64 threads, all else chosen."""
    unit = unit_of_text(text)
    program = Program(unit, LowerSettings(32))
    (kernel,) = (found for found in program.device_functions() if found.id.startswith("k("))
    given = Request("given", (2, 1, 1), (64, 1, 1), None, None, arguments)
    planner = Planner(program, kernel, [given], budget=Budget(seconds=600))
    return report_kernel(program, planner, policies_named(policies), (), interim=interim)


def always(told: list[KernelReport]) -> Interim:
    """A report whenever the run asks for the time."""
    return Interim(told.append, first=0.0, counted=0.0, clock=lambda: 0.0)


def without_times(report: KernelReport) -> str:
    found = kernel_object(report)
    found["seconds"] = 0.0
    for run in found["policies"].values():
        run["seconds"] = 0.0
    return json.dumps(found)


def test_looking_changes_nothing() -> None:
    policies = ("ipdom", "round-robin")
    told: list[KernelReport] = []
    looked = counted(MIXED, policies=policies, interim=always(told))
    assert without_times(looked) == without_times(counted(MIXED, policies=policies))
    assert len(told) > 100
    assert {len(one.policies) for one in told} == {1, 2}
    assert looked.policies[0].printed == ("2\n",)
    assert any(fault.kind == "data-race" for fault in looked.policies[0].faults)


def test_counts_grow_until_the_end_and_are_said_to_be_so_far() -> None:
    told: list[KernelReport] = []
    last = counted(OWN_FAULT, interim=always(told))
    counts = [one.policies[0].warp_instructions for one in told]
    assert counts == sorted(counts)
    assert counts[0] < counts[-1] <= last.policies[0].warp_instructions
    assert all(one.is_interim for one in told)
    assert not last.is_interim
    for one in told:
        (run,) = one.policies
        assert run.truncated is not None
        assert run.truncated.reason is TruncationReason.RUNNING
        assert not run.memory_digest
    page, text = html_page(told[-1]), plain(report_lines(told[-1]))
    for words in (page, text):
        assert "so far, after" in words
        assert "still running: this is what was counted in" in words
    assert "so far" not in html_page(last) + plain(report_lines(last))


def test_what_another_attempt_may_mend_is_not_said() -> None:
    text = """__global__ void k(int *x) {
      for (int j = 0; j < 40; ++j) x[threadIdx.x * 1000 + j] = j;
    }"""
    told: list[KernelReport] = []
    last = counted(text, interim=always(told))
    assert not last.policies[0].faults
    assert told
    assert not any(one.policies[0].faults for one in told)


def test_the_programs_own_faults_are_said_at_once() -> None:
    told: list[KernelReport] = []
    last = counted(OWN_FAULT, interim=always(told))
    assert last.policies[0].faults[0].kind == "out-of-bounds"
    kinds = [[fault.kind for fault in one.policies[0].faults] for one in told]
    assert kinds[0] == []
    assert "out-of-bounds" in kinds[-1]


def test_nothing_is_said_about_what_never_happened() -> None:
    text = (
        "__global__ void k(int *x, int n) {\n  for (int j = 0; j < 9; ++j) if (threadIdx.x < n) x[threadIdx.x] += j;\n}"
    )
    told: list[KernelReport] = []
    last = counted(text, interim=always(told), n="64")
    assert any(branch.executed and not branch.diverged for branch in told[-1].policies[0].branches)
    assert not any(branch.never_diverged for one in told for branch in one.policies[0].branches)
    assert "never diverged" not in html_page(told[-1]) + plain(report_lines(told[-1]))
    assert not last.is_interim


def test_other_policies_stand_beside_those_that_have_ended() -> None:
    told: list[KernelReport] = []
    counted(OWN_FAULT, policies=("ipdom", "min-pc"), interim=always(told))
    both = [one for one in told if len(one.policies) == 2]
    assert both
    for one in both:
        first, second = one.policies
        assert first.truncated is None
        assert second.truncated is not None
        assert (first.policy, second.policy) == ("ipdom", "min-pc")


def test_reports_come_ever_more_rarely() -> None:
    report = counted(OWN_FAULT)
    now = [0.0]
    told: list[float] = []
    interim = Interim(lambda _: told.append(now[0]), first=0.7, clock=lambda: now[0])
    for step in range(100):
        now[0] = step / 10
        interim.tell_if_due(lambda: report)
    assert told == [0.7, 1.4, 2.8, 5.6]


def test_a_report_that_takes_long_is_made_rarely() -> None:
    report = counted(OWN_FAULT)
    now = [0.0]
    told: list[float] = []

    def slow() -> KernelReport:
        told.append(now[0])
        now[0] += 1.0
        return report

    interim = Interim(lambda _: None, first=0.5, clock=lambda: now[0])
    while now[0] < 20:
        interim.tell_if_due(slow)
        now[0] += 0.5
    assert told == [0.5, 6.5, 15.0]


def test_a_run_that_ends_before_the_first_report_has_none() -> None:
    told: list[KernelReport] = []
    counted(MIXED, interim=Interim(told.append, clock=lambda: 0.0))
    assert not told


def test_a_result_so_far_has_no_arrays() -> None:
    seen: list[Result] = []

    def show(so_far: Result) -> float:
        seen.append(so_far)
        return 0.0

    kernel = kernel_of("__global__ void k(int *x) { for (int i = 0; i < 8; ++i) x[threadIdx.x] += i; }")
    launch = LaunchSpecification((1, 1, 1), (32, 1, 1), {"x": Array(np.zeros(32, np.int32))})
    result = simulate(kernel, launch, Ipdom, glance=Glance(0.0, show))
    assert result.arrays["x"].tolist() == [28] * 32
    assert len(seen) > 8
    assert all(one.is_running and not one.arrays and not one.memory_digest for one in seen)
    assert not result.is_running
