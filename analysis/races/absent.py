"""Who needs the threads that miss a barrier?

Question  Some threads of a block never come to a barrier at which the others wait.  Does anybody need them afterwards?
          Since compute capability 7.0 a barrier waits for the threads that have not left the kernel, so if nobody does
          the kernel works there, though the programming model does not allow it.
Rules     Threads *part* at the branches that decide about the barrier and that the block does not decide alike.
          They are waited for unless each way on which they miss the barrier ends the kernel without another wait.
          *Behind* a parting is all that those who stay may run.  There the others are needed by
            lanes       an operation of the warp whose mask names them, if the branch splits warps;
            counts      a barrier that reduces over its threads, counts arrivals, or waits for the grid;
            elements    a read of shared memory, or of global memory through the same pointer, of an element that
                        another thread writes behind the parting (those who left would have), or wrote before it with
                        no barrier in between (nothing orders that).  Where those who do not come go on for a while,
                        they need the others in turn: a use of what these write before a barrier;
            unknown     calls and code that is not understood.
          A read does not need them if it is always of the thread's own element (`disjoint.py`), or, where threads leave
          from some index on, of one of a smaller index: `tile[threadIdx.x - 1]`, `tile[0]`.
Sure      is that a need exists only if every thread that stays comes to the operation, and if for an element the
          threads of a known launch meet there; anything else is a need that may be.
Assumes   that index arithmetic does not wrap, and that pointers which are different arguments do not overlap.
Cost      O(blocks + edges) for each barrier that threads miss, O(reads x writes) for all behind the same branches.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from itertools import product
from typing import Final, final

from analysis.access.model import AccessKind
from analysis.divergence.levels import Level
from analysis.ir.function import FunctionKind
from analysis.ir.ids import BasicBlockId, ValueId
from analysis.ir.instructions import (
    Atomic,
    BlockBarrier,
    Call,
    Constant,
    Convert,
    DeviceLaunch,
    ElementAddress,
    ExtractElement,
    GridBarrier,
    Instruction,
    Load,
    Match,
    NamedBarrier,
    Opaque,
    PhaseWait,
    ReadSpecial,
    Shuffle,
    Store,
    Vote,
    WarpReduce,
)
from analysis.ir.operators import BarrierOperator, BarrierReduction, SpecialRegister
from analysis.ir.pace import popped
from analysis.ir.record import record
from analysis.ir.types import MemorySpace, PointerType
from analysis.memory.roots import pointer_root
from analysis.races.absent_model import Need, NeedKind
from analysis.races.leavers import Leavers
from analysis.races.model import MemoryUse
from analysis.races.uses import MemoryUses, VariableUse, conflict
from analysis.verdict.barriers import FULL_MASKS, BarrierSite
from analysis.verdict.slice import Integers
from analysis.verdict.witness import Witness, find_witness

WAITS: Final = (BlockBarrier, NamedBarrier, GridBarrier, PhaseWait)
SPACES: Final = frozenset({MemorySpace.SHARED, MemorySpace.GLOBAL, MemorySpace.GENERIC})
MAX_USES: Final = 200
"""A function with more reads and writes is not looked at: somebody may be needed."""
MAX_STEPS: Final = 400_000
"""Blocks that are looked at for all barriers of a function; behind that somebody may be needed."""


@final
@record
class _Parting:
    """A branch at which threads of a block part: the ways to the barrier, and those that miss it."""

    block: BasicBlockId
    staying: tuple[BasicBlockId, ...]
    leaving: tuple[BasicBlockId, ...]


@final
class Absences:
    """Answers for the barriers of one function."""

    def __init__(self, memory: MemoryUses) -> None:
        self._memory = memory
        self._function = memory.function
        self._control = memory.control
        self._divergence = memory.divergence
        self._known: dict[tuple[_Parting, ...], Need | None] = {}
        self._steps = 0

    def need(self, site: BarrierSite, barriers: Sequence[BarrierSite]) -> Need | None:
        """What needs the threads that miss the barrier, of several the surest; None if nothing does."""
        is_kernel = self._function.kind is FunctionKind.KERNEL
        partings = self._partings(site.block) if is_kernel and self._steps < MAX_STEPS else ()
        if not partings:
            return Need(NeedKind.UNKNOWN, None, is_sure=False)
        waiting = self._waited_for(site, partings)
        if waiting is not None:
            return waiting
        if partings not in self._known:  # the barriers behind one early return have the same
            witness = None if site.evidence is None else site.evidence.witness
            found = sorted(self._needs(partings, barriers, witness), key=_doubt)
            self._known[partings] = found[0] if found else None
        return self._known[partings]

    # -- who leaves ---------------------------------------------------------------------------------------------------

    def _partings(self, barrier: BasicBlockId) -> tuple[_Parting, ...]:
        """Only where some way misses the barrier: a branch whose ways all lead there decides nothing."""
        control, found = self._control, list[_Parting]()
        this_round, ever = self._leading_to(barrier, around=False), self._leading_to(barrier, around=True)
        for block in sorted(control.iterated_controllers(barrier), key=lambda other: control.rank[other]):
            if self._divergence.terminator_level(block) <= Level.BLOCK and self._all_come(block, barrier):
                continue
            ways = control.successors[block]
            # A thread that has been at the barrier in this round misses nothing by beginning the next one.
            is_behind = control.dominates(barrier, block)
            staying = tuple(way for way in ways if way in (ever if is_behind else this_round))
            leaving = tuple(way for way in ways if way not in staying and not control.doomed[way])
            if leaving:
                found.append(_Parting(block, staying, leaving))
        return tuple(found)

    def _all_come(self, block: BasicBlockId, barrier: BasicBlockId) -> bool:
        """Do all threads that come to the barrier come here?  They go on alike then, if the branch is uniform."""
        return self._divergence.convergence(block) <= Level.BLOCK or self._control.dominates(block, barrier)

    def _leading_to(self, barrier: BasicBlockId, *, around: bool) -> set[BasicBlockId]:
        """The blocks from which the barrier may be reached; not `around`: in the same round of its loops."""
        loops = {} if around else {cycle.header: cycle.blocks for cycle in self._control.cycles_around(barrier)}
        found, waiting = {barrier}, [barrier]
        for block in popped(waiting):
            self._steps += 1
            inside = loops.get(block, frozenset())
            for source in self._sources(block):
                if source not in found and source not in inside:
                    found.add(source)
                    waiting.append(source)
        return found

    def _sources(self, block: BasicBlockId) -> list[BasicBlockId]:
        sources = map(BasicBlockId, self._control.predecessors[block])
        return [source for source in sources if self._control.is_reachable(source)]

    def _waited_for(self, site: BarrierSite, partings: Sequence[_Parting]) -> Need | None:
        if not isinstance(site.instruction, BlockBarrier | NamedBarrier):
            return Need(NeedKind.WAITED_FOR, None, is_sure=True)
        gone = self._reachable(way for parting in partings for way in parting.leaving)
        if site.block in gone:
            return Need(NeedKind.WAITED_FOR, None, is_sure=True)
        for _, instruction in self._instructions(gone):
            if isinstance(instruction, WAITS):
                return Need(NeedKind.WAITED_FOR, instruction.span, is_sure=True)
            if isinstance(instruction, Call) or (isinstance(instruction, Opaque) and instruction.may_contain_barrier):
                return Need(NeedKind.UNKNOWN, instruction.span, is_sure=False)
        return None

    # -- who needs them -----------------------------------------------------------------------------------------------

    def _needs(
        self, partings: Sequence[_Parting], barriers: Sequence[BarrierSite], witness: Witness | None
    ) -> Iterator[Need]:
        behind = self._reachable(way for parting in partings for way in parting.staying)
        splits_warps = any(self._splits_warps(parting.block) for parting in partings)
        decided = frozenset(parting.block for parting in partings)
        for block, instruction in self._instructions(behind):
            match instruction:
                case Shuffle() | Vote() | Match() | WarpReduce() if splits_warps:
                    named = self._names_lanes(instruction.mask)
                    if named is not False:
                        all_run = bool(named) and self._is_run_by_all(block, decided)
                        is_sure = all_run and self._some_warp_parts(partings)
                        yield Need(NeedKind.LANES, instruction.span, is_sure=is_sure)
                case BlockBarrier(reduction=reduction) if reduction is not BarrierReduction.NONE:
                    yield Need(NeedKind.REDUCTION, instruction.span, is_sure=True)
                case NamedBarrier(count=count) if count is not None:
                    yield Need(NeedKind.ARRIVALS, instruction.span, is_sure=False)
                case GridBarrier():
                    yield Need(NeedKind.ARRIVALS, instruction.span, is_sure=True)
                case PhaseWait() | Atomic(operator=BarrierOperator()):
                    yield Need(NeedKind.ARRIVALS, instruction.span, is_sure=False)
                case DeviceLaunch():
                    yield Need(NeedKind.UNKNOWN, instruction.span, is_sure=False)
                case Call() | Opaque():
                    reads = isinstance(instruction, Call) or self._may_read(instruction)
                    yield Need(NeedKind.UNKNOWN, instruction.span if reads else None, is_sure=False)
                case _:
                    pass
        yield from self._elements(partings, behind, barriers, witness)

    def _may_read(self, opaque: Opaque) -> bool:
        """Is it worth naming?  What gets numbers alone, such as a list of initialisers, hardly looks at memory."""
        types = self._function.types
        pointers = any(isinstance(types[argument], PointerType) for argument in opaque.arguments)
        return opaque.may_contain_barrier or pointers or not opaque.arguments

    def _some_warp_parts(self, partings: Sequence[_Parting]) -> bool:
        """In a launch that can be named."""
        integers = Integers(self._function, self._control, self._divergence)
        stays = (parting.staying[0] for parting in partings if parting.staying)
        return any(find_witness(integers, self._memory.launch, block, Level.WARP) is not None for block in stays)

    def _splits_warps(self, block: BasicBlockId) -> bool:
        divergence = self._divergence
        return max(divergence.terminator_level(block), divergence.convergence(block)) > Level.WARP

    def _names_lanes(self, mask: ValueId | None) -> bool | None:
        """Of those that left?  A mask that the lanes have found out themselves is believed; None if it is not known."""
        definition = None if mask is None else self._divergence.definition(mask)
        while isinstance(definition, Convert):
            definition = self._divergence.definition(definition.operand)
        match definition:
            case Constant(value=value):
                return True if value in FULL_MASKS else None
            case ReadSpecial(register=SpecialRegister.ACTIVE_MASK) | Vote() | Match():
                return False
            case _:
                return None

    def _is_run_by_all(self, block: BasicBlockId, decided: frozenset[BasicBlockId]) -> bool:
        """Does nothing but the partings keep threads of a block from it?"""
        deciders = self._control.iterated_controllers(block) - decided
        return all(self._divergence.terminator_level(other) <= Level.BLOCK for other in deciders)

    # -- elements -----------------------------------------------------------------------------------------------------

    @cached_property
    def _uses(self) -> tuple[MemoryUse, ...] | None:
        """None where not all are known."""
        if not self._memory.have_known_widths(SPACES):
            return None
        found = self._memory.of(SPACES)
        return found if len(found) <= MAX_USES else None

    def _elements(
        self,
        partings: Sequence[_Parting],
        behind: frozenset[BasicBlockId],
        barriers: Sequence[BarrierSite],
        witness: Witness | None,
    ) -> Iterator[Need]:
        if self._uses is None:
            yield self._read_of_unknown_width(behind) or Need(NeedKind.UNKNOWN, None, is_sure=False)
            return
        gone = self._reachable(way for parting in partings for way in parting.leaving)
        later = [use for use in self._uses if use.block in behind | gone]
        leavers = Leavers(self._function, self._control, self._divergence, self._memory.affine, self._memory.disjoint)
        prefix = all(leavers.leave_from_some_index_on(one.block, one.staying) for one in partings)
        decided = frozenset(parting.block for parting in partings)
        before, waiting = self._before_leaving(partings, barriers), self._leading_to_a_barrier(behind)

        def is_met(use: MemoryUse, write: MemoryUse, *, by_missing: bool) -> bool:
            all_run = all(self._is_run_by_all(one.block, decided) for one in (use, write))
            return all_run and witness is not None and leavers.meet(use, write, witness, by_missing=by_missing)

        for write, use in product((one for one in self._uses if one.kind is not AccessKind.LOAD), later):
            place = write.block, write.index
            is_behind, is_before = write.block in behind, place in before
            if (
                not (is_behind or is_before)
                or self._are_apart(use, write)
                or self._memory.disjoint.never_meet(use, write)
            ):
                continue
            is_other = use.number != write.number and conflict(use, write)
            if use.block in gone and is_other and (is_before or place in waiting):
                yield Need(NeedKind.NOT_WAITED, use.span, is_sure=is_met(use, write, by_missing=True))
            if use.block not in behind or (prefix and leavers.reads_not_above(use, write)):
                continue
            if is_before and is_other:
                yield Need(NeedKind.UNORDERED, use.span, is_sure=False)
            elif is_behind and self._learns(use) and self._comes_later(use, write):
                yield Need(NeedKind.ELEMENT, use.span, is_sure=is_met(use, write, by_missing=False))

    def _read_of_unknown_width(self, behind: frozenset[BasicBlockId]) -> Need | None:
        """The first read behind the partings of an array that was written there, at another index."""
        uses = [use for use in self._memory.of_variables(SPACES) if use.block in behind]
        writes = [use for use in uses if not isinstance(use.instruction, Load)]
        for use in uses if len(uses) <= MAX_USES else ():
            if isinstance(use.instruction, Load) and any(
                write.variable == use.variable
                and self._comes_later(use, write)
                and not self._have_same_index(use, write)
                for write in writes
            ):
                return Need(NeedKind.ELEMENT, use.instruction.span, is_sure=False)
        return None

    def _have_same_index(self, use: VariableUse, write: VariableUse) -> bool:
        """So that each thread reads what it wrote itself, however wide that is."""
        items = [(self._divergence.definition(one.instruction.address), one.block) for one in (use, write)]
        forms = [
            self._memory.affine.form_at(item.index, block) for item, block in items if isinstance(item, ElementAddress)
        ]
        return len(forms) == len(items) and forms[0] is not None and forms[0] == forms[1]

    def _comes_later(self, use: MemoryUse | VariableUse, write: MemoryUse | VariableUse) -> bool:
        if use.block == write.block and use.index >= write.index:
            return True
        return use.block in self._reachable(self._control.successors[write.block])

    def _leading_to_a_barrier(self, behind: frozenset[BasicBlockId]) -> frozenset[tuple[BasicBlockId, int]]:
        """The places from which a thread that stays may come to a barrier."""
        blocks = self._function.blocks
        last = {
            block: max(index for index, one in enumerate(blocks[block].instructions) if isinstance(one, BlockBarrier))
            for block in behind
            if any(isinstance(one, BlockBarrier) for one in blocks[block].instructions)
        }
        seen = set[BasicBlockId]()
        waiting = [source for block in last for source in self._sources(block)]
        for block in popped(waiting):
            if block not in seen:
                seen.add(block)
                waiting.extend(self._sources(block))
        ends = {**last, **{block: len(blocks[block].instructions) for block in seen}}
        return frozenset((block, index) for block, end in ends.items() for index in range(end))

    def _learns(self, use: MemoryUse) -> bool:
        """Does the thread see what others wrote?  Of atomics only counts of the block are meant to say that."""
        match use.instruction:
            case Load():
                return True
            case Atomic(result=result):
                return use.space is MemorySpace.SHARED and result in self._read_values
            case Store():
                return False

    @cached_property
    def _read_values(self) -> frozenset[ValueId]:
        blocks = (self._function.blocks[block] for block in self._control.order)
        items = (item for block in blocks for item in (*block.phis, *block.instructions, block.terminator))
        return frozenset(value for item in items for value in item.operands)

    def _are_apart(self, read: MemoryUse, write: MemoryUse) -> bool:
        """In different spaces, or reached through different arguments."""
        spaces = {read.space, write.space}
        if MemorySpace.SHARED in spaces:
            return MemorySpace.GLOBAL in spaces
        roots = [pointer_root(self._divergence, use.address) for use in (read, write)]
        return roots[0] != roots[1] and all(map(self._is_argument, roots))

    def _is_argument(self, pointer: ValueId) -> bool:
        definition = self._divergence.definition(pointer)
        if isinstance(definition, ExtractElement):
            pointer = definition.aggregate
        return any(parameter.value == pointer for parameter in self._function.parameters)

    def _before_leaving(
        self, partings: Sequence[_Parting], barriers: Sequence[BarrierSite]
    ) -> frozenset[tuple[BasicBlockId, int]]:
        """The places that threads which leave may run with no barrier of all threads behind it."""
        cuts: dict[BasicBlockId, int] = {}
        for site in barriers:
            if isinstance(site.instruction, BlockBarrier | GridBarrier) and site.evidence is None:
                cuts[site.block] = max(cuts.get(site.block, -1), site.index)
        gone = self._reachable(way for parting in partings for way in parting.leaving)
        seen, waiting = set[BasicBlockId](), [parting.block for parting in partings]
        while waiting:
            block = waiting.pop()
            seen.add(block)
            if block not in cuts:
                waiting.extend(source for source in self._sources(block) if source not in seen)
        return frozenset(
            (block, index)
            for block in seen | gone
            for index in range(cuts.get(block, -1) + 1, len(self._function.blocks[block].instructions))
        )

    # -- walks --------------------------------------------------------------------------------------------------------

    def _reachable(self, starts: Iterable[BasicBlockId]) -> frozenset[BasicBlockId]:
        found = set[BasicBlockId]()
        waiting = list(starts)
        while waiting:
            block = waiting.pop()
            if block not in found:
                found.add(block)
                waiting.extend(self._control.successors[block])
        return frozenset(found)

    def _instructions(self, blocks: frozenset[BasicBlockId]) -> Iterator[tuple[BasicBlockId, Instruction]]:
        for block in sorted(blocks, key=lambda other: self._control.rank[other]):
            for instruction in self._function.blocks[block].instructions:
                yield block, instruction


def _doubt(need: Need) -> tuple[bool, bool]:
    """What is understood comes before what is not."""
    return not need.is_sure, need.kind is NeedKind.UNKNOWN
