"""What the mask of an operation is made of: an active mask, a number that looks mistyped, nothing.

ACTIVE_MASK  the mask is, or is cut out of, what `__activemask()` gave.  Which lanes that are depends on how the warp
             happens to run.  Operations for whoever is there are left alone: those whose source is a lane of that mask
             (a leader), matches and reductions.
SUSPICIOUS   a number that misses a digit (`0xFFFFFF`) or that is a lane's number (`31`, `0x1f`, `32`).
LEGACY       `__shfl`, `__any`, `__all`, `__ballot`, which devices since compute capability 7.0 do not have.
"""

from __future__ import annotations

from typing import Final

from analysis.divergence.result import DivergenceResult
from analysis.ir.ids import ValueId
from analysis.ir.instructions import Binary, Convert, Match, Phi, ReadSpecial, Select, Shuffle, Vote, WarpReduce
from analysis.ir.operators import ShuffleMode, SpecialRegister
from analysis.ir.source import Span
from analysis.warp.model import WarpOperation

MISTYPED: Final = frozenset({0xFFFFF, 0xFFFFFF, 0xFFFFFFF, 0x7FFFFFFF, 31, 32, 64, 63})
"""Digits too few, or the number of a lane, or of lanes; masks of some lanes that a program means are other numbers."""
_FOLLOWED: Final = (Binary, Convert, Phi, Select)
_MAX_VALUES: Final = 40


def active_mask_behind(operation: WarpOperation, divergence: DivergenceResult) -> Span | None:
    """Where `__activemask()` was called whose lanes the operation expects all to come."""
    if operation.mask is None or isinstance(operation, Match | WarpReduce):
        return None
    masks = _active_masks(operation.mask, divergence, _FOLLOWED)
    if not masks:
        return None
    match operation:
        case Shuffle(mode=ShuffleMode.INDEX, lane=lane) if _active_masks(lane, divergence, None):
            return None  # a leader that is chosen from the mask is there
        case _:
            return masks[0].span


def _active_masks(value: ValueId, divergence: DivergenceResult, followed: tuple[type, ...] | None) -> list[ReadSpecial]:
    """The reads of the active mask that a value is computed from, through instructions that are `followed`."""
    found: list[ReadSpecial] = []
    seen: set[ValueId] = set()
    waiting = [value]
    while waiting and len(seen) < _MAX_VALUES:
        current = waiting.pop()
        if current in seen:
            continue
        seen.add(current)
        item = divergence.definition(current)
        if isinstance(item, ReadSpecial) and item.register is SpecialRegister.ACTIVE_MASK:
            found.append(item)
        elif item is not None and (followed is None or isinstance(item, followed)):
            waiting.extend(item.operands)
    return found


def is_legacy(operation: WarpOperation) -> bool:
    return isinstance(operation, Shuffle | Vote) and operation.mask is None
