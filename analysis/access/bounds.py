"""Which threads of a block of known shape reach an access outside of the array?

Method    The address must be the variable's, plus a function of constants, the thread index and the rounds of loops
          that only count; and whether a thread comes must be decided by functions of the thread index and constants.
          Then every thread of the block is evaluated, in its first and last rounds.
Proof     A thread that comes and whose bytes do not all lie in the variable: in every launch with that shape.
Gives up  in functions that may stop a thread (traps, assertions, calls that are not seen), in other loops, behind
          guards that read anything else, at arrays of unknown size: no answer.  No answer does not mean that the access
          is safe.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import Final, final

from analysis.access.addresses import Addresses, LaneAddress
from analysis.access.counting_loops import CountingLoop, CountingLoops, Shape, by_round
from analysis.access.model import Outside
from analysis.access.participants import Condition
from analysis.access.warp_request import Setting, thread_offsets
from analysis.affine.atoms import SymbolAtom
from analysis.affine.polynomial import Polynomial, variable
from analysis.affine.result import AffineResult
from analysis.divergence.result import DivergenceResult
from analysis.divergence.thread_index import Extent
from analysis.graph.control_flow import ControlFlow
from analysis.graph.cycles import CycleId
from analysis.ir.function import BasicBlock, Function
from analysis.ir.ids import BasicBlockId, SymbolId
from analysis.ir.instructions import Assert, Branch, Call, Opaque, Trap
from analysis.ir.record import record
from analysis.lower.layouts import size_of


@final
@record
class _Way:
    """How threads come to an access: behind `conditions`, in each round of `loops`."""

    conditions: tuple[Condition, ...]
    loops: tuple[CountingLoop, ...]


@final
class Bounds:
    """Answers for one function."""

    def __init__(
        self,
        function: Function,
        control: ControlFlow,
        divergence: DivergenceResult,
        affine: AffineResult,
        addresses: Addresses,
    ) -> None:
        self._function = function
        self._control = control
        self._affine = affine
        self._addresses = addresses
        self._loops = CountingLoops(function, control, divergence, affine)
        self._ways: dict[BasicBlockId, _Way | None] = {}

    @cached_property
    def _may_stop(self) -> bool:
        return any(map(_may_stop, self._function.blocks))

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
        if size is None or not lanes.is_exact or self._may_stop:
            return None
        if extents == (None,):
            return None
        moved = lanes.place[0] - variable(SymbolAtom(symbol))
        for extent in extents:
            steps = None if extent is None else by_round(moved, extent)
            if extent is None or steps is None or self._is_surely_inside(lanes, moved, extent, width, size):
                continue
            way = self._way(block)
            if way is None:
                return None
            offsets = self._offsets(block, way, lanes, steps, Setting(extent, warp_size, way.conditions), extent)
            found = _worst(offsets, extent, width, size)
            if found is not None:
                return found
        return None

    def _is_surely_inside(self, lanes: LaneAddress, moved: Polynomial, extent: Shape, width: int, size: int) -> bool:
        """By the corners of the block and the ranges of everything else, where the address is linear."""
        if lanes.tables or None in lanes.scales or lanes.scales[3]:
            return False
        reach = self._affine.polynomial_range(moved)
        low, high = lanes.constant + reach.low, lanes.constant + reach.high
        for scale, length in zip(lanes.scales, extent, strict=False):
            last = (scale or 0) * (length - 1)
            low, high = low + min(last, 0), high + max(last, 0)
        return low >= 0 and high + width <= size

    def _offsets(
        self,
        block: BasicBlockId,
        way: _Way,
        lanes: LaneAddress,
        steps: Mapping[CycleId | None, int],
        setting: Setting,
        extent: Shape,
    ) -> Iterator[tuple[int, int, int]]:
        """Of the threads that come: linear id, least and largest offset; nothing where these are not known."""
        if steps.keys() - {None, *(loop.cycle.id for loop in way.loops)}:
            return
        counted = [(loop.rounds(block, extent, self._control), steps.get(loop.cycle.id, 0)) for loop in way.loops]
        offsets = thread_offsets(lanes, setting)
        if offsets is None:
            return
        constant = steps.get(None, 0)
        if not counted:
            yield from ((thread, offset + constant, offset + constant) for thread, offset in offsets)
            return
        for thread, offset in offsets:
            x, y = thread % extent[0], thread // extent[0]
            low = high = offset + constant
            for rounds, step in counted:
                number = None if rounds is None else rounds.of(x, y % extent[1], y // extent[1])
                if not number:
                    break
                last = step * (number - 1)
                low, high = low + min(last, 0), high + max(last, 0)
            else:
                yield thread, low, high

    # -- who comes --------------------------------------------------------------------------------------------------

    def _way(self, block: BasicBlockId) -> _Way | None:
        """All that decides whether a thread comes, or None."""
        if block not in self._ways:
            self._ways[block] = None
            loops = self._loops.around(block)
            conditions = None if loops is None else self._conditions(block, {loop.exit for loop in loops})
            self._ways[block] = None if loops is None or conditions is None else _Way(conditions, loops)
        return self._ways[block]

    def _conditions(self, block: BasicBlockId, exits: set[BasicBlockId]) -> tuple[Condition, ...] | None:
        """Without the tests of counting loops, which decide about rounds."""
        found: tuple[Condition, ...] = ()
        others: list[BasicBlockId] = []
        for controller in self._control.controllers(block):
            if controller not in exits:
                others.append(controller)
            elif controller != block:
                way = self._way(controller)
                if way is None:
                    return None
                found += way.conditions
        if not others:
            return found
        if len(others) != 1:
            return None
        own = self._condition(block, others[0])
        return None if own is None else (*found, *own)

    def _condition(self, block: BasicBlockId, controller: BasicBlockId) -> tuple[Condition, ...] | None:
        terminator = self._function.blocks[controller].terminator
        if not isinstance(terminator, Branch):
            return None
        outer = self._way(controller)
        table = self._addresses.structured.get(terminator.condition)
        ways = [self._control.post_dominates(block, way) for way in (terminator.if_true, terminator.if_false)]
        if outer is None or table is None or ways[0] == ways[1]:
            return None
        return (*outer.conditions, (table, ways[0]))


def _may_stop(block: BasicBlock) -> bool:
    """Might a thread end here?  Control dependence does not count that, and calls that are not seen may do it."""
    return isinstance(block.terminator, Trap) or not _STOPPING.isdisjoint(map(type, block.instructions))


_STOPPING: Final = frozenset({Assert, Call, Opaque})


def _how_wrong(offset: int, size: int) -> int:
    return max(offset - size, -offset)


def _worst(offsets: Iterator[tuple[int, int, int]], extent: Shape, width: int, size: int) -> Outside | None:
    threads: list[int] = []
    wrong: list[int] = []
    for thread, low, high in offsets:
        if low < 0 or high + width > size:
            threads.append(thread)
            wrong.append(max(high, low, key=lambda offset: _how_wrong(offset, size)))
    if not threads:
        return None
    worst = max(wrong, key=lambda offset: _how_wrong(offset, size))
    return Outside(extent, threads[0], threads[-1], len(threads), worst, size)
