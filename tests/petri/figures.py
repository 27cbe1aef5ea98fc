"""The drawings of `docs/exact-convergence.md`; `python -m tests.petri.figures` writes them anew."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Final

from analysis.features.petri_drawing.net_diagram import net_diagram
from analysis.features.petri_drawing.state_diagram import state_diagram
from analysis.features.petri_drawing.svg import render_svg
from analysis.ir.ids import BasicBlockId
from analysis.petri.build import Advance, build_net
from analysis.petri.flow_graph import FlowGraph
from analysis.petri.state_space import StateSpace, enumerate_states

FOLDER: Final = Path(__file__).parent.parent.parent / "docs" / "images"
TWO_ARMS: Final = FlowGraph([(1, 2), (2,), (3, 4), (5,), (5,), ()], returns=(5,), waiting=(3,))
"""`if (a) p1; p2; if (b) { p3: __syncthreads(); } else p4; p5`: what the patent says of its figures fits this."""
SELECTED: Final = BasicBlockId(1)


def drawings() -> Mapping[str, str]:
    """By file name."""
    net = build_net(TWO_ARMS, SELECTED, Advance.FREE)
    space = enumerate_states(net)
    assert isinstance(space, StateSpace)
    captions = {BasicBlockId(0): "if (a)", SELECTED: "then", BasicBlockId(2): "if (b)", BasicBlockId(3): "barrier"}
    return {
        "petri-net.svg": render_svg(net_diagram(net, "The net for block p1", captions)),
        "petri-states.svg": render_svg(state_diagram(space, "Its state space")),
    }


if __name__ == "__main__":
    for name, text in drawings().items():
        (FOLDER / name).write_text(text, "utf-8")
