"""The formats a picture can be had in."""

from __future__ import annotations

from enum import Enum
from typing import Final, assert_never

from analysis.features.control_flow_graph.dot import render_dot, render_dots
from analysis.features.control_flow_graph.melded import MeldedGraphs
from analysis.features.control_flow_graph.mermaid import render_mermaid, render_mermaids
from analysis.features.control_flow_graph.model import ControlFlowGraph
from analysis.features.control_flow_graph.rows import title_of
from analysis.features.control_flow_graph.svg import render_svg


class GraphFormat(Enum):
    """The values are those of the command line and of the request."""

    SVG = "svg"
    DOT = "dot"
    MERMAID = "mermaid"


def render_melded(graphs: MeldedGraphs, format: GraphFormat) -> str:
    """Both pictures in one document."""
    pairs = [(_title(_BEFORE, graphs.before), graphs.before), (_title(_AFTER, graphs.after), graphs.after)]
    match format:
        case GraphFormat.SVG:
            return render_svg(*(graph for _, graph in pairs), titles=[title for title, _ in pairs])
        case GraphFormat.DOT:
            return render_dots(pairs)
        case GraphFormat.MERMAID:
            return render_mermaids(pairs)
        case _:
            assert_never(format)


_BEFORE: Final = "before melding"
_AFTER: Final = "after melding"


def _title(when: str, graph: ControlFlowGraph) -> str:
    """`after melding: 2 of 5 blocks divergent`."""
    return f"{when}: {title_of(graph).removeprefix(f'{graph.function}: ')}"


def render(graph: ControlFlowGraph, format: GraphFormat) -> str:
    """A whole document in the format."""
    match format:
        case GraphFormat.SVG:
            return render_svg(graph)
        case GraphFormat.DOT:
            return render_dot(graph)
        case GraphFormat.MERMAID:
            return render_mermaid(graph)
        case _:
            assert_never(format)
