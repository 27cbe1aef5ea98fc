"""Which local objects can live in SSA values, and into which scalar slots do they fall apart?

Words
    A *place* is a local object or a part of one that constant field and element steps lead to.
    A *slot* is a scalar place: what one SSA value at a time will hold.  The slots of a place are consecutive.
    A *part* is a place that is some consecutive members of a struct: the base class that they come from.

Rules   A symbol is promotable iff it is LOCAL and every address of a place in it is only stepped further with
        constants, cast to a pointer to the same type in another space or between a class and its bases, loaded from,
        or stored to; no access is volatile; every access has the type of the place.  The base of a struct is whatever
        has the types of its next members at their distances.  Structs, vectors and arrays split down to
        scalars; unions, structs of unknown layout and structs whose members overlap do not.
Gives up on objects of more than `MAX_SLOTS` scalars (they would be spilled to local memory anyway), and on addresses
        that pass through another cast, a Select or a phi.
Cost    O(instructions), one visit each.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final, final

from analysis.ir.control_flow import block_order
from analysis.ir.function import Function, SymbolKind
from analysis.ir.instructions import (
    Atomic,
    Binary,
    Bitcast,
    Call,
    Constant,
    Convert,
    ElementAddress,
    FieldAddress,
    Instruction,
    Load,
    Opaque,
    Store,
    SymbolAddress,
    SymbolId,
    ValueId,
)
from analysis.ir.pace import paced
from analysis.ir.record import record
from analysis.ir.types import (
    ArrayType,
    IntegerType,
    PointerType,
    StructLayout,
    StructType,
    TemplateType,
    Type,
    UnknownType,
    VectorType,
)

MAX_SLOTS = 256
UNKNOWN_TYPES = (UnknownType, TemplateType)
_AGGREGATES = (StructType, VectorType, ArrayType)


@final
class Subobject:
    """An object (`parent` is None) or member `index` of its parent; slots are numbered when the scan is over.

    `whole` is that of a part: the struct whose members it has; `index` is the first of them, and it has no children.
    """

    __slots__ = ("children", "first", "index", "mask", "members", "parent", "parts", "symbol", "type", "whole")

    def __init__(
        self, symbol: SymbolId, type: Type, parent: Subobject | None, index: int, whole: Subobject | None = None
    ) -> None:
        self.symbol = symbol
        self.type = type
        self.parent = parent
        self.index = index
        self.whole = whole
        self.children: dict[int, Subobject] = {}
        self.parts: dict[tuple[Type, int], Subobject] = {}
        self.first = -1
        self.mask = 0
        """The slots as a bit set."""
        self.members: tuple[Type, ...] | None = None
        """The types of the members, None for a scalar."""


@final
class Accesses:
    """What one basic block does to places, in order."""

    __slots__ = ("places", "stores")

    def __init__(self) -> None:
        self.places: list[Subobject] = []
        self.stores: list[bool] = []


@final
@record
class Slots:
    """The promotable symbols of a function.

    `places` maps every address value that points into a promotable symbol; `types` and `symbols` describe each slot;
    `accesses` has one entry per basic block and mentions only promotable places.
    `may_free_others`: whether another symbol may be promotable when these are promoted.
    """

    places: Mapping[ValueId, Subobject]
    types: Sequence[Type]
    symbols: Sequence[SymbolId]
    accesses: Sequence[Accesses]
    shapes: Shapes
    may_free_others: bool


@final
class Shapes:
    """How types fall apart into members."""

    def __init__(self, structs: Mapping[str, StructLayout]) -> None:
        self._structs = structs
        self._members: dict[Type, tuple[Type, ...] | None] = {}
        self._counts: dict[Type, int] = {}

    def members(self, type: Type) -> tuple[Type, ...] | None:
        """The members' types in order; None for what stays whole."""
        if not isinstance(type, _AGGREGATES):
            return None
        if type not in self._members:
            self._members[type] = self._split(type)
        return self._members[type]

    def layout(self, type: Type) -> StructLayout | None:
        """Of a struct; None for everything else, and where it is not known."""
        return self._structs.get(type.name) if isinstance(type, StructType) else None

    def count(self, type: Type) -> int:
        """How many scalars `type` consists of; at most a little over `MAX_SLOTS` is counted."""
        if not isinstance(type, _AGGREGATES):
            return 1
        known = self._counts.get(type)
        if known is None:
            # A struct that contains itself is an error of the program; it must not become one of ours.
            self._counts[type] = MAX_SLOTS + 1
            members = self.members(type)
            known = 1
            if members is not None:
                known = 0
                for member in members:
                    known += self.count(member)
                    if known > MAX_SLOTS:
                        break
            self._counts[type] = known
        return known

    def _split(self, type: Type) -> tuple[Type, ...] | None:
        match type:
            case VectorType(element=element, length=length):
                return (element,) * length
            case ArrayType(element=element, length=length):
                return (element,) * length if length is not None and 0 < length <= MAX_SLOTS else None
            case StructType(name=name):
                layout = self._structs.get(name)
                if layout is None or layout.is_union or not layout.fields or _has_overlap(layout):
                    return None
                return tuple(member.type for member in layout.fields)
            case _:
                return None


