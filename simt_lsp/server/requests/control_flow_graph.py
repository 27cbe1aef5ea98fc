"""`simt/controlFlowGraph`: the control flow of the function at a place, as a picture.

Request  `{"textDocument": {"uri"}, "position": {"line", "character"}, "format": "svg" | "dot" | "mermaid",
         "inlined": bool}`; without `format` it is SVG, without `inlined` called functions are not drawn.
Answer   `{"kernel", "format", "content"}`, or null outside of device functions.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from lsprotocol import types

from simt_lsp.server.views.view import View, printable

if TYPE_CHECKING:
    from simt_lsp.server.session.server import SimtServer

GRAPH_METHOD: Final = "simt/controlFlowGraph"


async def on_control_flow_graph(ls: SimtServer, params: object) -> dict[str, Any] | None:
    """pygls hands parameters of methods it does not know over as nested named tuples."""
    uri = getattr(getattr(params, "textDocument", None), "uri", None)
    position = getattr(params, "position", None)
    line, character = getattr(position, "line", None), getattr(position, "character", None)
    format = getattr(params, "format", "svg")
    if not (isinstance(uri, str) and isinstance(line, int) and isinstance(character, int)):
        raise ValueError(f"{GRAPH_METHOD} needs textDocument.uri and position")
    if format not in ("svg", "dot", "mermaid"):
        raise ValueError(f"{GRAPH_METHOD}: no format {format!r}; use svg, dot or mermaid")
    inlined = getattr(params, "inlined", False) is True
    place = types.Position(line, character)
    return await ls.ask(uri, lambda view: picture(view, place, format, inlined=inlined))


def picture(view: View, position: types.Position, format: str, *, inlined: bool) -> dict[str, Any] | None:
    from analysis.features.control_flow_graph.build import control_flow_graph
    from analysis.features.control_flow_graph.render import GraphFormat, render

    function = view.analysis.facts.function_at(view.offset(position))
    if function is None or not function.active:
        return None
    graph = control_flow_graph(view.analysis, function, inlined=inlined)
    if graph is None:
        return None
    return {"kernel": printable(function.name), "format": format, "content": render(graph, GraphFormat(format))}
