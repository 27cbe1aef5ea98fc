"""A checked edit, as the client wants edits: for one version of the document, where it can say so."""

from __future__ import annotations

from lsprotocol import types

from analysis.syntax.line_index import PositionEncoding
from simt_lsp.server.client import ClientFeatures
from simt_lsp.server.convert import printable
from simt_lsp.server.documents import OpenDocument
from simt_lsp.server.simulation.edit_outcome import CheckedEdit


def text_edits(item: OpenDocument, checked: CheckedEdit, encoding: PositionEncoding) -> list[types.TextEdit]:
    def position(offset: int) -> types.Position:
        return types.Position(*item.document.lines.position(offset, encoding))

    return [
        types.TextEdit(types.Range(position(one.start), position(one.end)), printable(one.text))
        for one in checked.replacements
    ]


def workspace_edit(
    item: OpenDocument, checked: CheckedEdit, encoding: PositionEncoding, features: ClientFeatures
) -> types.WorkspaceEdit:
    edits = text_edits(item, checked, encoding)
    if not features.document_changes:
        return types.WorkspaceEdit(changes={item.uri: edits})
    document = types.OptionalVersionedTextDocumentIdentifier(uri=item.uri, version=item.version)
    return types.WorkspaceEdit(document_changes=[types.TextDocumentEdit(document, [*edits])])
