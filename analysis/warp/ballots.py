"""Masks that are the outcome of a vote: `mask = __ballot_sync(0xffffffff, i < n)`.

Each lane is walked alone, so that what all of them vote is put together when all have been.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, final

from analysis.divergence.result import DivergenceResult
from analysis.graph.control_flow import ControlFlow
from analysis.ir.ids import BasicBlockId, ValueId
from analysis.ir.instructions import Convert, Vote
from analysis.ir.operators import VoteKind
from analysis.ir.record import record
from analysis.warp.lane_walks import WalkedWarp

_MAX_CONVERSIONS: Final = 4


@final
@record
class Ballot:
    """One vote: where it is taken, among which lanes, and on what."""

    block: BasicBlockId
    mask: ValueId
    predicate: ValueId

    def outcome(self, walked: WalkedWarp, watched: Sequence[ValueId]) -> int | None:
        """The lanes that vote for it; None where a lane votes never or twice, or its vote cannot be told.

        `watched` are the values that are noted in the block of the vote.
        """
        at, found = watched.index(self.predicate), 0
        for lane, visits in enumerate(walked.visits):
            votes = [values[at] for visited, values in visits if visited == self.block]
            if len(votes) != 1 or votes[0] is None:
                return None
            found |= bool(votes[0]) << lane
        return found


def ballot_behind(mask: ValueId, control: ControlFlow, divergence: DivergenceResult) -> Ballot | None:
    """The vote whose outcome a mask is."""
    for _ in range(_MAX_CONVERSIONS):
        match divergence.definition(mask):
            case Convert(operand=operand):
                mask = operand
            case Vote(kind=VoteKind.BALLOT, mask=among, predicate=predicate) as vote if among is not None:
                places = (block for block, _, item in control.placed(Vote) if item is vote)
                return next((Ballot(block, among, predicate) for block in places), None)
            case _:
                return None
    return None
