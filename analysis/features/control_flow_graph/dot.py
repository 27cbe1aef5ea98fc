r"""The picture in the DOT language, for Graphviz and what reads it.

Rules    All text stands in quoted strings: `"` and `\` are escaped, so that no escape of Graphviz (`\N`, `\G`) is read
         out of source text; rows end with `\l`, which aligns them to the left.
Source   The DOT Language and escString, graphviz.org/doc/info/lang.html and graphviz.org/docs/attr-types/escString.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from analysis.divergence.levels import Level
from analysis.features.control_flow_graph.model import ControlFlowGraph, GraphEdge, GraphNode
from analysis.features.control_flow_graph.rows import printable, row_text, rows_of, title_of

_COLOURS: Final = {
    Level.GRID: 'fillcolor="#f6f8fb"',
    Level.BLOCK: 'fillcolor="#f6f8fb"',
    Level.WARP: 'fillcolor="#dde4ee"',
    Level.VARYING: 'fillcolor="#363c4d", fontcolor="#f4f5f8"',
}


def render_dot(graph: ControlFlowGraph) -> str:
    """One `digraph`; dark nodes diverge, back edges are dashed, control dependence without an edge is dotted."""
    return "\n".join((f"digraph {_quoted(graph.function)} {{", *(f"  {line};" for line in _statements(graph)), "}", ""))


def _statements(graph: ControlFlowGraph) -> Iterator[str]:
    yield f"label={_quoted(title_of(graph))}"
    yield 'labelloc="t"'
    yield 'fontname="monospace"'
    yield 'node [shape="box", style="filled,rounded", fontname="monospace", fontsize="10"]'
    yield 'edge [fontname="monospace", fontsize="9"]'
    yield from (_node(node) for node in graph.nodes)
    yield from (_edge(edge) for edge in graph.edges)
    for item in graph.hidden_dependences():
        attributes = 'style="dotted", color="#a16207", constraint="false"'
        yield f"B{item.decider} -> B{item.dependent} [{attributes}]"


def _node(node: GraphNode) -> str:
    rows = [f"B{node.id}", *(row_text(row) for row in rows_of(node))]
    label = "".join(_escaped(row) + r"\l" for row in rows)
    return f'B{node.id} [label="{label}", {_COLOURS[node.convergent]}]'


def _edge(edge: GraphEdge) -> str:
    attributes = [f"label={_quoted(edge.label)}"] if edge.label else []
    if edge.is_back:
        attributes += ['style="dashed"', 'color="#2563eb"']
    return f"B{edge.source} -> B{edge.target}" + (f" [{', '.join(attributes)}]" if attributes else "")


def _quoted(text: str) -> str:
    return f'"{_escaped(text)}"'


def _escaped(text: str) -> str:
    return printable(text).replace("\\", "\\\\").replace('"', '\\"')
