"""`textDocument/codeLens`: one line over each kernel; its command explains the kernel's line."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from lsprotocol import types

from simt_lsp.server.convert import View, printable

if TYPE_CHECKING:
    from simt_lsp.server.server import SimtServer

EXPLAIN_COMMAND: Final = "simt.explain"
"""Run by the server, so a client without our extension can run it too."""


async def on_code_lens(ls: SimtServer, params: types.CodeLensParams) -> list[types.CodeLens] | None:
    return await ls.ask(params.text_document.uri, lenses)


def lenses(view: View) -> list[types.CodeLens]:
    from analysis.features.code_lens import code_lenses

    if not view.analysed.configuration.code_lens.enabled:
        return []
    uri = view.analysed.item.uri
    found = [(lens, view.range(lens.start, lens.end)) for lens in code_lenses(view.analysis)]
    return [
        types.CodeLens(
            range=place,
            command=types.Command(
                title=printable(lens.title), command=EXPLAIN_COMMAND, arguments=[uri, place.start.line + 1]
            ),
        )
        for lens, place in found
    ]
