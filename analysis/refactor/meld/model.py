"""What is said about melding the two arms of one divergent branch in the source: an opportunity or a refusal.

Every divergent branch of a function has one outcome.  An `Opportunity` is cheap (it is looked for on each edit) and
holds no text; `render.py` turns it into an edit when somebody asks.  Whether that edit is worth offering is not decided
here: the simulator compares both versions (`sim/equivalence`).
"""

from __future__ import annotations

from enum import Enum
from typing import TypeAlias, final

from analysis.facts.model import BranchFact
from analysis.ir.instructions import FunctionId
from analysis.ir.record import record
from analysis.ir.source import Span
from analysis.meld.settings import MeldMethod


class Obstacle(Enum):
    """Why a divergent branch is not melded; the values are those of the `meld` contract."""

    NOT_A_STATEMENT = "not-a-statement"
    """A loop, `?:`, `&&` or `||`: there are no two arms to meld."""
    ONE_ARM = "one-arm"
    """An `if` without `else`: nothing runs twice."""
    NOTHING_ALIKE = "nothing-alike"
    """No pair of statements reaches the threshold."""
    NO_GAIN = "no-gain"
    """What is saved does not pay for the selects and guards."""
    BARRIER = "barrier"
    WARP_INTRINSIC = "warp-intrinsic"
    VOLATILE = "volatile"
    ATOMIC = "atomic"
    """An atomic whose order with others matters."""
    LEAVES_ARM = "leaves-arm"
    """`return`, `break`, `continue` or `goto` that cannot be guarded."""
    FALL_THROUGH = "fall-through"
    """A case of a `switch` runs on into the next one, or a label stands inside a statement."""
    UNKNOWN_CODE = "unknown-code"
    """Something in an arm is not understood, or cannot be read."""
    MACRO = "macro"
    """An arm begins, ends or differs inside the text of a macro."""
    DECLARATION = "declaration"
    """A variable would have to be declared without the value that makes it, and its type does not allow that."""
    DESTRUCTOR = "destructor"
    """The destructor of an object runs in an arm."""
    CONDITION = "condition"
    """The condition cannot be kept: it declares a variable, or changes what the arms read."""
    TOO_LARGE = "too-large"
    """A `switch` of more cases than are compared with one another."""
    TEXT = "text"
    """The result cannot be written down as CUDA C++."""


@final
@record
class Opportunity:
    """Arms that can be melded.

    `predicted_saving` is a share of the issue slots of the kernel (or of the device function, where no kernel of the
    file calls it), between 0 and 1: an estimate from `analysis.verdict.latency`.
    """

    function: FunctionId
    branch: BranchFact
    method: MeldMethod
    predicted_saving: float


@final
@record
class Refusal:
    """Why not, with the place that decides it; spans are relative to the function like those of all facts."""

    function: FunctionId
    branch: BranchFact
    obstacle: Obstacle
    place: Span
    message: str


Outcome: TypeAlias = Opportunity | Refusal
