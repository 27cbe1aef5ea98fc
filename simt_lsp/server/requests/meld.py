"""The command `simt.meld` and the request `simt/meld`: the arms of a branch melded and checked; see docs/protocol.md.

Rules    The text is the one that the client saw when it asked.  An edit is sent only for that version: if the document
         changed while the check ran, the user is told to ask again.
         What is confirmed is applied.  What could not be checked is applied after a question, or when the caller said
         `unchecked`.  What is refuted is never applied, and the user is told why.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any, Final, assert_never, final

from lsprotocol import types
from pygls.exceptions import JsonRpcException

from analysis.ir.record import record
from simt_lsp.server.convert import View, printable
from simt_lsp.server.documents import OpenDocument
from simt_lsp.server.errors import CONTENT_MODIFIED
from simt_lsp.server.progress import Percentages, progress
from simt_lsp.server.simulation.arguments import plain
from simt_lsp.server.simulation.checked_melds import CheckedMeld, MeldIdentity, text_digest
from simt_lsp.server.simulation.child import Listener
from simt_lsp.server.simulation.job import MeldJob
from simt_lsp.server.simulation.meld_edit import text_edits, workspace_edit
from simt_lsp.server.simulation.meld_outcome import Melded, MeldOutcome, MeldVerdict
from simt_lsp.server.simulation.meld_places import MeldPlace, meld_places
from simt_lsp.server.simulation.outcome import Failed, Refused, Stopped
from simt_lsp.server.simulation.source_text import source_text

if TYPE_CHECKING:
    from simt_lsp.server.server import SimtServer

MELD_COMMAND: Final = "simt.meld"
MELD_METHOD: Final = "simt/meld"
UNCHECKED_TITLE: Final = "Meld Unchecked"
CHANGED: Final = "the text changed while the melding was checked; ask again"


@final
@record
class _Prepared:
    """`known` is the outcome, where the same text was checked before."""

    item: OpenDocument
    keyword: types.Range
    identity: MeldIdentity
    job: MeldJob
    keep: bool
    known: MeldOutcome | None


@final
@record
class Checked:
    """One version of a document, and what its check ended with; `keyword` is the place of the branch's keyword."""

    item: OpenDocument
    keyword: types.Range
    outcome: MeldOutcome


async def meld_command(ls: SimtServer, params: types.ExecuteCommandParams) -> dict[str, Any]:
    arguments = list(params.arguments or ())
    given: Any = plain(arguments[0]) if len(arguments) == 1 else {}
    uri, position = _read(given, MELD_COMMAND)
    checked = await check(ls, uri, position, params.work_done_token)
    unchecked = given.get("unchecked") is True
    applied = await apply(ls, checked) if may_apply(checked.outcome, unchecked=unchecked) else False
    if not applied:
        tell(ls, checked)
    answer = meld_object(ls, checked)
    return {name: answer[name] for name in ("status", "title", "message")} | {"applied": applied}


async def on_meld(ls: SimtServer, params: object) -> dict[str, Any]:
    """pygls hands parameters of methods it does not know over as nested named tuples."""
    uri, position = _read(plain(params), MELD_METHOD)
    return meld_object(ls, await check(ls, uri, position, None))


async def check(ls: SimtServer, uri: str, position: types.Position, token: str | int | None) -> Checked:
    """Melds the arms of the branch in the line of `position` and compares both versions, in the simulation process.

    Raises `ValueError` where no warp splits in that line, and `ContentModified` if the text changed meanwhile.
    """
    prepared = await ls.ask(uri, lambda view: _prepared(ls, view, position))
    if prepared is None:
        raise ValueError(f"{MELD_METHOD}: {uri} is not an open CUDA document")
    if prepared.known is not None:
        return Checked(prepared.item, prepared.keyword, prepared.known)
    job = prepared.job
    async with progress(ls, token, f"simt-lsp: checking the melded {printable(job.function)}") as shown:
        listener = Listener(Percentages(shown), lambda _: None)
        outcome = await ls.simulator.meld(job, listener, shown.stopped, keep=prepared.keep)
    if isinstance(outcome, Failed) and outcome.log is not None:
        ls.log_error(f"{MELD_METHOD} {uri}\n{outcome.log}")
    if isinstance(outcome, Melded) and uri in ls.documents.current:
        ls.melds.put(uri, prepared.identity, CheckedMeld(text_digest(prepared.item.document.text), outcome))
    if ls.documents.current.get(uri) is not prepared.item:
        raise JsonRpcException(CHANGED, code=CONTENT_MODIFIED)
    return Checked(prepared.item, prepared.keyword, outcome)


def may_apply(outcome: MeldOutcome, *, unchecked: bool) -> bool:
    """Whether the edit may be applied without a question."""
    if not isinstance(outcome, Melded):
        return False
    return outcome.verdict is MeldVerdict.CONFIRMED or (unchecked and outcome.verdict is MeldVerdict.NOT_CHECKED)


