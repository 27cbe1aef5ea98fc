"""What the transformations ask about a function before they change it: levels, ranges, weights, memory spaces."""

from __future__ import annotations

from typing import final

from analysis.affine.result import AffineResult
from analysis.divergence.launch_shape import LaunchKnowledge
from analysis.divergence.result import DivergenceResult
from analysis.graph.control_flow import ControlFlow
from analysis.ir.function import Function
from analysis.ir.record import record
from analysis.memory.spaces import SpaceResult
from analysis.straightline.code import Code
from analysis.straightline.counts import Counter
from analysis.straightline.optimise import Permissions
from analysis.verdict.analysed_function import analyse_function
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
    """The facts, as for the findings."""
    known = analyse_function(function, launch)
    return StraightFacts(function, known.control, known.divergence, known.affine, known.spaces, known.weights)
