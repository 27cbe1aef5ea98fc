"""Between which numbers does an integer lie?"""

from __future__ import annotations

from typing import final

from analysis.affine.interval import Interval, type_range
from analysis.affine.launch_bounds import LaunchBounds
from analysis.graph.control_flow import ControlFlow
from analysis.ir.function import Function
from analysis.ir.ids import BasicBlockId, ValueId
from analysis.ir.instructions import Constant, ReadSpecial
from analysis.ir.types import U64, BooleanType, IntegerType, Type


@final
class Ranges:
    """Frozen answers of `find_ranges`."""

    def __init__(self, function: Function, intervals: list[Interval | None]) -> None:
        self._function = function
        self._intervals = intervals

    def of(self, value: ValueId) -> Interval:
        found = self._intervals[value]
        return whole_range(self._function.types[value]) if found is None else found

    def at(self, value: ValueId, block: BasicBlockId) -> Interval:
        del block
        return self.of(value)


def whole_range(type_: Type) -> Interval:
    return type_range(type_) if isinstance(type_, IntegerType | BooleanType) else type_range(U64)


def find_ranges(function: Function, control: ControlFlow, bounds: LaunchBounds) -> Ranges:
    intervals: list[Interval | None] = [None] * len(function.types)
    for block in control.order:
        for instruction in function.blocks[block].instructions:
            match instruction:
                case Constant(result=result, value=bool() | int() as value):
                    intervals[result] = Interval(int(value), int(value))
                case ReadSpecial(result=result, register=register):
                    intervals[result] = bounds.registers.get(register)
                case _:
                    pass
    return Ranges(function, intervals)
