"""What a kernel does with the arrays it is given: which it reads, which hold indices, offsets and counts.

Words    *Offsets*: a loop runs from one loaded element to another (`for (j = row[i]; j < row[i + 1]; j++)`), or two
         neighbours are loaded (`row[i]`, `row[i + 1]`) and at least one is an index or a bound.
         A *count* bounds a loop.  An *index* is added to an address.  A *link* leads to an element of its own array
         (`parent[parent[i]]`, `node = next[node]`).
Rules    Everything is kept per place (`nodes` and its member `edges` apart), at its most demanding use:
         links before offsets before indices before counts before plain data.
         Where a product (`row * width`) goes into an array of fixed length, each factor stays below the root of that.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from dataclasses import dataclass, field
from enum import IntEnum
from math import isqrt
from typing import Final, TypeAlias, final

from analysis.inputs.flow import ElementMember, Flow, NamedObject, RootKind
from analysis.inputs.free_places import Mark, free_places
from analysis.ir.function import SymbolKind
from analysis.ir.ids import ValueId
from analysis.ir.instructions import (
    Atomic,
    Binary,
    Branch,
    Compare,
    Constant,
    Convert,
    ElementAddress,
    ExtractElement,
    Instruction,
    Load,
    Phi,
    ReadSpecial,
    Store,
    Texture,
    Unary,
)
from analysis.ir.known_calls import choices_of_calls
from analysis.ir.operators import BinaryOperator, CompareOperator, TextureOperation
from analysis.ir.pace import paced, popped
from analysis.ir.record import record
from analysis.ir.types import ArrayType, IntegerType, PointerType, StructType, Type, VoidType

MAX_TERMS: Final = 12
"""How deep two indices are compared."""

Term: TypeAlias = Hashable
"""What two computations of the same index have in common: registers read twice are the same."""

_MEMORY: Final = (RootKind.ARGUMENT, RootKind.VARIABLE)


class Role(IntEnum):
    """What loaded integers are for; the larger wins."""

    DATA = 0
    COUNT = 1
    INDEX = 2
    OFFSETS = 3
    LINK = 4


@final
@dataclass(slots=True)
class ArrayUse:
    """One object.  `roles` by path of members; `limits` are the lengths of what an index goes into."""

    is_loaded: bool = False
    is_stored: bool = False
    is_atomic: bool = False
    accessed: list[Type] = field(default_factory=list[Type])
    """Types of what is read and written through pointers to it."""
    roles: dict[tuple[str, ...], Role] = field(default_factory=dict[tuple[str, ...], Role])
    limits: dict[tuple[str, ...], int] = field(default_factory=dict[tuple[str, ...], int])
    starts: dict[tuple[str, ...], Mark] = field(default_factory=dict[tuple[str, ...], Mark])
    """What every compare-and-swap expects there, and every plain load is compared with, if that is one constant or one
    number that is passed."""
    ends: set[tuple[str, ...]] = field(default_factory=set[tuple[str, ...]])
    """Where -1, or a negative number, is asked for."""
    divisors: set[tuple[str, ...]] = field(default_factory=set[tuple[str, ...]])
    """What something is divided by."""
    callees: dict[tuple[str, ...], tuple[int, ...]] = field(default_factory=dict[tuple[str, ...], tuple[int, ...]])
    """The functions that are called where a pointer there leads to one, by their numbers."""

    def role(self, path: tuple[str, ...]) -> Role:
        return self.roles.get(path, Role.DATA)


@final
@record
class ImageUse:
    """One fetch from a texture or surface: `dimensions` of its image, and the type of what it gives."""

    operation: TextureOperation
    dimensions: int
    texel: Type | None


def array_uses(flow: Flow) -> dict[NamedObject, ArrayUse]:
    """Every argument array, variable and image that the kernel touches."""
    uses: dict[NamedObject, ArrayUse] = {}
    for block in flow.control.order:
        for instruction in flow.function.blocks[block].instructions:
            match instruction:
                case Load(result=result, address=address):
                    for use in _touched(uses, flow, address):
                        use.is_loaded = True
                        use.accessed.append(flow.function.type_of(result))
                case Store(address=address, value=value):
                    for use in _touched(uses, flow, address):
                        use.is_stored = True
                        use.accessed.append(flow.function.type_of(value))
                case Atomic(result=result, address=address):
                    for use in _touched(uses, flow, address):
                        use.is_atomic = True
                        use.accessed.append(flow.function.type_of(result))
                case Texture(arguments=(handle, *_)):
                    image = flow.leaf(handle)
                    if image is not None:
                        uses.setdefault(NamedObject(RootKind.ARGUMENT, image), ArrayUse()).is_loaded = True
                case _:
                    pass
    _read_roles(flow, uses)
    _read_callees(flow, uses)
    for place, number in free_places(flow).items():
        if place.root in uses:
            uses[place.root].starts[place.path] = number
    return uses


def image_uses(flow: Flow) -> dict[str, list[ImageUse]]:
    """What is fetched from each texture or surface leaf."""
    uses: dict[str, list[ImageUse]] = {}
    for _, instruction in flow.function.instructions():
        if isinstance(instruction, Texture):
            leaf = flow.leaf(instruction.arguments[0])
            if leaf is not None:
                uses.setdefault(leaf, []).append(_image_use(flow, instruction))
    return uses


def _touched(uses: dict[NamedObject, ArrayUse], flow: Flow, address: ValueId) -> Iterator[ArrayUse]:
    for root in {place.root for place in flow.places(address)}:
        if root.kind in _MEMORY:
            yield uses.setdefault(root, ArrayUse())


def _image_use(flow: Flow, texture: Texture) -> ImageUse:
    coordinates = len(texture.arguments) - 1
    match texture.operation:
        case TextureOperation.FETCH | TextureOperation.FETCH_1D:
            dimensions = 1
        case TextureOperation.FETCH_2D | TextureOperation.GATHER:
            dimensions = 2
        case TextureOperation.FETCH_3D | TextureOperation.FETCH_CUBE:
            dimensions = 3
        case TextureOperation.FETCH_LAYERED:
            kinds = [isinstance(flow.function.type_of(one), IntegerType) for one in texture.arguments[1:]]
            dimensions = kinds.index(True) + 1 if True in kinds else coordinates
        case TextureOperation.SURFACE_READ:
            dimensions = coordinates
        case TextureOperation.SURFACE_WRITE:
            dimensions = coordinates - 1
    texel = texture.arguments[1] if texture.operation is TextureOperation.SURFACE_WRITE else texture.result
    return ImageUse(
        texture.operation, max(1, min(3, dimensions)), None if texel is None else flow.function.type_of(texel)
    )


# -- roles of loaded integers -----------------------------------------------------------------------------------------


def _read_roles(flow: Flow, uses: dict[NamedObject, ArrayUse]) -> None:
    for block in flow.control.order:
        for instruction in flow.function.blocks[block].instructions:
            if isinstance(instruction, ElementAddress):
                limit = _fixed_length(flow, instruction)
                indexed = {place.root for place in flow.places(instruction.base)}
                for place in _loaded(flow, instruction.index):
                    _note(uses, place, Role.LINK if place.root in indexed else Role.INDEX, None)
                if limit is not None:
                    for term, factor in _scaled_terms(flow, instruction.index, 1, 0):
                        below = max(1, limit // factor)
                        for place in _loaded(flow, term):
                            _note(uses, place, Role.INDEX, isqrt(below) if _is_product(flow, term) else below)
            elif isinstance(instruction, Binary) and instruction.operator in _DIVISIONS:
                for place in _loaded_as_it_is(flow, instruction.right):
                    if place.root in uses:
                        uses[place.root].divisors.add(place.path)
    for compare in _exit_compares(flow):
        starts = {place for side in (compare.left, compare.right) for place in _starts(flow, side)}
        bounds = {place for side in (compare.left, compare.right) for place in _loaded(flow, side)}
        for place in bounds:
            _note(uses, place, Role.OFFSETS if place in starts else Role.COUNT, None)
    for place in _asked_for_end(flow):
        if place.root in uses:
            uses[place.root].ends.add(place.path)
    for place in _loaded_with_neighbour(flow):
        use = uses.get(place.root)
        if use is not None and use.role(place.path) in (Role.INDEX, Role.COUNT):
            _note(uses, place, Role.OFFSETS, None)


def _read_callees(flow: Flow, uses: dict[NamedObject, ArrayUse]) -> None:
    """What a called pointer was loaded from, and what was stored there."""
    waiting = [*choices_of_calls(flow.function)]
    if not waiting:
        return
    stores = [one for _, one in flow.function.instructions() if isinstance(one, Store)]
    for value, numbers in popped(waiting):
        for place in _loaded_members(flow, value):
            use = uses.get(place.root)
            known = () if use is None else use.callees.get(place.path, ())
            if use is not None and not set(numbers) <= set(known):
                use.callees[place.path] = tuple(dict.fromkeys((*known, *numbers)))
                waiting += [(one.value, numbers) for one in paced(stores) if place in flow.places(one.address)]


def _asked_for_end(flow: Flow) -> Iterator[ElementMember]:
    """Elements that are compared with -1, or whose sign is asked for."""
    for _, instruction in flow.function.instructions():
        if isinstance(instruction, Compare):
            is_equality = instruction.operator in _EQUALITIES
            for one, other in ((instruction.left, instruction.right), (instruction.right, instruction.left)):
                number, type = _constant(flow, other), flow.function.type_of(one)
                if isinstance(type, IntegerType) and (
                    number == -1 or (number == 0 and type.signed and not is_equality)
                ):
                    yield from _loaded(flow, one)


def _scaled_terms(flow: Flow, value: ValueId, factor: int, depth: int) -> Iterator[tuple[ValueId, int]]:
    """The terms of a sum with the constants that they are multiplied with: `a[i] * 32 + t`."""
    match flow.definitions.get(value):
        case Convert(operand=operand) if depth < MAX_TERMS:
            yield from _scaled_terms(flow, operand, factor, depth + 1)
        case Binary(operator=BinaryOperator.ADD | BinaryOperator.SUBTRACT, left=left, right=right) if depth < MAX_TERMS:
            yield from _scaled_terms(flow, left, factor, depth + 1)
            yield from _scaled_terms(flow, right, factor, depth + 1)
        case Binary(operator=BinaryOperator.MULTIPLY | BinaryOperator.SHIFT_LEFT as operator, left=left, right=right):
            for one, other in ((left, right), (right, left)):
                number = _constant(flow, other)
                if number is not None and 0 < number < 1 << 16:
                    is_product = operator is BinaryOperator.MULTIPLY
                    yield from _scaled_terms(
                        flow, one, factor * (number if is_product else 1 << min(number, 16)), depth + 1
                    )
                    return
            yield value, factor
        case _:
            yield value, factor


def _is_product(flow: Flow, value: ValueId) -> bool:
    """Whether two numbers that are both not constant are multiplied: each may be as large as the root of the limit."""
    match _uncast(flow, value):
        case Binary(operator=BinaryOperator.MULTIPLY, left=left, right=right):
            return _constant(flow, left) is None and _constant(flow, right) is None
        case _:
            return False


def _loaded_as_it_is(flow: Flow, value: ValueId) -> Iterator[ElementMember]:
    """The elements that the value is, unchanged."""
    match _uncast(flow, value):
        case Load(result=result) if isinstance(flow.function.type_of(result), IntegerType):
            yield from _loaded(flow, result)
        case _:
            return


def _uncast(flow: Flow, value: ValueId) -> Instruction | Phi | None:
    definition = flow.definitions.get(value)
    while isinstance(definition, Convert):
        definition = flow.definitions.get(definition.operand)
    return definition


def _constant(flow: Flow, value: ValueId) -> int | None:
    definition = _uncast(flow, value)
    return definition.value if isinstance(definition, Constant) and isinstance(definition.value, int) else None


def _loaded_with_neighbour(flow: Flow) -> set[ElementMember]:
    """Places of which some thread loads two elements that follow each other."""
    indices: dict[ElementMember, set[tuple[Term, int]]] = {}
    for block in flow.control.order:
        for instruction in flow.function.blocks[block].instructions:
            if isinstance(instruction, Load) and isinstance(flow.function.type_of(instruction.result), IntegerType):
                address = flow.definitions.get(instruction.address)
                if isinstance(address, ElementAddress):
                    for place in flow.places(instruction.address):
                        indices.setdefault(place, set()).add(_term_and_distance(flow, address.index, 0))
    return {place for place, found in indices.items() if any((term, distance + 1) in found for term, distance in found)}


def _term_and_distance(flow: Flow, index: ValueId, depth: int) -> tuple[Term, int]:
    """`i + 3` as what `i` is and 3."""
    definition = flow.definitions.get(index)
    match definition:
        case Convert(operand=operand):
            return _term_and_distance(flow, operand, depth)
        case Constant(value=int() as number):
            return "", number
        case ReadSpecial(register=register):
            return register.value, 0
        case Binary(operator=BinaryOperator.ADD | BinaryOperator.SUBTRACT as operator, left=left, right=right) if (
            depth < MAX_TERMS
        ):
            one, before = _term_and_distance(flow, left, depth + 1)
            other, after = _term_and_distance(flow, right, depth + 1)
            is_sum = operator is BinaryOperator.ADD
            term = one if other == "" else other if one == "" and is_sum else (operator.value, one, other)
            return term, before + (after if is_sum else -after)
        case Binary(operator=operator, left=left, right=right) if depth < MAX_TERMS:
            return (operator.value, *(_term_and_distance(flow, side, depth + 1) for side in (left, right))), 0
        case _:
            return index, 0


def _note(uses: dict[NamedObject, ArrayUse], place: ElementMember, role: Role, limit: int | None) -> None:
    use = uses.get(place.root)
    if use is None:
        return
    use.roles[place.path] = max(role, use.role(place.path))
    if limit is not None:
        use.limits[place.path] = min(limit, use.limits.get(place.path, limit))


def _loaded(flow: Flow, value: ValueId) -> Iterator[ElementMember]:
    for source in flow.sources(value):
        if isinstance(source, ElementMember) and source.root.kind in _MEMORY:
            yield source


def _loaded_members(flow: Flow, value: ValueId) -> Iterator[ElementMember]:
    """The places that a value was loaded from, perhaps with the whole struct around it."""
    definition = _uncast(flow, value)
    whole = flow.function.type_of(definition.aggregate) if isinstance(definition, ExtractElement) else None
    layout = flow.function.structs.get(whole.name) if isinstance(whole, StructType) else None
    if not isinstance(definition, ExtractElement) or layout is None:
        yield from _loaded(flow, value)
        return
    for place in _loaded(flow, definition.aggregate):
        yield ElementMember(place.root, (*place.path, layout.fields[definition.index].name))


def _fixed_length(flow: Flow, address: ElementAddress) -> int | None:
    """The length of the shared, local or constant array that is indexed."""
    base = flow.function.type_of(address.base)
    element = base.element if isinstance(base, PointerType) else VoidType()
    kinds = {place.root.kind for place in flow.places(address.base)}
    if isinstance(element, ArrayType) and element.length and RootKind.ARGUMENT not in kinds:
        return element.length
    return None


def _exit_compares(flow: Flow) -> Iterator[Compare]:
    """Comparisons that decide about leaving a loop, except those for equality."""
    blocks = {block for cycle in flow.control.cycles for block in flow.control.exit_branches(cycle)}
    for block in sorted(blocks):
        terminator = flow.function.blocks[block].terminator
        waiting = [terminator.condition] if isinstance(terminator, Branch) else []
        seen: set[ValueId] = set()
        while waiting:
            value = waiting.pop()
            if value in seen:
                continue
            seen.add(value)
            match flow.definitions.get(value):
                case Compare(operator=operator) as compare if operator not in _EQUALITIES:
                    yield compare
                case Binary() | Unary() | Convert() as definition:
                    waiting.extend(definition.operands)
                case _:
                    pass


_DIVISIONS: Final = (BinaryOperator.DIVIDE, BinaryOperator.REMAINDER)
_EQUALITIES: Final = (CompareOperator.EQUAL, CompareOperator.NOT_EQUAL)


def _starts(flow: Flow, value: ValueId) -> Iterator[ElementMember]:
    """What a loop variable was loaded from before the loop."""
    definition = flow.definitions.get(value)
    while isinstance(definition, Convert):
        definition = flow.definitions.get(definition.operand)
    if isinstance(definition, Phi):
        for operand in definition.operands:
            yield from _loaded(flow, operand)


def is_constant(flow: Flow, name: str) -> bool:
    """Whether the variable is `__constant__`."""
    return any(symbol.name == name and symbol.kind is SymbolKind.CONSTANT for symbol in flow.function.symbols)
