"""The picture of a function before and after its divergent arms are melded.

Rules     Melding works on the IR of the whole root, with everything inlined; the picture is that of the function in it.
          Marked before: the blocks that run under a branch whose arms are melded.  Marked after: the blocks that both
          arms run now.
Limits    The text of a melded block is that of one arm, where the other one had its own.
          A device function is shown as the first root that runs it.
"""

from __future__ import annotations

from typing import final

from analysis.divergence.launch_shape import LaunchKnowledge
from analysis.facts.file_analysis import FileAnalysis
from analysis.facts.merge import FrameView
from analysis.facts.model import FunctionFacts
from analysis.facts.roots import RootAnalysis, analyze_root
from analysis.features.control_flow_graph.build import picture_of
from analysis.features.control_flow_graph.model import ControlFlowGraph
from analysis.ir.function import Function
from analysis.ir.ids import BasicBlockId
from analysis.ir.instructions import Branch, FunctionId, Switch
from analysis.ir.record import record
from analysis.meld.meld import meld_function
from analysis.meld.model import MeldResult
from analysis.meld.settings import MeldSettings


@final
@record
class MeldedGraphs:
    """`melded` counts the regions that were melded; the two pictures are the same where that is 0."""

    before: ControlFlowGraph
    after: ControlFlowGraph
    melded: int


def melded_graphs(
    analysis: FileAnalysis, function: FunctionFacts, settings: MeldSettings, *, inlined: bool = False
) -> MeldedGraphs | None:
    """None where the function could not be analysed."""
    views = analysis.views(function)
    if not views:
        return None
    view = views[0]
    result = meld_function(view.root.function, settings, view.root.launch)
    if not result.melded:
        graph = picture_of(analysis, function, view, frozenset(), inlined=inlined)
        return MeldedGraphs(graph, graph, 0)
    after = FrameView(_root_of(view.root, result), view.frame)
    return MeldedGraphs(
        picture_of(analysis, function, view, _under_melded_branches(view.root, result), inlined=inlined),
        picture_of(analysis, function, after, frozenset(result.melded_blocks), inlined=inlined),
        len(result.melded),
    )


def _root_of(root: RootAnalysis, result: MeldResult) -> RootAnalysis:
    """The melded function, analysed as the root was."""

    def no_callee(_: FunctionId) -> Function | None:
        return None

    def same_launch(_: Function) -> LaunchKnowledge:
        return root.launch

    return analyze_root(result.function, no_callee, root.items.get, same_launch)


def _under_melded_branches(root: RootAnalysis, result: MeldResult) -> frozenset[BasicBlockId]:
    melded = {region.branch for region in result.melded}
    deciders = {
        BasicBlockId(number)
        for number, block in enumerate(root.function.blocks)
        if isinstance(block.terminator, Branch | Switch) and block.terminator.branch in melded
    }
    return frozenset(
        block for block in root.control.order if deciders & set(root.control.iterated_controllers(block)) - {block}
    )
