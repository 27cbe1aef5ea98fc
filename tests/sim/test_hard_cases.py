"""Programs that want more than anybody has get an answer that names the place, and a run ends inside of a segment."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence

import numpy as np
import pytest

from analysis.launches.annotation import annotation_above
from analysis.lower.program import Program
from analysis.syntax.document import Document
from analysis.syntax.environment import Environment
from analysis.syntax.includes import DictLoader
from analysis.syntax.translation_unit import TranslationUnit
from benchmarks.hard_cases import HardCase, hard_cases
from sim.code.generate import GeneratedText
from sim.launch.planner import Planner
from sim.launch.request import Request, requests_in_order
from sim.machine.printf import MAX_LINES, MAX_WIDTH
from sim.policies.ipdom import Ipdom
from sim.refusals import LaunchError
from sim.report.assemble import report_kernel
from sim.result import TruncationReason
from sim.specification import Budget, ChosenArray
from sim.state import deadline
from tests.sim.running import run

BUDGET = Budget(max_steps=20_000, seconds=60.0)
"""Steps end the runs, so that what is tested does not depend on the machine."""


def outcome(case: HardCase) -> str:
    """What happens, in a few words with the line."""
    text = case.text.encode()
    unit = TranslationUnit.build("a.cu", Document.open(text), DictLoader(), Environment())
    program = Program(unit)
    (kernel,) = (found for found in program.device_functions() if found.id.startswith("k("))
    overrides = case.overrides()
    grid, block = overrides.get("grid"), overrides.get("block")
    given = Request("given", _extent(grid), _extent(block), overrides.get("sharedBytes"), None, overrides["arguments"])
    try:
        requests = requests_in_order(given, annotation_above(text, kernel.item.span.start), "", (), None)
        report = report_kernel(program, Planner(program, kernel, requests, budget=BUDGET), (Ipdom,), ())
    except LaunchError as error:
        return f"refused: {error}"
    (found,) = report.policies
    words = [f"{fault.kind} in line {fault.place.line}" for fault in found.faults[:2] if fault.place is not None]
    if found.truncated is not None:
        assert found.truncated.place is not None
        words.append(f"{found.truncated.reason.name.lower()} in line {found.truncated.place.line}")
    return ", ".join(words) or "finished"


def _extent(given: Sequence[int] | None) -> tuple[int, int, int] | None:
    if given is None:
        return None
    x, y, z = (*given, 1, 1)[:3]
    return x, y, z


EXPECTED: dict[str, str] = {
    "huge grid": "refused: a launch of 549,755,813,632 threads",
    "huge grid in three dimensions": "refused: a launch of 9,444,444,733,164,249,676,800 threads",
    "huge grid that does nothing": "refused: a launch of 2,147,483,647 threads",
    "huge block": "refused: block=2147483647: a block has at most 1024 threads",
    "huge dynamic shared memory": "refused: dynamic shared memory needs 8,796,093,024,256 bytes of",
    "huge shared array": "refused: s needs 1,073,742,080 bytes of memory; the budget of 1,",
    "uniform loop of 10^9 rounds": "steps in line 3",
    "divergent loop of 10^9 rounds": "steps in line 3",
    "loop without memory": "steps in line 3",
    "endless loop": "livelock in line 3",
    "endless loop that counts": "steps in line 3",
    "nested endless loops": "steps in line 3",
    "endless loop of one thread": "steps in line 3",
    "endless recursion": "stack-overflow in line 1",
    "wide recursion": "steps in line 1",
    "endless printf": "livelock in line 3",
    "endless loop in printf's argument": "steps in line 1",
    "millions of printf lines": "steps in line 3",
    "printf of a huge width": "finished",
    "spin on a flag": "livelock in line 3",
    "spin lock": "steps in line 3",
    "one address for all, compare and swap": "steps in line 3",
    "one address for all, float add": "steps in line 3",
    "one address for all, exchange": "steps in line 3",
    "one address for all, increment": "steps in line 3",
    "one address for all, maximum": "steps in line 3",
    "one address for all, compare-and-swap loop": "steps in line 4",
    "local array of 100 GB": "refused: a needs 25,600,000,065,536 bytes of memory; the budget",
    "local arrays of 1 MB": "steps in line 3",
    "argument array of 100 GB": "refused: x=zeros[25000000000]: 100,000,000,000 bytes; at most 26",
    "annotated array of 100 GB": "refused: x=random(0,1)[25000000000]: 100,000,000,000 bytes; at m",
    "argument array of 900 MB": "refused: x=random(0,1)[225000000]: 900,000,000 bytes; at most 26",
    "device array of 100 GB": "refused: table needs 100,000,000,256 bytes of memory; the budget",
    "device array of 300 MB with initialiser": "finished",
    "malloc in every thread": "out-of-bounds in line 3, out-of-bounds in line 3, steps in line 3",
    "small mallocs without end": "steps in line 3",
    "faults of every kind in every thread": "uninitialised-read in line 7, out-of-bounds in line 8, steps in line 13",
    "endless faults": "out-of-bounds in line 3, steps in line 3",
    "races of all threads": "steps in line 3",
    "gather from everywhere": "steps in line 3",
    "assertion in every thread": "failed-assertion in line 3",
    "trap in every thread": "trap in line 3",
    "shuffles without end": "livelock in line 3",
    "barriers without end": "steps in line 3",
    "barrier of one half": "finished",  # it waits for a number that was chosen: a note
    "largest grid that is simulated": "steps in line 3",
    "recursion with large frames": "steps in line 3",
    "local variables of a loop in a recursion": "steps in line 3",
    "5,000 statements": "steps in line 60",
    "100 nested ifs": "finished",
    "switch of 3,000 cases": "finished",
}


@pytest.mark.parametrize("case", hard_cases(), ids=lambda case: case.name)
def test_an_answer_names_the_place(case: HardCase) -> None:
    assert EXPECTED[case.name] in outcome(case)


# -- inside of a segment -----------------------------------------------------------------------------------------------

STRAIGHT: dict[str, str] = {
    "loads and stores": "x[threadIdx.x] += 1; " * 50,
    "atomics that wait for each other": "atomicCAS(x, 1, 2); " * 50,
    "printf": 'printf("%d", 1); ' * 50,
    "malloc": "x[0] = *(int *)malloc(4); " * 50,
}


@pytest.mark.parametrize("body", STRAIGHT.values(), ids=STRAIGHT)
def test_the_time_ends_inside_of_a_segment(body: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A clock that shows another second whenever somebody looks."""
    clock = itertools.count()
    monkeypatch.setattr(deadline, "perf_counter", lambda: next(clock))
    kernel = f"__global__ void k(int *x) {{ {body} x[1] = 7; }}"
    found = run(kernel, {"x": np.zeros(32, np.int32)}, budget=Budget(seconds=40))
    assert found.truncated is not None
    assert found.truncated.reason is TruncationReason.TIME
    assert found.arrays["x"][1] != 7
    assert next(clock) < 60


