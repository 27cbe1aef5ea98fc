"""`simt/documentText`: the text the server holds, to find out whether client and server agree.

Request  `{"textDocument": {"uri"}}`
Answer   `{"version", "text"}`, or null when the document is not open.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from simt_lsp.server.documents.store import SEEN

if TYPE_CHECKING:
    from simt_lsp.server.session.server import SimtServer

TEXT_METHOD: Final = "simt/documentText"


async def on_document_text(ls: SimtServer, params: object) -> dict[str, Any] | None:
    uri = getattr(getattr(params, "textDocument", None), "uri", None)
    item = SEEN.get().get(uri) if isinstance(uri, str) else None
    if item is None:
        return None
    return {"version": item.version, "text": item.document.text.decode("utf-8", "replace")}
