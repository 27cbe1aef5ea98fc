"""One thread's way through a function, as far as integers decide it: how often does it come to a block?"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from typing import TypeAlias, final

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
from analysis.verdict.evaluation import Evaluate, Launch, evaluator

EVALUATED = (Binary, Compare, Unary, Convert, Select, Math, Constant, ReadSpecial, TemplateArgument, Phi)
BLOCK_INDICES = (SpecialRegister.BLOCK_X, SpecialRegister.BLOCK_Y, SpecialRegister.BLOCK_Z)

Step: TypeAlias = tuple[ValueId, Evaluate]
"""A value of the slice, and how it is computed."""
Given: TypeAlias = tuple[tuple[ValueId, ValueId | None], ...]
"""Phis with the value that each takes."""


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
    bodies: dict[BasicBlockId, tuple[Step, ...]] = field(default_factory=dict[BasicBlockId, "tuple[Step, ...]"])
    given: dict[tuple[BasicBlockId, BasicBlockId | None], Given] = field(
        default_factory=dict[tuple[BasicBlockId, "BasicBlockId | None"], "Given"]
    )
    """For each way into a block what its phis take; filled by the walks."""
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
            self.bodies[block] = tuple(self._step(item) for item in instructions if item.result in self.definitions)

    def _step(self, item: Instruction) -> Step:
        assert item.result is not None
        type_ = self.function.types[item.result]
        assert isinstance(type_, IntegerType | BooleanType)
        return item.result, evaluator(item, type_)

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
        values, launch, thread = self._values, self._launch, self._thread
        new = [(result, None if given is None else values.get(given)) for result, given in self._phis(block, source)]
        for result, value in new:
            if value is None:
                values.pop(result, None)
            else:
                values[result] = value
        body = self._slice.bodies[block]
        for result, evaluate in body:
            value = evaluate(values, launch, thread)
            if value is None:
                values.pop(result, None)
            else:
                values[result] = value
        self.budget -= 1 + len(new) + len(body)

    def _phis(self, block: BasicBlockId, source: BasicBlockId | None) -> Given:
        """What each phi of the block takes when it is entered from `source`."""
        known = self._slice.given.get((block, source))
        if known is None:
            phis = self._slice.function.blocks[block].phis
            known = tuple((phi.result, next((v for edge, v in phi.incoming if edge == source), None)) for phi in phis)
            self._slice.given[block, source] = known
        return known

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
                for phi in self._slice.function.blocks[inside].phis:
                    self._values.pop(phi.result, None)
                for result, _ in self._slice.bodies[inside]:
                    self._values.pop(result, None)
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


def _target(terminator: Branch | Switch, decided: int) -> BasicBlockId | None:
    if isinstance(terminator, Branch):
        return terminator.if_true if decided else terminator.if_false
    for case in terminator.cases:
        if case.value is None:
            return None
        if case.value == decided:
            return case.target
    return terminator.default
