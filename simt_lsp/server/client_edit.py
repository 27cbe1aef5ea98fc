"""An edit of a document as the client wants it: for one version, where it can say so."""

from __future__ import annotations

from collections.abc import Sequence

from lsprotocol import types

from analysis.refactor.edit import Replacement
from analysis.syntax.line_index import PositionEncoding
from simt_lsp.server.client import ClientFeatures
from simt_lsp.server.convert import printable
from simt_lsp.server.documents import OpenDocument


def text_edits(
    item: OpenDocument, replacements: Sequence[Replacement], encoding: PositionEncoding
) -> list[types.TextEdit]:
    def position(offset: int) -> types.Position:
        return types.Position(*item.document.lines.position(offset, encoding))

    return [
        types.TextEdit(types.Range(position(one.start), position(one.end)), printable(one.text)) for one in replacements
    ]


def workspace_edit(
    item: OpenDocument, replacements: Sequence[Replacement], encoding: PositionEncoding, features: ClientFeatures
) -> types.WorkspaceEdit:
    edits = text_edits(item, replacements, encoding)
    if not features.document_changes:
        return types.WorkspaceEdit(changes={item.uri: edits})
    document = types.OptionalVersionedTextDocumentIdentifier(uri=item.uri, version=item.version)
    return types.WorkspaceEdit(document_changes=[types.TextDocumentEdit(document, [*edits])])
