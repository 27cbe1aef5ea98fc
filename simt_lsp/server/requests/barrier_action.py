"""The code actions that repair barriers: offered cheaply, checked when one is chosen.

Rules     As quick fixes for findings (`analysis.features.barrier_repairs`).  What cannot be written is shown disabled
          with the reason where the client can show that.
          As a rewriting behind a branch in which lanes part, where the analysis proves that all lanes of the warp come
          together (`analysis/refactor/syncwarp.py`), and with the cursor in the line of the branch's keyword.
          A client that can resolve the edit of an action later gets it then, after the check; any other gets the
          command `simt.repairBarriers`.  What was checked before in the same text says so in its title.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final, assert_never, final

from lsprotocol import types
from pygls.exceptions import JsonRpcException

from analysis.ir.record import record
from analysis.refactor.barrier_goal import BarrierGoal
from simt_lsp.server.requests.barriers import BARRIER_COMMAND, CHANGED, Asked, barrier_place, check, words_of
from simt_lsp.server.requests.checked_edit import may_apply, tell
from simt_lsp.server.session.client_edit import workspace_edit
from simt_lsp.server.session.errors import CONTENT_MODIFIED
from simt_lsp.server.simulations.edit_outcome import CheckedEdit, EditVerdict
from simt_lsp.server.views.findings import lsp_diagnostic
from simt_lsp.server.views.view import View, printable

if TYPE_CHECKING:
    from analysis.rules.diagnostic import Diagnostic
    from simt_lsp.server.session.server import SimtServer

RECONVERGE_TITLE: Final = "Insert `__syncwarp()` after the branch"


def repair_actions(view: View, findings: Sequence[Diagnostic]) -> Iterator[types.CodeAction]:
    """For those of the findings that such a repair mends."""
    from analysis.features.barrier_repairs import barrier_repairs

    for repair in barrier_repairs(view.analysis, findings):
        offer = _Offer(repair.goal, repair.function.start, repair.place, repair.title, repair.findings)
        if repair.refusal is None:
            yield from _actions(view, offer)
        elif view.features.disabled_actions:
            yield _disabled(view, offer, repair.refusal)


def reconverge_actions(view: View, place: types.Range) -> Iterator[types.CodeAction]:
    """For the branches whose keyword stands in the lines of a place."""
    from analysis.divergence.levels import Level
    from analysis.refactor.syncwarp import may_reconverge

    lines = view.analysed.item.document.lines
    for function in view.analysis.facts.functions:
        first, last = lines.line_of(function.start), lines.line_of(function.end)
        if not function.active or last < place.start.line or place.end.line < first:
            continue
        for branch in function.branches:
            keyword = function.start + branch.keyword.start
            here = place.start.line <= lines.line_of(keyword) <= place.end.line
            if here and branch.level > Level.WARP and may_reconverge(view.analysis, function, keyword):
                offer = _Offer(BarrierGoal.RECONVERGE, function.start, keyword, RECONVERGE_TITLE, ())
                yield from _actions(view, offer)


@final
@record
class _Offer:
    """What is offered before it was checked; `start` is where the function begins."""

    goal: BarrierGoal
    start: int
    place: int
    title: str
    findings: tuple[Diagnostic, ...]


def _actions(view: View, offer: _Offer) -> Iterator[types.CodeAction]:
    checked = view.known.checked_barriers(barrier_place(view, offer.goal, offer.start, offer.place))
    verdict = None if checked is None else checked.verdict
    match verdict:
        case None:
            yield _action(view, offer, offer.title)
        case EditVerdict.CONFIRMED | EditVerdict.NOT_CHECKED:
            assert checked is not None
            yield _action(view, offer, checked.title, unchecked=verdict is EditVerdict.NOT_CHECKED)
        case EditVerdict.REFUTED:
            assert checked is not None
            if view.features.disabled_actions:
                yield _disabled(view, offer, checked.message or checked.title)
        case _:
            assert_never(verdict)


def _action(view: View, offer: _Offer, title: str, *, unchecked: bool = False) -> types.CodeAction:
    item = view.analysed.item
    action = types.CodeAction(
        title=printable(title),
        kind=_kind(offer.goal),
        diagnostics=[lsp_diagnostic(view, one) for one in offer.findings] or None,
    )
    asked = Asked(item.uri, offer.goal, view.position(offer.place), unchecked).written()
    if view.features.resolved_edits:
        action.data = {"barriers": {**asked, "version": item.version}}
    else:
        action.command = types.Command(action.title, BARRIER_COMMAND, arguments=[asked])
    return action


def _disabled(view: View, offer: _Offer, reason: str) -> types.CodeAction:
    return types.CodeAction(
        title=offer.title,
        kind=_kind(offer.goal),
        diagnostics=[lsp_diagnostic(view, one) for one in offer.findings] or None,
        disabled=types.CodeActionDisabled(printable(reason)),
    )


def _kind(goal: BarrierGoal) -> types.CodeActionKind:
    match goal:
        case BarrierGoal.ORDER | BarrierGoal.SEPARATE | BarrierGoal.MEET:
            return types.CodeActionKind.QuickFix
        case BarrierGoal.RECONVERGE:
            return types.CodeActionKind.RefactorRewrite
        case _:
            assert_never(goal)


async def resolve_barriers(ls: SimtServer, action: types.CodeAction, data: object) -> types.CodeAction:
    """The same action with its edit; without one after a message that says why."""
    asked = Asked.read(data)
    match data:
        case {"version": int(version)} if asked is not None:
            return await _resolved(ls, action, asked, version)
        case _:
            return action


async def _resolved(ls: SimtServer, action: types.CodeAction, asked: Asked, version: int) -> types.CodeAction:
    words = words_of(asked.goal)
    try:
        item = ls.documents.current.get(asked.uri)
        if item is None or item.version != version:
            raise JsonRpcException(CHANGED, code=CONTENT_MODIFIED)
        item, outcome = await check(ls, asked, None)
    except JsonRpcException as error:
        if error.code == CONTENT_MODIFIED:  # editors drop this answer without a word
            ls.show_message(f"{words.not_done}: {CHANGED}.", types.MessageType.Warning)
        raise
    if not isinstance(outcome, CheckedEdit) or not may_apply(outcome, unchecked=asked.unchecked):
        tell(ls, item, outcome, words)
        return action
    action.title = printable(outcome.title)
    # Editors show no resolved title.
    ls.window_log_message(types.LogMessageParams(types.MessageType.Info, action.title))
    action.edit = workspace_edit(item, outcome.replacements, ls.encoding, ls.client_features)
    return action
