"""What the static analyses say about the kernel of a run, for the launch that runs."""

from __future__ import annotations

from analysis.divergence.analysis import analyze_divergence
from analysis.divergence.launch_shape import BlockShape, LaunchKnowledge
from analysis.divergence.levels import Level
from analysis.divergence.options import DivergenceOptions
from analysis.graph.control_flow import ControlFlow
from analysis.ir.function import Function
from analysis.ir.ids import BasicBlockId
from sim.specification import LaunchSpecification


def launch_knowledge(launch: LaunchSpecification, *, knows_shape: bool = True) -> LaunchKnowledge:
    """What the analyses may know of a launch; without its shape as for a kernel whose launches are not seen."""
    shapes = (BlockShape(*launch.block),) if knows_shape else ()
    return LaunchKnowledge(shapes, warp_size=launch.warp_size)


def converged_blocks(
    function: Function, control: ControlFlow, launch: LaunchKnowledge, options: DivergenceOptions
) -> frozenset[BasicBlockId]:
    """The blocks that all live threads of a warp execute together, or none does."""
    divergence = analyze_divergence(function, control, launch, options)
    return frozenset(block for block in control.order if divergence.convergence(block) <= Level.WARP)