def test_large_arguments_end_with_the_time(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = itertools.count()
    monkeypatch.setattr(deadline, "perf_counter", lambda: next(clock))
    with pytest.raises(LaunchError, match="before the kernel starts"):
        run(
            "__global__ void k(float *x) { x[0] = 1; }",
            {"x": ChosenArray(30 << 20)},
            budget=Budget(seconds=20),
        )


def test_parts_of_a_large_argument_are_the_same_numbers() -> None:
    length = (1 << 20) + 5
    whole = run("__global__ void k(int *x) { }", {"x": ChosenArray(length, low=0, high=1000)}).arrays["x"]
    assert len(whole) == length
    assert whole.min() == 0
    assert whole.max() == 999
    assert len(np.unique(whole[: 1 << 20].reshape(-1, 1 << 10), axis=0)) == 1 << 10, "no part repeats another"


def test_code_of_a_segment_is_compiled_when_it_runs() -> None:
    names: dict[str, Callable[[], int]] = {}
    good, bad = GeneratedText("good", "def f(): return 3"), GeneratedText("bad", "def g(: no Python")
    call = good.function("f", names)
    never = bad.function("g", names)
    assert call() == 3
    with pytest.raises(SyntaxError):
        never()


def test_printf_is_kept_in_bounds() -> None:
    text = 'for (int i = 0; i < 1000; i++) printf("%*d|%.*f|%-*d|", 2000000000, 5, 2000000000, 0.5, -9, 7);'
    lines = run(f"__global__ void k() {{ {text} }}", {}, block=256).printed
    assert len(lines) < MAX_LINES
    first, second, third, _ = lines[0].split("|")
    assert (len(first), len(second), third) == (MAX_WIDTH, MAX_WIDTH + 2, "7        ")


def test_a_call_that_needs_too_much_memory_ends_the_run_there() -> None:
    text = """__device__ int f(int n) { int a[100]; a[n & 63] = n; return f(a[n & 31] + 1) + a[n & 63]; }
        __global__ void k(int *x) { x[threadIdx.x] = f(threadIdx.x); }"""
    found = run(text, {"x": np.zeros(32, np.int32)}, budget=Budget(memory_bytes=1 << 20))
    assert found.truncated is not None
    assert found.truncated.reason is TruncationReason.MEMORY
