"""Chosen arrays: how long they are, what stands in them, and how they become arguments.

Rules    Floating-point numbers are random in [0, 1), integers in [0, 100) (bytes: all values), booleans either.
         Integers that are used as indices stay below the number of threads, or below the length of the fixed array
         that they go into; counts of loop iterations are below 9; offsets grow by 1 to 8 from element to element;
         links lead to earlier elements, so that who follows them arrives: at the first one, which leads to itself, or,
         where -1 is asked for, to -1.
         Elements that are compared with something get ranges in which that goes either way (`straddling.py`).
         What a compare-and-swap expects to find is what its places hold from the start (`free_places.py`).
         An array that the kernel only writes starts uninitialised, one that it only updates atomically at zero.
         Structs are filled member by member, pointers by `pointees.py`.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator, Mapping
from dataclasses import field
from typing import Any, Final, TypeAlias, final

import numpy as np
from numpy.typing import NDArray

from analysis.inputs.array_uses import ArrayUse, Role
from analysis.inputs.element_bounds import MAX_COUNT, Bounds, Path, default_bounds
from analysis.inputs.flow import ELEMENT, VECTOR_MEMBERS
from analysis.ir.record import record
from analysis.ir.types import (
    U8,
    ArrayType,
    BooleanType,
    FloatFormat,
    FloatType,
    HandleType,
    IntegerType,
    PointerType,
    StructLayout,
    StructType,
    Type,
    VectorType,
    VoidType,
)
from analysis.lower.layouts import size_of
from sim.result import FAR_BYTES
from sim.specification import Array, ChosenArray, Filling

MAX_BYTES: Final = FAR_BYTES
"""How large a chosen array may grow."""

Structs: TypeAlias = Mapping[str, StructLayout]


@final
@record
class Limits:
    """What loaded numbers are for, by path of members: roles of integers and below what they stay, and ranges in
    which comparisons go either way, and constants."""

    roles: Mapping[Path, Role] = field(default_factory=dict[Path, Role])
    below: Mapping[Path, int] = field(default_factory=dict[Path, int])
    ranges: Mapping[Path, Bounds] = field(default_factory=dict[Path, Bounds])
    starts: Mapping[Path, int] = field(default_factory=dict[Path, int])
    """What free places hold."""
    callees: Mapping[Path, tuple[int, ...]] = field(default_factory=dict[Path, tuple[int, ...]])
    """The functions, by their numbers, of which pointers to functions lead to one after the other."""


@final
@record
class ArrayChoice:
    """`length` in elements of type `element`, which is what the kernel takes the memory for.

    `bounds` is the user's for RANDOM; `is_fixed` if the user gave the length.
    """

    name: str
    element: Type
    declared: Type
    length: int
    filling: Filling
    limits: Limits
    threads: int
    seed: int
    bounds: tuple[float, float] | None = None
    is_fixed: bool = False

    def text(self) -> str:
        """As it would be given."""
        word = {Filling.INDEX: "iota", Filling.ZERO: "zeros"}.get(self.filling, self.filling.value)
        if self.filling is Filling.RANDOM:
            role = self.limits.roles.get((), Role.DATA)
            start = self.start_of(())
            if isinstance(self.element, PointerType):
                word = "pointers"
            elif isinstance(self.element, HandleType) and self.limits.callees:
                word = "functions"
            elif start is not None:
                word = f"{start:#x}" if start >= 1 << 31 else str(start)
            elif role in (Role.OFFSETS, Role.LINK):
                word = "offsets" if role is Role.OFFSETS else "links"
            elif isinstance(scalar := _scalar(self.element), IntegerType | FloatType | BooleanType):
                low, high = self.range_of((), scalar)
                word = f"random({low:g},{high:g})" if low < high else f"{low:.17g}"
        return f"{word}[{self.length}]"

    def start_of(self, path: Path) -> int | None:
        """What each element holds at a member, if that is one constant."""
        return self.limits.starts.get(path) if self.bounds is None else None

    def range_of(self, path: Path, scalar: Type) -> Bounds:
        """[low, high) for the numbers at a member."""
        role, below = self.limits.roles.get(path, Role.DATA), self.limits.below.get(path, self.threads)
        chosen = self.limits.ranges.get(path) or self.limits.ranges.get(path[:-1])  # one for all of a vector
        return self.bounds or chosen or default_bounds(scalar, role, below)


def element_of(declared: Type, use: ArrayUse | None) -> Type:
    """What stands behind a pointer to `declared`; what the kernel reads there, where the pointer does not say."""
    accessed = () if use is None else use.accessed
    if isinstance(declared, VoidType) or declared == U8 or declared == IntegerType(8, signed=True):
        wider = [type for type in accessed if isinstance(_scalar(type), FloatType)]
        return wider[0] if wider else U8 if isinstance(declared, VoidType) else declared
    return declared


def filling_of(use: ArrayUse | None, declared: Type) -> Filling:
    if use is None or (isinstance(declared, HandleType) and not use.callees):
        return Filling.ZERO
    if use.is_loaded or any(use.starts.values()):
        return Filling.RANDOM
    return Filling.ZERO if use.is_atomic else Filling.UNINITIALISED


def argument_of(choice: ArrayChoice, structs: Structs) -> Array | ChosenArray:
    """The argument for the engine: plain numbers are left to it, all else is made here as bytes."""
    role = choice.limits.roles.get((), Role.DATA)
    scalar = _scalar(choice.element)
    size = size_of(choice.declared, structs) or 1
    is_plain = (
        choice.element == choice.declared
        and role not in (Role.OFFSETS, Role.LINK)
        and not _is_struct(choice.element)
        and choice.start_of(()) is None
    )
    if choice.filling is not Filling.RANDOM or not isinstance(scalar, IntegerType | FloatType | BooleanType):
        is_handle = isinstance(choice.element, HandleType) and not choice.limits.callees
        if choice.filling is not Filling.RANDOM or is_handle:
            unit = size_of(choice.element, structs) or 1
            return ChosenArray(-(-choice.length * unit // size), choice.filling)
    elif is_plain and not isinstance(choice.element, ArrayType):
        low, high = choice.range_of((), scalar)
        return ChosenArray(choice.length, choice.filling, low, high)
    return Array(fit(contents(choice, structs), choice.declared))


def contents(choice: ArrayChoice, structs: Structs) -> NDArray[np.uint8]:
    """(length * size,) bytes, the same for the same name and seed."""
    size = size_of(choice.element, structs) or 1
    octets = np.zeros((choice.length, size), np.uint8)
    generator = np.random.default_rng((choice.seed, zlib.crc32(choice.name.encode())))
    for offset, path, scalar in _scalars(choice.element, structs):
        role = choice.limits.roles.get(path, Role.DATA)
        start, format = choice.start_of(path), number_format(scalar)
        callees = choice.limits.callees.get(path)
        if isinstance(scalar, HandleType):
            values = np.resize(np.array(callees or (0,), np.int64), choice.length)
        elif start is not None and format is not None and format.kind in "iu":
            values = np.full(choice.length, start, format)
        else:
            values = _numbers(generator, scalar, role, choice.range_of(path, scalar), choice.length)
        octets[:, offset : offset + values.itemsize] = values.view(np.uint8).reshape(choice.length, -1)
    return octets.reshape(-1)


def fit(octets: NDArray[np.uint8], declared: Type) -> NDArray[Any]:
    """Bytes as an array of the declared element type, where NumPy has one."""
    format = number_format(_scalar(declared))
    if format is None or len(octets) % (format.itemsize * _lanes(declared)):
        return octets
    numbers = octets.view(format)
    return numbers.reshape(-1, _lanes(declared)) if isinstance(declared, VectorType) else numbers


def number_format(type: Type) -> np.dtype[Any] | None:
    """NumPy's type for a scalar in memory; bfloat16 as its bits."""
    match type:
        case IntegerType(bits=bits, signed=signed) if bits <= 64:
            return np.dtype(f"{'i' if signed else 'u'}{bits // 8}")
        case BooleanType():
            return np.dtype(np.bool_)
        case FloatType(format=FloatFormat.BFLOAT16):
            return np.dtype(np.uint16)
        case FloatType(format=format):
            return np.dtype({FloatFormat.HALF: "f2", FloatFormat.SINGLE: "f4"}.get(format, "f8"))
        case _:
            return None


