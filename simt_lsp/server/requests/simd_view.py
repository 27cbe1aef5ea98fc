"""`simt/simdView`: the kernel at a place as vector operations under masks.

Request  `{"textDocument": {"uri"}, "position": {"line", "character"}}`
Answer   what `simt-lsp scalarize --view simd --json` prints, with `text` for people; null outside of functions that are
         analysed on their own.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from lsprotocol import types

from simt_lsp.server.views.view import View

if TYPE_CHECKING:
    from simt_lsp.server.session.server import SimtServer

SIMD_METHOD: Final = "simt/simdView"


async def on_simd_view(ls: SimtServer, params: object) -> dict[str, Any] | None:
    """pygls hands parameters of methods it does not know over as nested named tuples."""
    uri = getattr(getattr(params, "textDocument", None), "uri", None)
    position = getattr(params, "position", None)
    line, character = getattr(position, "line", None), getattr(position, "character", None)
    if not (isinstance(uri, str) and isinstance(line, int) and isinstance(character, int)):
        raise ValueError(f"{SIMD_METHOD} needs textDocument.uri and position")
    place = types.Position(line, character)
    return await ls.ask(uri, lambda view: vectors(view, place))


def vectors(view: View, position: types.Position) -> dict[str, Any] | None:
    from analysis.features.scalarization.report import scalarization_report
    from analysis.features.scalarization.simd import simd_data, simd_lines

    function = view.analysis.facts.function_at(view.offset(position))
    if function is None or not function.active:
        return None
    report = scalarization_report(view.analysis, function)
    if report is None:
        return None
    return {**simd_data(report), "text": "\n".join(simd_lines(report)) + "\n"}
