"""What the transformations ask about a function before they change it: levels, ranges, weights, memory spaces."""

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
from analysis.straightline.code import Code
from analysis.straightline.counts import Counter
from analysis.straightline.optimise import Permissions
from analysis.verdict.weights import BlockWeights


@final
@record
class StraightFacts:
    """Facts about one function, or about a root that was analysed already."""

    function: Function
    control: ControlFlow
    divergence: DivergenceResult
    affine: AffineResult
    spaces: SpaceResult
    weights: BlockWeights

    @property
    def permissions(self) -> Permissions:
        """With what the launches say."""
        ranges = self.affine.ranges
        return Permissions(lambda value: bool(ranges.fits[value]), self.affine.range_at, self.spaces)

    @property
    def counter(self) -> Counter:
        return Counter(self.divergence, self.weights.rounds)

    def code(self) -> Code:
        """The function as it was written."""
        return Code(self.function, self.control)


def straight_facts(function: Function, launch: LaunchKnowledge) -> StraightFacts:
    """The facts, as for the findings: levels that follow from linear forms improve the divergence."""
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
    return StraightFacts(function, control, divergence, affine, spaces, weights)
