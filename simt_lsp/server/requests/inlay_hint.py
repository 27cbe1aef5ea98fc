"""`textDocument/inlayHint`: the level of each declared variable, behind its name: `int tid: varying = threadIdx.x`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lsprotocol import types

from simt_lsp.server.convert import View, printable

if TYPE_CHECKING:
    from simt_lsp.server.server import SimtServer


async def on_inlay_hint(ls: SimtServer, params: types.InlayHintParams) -> list[types.InlayHint] | None:
    return await ls.ask(params.text_document.uri, lambda view: hints(view, params.range))


def hints(view: View, shown: types.Range) -> list[types.InlayHint]:
    from analysis.features.inlay_hints import inlay_hints

    mode = view.analysed.configuration.inlay_hints.mode
    found = inlay_hints(view.analysis, mode, view.offset(shown.start), view.offset(shown.end))
    return [
        types.InlayHint(
            position=view.position(hint.offset),
            label=printable(f": {hint.label}"),
            kind=types.InlayHintKind.Type,
            tooltip=printable(hint.tooltip),
        )
        for hint in found
    ]
