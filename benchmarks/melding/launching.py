"""A launch of one of the kernels, as the comment above it asks for, with another block where one is wanted."""

from __future__ import annotations

from typing import Final

from analysis.ir.index3 import Index3
from analysis.launches.annotation import annotation_above
from analysis.lower.program import Program
from benchmarks.melding.subjects import kernel_of
from sim.kernel import Kernel
from sim.launch.planner import Planner
from sim.launch.request import Request, request_of
from sim.specification import Budget, LaunchSpecification

BUDGET: Final = Budget(seconds=120.0)


def launch_of(program: Program, name: str, block: Index3 | None = None) -> tuple[Kernel, LaunchSpecification]:
    """As the comment above the kernel asks for; with another block where one is given."""
    function = kernel_of(program, name)
    text = program.unit.text_of(function.item.path)
    annotation = None if text is None else annotation_above(text, function.item.span.start)
    requests = [Request(block=block)]
    if annotation is not None:
        requests.append(request_of(annotation, "."))
    plan = Planner(program, function, requests, budget=BUDGET).plan()
    return plan.kernel, plan.specification
