"""What a compiler knows about convergence, for policies that rest on it.

As in Lee et al., CGO 2013: threads meet at block barriers, and threads that have nothing left to do but return do not
count (section 3.4).  The block shape is that of the launch.  Functions that are really called know nothing: their
threads are together only as far as the policy keeps them so.
"""

from __future__ import annotations

from dataclasses import replace

from analysis.affine.analysis import analyze_affine
from analysis.divergence.analysis import analyze_divergence
from analysis.divergence.launch_shape import BlockShape, LaunchKnowledge
from analysis.divergence.levels import Level
from analysis.divergence.options import WITH_EXITS
from analysis.graph.control_flow import ControlFlow
from analysis.ir.ids import BasicBlockId
from analysis.ir.instructions import Jump, Return
from sim.code.segments import SegmentedFunction
from sim.policies.protocol import SegmentGraph
from sim.specification import LaunchSpecification


def with_convergence(graph: SegmentGraph, kernel: SegmentedFunction, launch: LaunchSpecification) -> SegmentGraph:
    """`graph` with what is known of the kernel's segments; 1 to 10 ms for a kernel of the usual size."""
    function = kernel.function
    control = ControlFlow.of(function)
    knowledge = LaunchKnowledge((BlockShape(*launch.block),), warp_size=launch.warp_size)
    divergence = analyze_divergence(function, control, knowledge, WITH_EXITS)
    levels = analyze_affine(function, control, divergence).warp_levels()
    if levels:
        divergence = analyze_divergence(function, control, knowledge, WITH_EXITS, levels)
    convergent = frozenset(
        number
        for number, segment in enumerate(kernel.segments, kernel.first)
        if divergence.convergence(BasicBlockId(segment.block)) <= Level.WARP
    )
    return replace(graph, convergent=convergent, returning=_returning(graph, kernel))


def _returning(graph: SegmentGraph, kernel: SegmentedFunction) -> frozenset[int]:
    found: set[int] = set()
    numbered = list(enumerate(kernel.segments, kernel.first))
    # Against the order of the program: a segment comes after those that it leads to, back edges apart.
    for number, segment in reversed(numbered):
        idle = segment.issued == isinstance(segment.terminator, Return)
        ends = isinstance(segment.terminator, Return | Jump)
        if idle and ends and found.issuperset(graph.successors[number]):
            found.add(number)
    return frozenset(found)
