"""One thread's way through a function, as far as integers decide it: how often does it come to certain blocks?"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
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
    """Why a walk cannot go on."""

    UNKNOWN = "a decision that cannot be told"
    END = "nothing more that matters"


@final
class Walk:
    """The values of one thread; a value that is missing is unknown."""

    def __init__(self, slice_: Slice, launch: Launch, thread: int, budget: int) -> None:
        self._slice = slice_
        self._launch = launch
        self._thread = thread
        self.budget = budget
        self.assumed = False
        self.visits: list[Visit] = []
        """The watched blocks that the thread ran, in its order."""
        self._values: dict[ValueId, int] = dict(launch.scalars)
        self._rounds: dict[BasicBlockId, int] = {}

    def arrivals(self) -> int | None:
        """How often the thread runs the target blocks; None if that cannot be told."""
        slice_ = self._slice
        block: BasicBlockId = ENTRY
        source: BasicBlockId | None = None
        count = 0
        while True:
            self._enter(block, source)
            count += block in slice_.targets
            if self.budget <= 0:
                return None
            match slice_.function.blocks[block].terminator:
                case Return() | Trap():
                    return count
                case Jump(target=target):
                    block, source = target, block
                case Branch() | Switch() as terminator:
                    step = self._decide(block, terminator)
                    if step is Stop.UNKNOWN:
                        return None
                    if step is Stop.END:
                        return count
                    block, source = step

    def _enter(self, block: BasicBlockId, source: BasicBlockId | None) -> None:
        """Phis all at once, then the instructions of the slice; phis are unknown without a source."""
        values, launch, thread = self._values, self._launch, self._thread
        new = [(result, None if given is None else values.get(given)) for result, given in self._phis(block, source)]
        for result, value in new:
            if value is None:
                values.pop(result, None)
            else:
                values[result] = value
        body = self._slice.bodies.get(block, ())
        for result, evaluate in body:
            value = evaluate(values, launch, thread)
            if value is None:
                values.pop(result, None)
            else:
                values[result] = value
        self.budget -= 1 + len(new) + len(body)
        watched = self._slice.watched.get(block)
        if watched is not None:
            self.visits.append((block, tuple(map(values.get, watched))))

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

    def _decide(
        self, block: BasicBlockId, terminator: Branch | Switch
    ) -> tuple[BasicBlockId, BasicBlockId | None] | Stop:
        """The next block and the one it is entered from (None: from somewhere)."""
        slice_ = self._slice
        if block not in slice_.deciders:
            after = slice_.control.immediate_post_dominator(block)
            return Stop.END if after is None else self._skip(block, after)
        decided = self._values.get(terminator.operands[0])
        if decided is not None:
            target = target_of(terminator, decided)
            return Stop.UNKNOWN if target is None else (target, block)
        if len(slice_.control.successors[block]) == 1:
            return slice_.control.successors[block][0], block
        if block not in slice_.controllers:
            after = slice_.control.immediate_post_dominator(block)
            return Stop.END if after is None else self._skip(block, after)
        if slice_.divergence.terminator_level(block) > Level.BLOCK:
            return Stop.UNKNOWN
        return self._assume(block, terminator)

    def _skip(self, block: BasicBlockId, after: BasicBlockId) -> tuple[BasicBlockId, None]:
        """Goes on behind what cannot be followed; forgets what loops that are left this way have computed."""
        for cycle in self._slice.control.cycles_around(block):
            if after in cycle.blocks:
                break
            computed = self._slice.computed_in(cycle)
            self.budget -= len(computed) // 16
            for value in computed:
                self._values.pop(value, None)
        return after, None

    def _assume(self, block: BasicBlockId, terminator: Branch | Switch) -> tuple[BasicBlockId, BasicBlockId] | Stop:
        """A uniform decision that is not known: towards the target first, out of its loop in later rounds."""
        slice_ = self._slice
        rounds = self._rounds[block] = self._rounds.get(block, 0) + 1
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
            self._values[terminator.condition] = int(chosen == terminator.if_true)
        return chosen, block

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


def target_of(terminator: Branch | Switch, decided: int) -> BasicBlockId | None:
    if isinstance(terminator, Branch):
        return terminator.if_true if decided else terminator.if_false
    for case in terminator.cases:
        if case.value is None:
            return None
        if case.value == decided:
            return case.target
    return terminator.default
