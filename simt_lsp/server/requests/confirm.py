"""The code action "Confirm by a run" and its command `simt.confirm`.

Rules    Offered for findings that the analysis could not decide and a run can, until a run of this text said something.
         What a run confirms is shown in the finding until its function is edited; the user is told of anything else.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, Final, assert_never, final

from lsprotocol import types

from analysis.ir.record import record
from simt_lsp.run_check import RunCheck
from simt_lsp.server.session.progress import Percentages, progress
from simt_lsp.server.simulations.arguments import plain
from simt_lsp.server.simulations.child import Listener
from simt_lsp.server.simulations.confirm_outcome import ConfirmOutcome
from simt_lsp.server.simulations.job import ConfirmJob
from simt_lsp.server.simulations.outcome import Failed, Refused, Stopped
from simt_lsp.server.simulations.run_checks import FindingIdentity
from simt_lsp.server.views.findings import finding_identities, lsp_diagnostic, run_checks
from simt_lsp.server.views.source_text import source_text
from simt_lsp.server.views.view import View, printable

if TYPE_CHECKING:
    from analysis.rules.diagnostic import Diagnostic
    from simt_lsp.server.session.server import SimtServer

CONFIRM_COMMAND: Final = "simt.confirm"
TITLE: Final = "Confirm by a run"


@final
@record
class _Prepared:
    finding: FindingIdentity
    job: ConfirmJob
    keep: bool


def confirm_actions(view: View, findings: Sequence[Diagnostic]) -> Iterator[types.CodeAction]:
    """For those of the findings that a run can decide, and none has."""
    from analysis.rules.undecided import may_be_run

    checks = run_checks(view)
    for diagnostic in findings:
        if may_be_run(diagnostic) and diagnostic not in checks:
            position = view.position(diagnostic.start)
            asked = {
                "textDocument": {"uri": view.analysed.item.uri},
                "position": {"line": position.line, "character": position.character},
                "code": diagnostic.code,
            }
            yield types.CodeAction(
                title=TITLE,
                kind=types.CodeActionKind.QuickFix,
                diagnostics=[lsp_diagnostic(view, diagnostic)],
                command=types.Command(TITLE, CONFIRM_COMMAND, arguments=[asked]),
            )


async def confirm_command(ls: SimtServer, params: types.ExecuteCommandParams) -> dict[str, Any]:
    arguments = list(params.arguments or ())
    match plain(arguments[0]) if len(arguments) == 1 else None:
        case {
            "textDocument": {"uri": str(uri)},
            "position": {"line": int(line), "character": int(character)},
            "code": str(code),
        }:
            place = types.Position(line, character)
        case _:
            raise ValueError(f"{CONFIRM_COMMAND} needs textDocument.uri, position and code")
    prepared = await ls.ask(uri, lambda view: _prepared(view, place, code))
    if prepared is None:
        raise ValueError(f"{CONFIRM_COMMAND}: {uri} is not an open CUDA document")
    job = prepared.job
    async with progress(ls, params.work_done_token, f"simt-lsp: running {printable(job.function)}") as shown:
        listener = Listener(Percentages(shown), lambda _: None)
        outcome = await ls.simulator.confirm(job, listener, shown.stopped, keep=prepared.keep)
    if isinstance(outcome, Failed) and outcome.log is not None:
        ls.log_error(f"{CONFIRM_COMMAND} {uri}\n{outcome.log}")
    if isinstance(outcome, RunCheck):
        ls.run_checked(uri, prepared.finding, outcome)
    _tell(ls, code, outcome)
    return {"run": outcome.written() if isinstance(outcome, RunCheck) else None}


def _tell(ls: SimtServer, code: str, outcome: ConfirmOutcome) -> None:
    match outcome:
        case RunCheck(message=message):
            ls.show_message(printable(f"{code}: {message}"), types.MessageType.Info)
        case Refused(message=message) | Failed(message=message):
            ls.show_message(printable(message), types.MessageType.Warning)
        case Stopped():
            pass
        case _:
            assert_never(outcome)


def _prepared(view: View, place: types.Position, code: str) -> _Prepared:
    """On the worker's thread: everything that the process needs to know."""
    offset = view.offset(place)
    for diagnostic, identity in finding_identities(view):
        if (diagnostic.code, diagnostic.start) == (code, offset):
            configuration = view.analysed.configuration
            simulation = configuration.simulation
            job = ConfirmJob(
                source_text(view),
                diagnostic.function,
                diagnostic.code,
                diagnostic.start,
                diagnostic.end,
                configuration.rules,
                simulation,
            )
            return _Prepared(identity, job, simulation.keep_ready)
    raise ValueError(f"{CONFIRM_COMMAND}: no {code} that the analysis could not decide stands there")
