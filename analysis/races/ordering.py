"""What does a barrier of the block order?

Question   Which accesses of different threads are ordered by this barrier, and does anything need it at all?
Rules      A pair is ordered by a barrier if the first access can reach it and it can reach the second, both without
           another barrier between; if one of them changes memory; and if two threads may use a common byte by them
           (`disjoint.py`).  Volatile accesses and atomics count as well, though they do not race: what they leave may
           depend on their order.
Nothing    A barrier is said to order nothing only if no pair is left and nothing else may need it: code that is not
           understood, callers that are not known, two pointers to global memory that may be the same, prints, a clock,
           exchanges between the lanes that happen to be together.
           Of two barriers that each make the other one superfluous the second is said to order nothing, and the first
           then orders all: the answers hold when every barrier that orders nothing is taken out.
Limits     Nothing is known where some threads may miss a barrier of the function.
Cost       O(barriers x (blocks + edges + accesses^2)), bounded; `idle` looks for one pair of each barrier only.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Final, final

from analysis.access.model import AccessKind
from analysis.divergence.result import DivergenceResult
from analysis.ir.function import FunctionKind
from analysis.ir.ids import BasicBlockId
from analysis.ir.instructions import (
    BlockBarrier,
    Call,
    DeviceLaunch,
    Instruction,
    NamedBarrier,
    Opaque,
    Print,
    ReadSpecial,
    Shuffle,
    Texture,
    Vote,
)
from analysis.ir.operators import BarrierReduction, SpecialRegister
from analysis.ir.record import record
from analysis.ir.types import MemorySpace
from analysis.memory.roots import pointer_root
from analysis.races.intervals import Paths, are_followed
from analysis.races.model import MemoryUse
from analysis.races.uses import MemoryUses
from analysis.verdict.barriers import BarrierSite

MAX_USES: Final = 200
"""A function with more accesses is not looked at."""
MAX_PAIRS: Final = 4_000
"""Pairs that are compared for one barrier; what is left over makes the answer incomplete."""

_SHARED_BY_THREADS: Final = frozenset({MemorySpace.SHARED, MemorySpace.GLOBAL, MemorySpace.GENERIC})
_DOUBTFUL: Final = (Opaque, Call, DeviceLaunch, NamedBarrier, Print, Texture, Shuffle, Vote, ReadSpecial)
"""Types of instructions of which some may need a barrier that no access needs."""
_TIMES: Final = frozenset({SpecialRegister.CLOCK, SpecialRegister.GLOBAL_TIMER, SpecialRegister.ACTIVE_MASK})


@final
@record
class OrderedPair:
    """Two accesses by which different threads may use the same bytes.

    `is_next_round`: one of them comes before the other in the text, and the barrier orders them around a loop.
    """

    before: MemoryUse
    after: MemoryUse
    is_next_round: bool


@final
@record
class BarrierOrder:
    """`is_everything`: nothing but the pairs can need the barrier."""

    site: BarrierSite
    pairs: tuple[OrderedPair, ...]
    is_everything: bool

    @property
    def is_nothing(self) -> bool:
        return self.is_everything and not self.pairs


@final
class BarrierOrdering:
    """Answers for one function; cheap to make, each question walks from the barriers anew."""

    def __init__(self, known: MemoryUses, barriers: Sequence[BarrierSite]) -> None:
        self._known = known
        self._barriers = barriers

    def orders(self) -> tuple[BarrierOrder, ...]:
        """One for each `__syncthreads()`; empty where it is not known which accesses a barrier parts."""
        uses = self._uses()
        if uses is None:
            return ()
        is_followed = self._is_followed()
        found: list[BarrierOrder] = []

        def is_nothing(site: BarrierSite, paths: Paths) -> bool:
            before, after = paths.leading_to(site), paths.reached_from(site)
            every = list(self._compared(before, after, uses))
            pairs = tuple(
                OrderedPair(uses[one], uses[two], before[one] or after[two])
                for one, two in (pair for pair in every if pair is not None)
            )
            order = BarrierOrder(site, pairs, is_followed and None not in every and _is_plain(site))
            found.append(order)
            return order.is_nothing

        self._walk([site for site in self._barriers if isinstance(site.instruction, BlockBarrier)], uses, is_nothing)
        return tuple(reversed(found))

    def idle(self) -> frozenset[tuple[BasicBlockId, int]]:
        """The places of the barriers whose order `is_nothing`, found without the pairs of the others."""
        plain = [site for site in self._barriers if _is_plain(site)]
        uses = self._uses() if plain and self._known.function.kind is FunctionKind.KERNEL else None
        if uses is None or not self._is_followed():
            return frozenset()
        found: list[BarrierSite] = []

        def is_nothing(site: BarrierSite, paths: Paths) -> bool:
            if any(True for _ in self._compared(paths.before(site), paths.interval(site.block, site.index), uses)):
                return False
            found.append(site)
            return True

        self._walk(plain, uses, is_nothing)
        return frozenset((site.block, site.index) for site in found)

    def _walk(
        self,
        sites: Sequence[BarrierSite],
        uses: Sequence[MemoryUse],
        is_nothing: Callable[[BarrierSite, Paths], bool],
    ) -> None:
        """Asks of each barrier, the last one first; one that orders nothing does not stand for those in front of it."""
        standing = list(self._barriers)
        paths = Paths(self._known.control, standing, uses)
        for site in reversed(sites):
            if is_nothing(site, paths):
                standing.remove(site)
                paths = Paths(self._known.control, standing, uses)

    def _uses(self) -> tuple[MemoryUse, ...] | None:
        if not are_followed(self._barriers):
            return None
        uses = self._known.of(_SHARED_BY_THREADS)
        return uses if len(uses) <= MAX_USES else None

    def _is_followed(self) -> bool:
        """Whether nothing but the accesses can need a barrier."""
        return (
            self._known.function.kind is FunctionKind.KERNEL
            and not any(_may_need_barrier(instruction) for _, _, instruction in self._known.control.placed(*_DOUBTFUL))
            and self._known.have_known_widths(_SHARED_BY_THREADS)
        )

    def _compared(
        self, before: Iterable[int], after: Iterable[int], uses: Sequence[MemoryUse]
    ) -> Iterator[tuple[int, int] | None]:
        """The pairs of uses in front of a barrier and behind it that it orders; None for one that it may order, and
        for what is not compared."""
        behind = sorted(after)
        changing = [number for number in behind if uses[number].kind is not AccessKind.LOAD]
        compared = 0
        for number in sorted(before):
            one = uses[number]
            for other in changing if one.kind is AccessKind.LOAD else behind:
                two = uses[other]
                if not _may_be_one_space(one, two):
                    continue
                compared += 1
                if compared > MAX_PAIRS:
                    yield None
                    return
                if not self._known.disjoint.never_meet(one, two):
                    yield (number, other) if _is_same_object(self._known.divergence, one, two) else None


def _is_plain(site: BarrierSite) -> bool:
    """A `__syncthreads()` that gives no value."""
    return isinstance(site.instruction, BlockBarrier) and site.instruction.reduction is BarrierReduction.NONE


def _may_be_one_space(one: MemoryUse, other: MemoryUse) -> bool:
    return one.space is other.space or MemorySpace.GENERIC in (one.space, other.space)


def _is_same_object(divergence: DivergenceResult, one: MemoryUse, other: MemoryUse) -> bool:
    """Do both use one array, as far as that can be seen?  Pointers that are given separately may differ."""
    if one.variable is not None and other.variable is not None:
        return True  # different variables never meet
    if one.space is MemorySpace.SHARED and other.space is MemorySpace.SHARED:
        return True
    return pointer_root(divergence, one.address) == pointer_root(divergence, other.address)


def _may_need_barrier(instruction: Instruction) -> bool:
    """For another reason than an access to memory that is followed."""
    match instruction:
        case Opaque() | Call() | DeviceLaunch() | NamedBarrier() | Print() | Texture(result=None):
            return True
        case Shuffle(mask=mask) | Vote(mask=mask):
            return mask is None
        case ReadSpecial(register=register):
            return register in _TIMES
        case _:
            return False
