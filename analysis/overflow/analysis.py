"""Which index expressions of 32 bits overflow, for sizes that somebody says there are?

Sizes    those of the launches that are known with all their numbers, and of the comment above the kernel.  Without
         any: those up to the constants that a thread's place is compared with, and, as a guess, those beyond 32 bits
         where it is compared with a number of 64 bits.  What nobody says is no size: `row * width + col` of a kernel
         of which no launch is known is right for all that is known.
Wide     the latter by `wide.py`.
Found    by `search.py`: a thread that comes there and computes another number than the text says.  Wrapping that is
         meant (a hash and its remainder, `i - 1u + 1`) changes no index, and is none.
Smallest the numbers of the launch made smaller, all that are equal together, as long as some thread overflows; then the
         grid is cut behind the block of that thread.
         How large a grid is without a launch, nobody says: what is computed of `gridDim` is left alone there.
Memory   what constant memory holds at a launch, and what a block writes once to shared memory (`stored_values.py`).
Limits   as `candidates.py` and `search.py` say; other sizes in memory are not known.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final, TypeAlias, final

from analysis.graph.work import Work
from analysis.ir.function import values_of_frame
from analysis.ir.ids import BasicBlockId, ValueId
from analysis.ir.instructions import Binary, Convert
from analysis.ir.operators import SpecialRegister
from analysis.ir.pace import paced
from analysis.ir.record import record
from analysis.ir.source import FrameId
from analysis.ir.types import IntegerType
from analysis.overflow.candidates import Candidate, candidates, in_frame
from analysis.overflow.inlined import Inlined
from analysis.overflow.intervals import IndexIntervals
from analysis.overflow.model import Admitted, Extents, Launched, Overflow
from analysis.overflow.search import Found, Moments, Search
from analysis.overflow.thread_values import INDEX_BITS, FunctionFlow
from analysis.overflow.wide import find_wide, has_wide_size

MAX_LAUNCHES: Final = 8
MAX_CANDIDATES: Final = 24
"""Of one function and one launch."""
MOST_THREADS: Final = (1 << 31) - 1
LEAST_SIZE: Final = 16
"""Smaller numbers say what is done, not how much there is."""


@final
@record
class _Subject:
    """The frame that is asked about, and what may be spent on the answer."""

    inlined: Inlined
    frame: FrameId
    work: Work

    @property
    def flow(self) -> FunctionFlow:
        return self.inlined.flow

    def moments(self, launched: Launched) -> Moments:
        return Moments(self.flow, launched, self.work)


def find_overflows(
    inlined: Inlined,
    frame: FrameId,
    launches: Sequence[Launched],
    shape: Extents | None = None,
    work: Work | None = None,
) -> tuple[Overflow, ...]:
    """Each value of the frame once, in the first launch that shows it; `launches` are all that are known, else `shape`
    is that of the blocks, where it is.

    Raises `TooMuchWork` if it takes more than `work`.
    """
    subject = _Subject(inlined, frame, work or Work())
    flow = inlined.flow
    may_overflow = _may_overflow(inlined, frame)
    if launches:
        launches = [one for one in launches[:MAX_LAUNCHES] if may_overflow or _is_uncountable(one)]
        return _in_launches(subject, _places(subject), launches) if launches else ()
    is_bounded = may_overflow and inlined.may_be_large
    if not is_bounded and not has_wide_size(flow):
        return ()
    places = _places(subject)
    block = shape or _usual_block(flow)
    found: tuple[Overflow, ...] = ()
    if is_bounded:
        found = _within_bounds(subject, places, block)
    return found or find_wide(flow, inlined.affine, frame, places, block, inlined.spaces, subject.work)


def _may_overflow(inlined: Inlined, frame: FrameId) -> bool:
    """Is there an operation of which the ranges do not show that it fits?"""
    fits, types, definition = inlined.affine.ranges.fits, inlined.function.types, inlined.divergence.definition
    return any(
        not fits[value] and isinstance(types[value], IntegerType) and isinstance(definition(value), Binary | Convert)
        for value in values_of_frame(inlined.function, frame)
    )


def _is_uncountable(launched: Launched) -> bool:
    """More threads along an axis than ranges suppose."""
    return any(a * b > MOST_THREADS for a, b in zip(launched.block, launched.grid, strict=True))


Places: TypeAlias = Sequence[tuple[ValueId, BasicBlockId]]


def _places(subject: _Subject) -> Places:
    """The indices of which something may be told in the frame."""
    frames = subject.inlined.frames
    return [one for one in subject.inlined.indices if frames.may_have(one[0], subject.frame)]


def _in_launches(subject: _Subject, places: Places, launches: Sequence[Launched]) -> tuple[Overflow, ...]:
    flow = subject.flow
    found: dict[ValueId, Overflow] = {}
    for launched in launches:
        covered: set[ValueId] = set()
        moments = subject.moments(launched)
        intervals = IndexIntervals(flow, subject.inlined.affine, launched)
        of_each = (candidates(flow, intervals, index, block) for index, block in paced(places))
        here = (some for some in of_each if any(in_frame(flow, one.value, subject.frame) for one in some))
        every = [one for some in here for one in some]
        for candidate in paced(every[:MAX_CANDIDATES], 100):
            if candidate.value in covered:
                continue
            one = _overflow(moments, candidate)
            if one is not None:
                covered.update(candidate.path)
                if in_frame(flow, candidate.value, subject.frame):
                    found.setdefault(candidate.value, one)
    return tuple(found.values())


def _within_bounds(subject: _Subject, places: Places, block: Extents) -> tuple[Overflow, ...]:
    """With as many blocks as the comparisons on the way to each index let through."""
    flow, bounded = subject.flow, subject.inlined.bounded(block)
    by_grid: dict[Extents, list[tuple[ValueId, BasicBlockId]]] = {}
    grids: dict[BasicBlockId, Extents] = {}
    largest = bounded.largest
    moments = subject.moments(largest)
    for index, home in paced(places):
        own = (one for one in bounded.candidates(index, home) if in_frame(flow, one.value, subject.frame))
        known = next((one for one in own if Search(moments, one).is_known()), None)
        if known is not None:
            if home not in grids:
                grids[home] = _cut_by_comparisons(moments, known).grid
            by_grid.setdefault(grids[home], []).append((index, home))
    found: dict[ValueId, Overflow] = {}
    for grid, here in by_grid.items():
        for one in _in_launches(subject, here, [replace(largest, grid=grid)]):
            found.setdefault(one.value, one)
    return tuple(found.values())


def _overflow(moments: Moments, candidate: Candidate) -> Overflow | None:
    flow, launched = moments.flow, moments.launched
    found = Search(moments, candidate).found()
    if found is None or (found.is_assumed and launched.admitted is Admitted.BOUND):
        return None
    outer = _outermost(flow, candidate)
    if Search(moments, outer).found() is None:
        outer = candidate
    smallest, found_there = _smallest(moments, outer, found)
    item, shown, type_ = flow.definition(candidate.value), flow.definition(outer.value), flow.types[outer.value]
    assert isinstance(item, Binary | Convert)
    assert isinstance(shown, Binary | Convert)
    assert isinstance(type_, IntegerType)
    return Overflow(
        candidate.value,
        item.span,
        shown.span,
        found_there.number,
        type_,
        smallest,
        launched,
        found_there.point,
        found.is_assumed,
        candidate.path,
    )


def _outermost(flow: FunctionFlow, candidate: Candidate) -> Candidate:
    """The last of what is computed in 32 bits from it: where that wraps, the index is wrong."""
    outer = candidate.value
    for value in candidate.path:
        type_ = flow.types[value]
        is_narrow = isinstance(type_, IntegerType) and type_.bits == INDEX_BITS
        if not is_narrow or not isinstance(flow.definition(value), Binary | Convert):
            break
        outer = value
    return replace(candidate, value=outer)


def _usual_block(flow: FunctionFlow) -> Extents:
    """For the axes that are read."""
    read = flow.registers
    if SpecialRegister.THREAD_Z in read:
        return 8, 8, 4
    return (16, 16, 1) if SpecialRegister.THREAD_Y in read else (256, 1, 1)


def _cut_by_comparisons(moments: Moments, candidate: Candidate) -> Launched:
    """One block along each axis of which no comparison says how far it goes."""
    launched, search = moments.launched, Search(moments, candidate)
    x, y, z = (launched.grid[axis] if search.is_cut(axis) else 1 for axis in (0, 1, 2))
    return replace(launched, grid=(x, y, z))


def _smallest(moments: Moments, candidate: Candidate, found: Found) -> tuple[Launched, Found]:
    """The launch made smaller, and the thread that overflows there."""
    flow, launched, work = moments.flow, moments.launched, moments.work
    launched = replace(launched, scalars={value: launched.scalars[value] for value in sorted(found.read)})
    most = max((number for value, number in launched.scalars.items() if _is_size(flow, value, number)), default=0)
    low, high = 1, most
    while high - low > 1:
        middle = (low + high) // 2
        smaller = _resized(flow, launched, most, middle)
        one = Search(Moments(flow, smaller, work), candidate).found()
        if one is None:
            low = middle
        else:
            high, found = middle, one
    launched = _resized(flow, launched, most, high) if most else launched
    x, y, z = (place + 1 for place in found.point.at)
    cut = replace(launched, grid=(x, y, z))
    one = Search(Moments(flow, cut, work), candidate).found() if cut != launched else None
    return (launched, found) if one is None else (cut, one)


def _is_size(flow: FunctionFlow, value: ValueId, number: int) -> bool:
    return flow.is_number(value) and number > LEAST_SIZE


def _resized(flow: FunctionFlow, launched: Launched, most: int, number: int) -> Launched:
    scalars = {
        value: number if known == most and _is_size(flow, value, known) else known
        for value, known in launched.scalars.items()
    }
    return replace(launched, scalars=scalars)
