"""The numbers of a launch that a kernel reads from objects: in parameters that are copies of what is passed, and in
constant memory."""

from __future__ import annotations

from collections.abc import Sequence

from analysis.divergence.launch_shape import ConstantNumber, MemberNumbers
from analysis.ir.function import Function, SymbolKind
from analysis.ir.object_members import MemberPlace, place_of_member
from analysis.ir.types import IntegerType, StructType, Type, VectorType
from analysis.launches.model import HeldConstant, PassedMember
from analysis.lower.builtins import builtin_type
from analysis.lower.conversions import wrapped


def passed_members(function: Function, members: Sequence[PassedMember]) -> MemberNumbers:
    """What the members of a kernel's parameters hold, where it takes the objects that are passed."""
    found: list[tuple[int, MemberPlace, int]] = []
    for one in members:
        parameter = function.parameters[one.argument] if one.argument < len(function.parameters) else None
        if parameter is None or not _is_of_record(type := function.types[parameter.value], one.type):
            continue
        member = place_of_member(function, type, one.path.split("."))
        if member is not None and isinstance(member[1], IntegerType):
            found.append((one.argument, member[0], int(wrapped(one.number, member[1]))))
    return tuple(found)


def _is_of_record(type: Type, name: str) -> bool:
    """Whether a parameter is a copy of the object: another class may be made of it."""
    match type:
        case StructType(name=own):
            return own.rpartition("::")[2] == name
        case VectorType():
            return builtin_type(name) == type
        case _:
            return False


def held_constants(function: Function, held: Sequence[HeldConstant]) -> tuple[ConstantNumber, ...]:
    """What the variables in constant memory hold that a kernel may read."""
    symbols = [one for one in function.symbols if one.kind is SymbolKind.CONSTANT] if held else []
    types = {one.name.rpartition("::")[2]: one.type for one in symbols}
    found: list[ConstantNumber] = []
    for one in held:
        type = types.get(one.name)
        member = None if type is None else place_of_member(function, type, one.path.split(".") if one.path else ())
        if member is not None and isinstance(member[1], IntegerType):
            number = int(wrapped(one.number, member[1]))
            found.append(ConstantNumber(one.name, member[0], number, one.is_certain))
    return tuple(found)
