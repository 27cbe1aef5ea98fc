"""SVG, DOT and Mermaid: well-formed for any text, nothing lost, nothing on top of anything."""

from __future__ import annotations

import re
from html import unescape
from itertools import combinations
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from analysis.divergence.levels import Level
from analysis.facts.model import BarrierScope
from analysis.features.control_flow_graph.dot import render_dot
from analysis.features.control_flow_graph.mermaid import render_mermaid
from analysis.features.control_flow_graph.model import (
    ControlFlowGraph,
    Decision,
    Dependence,
    Ending,
    GraphBarrier,
    GraphCall,
    GraphEdge,
    GraphNode,
    NodeId,
    SourceLine,
)
from analysis.features.control_flow_graph.render import GraphFormat, render
from analysis.features.control_flow_graph.svg import render_svg
from analysis.ir.function import FunctionKind
from analysis.verdict.barriers import BarrierVerdict
from tests.features.dot_language import read_dot
from tests.features.test_control_flow_graph import BRANCH, LOOP, OPERATORS, SWITCH, graph_of

SVG = "{http://www.w3.org/2000/svg}"
NASTY = 'a["<b>"] & #c; | `d` \\N\\l ]:::x --> %% "end" {e} <script>alert(1)</script> *f* _g_ \x00\x1b\ud800 1. 漢字'

texts = st.text(st.characters(codec=None), min_size=1, max_size=30) | st.just(NASTY)


@st.composite
def graphs(draw: st.DrawFn) -> ControlFlowGraph:
    count = draw(st.integers(1, 9))
    ids = st.integers(0, count - 1).map(NodeId)
    line = st.builds(SourceLine, st.integers(1, 9999), texts)
    levels = st.sampled_from(Level)
    nodes = tuple(
        GraphNode(
            NodeId(index),
            tuple(draw(st.lists(line, max_size=12))),
            tuple(draw(st.lists(st.builds(GraphCall, texts, st.booleans()), max_size=1))),
            tuple(
                draw(
                    st.lists(
                        st.builds(
                            GraphBarrier,
                            st.sampled_from(BarrierScope),
                            st.sampled_from(BarrierVerdict),
                            st.none() | texts,
                        ),
                        max_size=1,
                    )
                )
            ),
            draw(st.none() | st.builds(Decision, line, texts, levels)),
            draw(st.none() | st.sampled_from(Ending)),
            draw(levels),
        )
        for index in range(count)
    )
    pairs = draw(st.lists(st.tuples(ids, ids), max_size=14, unique=True))
    labels = st.sampled_from(["", "true", "false", "case 1, 2, 3", "default"])
    edges = tuple(GraphEdge(one, other, draw(labels), other <= one) for one, other in pairs if other != 0)
    depends = draw(st.lists(st.tuples(ids, ids).filter(lambda pair: pair[0] != pair[1]), max_size=5, unique=True))
    dependences = tuple(Dependence(*pair) for pair in depends if pair[1] != 0)
    return ControlFlowGraph(draw(texts), FunctionKind.KERNEL, nodes, edges, dependences)


# -- SVG --------------------------------------------------------------------------------------------------------------

Rectangle = tuple[float, float, float, float]


def parsed(svg: str) -> ElementTree.Element:
    return ElementTree.fromstring(svg)


def moved(element: ElementTree.Element) -> tuple[float, float]:
    x, y = re.findall(r"-?[\d.]+", element.get("transform", "translate(0 0)"))
    return float(x), float(y)


def boxes(root: ElementTree.Element) -> list[Rectangle]:
    """Left, top, right, bottom of each node."""
    found: list[Rectangle] = []
    picture = root.find(f"{SVG}g")
    assert picture is not None
    for group in picture.findall(f"{SVG}g"):
        box = group.find(f"{SVG}rect")
        assert box is not None
        x, y = moved(group)
        found.append((x, y, x + float(box.get("width", 0)), y + float(box.get("height", 0))))
    return found


def labels(root: ElementTree.Element) -> list[Rectangle]:
    picture = root.find(f"{SVG}g")
    assert picture is not None
    found: list[Rectangle] = []
    for text in picture.findall(f"{SVG}text"):
        x, y, width = float(text.get("x", 0)), float(text.get("y", 0)), 6.6 * len(text.text or "")
        left = x - width if text.get("text-anchor") == "end" else x
        found.append((left, y - 9, left + width, y + 2))
    return found


def points(path: str) -> list[tuple[float, float]]:
    """Points along a path of M, V, L and C."""
    found: list[tuple[float, float]] = []
    for command, body in re.findall(r"([MVLC])([^MVLC]*)", path):
        numbers = [float(number) for number in re.findall(r"-?[\d.]+", body)]
        if command in "ML":
            ends = [(numbers[0], numbers[1])]
        elif command == "V":
            ends = [(found[-1][0], numbers[0])]
        else:
            controls = [found[-1], *zip(numbers[::2], numbers[1::2], strict=True)]
            found += [_bezier(controls, step / 12) for step in range(1, 12)]
            ends = [controls[3]]
        if found and command in "VL":
            (last, end) = (found[-1], ends[0])
            found += [(last[0] + (end[0] - last[0]) * s / 9, last[1] + (end[1] - last[1]) * s / 9) for s in range(1, 9)]
        found += ends
    return found


def _bezier(controls: list[tuple[float, float]], t: float) -> tuple[float, float]:
    weights = ((1 - t) ** 3, 3 * t * (1 - t) ** 2, 3 * t * t * (1 - t), t**3)
    x = sum(weight * point[0] for weight, point in zip(weights, controls, strict=True))
    return x, sum(weight * point[1] for weight, point in zip(weights, controls, strict=True))


