"""`simt/kernels`: the kernels of a document, with what is known about each; see docs/protocol.md."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from simt_lsp.server.kernel_list import KERNELS_METHOD, kernel_list

if TYPE_CHECKING:
    from simt_lsp.server.server import SimtServer


async def on_kernels(ls: SimtServer, params: object) -> dict[str, Any] | None:
    """pygls hands parameters of methods it does not know over as nested named tuples."""
    uri = getattr(getattr(params, "textDocument", None), "uri", None)
    if not isinstance(uri, str):
        raise ValueError(f"{KERNELS_METHOD} needs textDocument.uri")
    found = await ls.ask(uri, kernel_list)
    if found is not None and found["kernels"]:
        ls.prepare_simulations(uri)
    return found
