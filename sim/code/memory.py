"""Code for addresses, loads, stores, atomics, textures and allocation.

Every access goes through its site, which returns good addresses:

    a7 = load_3(f, rows, mask, v5, first_0, extent_0)          # checked against the object of parameter 0
    v7 = arena.f4.take(a7 >> 2)
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext
from typing import Final

from analysis.ir.function import Function, SymbolKind
from analysis.ir.ids import ValueId
from analysis.ir.instructions import (
    Allocate,
    Atomic,
    ElementAddress,
    FieldAddress,
    Instruction,
    Load,
    PointerDifference,
    Store,
    SymbolAddress,
    Texture,
)
from analysis.ir.operators import AtomicOperator, BarrierOperator
from analysis.ir.types import PointerType, StructType, Type, VectorType
from analysis.lower.layouts import size_and_alignment
from sim.code import elements, patterns
from sim.code.placement import ParameterRoot, SymbolRoot
from sim.code.writer import PlannedAccess, Writer
from sim.events import AccessSite
from sim.faults import AccessKind
from sim.values.scalars import NoParts, Part, storage_of


def symbol_address(writer: Writer, instruction: SymbolAddress) -> None:
    """Only of variables with one place for the whole grid; others are recomputed where they are read."""
    symbol = instruction.symbol
    writer.unit.symbols.add(symbol)
    writer.set(instruction.result, [f"base_{symbol}"])


def element_address(writer: Writer, instruction: ElementAddress) -> None:
    size = _pointee_size(writer, instruction.result)
    index = writer.read_one(instruction.index)
    part = writer.part(instruction.index)
    if part.held != "i8":
        index = f"{index}.astype(i8)"
    scaled = index if size == 1 else f"{index} * i8({size})"
    base = writer.read_one(instruction.base)
    if base in writer.lows:
        reach = writer.once(f"d{instruction.result}", scaled)
        writer.reaches[writer.set_once(instruction.result, f"{base} + {reach}")] = reach
    else:
        writer.set_once(instruction.result, f"{base} + {scaled}")


def _pointee_size(writer: Writer, pointer: ValueId) -> int:
    type = writer.type_of(pointer)
    assert isinstance(type, PointerType)
    return storage_of(type.element, writer.unit.function.structs)[0]


def field_address(writer: Writer, instruction: FieldAddress) -> None:
    pointer = writer.type_of(instruction.base)
    assert isinstance(pointer, PointerType)
    offset = _field_offset(writer, pointer.element, instruction.field)
    base = writer.read(instruction.base)
    if offset:
        writer.set(instruction.result, [f"{base[0]} + i8({offset})"])
    else:
        writer.alias(instruction.result, base)


def _field_offset(writer: Writer, type: Type, field: int) -> int:
    structs = writer.unit.function.structs
    match type:
        case StructType(name=name) if name in structs and structs[name].size:
            return structs[name].fields[field].offset
        case VectorType(element=element):
            return field * storage_of(element, structs)[0]
        case _:
            raise NoParts("a member of an object of unknown layout")


def pointer_difference(writer: Writer, instruction: PointerDifference) -> None:
    size = _pointee_size(writer, instruction.left)
    left, right = writer.read_one(instruction.left), writer.read_one(instruction.right)
    held = writer.part(instruction.result).held
    writer.set(instruction.result, [f"(({left} - {right}) // i8({size})).astype({held})"])


# -- accesses ---------------------------------------------------------------------------------------------------------


def load(writer: Writer, instruction: Load) -> None:
    parts = writer.parts(instruction.result)
    if not parts:
        writer.alias(instruction.result, ())
        return
    number = _plan(writer, instruction, instruction.address, parts, AccessKind.LOAD)
    address = f"a{instruction.result}"

    def usual() -> tuple[str, ...]:
        writer.line(f"{address} = load_{number}(f, rows, mask, {_located(writer, instruction.address)})")
        return writer.set(instruction.result, [_read(address, part) for part in parts])

    def of_pattern(near: str) -> tuple[str, ...]:
        found = [_held(part, f"{near}.take({_view(part)}, {part.offset})") for part in parts]
        return writer.set(instruction.result, found)

    def of_elements(places: str) -> tuple[str, ...]:
        return writer.set(instruction.result, [_held(part, f"{_view(part)}.take({places})") for part in parts])

    names = _in_some_way(writer, instruction.address, number, parts, of_pattern, of_elements, usual)
    writer.fresh.update(names)
    writer.alias(instruction.result, names)


def _in_some_way(
    writer: Writer,
    address: ValueId,
    number: int,
    parts: tuple[Part, ...],
    of_pattern: Callable[[str], tuple[str, ...]],
    of_elements: Callable[[str], tuple[str, ...]],
    usual: Callable[[], tuple[str, ...]],
) -> tuple[str, ...]:
    """Writes the access as that of a pattern, else of elements, else of addresses; the names that all of these give."""
    near = _near(writer, address, number)
    if near is not None:
        writer.line(f"if {near} is not None:")
        with writer.nested():
            of_pattern(near)
        writer.line("else:")
    with writer.nested() if near is not None else nullcontext():
        places = elements.places(writer, address, number, parts)
        if places is None:
            return usual()
        writer.line(f"if {places} is None:")
        with writer.nested():
            names = usual()
        writer.line("else:")
        with writer.nested():
            of_elements(places)
        return names


def _near(writer: Writer, address: ValueId, number: int) -> str | None:
    """The name of a pattern and where it starts, or of None; no name where the address is none."""
    form = writer.unit.forms.get(address)
    if form is None or writer.unit.observes_values or not patterns.is_tried(writer.unit, writer.segment, form):
        return None
    try:
        return patterns.near(writer, form, number, lambda inner: _checked(inner, address), _pointee_size)
    except NoParts:
        return None


def _read(address: str, part: Part) -> str:
    return _held(part, f"{_view(part)}.take({_index(address, part)})")


def _held(part: Part, found: str) -> str:
    """What a register holds of what is found in memory."""
    if part.stored == "b1":
        return f"({found} != 0)"
    return f"bfloat16_from_bits({found})" if part.is_bfloat16 else found


def _view(part: Part) -> str:
    """Memory as such numbers."""
    return f"arena.{'u1' if part.stored == 'b1' else part.stored}"


def _index(address: str, part: Part) -> str:
    at = f"({address} + {part.offset})" if part.offset else address
    shift = part.width.bit_length() - 1
    return f"{at} >> {shift}" if shift else at


def store(writer: Writer, instruction: Store) -> None:
    parts = writer.parts(instruction.value)
    if not parts:
        return
    names = writer.read(instruction.value)
    number = _plan(writer, instruction, instruction.address, parts, AccessKind.STORE)
    values = [(f"bfloat16_bits({name})" if part.is_bfloat16 else name) for name, part in zip(names, parts, strict=True)]

    def of_pattern(near: str) -> tuple[str, ...]:
        for value, part in zip(values, parts, strict=True):
            writer.line(f"{near}.put(m, f, {_view(part)}, {part.offset}, {value}, mask)")
        return ()

    def of_elements(places: str) -> tuple[str, ...]:
        for value, part in zip(values, parts, strict=True):
            writer.line(f"write(m, f, {_view(part)}, {places}, {value}, mask)")
        return ()

    def usual() -> tuple[str, ...]:
        address, lanes = f"a_{number}", f"w_{number}"
        located, written = _located(writer, instruction.address), "".join(f"{name}, " for name in names)
        writer.line(f"{address}, {lanes} = store_{number}(f, rows, mask, {located}, values=({written}))")
        for value, part in zip(values, parts, strict=True):
            writer.line(f"write(m, f, {_view(part)}, {_index(address, part)}, {value}, {lanes})")
        return ()

    _in_some_way(writer, instruction.address, number, parts, of_pattern, of_elements, usual)


def atomic(writer: Writer, instruction: Atomic) -> None:
    parts = writer.parts(instruction.result)
    number = _plan(writer, instruction, instruction.address, parts, AccessKind.ATOMIC)
    arguments = [writer.read(argument) for argument in instruction.arguments]
    address, lanes = f"a{instruction.result}", f"w{instruction.result}"

    def locate() -> None:
        located = _located(writer, instruction.address)
        writer.line(f"{address}, {lanes} = store_{number}(f, rows, mask, {located})")

    if isinstance(instruction.operator, BarrierOperator):
        locate()
        (count,) = arguments[0]
        update = f"m.update_barrier({instruction.operator.value!r}, f, rows, {address}, {lanes}, {count})"
        writer.set(instruction.result, [update])
        return
    if len(parts) > 1 and instruction.operator not in (AtomicOperator.ADD, AtomicOperator.EXCHANGE):
        raise NoParts("an atomic operation on an aggregate")
    places = elements.places(writer, instruction.address, number, parts)
    if places is None:
        locate()
        _update(writer, instruction, arguments, [_index(address, part) for part in parts], lanes)
        return
    writer.line(f"if {places} is None:")
    with writer.nested():
        locate()
        names = _update(writer, instruction, arguments, [_index(address, part) for part in parts], lanes)
    writer.line("else:")
    with writer.nested():
        _update(writer, instruction, arguments, [places], "mask")
    writer.fresh.update(names)
    if names:
        writer.alias(instruction.result, names)


def _update(
    writer: Writer, instruction: Atomic, arguments: list[tuple[str, ...]], places: list[str], lanes: str
) -> tuple[str, ...]:
    """Writes the operation on each part at its places; the names of the old values, none where nobody reads them."""
    parts = writer.parts(instruction.result)
    if _is_plain_sum(writer, instruction, parts):
        (value,) = arguments[0]
        value = value if instruction.operator is AtomicOperator.ADD else f"np.negative({value})"
        writer.line(f"accumulate(m, {parts[0].stored!r}, {places[0]}, {lanes}, shape, {value})")
        return ()
    expressions: list[str] = []
    for index, part in enumerate(parts):
        values = "".join(f", {names[index]}" for names in arguments)
        kind = "bf" if part.is_bfloat16 else part.stored
        name = instruction.operator.value
        expressions.append(f"atomic(m, {name!r}, {kind!r}, {places[index]}, {lanes}, shape{values})")
    return writer.set(instruction.result, expressions)


_SUMS: Final = (AtomicOperator.ADD, AtomicOperator.SUBTRACT)


def _is_plain_sum(writer: Writer, instruction: Atomic, parts: tuple[Part, ...]) -> bool:
    """A sum of integers whose old value nobody sees."""
    unit = writer.unit
    is_integer = len(parts) == 1 and parts[0].stored[0] in "iu" and not parts[0].is_bfloat16
    is_seen = instruction.result in unit.read or unit.observes_values
    return instruction.operator in _SUMS and is_integer and not is_seen


def _checked(writer: Writer, address: ValueId) -> str:
    """The address with the bounds of the object it must stay in."""
    name = writer.read_one(address)
    root = writer.unit.placement.roots.get(address)
    match root:
        case ParameterRoot(value=value):
            writer.unit.imports[f"first_{value}, extent_{value}"] = f"m.bounds({value})"
            return f"{name}, first_{value}, extent_{value}"
        case SymbolRoot(symbol=symbol):
            writer.unit.symbols.add(symbol)
            kind = writer.unit.function.symbols[symbol].kind
            if kind in (SymbolKind.GLOBAL, SymbolKind.CONSTANT, SymbolKind.TEXTURE):
                return f"{name}, base_{symbol}, size_{symbol}"
            return f"{name}, {writer.low(symbol)}, size_{symbol}"
        case None:
            return f"{name}, None, 0"


def _located(writer: Writer, address: ValueId) -> str:
    """The same, and how far behind the object's start the address lies where that is at hand: it spares the check an
    operation on all threads."""
    checked = _checked(writer, address)
    reach = writer.reaches.get(writer.read_one(address))
    return checked if reach is None else f"{checked}, {reach}"


def _plan(writer: Writer, instruction: Instruction, address: ValueId, parts: tuple[Part, ...], kind: AccessKind) -> int:
    unit = writer.unit
    width = max(part.offset + part.width for part in parts)
    site = AccessSite(unit.function, instruction, instruction.span, kind, width, writer.segment)
    places = tuple((part.offset, part.width) for part in parts)
    root = unit.placement.roots.get(address)
    alignment = max(_alignment(unit.function, address), *(part.width for part in parts))
    aligned = unit.placement.alignments.get(address, 1) % alignment == 0
    unit.accesses.append(PlannedAccess(site, places, root, alignment, aligned))
    number = len(unit.accesses) - 1
    method = "load" if kind is AccessKind.LOAD else "store"
    unit.imports[f"{method}_{number}"] = f"m.access({number}).{method}"
    return number


def _alignment(function: Function, address: ValueId) -> int:
    """Of what the pointer points to: a `float4` is read by one instruction, so it asks for more than its parts."""
    type = function.types[address]
    return size_and_alignment(type.element, function.structs)[1] if isinstance(type, PointerType) else 1


# -- textures and the heap --------------------------------------------------------------------------------------------


def texture(writer: Writer, instruction: Texture) -> None:
    place = writer.unit.place(instruction.span, f"a texture operation ({instruction.operation.value})")
    arguments = ", ".join(f"({', '.join(writer.read(argument))},)" for argument in instruction.arguments)
    call = f"m.texture({place}, {instruction.operation.value!r}, f, rows, mask, ({arguments},)"
    if instruction.result is None:
        kinds = ", ".join(repr(part.held) for part in writer.parts(instruction.arguments[1]))
        writer.line(f"{call}, ({kinds},))")
        return
    parts = writer.parts(instruction.result)
    kinds = ", ".join(repr(part.held) for part in parts)
    writer.line(f"t{instruction.result} = {call}, ({kinds},))")
    writer.set(instruction.result, [f"t{instruction.result}[{index}]" for index in range(len(parts))])


def allocate(writer: Writer, instruction: Allocate) -> None:
    size = writer.read_one(instruction.size)
    writer.set(instruction.result, [f"m.heap(f, rows, mask, {size})"])
