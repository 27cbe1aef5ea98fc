"""Members of objects that are the same in all of a launch: where they are read, by the places on the way to them.

Places   `%3 = extract %0, 2;  %4 = extract %3, 1` reads member (2, 1) of the parameter %0, and
         `%5 = address $0;  %6 = field %5, 2;  %7 = load %6` member (2) of the variable $0 in constant memory.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, TypeAlias

from analysis.ir.function import Function, SymbolKind
from analysis.ir.ids import ValueId
from analysis.ir.instructions import Constant, ElementAddress, ExtractElement, FieldAddress, Load, SymbolAddress
from analysis.ir.types import ArrayType, IntegerType, PointerType, StructType, Type, VectorType

MemberPlace: TypeAlias = tuple[int, ...]
"""The index of a member, then of a member of that, and so on."""
_AXES: Final = ("x", "y", "z", "w")


def members_read(function: Function) -> Mapping[tuple[int, MemberPlace], Sequence[ValueId]]:
    """The values that are integers in parameters, by the position of the parameter and the place of the member."""
    types = function.types
    places: dict[ValueId, tuple[int, MemberPlace]] = {
        parameter.value: (position, ())
        for position, parameter in enumerate(function.parameters)
        if isinstance(types[parameter.value], StructType | VectorType | ArrayType)
    }
    found: dict[tuple[int, MemberPlace], list[ValueId]] = {}
    if places:
        for _, item in function.instructions():
            if isinstance(item, ExtractElement) and item.aggregate in places:
                position, place = places[item.aggregate]
                places[item.result] = position, (*place, item.index)
                if isinstance(types[item.result], IntegerType):
                    found.setdefault(places[item.result], []).append(item.result)
    return found


def numbers_of_members(function: Function, numbers: Sequence[tuple[int, MemberPlace, int]]) -> Mapping[ValueId, int]:
    """What the values hold that read members of parameters, for numbers by their position and place."""
    held = {(position, place): number for position, place, number in numbers}
    if not held:
        return {}
    return {value: held[key] for key, values in members_read(function).items() if key in held for value in values}


def constants_read(function: Function) -> Mapping[tuple[str, MemberPlace], Sequence[ValueId]]:
    """The values that are integers in variables in constant memory, by the name of the variable and the place in it;
    one that is an integer itself has no place."""
    found: dict[tuple[str, MemberPlace], list[ValueId]] = {}
    if all(symbol.kind is not SymbolKind.CONSTANT for symbol in function.symbols):
        return found
    addresses: dict[ValueId, tuple[str, MemberPlace]] = {}
    values: dict[ValueId, tuple[str, MemberPlace]] = {}
    constants = {item.result: item.value for _, item in function.instructions() if isinstance(item, Constant)}
    for _, item in function.instructions():
        match item:
            case SymbolAddress(symbol=symbol) if function.symbols[symbol].kind is SymbolKind.CONSTANT:
                addresses[item.result] = function.symbols[symbol].name.rpartition("::")[2], ()
            case FieldAddress(base=base, field=field) if base in addresses:
                name, place = addresses[base]
                addresses[item.result] = name, (*place, field)
            case ElementAddress(base=base, index=index) if base in addresses:
                name, place = addresses[base]
                at, whole = constants.get(index), function.types[base]
                is_inside = isinstance(whole, PointerType) and isinstance(whole.element, ArrayType)
                if isinstance(at, int) and at >= 0 and is_inside:
                    addresses[item.result] = name, (*place, at)
            case Load(address=address, volatile=False) if address in addresses:
                values[item.result] = addresses[address]
            case ExtractElement(aggregate=aggregate, index=index) if aggregate in values:
                name, place = values[aggregate]
                values[item.result] = name, (*place, index)
            case _:
                continue
        if item.result in values and isinstance(function.types[item.result], IntegerType):
            found.setdefault(values[item.result], []).append(item.result)
    return found


def place_of_member(function: Function, type: Type, path: Sequence[str]) -> tuple[MemberPlace, Type] | None:
    """Where a member lies, and its type; elements of arrays are named by their numbers."""
    place: list[int] = []
    for name in path:
        found = _step(function, type, name)
        if found is None:
            return None
        at, type = found
        place.append(at)
    return tuple(place), type


def _step(function: Function, type: Type, name: str) -> tuple[int, Type] | None:
    match type:
        case StructType():
            layout = function.structs.get(type.name)
            for at, field in enumerate(() if layout is None or layout.is_union else layout.fields):
                if field.name == name:
                    return None if field.bits is not None else (at, field.type)
            return None
        case VectorType(element=element, length=length):
            at = _AXES.index(name) if name in _AXES else length
            return (at, element) if at < length else None
        case ArrayType(element=element):
            return (int(name), element) if name.isdigit() else None
        case _:
            return None


def spelled_member(function: Function, type: Type, place: MemberPlace) -> str:
    """`.in.b`, `.sizes[2]`."""
    text = ""
    for at in place:
        match type:
            case StructType() if type.name in function.structs:
                field = function.structs[type.name].fields[at]
                text, type = f"{text}.{field.name}", field.type
            case VectorType(element=element):
                text, type = f"{text}.{_AXES[at]}", element
            case ArrayType(element=element):
                text, type = f"{text}[{at}]", element
            case _:
                return text
    return text
