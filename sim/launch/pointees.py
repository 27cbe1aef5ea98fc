"""Pointers that lie in chosen memory: how much memory they lead to, and where each of them points.

Rules    All pointers of one place (`rows[i]`, `p[i].next`) lead into one region, which is named after it (`rows[]`,
         `p[].next`): to an array of their own each, where what they point to is indexed, else to an element each.
         Where threads have pointers of their own, the arrays are shorter, so that there may be as many.
         Pointers to the struct that they lie in, or to one around it, lead to an earlier element: who follows them
         arrives, at null where the kernel compares them, else at the first element, which leads to itself.
Limits   Pointers that nobody follows are null, and those that lie in what the user gave as numbers or as a file.
         An access more than a few hundred bytes past the end of one array lies in the next.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from typing import Final, final

import numpy as np
from numpy.typing import NDArray

from analysis.inputs.element_bounds import Path
from analysis.inputs.flow import ELEMENT, ElementMember, Flow, NamedObject, Register
from analysis.ir.ids import ValueId
from analysis.ir.instructions import Compare, Convert, ElementAddress, FieldAddress, Load
from analysis.ir.operators import SpecialRegister
from analysis.ir.record import record
from analysis.ir.types import ArrayType, PointerType, StructType, Type
from analysis.lower.layouts import size_of
from sim.launch.contents import ArrayChoice, Structs
from sim.specification import Pointers

REGION_BYTES: Final = 4 << 20
"""Of one region to start with."""
MOST_BYTES: Final = 64 << 20
"""Of one region that grew."""
LEAST_LENGTH: Final = 64
LEAST_COUNT: Final = 64
_THREADS: Final = frozenset(
    Register(register)
    for register in (
        SpecialRegister.THREAD_X,
        SpecialRegister.THREAD_Y,
        SpecialRegister.THREAD_Z,
        SpecialRegister.LANE,
    )
)


@final
@record
class Memory:
    """`count` arrays as `choice` says, one after the other; paths of places in it start with `depth` steps that lead
    into an array."""

    choice: ArrayChoice
    count: int = 1
    depth: int = 0

    def at(self, path: Path, structs: Structs) -> list[int]:
        """Offsets of the pointers that lie in an element at a path."""
        return [offset for offset, found in _slots(self.choice.element, structs) if found == path[self.depth :]]


@final
class PointedTo:
    """What the pointers of one kernel are used for."""

    def __init__(self, flow: Flow) -> None:
        self._flow = flow
        self._indexed: set[NamedObject] = set()
        self._of_threads: set[ElementMember] = set()
        self._compared: set[ElementMember] = set()
        for _, instruction in flow.function.instructions():
            match instruction:
                case ElementAddress(base=base):
                    self._indexed.update(place.root for place in flow.places(base) if not place.path)
                case Load(result=result, address=address) if isinstance(flow.function.type_of(result), PointerType):
                    if self._is_of_thread(address):
                        self._of_threads.update(flow.places(address))
                case Compare(left=value) | Convert(operand=value) if isinstance(
                    flow.function.type_of(value), PointerType
                ):
                    self._compared.update(source for source in flow.sources(value) if isinstance(source, ElementMember))
                case _:
                    pass

    def may_be_null(self, place: ElementMember) -> bool:
        """Whether the kernel looks at the pointers at a place before it follows them."""
        return place in self._compared

    def size(
        self,
        place: ElementMember,
        element: Type,
        holder: Memory,
        blocks: int,
        threads: int,
        grown: int | None,
        structs: Structs,
    ) -> tuple[int, int]:
        """How many arrays the pointers at a place of `holder` lead to, and how many elements each of them has."""
        if isinstance(element, StructType) and self._flow.regions[place] not in self._indexed:
            return 1, grown or threads
        size = size_of(element, structs) or 1
        count = holder.count * holder.choice.length * max(1, len(holder.at(place.path, structs)))
        if place not in self._of_threads:
            count = min(count, max(LEAST_COUNT, blocks))
        if grown is not None:
            return max(1, min(count, MOST_BYTES // (grown * size))), grown
        length = max(LEAST_LENGTH, min(threads, REGION_BYTES // (count * size)))
        return max(1, min(count, MOST_BYTES // (length * size))), length

    def _is_of_thread(self, address: ValueId) -> bool:
        """Whether the place of a pointer depends on the thread."""
        while True:
            match self._flow.definitions.get(address):
                case ElementAddress(base=base, index=index):
                    if self._flow.sources(index) & _THREADS:
                        return True
                    address = base
                case FieldAddress(base=base):
                    address = base
                case _:
                    return False


def pointers_at(
    place: ElementMember, holder: Memory, name: str, target: Memory, *, may_be_null: bool, structs: Structs
) -> Pointers | None:
    """The pointers at a place, into memory that is called `name`; None where there are none."""
    slots = holder.at(place.path, structs)
    size, pointee_size = (size_of(memory.choice.element, structs) or 1 for memory in (holder, target))
    elements = np.arange(holder.count * holder.choice.length, dtype=np.int64)
    at = (elements[:, None] * size + np.array(slots, np.int64)).reshape(-1)
    if not slots:
        return None
    length = target.choice.length
    if name == place.root.name or _is_link(place, name):
        numbers = _earlier(elements, len(slots), holder.choice.seed, f"{holder.choice.name}.{place.path}")
        numbers = np.clip(numbers, -1 if may_be_null else 0, target.count * length - 1)
    elif target.count > 1:
        numbers = np.arange(len(at)) % target.count * length
    else:
        numbers = np.arange(len(at)) % length if isinstance(target.choice.element, StructType) else np.zeros_like(at)
    objects = np.where(numbers < 0, -1, numbers // length)
    return Pointers(holder.choice.name, name, at, objects, numbers % length * pointee_size)


def _is_link(place: ElementMember, name: str) -> bool:
    """Whether the pointers lead back into memory that leads to the one that they lie in."""
    return place.root.name.startswith((f"{name}{ELEMENT}", f"{name}."))


def _earlier(elements: NDArray[np.int64], slots: int, seed: int, name: str) -> NDArray[np.int64]:
    """For each slot of each element an earlier element, or -1."""
    generator = np.random.default_rng((seed, zlib.crc32(name.encode())))
    return (generator.random((len(elements), slots)) * (elements[:, None] + 1)).astype(np.int64).reshape(-1) - 1


def _slots(type: Type, structs: Structs, offset: int = 0, path: Path = ()) -> Iterator[tuple[int, Path]]:
    """The pointers in a type, with the members that lead to them."""
    match type:
        case PointerType():
            yield offset, path
        case ArrayType(element=element, length=length):
            size = size_of(element, structs) or 0
            for index in range(length or 0):
                yield from _slots(element, structs, offset + index * size, (*path, ELEMENT))
        case StructType(name=name) if name in structs:
            for member in structs[name].fields:
                yield from _slots(member.type, structs, offset + member.offset, (*path, member.name))
        case _:
            return
