"""Locks whose critical section is not ordered by fences.

A lock is a word that an atomic compare-and-swap or exchange takes (from `free` to `taken`, two constants, and its
result decides a branch) and that is later set back to `free`.  Atomics are relaxed: they order nothing but themselves.
So what was written under the lock has to be fenced off before the release, and what is read under it after the taking.

Question  Can a thread come from a plain write to the release, or from the taking to a plain read, without a fence?
Tiers     PROVEN for a write.  POSSIBLE for a read: it waits for the branch, which is enough unless it hits an old line
          of a cache.
Followed  locks and data in global memory, and paths that lead from the taking to the release.  Volatile accesses and
          atomics are left alone, so is what is not understood: a call may contain a fence.
Source    PTX ISA, "Memory Consistency Model", release and acquire patterns.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final, TypeAlias, final

from analysis.divergence.result import DivergenceResult
from analysis.graph.control_flow import ControlFlow
from analysis.ir.function import Function
from analysis.ir.ids import BasicBlockId, ValueId
from analysis.ir.instructions import (
    Atomic,
    BlockBarrier,
    Call,
    Constant,
    Convert,
    DeviceLaunch,
    Fence,
    GridBarrier,
    Instruction,
    Load,
    Opaque,
    Store,
)
from analysis.ir.operators import AtomicOperator
from analysis.ir.types import MemorySpace
from analysis.memory.same_address import SameAddress
from analysis.memory.spaces import SpaceResult
from analysis.verdict.barriers import Tier
from analysis.warp.dependence import rests_on
from analysis.warp.model import WarpProblem, WarpProblemKind

_RELEASING: Final = (AtomicOperator.EXCHANGE, AtomicOperator.STORE)
_ORDERING: Final = Fence | BlockBarrier | GridBarrier | Call | DeviceLaunch | Opaque

Place: TypeAlias = tuple[BasicBlockId, int]
"""A block and the number of an instruction in it."""


def find_unfenced_locks(
    function: Function, control: ControlFlow, divergence: DivergenceResult, spaces: SpaceResult
) -> Iterator[WarpProblem]:
    """One for each lock and side, at the release for its writes, at the taking for its reads."""
    finder = _Finder(function, control, divergence, spaces)
    for block in control.order:
        for index, item in enumerate(function.blocks[block].instructions):
            if isinstance(item, Atomic):
                yield from finder.problems((block, index), item)


@final
class _Finder:
    def __init__(
        self, function: Function, control: ControlFlow, divergence: DivergenceResult, spaces: SpaceResult
    ) -> None:
        self._function = function
        self._control = control
        self._divergence = divergence
        self._spaces = spaces
        self._same = SameAddress(function, divergence)

    def problems(self, taking: Place, lock: Atomic) -> Iterator[WarpProblem]:
        """Nothing where the atomic takes no lock."""
        free = self._free(lock)
        if free is None or not self._is_global(lock.address) or not self._decides(lock.result):
            return
        release = next(self._releases(taking, lock, free), None)
        if release is None:
            return
        held = [place for place in self._reached(taking, release) if self._is_plain(place, lock)]
        held = [place for place in held if release in self._reached(place, taking)]
        written = [place for place in held if isinstance(self._instruction(place), Store)]
        unfenced = next((place for place in written if release in self._reached(place, taking, fenced=True)), None)
        released = self._instruction(release)
        if unfenced is not None and isinstance(released, Atomic | Store):
            yield self._problem(WarpProblemKind.UNFENCED_RELEASE, release, released, unfenced)
        early = self._reached(taking, release, fenced=True)
        unfenced = next(
            (place for place in held if place in early and isinstance(self._instruction(place), Load)), None
        )
        if unfenced is not None:
            yield self._problem(WarpProblemKind.UNFENCED_TAKING, taking, lock, unfenced)

    def _problem(self, kind: WarpProblemKind, place: Place, item: Atomic | Store, other: Place) -> WarpProblem:
        tier = Tier.PROVEN if kind is WarpProblemKind.UNFENCED_RELEASE else Tier.POSSIBLE
        return WarpProblem(kind, place[0], item, tier, None, (), other=self._instruction(other).span)

    # -- what a lock is ---------------------------------------------------------------------------------------------

    def _free(self, lock: Atomic) -> Callable[[int], bool] | None:
        """Which numbers say that nobody holds the lock."""
        numbers = [self._constant(value) for value in lock.arguments]
        match lock.operator, numbers:
            case AtomicOperator.COMPARE_AND_SWAP, [int(free), int(taken)] if free != taken:
                return lambda number: number == free
            case AtomicOperator.EXCHANGE, [int(taken)]:
                return lambda number: number != taken
            case _:
                return None

    def _releases(self, taking: Place, lock: Atomic, is_free: Callable[[int], bool]) -> Iterator[Place]:
        for block in self._control.order:
            if not self._control.dominates(taking[0], block):
                continue
            for index, item in enumerate(self._function.blocks[block].instructions):
                written: ValueId | None = None
                match item:
                    case Atomic(operator=operator, arguments=(value,)) if operator in _RELEASING:
                        written = value
                    case Store(value=value):
                        written = value
                    case _:
                        continue
                number = self._constant(written)
                is_behind = block != taking[0] or index > taking[1]
                if (
                    is_behind
                    and number is not None
                    and is_free(number)
                    and self._same.holds(item.address, lock.address)
                ):
                    yield block, index

    def _decides(self, result: ValueId) -> bool:
        """Does a branch depend on what the atomic found?"""
        terminators = (self._function.blocks[block].terminator for block in self._control.order)
        operands = (value for terminator in terminators for value in terminator.operands)
        return rests_on(self._divergence, operands, result)

    def _constant(self, value: ValueId) -> int | None:
        item = self._divergence.definition(value)
        while isinstance(item, Convert):
            item = self._divergence.definition(item.operand)
        return item.value if isinstance(item, Constant) and isinstance(item.value, int) else None

    # -- what it guards ---------------------------------------------------------------------------------------------

    def _is_plain(self, place: Place, lock: Atomic) -> bool:
        item = self._instruction(place)
        return (
            isinstance(item, Load | Store)
            and not item.volatile
            and self._is_global(item.address)
            and not self._same.holds(item.address, lock.address)
        )

    def _is_global(self, address: ValueId) -> bool:
        return self._spaces.space(address) is MemorySpace.GLOBAL

    def _instruction(self, place: Place) -> Instruction:
        return self._function.blocks[place[0]].instructions[place[1]]

    def _reached(self, start: Place, end: Place, *, fenced: bool = False) -> dict[Place, None]:
        """The instructions that can come after `start` up to `end`, or before it comes again.

        `fenced`: no fence and nothing that may be one stands in between.
        """
        found: dict[Place, None] = {}
        entered: set[BasicBlockId] = set()
        waiting = [(start[0], start[1] + 1)]
        while waiting:
            block, first = waiting.pop()
            for index, item in enumerate(self._function.blocks[block].instructions[first:], first):
                if (block, index) == start or (fenced and isinstance(item, _ORDERING)):
                    break
                found[block, index] = None
                if (block, index) == end:
                    break
            else:
                following = [after for after in self._control.successors[block] if after not in entered]
                entered.update(following)
                waiting.extend((after, 0) for after in following)
        return found
