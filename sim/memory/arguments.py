"""From launch arguments to values and buffers: what each parameter's parts are when the kernel starts.

A pointer becomes a buffer of its own; the members of a struct that are pointers too (`p.x`).  What is chosen is drawn
from the launch's seed and the parameter's name, so that no argument depends on another.
"""

from __future__ import annotations

import zlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final, assert_never, final

import numpy as np
from numpy.typing import NDArray

from analysis.inputs.leaf_names import joined, parts
from analysis.ir.function import Function
from analysis.ir.record import record
from analysis.ir.types import (
    ArrayType,
    BitRange,
    BooleanType,
    FloatType,
    HandleType,
    IntegerType,
    MemorySpace,
    PointerType,
    StructLayout,
    StructType,
    Type,
    VectorType,
)
from sim.arrays import Values, scalar
from sim.memory.arena import Allocation, Arena
from sim.refusals import LaunchError
from sim.specification import (
    Argument,
    Array,
    ChosenArray,
    Filling,
    LaunchSpecification,
    SameAs,
    Scalar,
    Struct,
    TextureImage,
)
from sim.state.deadline import Deadline
from sim.values.floats import bfloat16_bits, double_to_bfloat16
from sim.values.scalars import NoParts, Part, parts_of, storage_of

_AT_ONCE: Final = 1 << 20
"""Elements that are drawn without asking for the time."""


@final
@record
class Buffer:
    """An array argument in memory, and how to read it back."""

    region: Allocation
    kind: np.dtype[Any]
    shape: tuple[int, ...]