async def apply(ls: SimtServer, checked: Checked) -> bool:
    """Has the client apply the edit; False after a message that says why it did not."""
    assert isinstance(checked.outcome, Melded)
    if ls.documents.current.get(checked.item.uri) is not checked.item:
        ls.show_message(f"Not melded: {CHANGED}.", types.MessageType.Warning)
        return False
    edit = workspace_edit(checked.item, checked.outcome, ls.encoding, ls.client_features)
    title = printable(checked.outcome.title)
    answer = await ls.workspace_apply_edit_async(types.ApplyWorkspaceEditParams(edit=edit, label=title))
    if answer.applied:
        ls.show_message(title, types.MessageType.Info)
        return True
    reason = f": {answer.failure_reason}" if answer.failure_reason else ""
    ls.show_message(f"Not melded: the editor did not apply the edit{reason}.", types.MessageType.Warning)
    return False


def tell(ls: SimtServer, checked: Checked) -> None:
    """Says why nothing was applied; of what was not checked, asks whether to apply it nevertheless."""
    outcome = checked.outcome
    match outcome:
        case Melded(verdict=MeldVerdict.NOT_CHECKED):
            ls.hold_task(asyncio.ensure_future(_ask_unchecked(ls, checked, outcome)), MELD_COMMAND)
        case Melded(verdict=MeldVerdict.REFUTED):
            ls.show_message(f"Not melded: {printable(outcome.message or outcome.title)}", types.MessageType.Warning)
        case Refused(message=message) | Failed(message=message):
            ls.show_message(f"Not melded: {printable(message)}", types.MessageType.Warning)
        case Stopped() | Melded():
            pass
        case _:
            assert_never(outcome)


async def _ask_unchecked(ls: SimtServer, checked: Checked, outcome: Melded) -> None:
    question = types.ShowMessageRequestParams(
        type=types.MessageType.Warning,
        message=f"The melding was not checked: {printable(outcome.message or outcome.title)}",
        actions=[types.MessageActionItem(UNCHECKED_TITLE)],
    )
    pressed = await ls.window_show_message_request_async(question)
    if pressed is not None and pressed.title == UNCHECKED_TITLE:
        await apply(ls, checked)


def meld_object(ls: SimtServer, checked: Checked) -> dict[str, Any]:
    """The answer of `simt/meld`."""
    item, outcome = checked.item, checked.outcome
    answer: dict[str, Any] = {
        "uri": item.uri, "version": item.version, "range": checked.keyword, "status": "stopped", "title": None,
        "message": None, "edits": None, "text": None, "before": None, "after": None, "launch": None,
    }  # fmt: skip
    match outcome:
        case Melded():
            answer |= {
                "status": outcome.verdict.value,
                "title": printable(outcome.title),
                "message": None if outcome.message is None else printable(outcome.message),
                "edits": text_edits(item, outcome, ls.encoding),
                "text": printable(melded_text(item, outcome)),
                "before": outcome.before,
                "after": outcome.after,
                "launch": outcome.launch,
            }
        case Refused(message=message):
            answer |= {"status": "refused", "message": printable(message)}
        case Failed(message=message):
            answer |= {"status": "failed", "message": printable(message)}
        case Stopped():
            pass
        case _:
            assert_never(outcome)
    return answer


def melded_text(item: OpenDocument, outcome: Melded) -> str:
    from analysis.refactor.edit import apply_replacements

    return apply_replacements(item.document.text, outcome.replacements).decode("utf-8", "surrogateescape")


def _prepared(ls: SimtServer, view: View, position: types.Position) -> _Prepared:
    """On the worker's thread: everything that the process needs to know."""
    from analysis.refactor.meld.model import Refusal

    place = _chosen(view, position)
    analysed, function = view.analysed, place.function
    simulation, settings = analysed.configuration.simulation, analysed.configuration.rules.meld
    identity = ls.meld_identity(view, function, place.outcome.branch)
    checked = ls.melds.of(analysed.item.uri, identity)
    known: MeldOutcome | None = None
    if isinstance(place.outcome, Refusal):
        known = Refused(f"{function.name}: {place.outcome.message}", None, None)
    elif checked is not None and checked.edits(analysed.item.document.text):
        known = checked.melded
    job = MeldJob(source_text(view), function.name, function.start, place.start, settings, simulation)
    keyword = view.range(place.start, place.end)
    return _Prepared(analysed.item, keyword, identity, job, simulation.keep_ready, known)


def _chosen(view: View, position: types.Position) -> MeldPlace:
    """In the line of the position the nearest branch, one whose arms can be melded before others."""
    from analysis.refactor.meld.model import Opportunity

    places = meld_places(view, types.Range(position, position))
    if not places:
        raise ValueError(f"{MELD_METHOD}: no branch splits a warp in this line")
    offset = view.offset(position)
    return min(places, key=lambda one: (not isinstance(one.outcome, Opportunity), abs(one.start - offset)))


def _read(given: Any, method: str) -> tuple[str, types.Position]:
    match given:
        case {"textDocument": {"uri": str(uri)}, "position": {"line": int(line), "character": int(character)}}:
            return uri, types.Position(line, character)
        case _:
            raise ValueError(f"{method} needs textDocument.uri and position")
