"""What has to be computed to know which way threads go: the integers that decide it, as steps in their order."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Final, TypeAlias, final

from analysis.divergence.result import DivergenceResult
from analysis.graph.control_flow import ControlFlow
from analysis.graph.cycles import Cycle, CycleId
from analysis.ir.function import Function
from analysis.ir.ids import BasicBlockId, ValueId
from analysis.ir.instructions import (
    Binary,
    Compare,
    Constant,
    Convert,
    Instruction,
    Math,
    Phi,
    ReadSpecial,
    Select,
    TemplateArgument,
    Unary,
)
from analysis.ir.operators import SpecialRegister
from analysis.ir.types import BooleanType, IntegerType
from analysis.verdict.columns import EvaluateColumn, column_evaluator
from analysis.verdict.evaluation import Evaluate, evaluator
from analysis.verdict.memory_arguments import MemoryArguments

EVALUATED = frozenset((Binary, Compare, Unary, Convert, Select, Math, Constant, ReadSpecial, TemplateArgument, Phi))
OF_THREAD = frozenset(
    (SpecialRegister.THREAD_X, SpecialRegister.THREAD_Y, SpecialRegister.THREAD_Z, SpecialRegister.LANE)
)
BLOCK_INDICES = (SpecialRegister.BLOCK_X, SpecialRegister.BLOCK_Y, SpecialRegister.BLOCK_Z)

MAX_LONG_WALKS: Final = 4

Step: TypeAlias = tuple[ValueId, Evaluate, EvaluateColumn]
"""A value of the slice, and how it is computed: for all threads alike, and for each."""
Given: TypeAlias = tuple[tuple[ValueId, ValueId | None], ...]
"""Phis with the value that each takes."""


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
        self.long_walks = MAX_LONG_WALKS
        """How many walks of many operations are left; they are rarely worth it, so a function has few."""

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
            known = self._steps[value] = value, evaluator(item, type_), column_evaluator(item, type_)
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

    def _decide_with(self, block: BasicBlockId, waiting: list[ValueId]) -> None:
        """What decides whether and how often `block` runs, and which way it is left, has a say."""
        for decider in self.control.deciders(block) - self.deciders:
            self.deciders.add(decider)
            waiting.extend(self.function.blocks[decider].terminator.operands)

    def is_defined_above(self, value: ValueId, block: BasicBlockId) -> bool:
        """Whether the value may be read at `block` or later without being computed again."""
        return self.control.dominates(self.divergence.home(value), block)

    def computed_in(self, cycle: Cycle) -> tuple[ValueId, ...]:
        """The values that a walk computes in the blocks of the cycle."""
        known = self.computed.get(cycle.id)
        if known is None:
            blocks = self.function.blocks
            phis = (phi.result for block in cycle.blocks for phi in blocks[block].phis)
            others = (result for block in cycle.blocks for result, _, _ in self.bodies.get(block, ()))
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
