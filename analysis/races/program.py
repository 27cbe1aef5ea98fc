"""What one thread does to memory that threads share, as a program of few steps.

Kept      the accesses that are watched, in their order; barriers; the integers and pointers that decide where they go
          and which way the thread takes.  Everything else is passed over.
Pointers  are numbers as well: each object lies alone in a region of the number line, so that two addresses are
          comparable only inside one object.  Arrays of dynamic size share one.
Halts     where the thread may be ordered with others in a way that is not followed (`HALTING`): calls and constructs
          that are not understood, barriers of some threads.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field
from enum import IntEnum
from typing import Final, TypeAlias, final

from analysis.divergence.levels import Level
from analysis.divergence.result import DivergenceResult
from analysis.graph.control_flow import ControlFlow
from analysis.ir.function import Function
from analysis.ir.ids import BasicBlockId, ValueId
from analysis.ir.instructions import (
    Atomic,
    Bitcast,
    BlockBarrier,
    Branch,
    Call,
    ElementAddress,
    ExtractElement,
    Fence,
    FieldAddress,
    GridBarrier,
    Instruction,
    Load,
    Match,
    NamedBarrier,
    Opaque,
    PhaseWait,
    Phi,
    Shuffle,
    SymbolAddress,
    Vote,
    WarpBarrier,
    WarpReduce,
)
from analysis.ir.launch_relation import ArgumentRelation
from analysis.races.long_loops import LongLoop
from analysis.races.model import MemoryUse
from analysis.verdict.columns import EvaluateColumn
from analysis.verdict.evaluation import Evaluate
from analysis.verdict.slice import EVALUATED, Given

REGION_BITS: Final = 48
MIDDLE: Final = 1 << (REGION_BITS - 1)
"""Where the object begins in its region: an address before it is still one of the same object."""
DYNAMIC_REGION: Final = 1
FIRST_REGION: Final = 2

POINTERS: Final = frozenset((SymbolAddress, ElementAddress, FieldAddress, Bitcast))
FOLLOWED: Final = EVALUATED | POINTERS | {ExtractElement}
WARP_MEETINGS: Final = frozenset((WarpBarrier, Shuffle, Vote, Match, WarpReduce))
BLOCK_MEETINGS: Final = frozenset((BlockBarrier, GridBarrier))
HALTING: Final = frozenset((Call, NamedBarrier, PhaseWait))
ORDERING: Final = WARP_MEETINGS | BLOCK_MEETINGS | HALTING | {Fence}


class StepKind(IntEnum):
    VALUE = 0
    USE = 1
    BLOCK_BARRIER = 2
    WARP_BARRIER = 3
    ASSERT = 4
    HALT = 5


Mark: TypeAlias = tuple[StepKind, int]
"""What to do, with a value, the number of a use or that of a barrier."""


Step: TypeAlias = tuple[StepKind, int, Evaluate | None, Collection[ValueId]]
"""The same; VALUE steps say how it is computed, and from which values."""
Evaluator: TypeAlias = Callable[["Program", ValueId], Evaluate | None]
"""How a value is computed, if that can be followed."""


Member: TypeAlias = tuple[ValueId, int]
"""An argument and its member (-1: all of it)."""
Origin: TypeAlias = Member | str
"""Of a number that a launch chooses; a template argument goes by its name."""
MOST_MEMBERS: Final = 64


Way: TypeAlias = tuple[ValueId | None, BasicBlockId, BasicBlockId]
"""Where a block leads, by a condition (None: always to the first)."""
NOWHERE: Final = ValueId(-1)
"""A condition that is never known."""


class OutOfBounds(Exception):
    """The thread leaves an array: the launch is not one that the kernel is made for."""


@final
@dataclass(slots=True)
class Program:
    """`deciders`: the blocks whose branches have a say; a thread passes over the others to their post-dominators.

    `scalars`: the arguments and template arguments that have a say, with what tells two reads of one apart.
    """

    function: Function
    control: ControlFlow
    divergence: DivergenceResult
    uses: Sequence[MemoryUse]
    evaluator: Evaluator
    goes_on: bool
    """Whether threads are followed where memory decides whether they go on, see `assumed_way`."""
    deciders: set[BasicBlockId] = field(default_factory=set[BasicBlockId])
    needed: set[ValueId] = field(default_factory=set[ValueId])
    marks: dict[BasicBlockId, Sequence[Mark]] = field(default_factory=dict[BasicBlockId, "Sequence[Mark]"])
    """What is done in each block where anything is."""
    phis: dict[BasicBlockId, tuple[Phi, ...]] = field(default_factory=dict[BasicBlockId, "tuple[Phi, ...]"])
    scalars: dict[ValueId, Scalar] = field(default_factory=dict[ValueId, "Scalar"])
    passed: Mapping[Origin, int] = field(default_factory=dict[Origin, int])
    """Of arguments what every launch passes."""
    relations: Mapping[Origin, tuple[ArgumentRelation, ...]] = field(
        default_factory=dict[Origin, tuple[ArgumentRelation, ...]]
    )
    """Of arguments how they hang together with the block and the grid of every launch."""
    multiples: Mapping[Origin, int] = field(default_factory=dict[Origin, int])
    """Of arguments the power of two that divides what every launch passes; 1 of those that are not named."""
    trips: set[Origin] = field(default_factory=set[Origin])
    """Those that say nothing but how often a loop runs."""
    ways: list[Way | None] = field(default_factory=list["Way | None"])
    """For each block where it leads; None at an end."""
    fixed: list[tuple[ValueId, Evaluate]] = field(default_factory=list[tuple[ValueId, Evaluate]])
    """What is the same for all threads of a launch, in an order in which it can be computed."""
    regions: dict[ValueId, int] = field(default_factory=dict[ValueId, int])
    """Pointers that come with the launch, and where the objects lie that they point to."""
    sizes: dict[int, int] = field(default_factory=dict[int, int])
    """Of the objects whose size is known, by region."""
    names: dict[int, str] = field(default_factory=dict[int, str])
    unknowable: set[ValueId] = field(default_factory=set[ValueId])
    """Those of `needed` that rest on memory or on what is not followed, whichever way a thread takes."""
    long_loops: Mapping[BasicBlockId, LongLoop] = field(default_factory=dict[BasicBlockId, LongLoop])
    """By header."""
    ordering: Set[BasicBlockId] = field(default_factory=set[BasicBlockId])
    """The blocks in which threads may meet others."""
    constants: list[int] = field(default_factory=list[int])
    """The integers that have a say, in the order of the program."""
    reads_block_index: bool = False
    columns: dict[ValueId, EvaluateColumn] = field(default_factory=dict[ValueId, "EvaluateColumn"])
    """How values are computed for many threads at once; filled when they are first asked for (`group_steps.py`)."""
    _bodies: dict[BasicBlockId, tuple[Step, ...]] = field(default_factory=dict[BasicBlockId, "tuple[Step, ...]"])
    _given: dict[tuple[BasicBlockId, BasicBlockId | None], Given] = field(
        default_factory=dict[tuple[BasicBlockId, "BasicBlockId | None"], "Given"]
    )
    _skipped: dict[BasicBlockId, Skipped | None] = field(default_factory=dict[BasicBlockId, "Skipped | None"])
    _assumed: dict[BasicBlockId, BasicBlockId | None] = field(default_factory=dict[BasicBlockId, "BasicBlockId | None"])
    _reached: dict[BasicBlockId, bool] = field(default_factory=dict[BasicBlockId, bool])

    def given(self, block: BasicBlockId, source: BasicBlockId | None) -> Given:
        """What each phi of the block takes when it is entered from `source`; unknown without one."""
        known = self._given.get((block, source))
        if known is None:
            known = self._given[block, source] = tuple(
                (phi.result, next((value for edge, value in phi.incoming if edge == source), None))
                for phi in self.phis[block]
            )
        return known

    def body(self, block: BasicBlockId) -> tuple[Step, ...]:
        """The steps of the block; made when the first thread comes there, as no thread comes to most blocks."""
        known = self._bodies.get(block)
        if known is None:
            known = self._bodies[block] = tuple(self._steps(block))
        return known

    def _steps(self, block: BasicBlockId) -> Iterator[Step]:
        for kind, item in self.marks.get(block, ()):
            if kind is not StepKind.VALUE:
                yield kind, item, None, ()
                continue
            evaluate, definition = self.evaluator(self, ValueId(item)), self.divergence.definition(ValueId(item))
            if evaluate is not None and definition is not None:
                yield kind, item, evaluate, definition.operands

    def can_be_seen(self, use: MemoryUse) -> bool:
        """May a thread be followed to this use, and may its address be known there?"""
        return use.address not in self.unknowable and self.is_followed_to(use)

    def is_followed_to(self, use: MemoryUse) -> bool:
        """May a thread be followed to this use, whatever its address?"""
        if use.block not in self._reached:
            self._reached[use.block] = self._may_reach(use.block)
        return self._reached[use.block]

    def _may_reach(self, block: BasicBlockId) -> bool:
        control, unknowable = self.control, self.unknowable
        for above in control.iterated_controllers(block):
            operands = self.function.blocks[above].terminator.operands
            if above == block or unknowable.isdisjoint(operands) or not control.dominates(above, block):
                continue
            if self.assumed_way(above) is None:
                return False
        return True

    def skip(self, block: BasicBlockId) -> Skipped | None:
        """What a thread passes over if it is not known which way it goes; None if it may meet others in there."""
        if block not in self._skipped:
            self._skipped[block] = self._find_skip(block)
        return self._skipped[block]

    def _find_skip(self, block: BasicBlockId) -> Skipped | None:
        after = self.control.immediate_post_dominator(block)
        region = self.control.between(block, after)
        if not self.ordering.isdisjoint(region):
            return None
        leaves_loop = any(block in cycle.blocks and after not in cycle.blocks for cycle in self.control.cycles)
        if leaves_loop and any(
            inside in region and may_wait(instruction, in_loop=True)
            for inside, _, instruction in (*self.control.placed(Atomic), *self.control.placed(Load))
        ):
            return None
        forgotten = [value for inside in region for value in self._defined_in(inside)]
        return Skipped(after, tuple(forgotten))

    def assumed_way(self, block: BasicBlockId) -> BasicBlockId | None:
        """Where the threads go if they go on, for a decision of memory that is the same in the whole block.

        They stay in a loop that cannot be skipped, and do not leave the kernel before it has done anything more.
        Whoever writes a loop, or code behind a `return`, expects that it runs: what two threads do there is no less
        certain than that.
        """
        if block not in self._assumed:
            self._assumed[block] = self._find_assumed_way(block)
        return self._assumed[block]

    def _find_assumed_way(self, block: BasicBlockId) -> BasicBlockId | None:
        terminator = self.function.blocks[block].terminator
        if not self.goes_on or block not in self.deciders or not isinstance(terminator, Branch):
            return None
        # Where some way makes the decision known, other threads could know that they do not go on.
        if terminator.operands[0] not in self.unknowable or self.divergence.terminator_level(block) > Level.BLOCK:
            return None
        targets = self.control.successors[block]
        if len(targets) != 2:
            return None
        cycle = self.control.innermost_cycle(block)
        inside = [target for target in targets if cycle is not None and target in cycle.blocks]
        if len(inside) == 1:
            skipped = self.skip(block)
            return inside[0] if skipped is None or skipped.after is None else None
        going_on = [target for target in targets if self._does_anything(target)]
        return going_on[0] if len(going_on) == 1 else None

    def _does_anything(self, first: BasicBlockId) -> bool:
        """Is memory used, or are others met, from here on?"""
        reached = {first, *self.control.between(first, None)}
        return any(kind is not StepKind.VALUE for block in reached for kind, _ in self.marks.get(block, ()))

    def _defined_in(self, block: BasicBlockId) -> Iterable[ValueId]:
        yield from (phi.result for phi in self.phis.get(block, ()))
        yield from (ValueId(item) for kind, item in self.marks.get(block, ()) if kind is StepKind.VALUE)


@final
@dataclass(frozen=True, slots=True)
class Skipped:
    """A way past a branch: to the block `after` (None: the exit); `forgotten` are the values defined on the way."""

    after: BasicBlockId | None
    forgotten: tuple[ValueId, ...]


@final
@dataclass(frozen=True, slots=True)
class Scalar:
    """A number that a launch chooses; two reads of one member of an argument have the same `origin`."""

    name: str
    origin: Origin
    is_boolean: bool


def may_wait(instruction: Instruction, *, in_loop: bool) -> bool:
    """Might it be part of a lock, or of code that is not understood?"""
    match instruction:
        case Opaque(may_contain_barrier=may_contain_barrier):
            return may_contain_barrier
        case Atomic():
            return in_loop
        case Load(volatile=volatile):
            return volatile and in_loop
        case _:
            return False


def place_of(member: Member) -> int:
    """A number that no other argument or member has."""
    value, index = member
    return value * MOST_MEMBERS + index + 1


def address_of(region: int) -> int:
    """Where the object of a region begins."""
    return (region << REGION_BITS) + MIDDLE


def offset_in(address: int) -> int:
    """From the beginning of the object, in bytes."""
    return (address & ((1 << REGION_BITS) - 1)) - MIDDLE
