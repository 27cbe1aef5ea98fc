"""One thread's way through a function, as far as integers decide it: how often does it come to a block?"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import final

from analysis.divergence import integers
from analysis.divergence.launch_shape import BlockShape
from analysis.divergence.levels import Level
from analysis.divergence.result import DivergenceResult
from analysis.graph.control_flow import ControlFlow
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

EVALUATED = (Binary, Compare, Unary, Convert, Select, Math, Constant, ReadSpecial, TemplateArgument, Phi)
BLOCK_INDICES = (SpecialRegister.BLOCK_X, SpecialRegister.BLOCK_Y, SpecialRegister.BLOCK_Z)
GRID_BLOCKS = 4


@final
@dataclass(frozen=True, slots=True)
class Launch:
    """One block of one launch, and the values of the scalars."""

    shape: BlockShape
    block: int
    warp_size: int
    scalars: Mapping[ValueId, int]


@final
@dataclass(slots=True)
class Slice:
    """What has to be evaluated to know which way threads go, seen from one target block."""

    function: Function
    control: ControlFlow
    divergence: DivergenceResult
    target: BasicBlockId
    controllers: frozenset[BasicBlockId]
    definitions: dict[ValueId, Instruction | Phi] = field(default_factory=dict[ValueId, "Instruction | Phi"])
    bodies: dict[BasicBlockId, tuple[Instruction, ...]] = field(
        default_factory=dict[BasicBlockId, tuple[Instruction, ...]]
    )
    scalar_names: dict[ValueId, str] = field(default_factory=dict[ValueId, str])
    reads_block_index: bool = False

    @classmethod
    def of(cls, function: Function, control: ControlFlow, divergence: DivergenceResult, target: BasicBlockId) -> Slice:
        slice_ = cls(function, control, divergence, target, control.iterated_controllers(target))
        slice_._collect()
        return slice_

    def _collect(self) -> None:
        parameters = {parameter.value: parameter.name for parameter in self.function.parameters}
        waiting: list[ValueId] = []
        for block in self.control.order:
            waiting.extend(self.function.blocks[block].terminator.operands)
        while waiting:
            value = waiting.pop()
            if value in self.definitions or value in self.scalar_names:
                continue
            if not isinstance(self.function.types[value], IntegerType | BooleanType):
                continue
            if value in parameters:
                self.scalar_names[value] = parameters[value]
                continue
            item = self.divergence.definition(value)
            if item is not None and isinstance(item, EVALUATED):
                self._add(value, item)
                waiting.extend(item.operands)
        for block in self.control.order:
            instructions = self.function.blocks[block].instructions
            self.bodies[block] = tuple(item for item in instructions if item.result in self.definitions)

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
        self._values: dict[ValueId, int] = dict(launch.scalars)
        self._rounds: dict[BasicBlockId, int] = {}

    def arrivals(self) -> int | None:
        """How often the thread runs the target block; None if that cannot be told."""
        slice_ = self._slice
        block: BasicBlockId = ENTRY
        source: BasicBlockId | None = None
        count = 0
        while True:
            self._enter(block, source)
            count += block == slice_.target
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
        values, function = self._values, self._slice.function
        new: dict[ValueId, int | None] = {}
        for phi in function.blocks[block].phis:
            new[phi.result] = next((values.get(value) for edge, value in phi.incoming if edge == source), None)
        for item in self._slice.bodies[block]:
            assert item.result is not None
            values.pop(item.result, None)
        for result, value in new.items():
            self._set(result, value)
        for item in self._slice.bodies[block]:
            assert item.result is not None
            self._set(item.result, self._evaluate(item))
        self.budget -= 1 + len(new) + len(self._slice.bodies[block])

    def _set(self, result: ValueId, value: int | None) -> None:
        if value is None:
            self._values.pop(result, None)
        else:
            self._values[result] = value

    # -- ways -------------------------------------------------------------------------------------------------------

    def _decide(
        self, block: BasicBlockId, terminator: Branch | Switch
    ) -> tuple[BasicBlockId, BasicBlockId | None] | Stop:
        """The next block and the one it is entered from (None: from somewhere)."""
        slice_ = self._slice
        decided = self._values.get(terminator.operands[0])
        if decided is not None:
            target = _target(terminator, decided)
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
            for inside in cycle.blocks:
                for item in (*self._slice.function.blocks[inside].phis, *self._slice.bodies[inside]):
                    if item.result is not None:
                        self._values.pop(item.result, None)
        return after, None

    def _assume(self, block: BasicBlockId, terminator: Branch | Switch) -> tuple[BasicBlockId, BasicBlockId] | Stop:
        """A uniform decision that is not known: towards the target first, out of its loop in later rounds."""
        slice_ = self._slice
        rounds = self._rounds[block] = self._rounds.get(block, 0) + 1
        control = slice_.control
        around = [cycle for cycle in control.cycles_around(block) if slice_.target in cycle.blocks]
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
            if block == self._slice.target:
                return True
            if block not in seen:
                seen.add(block)
                waiting.extend(self._slice.control.successors[block])
        return False

    # -- values -----------------------------------------------------------------------------------------------------

    def _evaluate(self, item: Instruction) -> int | None:
        assert item.result is not None
        type_ = self._slice.function.types[item.result]
        assert isinstance(type_, IntegerType | BooleanType)
        if isinstance(item, Constant):
            return integers.wrap(int(item.value), type_) if isinstance(item.value, int) else None
        if isinstance(item, ReadSpecial):
            return self._register(item.register)
        if isinstance(item, TemplateArgument):
            return self._launch.scalars.get(item.result)
        operands = [self._values.get(operand) for operand in item.operands]
        known = tuple(operand for operand in operands if operand is not None)
        if isinstance(item, Select):
            condition, if_true, if_false = operands
            return None if condition is None else if_true if condition else if_false
        if len(known) < len(operands):
            return None
        match item:
            case Binary(operator=operator):
                return integers.binary(operator, known[0], known[1], type_)
            case Compare(operator=operator):
                return int(integers.COMPARISONS[operator](known[0], known[1]))
            case Unary(operator=operator):
                return integers.unary(operator, known[0], type_)
            case Convert():
                return integers.wrap(known[0], type_)
            case Math(function=function):
                return integers.math(function, known, type_)
            case _:
                return None

    def _register(self, register: SpecialRegister) -> int | None:
        shape, thread = self._launch.shape, self._thread
        match register:
            case SpecialRegister.THREAD_X:
                return thread % shape.x
            case SpecialRegister.THREAD_Y:
                return thread // shape.x % shape.y
            case SpecialRegister.THREAD_Z:
                return thread // (shape.x * shape.y)
            case SpecialRegister.LANE:
                return thread % self._launch.warp_size
            case SpecialRegister.WARP_SIZE:
                return self._launch.warp_size
            case SpecialRegister.BLOCK_DIM_X:
                return shape.x
            case SpecialRegister.BLOCK_DIM_Y:
                return shape.y
            case SpecialRegister.BLOCK_DIM_Z:
                return shape.z
            case SpecialRegister.BLOCK_X:
                return self._launch.block
            case SpecialRegister.BLOCK_Y | SpecialRegister.BLOCK_Z:
                return 0
            case SpecialRegister.GRID_DIM_X:
                return GRID_BLOCKS
            case SpecialRegister.GRID_DIM_Y | SpecialRegister.GRID_DIM_Z:
                return 1
            case _:
                return None


def _target(terminator: Branch | Switch, decided: int) -> BasicBlockId | None:
    if isinstance(terminator, Branch):
        return terminator.if_true if decided else terminator.if_false
    for case in terminator.cases:
        if case.value is None:
            return None
        if case.value == decided:
            return case.target
    return terminator.default
