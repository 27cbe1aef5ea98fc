"""`textDocument/hover`: what does the warp see here?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from lsprotocol import types

from simt_lsp.server.convert import View, printable
from simt_lsp.server.simulation.shown import simulation_hover

if TYPE_CHECKING:
    from simt_lsp.server.server import SimtServer


async def on_hover(ls: SimtServer, params: types.HoverParams) -> types.Hover | None:
    return await ls.ask(params.text_document.uri, lambda view: hover(view, params.position))


def hover(view: View, position: types.Position) -> types.Hover | None:
    from analysis.features.hover import hover_at
    from analysis.features.hover_info import BranchSubject
    from analysis.features.hover_text import render_markdown, render_text

    info = hover_at(view.analysis, view.offset(position))
    if info is None:
        return None
    counted = simulation_hover(view, info.start) if isinstance(info.subject, BranchSubject) else []
    if view.features.markdown:
        text = "\n\n".join([render_markdown(info), *counted])
        contents = types.MarkupContent(types.MarkupKind.Markdown, printable(text))
    else:
        text = "\n".join([render_text(info), *counted])
        contents = types.MarkupContent(types.MarkupKind.PlainText, printable(text))
    return types.Hover(contents, view.range(info.start, info.end))