def _lanes(type: Type) -> int:
    return type.length if isinstance(type, VectorType) else 1


def _scalar(type: Type) -> Type:
    while isinstance(type, VectorType | ArrayType):
        type = type.element
    return type


def _is_struct(type: Type) -> bool:
    return isinstance(_scalar(type), StructType)


def _scalars(type: Type, structs: Structs, offset: int = 0, path: Path = ()) -> Iterator[tuple[int, Path, Type]]:
    """The numbers and handles in a type, with their offsets and the members that lead to them; not pointers."""
    match type:
        case IntegerType() | FloatType() | BooleanType() | HandleType():
            yield offset, path, type
        case VectorType(element=element, length=length):
            size = size_of(element, structs) or 0
            for index in range(length):
                yield from _scalars(element, structs, offset + index * size, (*path, VECTOR_MEMBERS[index]))
        case ArrayType(element=element, length=length):
            size = size_of(element, structs) or 0
            for index in range(length or 0):
                yield from _scalars(element, structs, offset + index * size, (*path, ELEMENT))
        case StructType(name=name) if name in structs:
            for member in structs[name].fields:
                yield from _scalars(member.type, structs, offset + member.offset, (*path, member.name))
        case PointerType() | _:
            return


def _numbers(generator: np.random.Generator, scalar: Type, role: Role, bounds: Bounds, length: int) -> NDArray[Any]:
    """(length,) numbers of a scalar type."""
    format = number_format(scalar)
    low, high = bounds
    if format is None:
        return np.zeros(length, np.uint8)
    if isinstance(scalar, FloatType):
        reals = low + (high - low) * generator.random(length)
        if scalar.format is FloatFormat.BFLOAT16:
            return (reals.astype(np.float32).view(np.uint32) >> 16).astype(np.uint16)
        return reals.astype(format)
    if role is Role.OFFSETS:
        steps = generator.integers(1, MAX_COUNT, length)
        return (np.cumsum(steps) - steps).astype(format)
    if role is Role.LINK:
        links = int(low) + (generator.random(length) * (np.arange(length) - int(low))).astype(np.int64)
        return np.minimum(links, int(high) - 1).astype(format)
    return generator.integers(int(low), max(int(low) + 1, int(high)), length).astype(format)
