"""Repairs of barriers, drafted and checked in the simulation process; also the command `simt.repairBarriers`.

Rules    The text is the one that the client saw when it asked.  An edit is sent only for that version: if the document
         changed while the check ran, the user is told to ask again.
         What was checked before, in the same text, is not checked again.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, assert_never, final

from lsprotocol import types
from pygls.exceptions import JsonRpcException

from analysis.ir.record import record
from analysis.refactor.barrier_goal import BarrierGoal
from simt_lsp.server.documents.store import OpenDocument
from simt_lsp.server.requests.checked_edit import EditWords, apply, may_apply, tell
from simt_lsp.server.session.errors import CONTENT_MODIFIED
from simt_lsp.server.session.progress import Percentages, progress
from simt_lsp.server.simulations.arguments import plain
from simt_lsp.server.simulations.checked_barriers import BarrierPlace
from simt_lsp.server.simulations.checked_melds import text_digest
from simt_lsp.server.simulations.child import Listener
from simt_lsp.server.simulations.edit_outcome import CheckedEdit, EditOutcome
from simt_lsp.server.simulations.job import BarrierJob
from simt_lsp.server.simulations.outcome import Failed
from simt_lsp.server.views.source_text import source_text
from simt_lsp.server.views.view import View, printable

if TYPE_CHECKING:
    from simt_lsp.server.session.server import SimtServer

BARRIER_COMMAND: Final = "simt.repairBarriers"
CHANGED: Final = "the text changed while the barriers were checked; ask again"
_SYNCWARP: Final = EditWords(
    "No `__syncwarp()` inserted", "The `__syncwarp()` was not checked", "Insert Unchecked", CHANGED
)

_SYNCTHREADS: Final = EditWords(
    "No `__syncthreads()` inserted", "The `__syncthreads()` was not checked", "Insert Unchecked", CHANGED
)


_MEETING: Final = EditWords("The barriers stay", "The repair was not checked", "Apply Unchecked", CHANGED)


def words_of(goal: BarrierGoal) -> EditWords:
    match goal:
        case BarrierGoal.ORDER | BarrierGoal.RECONVERGE:
            return _SYNCWARP
        case BarrierGoal.MEET:
            return _MEETING
        case BarrierGoal.SEPARATE:
            return _SYNCTHREADS
        case _:
            assert_never(goal)


@final
@record
class Asked:
    """`place` is that of what the goal is about; any in the function where that is the whole function."""

    uri: str
    goal: BarrierGoal
    place: types.Position
    unchecked: bool

    @classmethod
    def read(cls, given: object) -> Asked | None:
        """From the data of an action, or the argument of the command."""
        match given:
            case {
                "textDocument": {"uri": str(uri)},
                "position": {"line": int(line), "character": int(character)},
                "goal": str(goal),
                "unchecked": bool(unchecked),
            } if goal in {one.value for one in BarrierGoal}:
                return cls(uri, BarrierGoal(goal), types.Position(line, character), unchecked)
            case _:
                return None

    def written(self) -> dict[str, Any]:
        position = {"line": self.place.line, "character": self.place.character}
        return {
            "textDocument": {"uri": self.uri},
            "position": position,
            "goal": self.goal.value,
            "unchecked": self.unchecked,
        }


@final
@record
class _Prepared:
    item: OpenDocument
    place: BarrierPlace
    job: BarrierJob
    keep: bool


async def barrier_command(ls: SimtServer, params: types.ExecuteCommandParams) -> dict[str, Any]:
    arguments = list(params.arguments or ())
    asked = Asked.read(plain(arguments[0])) if len(arguments) == 1 else None
    if asked is None:
        raise ValueError(f"{BARRIER_COMMAND} needs textDocument.uri, position, goal and unchecked")
    item, outcome = await check(ls, asked, params.work_done_token)
    applied = False
    if isinstance(outcome, CheckedEdit) and may_apply(outcome, unchecked=asked.unchecked):
        applied = await apply(ls, item, outcome, words_of(asked.goal))
    if not applied:
        tell(ls, item, outcome, words_of(asked.goal))
    return {"applied": applied}


async def check(ls: SimtServer, asked: Asked, token: str | int | None) -> tuple[OpenDocument, EditOutcome]:
    """Raises `ValueError` where there is no function, and `ContentModified` if the text changed meanwhile."""
    prepared = await ls.ask(asked.uri, lambda view: _prepared(view, asked))
    if prepared is None:
        raise ValueError(f"{asked.uri} is not an open CUDA document")
    known = ls.barriers.of(asked.uri, prepared.place)
    if known is not None:
        return prepared.item, known
    job = prepared.job
    async with progress(ls, token, f"simt-lsp: checking {printable(job.function)} with barriers") as shown:
        listener = Listener(Percentages(shown), lambda _: None)
        outcome = await ls.simulator.check(job, listener, shown.stopped, keep=prepared.keep)
    if isinstance(outcome, Failed) and outcome.log is not None:
        ls.log_error(f"{BARRIER_COMMAND} {asked.uri}\n{outcome.log}")
    if isinstance(outcome, CheckedEdit) and asked.uri in ls.documents.current:
        ls.barriers.put(asked.uri, prepared.place, outcome)
    if ls.documents.current.get(asked.uri) is not prepared.item:
        raise JsonRpcException(CHANGED, code=CONTENT_MODIFIED)
    return prepared.item, outcome


def barrier_place(view: View, goal: BarrierGoal, start: int, place: int) -> BarrierPlace:
    """`start` is where the function begins, which is all that most repairs of one goal are told apart by."""
    digest = text_digest(view.analysed.item.document.text)
    return BarrierPlace(digest, goal, start, place if goal is BarrierGoal.RECONVERGE else start)


def _prepared(view: View, asked: Asked) -> _Prepared:
    """On the worker's thread: everything that the process needs to know."""
    offset = view.offset(asked.place)
    function = view.analysis.facts.function_at(offset)
    if function is None or not function.active:
        raise ValueError(f"{BARRIER_COMMAND}: no function stands there")
    simulation = view.analysed.configuration.simulation
    job = BarrierJob(source_text(view), asked.goal, function.name, function.start, offset, simulation)
    place = barrier_place(view, asked.goal, function.start, offset)
    return _Prepared(view.analysed.item, place, job, simulation.keep_ready)
