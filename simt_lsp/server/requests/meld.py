"""The command `simt.meld` and the request `simt/meld`: the arms of a branch melded and checked; see docs/protocol.md.

Rules    The text is the one that the client saw when it asked.  An edit is sent only for that version: if the document
         changed while the check ran, the user is told to ask again.
         What is confirmed is applied.  What could not be checked is applied after a question, or when the caller said
         `unchecked`.  What is refuted is never applied, and the user is told why.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, assert_never, final

from lsprotocol import types
from pygls.exceptions import JsonRpcException

from analysis.ir.record import record
from simt_lsp.server.documents.store import OpenDocument
from simt_lsp.server.requests.checked_edit import EditWords, apply, may_apply, tell
from simt_lsp.server.session.client_edit import text_edits
from simt_lsp.server.session.errors import CONTENT_MODIFIED
from simt_lsp.server.session.progress import Percentages, progress
from simt_lsp.server.simulations.arguments import plain
from simt_lsp.server.simulations.checked_melds import CheckedMeld, MeldIdentity, text_digest
from simt_lsp.server.simulations.child import Listener
from simt_lsp.server.simulations.edit_outcome import CheckedEdit, EditOutcome
from simt_lsp.server.simulations.job import MeldJob
from simt_lsp.server.simulations.outcome import Failed, Refused, Stopped
from simt_lsp.server.views.meld_places import MeldPlace, meld_places
from simt_lsp.server.views.source_text import source_text
from simt_lsp.server.views.view import View, printable

if TYPE_CHECKING:
    from simt_lsp.server.session.server import SimtServer

MELD_COMMAND: Final = "simt.meld"
MELD_METHOD: Final = "simt/meld"
CHANGED: Final = "the text changed while the melding was checked; ask again"
WORDS: Final = EditWords("Not melded", "The melding was not checked", "Meld Unchecked", CHANGED)


@final
@record
class _Prepared:
    """`known` is the outcome, where the same text was checked before."""

    item: OpenDocument
    keyword: types.Range
    identity: MeldIdentity
    job: MeldJob
    keep: bool
    known: EditOutcome | None


@final
@record
class Checked:
    """One version of a document, and what its check ended with; `keyword` is the place of the branch's keyword."""

    item: OpenDocument
    keyword: types.Range
    outcome: EditOutcome


async def meld_command(ls: SimtServer, params: types.ExecuteCommandParams) -> dict[str, Any]:
    arguments = list(params.arguments or ())
    given: Any = plain(arguments[0]) if len(arguments) == 1 else {}
    uri, position = _read(given, MELD_COMMAND)
    checked = await check(ls, uri, position, params.work_done_token)
    unchecked = given.get("unchecked") is True
    outcome, applied = checked.outcome, False
    if isinstance(outcome, CheckedEdit) and may_apply(outcome, unchecked=unchecked):
        applied = await apply(ls, checked.item, outcome, WORDS)
    if not applied:
        tell(ls, checked.item, outcome, WORDS)
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
        outcome = await ls.simulator.check(job, listener, shown.stopped, keep=prepared.keep)
    if isinstance(outcome, Failed) and outcome.log is not None:
        ls.log_error(f"{MELD_METHOD} {uri}\n{outcome.log}")
    if isinstance(outcome, CheckedEdit) and uri in ls.documents.current:
        ls.melds.put(uri, prepared.identity, CheckedMeld(text_digest(prepared.item.document.text), outcome))
    if ls.documents.current.get(uri) is not prepared.item:
        raise JsonRpcException(CHANGED, code=CONTENT_MODIFIED)
    return Checked(prepared.item, prepared.keyword, outcome)


def meld_object(ls: SimtServer, checked: Checked) -> dict[str, Any]:
    """The answer of `simt/meld`."""
    item, outcome = checked.item, checked.outcome
    answer: dict[str, Any] = {
        "uri": item.uri, "version": item.version, "range": checked.keyword, "status": "stopped", "title": None,
        "message": None, "edits": None, "text": None, "before": None, "after": None, "launch": None,
    }  # fmt: skip
    match outcome:
        case CheckedEdit():
            answer |= {
                "status": outcome.verdict.value,
                "title": printable(outcome.title),
                "message": None if outcome.message is None else printable(outcome.message),
                "edits": text_edits(item, outcome.replacements, ls.encoding),
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


def melded_text(item: OpenDocument, outcome: CheckedEdit) -> str:
    from analysis.refactor.edit import apply_replacements

    return apply_replacements(item.document.text, outcome.replacements).decode("utf-8", "surrogateescape")


def _prepared(ls: SimtServer, view: View, position: types.Position) -> _Prepared:
    """On the worker's thread: everything that the process needs to know."""
    from analysis.refactor.meld.model import Refusal

    place = _chosen(view, position)
    analysed, function = view.analysed, place.function
    simulation, settings = analysed.configuration.simulation, analysed.configuration.rules.meld
    identity = view.known.meld_identity(function, place.outcome.branch)
    checked = ls.melds.of(analysed.item.uri, identity)
    known: EditOutcome | None = None
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
