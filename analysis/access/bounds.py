"""Which threads of a block of known shape reach an access outside of the array?

Method    The address must be the variable's, plus a function of the thread index and constants alone; and whether a
          thread comes must be decided by such functions alone.  Then every thread of the block is evaluated.
Proof     A thread that comes and whose bytes do not all lie in the variable: in every launch with that shape.
Gives up  in functions that may stop a thread (traps, assertions, calls that are not seen), in loops, behind guards
          that read anything else, at arrays of unknown size: no answer.  No answer does not mean that the access is
          safe.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import final

from analysis.access.addresses import Addresses, LaneAddress
from analysis.access.model import Outside
from analysis.access.participants import Condition
from analysis.access.warp_request import Setting, thread_offsets
from analysis.affine.atoms import SymbolAtom
from analysis.affine.polynomial import variable
from analysis.divergence.thread_index import Extent
from analysis.graph.control_flow import ControlFlow
from analysis.ir.function import BasicBlock, Function
from analysis.ir.ids import BasicBlockId, SymbolId
from analysis.ir.instructions import Assert, Branch, Call, Opaque, Trap
from analysis.lower.layouts import size_of


@final
class Bounds:
    """Answers for one function."""

    def __init__(self, function: Function, control: ControlFlow, addresses: Addresses) -> None:
        self._function = function
        self._control = control
        self._addresses = addresses
        self._may_stop = any(_may_stop(block) for block in function.blocks)
        self._conditions: dict[BasicBlockId, tuple[Condition, ...] | None] = {}

    def outside(
        self,
        block: BasicBlockId,
        symbol: SymbolId,
        lanes: LaneAddress,
        width: int,
        extents: Sequence[Extent],
        warp_size: int,
    ) -> Outside | None:
        """The first shape for which some thread is outside; None if there is none, or none is certain."""
        size = size_of(self._function.symbols[symbol].type, self._function.structs)
        if size is None or self._may_stop or not lanes.is_exact or lanes.place[0] != variable(SymbolAtom(symbol)):
            return None
        for extent in extents:
            if extent is None or _is_surely_inside(lanes, extent, width, size):
                continue
            conditions = self._certain(block)
            if conditions is None:
                return None
            found = _find(lanes, Setting(extent, warp_size, conditions), extent, width, size)
            if found is not None:
                return found
        return None

    def _certain(self, block: BasicBlockId) -> tuple[Condition, ...] | None:
        """All that decides whether a thread comes, or None."""
        if block not in self._conditions:
            self._conditions[block] = None
            self._conditions[block] = self._find_conditions(block)
        return self._conditions[block]

    def _find_conditions(self, block: BasicBlockId) -> tuple[Condition, ...] | None:
        if self._control.innermost_cycle(block) is not None:
            return None
        controllers = self._control.controllers(block)
        if not controllers:
            return ()
        if len(controllers) != 1:
            return None
        terminator = self._function.blocks[controllers[0]].terminator
        if not isinstance(terminator, Branch):
            return None
        outer = self._certain(controllers[0])
        table = self._addresses.structured.get(terminator.condition)
        ways = [self._control.post_dominates(block, way) for way in (terminator.if_true, terminator.if_false)]
        if outer is None or table is None or ways[0] == ways[1]:
            return None
        return (*outer, (table, ways[0]))


def _may_stop(block: BasicBlock) -> bool:
    """Might a thread end here?  Control dependence does not count that, and calls that are not seen may do it."""
    stopping = any(isinstance(instruction, Assert | Call | Opaque) for instruction in block.instructions)
    return stopping or isinstance(block.terminator, Trap)


def _is_surely_inside(lanes: LaneAddress, extent: tuple[int, int, int], width: int, size: int) -> bool:
    """By the corners of the block, where the address is linear."""
    if lanes.tables or None in lanes.scales or lanes.scales[3]:
        return False
    low = high = lanes.constant
    for scale, length in zip(lanes.scales, extent, strict=False):
        reach = (scale or 0) * (length - 1)
        low, high = low + min(reach, 0), high + max(reach, 0)
    return low >= 0 and high + width <= size


def _find(lanes: LaneAddress, setting: Setting, extent: tuple[int, int, int], width: int, size: int) -> Outside | None:
    offsets = thread_offsets(lanes, setting)
    if offsets is None:
        return None
    wrong = [(thread, offset) for thread, offset in offsets if offset < 0 or offset + width > size]
    if not wrong:
        return None
    worst = max((offset for _, offset in wrong), key=lambda offset: max(offset - size, -offset))
    threads = [thread for thread, _ in wrong]
    return Outside(extent, threads[0], threads[-1], len(threads), worst, size)
