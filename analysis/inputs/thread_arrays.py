"""Arrays of fixed length that are indexed by a thread's coordinate as it is: they are made for blocks that large."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from analysis.inputs.flow import Flow
from analysis.ir.ids import ValueId
from analysis.ir.instructions import Convert, ElementAddress, ReadSpecial
from analysis.ir.operators import SpecialRegister
from analysis.ir.types import ArrayType, PointerType

_AXES: Final = {SpecialRegister.THREAD_X: 0, SpecialRegister.THREAD_Y: 1, SpecialRegister.THREAD_Z: 2}


def lengths_by_axis(flow: Flow) -> Sequence[tuple[int, int]]:
    """Axes and lengths, the longest array of an axis first."""
    found: set[tuple[int, int]] = set()
    for _, instruction in flow.function.instructions():
        if isinstance(instruction, ElementAddress):
            base = flow.function.type_of(instruction.base)
            axis = _axis(flow, instruction.index)
            element = base.element if isinstance(base, PointerType) else None
            if axis is not None and isinstance(element, ArrayType) and element.length:
                found.add((axis, element.length))
    return sorted(found, key=lambda one: (one[0], -one[1]))


def _axis(flow: Flow, index: ValueId) -> int | None:
    definition = flow.definitions.get(index)
    while isinstance(definition, Convert):
        definition = flow.definitions.get(definition.operand)
    return _AXES.get(definition.register) if isinstance(definition, ReadSpecial) else None
