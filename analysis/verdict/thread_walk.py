"""The way of threads through a function, as far as integers decide it: how often do they come to certain blocks?

Cost      Threads that went the same way so far are followed together: what does not depend on the number of a thread is
          computed once for all of them, so a whole warp in step costs little more than one thread.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import TypeAlias, final

from analysis.divergence.levels import Level
from analysis.divergence.result import DivergenceResult
from analysis.graph.control_flow import ControlFlow
from analysis.graph.cycles import Cycle, CycleId
from analysis.ir.function import ENTRY, Function
from analysis.ir.ids import BasicBlockId, ValueId
from analysis.ir.instructions import (
    Binary,
    Branch,
    Compare,
    Constant,
    Convert,
    Instruction,
    Jump,
    Math,
    Phi,
    ReadSpecial,
    Return,
    Select,
    Switch,
    TemplateArgument,
    Trap,
    Unary,
)
from analysis.ir.operators import SpecialRegister
from analysis.ir.types import BooleanType, IntegerType
from analysis.verdict.evaluation import Evaluate, Launch, evaluator
from analysis.verdict.memory_arguments import MemoryArguments

EVALUATED = frozenset((Binary, Compare, Unary, Convert, Select, Math, Constant, ReadSpecial, TemplateArgument, Phi))
OF_THREAD = frozenset(
    (SpecialRegister.THREAD_X, SpecialRegister.THREAD_Y, SpecialRegister.THREAD_Z, SpecialRegister.LANE)
)
BLOCK_INDICES = (SpecialRegister.BLOCK_X, SpecialRegister.BLOCK_Y, SpecialRegister.BLOCK_Z)

Step: TypeAlias = tuple[ValueId, Evaluate]
"""A value of the slice, and how it is computed."""
Given: TypeAlias = tuple[tuple[ValueId, ValueId | None], ...]
"""Phis with the value that each takes."""
Visit: TypeAlias = tuple[BasicBlockId, tuple[int | None, ...]]
"""A watched block that the thread ran, and the values that were asked for; None for those that cannot be told."""


@final
class Integers:
    """Where the integer values of one function are defined, and how each is computed; shared by all slices of it."""

    def __init__(self, function: Function, control: ControlFlow, divergence: DivergenceResult) -> None:
        self.function = function
        self.control = control
        self.divergence = divergence
        self.parameters = {parameter.value: parameter.name for parameter in function.parameters}
        self._places: dict[ValueId, tuple[BasicBlockId, int]] = {
            instruction.result: (block, index)
            for block in control.order
            for index, instruction in enumerate(function.blocks[block].instructions)
            if type(instruction) in EVALUATED and instruction.result is not None
        }
        self._steps: dict[ValueId, Step] = {}

    def is_integer(self, value: ValueId) -> bool:
        return isinstance(self.function.types[value], IntegerType | BooleanType)

    def bodies(self, values: Iterable[ValueId]) -> dict[BasicBlockId, tuple[Step, ...]]:
        """For each block, how those of the values are computed that it defines, in order; phis are not among them."""
        places = sorted((self._places[value], value) for value in values if value in self._places)
        found: defaultdict[BasicBlockId, list[Step]] = defaultdict(list)
        for (block, _), value in places:
            found[block].append(self._step(value))
        return {block: tuple(steps) for block, steps in found.items()}

    def _step(self, value: ValueId) -> Step:
        known = self._steps.get(value)
        if known is None:
            block, index = self._places[value]
            item = self.function.blocks[block].instructions[index]
            type_ = self.function.types[value]
            assert isinstance(type_, IntegerType | BooleanType)
            known = self._steps[value] = value, evaluator(item, type_)
        return known


@final
@dataclass(slots=True)
class Slice:
    """What has to be evaluated to know how often threads come to the target blocks.

    `deciders` are the branches with a say in it: those that a target depends on, and those that decide which value a
    phi takes that such a branch reads.  A walk passes over every other branch, so a loop that has no say costs nothing.
    `watched`: for each block that a walk notes the values that are wanted there.
    """

    integers: Integers
    targets: frozenset[BasicBlockId]
    controllers: frozenset[BasicBlockId]
    watched: Mapping[BasicBlockId, tuple[ValueId, ...]] = field(
        default_factory=dict[BasicBlockId, "tuple[ValueId, ...]"]
    )
    deciders: set[BasicBlockId] = field(default_factory=set[BasicBlockId])
    definitions: dict[ValueId, Instruction | Phi] = field(default_factory=dict[ValueId, "Instruction | Phi"])
    bodies: dict[BasicBlockId, tuple[Step, ...]] = field(default_factory=dict[BasicBlockId, "tuple[Step, ...]"])
    given: dict[tuple[BasicBlockId, BasicBlockId | None], Given] = field(
        default_factory=dict[tuple[BasicBlockId, "BasicBlockId | None"], "Given"]
    )
    """For each way into a block what its phis take; filled by the walks."""
    computed: dict[CycleId, tuple[ValueId, ...]] = field(default_factory=dict[CycleId, "tuple[ValueId, ...]"])
    """What is computed in a cycle; filled by the walks."""
    scalar_names: dict[ValueId, str] = field(default_factory=dict[ValueId, str])
    memory: MemoryArguments | None = None
    """Whether numbers in memory are scalars too."""
    in_memory: set[ValueId] = field(default_factory=set[ValueId])
    """The scalars that are."""
    reads_block_index: bool = False
    of_thread: set[ValueId] = field(default_factory=set[ValueId])
    """The definitions that depend on the number of the thread."""
    for_threads: set[ValueId] = field(default_factory=set[ValueId])
    """The other definitions that these are computed from."""

    @classmethod
    def of(cls, integers: Integers, target: BasicBlockId) -> Slice:
        """Numbers in memory that are as free as arguments count as scalars."""
        memory = MemoryArguments(integers.function, integers.control, integers.divergence)
        return cls._watching(integers, (target,), {}, memory)

    @classmethod
    def watching(
        cls,
        integers: Integers,
        targets: Iterable[BasicBlockId],
        watched: Mapping[BasicBlockId, tuple[ValueId, ...]],
    ) -> Slice:
        """`watched` may name blocks that are no targets: it does not matter then whether threads come there."""
        return cls._watching(integers, targets, watched, None)

    @classmethod
    def _watching(
        cls,
        integers: Integers,
        targets: Iterable[BasicBlockId],
        watched: Mapping[BasicBlockId, tuple[ValueId, ...]],
        memory: MemoryArguments | None,
    ) -> Slice:
        targets = frozenset(targets)
        controllers = frozenset[BasicBlockId]().union(*map(integers.control.iterated_controllers, targets))
        slice_ = cls(integers, targets, controllers, watched, memory=memory)
        slice_._collect()
        return slice_

    @property
    def function(self) -> Function:
        return self.integers.function

    @property
    def control(self) -> ControlFlow:
        return self.integers.control

    @property
    def divergence(self) -> DivergenceResult:
        return self.integers.divergence

    def _collect(self) -> None:
        waiting: list[ValueId] = [value for wanted in self.watched.values() for value in wanted]
        for target in sorted(self.targets):
            self._decide_with(target, waiting)
        while waiting:
            value = waiting.pop()
            if value in self.definitions or value in self.scalar_names or not self.integers.is_integer(value):
                continue
            if value in self.integers.parameters:
                self.scalar_names[value] = self.integers.parameters[value]
                continue
            item = self.divergence.definition(value)
            if item is None or type(item) not in EVALUATED:
                self._take_from_memory(value)
                continue
            self._add(value, item)
            waiting.extend(item.operands)
            if isinstance(item, Phi):
                for source, _ in item.incoming:
                    self._decide_with(source, waiting)
        self.bodies = self.integers.bodies(self.definitions)
        self._find_of_thread()

    def _find_of_thread(self) -> None:
        users: defaultdict[ValueId, list[ValueId]] = defaultdict(list)
        for value, item in self.definitions.items():
            for operand in item.operands:
                users[operand].append(value)
        waiting = [
            value
            for value, item in self.definitions.items()
            if isinstance(item, ReadSpecial) and item.register in OF_THREAD
        ]
        while waiting:
            value = waiting.pop()
            if value not in self.of_thread:
                self.of_thread.add(value)
                waiting.extend(users[value])
        read = {operand for value in self.of_thread for operand in self.definitions[value].operands}
        self.for_threads = read - self.of_thread

    def _decide_with(self, block: BasicBlockId, waiting: list[ValueId]) -> None:
        """What decides whether and how often `block` runs, and which way it is left, has a say."""
        control = self.control
        found = {block, *control.iterated_controllers(block)}
        for cycle in control.cycles_around(block):
            found.update(control.exit_influences(cycle))
        for decider in found - self.deciders:
            self.deciders.add(decider)
            waiting.extend(self.function.blocks[decider].terminator.operands)

    def computed_in(self, cycle: Cycle) -> tuple[ValueId, ...]:
        """The values that a walk computes in the blocks of the cycle."""
        known = self.computed.get(cycle.id)
        if known is None:
            blocks = self.function.blocks
            phis = (phi.result for block in cycle.blocks for phi in blocks[block].phis)
            others = (result for block in cycle.blocks for result, _ in self.bodies.get(block, ()))
            phis = (result for result in phis if result in self.definitions)
            known = self.computed[cycle.id] = (*phis, *others)
        return known

    def _take_from_memory(self, value: ValueId) -> None:
        name = None if self.memory is None else self.memory.name(value)
        if name is not None:
            self.scalar_names[value] = name
            self.in_memory.add(value)

    def _add(self, value: ValueId, item: Instruction | Phi) -> None:
        self.definitions[value] = item
        if isinstance(item, TemplateArgument):
            self.scalar_names[value] = item.name
        if isinstance(item, ReadSpecial):
            self.reads_block_index |= item.register in BLOCK_INDICES


class Stop(Enum):
    """Why threads are not followed further."""

    UNKNOWN = "a decision that cannot be told"
    END = "nothing more that matters"


@final
@dataclass(slots=True)
class WalkedThread:
    """One thread; a value that is missing is unknown.

    `values`: those that depend on its number, and what they are computed from.  `arrivals`: how often it ran the target
    blocks.  `visits`: the watched blocks that it ran, in its order.
    """

    number: int
    values: dict[ValueId, int]
    visits: list[Visit] = field(default_factory=list[Visit])
    arrivals: int = 0


@final
@dataclass(slots=True)
class _Group:
    """Threads that went the same way so far, and are about to enter `block` from `source` (None: from somewhere).

    `values`: what does not depend on the number of a thread is the same for all of them.  `rounds`: how often each
    decision was assumed; `spent`: operations of each of them.
    """

    threads: list[WalkedThread]
    values: dict[ValueId, int]
    block: BasicBlockId = ENTRY
    source: BasicBlockId | None = None
    rounds: dict[BasicBlockId, int] = field(default_factory=dict[BasicBlockId, int])
    arrivals: int = 0
    spent: int = 0

    def part(self, threads: list[WalkedThread]) -> _Group:
        """Some of them, that go on alone."""
        values, rounds = dict(self.values), dict(self.rounds)
        return _Group(threads, values, self.block, self.source, rounds, self.arrivals, self.spent)


@final
class Walk:
    """Follows threads of one block together, as long as they go the same way.

    `budget` bounds the operations of all, where what is the same for a group counts once; `longest` those of a thread.
    """

    def __init__(self, slice_: Slice, launch: Launch, threads: Iterable[int], budget: int, longest: int) -> None:
        self._slice = slice_
        self._launch = launch
        self._longest = longest
        self.threads = [WalkedThread(number, dict(launch.scalars)) for number in threads]
        self.budget = budget
        self.assumed = False
        self.is_unfinished = False
        """Some thread ran out of operations."""

    def follow(self) -> bool:
        """Can it be told for all threads how often they run the target blocks?"""
        waiting = [_Group(self.threads, dict(self._launch.scalars))]
        while waiting:
            group = waiting.pop()
            while True:
                self._enter(group)
                if self.budget <= 0 or group.spent >= self._longest:
                    self.is_unfinished = True
                    return False
                parts = self._leave(group)
                if parts is Stop.UNKNOWN:
                    return False
                if parts is Stop.END:
                    for thread in group.threads:
                        thread.arrivals = group.arrivals
                    break
                group = parts[0]
                waiting.extend(parts[1:])
        return True

    def _enter(self, group: _Group) -> None:
        """Phis all at once, then the instructions of the slice; phis are unknown without a source."""
        slice_, threads, values, block = self._slice, group.threads, group.values, group.block
        of_thread = slice_.of_thread
        phis = self._phis(block, group.source)
        if phis:
            for thread in threads:
                taken = [(phi, None if given is None else thread.values.get(given)) for phi, given in phis]
                for phi, value in taken:
                    if phi in of_thread:
                        _put(thread.values, phi, value)
            for phi, value in [(phi, None if given is None else values.get(given)) for phi, given in phis]:
                if phi not in of_thread:
                    self._share(group, phi, value)
        work = 0
        body = slice_.bodies.get(block, ())
        for result, evaluate in body:
            if result in of_thread:
                for thread in threads:
                    _put(thread.values, result, evaluate(thread.values, self._launch, thread.number))
                work += len(threads)
            else:
                self._share(group, result, evaluate(values, self._launch, threads[0].number))
                work += 1
        group.arrivals += block in slice_.targets
        group.spent += 1 + len(phis) + len(body)
        self.budget -= 1 + len(phis) + work
        watched = slice_.watched.get(block)
        if watched is not None:
            for thread in threads:
                seen = tuple((thread.values if value in of_thread else values).get(value) for value in watched)
                thread.visits.append((block, seen))

    def _share(self, group: _Group, result: ValueId, value: int | None) -> None:
        """What is the same for the group; its threads get a copy of what they compute with."""
        if group.values.get(result) == value:
            return
        _put(group.values, result, value)
        if result in self._slice.for_threads:
            for thread in group.threads:
                _put(thread.values, result, value)

    def _phis(self, block: BasicBlockId, source: BasicBlockId | None) -> Given:
        """What each phi of the block takes when it is entered from `source`."""
        known = self._slice.given.get((block, source))
        if known is None:
            known = tuple(
                (phi.result, next((value for edge, value in phi.incoming if edge == source), None))
                for phi in self._slice.function.blocks[block].phis
                if phi.result in self._slice.definitions
            )
            self._slice.given[block, source] = known
        return known

    # -- ways -------------------------------------------------------------------------------------------------------

    def _leave(self, group: _Group) -> Sequence[_Group] | Stop:
        """The groups that go on, each about to enter a block."""
        match self._slice.function.blocks[group.block].terminator:
            case Return() | Trap():
                return Stop.END
            case Jump(target=target):
                group.block, group.source = target, group.block
                return (group,)
            case Branch() | Switch() as terminator:
                return self._decide(group, terminator)

    def _decide(self, group: _Group, terminator: Branch | Switch) -> Sequence[_Group] | Stop:
        slice_, block, condition = self._slice, group.block, terminator.operands[0]
        if block not in slice_.deciders:
            return self._skip(group)
        if condition not in slice_.of_thread:
            return self._go(group, terminator, group.values.get(condition))
        alike: dict[int | None, list[WalkedThread]] = {}
        for thread in group.threads:
            alike.setdefault(thread.values.get(condition), []).append(thread)
        if len(alike) == 1:
            return self._go(group, terminator, *alike)
        parts: list[_Group] = []
        for decided, threads in alike.items():
            part = group.part(threads)
            went = self._go(part, terminator, decided)
            if went is Stop.UNKNOWN:
                return went
            if went is Stop.END:
                for thread in threads:
                    thread.arrivals = part.arrivals
            else:
                parts.extend(went)
        return parts or Stop.END

    def _go(self, group: _Group, terminator: Branch | Switch, decided: int | None) -> Sequence[_Group] | Stop:
        """On with a group for which the decision is the same."""
        slice_, block = self._slice, group.block
        if decided is not None:
            target = target_of(terminator, decided)
            if target is None:
                return Stop.UNKNOWN
            group.block, group.source = target, block
            return (group,)
        if len(slice_.control.successors[block]) == 1:
            group.block, group.source = slice_.control.successors[block][0], block
            return (group,)
        if block not in slice_.controllers:
            return self._skip(group)
        if slice_.divergence.terminator_level(block) > Level.BLOCK:
            return Stop.UNKNOWN
        return self._assume(group, terminator)

    def _skip(self, group: _Group) -> Sequence[_Group] | Stop:
        """Goes on behind what cannot be followed; forgets what loops that are left this way have computed."""
        control = self._slice.control
        after = control.immediate_post_dominator(group.block)
        if after is None:
            return Stop.END
        for cycle in control.cycles_around(group.block):
            if after in cycle.blocks:
                break
            computed = self._slice.computed_in(cycle)
            self.budget -= len(computed) // 16
            for values in (group.values, *(thread.values for thread in group.threads)):
                for result in computed:
                    values.pop(result, None)
        group.block, group.source = after, None
        return (group,)

    def _assume(self, group: _Group, terminator: Branch | Switch) -> Sequence[_Group] | Stop:
        """A uniform decision that is not known: towards the target first, out of its loop in later rounds."""
        slice_, block = self._slice, group.block
        rounds = group.rounds[block] = group.rounds.get(block, 0) + 1
        control = slice_.control
        around = [cycle for cycle in control.cycles_around(block) if slice_.targets & cycle.blocks]
        leaving = [t for t in control.successors[block] if around and t not in around[0].blocks]
        if leaving:
            staying = [t for t in control.successors[block] if t not in leaving]
            chosen = leaving[0] if rounds > 1 or not staying else staying[0]
        else:
            towards = [t for t in control.successors[block] if self._leads_to_target(t, block)]
            if len(towards) != 1:
                return Stop.UNKNOWN
            chosen = towards[0]
        self.assumed = True
        if isinstance(terminator, Branch) and not leaving:
            for values in (group.values, *(thread.values for thread in group.threads)):
                values[terminator.condition] = int(chosen == terminator.if_true)
        group.block, group.source = chosen, block
        return (group,)

    def _leads_to_target(self, start: BasicBlockId, without: BasicBlockId) -> bool:
        seen = {without}
        waiting = [start]
        while waiting:
            block = waiting.pop()
            if block in self._slice.targets:
                return True
            if block not in seen:
                seen.add(block)
                waiting.extend(self._slice.control.successors[block])
        return False


def _put(values: dict[ValueId, int], result: ValueId, value: int | None) -> None:
    if value is None:
        values.pop(result, None)
    else:
        values[result] = value


def target_of(terminator: Branch | Switch, decided: int) -> BasicBlockId | None:
    if isinstance(terminator, Branch):
        return terminator.if_true if decided else terminator.if_false
    for case in terminator.cases:
        if case.value is None:
            return None
        if case.value == decided:
            return case.target
    return terminator.default
