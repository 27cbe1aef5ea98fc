"""Who takes part in the operations of a warp, and do their masks say so?

Question  For each operation of a block: do all lanes that a mask names come, and does it name all that come?
Skipped   where all lanes of a warp come together and the mask is a constant that names them all.
Method    Lanes are walked in several launches (`lane_walks.py`), their meetings judged round by round (`meetings.py`).
Tiers     PROVEN    it goes wrong in every launch tried in which lanes come to the operation; of several known block
                    shapes, in every one for some shape.
          POSSIBLE  in some of them (where that is all that can come of it, no further launches are tried); or lanes
                    may stay away because of data, and the mask names them all; or the shape of the block, which is not
                    known, has a say.
          ASSUMED   lanes may stay away because of what is not understood.
Not said  Lanes that have exited need not come, so an early return is no problem here.  A mask that depends on
          arguments, or that is computed from votes, is believed; but what `__ballot_sync` gives where the whole warp
          votes once on what can be told is told itself (`ballots.py`).
          Where another operation of the same kind stands in the other arm of a branch, the two may meet (PTX ISA,
          "shfl.sync": the same operation, not the same place): POSSIBLE.
Source    CUDA C++ Programming Guide, "Warp Vote Functions", "Warp Shuffle Functions".
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Final, final

from analysis.divergence.launch_shape import BlockShape, LaunchKnowledge
from analysis.divergence.levels import Level
from analysis.divergence.result import DivergenceResult
from analysis.graph.control_flow import ControlFlow
from analysis.ir.function import Function
from analysis.ir.ids import BasicBlockId, ValueId
from analysis.ir.instructions import Constant, Convert, Phi, Shuffle, TemplateArgument, Unary
from analysis.ir.operators import UnaryOperator
from analysis.ir.record import record
from analysis.verdict.barriers import BarrierReason, Guard, Tier, guards_around, rests_on_assumptions
from analysis.verdict.slice import EVALUATED, Integers
from analysis.warp.ballots import Ballot, ballot_behind
from analysis.warp.lane_walks import MAX_OPERATIONS as MAX_FOR_BLOCK
from analysis.warp.lane_walks import LaneWalks, WalkedWarp
from analysis.warp.meetings import Meeting, Mishap, Operands, meeting_at, mishaps
from analysis.warp.model import WarpCase, WarpOperation, WarpProblem, WarpProblemKind

MAX_OPERATIONS: Final = 32_000
"""For all blocks of a function; when they are spent, what remains is judged without walking."""
MAX_DEPTH: Final = 30
MIN_LAUNCHES: Final = 2
"""In which lanes come, before it is said that nothing goes wrong in all of them."""


OF_CALLERS: Final = frozenset({WarpProblemKind.CALLER, WarpProblemKind.DIFFER, WarpProblemKind.SOURCE})
"""Problems that depend on which lanes call the function."""


@final
@record
class Judged:
    """One operation; `is_exact`: its mask is known and names exactly the lanes that come, always."""

    operation: WarpOperation
    problems: tuple[WarpProblem, ...]
    is_exact: bool


@final
class Participation:
    """Judges the operations of one function; what several of them need is computed once."""

    def __init__(
        self,
        function: Function,
        control: ControlFlow,
        divergence: DivergenceResult,
        knowledge: LaunchKnowledge,
        *,
        callers_known: bool,
    ) -> None:
        self._function = function
        self._control = control
        self._divergence = divergence
        self._knowledge = knowledge
        self._callers_known = callers_known
        self._budget = MAX_OPERATIONS

    def judged(self, block: BasicBlockId, operations: Sequence[WarpOperation]) -> Iterator[Judged]:
        """Those operations of one block that may be wrong, in order."""
        doubtful = [operation for operation in operations if not self._is_plain(block, operation)]
        if not any(map(self._says_something, doubtful)):
            yield from (Judged(operation, (), is_exact=False) for operation in doubtful)
            return
        found: tuple[Judged, ...] | None = None
        if self._budget > 0:
            found = self._walked(block, doubtful)
        if found is not None:
            yield from found
            return
        for operation in doubtful:
            possible = self._possible(block, operation)
            yield Judged(operation, () if possible is None else (possible,), is_exact=False)

    def is_convergent(self, block: BasicBlockId) -> bool:
        return self._divergence.convergence(block) <= Level.WARP

    def guards(self, block: BasicBlockId, operation: WarpOperation) -> tuple[Guard, ...]:
        if self.is_convergent(block):
            return ()
        return guards_around(self._function, self._control, self._divergence, block, operation.span, Level.WARP)

    def constant(self, value: ValueId) -> int | None:
        """The number that a mask or a width is, if it is one; `~0u` is -1."""
        inverted = 0
        for _ in range(MAX_DEPTH):
            item = self._divergence.definition(value)
            match item:
                case Constant(value=int(number)):
                    return number ^ inverted
                case Convert(operand=operand):
                    value = operand
                case Unary(operator=UnaryOperator.COMPLEMENT, operand=operand):
                    value, inverted = operand, ~inverted
                case _:
                    return None
        return None

    def is_full(self, mask: ValueId) -> bool:
        size = self._knowledge.warp_size
        number = self.constant(mask)
        return number is not None and (number + 1) % (1 << size) == 0

    # -- by walking -------------------------------------------------------------------------------------------------

    def _is_plain(self, block: BasicBlockId, operation: WarpOperation) -> bool:
        """Nothing can be wrong: all lanes come, and name all."""
        if not self.is_convergent(block) or operation.mask is None or not self.is_full(operation.mask):
            return operation.mask is None and not isinstance(operation, Shuffle)
        return not isinstance(operation, Shuffle) or operation.width is None or self._is_good_width(operation.width)

    def _says_something(self, operation: WarpOperation) -> bool:
        """A mask or a width that can be told: without them lanes may come as they like."""
        width = operation.width if isinstance(operation, Shuffle) else None
        is_told = any(value is not None and self._is_told(value) for value in (operation.mask, width))
        return is_told or self._ballot(operation) is not None

    def _ballot(self, operation: WarpOperation) -> Ballot | None:
        """What the mask comes from, if that is a vote of the whole warp on what can be told."""
        ballot = None if operation.mask is None else ballot_behind(operation.mask, self._control, self._divergence)
        if ballot is None or not self.is_convergent(ballot.block) or not self.is_full(ballot.mask):
            return None
        return ballot if self._is_told(ballot.predicate) else None

    def _is_good_width(self, width: ValueId) -> bool:
        number = self.constant(width)
        return number is not None and 1 <= number <= self._knowledge.warp_size and number & (number - 1) == 0

    @cached_property
    def _integers(self) -> Integers:
        return Integers(self._function, self._control, self._divergence)

    def _walked(self, block: BasicBlockId, operations: Sequence[WarpOperation]) -> tuple[Judged, ...] | None:
        """None where no lane could be followed."""
        wanted: dict[ValueId, None] = {}
        for operation in operations:
            wanted.update(dict.fromkeys(value for value in _operands(operation) if value is not None))
        values = tuple(value for value in wanted if self._is_told(value))
        after = self._after(block)
        watched: dict[BasicBlockId, tuple[ValueId, ...]] = {**dict.fromkeys(after, ()), block: values}
        ballots = [self._ballot(operation) for operation in operations]
        for ballot in ballots:
            if ballot is not None:
                watched[ballot.block] = (*watched.get(ballot.block, ()), ballot.predicate)
        granted = min(self._budget, MAX_FOR_BLOCK)
        walks = LaneWalks(self._integers, self._knowledge, (block,), watched, granted)
        tally = _Tally()
        places = [_places(operation, values) for operation in operations]
        settled: set[BlockShape] = set()
        for trial in walks.trials():
            shape = trial.launch.shape
            if shape in settled:
                continue
            for walked in walks.warps(trial):
                masks = [None if one is None else one.outcome(walked, watched[one.block]) for one in ballots]
                meetings = [
                    meeting_at(walked, block, after, place, mask) for place, mask in zip(places, masks, strict=True)
                ]
                tally.add(walked, operations, meetings)
            if walks.budget <= 0 or (not self._knowledge.shapes and tally.is_settled(None)):
                break
            if tally.is_settled(shape):
                settled.add(shape)
        self._budget -= granted - walks.budget
        is_proof = walks.is_conclusive and not walks.rests_on_unknown_shape
        if not tally.walked:
            return None
        names = walks.slice.scalar_names
        found: list[list[WarpProblem]] = [[] for _ in operations]
        for (number, kind), (walked, mishap) in tally.first.items():
            is_always = is_proof and tally.is_in_all(number, kind, self._knowledge.shapes)
            tier = self._tier(kind, block, operations[number]) if is_always else Tier.POSSIBLE
            launch = walked.trial.launch
            arguments = () if is_always else tuple((names[value], given) for value, given in launch.scalars.items())
            case = WarpCase(
                launch.shape, walked.warp, arguments, mishap.lanes, mishap.mask, mishap.wrong, mishap.source
            )
            found[number].append(self._problem(kind, block, operations[number], tier, case))
        return tuple(
            Judged(operation, _without_followers(problems), number not in tally.inexact)
            for number, (operation, problems) in enumerate(zip(operations, found, strict=True))
        )

    def _tier(self, kind: WarpProblemKind, block: BasicBlockId, operation: WarpOperation) -> Tier:
        """Of what goes wrong in every launch that was tried."""
        if kind in OF_CALLERS and not self._callers_known:
            return Tier.ASSUMED
        if kind is WarpProblemKind.ABSENT and self._has_partner(block, operation):
            return Tier.POSSIBLE
        return Tier.PROVEN

    def _after(self, block: BasicBlockId) -> frozenset[BasicBlockId]:
        """Blocks that every lane of the operation comes to later, unless it exits: who is seen there has not exited."""
        found: set[BasicBlockId] = set()
        after = self._control.immediate_post_dominator(block)
        while after is not None and after != block and after not in found and len(found) < MAX_DEPTH:
            found.add(after)
            after = self._control.immediate_post_dominator(after)
        return frozenset(found)

    def _problem(
        self, kind: WarpProblemKind, block: BasicBlockId, operation: WarpOperation, tier: Tier, case: WarpCase | None
    ) -> WarpProblem:
        return WarpProblem(kind, block, operation, tier, case, self.guards(block, operation), self.is_convergent(block))

    def _is_told(self, value: ValueId) -> bool:
        """It follows from thread indices and constants: what a caller passes as a mask is his to know."""
        seen: set[ValueId] = set()
        waiting = [value]
        while waiting:
            current = waiting.pop()
            if current in seen:
                continue
            seen.add(current)
            item = self._divergence.definition(current)
            if item is None or isinstance(item, TemplateArgument) or type(item) not in EVALUATED:
                return False
            if isinstance(item, Phi) and len(seen) > MAX_DEPTH:
                return False
            waiting.extend(item.operands)
        return True

    def _has_partner(self, block: BasicBlockId, operation: WarpOperation) -> bool:
        """An operation of the same kind that no thread runs on the same way."""
        from_here = self._control.between(block, None)
        for other, body in enumerate(self._function.blocks):
            if other == block or not any(type(item) is type(operation) for item in body.instructions):
                continue
            there = BasicBlockId(other)
            if not self._control.is_reachable(there) or there in from_here:
                continue
            if block not in self._control.between(there, None):
                return True
        return False

    # -- without walking --------------------------------------------------------------------------------------------

    def _possible(self, block: BasicBlockId, operation: WarpOperation) -> WarpProblem | None:
        """Data may keep lanes away that the mask names."""
        if operation.mask is None or not self.is_full(operation.mask):
            return None
        guards = self.guards(block, operation)
        staying = [guard for guard in guards if guard.reason is not BarrierReason.EARLY_EXIT]
        if not staying:
            return None
        tier = Tier.ASSUMED if rests_on_assumptions(guards) else Tier.POSSIBLE
        return self._problem(WarpProblemKind.ABSENT, block, operation, tier, None)


@final
class _Tally:
    """In which of the launches that were tried something went wrong."""

    def __init__(self) -> None:
        self.first: dict[tuple[int, WarpProblemKind], tuple[WalkedWarp, Mishap]] = {}
        self._wrong: dict[tuple[int, WarpProblemKind], set[tuple[BlockShape, int]]] = {}
        self._came: set[tuple[BlockShape, int]] = set()
        self.walked = 0
        self.inexact: set[int] = set()
        """Operations whose mask is not known or is not the set of the lanes that come."""

    def add(self, walked: WalkedWarp, operations: Sequence[WarpOperation], meetings: Sequence[Meeting]) -> None:
        self.walked += 1
        launch = walked.trial.launch.shape, walked.trial.number
        for number, (operation, meeting) in enumerate(zip(operations, meetings, strict=True)):
            if meeting.rounds:
                self._came.add(launch)
            if not meeting.is_exact:
                self.inexact.add(number)
            for mishap in mishaps(operation, meeting):
                key = number, mishap.kind
                self.first.setdefault(key, (walked, mishap))
                self._wrong.setdefault(key, set()).add(launch)

    def is_settled(self, shape: BlockShape | None) -> bool:
        """Can no launch prove anything any more, in blocks of that shape, or in any (None)?"""
        came = {launch for launch in self._came if shape in (None, launch[0])}
        return len(came) >= MIN_LAUNCHES and not any(came <= wrong for wrong in self._wrong.values())

    def is_in_all(self, number: int, kind: WarpProblemKind, known: Sequence[BlockShape]) -> bool:
        """In all launches in which lanes came; of known shapes one is enough."""
        wrong = self._wrong[number, kind]
        if not known:
            return wrong == self._came
        return any(
            {launch for launch in self._came if launch[0] == shape}
            == {launch for launch in wrong if launch[0] == shape}
            != set()
            for shape in known
        )


def _without_followers(problems: list[WarpProblem]) -> tuple[WarpProblem, ...]:
    """A wrong mask explains what else does not fit."""
    kinds = {problem.kind for problem in problems}
    explained = {WarpProblemKind.SOURCE, WarpProblemKind.DIFFER}
    if kinds & {WarpProblemKind.CALLER, WarpProblemKind.ABSENT}:
        return tuple(problem for problem in problems if problem.kind not in explained)
    return tuple(problems)


def _operands(operation: WarpOperation) -> tuple[ValueId | None, ValueId | None, ValueId | None]:
    if isinstance(operation, Shuffle):
        return operation.mask, operation.lane, operation.width
    return operation.mask, None, None


def _places(operation: WarpOperation, values: Sequence[ValueId]) -> Operands:
    mask, lane, width = (
        None if value is None or value not in values else values.index(value) for value in _operands(operation)
    )
    return mask, lane, width
