"""Objects of one evaluation: where they are, how long they live, what is read and written.

Rules   What is dead, not initialised, not known or out of bounds is no constant, and so is a write to what is `const`
        or `volatile`.
        Two operands that nothing orders may not touch one number if one of them changes it: while such operands are
        evaluated, reads and writes are noted (`Journal`).
Source  C++20 standard, [expr.const], [basic.life], [expr.add], [intro.execution].
"""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import replace
from typing import final

from analysis.cpp.constants.arithmetic import as_bit_field
from analysis.cpp.constants.values import (
    NULL,
    UNKNOWN,
    UNSET,
    Contents,
    FunctionPointer,
    NotConstant,
    Object,
    Place,
    Pointer,
    Value,
)
from analysis.cpp.conversions.model import ValueCategory
from analysis.cpp.types.model import ArrayType, QualType, pointer_to, qualified


@final
class Store:
    """`is_real` is False while an expression is only asked for its type: then nothing is read, changed or checked."""

    def __init__(self) -> None:
        self.is_real = True
        self._made = 0
        self._temporaries: list[Object] = []
        self._journal: list[tuple[Object, list[Contents], int, bool]] | None = None

    # -- objects ------------------------------------------------------------------------------------------------------

    def new(self, type: QualType, contents: Contents, *, is_named: bool = True) -> Place:
        """A place of its own."""
        self._made += 1
        cells = [contents]
        return Place(cells, 0, type, Object(type, cells, self._made, is_named=is_named))

    def unknown(self, type: QualType) -> Place:
        """An object of which the type alone is known."""
        place = self.new(type, UNKNOWN, is_named=False)
        place.object.is_alive = False
        return place

    def temporary(self, type: QualType, contents: Contents, category: ValueCategory = ValueCategory.XVALUE) -> Place:
        """An object that ends with the full expression."""
        place = self.new(type, contents)
        self._temporaries.append(place.object)
        place.category = category
        return place

    @contextmanager
    def full_expression(self) -> Generator[None]:
        """The temporaries that are made inside end with it."""
        outer, self._temporaries = self._temporaries, []
        yield
        for object in self._temporaries:
            object.is_alive = False
        self._temporaries = outer

    def extend(self, object: Object) -> bool:
        """Whether it was a temporary, which lives on now: a reference was bound to it."""
        if object not in self._temporaries:
            return False
        self._temporaries.remove(object)
        return True

    # -- reading and writing ------------------------------------------------------------------------------------------

    def contents(self, place: Place) -> Contents:
        """What stands there, as it is; UNKNOWN where only the type counts."""
        if not self.is_real:
            return UNKNOWN
        if not place.object.is_alive or not 0 <= place.index < len(place.container):
            raise NotConstant
        return place.container[place.index]

    def members(self, place: Place) -> list[Contents] | None:
        """The parts of an object of class or array type; None where only the type counts."""
        found = self.contents(place)
        if isinstance(found, list):
            return found
        if found is UNKNOWN and not self.is_real:
            return None
        raise NotConstant

    def read(self, place: Place) -> Value:
        """The value of an object that is no class: an array gives a pointer to its first element."""
        type = place.type
        if isinstance(type.type, ArrayType):
            return self.decayed(place, type.type)
        if type.is_volatile:
            raise NotConstant
        found = self.contents(place)
        if found is UNSET or isinstance(found, list | Place) or (found is UNKNOWN and self.is_real):
            raise NotConstant
        self._note(place.object, place.container, place.index, is_write=False)
        return Value(type.unqualified, found)

    def decayed(self, place: Place, type: ArrayType) -> Value:
        """A pointer to the first element."""
        members = self.members(place)
        result = pointer_to(type.element)
        if members is None:
            return Value(result, UNKNOWN)
        return Value(result, Pointer(Place(members, 0, type.element, place.object, is_element=True)))

    def write(self, place: Place, contents: Contents) -> None:
        """Assigns a number or a pointer of the place's type."""
        if not self.is_real:
            return
        if place.type.is_constant or place.type.is_volatile or self.contents(place) is UNKNOWN:
            raise NotConstant
        if place.width is not None:
            assert isinstance(contents, int | float)
            contents = as_bit_field(contents, place.type, place.width)
        place.container[place.index] = contents
        self._note(place.object, place.container, place.index, is_write=True)

    def copied(self, contents: Contents, place: Place) -> Contents:
        """The contents of `place`, part by part."""
        if not isinstance(contents, list):
            return contents
        if self._journal is not None:
            for index in range(len(contents)):
                self._note(place.object, contents, index, is_write=False)
        return [self.copied(part, place) for part in contents]

    def replace(self, place: Place, parts: list[Contents]) -> None:
        """Assigns all members of a class; they stay where they are."""
        members = self.members(place)
        if members is None:
            return
        if place.type.is_constant or place.type.is_volatile:
            raise NotConstant
        self._fill(members, place.shift, parts, place.object)

    def _fill(self, members: list[Contents], shift: int, parts: list[Contents], object: Object) -> None:
        for index, part in enumerate(parts, shift):
            old = members[index]
            if isinstance(old, list) and isinstance(part, list):
                self._fill(old, 0, part, object)
            else:
                members[index] = part
                self._note(object, members, index, is_write=True)

    # -- pointers -----------------------------------------------------------------------------------------------------

    def target(self, pointer: Value, pointee: QualType) -> Place:
        """What a pointer points to."""
        data = pointer.data
        if data is UNKNOWN:
            return self.unknown(pointee)
        if not isinstance(data, Pointer) or data.place is None or data.past:
            raise NotConstant
        place = data.place
        if place.is_element and place.index >= len(place.container):
            raise NotConstant
        return replace(place, type=pointee, category=ValueCategory.LVALUE)

    def element(self, place: Place, type: ArrayType, index: int) -> Place:
        """`a[index]` of an array."""
        members = self.members(place)
        constant, volatile = place.type.is_constant, place.type.is_volatile
        element = qualified(type.element, constant=constant, volatile=volatile)
        if members is None:
            return self.unknown(element)
        if not 0 <= index < len(members):
            raise NotConstant
        return Place(members, index, element, place.object, is_element=True, category=place.category)

    def address(self, place: Place) -> Pointer:
        if place.width is not None:
            raise NotConstant
        return Pointer(place)

    def moved(self, data: Contents, by: int) -> Contents:
        """A pointer plus so many elements."""
        if data is UNKNOWN:
            return UNKNOWN
        if not isinstance(data, Pointer):
            raise NotConstant
        if data.place is None:
            if by:
                raise NotConstant
            return NULL
        place = data.place
        if not place.is_element:
            if data.past + by not in (0, 1):
                raise NotConstant
            return Pointer(place, bool(data.past + by))
        if not place.object.is_alive or not 0 <= place.index + by <= len(place.container):
            raise NotConstant
        return Pointer(replace(place, index=place.index + by))

    def distance(self, left: Contents, right: Contents) -> int:
        """`left - right` of two pointers into one array."""
        if not isinstance(left, Pointer) or not isinstance(right, Pointer):
            raise NotConstant
        one, other = left.place, right.place
        if one is None or other is None:
            if one is other:
                return 0
            raise NotConstant
        if one.container is not other.container or (one.index != other.index and not one.is_element):
            raise NotConstant
        return one.index - other.index + left.past - right.past

    def is_same(self, left: Contents, right: Contents) -> bool:
        """`left == right` of two pointers to objects of one type."""
        if isinstance(left, FunctionPointer) or isinstance(right, FunctionPointer):
            raise NotConstant
        if not isinstance(left, Pointer) or not isinstance(right, Pointer):
            raise NotConstant
        one, other = left.place, right.place
        if one is None or other is None:
            return one is other
        if not one.object.is_alive or not other.object.is_alive:
            raise NotConstant
        if one.container is other.container:
            if one.index == other.index and one.shift != other.shift:
                raise NotConstant
            is_one = one.is_element or one.index == other.index
            return self.distance(left, right) == 0 if is_one else self._of_members(left, right)
        if not (one.object.is_named and other.object.is_named) or _is_past(left) or _is_past(right):
            raise NotConstant  # whether they are one object, or follow one another, is not said
        if one.object is other.object:
            raise NotConstant  # one may be the first part of the other
        return False

    def _of_members(self, left: Pointer, right: Pointer) -> bool:
        if left.past or right.past:
            raise NotConstant
        return False

    # -- order --------------------------------------------------------------------------------------------------------

    @contextmanager
    def unordered(self) -> Generator[Unordered]:
        """Operands that nothing orders are evaluated inside, with `next` between them."""
        is_outermost = self._journal is None
        if self._journal is None:
            self._journal = []
        order = Unordered(self._journal, self._made)
        yield order
        order.next()
        if is_outermost:
            self._journal = None

    def _note(self, object: Object, container: list[Contents], index: int, *, is_write: bool) -> None:
        if self._journal is not None:
            self._journal.append((object, container, index, is_write))


@final
class Unordered:
    """What was touched by the operands before this one."""

    def __init__(self, journal: list[tuple[Object, list[Contents], int, bool]], made: int) -> None:
        self._journal = journal
        self._made = made
        self._start = len(journal)
        self._read: set[tuple[int, int]] = set()
        self._written: set[tuple[int, int]] = set()

    def next(self) -> None:
        """One operand is done.  Raises `NotConstant` where it and one before it touch what one of them changes."""
        read, written = set[tuple[int, int]](), set[tuple[int, int]]()
        for object, container, index, is_write in self._journal[self._start :]:
            if object.number <= self._made:  # others were made by this operand
                (written if is_write else read).add((id(container), index))
        if written & (self._read | self._written) or self._written & read:
            raise NotConstant
        self._start = len(self._journal)
        self._read |= read
        self._written |= written


def _is_past(pointer: Pointer) -> bool:
    place = pointer.place
    return pointer.past or (place is not None and place.is_element and place.index >= len(place.container))
