"""Objects behind pointers to a base class: of which class are those that are made up?

Rules   Where the kernel calls virtual functions of what pointers in memory lead to, each object has room for the
        largest class that has such a function.  The objects are of one class after the other, of those whose pointers
        lie where that one has pointers to the same.
"""

from __future__ import annotations

from analysis.inputs.array_uses import ArrayUse
from analysis.ir.types import CLASS_NUMBER, PointerType, StructLayout, StructType, Type
from analysis.lower.class_numbers import number_of_named_class
from sim.launch.contents import Limits, Structs


def whole_object(element: Type, use: ArrayUse, structs: Structs) -> Type:
    """The class that objects are made as which are seen as an `element`."""
    layouts = _classes(element, use, structs)
    return element if not layouts else StructType(max(layouts, key=lambda one: (one.size, one.name)).name)


def of_classes(limits: Limits, element: Type, use: ArrayUse, structs: Structs) -> Limits:
    """What members hold, where objects are made as an `element`."""
    whole = structs.get(element.name) if isinstance(element, StructType) else None
    if whole is None or not limits.callees:
        return limits
    pointers = _pointers(whole)
    classes = [one for one in _classes(element, use, structs) if _pointers(one) <= pointers]
    numbers = tuple(number_of_named_class(one.name) for one in classes)
    own = {path: numbers for path in limits.callees if numbers and path and path[-1] in _class_members(whole)}
    return Limits(limits.roles, limits.below, limits.ranges, limits.starts, {**limits.callees, **own})


def _classes(element: Type, use: ArrayUse, structs: Structs) -> list[StructLayout]:
    """The classes that virtual calls on an `element` ask for."""
    layout = structs.get(element.name) if isinstance(element, StructType) else None
    if layout is None:
        return []
    asked = {number for name in _class_members(layout) for number in use.callees.get((name,), ())}
    return [one for _, one in sorted(structs.items()) if number_of_named_class(one.name) in asked]


def _class_members(layout: StructLayout) -> set[str]:
    return {field.name for field in layout.fields if field.type == CLASS_NUMBER}


def _pointers(layout: StructLayout) -> set[tuple[int, Type]]:
    return {(field.offset, field.type) for field in layout.fields if isinstance(field.type, PointerType)}
