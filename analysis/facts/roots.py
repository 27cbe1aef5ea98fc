"""One root analysed: a kernel, or a device function on its own, with everything it calls inlined into it.

A *root* is what the analyses run on.  A kernel's parameters are the same for the whole grid; a device function is a
root of its own where no kernel of the file calls it, and then its parameters are those of an unknown caller.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import final

from analysis.divergence.analysis import analyze_divergence
from analysis.divergence.launch_shape import LaunchKnowledge
from analysis.divergence.levels import Level
from analysis.divergence.options import DivergenceOptions
from analysis.divergence.result import DivergenceResult
from analysis.graph.control_flow import ControlFlow
from analysis.ir.function import Function, FunctionKind
from analysis.ir.inline import InlineBudget, RefusedCall, inline_calls
from analysis.ir.instructions import FunctionId
from analysis.ir.promote import promote
from analysis.ir.source import FrameId
from analysis.verdict.barriers import BarrierSite, find_barriers

INLINE_BUDGET = InlineBudget()


@final
@dataclass(frozen=True, slots=True)
class RootAnalysis:
    """The inlined function and all that was found out about it; `frames_of` says where each function was inlined."""

    function: Function
    launch: LaunchKnowledge
    callers_known: bool
    control: ControlFlow
    divergence: DivergenceResult
    barriers: tuple[BarrierSite, ...]
    refused: tuple[RefusedCall, ...]
    frames_of: Mapping[FunctionId, tuple[FrameId, ...]] = field(repr=False)


def analyze_root(
    function: Function,
    resolve: Callable[[FunctionId], Function | None],
    knowledge: Callable[[Function], LaunchKnowledge],
) -> RootAnalysis:
    """Analyses `function` (in SSA form).

    `resolve` gives the SSA form of what it calls, `knowledge` what the inlined function may assume of its launch.
    """
    inlined = inline_calls(function, resolve, INLINE_BUDGET)
    flat = promote(inlined.function) if inlined.function.symbols else inlined.function
    is_kernel = function.kind is FunctionKind.KERNEL
    launch = knowledge(flat)
    control = ControlFlow.of(flat)
    options = DivergenceOptions(parameters=Level.GRID if is_kernel else Level.VARYING)
    divergence = analyze_divergence(flat, control, launch, options)
    return RootAnalysis(
        flat,
        launch,
        is_kernel,
        control,
        divergence,
        find_barriers(flat, control, divergence, launch),
        inlined.refused,
        _frames_by_function(flat),
    )


def _frames_by_function(function: Function) -> Mapping[FunctionId, tuple[FrameId, ...]]:
    frames: defaultdict[FunctionId, list[FrameId]] = defaultdict(list)
    for index, frame in enumerate(function.frames):
        frames[frame.function].append(FrameId(index))
    return {callee: tuple(indices) for callee, indices in frames.items()}
