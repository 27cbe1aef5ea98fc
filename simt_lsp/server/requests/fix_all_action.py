"""The code actions that make many repairs at once: `source.fixAll.simt`, and "Fix all ... in this file" of one rule.

Rules     The engine is that of `simt-lsp check --fix` (`analysis/features/fix_all.py`): the text that repairs leave is
          analysed again, until no more is offered, and the edit turns the client's text into the last one.
          `source.fixAll.simt` makes safe repairs alone, so that a client may ask for it on each save.  For one rule the
          repairs are as safe as the one that the cursor stands on.
          A repair that a run has to check is made where that was done before, in this very text, and confirmed it: a
          save must not wait for a simulation.  Each was checked without the others, so there is one for each function.
          A client that can resolve the edit of an action later gets it then.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from lsprotocol import types
from pygls.exceptions import JsonRpcException

from simt_lsp.server.requests.barriers import barrier_place
from simt_lsp.server.session.client_edit import workspace_edit
from simt_lsp.server.session.errors import CONTENT_MODIFIED
from simt_lsp.server.simulations.edit_outcome import EditVerdict
from simt_lsp.server.views.findings import lsp_diagnostic
from simt_lsp.server.views.view import View, printable

if TYPE_CHECKING:
    from analysis.features.fix_all import Selection
    from analysis.rules.diagnostic import Diagnostic
    from simt_lsp.server.session.server import SimtServer

FIX_ALL: Final = "source.fixAll.simt"


def fix_all_actions(view: View) -> Iterator[types.CodeAction]:
    """For the whole document, where a safe repair is offered anywhere in it."""
    from analysis.features.fix_all import Selection

    selection = Selection(None, unsafe=False)
    if selection.of(_with_confirmed(view)):
        yield _action(view, "Make all safe repairs of simt-lsp", FIX_ALL, selection, ())


def fix_rule_actions(view: View, findings: Sequence[Diagnostic]) -> Iterator[types.CodeAction]:
    """For each rule of the findings that have a repair, where the file has more of them."""
    from analysis.features.fix_all import Selection
    from analysis.rules.diagnostic import Applicability

    known = _with_confirmed(view)
    places = {(one.code, one.start) for one in findings}
    here = [one for one in known if (one.code, one.start) in places and one.fix is not None]
    for code, name in sorted({(one.code, one.name) for one in here}):
        unsafe = any(one.code == code and one.fix and one.fix.applicability is Applicability.UNSAFE for one in here)
        selection = Selection(code, unsafe)
        if len(selection.of(known)) > 1:
            title = f"Fix all {name} ({code}) in this file{', also what is unsafe' if unsafe else ''}"
            mended = [one for one in findings if one.code == code]
            yield _action(view, title, types.CodeActionKind.QuickFix, selection, mended)


async def resolve_fix_all(ls: SimtServer, action: types.CodeAction, data: object) -> types.CodeAction:
    """The same action with its edit; raises `ContentModified` if the document is not what it was."""
    from analysis.features.fix_all import Selection

    match data:
        case {"uri": str(uri), "version": int(version), "code": str(code), "unsafe": bool(unsafe)}:
            selection = Selection(code, unsafe)
        case {"uri": str(uri), "version": int(version), "unsafe": bool(unsafe)}:
            selection = Selection(None, unsafe)
        case _:
            return action
    item = ls.documents.current.get(uri)
    if item is None or item.version != version:
        raise JsonRpcException("content modified", code=CONTENT_MODIFIED)
    action.edit = await ls.ask(uri, lambda view: _edit(view, selection))
    return action


def _action(
    view: View, title: str, kind: str, selection: Selection, findings: Sequence[Diagnostic]
) -> types.CodeAction:
    action = types.CodeAction(
        title=printable(title), kind=kind, diagnostics=[lsp_diagnostic(view, one) for one in findings] or None
    )
    if view.features.resolved_edits:
        item = view.analysed.item
        data: dict[str, Any] = {"uri": item.uri, "version": item.version, "unsafe": selection.unsafe}
        if selection.code is not None:  # Neovim 0.10 sends back no null
            data["code"] = selection.code
        action.data = {"fixAll": data}
    else:
        action.edit = _edit(view, selection)
    return action


def _edit(view: View, selection: Selection) -> types.WorkspaceEdit:
    from analysis.features.fix_all import fix_all

    before = replace(view.checked, diagnostics=_with_confirmed(view))
    done = fix_all(before, selection, view.known.recheck)
    return workspace_edit(view.analysed.item, done.edit, view.encoding, view.features)


def _with_confirmed(view: View) -> tuple[Diagnostic, ...]:
    """The findings of the document; those that a confirmed edit mends have it as their repair."""
    from analysis.features.barrier_repairs import barrier_repairs
    from analysis.rules.diagnostic import Applicability, Fix

    diagnostics = view.analysed.diagnostics
    starts = view.known.confirmed_functions()
    functions = {one.name for one in view.analysis.facts.functions if one.start in starts}
    confirmed: dict[Diagnostic, Fix] = {}
    repaired: set[int] = set()
    for repair in barrier_repairs(view.analysis, [one for one in diagnostics if one.function in functions]):
        start = repair.function.start
        checked = view.known.checked_barriers(barrier_place(view, repair.goal, start, repair.place))
        if checked is None or checked.verdict is not EditVerdict.CONFIRMED or start in repaired:
            continue
        repaired.add(start)
        confirmed[repair.findings[0]] = Fix(checked.title, checked.replacements, Applicability.SAFE)
    return tuple(replace(one, fix=confirmed[one]) if one in confirmed else one for one in diagnostics)
