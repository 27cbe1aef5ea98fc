"""An edit of a document as the client wants it: for one version, where it can say so."""

from __future__ import annotations

from collections.abc import Sequence

from lsprotocol import types

from analysis.refactor.edit import Replacement
from analysis.syntax.line_index import LineIndex, PositionEncoding
from simt_lsp.server.documents.store import OpenDocument
from simt_lsp.server.transport.client import ClientFeatures
from simt_lsp.server.views.view import client_position, printable


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


def other_file_edit(
    uri: str, text: bytes | None, edit: Replacement, encoding: PositionEncoding, features: ClientFeatures
) -> types.WorkspaceEdit | None:
    """Of a file on disk; where `text` is None it does not exist yet, and not every client can create it."""
    lines = LineIndex(text or b"")
    place = types.Range(client_position(lines, edit.start, encoding), client_position(lines, edit.end, encoding))
    change = types.TextEdit(place, printable(edit.text))
    if text is not None and not features.document_changes:
        return types.WorkspaceEdit(changes={uri: [change]})
    if text is None and not (features.document_changes and features.create_files):
        return None
    identifier = types.OptionalVersionedTextDocumentIdentifier(uri=uri)
    edited = types.TextDocumentEdit(identifier, [change])
    if text is not None:
        return types.WorkspaceEdit(document_changes=[edited])
    created = types.CreateFile(uri=uri, options=types.CreateFileOptions(ignore_if_exists=True))
    return types.WorkspaceEdit(document_changes=[created, edited])
