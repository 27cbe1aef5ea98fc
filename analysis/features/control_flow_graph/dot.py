r"""The picture in the DOT language, for Graphviz and what reads it.

Rules    All text stands in quoted strings: `"` and `\` are escaped, so that no escape of Graphviz (`\N`, `\G`) is read
         out of source text; rows end with `\l`, which aligns them to the left.
Source   The DOT Language and escString, graphviz.org/doc/info/lang.html and graphviz.org/docs/attr-types/escString.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
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
_MELDED: Final = 'fillcolor="#c9efd8", color="#15803d"'


def render_dot(graph: ControlFlowGraph) -> str:
    """One `digraph`; dark nodes diverge, back edges are dashed, control dependence without an edge is dotted."""
    return "\n".join((f"digraph {_quoted(graph.function)} {{", *(f"  {line};" for line in _statements(graph)), "}", ""))


def render_dots(graphs: Sequence[tuple[str, ControlFlowGraph]]) -> str:
    """One `digraph` with a cluster for each graph, under its title."""
    lines = [f"digraph {_quoted(graphs[0][1].function)} {{", f"  label={_quoted(graphs[0][1].function)};"]
    lines += [f"  {line};" for line in _LOOK]
    for number, (title, graph) in enumerate(graphs):
        lines += [f"  subgraph cluster_{number} {{", f"    label={_quoted(title)};"]
        lines += [f"    {line};" for line in _contents(graph, f"G{number}_B")]
        lines.append("  }")
    return "\n".join((*lines, "}", ""))


_LOOK: Final = (
    'labelloc="t"',
    'fontname="monospace"',
    'node [shape="box", style="filled,rounded", fontname="monospace", fontsize="10"]',
    'edge [fontname="monospace", fontsize="9"]',
)


def _statements(graph: ControlFlowGraph) -> Iterator[str]:
    yield f"label={_quoted(title_of(graph))}"
    yield from _LOOK
    yield from _contents(graph, "B")


def _contents(graph: ControlFlowGraph, prefix: str) -> Iterator[str]:
    yield from (_node(node, prefix) for node in graph.nodes)
    yield from (_edge(edge, prefix) for edge in graph.edges)
    for item in graph.hidden_dependences():
        attributes = 'style="dotted", color="#a16207", constraint="false"'
        yield f"{prefix}{item.decider} -> {prefix}{item.dependent} [{attributes}]"


def _node(node: GraphNode, prefix: str) -> str:
    rows = [f"B{node.id}", *(row_text(row) for row in rows_of(node))]
    label = "".join(_escaped(row) + r"\l" for row in rows)
    colour = _MELDED if node.melded else _COLOURS[node.convergent]
    return f'{prefix}{node.id} [label="{label}", {colour}]'


def _edge(edge: GraphEdge, prefix: str) -> str:
    attributes = [f"label={_quoted(edge.label)}"] if edge.label else []
    if edge.is_back:
        attributes += ['style="dashed"', 'color="#2563eb"']
    return f"{prefix}{edge.source} -> {prefix}{edge.target}" + (f" [{', '.join(attributes)}]" if attributes else "")


def _quoted(text: str) -> str:
    return f'"{_escaped(text)}"'


def _escaped(text: str) -> str:
    return printable(text).replace("\\", "\\\\").replace('"', '\\"')
