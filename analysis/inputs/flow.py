"""Where values of a kernel come from: from which arguments, from elements of which arrays, from which registers.

Question  Which memory may a pointer point into, and what may an integer depend on?  This guides the choice of inputs: a
          wrong answer costs a poor choice, which the report lists, never a wrong result.
Words     A *leaf* is a number, pointer or handle that the host hands over: a parameter, a member of a struct that is
          passed by value (`p.width`), a `__constant__` variable or member of one.
Rules     Pointers keep their object through arithmetic, casts, phis and local variables.  Integers keep their sources
          through arithmetic; `%` and `&` keep leaves only, because they bound what was loaded.
          What is stored to a shared or local variable is what any load of it may give.
          Pointers that lie in memory lead into memory of their own: one *region* for each place (`rows[]`, `p[].next`),
          but into that of the struct around them where they point to structs of that type.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum
from typing import Final, TypeAlias, final

from analysis.graph.control_flow import ControlFlow
from analysis.inputs.leaf_names import ELEMENT as ELEMENT
from analysis.inputs.leaf_names import VECTOR_MEMBERS as VECTOR_MEMBERS
from analysis.inputs.leaf_names import joined, named
from analysis.ir.function import Function, SymbolKind
from analysis.ir.ids import ValueId
from analysis.ir.instructions import (
    Atomic,
    Binary,
    Bitcast,
    BuildAggregate,
    Compare,
    Constant,
    Convert,
    ElementAddress,
    ExtractElement,
    FieldAddress,
    InsertElement,
    Instruction,
    Load,
    Math,
    Phi,
    ReadSpecial,
    Select,
    Shuffle,
    Store,
    SymbolAddress,
    Texture,
    Unary,
)
from analysis.ir.operators import BinaryOperator, SpecialRegister
from analysis.ir.record import record
from analysis.ir.types import (
    FUNCTION_POINTERS,
    ArrayType,
    HandleType,
    PointerType,
    StructLayout,
    StructType,
    Type,
    VectorType,
)

MAX_ROUNDS: Final = 6


class RootKind(Enum):
    """Whose memory it is."""

    ARGUMENT = "argument"
    VARIABLE = "variable"
    SHARED = "shared"
    LOCAL = "local"


@final
@record
class NamedObject:
    """An object: the array that the leaf `name` points to, or the variable `name`."""

    kind: RootKind
    name: str


@final
@record
class ElementMember:
    """A member of an object's elements."""

    root: NamedObject
    path: tuple[str, ...] = ()


@final
@record
class Leaf:
    name: str


@final
@record
class Register:
    register: SpecialRegister


Source: TypeAlias = Leaf | ElementMember | Register
"""A `ElementMember` is "an element that was loaded from there"."""
Sources: TypeAlias = frozenset[Source]

_NO_SOURCES: Final[Sources] = frozenset()
_NO_PLACES: Final[frozenset[ElementMember]] = frozenset()
_BOUNDING: Final = (BinaryOperator.REMAINDER, BinaryOperator.AND)
_ROOT_KIND: Final = {
    SymbolKind.LOCAL: RootKind.LOCAL,
    SymbolKind.SHARED: RootKind.SHARED,
    SymbolKind.DYNAMIC_SHARED: RootKind.SHARED,
    SymbolKind.GLOBAL: RootKind.VARIABLE,
    SymbolKind.CONSTANT: RootKind.VARIABLE,
    SymbolKind.TEXTURE: RootKind.VARIABLE,
}