def find_slots(function: Function) -> Slots | None:
    """The promotable symbols, or None where there are none."""
    if not any(symbol.kind is SymbolKind.LOCAL for symbol in function.symbols):
        return None
    scan = _Scan(function)
    order = block_order(function.blocks)
    for index in order:
        if not scan.is_hopeful:
            return None
        block = function.blocks[index]
        scan.block(block.instructions, scan.accesses[index])
        scan.escape(block.terminator.operands, for_good=True)
    # A loop may bring an address to a phi that stands before it.
    for index in order:
        for phi in function.blocks[index].phis:
            scan.escape(phi.operands)
    return scan.finish()


def compatible(place: Type, accessed: Type) -> bool:
    """May a value of type `accessed` stand in a place declared as `place` without changing its bits?

    Pointers may differ in what is known about their space, and nothing is held against types that are not known.
    """
    if place == accessed:
        return True
    if isinstance(place, PointerType) and isinstance(accessed, PointerType):
        return compatible(place.element, accessed.element)
    return isinstance(place, UNKNOWN_TYPES) or isinstance(accessed, UNKNOWN_TYPES)


@final
class _Scan:
    """Collects places and accesses; symbols that turn out not to be promotable are sorted out at the end."""

    def __init__(self, function: Function) -> None:
        self._types = function.types
        self.shapes = Shapes(function.structs)
        self.accesses = [Accesses() for _ in paced(function.blocks)]
        self.places: dict[ValueId, Subobject] = {}
        self._constants: dict[ValueId, int] = {}
        self._escaped: set[SymbolId] = set()
        self._for_good: set[SymbolId] = set()
        """Those of them that escape whatever is promoted: into an instruction that stays as it is."""
        self._candidates: dict[SymbolId, Subobject] = {}
        for index, symbol in enumerate(paced(function.symbols)):
            if symbol.kind is SymbolKind.LOCAL and self.shapes.count(symbol.type) <= MAX_SLOTS:
                self._candidates[SymbolId(index)] = Subobject(SymbolId(index), symbol.type, None, 0)

    @property
    def is_hopeful(self) -> bool:
        """Are there symbols that did not escape yet?"""
        return len(self._escaped) < len(self._candidates)

    def escape(self, values: Sequence[ValueId], *, for_good: bool = False) -> None:
        """Whatever these values point to cannot be promoted."""
        places = self.places
        if not places.keys().isdisjoint(values):
            for value in values:
                if value in places:
                    self._escaped.add(places[value].symbol)
                    if for_good:
                        self._for_good.add(places[value].symbol)

    def block(self, instructions: Sequence[Instruction], accesses: Accesses) -> None:
        # The most frequent instructions come first, and their classes are final: this loop sees every instruction of
        # every function on every keystroke, and `match` costs twice as much.
        places = self.places
        add_place, add_store = accesses.places.append, accesses.stores.append
        for instruction in paced(instructions):
            if type(instruction) is SymbolAddress:
                root = self._candidates.get(instruction.symbol)
                if root is not None:
                    places[instruction.result] = root
            elif type(instruction) is Load:
                place = places.get(instruction.address)
                if place is not None and self._fits(place, instruction.result, instruction.volatile):
                    add_place(place)
                    add_store(False)
            elif type(instruction) is Store:
                place = places.get(instruction.address)
                if place is not None and self._fits(place, instruction.value, instruction.volatile):
                    add_place(place)
                    add_store(True)
                if instruction.value in places:
                    self._escaped.add(places[instruction.value].symbol)
            elif type(instruction) is Binary:
                if instruction.left in places or instruction.right in places:
                    self.escape(instruction.operands)
            elif type(instruction) is Constant:
                if type(instruction.value) is int:
                    self._constants[instruction.result] = instruction.value
            elif type(instruction) is FieldAddress:
                place = places.get(instruction.base)
                if place is not None:
                    self._step(place, self._child(place, instruction.field), instruction.result)
            elif type(instruction) is ElementAddress:
                place = places.get(instruction.base)
                if place is not None:
                    self._step(place, self._element(place, instruction), instruction.result)
                if instruction.index in places:
                    self._escaped.add(places[instruction.index].symbol)
            elif type(instruction) is Bitcast:
                place = places.get(instruction.operand)
                if place is not None:
                    self._step(place, self._recast(place, instruction), instruction.result)
            elif type(instruction) is Convert:
                self._convert(instruction)
            elif not places.keys().isdisjoint(instruction.operands):
                self.escape(instruction.operands, for_good=type(instruction) in _STAYING)

    def finish(self) -> Slots | None:
        promotable = {symbol: root for symbol, root in self._candidates.items() if symbol not in self._escaped}
        places = self.places
        if self._escaped:
            places = {value: place for value, place in places.items() if place.symbol in promotable}
        if not places:
            return None
        types: list[Type] = []
        symbols: list[SymbolId] = []
        for symbol, root in paced(promotable.items(), 2):
            if not isinstance(root.type, _AGGREGATES):
                root.first, root.mask = len(types), 1 << len(types)
                types.append(root.type)
                symbols.append(symbol)
                continue
            self._number(root, len(types))
            types.extend(self._scalars(root.type))
            symbols.extend([symbol] * (len(types) - len(symbols)))
        if self._escaped:
            self._forget_escaped()
        return Slots(places, types, symbols, self.accesses, self.shapes, not self._escaped <= self._for_good)

    # -- one instruction --------------------------------------------------------------------------------------

    def _fits(self, place: Subobject, value: ValueId, volatile: bool) -> bool:
        """Can the access go through a slot?  If not, the object stays in memory."""
        accessed = self._types[value]
        is_same = accessed is place.type or compatible(place.type, accessed)
        if is_same and not volatile and (place.whole is None or self.shapes.members(place.type)):
            return True  # what has no members, and is a part of something, has no slot of its own
        self._escaped.add(place.symbol)
        self._for_good.add(place.symbol)
        return False

    def _step(self, place: Subobject, member: Subobject | None, result: ValueId) -> None:
        if member is None:
            self._escaped.add(place.symbol)
        else:
            self.places[result] = member

    def _child(self, place: Subobject, index: int) -> Subobject | None:
        child = place.children.get(index)
        if child is None:
            members = self.shapes.members(place.type)
            if members is None or not 0 <= index < len(members):
                return None
            if place.whole is not None:
                return self._child(place.whole, place.index + index)
            child = place.children[index] = Subobject(place.symbol, members[index], place, index)
        return child

    def _element(self, place: Subobject, step: ElementAddress) -> Subobject | None:
        index = self._constants.get(step.index)
        pointer = self._types[step.result]
        if index is None or not isinstance(pointer, PointerType):
            return None
        if isinstance(place.type, ArrayType) and place.type.element == pointer.element:
            return self._child(place, index)
        if place.type != pointer.element:
            return None
        if index == 0:
            return place
        # Pointer arithmetic on an element moves within its array.
        if place.parent is not None and isinstance(place.parent.type, ArrayType):
            return self._child(place.parent, place.index + index)
        return None

    def _recast(self, place: Subobject, cast: Bitcast) -> Subobject | None:
        """A cast to another space (an argument passed by reference is generic) is the same address."""
        pointer = self._types[cast.result]
        if not isinstance(pointer, PointerType):
            return None
        if pointer.element == place.type:
            return place
        return self._in_class(place, pointer.element) if isinstance(pointer.element, StructType) else None

    def _in_class(self, place: Subobject, type: StructType) -> Subobject | None:
        """The base class `type` of a struct that begins at this place, or the struct that begins with this part."""
        whole, first = (place, 0) if place.whole is None else (place.whole, place.index)
        if whole.type == type:
            return whole if first == 0 else None
        found = self._part(whole, first, type)
        if found is None and place.whole is None and place.parent is not None:
            found = self._part(place.parent, place.index, type)
        return found

    def _part(self, whole: Subobject, first: int, type: StructType) -> Subobject | None:
        """The members of `whole` from the `first` on, if they are those of `type`."""
        known = whole.parts.get((type, first))
        if known is not None:
            return known
        outer, inner = self.shapes.layout(whole.type), self.shapes.layout(type)
        if outer is None or inner is None or inner.is_union or self.shapes.members(whole.type) is None:
            return None
        fields = outer.fields[first : first + len(inner.fields)]
        if len(fields) < len(inner.fields):
            return None
        start = fields[0].offset if first and fields else 0
        for own, member in zip(fields, inner.fields, strict=True):
            if (own.type, own.offset - start, own.bits) != (member.type, member.offset, member.bits):
                return None
        whole.parts[type, first] = part = Subobject(whole.symbol, type, None, first, whole=whole)
        return part

    def _convert(self, instruction: Convert) -> None:
        constant = self._constants.get(instruction.operand)
        target = self._types[instruction.result]
        if constant is not None and isinstance(target, IntegerType) and 0 <= constant < 1 << (target.bits - 1):
            self._constants[instruction.result] = constant
        self.escape(instruction.operands)

    # -- numbering --------------------------------------------------------------------------------------------

    def _number(self, place: Subobject, first: int) -> None:
        place.first = first
        place.mask = ((1 << self.shapes.count(place.type)) - 1) << first
        place.members = self.shapes.members(place.type)
        begins: list[int] = []
        for index, member in enumerate(place.members or ()):
            begins.append(first)
            child = place.children.get(index)
            if child is not None:
                self._number(child, first)
            first += self.shapes.count(member)
        for (_, index), part in place.parts.items():
            if self.shapes.members(part.type):
                self._number(part, begins[index])

    def _scalars(self, type: Type) -> Iterator[Type]:
        members = self.shapes.members(type)
        if members is None:
            yield type
            return
        for member in members:
            yield from self._scalars(member)

    def _forget_escaped(self) -> None:
        for index, accesses in enumerate(self.accesses):
            if not accesses.places:
                continue
            self.accesses[index] = kept = Accesses()
            for place, is_store in zip(accesses.places, accesses.stores, strict=True):
                if place.symbol not in self._escaped:
                    kept.places.append(place)
                    kept.stores.append(is_store)


_STAYING: Final = frozenset({Atomic, Call, Opaque})
"""Instructions that are never removed, and pass on the addresses that they are given."""


def _has_overlap(layout: StructLayout) -> bool:
    """True where two members share an offset: bit fields, or the members of an anonymous union."""
    offsets = [member.offset for member in layout.fields]
    return len(set(offsets)) != len(offsets)
