"""Drawings of nets and state spaces: what stands in them, and that they are whole documents."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree

import pytest

from analysis.features.exact.explain_exactly import explain_exactly
from analysis.features.petri_drawing.dot import render_dot
from analysis.features.petri_drawing.model import Diagram, Shape
from analysis.features.petri_drawing.net_diagram import net_diagram
from analysis.features.petri_drawing.of_line import TooLarge, code_to_draw, draw_net, draw_states
from analysis.features.petri_drawing.state_diagram import state_diagram
from analysis.features.petri_drawing.svg import render_svg
from analysis.ir.ids import BasicBlockId
from analysis.petri.build import Advance, build_net
from analysis.petri.flow_graph import FlowGraph
from analysis.petri.state_space import StateSpace, enumerate_states
from tests.features.dot_language import read_dot
from tests.petri.figures import FOLDER, drawings
from tests.rules.fixture import analyze

PATENT = FlowGraph([(1, 2), (2,), (3, 4), (5,), (5,), ()], returns=(5,), waiting=(3,))
"""The control flow of `tests/petri/test_patent.py`."""

KERNEL = """__global__ void k(int *out, int n) {
  if (threadIdx.x < 16) {
    out[0] = n;
    __syncthreads();
  }
}
"""


def net_of(selected: int) -> Diagram:
    net = build_net(PATENT, BasicBlockId(selected), Advance.FREE)
    return net_diagram(net, "a < b", {BasicBlockId(0): "line 7"})


def states_of(selected: int) -> Diagram:
    space = enumerate_states(build_net(PATENT, BasicBlockId(selected), Advance.FREE))
    assert isinstance(space, StateSpace)
    return state_diagram(space, "a < b")


def test_a_net_has_places_tokens_and_transitions() -> None:
    diagram = net_of(1)
    places = {node.text: node for node in diagram.nodes if node.text}
    assert set(places) == {
        *((name,) for name in ("p1_i", "p1_o", "p2", "p3_i", "p3_o", "p4", "p5", "even", "odd")),
        ("p0", "line 7"),
    }
    assert (places["p0", "line 7"].tokens, places[("even",)].tokens, places[("odd",)].tokens) == (2, 1, 0)
    assert [node.text for node in diagram.nodes if node.double] == [("p5",)]
    assert sum(node.shape is Shape.TRANSITION for node in diagram.nodes) == 10
    assert sorted(arrow.label for arrow in diagram.arrows if arrow.label) == ["2", "2"]


def test_a_divergent_block_has_a_red_end() -> None:
    ends = [node for node in states_of(1).nodes if node.double]
    assert sorted(node.shape.value for node in ends) == ["red", "state"]
    assert {node.text for node in ends} == {("p5 p5",)}


def test_a_convergent_block_has_none_and_the_stuck_state_is_shown() -> None:
    diagram = states_of(4)
    assert [node.shape for node in diagram.nodes if node.double] == [Shape.STATE]
    assert {node.text for node in diagram.nodes if node.shape is Shape.DEAD_STATE} == {("p3_i p5",)}


@pytest.mark.parametrize("diagram", [net_of(1), states_of(1), states_of(4)])
def test_only_arrows_that_close_a_cycle_lead_back(diagram: Diagram) -> None:
    back = {(arrow.source, arrow.target) for arrow in diagram.arrows if arrow.target <= arrow.source}
    for source, target in back:
        assert source in reached(diagram, target)


def reached(diagram: Diagram, start: int) -> set[int]:
    found, waiting = {start}, [start]
    while waiting:
        node = waiting.pop()
        new = {arrow.target for arrow in diagram.arrows if arrow.source == node} - found
        found |= new
        waiting += new
    return found


@pytest.mark.parametrize("diagram", [net_of(1), states_of(1)])
def test_the_svg_is_a_document_with_every_node(diagram: Diagram) -> None:
    text = render_svg(diagram)
    root = ElementTree.fromstring(text)
    assert root.tag.endswith("svg")
    assert text.count('class="shape"') == len(diagram.nodes)
    assert text.count('class="token"') == sum(node.tokens for node in diagram.nodes)
    assert text.count('class="arrow"') == len(diagram.arrows)
    assert "a &lt; b" in text


@pytest.mark.parametrize("diagram", [net_of(1), states_of(1)])
def test_the_dot_is_what_graphviz_reads(diagram: Diagram) -> None:
    graph = read_dot(render_dot(diagram))
    assert len(graph.nodes) == len(diagram.nodes)
    assert len(graph.edges) == len(diagram.arrows)


def test_the_net_of_a_line_names_lines() -> None:
    analysis = analyze(KERNEL)
    asked = code_to_draw(explain_exactly(analysis, 4))
    assert asked is not None
    net = draw_net(analysis, asked, free=False)
    assert isinstance(net, Diagram)
    assert net.title == "Petri net: __syncthreads(), p1, two threads of a warp"
    assert ("p1_i", "line 3") in {node.text for node in net.nodes}
    states = draw_states(analysis, asked, free=True)
    assert isinstance(states, Diagram)
    assert states.title == "State space: __syncthreads(), p1, as in the patent"
    assert any(node.shape is Shape.DEAD_STATE for node in states.nodes)


def test_what_is_too_large_is_not_drawn() -> None:
    many = "".join(f"  if (threadIdx.x < {limit}) out[{limit}] = n;\n" for limit in range(120))
    analysis = analyze("__global__ void k(int *out, int n) {\n" + many + "}\n")
    asked = code_to_draw(explain_exactly(analysis, 3))
    assert asked is not None
    assert isinstance(draw_net(analysis, asked, free=False), TooLarge)
    assert isinstance(draw_states(analysis, asked, free=False), TooLarge)


def test_the_drawings_of_the_manual_are_what_is_drawn() -> None:
    assert {name: (FOLDER / name).read_text("utf-8") for name in drawings()} == drawings()
