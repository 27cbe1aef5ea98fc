"""ARI607: four neighbouring words that one access of 16 bytes could bring."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import ClassVar, Final, TypeAlias, final

from analysis.access.model import Access, AccessKind
from analysis.affine.atoms import ValueAtom
from analysis.affine.linear_form import Coefficients
from analysis.affine.polynomial import Polynomial
from analysis.facts.merge import FrameView
from analysis.facts.model import Location, PartOf
from analysis.facts.parts import Parts
from analysis.ir.ids import BasicBlockId
from analysis.ir.instructions import Atomic, Call, DeviceLaunch, ElementAddress, FieldAddress, Load, Opaque, Store
from analysis.ir.record import record
from analysis.ir.source import Span
from analysis.ir.types import FloatFormat, FloatType, IntegerType, MemorySpace, PointerType, Type
from analysis.lower.layouts import size_and_alignment
from analysis.rules.array_argument import argument_of
from analysis.rules.diagnostic import KernelShare, Related, Severity
from analysis.rules.price import is_wide, part_text
from analysis.rules.rule import Subject
from analysis.verdict.barriers import Tier
from analysis.verdict.latency import GLOBAL_ACCESS


@final
@record
class WideAccess:
    """## What it does

    Hints at four neighbouring words of global memory that a thread reads, or writes, one by one, where their first one
    lies at a multiple of 16 bytes from the beginning of the array, if three accesses less would save 5 % of the
    kernel's issue slots, or what `shareThreshold` says.

    ## Why is this bad?

    One access of 16 bytes moves as much as four of 4 bytes, with one instruction instead of four and a quarter of the
    requests. Compilers do not join them, since they do not know where the pointer begins: only members of a type that
    is aligned so far itself, as `float4`, are one access whichever way they are written.

    ## Example

    ```cuda
    __global__ void sums(const float *x, float *y) {
      int i = blockIdx.x * blockDim.x + threadIdx.x;
      y[i] = x[4 * i] + x[4 * i + 1] + x[4 * i + 2] + x[4 * i + 3];  //~ wide-access
    }
    ```

    ## Use instead

    ```cuda
    __global__ void sums(const float4 *x, float *y) {
      int i = blockIdx.x * blockDim.x + threadIdx.x;
      float4 four = x[i];
      y[i] = four.x + four.y + four.z + four.w;
    }
    ```

    ## Known noise

    The pointer must be aligned to 16 bytes itself: what `cudaMalloc` gives is, a pointer into the middle of an array
    need not be. Rows whose length is not known to be a multiple of four are not reported.
    """

    code: ClassVar[str] = "ARI607"
    slug: ClassVar[str] = "wide-access"
    severity: ClassVar[Severity] = Severity.HINT

    site: Location
    array: str
    kind: AccessKind
    vector: str
    count: int
    """How many times four."""
    part: str
    cost: KernelShare
    others: tuple[Related, ...]

    @property
    def tier(self) -> Tier | None:
        return None

    @classmethod
    def find(cls, subject: Subject) -> Iterator[WideAccess]:
        parts: defaultdict[_Array, Parts] = defaultdict(Parts)
        shown: defaultdict[_Array, dict[_Place, _Four]] = defaultdict(dict)
        for view in subject.analysis.views(subject.function):
            for four in _fours(view):
                array = four.array, four.accesses[0].kind, four.vector
                place = four.accesses[0].span.start, four.accesses[0].span.end
                around = view.root.control.innermost_cycle(four.accesses[0].block)
                slots = {None if around is None else around.id: (len(four.accesses) - 1) * GLOBAL_ACCESS}
                parts[array].add(view.root.weights.tree.share(slots), view.root, view.part_of_slots)
                shown[array].setdefault(place, four)
        for array, fours in shown.items():
            part = parts[array].largest()
            if part is None or 100 * part.share.expected < subject.share_threshold:
                continue
            if not is_wide(part.share) or 100 * part.share.low >= subject.share_threshold:
                yield cls._of(subject, [four for _, four in sorted(fours.items(), key=lambda one: one[0])], part)

    @classmethod
    def _of(cls, subject: Subject, fours: Sequence[_Four], part: PartOf) -> WideAccess:
        """Of one array, told where the first four stand."""
        four = fours[0]
        first, *others = (Span(one.span.start, one.span.end) for one in four.accesses)
        more = (Span(one.accesses[0].span.start, one.accesses[0].span.end) for one in fours[1:])
        return cls(
            subject.text.location(first),
            four.array,
            four.accesses[0].kind,
            four.vector,
            len(fours),
            part_text(part, subject.function),
            KernelShare(part.whole, part.share.expected),
            (
                *(Related(subject.text.location(one), "its neighbour") for one in others),
                *(Related(subject.text.location(one), "four more begin here") for one in more),
            ),
        )

    def message(self) -> str:
        does = "reads" if self.kind is AccessKind.LOAD else "writes"
        if self.count > 1:
            return (
                f"Each thread {does} {self.count} times four neighbouring elements of `{self.array}` one by one, from "
                f"multiples of 16 bytes on. If `{self.array}` itself is aligned to 16 bytes, one `{self.vector}` for "
                f"each four would save {self.part}."
            )
        return (
            f"Each thread {does} four neighbouring elements of `{self.array}` one by one, from a multiple of 16 bytes "
            f"on. If `{self.array}` itself is aligned to 16 bytes, one `{self.vector}` would save {self.part}."
        )

    def related(self) -> tuple[Related, ...]:
        return self.others


WORD: Final = 4
VECTOR: Final = 16
_Place: TypeAlias = tuple[int, int]
_Array: TypeAlias = tuple[str, AccessKind, str]
"""Its name, what is done, and with which vectors it could be."""
_Key: TypeAlias = tuple[BasicBlockId, AccessKind, Polynomial, Coefficients]


@final
@record
class _Four:
    """Accesses to neighbouring words, in text order."""

    accesses: tuple[Access, ...]
    array: str
    vector: str


def _fours(view: FrameView) -> Iterator[_Four]:
    groups: defaultdict[_Key, dict[int, Access]] = defaultdict(dict)
    for access in view.root.records[view.frame].accesses:
        form = access.form
        if form is None or access.bytes != WORD or access.space is not MemorySpace.GLOBAL:
            continue
        if access.kind is AccessKind.ATOMIC:
            continue
        distance = form.base.constant_term
        groups[access.block, access.kind, form.base.without_constant, form.coefficients].setdefault(distance, access)
    for (block, _, rest, coefficients), by_distance in groups.items():
        pointer = argument_of(view, rest)
        if len(by_distance) < VECTOR // WORD or pointer is None or not _is_aligned(view, rest, coefficients, pointer):
            continue
        for first in sorted(by_distance):
            four = [by_distance.get(first + at) for at in range(0, VECTOR, WORD)]
            known = tuple(one for one in four if one is not None)
            is_four = first % VECTOR == 0 and len(known) == len(four) and not _is_known_to_compilers(view, known[0])
            if is_four and _are_together(view, block, known):
                vector = _vector(view, known[0])
                name = next((one.name for one in view.root.function.parameters if one.value == pointer.value), "")
                if vector is not None and name:
                    yield _Four(tuple(sorted(known, key=lambda one: one.span.start)), name, vector)


def _is_aligned(view: FrameView, rest: Polynomial, coefficients: Coefficients, pointer: ValueAtom) -> bool:
    """Is everything but the pointer itself a multiple of 16 bytes?"""
    affine = view.root.affine
    own = (affine.term_alignment(monomial, number) for monomial, number in rest.terms if monomial != (pointer,))
    of_thread = (affine.alignment(coefficient) for _, coefficient in coefficients)
    return all(alignment % VECTOR == 0 for alignment in (*own, *of_thread))


def _is_known_to_compilers(view: FrameView, access: Access) -> bool:
    """Is a type that it is part of aligned to 16 bytes?"""
    function, definition = view.root.function, view.root.divergence.definition
    item = definition(access.address)
    while isinstance(item, FieldAddress | ElementAddress):
        type_ = function.types[item.base]
        if isinstance(type_, PointerType) and size_and_alignment(type_.element, function.structs)[1] >= VECTOR:
            return True
        item = definition(item.base)
    return False


def _are_together(view: FrameView, block: BasicBlockId, accesses: Sequence[Access]) -> bool:
    """Does nothing else happen to memory between them, and do they stand at different places?"""
    addresses = {one.address for one in accesses}
    inside = 0
    for item in view.root.function.blocks[block].instructions:
        if isinstance(item, Load | Store) and item.address in addresses:
            inside += 1
            if inside == len(accesses):
                return len({(one.span.start, one.span.end) for one in accesses}) == len(accesses)
        elif inside and isinstance(item, Store | Atomic | Call | DeviceLaunch | Opaque):
            return False
        elif inside and isinstance(item, Load) and accesses[0].kind is AccessKind.STORE:
            return False  # it may read what the stores before it wrote
    return False


def _vector(view: FrameView, access: Access) -> str | None:
    type_ = view.root.function.types[access.address]
    return None if not isinstance(type_, PointerType) or type_.volatile else _name(type_.element)


def _name(element: Type) -> str | None:
    match element:
        case FloatType(format=FloatFormat.SINGLE):
            return "float4"
        case IntegerType(bits=32, signed=signed):
            return "int4" if signed else "uint4"
        case _:
            return None
