"""Variables of the program in memory: one object for the grid, one per resident block, or one per thread."""

from __future__ import annotations

from collections.abc import Mapping
from typing import final

import numpy as np
from numpy.typing import NDArray

from analysis.ir.function import Function, Symbol, SymbolKind
from analysis.ir.ids import FunctionId
from analysis.ir.types import ArrayType, MemorySpace, PointerType, StructLayout, Type
from analysis.lower.initial_contents import Contents
from sim.memory.arena import Allocation, Arena
from sim.memory.arguments import Arguments, Buffer, stored
from sim.refusals import LaunchError, Refusal
from sim.specification import Argument, Array, ChosenArray, LaunchSpecification, Scalar, Struct, TextureImage
from sim.values.scalars import NoParts, parts_of, storage_of

_SPACES = {
    SymbolKind.LOCAL: MemorySpace.LOCAL,
    SymbolKind.SHARED: MemorySpace.SHARED,
    SymbolKind.DYNAMIC_SHARED: MemorySpace.SHARED,
    SymbolKind.GLOBAL: MemorySpace.GLOBAL,
    SymbolKind.CONSTANT: MemorySpace.CONSTANT,
    SymbolKind.TEXTURE: MemorySpace.CONSTANT,
}


@final
class Variables:
    """Regions by what makes a variable one object: its name for the grid's, its function for a block's."""

    def __init__(
        self,
        arena: Arena,
        launch: LaunchSpecification,
        arguments: Arguments,
        contents: Mapping[str, Contents],
        blocks: int,
    ) -> None:
        self._arena = arena
        self._launch = launch
        self._arguments = arguments
        self._initial = contents
        self._blocks = blocks
        self._regions: dict[tuple[str, str, int], Allocation] = {}
        self._buffers: dict[str, Buffer] = {}

    def place(self, functions: Mapping[FunctionId, Function]) -> None:
        for function in functions.values():
            for number, symbol in enumerate(function.symbols):
                key = _key(function, number)
                if symbol.kind is not SymbolKind.LOCAL and key not in self._regions:
                    self._regions[key] = self._new(function, symbol)
        names = {key[1] for key in self._regions if key[2] < 0}
        unknown = sorted(set(self._launch.variables) - names)
        if unknown:
            raise LaunchError(f"the kernel uses no variable {unknown[0]}")

    def region(self, function: Function, symbol: int) -> Allocation:
        return self._regions[_key(function, symbol)]

    def clear_shared(self) -> None:
        """For the blocks of the next wave."""
        for region in self._regions.values():
            if region.space is MemorySpace.SHARED:
                self._arena.clear(region)

    def after(self) -> dict[str, Buffer]:
        """The `__device__` variables, to be read after the run."""
        return {
            key[1]: self._buffers[key[1]] for key, region in self._regions.items() if region.space is MemorySpace.GLOBAL
        }

    def holders(self) -> Mapping[str, Allocation]:
        """Variables that there is one of in the grid, by name."""
        return {key[1]: region for key, region in self._regions.items() if key[2] < 0 and key[1]}

    def _new(self, function: Function, symbol: Symbol) -> Allocation:
        space = _SPACES[symbol.kind]
        if symbol.kind is SymbolKind.DYNAMIC_SHARED:
            return self._arena.allocate("dynamic shared memory", space, self._launch.dynamic_shared_bytes, self._blocks)
        try:
            size = 8 if symbol.kind is SymbolKind.TEXTURE else storage_of(symbol.type, function.structs)[0]
        except NoParts:
            size = 0  # any access is out of bounds; a value of such a type is refused before
        if space is MemorySpace.SHARED:
            return self._arena.allocate(symbol.name, space, size, self._blocks)
        region = self._arena.allocate(symbol.name, space, size, written=True)
        contents = self._contents(symbol, size)
        if contents is not None:
            self._arena.fill(region, contents)
        elif symbol.name not in self._launch.variables:
            self._initialise(function, symbol, self._arena.contents(region))
        kind, shape = _format(symbol.type, function.structs, size)
        self._buffers[symbol.name] = Buffer(region, kind, shape)
        return region

    def _contents(self, symbol: Symbol, size: int) -> NDArray[np.uint8] | None:
        """What the launch gives for the variable, as bytes; None where it gives nothing."""
        given = self._launch.variables.get(symbol.name)
        match given:
            case None:
                return None
            case TextureImage():
                self._arguments.textures.append(given)
                return np.array([len(self._arguments.textures)], np.int64).view(np.uint8)
            case Struct() | Array() | ChosenArray() if isinstance(given, Struct) or isinstance(
                symbol.type, PointerType
            ):
                return self._members(symbol, size, given)
            case Array(data=data):
                octets = np.ascontiguousarray(data).reshape(-1).view(np.uint8)
            case Scalar() | ChosenArray():
                element = symbol.type
                while isinstance(element, ArrayType):
                    element = element.element
                if isinstance(given, ChosenArray):
                    data = self._arguments.chosen(symbol.name, element, given)
                    octets = np.ascontiguousarray(data).reshape(-1).view(np.uint8)
                else:
                    (number,) = self._arguments.value(symbol.name, element, given)
                    octets = np.tile(np.atleast_1d(number).view(np.uint8), size // number.dtype.itemsize)
            case _:
                raise LaunchError(f"{symbol.name}: {given.__class__.__name__} does not fit a variable")
        if len(octets) != size:
            raise LaunchError(f"{symbol.name} has {size:,} bytes, {len(octets):,} are given")
        return octets

    def _members(self, symbol: Symbol, size: int, given: Argument) -> NDArray[np.uint8]:
        """A pointer to a buffer, or members, some of which may be such pointers."""
        octets = np.zeros(size, np.uint8)
        values = self._arguments.value(symbol.name, symbol.type, given)
        for part, value in zip(parts_of(symbol.type, self._arguments.structs), values, strict=True):
            stored = np.atleast_1d(value).astype(part.stored).view(np.uint8)
            octets[part.offset : part.offset + part.width] = stored
        return octets

    def _initialise(self, function: Function, symbol: Symbol, octets: NDArray[np.uint8]) -> None:
        """Writes what the initialiser says, if there is one, into the variable, which is zero."""
        numbers = self._initial.get(symbol.name, ())
        if numbers is None:
            raise Refusal(f"the initial value of {symbol.name}", str(function.id), symbol.span)
        for number in numbers:
            (part,) = parts_of(number.type, function.structs)
            value = stored(part, number.value)
            octets[number.offset : number.offset + len(value)] = value


def _key(function: Function, number: int) -> tuple[str, str, int]:
    symbol = function.symbols[number]
    match symbol.kind:
        case SymbolKind.SHARED | SymbolKind.LOCAL:
            return str(function.id), symbol.name, number
        case SymbolKind.DYNAMIC_SHARED:
            return "", "", -1
        case SymbolKind.GLOBAL | SymbolKind.CONSTANT | SymbolKind.TEXTURE:
            return "", symbol.name, -1


def _format(type: Type, structs: Mapping[str, StructLayout], size: int) -> tuple[np.dtype[np.generic], tuple[int, ...]]:
    """NumPy's type and shape for a variable of numbers; bytes for anything else."""
    shape: list[int] = []
    while isinstance(type, ArrayType) and type.length is not None:
        shape.append(type.length)
        type = type.element
    try:
        parts = parts_of(type, structs)
    except NoParts:
        parts = ()
    if len(parts) == 1 and parts[0].width * int(np.prod(shape, dtype=np.int64)) == size:
        return np.dtype(parts[0].stored), tuple(shape)
    return np.dtype(np.uint8), (size,)
