"""`textDocument/codeAction`: the repairs of the diagnostics in a range, as quick fixes, rewritings of branches,
simulations of what stands there, and all safe repairs of a document.

Rules    A repair belongs to one version of the document and says so, so that an editor refuses it for another.
         A cursor that stands on no finding means those of its line: Neovim and Vim ask for the cursor alone.
         What is not about the cursor is offered only where its kind is asked for.
         A client that knows no code action literals gets none: a bare command could not carry an edit.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final

from lsprotocol import types

from simt_lsp.server.requests.barrier_action import reconverge_actions, repair_actions, resolve_barriers
from simt_lsp.server.requests.confirm import confirm_actions
from simt_lsp.server.requests.finding_actions import finding_actions
from simt_lsp.server.requests.fix_all_action import FIX_ALL, fix_all_actions, fix_rule_actions, resolve_fix_all
from simt_lsp.server.requests.launch_action import launch_actions
from simt_lsp.server.requests.meld_action import meld_actions, resolve_meld
from simt_lsp.server.requests.simulate_action import SIMULATE, simulate_actions
from simt_lsp.server.session.client_edit import workspace_edit
from simt_lsp.server.simulations.arguments import plain
from simt_lsp.server.views.findings import lsp_diagnostic, suppression, unused_suppressions
from simt_lsp.server.views.view import View, printable

if TYPE_CHECKING:
    from analysis.rules.diagnostic import Diagnostic, Fix
    from simt_lsp.server.session.server import SimtServer

QUICK_FIX: Final = types.CodeActionKind.QuickFix.value
REWRITE: Final = types.CodeActionKind.RefactorRewrite.value
KINDS: Final = (QUICK_FIX, REWRITE, SIMULATE, FIX_ALL)
OPTIONS: Final = types.CodeActionOptions(code_action_kinds=KINDS, resolve_provider=True)


async def on_code_action(ls: SimtServer, params: types.CodeActionParams) -> list[types.CodeAction]:
    kinds = [kind for kind in KINDS if _wants(params.context.only, kind)]
    if not ls.client_features.code_action_literals or not kinds:
        return []
    return await ls.ask(params.text_document.uri, lambda view: list(actions(view, params.range, kinds))) or []


def actions(view: View, place: types.Range, kinds: Sequence[str]) -> Iterator[types.CodeAction]:
    if QUICK_FIX in kinds:
        yield from quick_fixes(view, place)
    if REWRITE in kinds:
        yield from meld_actions(view, place)
        yield from reconverge_actions(view, place)
    if QUICK_FIX in kinds:  # behind all that changes the code
        found = _at(view, place, view.analysed.diagnostics)
        yield from launch_actions(view, found)
        yield from finding_actions(view, found)
    if SIMULATE in kinds:
        yield from simulate_actions(view, place, _at(view, place, view.analysed.diagnostics))
    if FIX_ALL in kinds:
        yield from fix_all_actions(view)


def quick_fixes(view: View, place: types.Range) -> Iterator[types.CodeAction]:
    from analysis.features.barrier_repairs import REPAIRED_CODES

    fixed = _at(view, place, [one for one in view.analysed.diagnostics if one.fix is not None])
    for diagnostic in fixed:
        if diagnostic.fix is not None:
            yield _action(view, diagnostic, diagnostic.fix)
    repaired = _at(view, place, [one for one in view.analysed.diagnostics if one.code in REPAIRED_CODES])
    yield from repair_actions(view, repaired)
    yield from fix_rule_actions(view, [*fixed, *repaired])
    yield from confirm_actions(view, _at(view, place, view.analysed.diagnostics))
    yield from _removals(view, place)


def _removals(view: View, place: types.Range) -> Iterator[types.CodeAction]:
    """Of suppressions that say nothing."""
    start, end = view.offset(place.start), view.offset(place.end)
    for found in unused_suppressions(view):
        if found.start <= end and start <= found.end:
            yield types.CodeAction(
                title="Remove this suppression",
                kind=QUICK_FIX,
                diagnostics=[suppression(view, found)],
                is_preferred=found.is_known,
                edit=workspace_edit(view.analysed.item, found.removal, view.encoding, view.features),
            )


def _at(view: View, place: types.Range, diagnostics: Sequence[Diagnostic]) -> Sequence[Diagnostic]:
    """Those in the range; where a cursor stands on none, those of its line."""
    start, end = view.offset(place.start), view.offset(place.end)
    found = [one for one in diagnostics if one.start <= end and start <= one.end]
    if not found and place.start == place.end:
        found = [one for one in diagnostics if view.position(one.start).line == place.start.line]
    return found


async def on_code_action_resolve(ls: SimtServer, action: types.CodeAction) -> types.CodeAction:
    match plain(action.data):
        case {"meld": data}:
            return await resolve_meld(ls, action, data)
        case {"barriers": data}:
            return await resolve_barriers(ls, action, data)
        case {"fixAll": data}:
            return await resolve_fix_all(ls, action, data)
        case _:
            return action


def _wants(only: Sequence[types.CodeActionKind | str] | None, kind: str) -> bool:
    """Kinds form a tree: who asks for "" or "refactor" wants "refactor.rewrite".  Who asks for no kind wants all that
    is about the cursor."""
    if only is None:
        return kind != FIX_ALL
    wanted = [one.value if isinstance(one, types.CodeActionKind) else one for one in only]
    return any(one == "" or f"{kind}.".startswith(f"{one}.") for one in wanted)


def _action(view: View, diagnostic: Diagnostic, fix: Fix) -> types.CodeAction:
    from analysis.rules.diagnostic import Applicability

    is_safe = fix.applicability is Applicability.SAFE
    return types.CodeAction(
        title=printable(fix.title if is_safe else f"{fix.title} (unsafe)"),
        kind=QUICK_FIX,
        diagnostics=[lsp_diagnostic(view, diagnostic)],
        is_preferred=is_safe,
        edit=workspace_edit(view.analysed.item, fix.replacements, view.encoding, view.features),
    )
