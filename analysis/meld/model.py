"""What melding did to a function: every divergent branch is melded or refused with a reason."""

from __future__ import annotations

from enum import Enum
from typing import final

from analysis.ir.function import Function
from analysis.ir.ids import BasicBlockId, SourceBranchId
from analysis.ir.record import record
from analysis.ir.source import Span
from analysis.meld.settings import MeldMethod


class MeldObstacle(Enum):
    """Why a divergent branch was not melded."""

    ONE_ARM = "one-arm"
    """One successor post-dominates the other: nothing runs twice (definition 5)."""
    LOOP = "loop"
    """The branch decides whether a loop goes on, or an arm leaves a loop: it leads back to the branch."""
    MANY_WAYS = "many-ways"
    """A switch with more than two targets."""
    NO_JOIN = "no-join"
    """There is no immediate post-dominator: an arm never ends, or ends the kernel."""
    SHARED_CODE = "shared-code"
    """The arms share blocks, or are entered from elsewhere."""
    BARRIER = "barrier"
    WARP_INTRINSIC = "warp-intrinsic"
    FENCE = "fence"
    VOLATILE = "volatile"
    ATOMIC = "atomic"
    """An atomic whose result is read, or whose order with others matters: locks and tickets among them."""
    CALL = "call"
    """A call that was not inlined."""
    LAUNCH = "launch"
    """A kernel launch from the device."""
    UNKNOWN_CODE = "unknown-code"
    TRAP = "trap"
    """A trap or an assertion."""
    OUTPUT = "output"
    """Printing: the order of the lines would change."""
    ALLOCATION = "allocation"
    TOO_LARGE = "too-large"
    """The arms are too long to be aligned in reasonable time."""
    NOTHING_ALIKE = "nothing-alike"
    """No pair of subgraphs is meldable (definition 6) with the chosen method."""
    BELOW_THRESHOLD = "below-threshold"
    """The best pair's melding profitability (MP_S) is below the threshold."""
    NO_GAIN = "no-gain"
    """What is saved does not pay for the selects, the guards and the longer live ranges."""
    BROKEN = "broken"
    """The melded function was not well formed: a defect of the melder.  What was melded before stands."""
    CUT = "cut"
    """It could be melded, but the rounds were used up."""


class PairKind(Enum):
    """The three cases of definition 6."""

    REGION_REGION = "region-region"
    BLOCK_REGION = "block-region"
    BLOCK_BLOCK = "block-block"


@final
@record
class MeldedPair:
    """Two subgraphs that became one: how many pairs of blocks and of instructions, and their profitability MP_S."""

    kind: PairKind
    blocks: int
    instructions: int
    profitability: float


@final
@record
class MeldedRegion:
    """A divergent region of which at least one pair of subgraphs was melded.

    `method` is the one that was used, never BEST.  `predicted_saving` is a share of the issue slots of the function
    that was given, after the price of selects, guards and longer live ranges; below 0 where a published method melds
    at a loss.
    """

    branch: SourceBranchId | None
    span: Span
    method: MeldMethod
    pairs: tuple[MeldedPair, ...]
    predicted_saving: float


@final
@record
class RefusedRegion:
    """A divergent branch that stands in the result as it is.

    `place` is what decides it, as far as that is one place.  `profitability` is the best MP_S of a pair that was looked
    at, and `predicted_saving` the best share that was predicted; None where it did not come to that.
    """

    branch: SourceBranchId | None
    span: Span
    obstacle: MeldObstacle
    place: Span
    profitability: float | None = None
    predicted_saving: float | None = None


@final
@record
class MeldResult:
    """`function` is the object that was given where nothing was melded.

    `melded` are in the order in which they were melded; a branch can occur again, where melding one pair of subgraphs
    made another one possible.  `refused` are the divergent branches of the result.  `melded_blocks` are blocks of the
    result that both arms of some branch run now.  `issue_slots` are those that the estimate gives a warp in the mean,
    before and after.
    """

    function: Function
    melded: tuple[MeldedRegion, ...]
    refused: tuple[RefusedRegion, ...]
    melded_blocks: frozenset[BasicBlockId]
    rounds: int
    is_cut: bool
    """Whether `MeldSettings.max_rounds` ended it before nothing was left to meld."""
    issue_slots: tuple[int, int]
