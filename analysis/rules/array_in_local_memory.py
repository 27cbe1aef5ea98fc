"""MEM506: a local array that is indexed at run time, so that it cannot be kept in registers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import ClassVar, Final, final

from analysis.access.model import Access
from analysis.facts.merge import FrameView
from analysis.facts.model import Location, PartOf
from analysis.facts.parts import Parts
from analysis.facts.roots import RootAnalysis
from analysis.graph.cycles import CycleId
from analysis.ir.function import FunctionKind, SymbolKind
from analysis.ir.ids import BasicBlockId, SymbolId, ValueId
from analysis.ir.instructions import (
    Atomic,
    Binary,
    Bitcast,
    Branch,
    Compare,
    Constant,
    Convert,
    ElementAddress,
    FieldAddress,
    Instruction,
    Load,
    Match,
    Math,
    Phi,
    Print,
    ReadSpecial,
    Select,
    Shuffle,
    Store,
    Switch,
    SymbolAddress,
    Texture,
    Unary,
    Vote,
    WarpReduce,
)
from analysis.ir.operators import SpecialRegister
from analysis.ir.record import record
from analysis.ir.source import FrameId, Span
from analysis.ir.types import ArrayType, MemorySpace
from analysis.lower.layouts import size_of
from analysis.refactor.edit import Replacement
from analysis.rules.access_text import address_span_in
from analysis.rules.array_loops import PartlyUnrolled, open_loop, partly_unrolled
from analysis.rules.diagnostic import Applicability, Fix, Related, Severity
from analysis.rules.price import part_text
from analysis.rules.rule import Subject
from analysis.rules.source_text import one_line
from analysis.verdict.barriers import Tier
from analysis.verdict.latency import SHARED_ACCESS
from analysis.verdict.loops import is_bounded


@final
@record
class ArrayInLocalMemory:
    """## What it does

    Reports an array of a thread that is indexed by what is only known at run time: by data, by an argument, by the
    thread's index, by the counter of a loop whose number of rounds is not a constant, or of one that `#pragma unroll 4`
    keeps from being unrolled. It says which loop that is, and which share of the kernel these accesses take.

    ## Why is this bad?

    Registers have no addresses. An array whose elements the compiler cannot name one by one lies in local memory, which
    is memory of the device: each access is a load or a store through the caches, and 32 lanes move 128 bytes for each
    word.

    ## Example

    ```cuda
    __global__ void counts(const int *x, int *y, int n) {
      int i = blockIdx.x * blockDim.x + threadIdx.x;
      int seen[8] = {};
      for (int k = 0; k < n; k++) seen[x[k * 64 + i] & 7]++;  //~ array-in-local-memory
      for (int k = 0; k < 8; k++) y[k * 64 + i] = seen[k];
    }
    ```

    ## Use instead

    Loops with constant bounds, which the compiler unrolls, so that each index is a number; or shared memory with an
    element per thread.

    ```cuda
    __global__ void counts(const int *x, int *y, int n) {
      int i = blockIdx.x * blockDim.x + threadIdx.x;
      int seen[8] = {};
      for (int k = 0; k < n; k++) {
        int value = x[k * 64 + i] & 7;
        for (int j = 0; j < 8; j++) seen[j] += value == j;
      }
      for (int k = 0; k < 8; k++) y[k * 64 + i] = seen[k];
    }
    ```

    ## Known noise

    It is about arrays that are accessed in a loop, where that takes `shareThreshold` of the kernel or may; elsewhere a
    few accesses do no harm. Silent are indices that follow from constants and from counters of loops with a known
    bound, since the compiler may unroll these (it need not if they are long), arrays that are filled with constants at
    constant places and never again, which become a table in constant memory, arrays of two elements or for `printf`,
    and functions whose callers are not known. Whether the array is in the caches, and what it costs there, is not
    known.
    """

    code: ClassVar[str] = "MEM506"
    slug: ClassVar[str] = "array-in-local-memory"
    severity: ClassVar[Severity] = Severity.HINT

    site: Location
    name: str
    address: str
    size: int
    takes: str
    """What these accesses take, as a sentence."""
    way_out: str
    others: tuple[Related, ...]
    repair: Fix | None

    @property
    def tier(self) -> Tier | None:
        return None

    @classmethod
    def find(cls, subject: Subject) -> Iterator[ArrayInLocalMemory]:
        text = subject.text
        found: dict[str, list[tuple[Span, _Dynamic]]] = {}
        for place, known in sorted(_dynamic_accesses(subject).items(), key=lambda one: one[0]):
            found.setdefault(known.array, []).append((address_span_in(text, Span(*place)), known))
        for name, ((first, known), *others) in found.items():
            all_known = [known, *(one for _, one in others)]
            taken = _taken(all_known)
            way_out = _way_out(subject, all_known)
            if taken is not None and not _is_worth_it(taken, subject.share_threshold, has_way_out=bool(way_out)):
                continue
            here = text.location(first)
            elsewhere = {text.location(other): None for other, _ in others[:MAX_PLACES]}
            yield cls(
                here,
                name,
                one_line(text.bytes(first)),
                known.size,
                "" if taken is None else f" These accesses take {part_text(taken, subject.function)}.",
                way_out,
                tuple(Related(place, "the same array, indexed at run time") for place in elsewhere if place != here),
                _unrolling_fix(subject, all_known),
            )

    def message(self) -> str:
        return (
            f"`{self.address}` is found at run time: `{self.name}` ({self.size} bytes per thread) cannot be kept in "
            f"registers and lies in local memory, where each access goes through the caches.{self.takes}{self.way_out}"
        )

    def fix(self) -> Fix | None:
        return self.repair

    def related(self) -> tuple[Related, ...]:
        return self.others


MIN_ELEMENTS: Final = 3
"""Of two elements one is picked by a select."""
MAX_IN_REGISTERS: Final = 256
"""Bytes: a quarter of the registers that a thread may have."""
MAX_LOOKS: Final = 60
MAX_PLACES: Final = 8
"""Of one array."""
_THROUGH: Final = (Binary, Unary, Convert, Compare, Math, Phi)
_AT_RUN_TIME: Final = (Atomic, Match, Shuffle, Texture, Vote, WarpReduce)


@final
@record
class _Dynamic:
    """An access of which some index is certain not to become a number, in each context.

    `loop` is the one of unknown length that alone is to blame, `unrolled` one that is unrolled in part.
    """

    array: str
    size: int
    parts: Parts
    loop: Span | None
    unrolled: PartlyUnrolled | None


@final
@record
class _Indexed:
    """An access in a loop to an array of the thread, and where it is indexed: `a[i]` of `swap(&a[i], &a[j])`, and not
    what `swap` does with its pointers."""

    access: Access
    symbol: SymbolId
    indices: tuple[ValueId, ...]
    place: Span


def _dynamic_accesses(subject: Subject) -> Mapping[tuple[int, int], _Dynamic]:
    """By place."""
    found: dict[tuple[int, int], _Dynamic] = {}
    named: set[tuple[int, int]] = set()
    for view in subject.analysis.views(subject.function):
        arrays: dict[SymbolId, int | None] = {}
        for one in view.root.remembered(_indexed).get(view.frame, ()):
            place = one.place.start, one.place.end
            is_dynamic = any(_is_dynamic(view, index) for index in one.indices)
            unrolled = None if is_dynamic else _unrolled(subject, view, one.indices)
            if not (is_dynamic or unrolled is not None):
                named.add(place)
                continue
            if one.symbol not in arrays:
                arrays[one.symbol] = _size_of_array(view, one.symbol)
            size = arrays[one.symbol]
            if size is None:
                named.add(place)
            else:
                found[place] = _joined(found.get(place), view, one, size, is_dynamic, unrolled)
    return {place: known for place, known in found.items() if place not in named}


def _joined(
    before: _Dynamic | None,
    view: FrameView,
    one: _Indexed,
    size: int,
    is_dynamic: bool,
    unrolled: PartlyUnrolled | None,
) -> _Dynamic:
    """With what other views say of the place."""
    parts = Parts() if before is None else before.parts
    around = view.root.control.innermost_cycle(one.access.block)
    share = view.root.weights.tree.share({None if around is None else around.id: SHARED_ACCESS})
    parts.add(share, view.root, view.part_of_slots)
    loop = _loop_alone(view, one.symbol, one.indices) if is_dynamic else None
    name = view.root.function.symbols[one.symbol].name if before is None else before.array
    return _Dynamic(name, max(size, 0 if before is None else before.size), parts, loop, unrolled)


def _indexed(root: RootAnalysis) -> Mapping[FrameId, Sequence[_Indexed]]:
    """By the function in whose text the array is indexed; ask through `root.remembered`."""
    found: dict[FrameId, list[_Indexed]] = {}
    for records in root.records.values():
        for access in records.accesses:
            if access.space is not MemorySpace.LOCAL or not access.loops:
                continue
            symbol, steps = _path(root, access.address)
            if symbol is not None:
                place = _place(access.span, [one.span for one in steps if one.span.start < one.span.end])
                indices = tuple(one.index for one in steps)
                found.setdefault(place.frame, []).append(_Indexed(access, symbol, indices, place))
    return found


def _place(access: Span, steps: Sequence[Span]) -> Span:
    """That of the access, where it holds a subscript: an argument or an initialiser holds none."""
    own = [one for one in steps if one.frame == access.frame]
    if not steps or any(access.start <= one.start and one.end <= access.end for one in own):
        return access
    return next(iter(own or steps))


def _unrolled(subject: Subject, view: FrameView, indices: Sequence[ValueId]) -> PartlyUnrolled | None:
    return next((one for index in indices if (one := partly_unrolled(subject, view, index)) is not None), None)


def _loop_alone(view: FrameView, symbol: SymbolId, indices: Sequence[ValueId]) -> Span | None:
    """The loop whose length is not known, if nothing else keeps any index of the array from being a number."""
    loop = next((loop for index in indices if (loop := open_loop(view, index)) is not None), None)
    if loop is None:
        return None
    every = {cycle.id for cycle in view.root.control.cycles}
    for _, item in view.root.function.instructions():
        if not isinstance(item, ElementAddress) or _path(view.root, item.result)[0] != symbol:
            continue
        if _is_dynamic(view, item.index, set(every)) or _is_loaded(view, item.index):
            return None
    return loop


def _is_loaded(view: FrameView, value: ValueId) -> bool:
    """Whether memory has a part in it, that of the thread too."""
    seen, waiting = {value}, [value]
    while waiting and len(seen) <= MAX_LOOKS:
        item = view.root.divergence.definition(waiting.pop())
        if isinstance(item, Load):
            return True
        new = [one for one in item.operands if one not in seen] if isinstance(item, (*_THROUGH, Select)) else []
        seen.update(new)
        waiting.extend(new)
    return bool(waiting)


def _taken(known: Sequence[_Dynamic]) -> PartOf | None:
    """What all of them take, in the kernel where the first takes most."""
    parts = [part for one in known if (part := one.parts.largest()) is not None]
    if not parts:
        return None
    first, *others = parts
    share = first.share
    for other in others:
        share = share.plus(other.share) if other.whole == first.whole else share
    return replace(first, share=share)


def _is_worth_it(taken: PartOf, threshold: float, *, has_way_out: bool) -> bool:
    """Where something can be done, what it may take counts."""
    return 100 * (taken.share.high if has_way_out else taken.share.expected) >= threshold


def _way_out(subject: Subject, known: Sequence[_Dynamic]) -> str:
    loops = {(one.loop.start, one.loop.end) for one in known if one.loop is not None}
    fits = all(one.size <= MAX_IN_REGISTERS for one in known)
    if len(loops) == 1 and fits and all(one.loop is not None for one in known):
        line = subject.text.line(Span(*loops.pop()))
        return f" With a constant bound, the loop in line {line} could be unrolled, and each index would be a number."
    unrolled = known[0].unrolled
    if unrolled is not None:
        line = subject.text.line(unrolled.keyword)
        return (
            f" The loop in line {line} has {unrolled.rounds} rounds and is unrolled {unrolled.times} times: without "
            "that number each index would be one."
        )
    return ""


def _unrolling_fix(subject: Subject, known: Sequence[_Dynamic]) -> Fix | None:
    places = {(one.unrolled.number.start, one.unrolled.number.end) for one in known if one.unrolled is not None}
    if not places or any(one.unrolled is None for one in known):
        return None
    start = subject.function.start
    edits = tuple(Replacement(start + first, start + last, "") for first, last in sorted(places))
    return Fix("Unroll all rounds", edits, Applicability.UNSAFE)


def _size_of_array(view: FrameView, symbol: SymbolId) -> int | None:
    """In bytes; None for what is no array of a thread, very short, printed, or a table in constant memory."""
    function = view.root.function
    type_ = function.symbols[symbol].type
    if function.symbols[symbol].kind is not SymbolKind.LOCAL or not isinstance(type_, ArrayType):
        return None
    if (type_.length or 0) < MIN_ELEMENTS or _is_table(view, symbol) or _is_printed(view, symbol):
        return None
    return size_of(type_, function.structs)


def _path(root: RootAnalysis, address: ValueId) -> tuple[SymbolId | None, Sequence[ElementAddress]]:
    """The variable that an address is in, and the subscripts on the way, the last one first."""
    steps: list[ElementAddress] = []
    while True:
        match root.divergence.definition(address):
            case ElementAddress(base=base) as step:
                steps.append(step)
                address = base
            case FieldAddress(base=address) | Bitcast(operand=address):
                pass
            case SymbolAddress(symbol=symbol):
                return symbol, steps
            case _:
                return None, steps


def _is_dynamic(view: FrameView, value: ValueId, asked: set[CycleId] | None = None) -> bool:
    """Does it rest on something that only a run says, other than which way was taken?

    `asked`: loops whose rounds are no reason, or whose question is open; each is asked for once.
    """
    root = view.root
    asked = set() if asked is None else asked
    seen, waiting = {value}, [value]
    while waiting and len(seen) <= MAX_LOOKS:
        current = waiting.pop()
        item = root.divergence.definition(current)
        if _is_of_the_run(view, current, item):
            return True
        if isinstance(item, Phi) and _has_open_rounds(view, item, root.divergence.home(current), asked):
            return True
        following: Sequence[ValueId] = ()
        if isinstance(item, Select):
            following = (item.if_true, item.if_false)
        elif isinstance(item, _THROUGH):
            following = item.operands
        new = [one for one in following if one not in seen]
        seen.update(new)
        waiting.extend(new)
    return False


def _is_of_the_run(view: FrameView, value: ValueId, item: Instruction | Phi | None) -> bool:
    function = view.root.function
    if item is None:  # of a function whose callers are not known an argument may be a constant
        is_argument = any(value == one.value for one in function.parameters)
        return is_argument and function.kind is FunctionKind.KERNEL
    if isinstance(item, Load):
        symbol, _ = _path(view.root, item.address)
        return symbol is None or function.symbols[symbol].kind is not SymbolKind.LOCAL
    if isinstance(item, ReadSpecial):
        return item.register is not SpecialRegister.WARP_SIZE
    return isinstance(item, _AT_RUN_TIME)


def _has_open_rounds(view: FrameView, item: Phi, block: BasicBlockId, asked: set[CycleId]) -> bool:
    """Does it change from round to round of a loop, and only a run says of how many?"""
    root = view.root
    cycle = root.control.innermost_cycle(block)
    if cycle is None or cycle.header != block or cycle.id in asked or is_bounded(root.affine, cycle):
        return False
    if len(set(item.operands) - {item.result}) < 2:
        return False
    asked.add(cycle.id)
    terminators = (root.function.blocks[exit].terminator for exit in root.control.exit_branches(cycle))
    conditions = [one.operands[0] for one in terminators if isinstance(one, Branch | Switch)]
    return any(_is_dynamic(view, one, asked) for one in conditions)


def _is_printed(view: FrameView, symbol: SymbolId) -> bool:
    """Whether `printf` takes its address: a text that is put together there has to lie in memory."""
    printed = (item for _, item in view.root.function.instructions() if isinstance(item, Print))
    return any(_path(view.root, operand)[0] == symbol for item in printed for operand in item.operands)


def _is_table(view: FrameView, symbol: SymbolId) -> bool:
    """Is it filled with constants at constant places, and left alone?"""
    definition = view.root.divergence.definition
    for _, item in view.root.function.instructions():
        if isinstance(item, Store):
            written, steps = _path(view.root, item.address)
            constants = [definition(one) for one in (item.value, *(step.index for step in steps))]
            if written == symbol and not all(isinstance(one, Constant) for one in constants):
                return False
    return True
