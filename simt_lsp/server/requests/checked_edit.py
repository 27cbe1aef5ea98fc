"""A checked edit and its user: applied where it is confirmed, asked about where it is not, and told of where it fails.

Rules    An edit is applied only to the version of the document that was checked.
         What could not be checked is applied after a question, or when the caller said `unchecked`.  What is refuted
         is never applied, and the user is told why.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, assert_never, final

from lsprotocol import types

from analysis.ir.record import record
from simt_lsp.server.documents.store import OpenDocument
from simt_lsp.server.session.client_edit import workspace_edit
from simt_lsp.server.simulations.edit_outcome import CheckedEdit, EditOutcome, EditVerdict
from simt_lsp.server.simulations.outcome import Failed, Refused, Stopped
from simt_lsp.server.views.view import printable

if TYPE_CHECKING:
    from simt_lsp.server.session.server import SimtServer


@final
@record
class EditWords:
    """How the user is spoken to: `not_done` and `not_checked` begin sentences, `button` is pressed to apply what was
    not checked; `changed` says that the text changed meanwhile."""

    not_done: str
    not_checked: str
    button: str
    changed: str


def may_apply(outcome: EditOutcome, *, unchecked: bool) -> bool:
    """Whether the edit may be applied without a question."""
    if not isinstance(outcome, CheckedEdit):
        return False
    return outcome.verdict is EditVerdict.CONFIRMED or (unchecked and outcome.verdict is EditVerdict.NOT_CHECKED)


async def apply(ls: SimtServer, item: OpenDocument, checked: CheckedEdit, words: EditWords) -> bool:
    """Has the client apply the edit; False after a message that says why it did not."""
    if ls.documents.current.get(item.uri) is not item:
        ls.show_message(f"{words.not_done}: {words.changed}.", types.MessageType.Warning)
        return False
    edit = workspace_edit(item, checked.replacements, ls.encoding, ls.client_features)
    title = printable(checked.title)
    answer = await ls.workspace_apply_edit_async(types.ApplyWorkspaceEditParams(edit=edit, label=title))
    if answer.applied:
        ls.show_message(title, types.MessageType.Info)
        return True
    reason = f": {answer.failure_reason}" if answer.failure_reason else ""
    message = f"{words.not_done}: the editor did not apply the edit{reason}."
    ls.show_message(message, types.MessageType.Warning)
    return False


def tell(ls: SimtServer, item: OpenDocument, outcome: EditOutcome, words: EditWords) -> None:
    """Says why nothing was applied; of what was not checked, asks whether to apply it nevertheless."""
    match outcome:
        case CheckedEdit(verdict=EditVerdict.NOT_CHECKED):
            ls.hold_task(asyncio.ensure_future(_ask_unchecked(ls, item, outcome, words)), words.button)
        case CheckedEdit(verdict=EditVerdict.REFUTED):
            message = f"{words.not_done}: {printable(outcome.message or outcome.title)}"
            ls.show_message(message, types.MessageType.Warning)
        case Refused(message=message) | Failed(message=message):
            ls.show_message(f"{words.not_done}: {printable(message)}", types.MessageType.Warning)
        case Stopped() | CheckedEdit():
            pass
        case _:
            assert_never(outcome)


async def _ask_unchecked(ls: SimtServer, item: OpenDocument, checked: CheckedEdit, words: EditWords) -> None:
    question = types.ShowMessageRequestParams(
        type=types.MessageType.Warning,
        message=f"{words.not_checked}: {printable(checked.message or checked.title)}",
        actions=[types.MessageActionItem(words.button)],
    )
    pressed = await ls.window_show_message_request_async(question)
    if pressed is not None and pressed.title == words.button:
        await apply(ls, item, checked, words)
