"""The code actions that insert `__syncwarp()`: offered cheaply, checked when one is chosen.

Rules     As a quick fix for findings about lanes of a warp that exchange data with no barrier between (WRP209, and
          RAC301 where it is about such lanes), one for each function.  What cannot be written is shown as disabled with
          the reason where the client can show that.
          As a rewriting behind a branch in which lanes part, where the analysis proves that all lanes of the warp come
          together (`analysis/refactor/syncwarp.py`), and with the cursor in the line of the branch's keyword.
          A client that can resolve the edit of an action later gets it then, after the check; any other gets the
          command `simt.insertSyncwarp`.  What was checked before in the same text says so in its title.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final, assert_never

from lsprotocol import types
from pygls.exceptions import JsonRpcException

from simt_lsp.server.convert import View, printable
from simt_lsp.server.errors import CONTENT_MODIFIED
from simt_lsp.server.requests.barriers import BARRIER_COMMAND, CHANGED, WORDS, Asked, barrier_place, check
from simt_lsp.server.requests.checked_edit import may_apply, tell
from simt_lsp.server.simulation.client_edit import workspace_edit
from simt_lsp.server.simulation.edit_outcome import CheckedEdit, EditVerdict
from simt_lsp.server.simulation.job import BarrierGoal

if TYPE_CHECKING:
    from analysis.facts.model import FunctionFacts
    from analysis.rules.diagnostic import Diagnostic
    from simt_lsp.server.server import SimtServer

ORDER_TITLE: Final = "Insert `__syncwarp()`"
RECONVERGE_TITLE: Final = "Insert `__syncwarp()` after the branch"


def order_actions(view: View, findings: Sequence[Diagnostic]) -> Iterator[types.CodeAction]:
    """For those of the findings that such barriers mend."""
    from analysis.features.exchange_repairs import exchange_repairs
    from analysis.refactor.warp_order.model import CannotOrder

    for repair in exchange_repairs(view.analysis, findings):
        if not isinstance(repair.draft, CannotOrder):
            yield from _actions(view, BarrierGoal.ORDER, repair.function, repair.findings[0].start, repair.findings)
        elif view.features.disabled_actions:
            yield _disabled(view, ORDER_TITLE, repair.draft.reason.value, repair.findings)


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
                yield from _actions(view, BarrierGoal.RECONVERGE, function, keyword, ())


def _actions(
    view: View, goal: BarrierGoal, function: FunctionFacts, start: int, findings: Sequence[Diagnostic]
) -> Iterator[types.CodeAction]:
    title = ORDER_TITLE if goal is BarrierGoal.ORDER else RECONVERGE_TITLE
    checked = view.checked_barriers(barrier_place(view, goal, function.start, start))
    verdict = None if checked is None else checked.verdict
    match verdict:
        case None:
            yield _action(view, goal, start, title, findings)
        case EditVerdict.CONFIRMED | EditVerdict.NOT_CHECKED:
            assert checked is not None
            unchecked = verdict is EditVerdict.NOT_CHECKED
            yield _action(view, goal, start, checked.title, findings, unchecked=unchecked)
        case EditVerdict.REFUTED:
            assert checked is not None
            if view.features.disabled_actions:
                yield _disabled(view, title, checked.message or checked.title, findings)
        case _:
            assert_never(verdict)


def _action(
    view: View,
    goal: BarrierGoal,
    start: int,
    title: str,
    findings: Sequence[Diagnostic],
    *,
    unchecked: bool = False,
) -> types.CodeAction:
    item = view.analysed.item
    action = types.CodeAction(
        title=printable(title), kind=_kind(goal), diagnostics=[view.diagnostic(one) for one in findings] or None
    )
    asked = Asked(item.uri, goal, view.position(start), unchecked).written()
    if view.features.resolved_edits:
        action.data = {"barriers": {**asked, "version": item.version}}
    else:
        action.command = types.Command(action.title, BARRIER_COMMAND, arguments=[asked])
    return action


def _disabled(view: View, title: str, reason: str, findings: Sequence[Diagnostic]) -> types.CodeAction:
    return types.CodeAction(
        title=title,
        kind=_kind(BarrierGoal.ORDER if findings else BarrierGoal.RECONVERGE),
        diagnostics=[view.diagnostic(one) for one in findings] or None,
        disabled=types.CodeActionDisabled(printable(reason)),
    )


def _kind(goal: BarrierGoal) -> types.CodeActionKind:
    match goal:
        case BarrierGoal.ORDER:
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
    try:
        item = ls.documents.current.get(asked.uri)
        if item is None or item.version != version:
            raise JsonRpcException(CHANGED, code=CONTENT_MODIFIED)
        item, outcome = await check(ls, asked, None)
    except JsonRpcException as error:
        if error.code == CONTENT_MODIFIED:  # editors drop this answer without a word
            ls.show_message(f"{WORDS.not_done}: {CHANGED}.", types.MessageType.Warning)
        raise
    if not isinstance(outcome, CheckedEdit) or not may_apply(outcome, unchecked=asked.unchecked):
        tell(ls, item, outcome, WORDS)
        return action
    action.title = printable(outcome.title)
    # Editors show no resolved title.
    ls.window_log_message(types.LogMessageParams(types.MessageType.Info, action.title))
    action.edit = workspace_edit(item, outcome, ls.encoding, ls.client_features)
    return action
