"""One function analysed on its own, as its findings are: for passes that change a copy of it and price the result."""

from __future__ import annotations

from typing import final

from analysis.affine.analysis import analyze_affine
from analysis.affine.result import AffineResult
from analysis.divergence.analysis import analyze_divergence
from analysis.divergence.launch_shape import LaunchKnowledge
from analysis.divergence.levels import Level
from analysis.divergence.options import DivergenceOptions
from analysis.divergence.result import DivergenceResult
from analysis.graph.control_flow import ControlFlow
from analysis.ir.function import Function, FunctionKind
from analysis.ir.record import record
from analysis.memory.spaces import SpaceResult, infer_spaces
from analysis.verdict.weights import BlockWeights


@final
@record
class AnalysedFunction:
    """The function with what is known of it."""

    function: Function
    control: ControlFlow
    divergence: DivergenceResult
    affine: AffineResult
    spaces: SpaceResult
    weights: BlockWeights


def analyse_function(function: Function, launch: LaunchKnowledge) -> AnalysedFunction:
    """As for the findings: levels that follow from linear forms improve the divergence."""
    control = ControlFlow.of(function)
    level = Level.GRID if function.kind is FunctionKind.KERNEL else Level.VARYING
    options = DivergenceOptions(parameters=level)
    divergence = analyze_divergence(function, control, launch, options)
    affine = analyze_affine(function, control, divergence)
    levels = affine.warp_levels()
    if levels:
        divergence = analyze_divergence(function, control, launch, options, levels)
    spaces = infer_spaces(function, control)
    weights = BlockWeights(function, control, divergence, affine, spaces)
    return AnalysedFunction(function, control, divergence, affine, spaces, weights)
