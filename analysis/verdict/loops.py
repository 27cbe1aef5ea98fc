"""The loop of a source branch, how often loops run, and by how much the lanes of a warp can differ in that.

Trips     known where the counter of a loop is bounded (`analysis.affine`), else `ASSUMED_TRIPS`.
Excess    the rounds for which lanes that are done wait for the last one: none where it is proven that they leave within
          one round of each other (`rounds.py`); where the loop's condition compares linear
          forms that advance by a known step, the distance of the first and the last lane in steps, but never more than
          the known trips; else half of the known trips, or of the assumed ones.
"""

from __future__ import annotations

from typing import Final

from analysis.affine.atoms import Axis, IterationAtom
from analysis.affine.linear_form import LinearForm
from analysis.affine.polynomial import Polynomial
from analysis.affine.result import AffineResult
from analysis.divergence.result import DivergenceResult
from analysis.graph.control_flow import ControlFlow
from analysis.graph.cycles import Cycle
from analysis.ir.function import Function
from analysis.ir.ids import SourceBranchId
from analysis.ir.instructions import (
    Atomic,
    Branch,
    Call,
    Compare,
    Load,
    Math,
    Opaque,
    Print,
    ReadSpecial,
    Shuffle,
    Store,
    Texture,
)
from analysis.ir.operators import SpecialRegister
from analysis.ir.pace import paced
from analysis.verdict.rounds import Rounds

ASSUMED_TRIPS: Final = 8
"""Of a loop of which nothing is known."""
WORK: Final = (Store, Atomic, Call, Math, Texture, Shuffle, Print)
TIMES: Final = (SpecialRegister.CLOCK, SpecialRegister.GLOBAL_TIMER)
MAX_TRIPS: Final = 1 << 16
"""More than this comes from the range of a type, not from a bound."""


def cycle_of(
    function: Function, control: ControlFlow, divergence: DivergenceResult, branch: SourceBranchId
) -> Cycle | None:
    """The cycle of a source loop; None where it never goes round."""
    for block, _ in divergence.branch_sites(branch):
        innermost = control.innermost_cycle(block)
        if innermost is not None:
            return innermost
    # `for (;;)` decides nothing itself: its cycle is the outermost one whose header stands inside the construct.
    extent, frame = function.branches[branch].extent, function.branches[branch].keyword.frame
    for cycle in reversed(control.cycles):
        span = function.blocks[cycle.header].terminator.span
        if span.frame == frame and extent.start <= span.start < span.end <= extent.end:
            return cycle
    return None


def trips(affine: AffineResult, cycle: Cycle) -> int:
    """How often the body runs: the bound that is known, or an assumption; at least 1."""
    return max(1, affine.atom_range(IterationAtom(cycle.id)).high) if is_bounded(affine, cycle) else ASSUMED_TRIPS


def is_bounded(affine: AffineResult, cycle: Cycle) -> bool:
    """Whether it is known how often the body runs at most."""
    return affine.atom_range(IterationAtom(cycle.id)).high <= MAX_TRIPS


def excess_trips(affine: AffineResult, cycle: Cycle, known: int | None) -> int:
    """The rounds that a lane which leaves early waits for; 0 where the lanes leave within one round of each other."""
    most = trips(affine, cycle)
    if known is not None:
        return min(known, most) if is_bounded(affine, cycle) else known
    return max(1, most // 2)


def known_excess(
    function: Function,
    control: ControlFlow,
    divergence: DivergenceResult,
    affine: AffineResult,
    rounds: Rounds,
    cycle: Cycle,
) -> int | None:
    """The same where it follows from all conditions that lead out, else None."""
    if rounds.is_together(cycle):
        return 0
    found = [linear_excess(function, divergence, affine, cycle, block) for block in control.exit_branches(cycle)]
    known = [excess for excess in found if excess is not None]
    return max(known) if found and len(known) == len(found) else None


def only_waits(function: Function, cycle: Cycle) -> bool:
    """Does the loop just ask again and again for the time, or for what another thread writes?

    Its lanes leave apart, but no work of theirs takes turns.
    """
    items = [item for block in paced(cycle.blocks) for item in paced(function.blocks[block].instructions)]
    if any(isinstance(item, WORK) for item in items):
        return False
    return any(
        (isinstance(item, Opaque) and item.construct.startswith("asm "))
        or (isinstance(item, Load) and item.volatile)
        or (isinstance(item, ReadSpecial) and item.register in TIMES)
        for item in paced(items)
    )


def linear_excess(
    function: Function, divergence: DivergenceResult, affine: AffineResult, cycle: Cycle, block: int
) -> int | None:
    """The rounds between the lanes of a warp at one exit, where it compares forms that advance by a known step."""
    terminator = function.blocks[block].terminator
    if not isinstance(terminator, Branch):
        return None
    item = divergence.definition(terminator.condition)
    if not isinstance(item, Compare):
        return None
    home = divergence.home(terminator.condition)
    left, right = affine.form_at(item.left, home), affine.form_at(item.right, home)
    if left is None or right is None:
        return None
    step = _coefficient(left.base - right.base, cycle)
    distance = _lane_distance(left, right, divergence.launch.warp_size)
    return None if not step or distance is None else distance // abs(step)


def _coefficient(base: Polynomial, cycle: Cycle) -> int | None:
    """What one round of the loop adds; None if it is not a known number."""
    counter = IterationAtom(cycle.id)
    step = 0
    for monomial, coefficient in base.terms:
        if counter in monomial:
            if monomial != (counter,):
                return None
            step = coefficient
    return step


def _lane_distance(left: LinearForm, right: LinearForm, warp_size: int) -> int | None:
    """By how much the difference grows from the first lane of a warp to the last, if a warp lies in a row."""
    total = 0
    for axis in (Axis.THREAD_X, Axis.LANE):
        coefficient = (left.coefficient(axis) - right.coefficient(axis)).constant
        if coefficient is None:
            return None
        total += coefficient
    return abs(total) * (warp_size - 1)
