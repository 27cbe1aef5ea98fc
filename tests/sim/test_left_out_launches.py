"""Launches from the device: left out with a note where that is asked for, refused otherwise."""

from __future__ import annotations

import pytest

from analysis.lower.program import Program
from analysis.pipeline import unit_of_text
from sim.launch.planner import Planner
from sim.launch.request import Request
from sim.policies.ipdom import Ipdom
from sim.refusals import Refusal
from sim.report.assemble import report_kernel
from sim.report.model import PolicyReport

_TEXT = """
__global__ void child(int *x) { x[threadIdx.x] = 1; }
__global__ void k(int *x) {
  int i = threadIdx.x;
  if (i % 16 == 0) {
    child<<<1, 32>>>(x);
  }
  x[i] = 2;
}
"""


def run_of(text: str, *, leaves_out: bool) -> PolicyReport:
    program = Program(unit_of_text(text))
    kernel = next(one for one in program.device_functions() if one.item.name == "k")
    request = Request("given", (1, 1, 1), (64, 1, 1))
    planner = Planner(program, kernel, [request], leaves_out_launches=leaves_out)
    (run,) = report_kernel(program, planner, [Ipdom], ()).policies
    return run


def test_a_launch_is_left_out_and_noted() -> None:
    run = run_of(_TEXT, leaves_out=True)
    assert run.faults == ()
    (note,) = [one for one in run.notes if one.kind == "left-out-launch"]
    assert note.place is not None
    assert (note.place.line, note.count, note.thread) == (6, 4, (0, 0, 0))


def test_a_launch_that_no_thread_comes_to_is_no_note() -> None:
    run = run_of(_TEXT.replace("i % 16 == 0", "i > 99"), leaves_out=True)
    assert run.notes == ()


def test_who_compares_results_is_refused() -> None:
    with pytest.raises(Refusal, match="kernel launch from the device"):
        run_of(_TEXT, leaves_out=False)


def test_a_kernel_that_waits_for_what_it_launched_is_refused() -> None:
    with pytest.raises(Refusal, match="cudaDeviceSynchronize"):
        run_of(_TEXT.replace("(x);\n  }", "(x); cudaDeviceSynchronize();\n  }"), leaves_out=True)


def test_streams_and_events_for_launches_are_made() -> None:
    text = _TEXT.replace(
        "child<<<1, 32>>>(x);",
        "cudaStream_t s; int e = cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking); cudaEvent_t v;"
        " e += cudaEventCreateWithFlags(&v, cudaEventDisableTiming); e += cudaEventRecord(v, s);"
        " e += cudaStreamWaitEvent(s, v, 0); child<<<1, 32, 0, s>>>(x); e += cudaStreamDestroy(s); x[64 + i] = e;",
    )
    run = run_of(text, leaves_out=True)
    assert run.faults == ()
    assert [one.kind for one in run.notes] == ["left-out-launch"]
