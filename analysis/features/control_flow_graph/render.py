"""The formats a picture can be had in."""

from __future__ import annotations

from enum import Enum
from typing import assert_never

from analysis.features.control_flow_graph.dot import render_dot
from analysis.features.control_flow_graph.mermaid import render_mermaid
from analysis.features.control_flow_graph.model import ControlFlowGraph
from analysis.features.control_flow_graph.svg import render_svg


class GraphFormat(Enum):
    """The values are those of the command line and of the request."""

    SVG = "svg"
    DOT = "dot"
    MERMAID = "mermaid"


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
