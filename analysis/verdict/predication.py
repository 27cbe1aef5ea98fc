"""Which arms does a compiler turn into selects or predicated instructions, so that no warp ever parts there?

Rules     An arm of at most `MOST_ISSUED` instructions of an ALU, with one load, or a store or two, without loops, calls
          or whatever else is more than arithmetic and short functions; the arms of decisions in it count, too.  What
          makes a structure of values, or computes with constants alone, is no instruction.  Of `c ? a[i] : b[j]` both
          loads are issued under their predicates, or one at an address that is selected.
Measured  jumps in machine code for sm_80 and sm_90: two arms of two to five such instructions have none, nested ones
          have one at most, over the longer side.
Price     every warp issues such arms, whether its lanes agree or not: a split takes nothing more.
Source    CUDA C++ Best Practices Guide, "Branch Predication": seven instructions where warps are likely to part.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Final

from analysis.ir.function import Function
from analysis.ir.ids import BasicBlockId
from analysis.ir.instructions import (
    Binary,
    Branch,
    Compare,
    Convert,
    ElementAddress,
    FieldAddress,
    Instruction,
    Jump,
    Load,
    Math,
    Select,
    Store,
    Unary,
)
from analysis.verdict.latency import is_issued
from analysis.verdict.weights import BlockWeights

MOST_ISSUED: Final = 7
MOST_STORES: Final = 2
MOST_LOADS: Final = 1
LONGEST: Final = 4
"""Issue slots of one instruction: a division is a sequence with branches of its own."""
_LEADING_ON: Final = (Jump, Branch)
_ACCESSES: Final = (Load, Store)
_ARITHMETIC: Final = (Binary, Compare, Convert, ElementAddress, FieldAddress, Math, Select, Unary)


def is_predicated(function: Function, weights: BlockWeights, arms: Iterable[Collection[BasicBlockId]]) -> bool:
    """Whether all arms of a branch are that short; an empty one is."""
    return all(is_short(function, weights, arm) for arm in arms)


def is_short(
    function: Function, weights: BlockWeights, arm: Collection[BasicBlockId], *, decides: bool = False
) -> bool:
    """Of one arm, or of what computes the rest of a condition (`a || b`), which `decides`."""
    if len(arm) > MOST_ISSUED:
        return False
    issued = stores = loads = 0
    if not decides and not _is_straight(function, arm):
        return False
    for block in arm:
        for item, slots in zip(function.blocks[block].instructions, weights.each_in(block), strict=True):
            if _is_free(weights, item, slots):
                continue
            if isinstance(item, Store):
                stores += 1
            elif isinstance(item, Load) and not item.volatile:
                loads += 1
            elif is_issued(item) and not (isinstance(item, _ARITHMETIC) and slots <= LONGEST):
                return False
            issued += is_issued(item)
            if issued > MOST_ISSUED or stores > MOST_STORES or loads > (0 if stores else MOST_LOADS):
                return False
    return True


def _is_straight(function: Function, arm: Collection[BasicBlockId]) -> bool:
    """Whether jumps and decisions lead on, and never back."""
    if not all(isinstance(function.blocks[block].terminator, _LEADING_ON) for block in arm):
        return False
    rest = {block: {*function.blocks[block].terminator.successors} for block in arm}
    while rest:
        last = [block for block, targets in rest.items() if targets.isdisjoint(rest)]
        if not last:
            return False
        for block in last:
            del rest[block]
    return True


def _is_free(weights: BlockWeights, item: Instruction, slots: int) -> bool:
    """What is done when the code is compiled, or by naming another register."""
    return not isinstance(item, _ACCESSES) and (not slots or weights.is_folded(item))
