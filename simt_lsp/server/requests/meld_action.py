"""The code actions that meld the arms of a divergent branch: offered cheaply, checked when one is chosen.

Rules    Offered for each branch with an opportunity whose keyword stands in the lines of the cursor or selection.
         A client that can resolve the edit of an action later gets the edit then, after the check; any other gets the
         command `simt.meld`, which sends the edit itself.
         What was checked before says so in its title; what was refuted is shown as disabled, or not at all.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Final, assert_never

from lsprotocol import types
from pygls.exceptions import JsonRpcException

from simt_lsp.server.requests.checked_edit import may_apply, tell
from simt_lsp.server.requests.meld import CHANGED, MELD_COMMAND, WORDS, check
from simt_lsp.server.session.client_edit import workspace_edit
from simt_lsp.server.session.errors import CONTENT_MODIFIED
from simt_lsp.server.simulations.edit_outcome import CheckedEdit, EditVerdict
from simt_lsp.server.views.findings import lsp_diagnostic
from simt_lsp.server.views.meld_places import MeldPlace, meld_places
from simt_lsp.server.views.view import View, printable

if TYPE_CHECKING:
    from simt_lsp.server.session.server import SimtServer

TITLE: Final = "Meld divergent arms"
PREVIEW_TITLE: Final = "Preview the melding of divergent arms"
PREVIEW_COMMAND: Final = "simt.meldPreview"
"""Run by clients that announce it: they show both texts side by side."""


def meld_actions(view: View, range: types.Range) -> Iterator[types.CodeAction]:
    from analysis.refactor.meld.model import Opportunity

    for place in meld_places(view, range):
        if isinstance(place.outcome, Opportunity):
            yield from _actions(view, place)


def _actions(view: View, place: MeldPlace) -> Iterator[types.CodeAction]:
    checked = view.known.checked_meld(place.function, place.outcome.branch)
    verdict = None if checked is None else checked.melded.verdict
    match verdict:
        case None:
            yield _action(view, place, TITLE)
        case EditVerdict.CONFIRMED:
            assert checked is not None
            yield _action(view, place, checked.melded.title)
        case EditVerdict.NOT_CHECKED:
            assert checked is not None
            yield _action(view, place, checked.melded.title, unchecked=True)
        case EditVerdict.REFUTED:
            assert checked is not None
            reason = printable(checked.melded.message or checked.melded.title)
            if not view.features.disabled_actions:
                return
            disabled = types.CodeActionDisabled(reason)
            yield types.CodeAction(title=TITLE, kind=types.CodeActionKind.RefactorRewrite, disabled=disabled)
            return
        case _:
            assert_never(verdict)
    if view.features.meld_preview:
        command = types.Command(PREVIEW_TITLE, PREVIEW_COMMAND, arguments=[_where(view, place)])
        yield types.CodeAction(title=PREVIEW_TITLE, kind=types.CodeActionKind.RefactorRewrite, command=command)


def _action(view: View, place: MeldPlace, title: str, *, unchecked: bool = False) -> types.CodeAction:
    title = printable(title)
    findings = [
        lsp_diagnostic(view, found)
        for found in view.analysed.diagnostics
        if found.code == "DIV403" and found.start == place.start
    ]
    action = types.CodeAction(
        title=title, kind=types.CodeActionKind.RefactorRewrite, diagnostics=findings or None
    )  # fmt: skip
    where = {**_where(view, place), "unchecked": unchecked}
    if view.features.resolved_edits:
        action.data = {"meld": {**where, "version": view.analysed.item.version}}
    else:
        action.command = types.Command(title, MELD_COMMAND, arguments=[where])
    return action


def _where(view: View, place: MeldPlace) -> dict[str, Any]:
    start = view.position(place.start)
    position = {"line": start.line, "character": start.character}
    return {"textDocument": {"uri": view.analysed.item.uri}, "position": position}


async def resolve_meld(ls: SimtServer, action: types.CodeAction, data: object) -> types.CodeAction:
    """The same action with its edit; without one after a message that says why."""
    match data:
        case {
            "textDocument": {"uri": str(uri)},
            "position": {"line": int(line), "character": int(character)},
            "version": int(version),
            "unchecked": bool(unchecked),
        }:
            return await _resolved(ls, action, uri, types.Position(line, character), version, unchecked=unchecked)
        case _:
            return action


async def _resolved(
    ls: SimtServer, action: types.CodeAction, uri: str, position: types.Position, version: int, *, unchecked: bool
) -> types.CodeAction:
    try:
        item = ls.documents.current.get(uri)
        if item is None or item.version != version:
            raise JsonRpcException(CHANGED, code=CONTENT_MODIFIED)
        checked = await check(ls, uri, position, None)
    except JsonRpcException as error:
        if error.code == CONTENT_MODIFIED:  # editors drop this answer without a word
            ls.show_message(f"Not melded: {CHANGED}.", types.MessageType.Warning)
        raise
    if not may_apply(checked.outcome, unchecked=unchecked):
        tell(ls, checked.item, checked.outcome, WORDS)
        return action
    assert isinstance(checked.outcome, CheckedEdit)
    action.title = printable(checked.outcome.title)
    ls.window_log_message(
        types.LogMessageParams(types.MessageType.Info, action.title)
    )  # editors show no resolved title
    action.edit = workspace_edit(checked.item, checked.outcome.replacements, ls.encoding, ls.client_features)
    return action
