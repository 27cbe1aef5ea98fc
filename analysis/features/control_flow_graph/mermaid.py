"""The picture as a Mermaid flowchart, for Markdown files and pull requests.

Rules    Text stands in quoted labels; what Mermaid, Markdown or HTML could read as its own becomes a numeric entity
         (`#35;`), so only letters, digits and harmless punctuation stay as they are.
Source   Mermaid, "Flowcharts Syntax": special characters that break syntax, entity codes to escape characters.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
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
_MELDED: Final = "classDef melded fill:#c9efd8,stroke:#15803d,color:#1f2430,text-align:left"


def render_mermaid(graph: ControlFlowGraph) -> str:
    """A flowchart; dark nodes diverge, back edges are thick, control dependence without an edge is dotted."""
    return "\n".join(("---", f"title: {_title(graph)}", "---", "flowchart TD", *map("  {}".format, _lines(graph)), ""))


def render_mermaids(graphs: Sequence[tuple[str, ControlFlowGraph]]) -> str:
    """One flowchart with a subgraph for each graph, under its title."""
    lines = ["---", f"title: {_quoted(graphs[0][1].function)}", "---", "flowchart TD"]
    for number, (title, graph) in enumerate(graphs):
        lines.append(f'  subgraph G{number}["{_escaped(title)}"]')
        lines += [f"    {line}" for line in _contents(graph, f"G{number}_B")]
        lines.append("  end")
    return "\n".join((*lines, *map("  {}".format, (*_STYLES, _MELDED)), ""))


def _title(graph: ControlFlowGraph) -> str:
    """For the YAML in front: in quotes, which are doubled in the text."""
    return _quoted(title_of(graph))


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def _lines(graph: ControlFlowGraph) -> Iterator[str]:
    yield from _contents(graph, "B")
    yield from _STYLES


def _contents(graph: ControlFlowGraph, prefix: str) -> Iterator[str]:
    yield from (_node(node, prefix) for node in graph.nodes)
    yield from (_edge(edge, prefix) for edge in graph.edges)
    for item in graph.hidden_dependences():
        yield f"{prefix}{item.decider} -.-> {prefix}{item.dependent}"


def _node(node: GraphNode, prefix: str) -> str:
    rows = [f"B{node.id}", *(row_text(row) for row in rows_of(node))]
    look = "melded" if node.melded else _CLASSES[node.convergent]
    return f'{prefix}{node.id}["{"<br/>".join(map(_escaped, rows))}"]:::{look}'


def _edge(edge: GraphEdge, prefix: str) -> str:
    arrow = "==>" if edge.is_back else "-->"
    label = f'|"{_escaped(edge.label)}"|' if edge.label else ""
    return f"{prefix}{edge.source} {arrow}{label} {prefix}{edge.target}"


def _escaped(text: str) -> str:
    return "".join(
        character if character.isalnum() or character in _PLAIN else f"#{ord(character)};"
        for character in printable(text)
    )
