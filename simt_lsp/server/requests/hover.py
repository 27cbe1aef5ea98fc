"""`textDocument/hover`: what does the warp see here?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from lsprotocol import types

from simt_lsp.server.convert import View, printable

if TYPE_CHECKING:
    from simt_lsp.server.server import SimtServer


async def on_hover(ls: SimtServer, params: types.HoverParams) -> types.Hover | None:
    return await ls.ask(params.text_document.uri, lambda view: hover(view, params.position))


def hover(view: View, position: types.Position) -> types.Hover | None:
    from analysis.features.hover import hover_at
    from analysis.features.hover_text import render_markdown, render_text

    info = hover_at(view.analysis, view.offset(position))
    if info is None:
        return None
    if view.features.markdown:
        contents = types.MarkupContent(types.MarkupKind.Markdown, printable(render_markdown(info)))
    else:
        contents = types.MarkupContent(types.MarkupKind.PlainText, printable(render_text(info)))
    return types.Hover(contents, view.range(info.start, info.end))
