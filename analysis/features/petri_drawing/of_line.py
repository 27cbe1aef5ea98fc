"""The net and the state space behind the exact analysis of a line.

Which     Of the code on the line, a barrier before other code, in the first place where the function is inlined.
Net       In step as a rule, barriers plain code, for two threads of a warp where those can differ, else of a block;
          `free`: the net of the patent, where nothing is known of branches and barriers wait.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, final

from analysis.divergence.levels import Level
from analysis.facts.file_analysis import FileAnalysis
from analysis.features.exact.explain_exactly import ExactBlock, ExactFunction, Proven
from analysis.features.exact.words import line_of_block
from analysis.features.petri_drawing.model import Diagram
from analysis.features.petri_drawing.net_diagram import net_diagram
from analysis.features.petri_drawing.state_diagram import state_diagram
from analysis.ir.record import record
from analysis.petri.build import Advance, build_net
from analysis.petri.flow_graph import FlowGraph, flow_graph
from analysis.petri.net import PetriNet
from analysis.petri.state_space import GaveUp, enumerate_states
from analysis.rules.source_text import one_line

MOST_NODES: Final = 250
"""Places and transitions, or states, that a person can still find their way in."""


@final
@record
class TooLarge:
    """What is not drawn, and why."""

    reason: str


def code_to_draw(functions: Sequence[ExactFunction]) -> ExactBlock | None:
    blocks = [block for function in functions for block in function.blocks]
    return next((block for block in blocks if block.code.is_barrier), blocks[0] if blocks else None)


def draw_net(analysis: FileAnalysis, asked: ExactBlock, *, free: bool) -> Diagram | TooLarge:
    net = _net(asked, free=free)
    count = len(net.places) + len(net.transitions)
    if count > MOST_NODES:
        return TooLarge(f"the net has {count} places and transitions, more than {MOST_NODES} are not drawn")
    blocks = {place.block for place in net.places if place.block is not None}
    captions = {
        block: f"line {line}" for block in blocks if (line := line_of_block(analysis, asked, block)) is not None
    }
    return net_diagram(net, f"Petri net: {_about(analysis, asked, free=free)}", captions)


def draw_states(analysis: FileAnalysis, asked: ExactBlock, *, free: bool) -> Diagram | TooLarge:
    space = enumerate_states(_net(asked, free=free), MOST_NODES)
    if isinstance(space, GaveUp):
        return TooLarge(f"the state space has more than {MOST_NODES} states, so many are not drawn")
    return state_diagram(space, f"State space: {_about(analysis, asked, free=free)}")


def _net(asked: ExactBlock, *, free: bool) -> PetriNet:
    divergence = asked.view.root.divergence
    if free:
        known = flow_graph(divergence, Level.BLOCK, barriers_wait=True)
        unknown = FlowGraph(known.successors, known.returns, known.waiting)
        return build_net(unknown, asked.block, Advance.FREE)
    graph = flow_graph(divergence, _group(asked), barriers_wait=False)
    return build_net(graph, asked.block, Advance.IN_STEP)


def _group(asked: ExactBlock) -> Level:
    answer = asked.answer
    return Level.WARP if isinstance(answer, Proven) and answer.group is Level.VARYING else Level.BLOCK


def _about(analysis: FileAnalysis, asked: ExactBlock, *, free: bool) -> str:
    text = one_line(analysis.document.text[asked.code.start : asked.code.end])
    threads = "as in the patent" if free else f"two threads of a {_group(asked).name.lower()}"
    return f"{text}, p{asked.block}, {threads}"
