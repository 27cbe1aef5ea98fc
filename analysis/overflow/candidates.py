"""Which operations of 32 bits might leave their type on the way to an index of memory?

Walked   from the index of each element outside of shared and local memory, through what is followed in the integers
         of mathematics (`thread_values.py`), and into the counters of loops.
Limits   constants of unsigned types that stand for negative numbers are meant to wrap: such an index is left alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Final, final

from analysis.ir.ids import BasicBlockId, ValueId
from analysis.ir.instructions import Binary, Constant, Convert, ElementAddress, Load, Math, Phi, Select, Unary
from analysis.ir.operators import MathFunction, UnaryOperator
from analysis.ir.pace import paced, spend
from analysis.ir.record import record
from analysis.ir.source import FrameId
from analysis.ir.types import IntegerType, MemorySpace
from analysis.memory.spaces import SpaceResult
from analysis.overflow.intervals import IndexIntervals, fits
from analysis.overflow.thread_values import EXACT, INDEX_BITS, FunctionFlow

MAX_NODES: Final = 200
"""Of one index."""


@final
@record
class Candidate:
    """`value` may leave its type, is computed for the index of an element that `block` addresses, and is the innermost
    such.  `path`: from there to the index, which is last."""

    value: ValueId
    index: ValueId
    block: BasicBlockId
    path: tuple[ValueId, ...]


def indices(flow: FunctionFlow, spaces: SpaceResult) -> Iterator[tuple[ValueId, BasicBlockId]]:
    """Each index of global memory once, where it is used first."""
    seen: set[tuple[ValueId, BasicBlockId]] = set()
    for block in paced(flow.control.order):
        for item in flow.function.blocks[block].instructions:
            if type(item) is not ElementAddress or (item.index, block) in seen:
                continue
            if spaces.space(item.base) in (MemorySpace.SHARED, MemorySpace.LOCAL):
                continue
            seen.add((item.index, block))
            yield item.index, block


def candidates(
    flow: FunctionFlow,
    intervals: IndexIntervals,
    index: ValueId,
    block: BasicBlockId,
    is_asked: Callable[[ValueId], bool] = lambda _: True,
) -> list[Candidate]:
    """Innermost first; those that are asked for."""
    walk = _Walk(flow, intervals, index, block, is_asked)
    walk.visit(index, None, ())
    return [] if walk.wraps_on_purpose else walk.found


def in_frame(flow: FunctionFlow, value: ValueId, frame: FrameId) -> bool:
    item = flow.definition(value)
    return item is not None and not isinstance(item, Phi) and item.span.frame == frame


@final
class IndexFrames:
    """On operations of which frames each index rests: most of a function lie in frames that are not asked about."""

    def __init__(self, flow: FunctionFlow, indices: Iterable[ValueId]) -> None:
        self._flow = flow
        self._frames: dict[ValueId, int] = {}
        """Sets of frames, a bit for each."""
        self._find(indices)

    def may_have(self, index: ValueId, frame: FrameId) -> bool:
        """Whether one of its candidates may be of the frame; it is never too few that may."""
        return bool(self._frames.get(index, 0) >> frame & 1)

    def _find(self, indices: Iterable[ValueId]) -> None:
        """From what is used to what uses it, until nothing changes."""
        users: dict[ValueId, list[ValueId]] = {}
        waiting = list(dict.fromkeys(indices))
        seen = set(waiting)
        while waiting:
            value = waiting.pop()
            spend(1)
            for used in self._used(value):
                users.setdefault(used, []).append(value)
                if used not in seen:
                    seen.add(used)
                    waiting.append(used)
        frames = self._frames
        frames |= {value: self._own(value) for value in seen}
        changed = [value for value in seen if frames[value]]
        while changed:
            value = changed.pop()
            spend(1)
            found = frames[value]
            for user in users.get(value, ()):
                if frames[user] | found != frames[user]:
                    frames[user] |= found
                    changed.append(user)

    def _own(self, value: ValueId) -> int:
        item = self._flow.definition(value)
        if not isinstance(item, Binary | Convert) or not self._flow.is_number(value):
            return 0
        return 1 << item.span.frame

    def _used(self, value: ValueId) -> Sequence[ValueId]:
        flow = self._flow
        if not flow.is_number(value):
            return ()
        item = flow.definition(value)
        if isinstance(item, _FOLLOWED):
            return item.operands
        stored = flow.stored(item)
        return () if stored is None else (stored,)


_FOLLOWED: Final = (Binary, Convert, Unary, Select, Math, Phi)


@final
class _Walk:
    def __init__(
        self,
        flow: FunctionFlow,
        intervals: IndexIntervals,
        index: ValueId,
        block: BasicBlockId,
        is_asked: Callable[[ValueId], bool],
    ) -> None:
        self._flow = flow
        self._is_asked = is_asked
        self._intervals = intervals
        self._index = index
        self._block = block
        self._seen: set[ValueId] = set()
        self.found: list[Candidate] = []
        self.wraps_on_purpose = False

    def visit(self, value: ValueId, limit: int | None, path: tuple[ValueId, ...]) -> None:
        """`limit`: the largest number that a comparison of what it is converted to lets through."""
        flow = self._flow
        if value in self._seen or len(self._seen) > MAX_NODES or not flow.is_number(value):
            return
        self._seen.add(value)
        item, here = flow.definition(value), (value, *path)
        own = self._intervals.limit(value, self._block)
        limit = own if own is not None else limit
        match item:
            case Binary(operator=operator, left=left, right=right) if operator in EXACT:
                for side in (left, right):
                    self.visit(side, None, here)
                self._judge(value, limit, here)
            case Convert(operand=operand):
                self.visit(operand, limit, here)
                self._judge(value, limit, here)
            case Unary(operator=UnaryOperator.NEGATE, operand=operand):
                self.visit(operand, None, here)
            case Select(if_true=one, if_false=other):
                self.visit(one, limit, here)
                self.visit(other, limit, here)
            case Math(function=MathFunction.MINIMUM | MathFunction.MAXIMUM, operands=operands):
                for operand in operands:
                    self.visit(operand, None, here)
            case Phi():
                for operand in item.operands:
                    self.visit(operand, limit, here)
            case Load() if (stored := flow.stored(item)) is not None:
                self.visit(stored, limit, here)
            case Constant(value=int() as number):
                type_ = flow.types[value]
                is_unsigned = isinstance(type_, IntegerType) and not type_.signed
                self.wraps_on_purpose |= is_unsigned and number >= 1 << (INDEX_BITS - 1)
            case _:
                pass

    def _judge(self, value: ValueId, limit: int | None, path: tuple[ValueId, ...]) -> None:
        type_ = self._flow.types[value]
        if not isinstance(type_, IntegerType) or type_.bits != INDEX_BITS or not self._is_asked(value):
            return
        interval = self._intervals.of(value, self._block)
        is_beyond = limit is not None and limit > _largest(type_)
        if is_beyond or not fits(interval, type_):
            self.found.append(Candidate(value, self._index, self._block, path))


def _largest(type_: IntegerType) -> int:
    return (1 << (type_.bits - type_.signed)) - 1
