"""`textDocument/inlayHint`: behind the name of a declared variable how it grows, `int j: 4·tid = 4 * i`;
behind an access to memory its cost, `a[32 * i] 32/4 sectors`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lsprotocol import types

from analysis.ir.pace import paced
from simt_lsp.server.transport.written import Written
from simt_lsp.server.views.view import View, printable

if TYPE_CHECKING:
    from simt_lsp.server.session.server import SimtServer


async def on_inlay_hint(ls: SimtServer, params: types.InlayHintParams) -> Written | None:
    return await ls.ask_written(params.text_document.uri, lambda view: hints(view, params.range))


def hints(view: View, shown: types.Range) -> list[types.InlayHint]:
    from analysis.features.inlay_hints import InlayHintKind, inlay_hints

    options = view.analysed.configuration.inlay_hints
    start, end = view.offset(shown.start), view.offset(shown.end)
    return [
        types.InlayHint(
            position=view.position(hint.offset),
            label=printable(f": {hint.label}" if hint.kind is InlayHintKind.VARIABLE else hint.label),
            kind=types.InlayHintKind.Type if hint.kind is InlayHintKind.VARIABLE else None,
            tooltip=printable(hint.tooltip),
            padding_left=hint.kind is InlayHintKind.MEMORY,
        )
        for hint in paced(inlay_hints(view.analysis, options.mode, options.memory, start, end), 10)
    ]
