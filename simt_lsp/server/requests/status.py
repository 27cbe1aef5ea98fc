"""`simt/status`: the server in one object, for a status item; see docs/protocol.md."""

from __future__ import annotations

import platform
from typing import TYPE_CHECKING, Any, Final, cast

from lsprotocol import types

from simt_lsp.server.simulations.arguments import plain
from simt_lsp.server.views.kernel_list import findings, kernel_list
from simt_lsp.server.views.report import report_of
from simt_lsp.server.views.view import View, printable

if TYPE_CHECKING:
    from simt_lsp.server.session.server import SimtServer

STATUS_METHOD: Final = "simt/status"


async def on_status(ls: SimtServer, params: object) -> dict[str, Any]:
    """pygls hands parameters of methods it does not know over as nested named tuples."""
    given = plain(params)
    asked = cast("dict[str, Any]", given) if isinstance(given, dict) else {}
    answer: dict[str, Any] = {
        "server": {"version": ls.version, "python": platform.python_version()},
        "simulator": _simulator(ls),
        "kept": [
            {"name": one.name, "asked": one.asked, "found": one.found, "entries": one.entries, "weight": one.weight}
            for one in ls.job.statistics()
        ],
        "document": None,
        "kernel": None,
    }
    match asked.get("textDocument"):
        case {"uri": str(uri)}:
            position = _position(asked.get("position"))
            return answer | (await ls.ask(uri, lambda view: _document(view, position)) or {})
        case _:
            return answer


def _simulator(ls: SimtServer) -> dict[str, Any]:
    simulator = ls.simulator
    state = "unavailable" if simulator.unavailable is not None else "ready" if simulator.is_ready else "idle"
    running = [
        {"uri": uri, "kernel": printable(one.identity.kernel[0])} for uri, one in ls.simulations.all_running
    ]  # fmt: skip
    return {"state": state, "message": simulator.unavailable, "running": running}


def _document(view: View, position: types.Position | None) -> dict[str, Any]:
    described = kernel_list(view)
    counted = findings(report_of(view).diagnostics)
    document = {
        "uri": described["uri"],
        "version": described["version"],
        "kernels": len(described["kernels"]),
        "findings": counted,
    }
    return {"document": document, "kernel": None if position is None else _around(described["kernels"], position)}


def _around(described: list[dict[str, Any]], position: types.Position) -> dict[str, Any] | None:
    place = position.line, position.character
    for kernel in described:
        whole: types.Range = kernel["range"]
        if (whole.start.line, whole.start.character) <= place <= (whole.end.line, whole.end.character):
            return kernel
    return None


def _position(value: object) -> types.Position | None:
    match value:
        case {"line": int(line), "character": int(character)}:
            return types.Position(line, character)
        case _:
            return None
