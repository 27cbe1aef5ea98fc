"""What can be done about a finding besides mending it: silence it, turn its rule down, understand it.

Rules    One of each for a rule in a line, however many findings it has there, in one order: suppress, switch off, turn
         down, explain, the rule's page, simulate.  None is preferred: a key for repairs must not silence anything.
         `.simt.toml` is the nearest one above the file, else a new one in the folder of the workspace that holds it.
         A new one is offered to clients that can create files; the page to those that can show a document.
Limits   The edit of `.simt.toml` fits its text on disk; what is changed in an editor and not saved is not seen.
         A level that the editor itself sets for the rule goes on to win.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, Final

from lsprotocol import types

from simt_lsp.server.requests.code_lens import EXPLAIN_COMMAND, simulate_lens_command
from simt_lsp.server.session.client_edit import other_file_edit, workspace_edit
from simt_lsp.server.views.findings import lsp_diagnostic
from simt_lsp.server.views.view import View, printable

if TYPE_CHECKING:
    from analysis.rules.diagnostic import Diagnostic
    from analysis.rules.settings import SeverityOrOff
    from simt_lsp.server.session.server import SimtServer

PAGE_COMMAND: Final = "simt.openRulePage"


def finding_actions(view: View, findings: Sequence[Diagnostic]) -> Iterator[types.CodeAction]:
    groups: dict[tuple[int, str], list[Diagnostic]] = {}
    for one in findings:
        groups.setdefault((view.position(one.start).line, one.code), []).append(one)
    yield from _suppressions(view, findings)
    rules = {one.code: one for one in reversed(findings)}
    for group in groups.values():
        if rules[group[0].code] is group[0]:  # a rule is set once, whichever lines it speaks of
            yield from _levels(view, group)
    explained: set[int] = set()
    for (line, _), group in groups.items():
        if line not in explained:
            explained.add(line)
            arguments = [view.analysed.item.uri, line + 1]
            yield _command(view, group, f"Explain line {line + 1}", EXPLAIN_COMMAND, arguments)
    if view.features.show_document:
        for one in rules.values():
            title = f"Open the page of {one.name} ({one.code})"
            yield _command(view, [each for each in findings if each.code == one.code], title, PAGE_COMMAND, [one.code])
    yield from _simulations(view, findings)


def _suppressions(view: View, findings: Sequence[Diagnostic]) -> Iterator[types.CodeAction]:
    from analysis.rules.suppress import suppressing_edits

    for one in suppressing_edits(view.analysis.document, findings):
        yield types.CodeAction(
            title=printable(f"Suppress {one.findings[0].name} ({one.code}) here"),
            kind=types.CodeActionKind.QuickFix,
            diagnostics=[lsp_diagnostic(view, each) for each in one.findings],
            edit=workspace_edit(view.analysed.item, [one.edit], view.encoding, view.features),
        )


def _levels(view: View, findings: Sequence[Diagnostic]) -> Iterator[types.CodeAction]:
    """Off, and the next level down: what warns informs, what informs hints."""
    from analysis.rules.diagnostic import Severity
    from analysis.rules.settings import OFF

    first = findings[0]
    choices: list[tuple[str, SeverityOrOff]] = [(f"Switch {first.name} ({first.code}) off", OFF)]
    match first.severity:
        case Severity.ERROR | Severity.WARNING:
            choices.append((f"Show {first.name} ({first.code}) as information", Severity.INFORMATION))
        case Severity.INFORMATION:
            choices.append((f"Show {first.name} ({first.code}) as a hint", Severity.HINT))
        case Severity.HINT:
            pass
    for title, level in choices:
        edit = _level_edit(view, first, level)
        if edit is not None:
            yield types.CodeAction(
                title=printable(f"{title} in .simt.toml"),
                kind=types.CodeActionKind.QuickFix,
                diagnostics=[lsp_diagnostic(view, one) for one in findings],
                edit=edit,
            )


def _level_edit(view: View, finding: Diagnostic, level: SeverityOrOff) -> types.WorkspaceEdit | None:
    from analysis.rules.suppressions import RuleNames
    from simt_lsp.workspace.settings.edit import level_edit

    path = view.analysed.rules_file
    if path is None:
        return None
    known = view.known.read(path) if path in view.analysed.setting_files else None
    edit = level_edit(known or b"", RuleNames(finding.code, finding.name), level)
    return None if edit is None else other_file_edit(view.known.uri_of(path), known, edit, view.encoding, view.features)


def _simulations(view: View, findings: Sequence[Diagnostic]) -> Iterator[types.CodeAction]:
    for kernel in view.analysis.facts.kernels():
        inside = [one for one in findings if kernel.start <= one.start < kernel.end]
        if inside and kernel.active:
            start = kernel.start + kernel.name_span.start
            place = view.range(start, kernel.start + kernel.name_span.end)
            command = simulate_lens_command(view.analysed.item.uri, kernel.name, place, "Simulate this kernel")
            yield _action(view, inside, command)


def _command(
    view: View, findings: Sequence[Diagnostic], title: str, command: str, arguments: list[Any]
) -> types.CodeAction:
    return _action(view, findings, types.Command(printable(title), command, arguments=arguments))


def _action(view: View, findings: Sequence[Diagnostic], command: types.Command) -> types.CodeAction:
    return types.CodeAction(
        title=command.title,
        kind=types.CodeActionKind.QuickFix,
        diagnostics=[lsp_diagnostic(view, one) for one in findings],
        command=command,
    )


async def open_rule_page(ls: SimtServer, params: types.ExecuteCommandParams) -> None:
    """The argument is a code; the client shows the page in a browser, and nobody waits for that."""
    from analysis.rules.documentation import page_address
    from analysis.rules.registry import NAMES

    match list(params.arguments or ()):
        case [str(code)] if any(rule.code == code for rule in NAMES):
            ls.window_show_document(types.ShowDocumentParams(uri=page_address(code), external=True))
        case _:
            raise ValueError(f"{PAGE_COMMAND} takes the code of a rule, as SYN101")
