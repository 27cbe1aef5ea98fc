"""`simt/kernels`: the kernels of a document, with what is known about each; see docs/protocol.md."""

from __future__ import annotations

from typing import TYPE_CHECKING

from simt_lsp.server.transport.written import Written
from simt_lsp.server.views.kernel_list import KERNELS_METHOD, kernel_list
from simt_lsp.server.views.view import View

if TYPE_CHECKING:
    from simt_lsp.server.session.server import SimtServer


async def on_kernels(ls: SimtServer, params: object) -> Written | None:
    """pygls hands parameters of methods it does not know over as nested named tuples."""
    uri = getattr(getattr(params, "textDocument", None), "uri", None)
    if not isinstance(uri, str):
        raise ValueError(f"{KERNELS_METHOD} needs textDocument.uri")

    def answer(view: View) -> tuple[bool, Written]:
        listed = kernel_list(view)
        return bool(listed["kernels"]), ls.protocol.written(listed)

    has_kernels, listed = await ls.ask(uri, answer) or (False, None)
    if has_kernels:
        ls.prepare_simulations(uri)
    return listed