@final
@dataclass(slots=True)
class Arguments:
    """Places a launch's arguments in the arena."""

    arena: Arena
    launch: LaunchSpecification
    structs: Mapping[str, StructLayout]
    deadline: Deadline
    buffers: dict[str, Buffer] = field(default_factory=dict[str, Buffer])
    textures: list[TextureImage] = field(default_factory=list[TextureImage])

    def place(self, function: Function) -> dict[int, tuple[Values, ...]]:
        """The parts of each parameter, by value; LaunchError where one is missing or of the wrong kind."""
        names = {parameter.name for parameter in function.parameters}
        unknown = sorted(set(self.launch.arguments) - names)
        if unknown:
            raise LaunchError(f"{function.name} has no parameter {unknown[0]}")
        # Buffers first: an argument may point into that of a later parameter.
        ordered = sorted(function.parameters, key=lambda one: isinstance(self._given(one.name), SameAs))
        values: dict[int, tuple[Values, ...]] = {}
        for parameter in ordered:
            type = function.types[parameter.value]
            try:
                values[parameter.value] = self.value(parameter.name, type, self._given(parameter.name))
            except NoParts:
                values[parameter.value] = ()
        return values

    def place_regions(self) -> None:
        """Memory that only pointers in memory lead to."""
        for name, objects in self.launch.regions.items():
            self._buffer(name, objects.element, objects.argument, objects.count)

    def link(self, holders: Mapping[str, Allocation]) -> None:
        """Writes the pointers that lie in memory; `holders` are the variables that may hold some."""
        for pointers in self.launch.pointers:
            buffer = self.buffers.get(pointers.holder)
            holder = holders[pointers.holder] if buffer is None else buffer.region
            target = self.buffers[pointers.target].region
            addresses = target.base + pointers.objects * target.stride + pointers.offsets
            addresses = np.where(pointers.objects < 0, 0, addresses).astype(np.int64)
            number, offset = np.divmod(pointers.at, max(1, holder.size))
            at = holder.base + number * holder.stride + offset
            self.arena.data[at[:, None] + np.arange(8)] = addresses.view(np.uint8).reshape(-1, 8)
            self.deadline.check()

    def _given(self, name: str) -> Argument | None:
        return self.launch.arguments.get(name)

    def value(self, name: str, type: Type, argument: Argument | None) -> tuple[Values, ...]:
        """The parts of one argument."""
        match type, argument:
            case _, None:
                raise LaunchError(f"no argument for the parameter {name}")
            case (PointerType(element=element), Array() | ChosenArray()):
                return (scalar(np.int64(self._buffer(name, element, argument))),)
            case (PointerType(), SameAs(parameter=other, offset=offset)):
                if other not in self.buffers:
                    raise LaunchError(f"{name}: {other} is no array argument")
                return (scalar(np.int64(self.buffers[other].region.base + offset)),)
            case (HandleType() | IntegerType(bits=64), TextureImage()):
                self.textures.append(argument)
                return tuple(_cast(part, len(self.textures)) for part in parts_of(type, self.structs))
            case (StructType() | VectorType() | ArrayType(), Struct(members=members)):
                return self._members(name, type, members)
            case _, Scalar(value=value):
                return tuple(_cast(part, value) for part in parts_of(type, self.structs))
            case _:
                raise LaunchError(f"{name}: {argument.__class__.__name__} does not fit a parameter of its type")

    def _members(
        self, name: str, type: StructType | VectorType | ArrayType, given: Mapping[str, Argument]
    ) -> tuple[Values, ...]:
        if isinstance(type, StructType) and self.structs[type.name].has_bit_fields:
            given = _in_units(self.structs[type.name], given)
        fields = parts(type, self.structs)
        unknown = sorted(set(given) - {field for field, _ in fields})
        if unknown:
            raise LaunchError(f"{name} has no member {unknown[0]}")
        found: list[Values] = []
        for field_name, member in fields:
            if field_name in given:
                found += self.value(joined(name, field_name), member, given[field_name])
            else:
                found += [_cast(part, 0) for part in parts_of(member, self.structs)]
        return tuple(found)

    def _buffer(self, name: str, element: Type, argument: Array | ChosenArray, count: int = 1) -> int:
        if isinstance(argument, ChosenArray):
            data, offset = self.chosen(name, element, argument), 0
            written = argument.filling is not Filling.UNINITIALISED
        else:
            data, offset, written = argument.data, argument.offset, True
        octets = np.ascontiguousarray(data).reshape(-1).view(np.uint8)
        region = self.arena.allocate(name, MemorySpace.GLOBAL, len(octets) // count, count, written=written)
        self.deadline.check()
        self.arena.fill(region, octets)
        self.deadline.check()
        self.buffers[name] = Buffer(region, data.dtype, data.shape)
        return region.base + offset

    def chosen(self, name: str, element: Type, choice: ChosenArray) -> NDArray[Any]:
        """The contents of a chosen array, in the element's memory format."""
        try:
            size, _ = storage_of(element, self.structs)
            parts = parts_of(element, self.structs)
        except NoParts:
            size, parts = 1, tuple[Part, ...]()
        if not 0 <= choice.length * size <= self.launch.budget.memory_bytes:
            raise LaunchError(f"{name} needs {choice.length * size:,} bytes of memory, more than the budget")
        random = np.random.default_rng([self.launch.seed, zlib.crc32(name.encode())])
        if len(parts) == 1:
            return self._filled(parts[0], choice, random)
        octets = np.zeros((choice.length, size), np.uint8)
        for part in parts:
            column = np.ascontiguousarray(self._filled(part, choice, random)).view(np.uint8)
            octets[:, part.offset : part.offset + part.width] = column.reshape(choice.length, part.width)
        kinds = {part.stored for part in parts}
        if len(kinds) == 1 and size == len(parts) * parts[0].width and parts[0].stored != "b1":
            return octets.reshape(-1).view(parts[0].stored).reshape(choice.length, len(parts))
        return octets

    def _filled(self, part: Part, choice: ChosenArray, random: np.random.Generator) -> NDArray[Any]:
        """(length,) numbers in memory format."""
        found = np.zeros(choice.length, np.uint16 if part.is_bfloat16 else part.stored)
        if choice.filling in (Filling.ZERO, Filling.UNINITIALISED):
            return found
        for start in range(0, choice.length, _AT_ONCE):
            self.deadline.check()
            places = range(start, min(start + _AT_ONCE, choice.length))
            numbers = _numbers(part, choice, random, places)
            if part.is_bfloat16:
                numbers = bfloat16_bits(double_to_bfloat16(numbers.astype(np.float64)))
            found[start : places.stop] = numbers.astype(found.dtype)
        return found


def _numbers(part: Part, choice: ChosenArray, random: np.random.Generator, places: range) -> NDArray[Any]:
    """The elements at these places; whoever asks for places in order gets the same as for all at once."""
    match choice.filling:
        case Filling.INDEX:
            return np.arange(places.start, places.stop)
        case Filling.RANDOM if isinstance(part.type, FloatType):
            return random.uniform(choice.low, choice.high, len(places))
        case Filling.RANDOM if isinstance(part.type, BooleanType):
            return random.integers(0, 2, len(places))
        case Filling.RANDOM if isinstance(part.type, PointerType | HandleType):
            return np.zeros(len(places), np.int64)
        case Filling.RANDOM:
            low, high = int(np.floor(choice.low)), int(np.ceil(choice.high))
            return random.integers(low, max(high, low + 1), len(places))
        case Filling.ZERO | Filling.UNINITIALISED:
            return np.zeros(len(places))
        case _:
            assert_never(choice.filling)


def stored(part: Part, value: float) -> NDArray[np.uint8]:
    """The bytes of a number in memory."""
    number = _cast(part, value)
    return np.atleast_1d(bfloat16_bits(number) if part.is_bfloat16 else number).view(np.uint8)


def _cast(part: Part, value: float) -> Values:
    """A scalar in the part's register type, with C's wrapping."""
    if part.held == "b1":
        return scalar(np.bool_(value))
    if part.held[0] == "f":
        number = scalar(np.dtype(part.held).type(value))
        return double_to_bfloat16(number.astype(np.float64))[()] if part.is_bfloat16 else number
    bits = part.width * 8
    pattern = int(value) & ((1 << bits) - 1)
    if part.held[0] == "i" and pattern >> (bits - 1):
        pattern -= 1 << bits
    return scalar(np.dtype(part.held).type(pattern))


def _in_units(layout: StructLayout, given: Mapping[str, Argument]) -> dict[str, Argument]:
    """For each bit-field the integer that memory holds there, its neighbours' bits included."""
    integers = [(one, one.type) for one in layout.fields if isinstance(one.type, IntegerType)]
    image = 0
    for one, type in integers:
        argument = given.get(one.name)
        if isinstance(argument, Scalar):
            bits = one.bits or BitRange(0, type.bits)
            image |= (int(argument.value) & ((1 << bits.width) - 1)) << (8 * one.offset + bits.first)
    found = dict(given)
    for one, type in integers:
        if one.bits is not None and one.name:
            found[one.name] = Scalar(image >> (8 * one.offset) & ((1 << type.bits) - 1))
    return found
