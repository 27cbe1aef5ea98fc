"""The picture as a Mermaid flowchart, for Markdown files and pull requests.

Rules    Text stands in quoted labels; what Mermaid, Markdown or HTML could read as its own becomes a numeric entity
         (`#35;`), so only letters, digits and harmless punctuation stay as they are.
Source   Mermaid, "Flowcharts Syntax": special characters that break syntax, entity codes to escape characters.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from analysis.divergence.levels import Level
from analysis.features.control_flow_graph.model import ControlFlowGraph, GraphEdge, GraphNode
from analysis.features.control_flow_graph.rows import printable, row_text, rows_of, title_of

_PLAIN: Final = frozenset(" ,.:()+/=?!")

_CLASSES: Final = {Level.GRID: "even", Level.BLOCK: "even", Level.WARP: "warps", Level.VARYING: "divergent"}

_STYLES: Final = (
    "classDef even fill:#f6f8fb,stroke:#8a93a3,color:#1f2430,text-align:left",
    "classDef warps fill:#dde4ee,stroke:#8a93a3,color:#1f2430,text-align:left",
    "classDef divergent fill:#363c4d,stroke:#c77f3f,color:#f4f5f8,text-align:left",
)


def render_mermaid(graph: ControlFlowGraph) -> str:
    """A flowchart; dark nodes diverge, back edges are thick, control dependence without an edge is dotted."""
    return "\n".join(("---", f"title: {_title(graph)}", "---", "flowchart TD", *map("  {}".format, _lines(graph)), ""))


def _title(graph: ControlFlowGraph) -> str:
    """For the YAML in front: in quotes, which are doubled in the text."""
    return "'" + title_of(graph).replace("'", "''") + "'"


def _lines(graph: ControlFlowGraph) -> Iterator[str]:
    yield from (_node(node) for node in graph.nodes)
    yield from (_edge(edge) for edge in graph.edges)
    for item in graph.hidden_dependences():
        yield f"B{item.decider} -.-> B{item.dependent}"
    yield from _STYLES


def _node(node: GraphNode) -> str:
    rows = [f"B{node.id}", *(row_text(row) for row in rows_of(node))]
    return f'B{node.id}["{"<br/>".join(map(_escaped, rows))}"]:::{_CLASSES[node.convergent]}'


def _edge(edge: GraphEdge) -> str:
    arrow = "==>" if edge.is_back else "-->"
    label = f'|"{_escaped(edge.label)}"|' if edge.label else ""
    return f"B{edge.source} {arrow}{label} B{edge.target}"


def _escaped(text: str) -> str:
    return "".join(
        character if character.isalnum() or character in _PLAIN else f"#{ord(character)};"
        for character in printable(text)
    )
