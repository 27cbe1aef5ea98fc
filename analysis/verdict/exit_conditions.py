"""Which comparisons decide in a round whether lanes of a warp leave a loop apart?

Rules     backwards from the conditions of exits, and of what decides in the loop whether lanes come to them, through
          and, or, not, joins and what decides there: what is left is compared, loaded or not understood.
Cost      O(values of the conditions), at most `MAX_VALUES`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final, final

from analysis.divergence.levels import Level
from analysis.divergence.result import DivergenceResult
from analysis.graph.control_flow import ControlFlow
from analysis.graph.cycles import Cycle
from analysis.ir.function import Function
from analysis.ir.ids import BasicBlockId, ValueId
from analysis.ir.instructions import Binary, Constant, Instruction, Phi, Select, Unary
from analysis.ir.types import BooleanType

MAX_VALUES: Final = 400


@final
class ExitConditions:
    """Answers about the loops of one function."""

    def __init__(self, function: Function, control: ControlFlow, divergence: DivergenceResult) -> None:
        self._function = function
        self._control = control
        self._divergence = divergence

    def of(self, cycle: Cycle, exits: Iterable[BasicBlockId]) -> tuple[Instruction, ...] | None:
        """What lanes differ in that is computed in the loop; None where that is too much."""
        waiting = [read for block in exits for read in self._decided(block, cycle)]
        found: list[Instruction] = []
        done: set[ValueId] = set()
        while waiting and len(done) < MAX_VALUES:
            value, reader = waiting.pop()
            home, item = self._divergence.home(value), self._divergence.definition(value)
            is_shared = self._divergence.use_level(value, reader) <= Level.WARP
            if value in done or item is None or home not in cycle.blocks or is_shared:
                continue
            done.add(value)
            match item:
                case Phi(incoming=incoming):
                    waiting += [(taken, source) for source, taken in incoming]
                    waiting += [read for source, _ in incoming for read in self._decided(source, cycle)]
                case Binary() | Unary() | Select() if all(map(self._is_truth, item.operands)):
                    waiting += [(one, home) for one in item.operands]
                case Constant():
                    pass
                case _:
                    found.append(item)
        self._control.spend(len(done))
        return None if waiting else tuple(found)

    def _is_truth(self, value: ValueId) -> bool:
        return isinstance(self._function.types[value], BooleanType)

    def _decided(self, block: BasicBlockId, cycle: Cycle) -> Iterator[tuple[ValueId, BasicBlockId]]:
        for decider in sorted({block, *self._control.controllers(block)} & cycle.blocks):
            yield from ((value, decider) for value in self._function.blocks[decider].terminator.operands)
