"""`simulate --json` is what docs/simulate-json.md says: each value that is printed is documented, and the other way."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

import pytest

from analysis.facts.analyzer import Analyzer
from analysis.facts.file_analysis import FileAnalysis
from analysis.facts.settings import AnalysisSettings
from analysis.ir.function import FunctionKind
from analysis.ir.source import Span
from analysis.syntax.document import Document
from analysis.syntax.includes import DictLoader
from sim.kernel import Kernel
from sim.launch.planner import Planner
from sim.launch.request import Request
from sim.policies.registry import policies_named
from sim.report.assemble import report_kernel
from sim.report.json_report import kernel_object
from sim.result import Result, Truncation, TruncationReason
from sim.simulate import simulate
from sim.specification import Budget, LaunchSpecification
from tests.schemas.fits import wrong

DOCS: Final = Path(__file__).parents[3] / "docs" / "simulate-json.md"
ROW: Final = re.compile(r"^\| `([^`]+)` \| ([^|]+) \|", re.MULTILINE)
MAPS: Final = re.compile(
    r"(inputs|policies|registers\.tags|registers\.values|study\.convergence|activity\.(?:conventional|scalarized|saved))\.[^.\[]+"
)
METRICS: Final = re.compile(r"metrics\..+")
HEADER: Final = b"__device__ int twice(int x) { if (x > 3) return 2 * x; return x; }\n"
KERNELS: Final = """
#include "twice.h"
__global__ void k(int *out, const int *in, int n) {
  __shared__ int s[64];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  s[threadIdx.x % 64] = i;
  if (i % 3 && i < n) out[i] = twice(in[i]);
  else printf("%d\\n", i % 2 ? s[63] : 7);
  out[threadIdx.x] = in[threadIdx.x]; out[in[i]] = i;
  if (threadIdx.x < 5) __syncthreads();
}
__global__ void endless(int *out) {
  for (volatile int i = 0; ; i++) if (i < 0) out[0] = i;
}
"""


def reports() -> Iterator[Any]:
    loader = DictLoader({"twice.h": HEADER})
    analysis = Analyzer().analyze("a.cu", Document.open(KERNELS.encode()), loader, AnalysisSettings())
    for kernel in analysis.program.device_functions():
        if kernel.kind is FunctionKind.KERNEL:
            planner = Planner(
                analysis.program, kernel, [Request("given", (2, 1, 1), (64, 1, 1))], budget=Budget(max_steps=20_000)
            )
            policies = policies_named(["ipdom", "round-robin"])
            report = report_kernel(analysis.program, planner, policies, analysis.facts.functions, with_study=True)
            yield json.loads(json.dumps(kernel_object(report)))


def values(value: Any, path: str = "") -> Iterator[tuple[str, str]]:
    """Each value with its type; arrays and objects that say something in themselves are only walked through."""
    match value:
        case dict():
            yield path, "object"
            for key, inner in value.items():  # pyright: ignore[reportUnknownVariableType]
                yield from values(inner, f"{path}.{key}" if path else str(key))  # pyright: ignore[reportUnknownArgumentType]
        case list():
            is_step = path.endswith("steps[]")
            for at, inner in enumerate(value):  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]
                yield from values(inner, f"{path}[{at}]" if is_step else f"{path}[]")
        case bool():
            yield path, "boolean"
        case None:
            yield path, "null"
        case _:
            yield path, {int: "integer", float: "number", str: "string"}[type(value)]


def found() -> dict[str, set[str]]:
    types: dict[str, set[str]] = {}
    for report in reports():
        for path, type in values(report):
            general = MAPS.sub(r"\1.*", METRICS.sub("metrics.*", path)).replace("notes[]", "faults[]")
            types.setdefault(general, set()).add(type)
    return types


def documented() -> dict[str, set[str]]:
    return {path: set(types.strip().split(" or ")) for path, types in ROW.findall(DOCS.read_text("utf-8"))}


def test_the_page_and_the_output_agree() -> None:
    assert [problem for report in reports() for problem in wrong(report, "simulate-1")] == []
    told, shown = documented(), found()
    told.pop("policies.*.notes[]")
    for path, types in shown.items():
        allowed = told.get(path, {"object"})
        allowed = allowed | {"integer"} if "number" in allowed else allowed
        assert types <= allowed, f"{path}: {types} is not documented"
    assert {path for path in told if path not in shown} == set()


def test_a_kernel_with_faults_and_notes_was_among_them() -> None:
    (first, second) = reports()
    assert {fault["kind"] for fault in first["policies"]["ipdom"]["faults"]} >= {"barrier-divergence", "data-race"}
    assert first["policies"]["ipdom"]["notes"]
    assert second["truncated"] is True
    assert second["study"] is None
    assert second["policies_agree"] is None  # both runs were cut off


def test_lanes_of_sides_are_those_of_the_branch() -> None:
    report, _ = reports()
    branches = report["policies"]["ipdom"]["branches"]
    for branch in branches:
        if branch["select"]:
            assert branch["sides"] == []
            assert branch["lanes"] > 0
        else:
            assert sum(side["lanes"] for side in branch["sides"]) == branch["lanes"]
    (in_header,) = (branch for branch in branches if branch["path"] == "twice.h")
    assert in_header["level"] == "varying"
    (own,) = (branch for branch in branches if branch["line"] == 7)
    assert own["reconvergence"]["line"] == 9


def test_the_timeline_unpacks_to_the_steps() -> None:
    report, _ = reports()
    timeline = report["policies"]["ipdom"]["timeline"]
    place, active, running = timeline["steps"][0]
    assert timeline["places"][place]["line"] == 5
    assert (int(active, 16), int(running, 16)) == (0xFFFFFFFF, 0xFFFFFFFF)
    assert sum(report["policies"]["ipdom"]["active_lanes"]) == report["policies"]["ipdom"]["warp_instructions"]


def analyzed(text: str) -> FileAnalysis:
    return Analyzer().analyze("a.cu", Document.open(text.encode()), DictLoader({}), AnalysisSettings())


@pytest.mark.parametrize(("spent", "is_studied"), [(0.0, True), (0.6, False), (0.99, False)])
def test_a_study_has_the_time_that_the_run_left(spent: float, is_studied: bool) -> None:
    analysis = analyzed("__global__ void k(int *out) { out[threadIdx.x] = 1; }")
    (kernel,) = analysis.program.device_functions()
    budget = Budget(seconds=1000.0)
    planner = Planner(analysis.program, kernel, [Request("given", (1, 1, 1), (32, 1, 1))], budget=budget)
    report = report_kernel(
        analysis.program,
        planner,
        policies_named(["ipdom"]),
        analysis.facts.functions,
        with_study=True,
        spent=spent * budget.seconds,
    )
    assert report.policies[0].truncated is None
    assert (report.study is not None) == is_studied


def test_the_last_attempt_has_half_of_the_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each attempt takes all it may: the first, then the small one."""
    given: list[float] = []

    def slow(kernel: Kernel, launch: LaunchSpecification, *rest: Any, **named: Any) -> Result:
        given.append(launch.budget.seconds)
        ended = simulate(kernel, replace(launch, budget=Budget(max_steps=1)), *rest, **named)
        return replace(ended, truncated=Truncation(TruncationReason.TIME, "k", Span(0, 0)))

    monkeypatch.setattr("sim.report.assemble.simulate", slow)
    analysis = analyzed("__global__ void k(int *out) { out[threadIdx.x] = 1; }")
    (kernel,) = analysis.program.device_functions()
    planner = Planner(analysis.program, kernel, [], budget=Budget(seconds=1000.0))
    report_kernel(analysis.program, planner, policies_named(["ipdom"]), (), with_study=True, spent=490.0)
    first, last = given
    assert first < 10.0
    assert last > 490.0
