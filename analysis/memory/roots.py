"""Which pointer an address was derived from, and what it is called where it comes with the launch."""

from __future__ import annotations

from analysis.divergence.result import DivergenceResult
from analysis.ir.function import Function
from analysis.ir.ids import ValueId
from analysis.ir.instructions import Bitcast, ElementAddress, ExtractElement, FieldAddress
from analysis.ir.object_members import spelled_member


def pointer_root(divergence: DivergenceResult, address: ValueId) -> ValueId:
    """The pointer that an address is derived from step by step: an argument, a variable, or what else gave it."""
    while True:
        match divergence.definition(address):
            case ElementAddress(base=base) | FieldAddress(base=base):
                address = base
            case Bitcast(operand=operand):
                address = operand
            case _:
                return address


def argument_name(function: Function, divergence: DivergenceResult, root: ValueId) -> str | None:
    """`x` of a parameter, `image.data` of a member of one; None for what is neither."""
    item = divergence.definition(root)
    if isinstance(item, ExtractElement):
        return member_name(function, item.aggregate, item.index)
    return _parameter_name(function, root)


def member_name(function: Function, parameter: ValueId, index: int) -> str | None:
    """`image.data` of a member that a parameter has; None for what is no parameter."""
    name = _parameter_name(function, parameter)
    return None if name is None else name + spelled_member(function, function.types[parameter], (index,))


def _parameter_name(function: Function, value: ValueId) -> str | None:
    return next((one.name for one in function.parameters if one.value == value), None)