def overlap(one: Rectangle, other: Rectangle) -> bool:
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]


def inside(point: tuple[float, float], box: Rectangle) -> bool:
    return box[0] + 0.2 < point[0] < box[2] - 0.2 and box[1] + 0.2 < point[1] < box[3] - 0.2


def assert_nothing_covered(svg: str) -> None:
    root = parsed(svg)
    solid = [*boxes(root), *labels(root)]
    for one, other in combinations(solid, 2):
        assert not overlap(one, other), (one, other)
    picture = root.find(f"{SVG}g")
    assert picture is not None
    for path in picture.findall(f"{SVG}path"):
        for point in points(path.get("d", "")):
            assert not any(inside(point, box) for box in solid), (path.get("d"), point)


@pytest.mark.parametrize("text", [BRANCH, LOOP, SWITCH, OPERATORS])
def test_nothing_lies_on_anything_else_in_the_pictures_of_kernels(text: str) -> None:
    assert_nothing_covered(render_svg(graph_of(text)))


@given(graphs())
def test_nothing_lies_on_anything_else_in_any_picture(graph: ControlFlowGraph) -> None:
    assert_nothing_covered(render_svg(graph))


@given(graphs())
def test_only_back_edges_lead_upwards(graph: ControlFlowGraph) -> None:
    found = boxes(parsed(render_svg(graph)))
    for edge in graph.edges:
        if not edge.is_back:
            assert found[edge.source][3] < found[edge.target][1]


@given(graphs())
def test_the_svg_has_every_node_and_edge_once_and_nothing_that_runs(graph: ControlFlowGraph) -> None:
    root = parsed(render_svg(graph))
    picture = root.find(f"{SVG}g")
    assert picture is not None
    nodes = picture.findall(f"{SVG}g")
    assert sum("split" in (node.get("class") or "") for node in nodes) == sum(node.divergent for node in graph.nodes)
    assert len(picture.findall(f"{SVG}path")) + sum(len(node.findall(f"{SVG}path")) for node in nodes) == len(
        graph.edges
    ) + len(graph.hidden_dependences())
    known = {"svg", "title", "style", "defs", "marker", "path", "rect", "text", "g", "line"}
    assert {element.tag.removeprefix(SVG) for element in root.iter()} <= known
    assert not any("href" in name or name.startswith("on") for element in root.iter() for name in element.attrib)


def test_the_svg_follows_the_theme_and_loads_nothing() -> None:
    svg = render_svg(graph_of(LOOP))
    assert "prefers-color-scheme: dark" in svg
    assert re.findall(r"url\((?!#)|@import|https?://(?!www\.w3\.org/2000/svg)", svg) == []


# -- DOT --------------------------------------------------------------------------------------------------------------


@given(graphs())
def test_every_format_can_be_written_to_a_file(graph: ControlFlowGraph) -> None:
    for format in GraphFormat:
        text = render(graph, format)
        assert text.encode().decode() == text
        assert set(re.findall(r"[\x00-\x1f]", text)) <= {"\n"}


@given(graphs())
def test_the_dot_text_reads_back_as_the_graph(graph: ControlFlowGraph) -> None:
    dot = read_dot(render_dot(graph))
    assert list(dot.nodes) == [f"B{node.id}" for node in graph.nodes]
    solid = [(one, other) for one, other, attributes in dot.edges if attributes.get("style") != "dotted"]
    assert solid == [(f"B{edge.source}", f"B{edge.target}") for edge in graph.edges]
    assert len(dot.edges) - len(solid) == len(graph.hidden_dependences())
    for attributes in dot.nodes.values():  # of Graphviz' escapes, only the end of a row is ours
        assert set(re.findall(r"\\(.)", attributes["label"].replace("\\\\", ""))) <= {"l", '"'}


@pytest.mark.parametrize(
    "text", ["digraph a { b }", 'digraph "a" { b [label="x"y"]; }', "digraph a { b -> ; }", "digraph"]
)
def test_the_reader_of_dot_refuses_what_is_wrong(text: str) -> None:
    with pytest.raises(ValueError, match=r"expected|no token"):
        read_dot(text)


# -- Mermaid ----------------------------------------------------------------------------------------------------------

NODE = re.compile(r'B\d+\["((?:[^"\[\]{}<>|`\\]|<br/>)*)"\]:::(even|warps|divergent)')
EDGE = re.compile(r'B(\d+) (-->|==>|-\.->)(?:\|"([\w ,#;]*)"\|)? B(\d+)')


@given(graphs())
def test_mermaid_lines_hold_nothing_that_ends_a_label(graph: ControlFlowGraph) -> None:
    lines = render_mermaid(graph).split("\n")
    assert lines[0] == lines[2] == "---"
    assert re.fullmatch(r"title: '(?:[^']|'')*'", lines[1])
    assert lines[3] == "flowchart TD"
    body = [line.strip() for line in lines[4:] if line and not line.strip().startswith("classDef")]
    nodes, edges = body[: len(graph.nodes)], body[len(graph.nodes) :]
    assert [line for line in nodes if NODE.fullmatch(line) is None] == []
    assert [line for line in edges if EDGE.fullmatch(line) is None] == []
    assert len(edges) == len(graph.edges) + len(graph.hidden_dependences())


def test_entities_of_mermaid_stand_for_the_text() -> None:
    node = GraphNode(NodeId(0), (SourceLine(7, 'x["<>&#|"]'),), (), (), None, None, Level.GRID)
    text = render_mermaid(ControlFlowGraph("k", FunctionKind.KERNEL, (node,), (), ()))
    shown = re.sub(r"#(\d+);", lambda match: chr(int(match[1])), text)
    assert 'B0<br/>7: x["<>&#|"]' in unescape(shown)
