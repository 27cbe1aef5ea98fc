"""Objects of constant expressions: members, bases, elements, what pointers do, and what is left at the end.

Rules   Nothing is evaluated here: the machine (`machine.py`) says what is done to which object, `store.py` keeps what
        each holds, and the surroundings (`program.py`) say what classes have.
Source  C++20 standard, [expr.ref], [conv.ptr], [expr.add], [expr.rel], [dcl.init.ref].
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final, final

from analysis.cpp.constants import arithmetic
from analysis.cpp.constants.budget import Budget
from analysis.cpp.constants.program import ClassShape, Names
from analysis.cpp.constants.store import Store
from analysis.cpp.constants.values import (
    NULL,
    UNKNOWN,
    UNSET,
    Aggregate,
    Closure,
    Contents,
    Frozen,
    FunctionPointer,
    NotConstant,
    Number,
    Place,
    Pointer,
    Result,
    Value,
)
from analysis.cpp.conversions.model import ValueCategory
from analysis.cpp.expressions.parts import member_type
from analysis.cpp.types.arithmetic import is_integral
from analysis.cpp.types.model import (
    BOOL,
    INT,
    NULL_POINTER,
    ArrayType,
    ClassType,
    DeviceType,
    Fundamental,
    PointerType,
    QualType,
    ReferenceType,
    fundamental,
    qualified,
)

_COMPARING: Final = frozenset({"==", "!=", "not_eq", "<", "<=", ">", ">="})


@final
class Objects:
    """The objects of one evaluation."""

    def __init__(self, names: Names, store: Store, budget: Budget) -> None:
        self._program = names
        self._store = store
        self._budget = budget
        self._shapes: dict[ClassType, ClassShape] = {}
        self.closures: dict[str, Closure] = {}
        """Lambdas by the name of their class."""

    # -- what is left when the evaluation ends -------------------------------------------------------------------------

    def frozen(self, result: Result) -> Frozen:
        """What is left of the result when the evaluation ends."""
        if isinstance(result, Place) and not isinstance(result.type.type, ArrayType | ClassType | DeviceType):
            type, value = result.type, self._store.read(result)
        else:
            type = result.type
            contents = result.data if isinstance(result, Value) else self._store.contents(result)
            if isinstance(result, Place) and isinstance(contents, list) and isinstance(type.type, ClassType):
                contents = contents[result.shift : result.shift + len(self.shape(type.type).fields)]
            value = Value(type, contents, isinstance(result, Value) and result.is_guess)
        known = self.frozen_contents(type, value.data, value.is_guess)
        if known is None:
            raise NotConstant
        return known

    def frozen_contents(self, type: QualType, contents: Contents, is_guess: bool = False) -> Frozen | None:
        self._budget.take()
        if isinstance(contents, bool | int | float):
            return Number(contents, type, is_guess)
        if isinstance(contents, Pointer):
            return Number(0, type) if contents.place is None else None
        if not isinstance(contents, list):
            return None
        match type.type:
            case ArrayType(element=element):
                whole = QualType(ArrayType(element, len(contents)))
                return Aggregate(whole, tuple([self.frozen_contents(element, each) for each in contents]))
            case ClassType():
                if contents and isinstance(contents[0], Closure):
                    return None
                fields = self.shape(type.type).fields
                types = [NULL_POINTER if one.type is None else one.type for one in fields]
                members = [self.frozen_contents(one, each) for one, each in zip(types, contents, strict=True)]
                return Aggregate(type.unqualified, tuple(members))
            case DeviceType():
                element = self.vector(type)[0]
                return Aggregate(type.unqualified, tuple([self.frozen_contents(element, each) for each in contents]))
            case _:
                return None

    def thawed(self, known: Frozen | None) -> Contents:
        match known:
            case None:
                return UNKNOWN
            case Number(value=value, type=type):
                return NULL if isinstance(type.type, PointerType) or type == NULL_POINTER else value
            case Aggregate(members=members):
                self._budget.take(len(members))
                return [self.thawed(each) for each in members]

    # -- members, bases and elements -----------------------------------------------------------------------------------

    def class_of(self, whole: Result) -> ClassShape:
        if not isinstance(whole.type.type, ClassType):
            raise NotConstant
        return self.shape(whole.type.type)

    def shape(self, type: ClassType) -> ClassShape:
        known = self._shapes.get(type)
        if known is None:
            known = self._program.class_of(type)
            if known is None:
                raise NotConstant
            self._shapes[type] = known
        return known

    def member(self, whole: Place, name: str) -> Place:
        shape = self.class_of(whole)
        index = shape.index(name)
        if index is None:
            raise NotConstant
        return self.part(whole, shape, index)

    def part(self, whole: Place, shape: ClassShape, index: int) -> Place:
        """A member of an object of class type; what it refers to, if it is a reference."""
        declared = shape.fields[index]
        if declared.type is None or declared.is_mutable:
            raise NotConstant
        members = self._store.members(whole)
        if isinstance(declared.type.type, ReferenceType):
            if members is None:
                return self._store.unknown(declared.type.object)
            found = members[whole.shift + index]
            if not isinstance(found, Place):
                raise NotConstant
            return found
        type = member_type(whole.type, declared.type)
        if members is None:
            return self._store.unknown(type)
        at = whole.shift + index
        return Place(members, at, type, whole.object, category=whole.category, width=declared.width)

    def making(self, whole: Place, shape: ClassShape, index: int) -> Place:
        """The member that is being made: a reference is bound there."""
        declared = shape.fields[index]
        if declared.type is None:
            raise NotConstant
        members = whole.container[whole.index]
        if not isinstance(members, list):
            raise NotConstant
        return Place(members, whole.shift + index, declared.type, whole.object, width=declared.width)

    def base(self, whole: Place, base: ClassType) -> Place:
        """The part of the object that one of its base classes is."""
        if whole.type.type == base:
            return whole
        assert isinstance(whole.type.type, ClassType)
        shift = self.shift(whole.type.type, base)
        if shift is None:
            raise NotConstant
        type = QualType(base, whole.type.is_constant, whole.type.is_volatile)
        return replace(whole, type=type, shift=whole.shift + shift)

    def shift(self, derived: ClassType, base: ClassType) -> int | None:
        """Where the members of the base begin in a class derived from it; None where it is no base, or one of two."""
        found: list[int] = []
        for direct, start in self.shape(derived).bases:
            inner = 0 if direct == base else self.shift(direct, base)
            if inner is not None:
                found.append(start + inner)
        return found[0] if len(found) == 1 else None

    def vector(self, type: QualType) -> tuple[QualType, int]:
        found = self._program.element_type(type)
        if found is None:
            raise NotConstant
        return found

    def vector_member(self, whole: Place, name: str) -> Place:
        element, length = self.vector(whole.type)
        index = "xyzw".find(name)
        if len(name) != 1 or not 0 <= index < length:
            raise NotConstant
        members = self._store.members(whole)
        type = qualified(element, constant=whole.type.is_constant)
        if members is None:
            return self._store.unknown(type)
        return Place(members, index, type, whole.object, category=whole.category)

    def same_object(self, place: Place, referred: QualType) -> Place | None:
        """The object as the reference sees it; None where it is one of another type."""
        if place.type.unqualified != referred.unqualified:
            own, other = place.type.type, referred.type
            if isinstance(own, ArrayType) and isinstance(other, ArrayType) and other.length is None:
                return replace(place, type=qualified(place.type, constant=referred.is_constant))
            if not isinstance(own, ClassType) or not isinstance(other, ClassType):
                return None
            if own.name in self.closures or self.shift(own, other) is None:
                return None
            place = self.base(place, other)
        return replace(place, type=referred, category=ValueCategory.LVALUE)

    # -- objects that begin --------------------------------------------------------------------------------------------

    def is_copied_by_code(self, type: QualType) -> bool:
        """Whether copying an object runs a constructor."""
        while isinstance(type.type, ArrayType):
            type = type.type.element
        return isinstance(type.type, ClassType) and self.shape(type.type).is_copied_by_code

    def blank(self, type: QualType) -> Contents:
        """An object of which nothing is initialised."""
        match type.type:
            case ArrayType(element=element, length=length):
                if not isinstance(length, int):
                    return UNSET
                self._budget.take(length)
                return [self.blank(element) for _ in range(length)]
            case ClassType():
                if type.type.name in self.closures:
                    return UNSET
                fields = self.shape(type.type).fields
                self._budget.take(len(fields))
                if any(one.type is None for one in fields):
                    raise NotConstant
                return [self.blank(one.type) for one in fields if one.type is not None]
            case DeviceType():
                element, length = self.vector(type)
                return [self.blank(element) for _ in range(length)]
            case _:
                return UNSET

    def put(self, place: Place, contents: Contents) -> None:
        """The first value of an object that is no reference; members of a class go where they belong."""
        if place.width is not None:
            assert isinstance(contents, int | float)
            contents = arithmetic.as_bit_field(contents, place.type, place.width)
        old = place.container[place.index]
        if isinstance(place.type.type, ClassType) and isinstance(old, list) and isinstance(contents, list):
            old[place.shift : place.shift + len(contents)] = contents
        else:
            place.container[place.index] = contents

    # -- pointers ------------------------------------------------------------------------------------------------------

    def advanced(self, pointer: Value, by: Value, sign: int) -> Value:
        if not isinstance(pointer.type.type, PointerType):
            raise NotConstant
        if not self._store.is_real:
            return Value(pointer.type, UNKNOWN)
        if not isinstance(by.data, int):
            raise NotConstant
        return Value(pointer.type, self._store.moved(pointer.data, sign * by.data))

    def of_pointers(self, kind: str, left: Value, right: Value) -> Value:
        is_left, is_right = (isinstance(one.type.type, PointerType) for one in (left, right))
        if kind in ("+", "-") and is_left and is_integral(right.type):
            return self.advanced(left, right, 1 if kind == "+" else -1)
        if kind == "+" and is_right and is_integral(left.type):
            return self.advanced(right, left, 1)
        if kind == "-" and is_left and is_right:
            type = fundamental(Fundamental.LONG)
            return Value(type, self._store.distance(left.data, right.data) if self._store.is_real else UNKNOWN)
        if kind not in _COMPARING or not (is_left or is_right or left.type == right.type == NULL_POINTER):
            raise NotConstant
        if not self._store.is_real:
            return Value(BOOL, UNKNOWN)
        for one in (left, right):
            if not isinstance(one.type.type, PointerType) and not (one.is_null or one.type == NULL_POINTER):
                raise NotConstant
        first = left.data if isinstance(left.data, Pointer) else NULL
        second = right.data if isinstance(right.data, Pointer) else NULL
        if isinstance(left.data, FunctionPointer) or isinstance(right.data, FunctionPointer):
            raise NotConstant
        if is_left and is_right and not point_alike(left.type, right.type):
            raise NotConstant
        if kind in ("==", "!=", "not_eq"):
            return Value(BOOL, self._store.is_same(first, second) == (kind == "=="))
        found = arithmetic.binary(kind, self._store.distance(first, second), INT, 0, INT)[0]
        return Value(BOOL, found)

    def converted(self, value: Value, type: QualType) -> Value:
        """The value of a number or a pointer in another such type."""
        type = type.unqualified
        if value.type.unqualified == type:
            return value
        if not self._store.is_real:
            return Value(type, UNKNOWN, value.is_guess)
        if isinstance(type.type, PointerType):
            return self._as_pointer(value, type, type.type)
        if type == NULL_POINTER and (value.is_null or value.type == NULL_POINTER):
            return Value(type, NULL)
        if isinstance(value.type.type, PointerType) and type == BOOL and isinstance(value.data, Pointer):
            return Value(BOOL, value.data.place is not None)
        return Value(type, arithmetic.converted(number_of(value), type), value.is_guess)

    def _as_pointer(self, value: Value, type: QualType, target: PointerType) -> Value:
        if value.is_null or value.type == NULL_POINTER:
            return Value(type, NULL)
        if isinstance(value.data, FunctionPointer):
            return Value(type, value.data)
        source = value.type.type
        if not isinstance(source, PointerType):
            raise NotConstant
        one, other = source.pointee.type, target.pointee.type
        if value.data is UNKNOWN or one == other or point_alike(value.type, type):
            return Value(type, value.data)
        if isinstance(one, ClassType) and isinstance(other, ClassType) and isinstance(value.data, Pointer):
            place = value.data.place
            if place is None:
                return Value(type, NULL)
            if value.data.past or self.shift(one, other) is None:
                raise NotConstant
            return Value(type, Pointer(self.base(replace(place, type=source.pointee), other)))
        raise NotConstant


def number_of(value: Value) -> int | float | bool:
    if not isinstance(value.data, int | float):
        raise NotConstant
    return value.data


def point_alike(one: QualType, other: QualType) -> bool:
    """Whether both are pointers to objects of one type, `const` or not."""
    if not isinstance(one.type, PointerType) or not isinstance(other.type, PointerType):
        return False
    left, right = one.type.pointee.unqualified, other.type.pointee.unqualified
    return left == right or point_alike(left, right)
