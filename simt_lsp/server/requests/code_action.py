"""`textDocument/codeAction`: the repairs of the diagnostics in a range, as quick fixes.

Rules    A repair belongs to one version of the document and says so, so that an editor refuses it for another.
         A cursor that stands on no finding means those of its line: Neovim and Vim ask for the cursor alone.
         A client that knows no code action literals gets none: a bare command could not carry an edit.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final

from lsprotocol import types

from simt_lsp.server.convert import View, printable

if TYPE_CHECKING:
    from analysis.rules.diagnostic import Diagnostic, Fix
    from simt_lsp.server.server import SimtServer

OPTIONS: Final = types.CodeActionOptions(code_action_kinds=[types.CodeActionKind.QuickFix])


async def on_code_action(ls: SimtServer, params: types.CodeActionParams) -> list[types.CodeAction]:
    only = params.context.only
    if not ls.client_features.code_action_literals or (only is not None and not _wants_quick_fixes(only)):
        return []
    return await ls.ask(params.text_document.uri, lambda view: list(actions(view, params.range))) or []


def actions(view: View, place: types.Range) -> Iterator[types.CodeAction]:
    start, end = view.offset(place.start), view.offset(place.end)
    repairs = [(diagnostic, diagnostic.fix) for diagnostic in view.analysed.diagnostics if diagnostic.fix is not None]
    found = [repair for repair in repairs if repair[0].start <= end and start <= repair[0].end]
    if not found and place.start == place.end:
        found = [repair for repair in repairs if view.position(repair[0].start).line == place.start.line]
    for diagnostic, fix in found:
        yield _action(view, diagnostic, fix)


def _wants_quick_fixes(only: Sequence[types.CodeActionKind | str]) -> bool:
    """Kinds form a tree: who asks for "" or "quickfix" wants them."""
    wanted = [kind.value if isinstance(kind, types.CodeActionKind) else kind for kind in only]
    return any(kind in ("", types.CodeActionKind.QuickFix.value) for kind in wanted)


def _action(view: View, diagnostic: Diagnostic, fix: Fix) -> types.CodeAction:
    return types.CodeAction(
        title=printable(fix.title),
        kind=types.CodeActionKind.QuickFix,
        diagnostics=[view.diagnostic(diagnostic)],
        is_preferred=True,
        edit=_workspace_edit(view, fix),
    )


def _workspace_edit(view: View, fix: Fix) -> types.WorkspaceEdit:
    item = view.analysed.item
    edits = [types.TextEdit(view.range(edit.start, edit.end), edit.text) for edit in fix.replacements]
    if not view.features.document_changes:
        return types.WorkspaceEdit(changes={item.uri: edits})
    document = types.OptionalVersionedTextDocumentIdentifier(uri=item.uri, version=item.version)
    return types.WorkspaceEdit(document_changes=[types.TextDocumentEdit(document, [*edits])])