@final
class Flow:
    """The answers for one kernel; read-only once made."""

    def __init__(self, function: Function, control: ControlFlow) -> None:
        self.function = function
        self.control = control
        self.leaves: dict[str, Type] = {}
        """By name, in the order in which they are met; parameters first."""
        self.definitions: dict[ValueId, Instruction | Phi] = {}
        self.regions: dict[ElementMember, NamedObject] = {}
        """Where the pointers that lie at a place lead."""
        self.pointees: dict[NamedObject, Type] = {}
        """The element type of each region that only pointers in memory lead to."""
        self._holders: dict[NamedObject, NamedObject] = {}
        self._exact: dict[ValueId, str] = {}
        self._options: dict[ValueId, tuple[str, ...]] = {}
        """Leaves, or what leaves are members of, of which a value is one: those at an index that is not known."""
        self._wholes: dict[str, Type] = {}
        """What leaves are members of, by its name."""
        self._places: dict[ValueId, frozenset[ElementMember]] = {}
        self._sources: dict[ValueId, Sources] = {}
        self._contents: dict[NamedObject, Sources] = {}
        self._pointers: dict[NamedObject, frozenset[ElementMember]] = {}
        self._copies: dict[NamedObject, str] = {}
        self._inputs = frozenset(symbol.name for symbol in function.symbols if symbol.kind is SymbolKind.CONSTANT)
        """Only the host writes `__constant__` variables."""
        self._changed = False
        self._solve()

    def leaf(self, value: ValueId) -> str | None:
        """The leaf that the value is, unchanged."""
        return self._exact.get(value)

    def places(self, value: ValueId) -> frozenset[ElementMember]:
        return self._places.get(value, _NO_PLACES)

    def sources(self, value: ValueId) -> Sources:
        return self._sources.get(value, _NO_SOURCES)

    # -- solving ----------------------------------------------------------------------------------------------------

    def _solve(self) -> None:
        for parameter in self.function.parameters:
            self._is_leaf(parameter.value, parameter.name)
        blocks = [self.function.blocks[block] for block in self.control.order]
        for block in blocks:
            for found in (*block.phis, *block.instructions):
                if found.result is not None:
                    self.definitions[found.result] = found
        for _ in range(MAX_ROUNDS):
            self._changed = False
            for block in blocks:
                for phi in block.phis:
                    self._merge(phi.result, phi.operands)
                for instruction in block.instructions:
                    self._visit(instruction)
            if not self._changed:
                break

    def _is_leaf(self, value: ValueId, name: str) -> None:
        type = self.function.type_of(value)
        if self._exact.get(value) != name:
            self._exact[value] = name
            self._changed = True
        if isinstance(type, StructType | VectorType | ArrayType):
            self._wholes[name] = type
            return
        self.leaves.setdefault(name, type)
        if isinstance(type, PointerType):
            self._point(value, frozenset((ElementMember(NamedObject(RootKind.ARGUMENT, name)),)))
        else:
            self._depend(value, frozenset((Leaf(name),)))

    def _is_one_of(self, value: ValueId, names: tuple[str, ...]) -> None:
        """The value is one of several leaves."""
        type = self.function.type_of(value)
        if self._options.get(value) != names:
            self._options[value] = names
            self._changed = True
        if isinstance(type, StructType | VectorType | ArrayType):
            return
        for name in names:
            self.leaves.setdefault(name, type)
        if isinstance(type, PointerType):
            self._point(value, frozenset(ElementMember(NamedObject(RootKind.ARGUMENT, name)) for name in names))
        else:
            self._depend(value, frozenset(map(Leaf, names)))

    def _point(self, value: ValueId, places: frozenset[ElementMember]) -> None:
        before = self.places(value)
        if not places <= before:
            self._places[value] = before | places
            self._changed = True

    def _depend(self, value: ValueId, sources: Sources) -> None:
        before = self.sources(value)
        if not sources <= before:
            self._sources[value] = before | sources
            self._changed = True

    def _merge(self, result: ValueId, operands: tuple[ValueId, ...]) -> None:
        for operand in operands:
            self._point(result, self.places(operand))
            self._depend(result, self.sources(operand))

    def _visit(self, instruction: Instruction) -> None:
        match instruction:
            case ReadSpecial(result=result, register=register):
                self._depend(result, frozenset((Register(register),)))
            case SymbolAddress(result=result, symbol=symbol):
                declared = self.function.symbol(symbol)
                self._point(result, frozenset((ElementMember(NamedObject(_ROOT_KIND[declared.kind], declared.name)),)))
            case ElementAddress(result=result, base=base, index=index):
                self._step(result, base, index)
            case FieldAddress(result=result, base=base, field=field):
                name = self._member(_pointee(self.function.type_of(base)), field)
                self._point(result, frozenset(ElementMember(at.root, (*at.path, name)) for at in self.places(base)))
            case ExtractElement(result=result, aggregate=aggregate, index=index):
                whole = self._exact.get(aggregate)
                if whole is not None:
                    self._is_leaf(result, joined(whole, self._part(self.function.type_of(aggregate), index)))
                elif aggregate in self._options:
                    part = self._part(self.function.type_of(aggregate), index)
                    self._is_one_of(result, tuple([joined(name, part) for name in self._options[aggregate]]))
                else:
                    self._extract(result, aggregate, index)
            case Load(result=result, address=address):
                self._load(result, address)
            case Atomic(result=result, address=address):
                self._load(result, address)
            case Store(address=address, value=value):
                self._store(address, value)
            case Texture(result=result, arguments=(handle, *_)) if result is not None:
                image = self._exact.get(handle)
                if image is not None:
                    self._depend(result, frozenset((ElementMember(NamedObject(RootKind.ARGUMENT, image)),)))
            case Binary(result=result, operator=operator, left=left, right=right) if operator in _BOUNDING:
                both = self.sources(left) | self.sources(right)
                self._depend(result, frozenset(source for source in both if not isinstance(source, ElementMember)))
            case Convert(result=result, operand=operand) | Bitcast(result=result, operand=operand):
                self._merge(result, (operand,))
                self._copy_leaf(result, operand)
            case Compare():
                pass
            case Binary() | Unary() | Math() | Select() | Shuffle() | BuildAggregate() | InsertElement():
                self._merge(instruction.result, instruction.operands)
            case _:
                pass

    def _copy_leaf(self, result: ValueId, operand: ValueId) -> None:
        whole = self._exact.get(operand)
        if whole is not None and not isinstance(self.function.type_of(operand), StructType | VectorType):
            self._exact[result] = whole

    def _step(self, result: ValueId, base: ValueId, index: ValueId) -> None:
        """An element of an array that is a member, or of the object itself."""
        pointee = _pointee(self.function.type_of(base))
        element = _pointee(self.function.type_of(result))
        is_inside = isinstance(pointee, ArrayType | VectorType) and pointee != element
        if not is_inside:
            self._point(result, self.places(base))
            return
        known = self.definitions.get(index)
        number = f"[{known.value}]" if isinstance(known, Constant) and isinstance(pointee, ArrayType) else ELEMENT
        steps = {at: number if at.root in self._copies else ELEMENT for at in self.places(base)}
        self._point(result, frozenset(ElementMember(at.root, (*at.path, step)) for at, step in steps.items()))

    def _load(self, result: ValueId, address: ValueId) -> None:
        type = self.function.type_of(result)
        for place in self.places(address):
            name = self._leaf_at(place, type)
            if name is not None:
                self._is_leaf(result, name)
                continue
            names = self._leaves_at(place)
            if len(names) == 1:
                self._is_leaf(result, names[0])
                continue
            if names:
                self._is_one_of(result, tuple(names))
                continue
            self._depend(result, self._contents.get(place.root, _NO_SOURCES))
            self._point(result, self._pointers.get(place.root, _NO_PLACES))
            if place.root.kind in (RootKind.ARGUMENT, RootKind.VARIABLE):
                self._depend(result, frozenset((place,)))
                if isinstance(type, PointerType):
                    self._point(result, frozenset((ElementMember(self._region(place, type.element)),)))

    def _region(self, place: ElementMember, element: Type) -> NamedObject:
        """What the pointers to `element` at a place lead to."""
        known = self.regions.get(place)
        if known is not None:
            return known
        around: NamedObject | None = place.root
        while around is not None and not (isinstance(element, StructType) and self._element(around) == element):
            around = self._holders.get(around)
        if around is None:
            steps = (ELEMENT if step == ELEMENT else f".{step}" for step in place.path)
            inside = ELEMENT if place.root.kind is RootKind.ARGUMENT else ""
            around = NamedObject(RootKind.ARGUMENT, "".join((place.root.name, inside, *steps)))
            self.pointees[around] = element
            self._holders[around] = place.root
        self.regions[place] = around
        return around

    def _extract(self, result: ValueId, aggregate: ValueId, index: int) -> None:
        """A member of a loaded struct, vector or array."""
        whole, type = self.function.type_of(aggregate), self.function.type_of(result)
        step = ELEMENT if isinstance(whole, ArrayType) else self._member(whole, index)
        loaded = [source for source in self.sources(aggregate) if isinstance(source, ElementMember)]
        members = frozenset(ElementMember(one.root, (*one.path, step)) for one in loaded)
        if isinstance(type, StructType | ArrayType):
            self._point(result, self.places(aggregate))
            self._depend(result, self.sources(aggregate).difference(loaded) | members)
            return
        self._merge(result, (aggregate,))
        if isinstance(type, PointerType):
            self._point(result, frozenset(ElementMember(self._region(one, type.element)) for one in members))

    def _element(self, root: NamedObject) -> Type | None:
        """The type of an object's elements."""
        if root.kind is RootKind.ARGUMENT:
            return self.pointees.get(root, _pointee(self.leaves.get(root.name)))
        symbols = (symbol.type for symbol in self.function.symbols if symbol.name == root.name)
        return next((_flattened(type) for type in symbols), None)

    def _leaf_at(self, place: ElementMember, type: Type) -> str | None:
        """The leaf that is stored at a place, if nothing else can stand there."""
        if ELEMENT in place.path:
            return None
        if place.root.kind is not RootKind.VARIABLE:
            return None
        is_input = place.root.name in self._inputs or _is_given(type)
        return ".".join((place.root.name, *place.path)) if is_input else None

    def _leaves_at(self, place: ElementMember) -> Sequence[str]:
        """The leaves of which one is stored at a place of a copy."""
        copied = self._copies.get(place.root, "")
        whole = self._wholes.get(copied)
        return () if whole is None else named(copied, whole, place.path, self.function.structs)

    def _store(self, address: ValueId, value: ValueId) -> None:
        whole = self._exact.get(value)
        for place in self.places(address):
            if place.root.kind is RootKind.LOCAL and not place.path and whole is not None:
                self._copies.setdefault(place.root, whole)
            if place.root.kind in (RootKind.LOCAL, RootKind.SHARED):
                self._contents[place.root] = self._contents.get(place.root, _NO_SOURCES) | self.sources(value)
                self._pointers[place.root] = self._pointers.get(place.root, _NO_PLACES) | self.places(value)

    def _part(self, type: Type, index: int) -> str:
        return f"[{index}]" if isinstance(type, ArrayType) else self._member(type, index)

    def _member(self, type: Type | None, index: int) -> str:
        if isinstance(type, StructType):
            layout: StructLayout | None = self.function.structs.get(type.name)
            if layout is not None and index < len(layout.fields):
                return layout.fields[index].name
        return VECTOR_MEMBERS[index] if index < len(VECTOR_MEMBERS) else str(index)


def _is_given(type: Type) -> bool:
    """Whether a variable of the type is given as a whole, as an array or an object of CUDA's."""
    return isinstance(type, PointerType | HandleType) and type not in FUNCTION_POINTERS


def _pointee(type: Type | None) -> Type | None:
    return type.element if isinstance(type, PointerType) else None


def _flattened(type: Type) -> Type:
    while isinstance(type, ArrayType):
        type = type.element
    return type
