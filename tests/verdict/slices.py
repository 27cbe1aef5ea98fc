"""What decides about a value."""

from __future__ import annotations

from analysis.divergence.result import DivergenceResult
from analysis.graph.control_flow import ControlFlow
from analysis.ir.ids import ValueId
from analysis.ir.instructions import Phi


def decided_with(control: ControlFlow, divergence: DivergenceResult, value: ValueId) -> set[ValueId]:
    """What decides about the value, through data and through the branches above the phis on the way."""
    found = {value}
    waiting = [value]
    while waiting:
        item = divergence.definition(waiting.pop())
        operands = list(item.operands) if item is not None else []
        if isinstance(item, Phi):
            for source, _ in item.incoming:
                for block in (source, *control.iterated_controllers(source)):
                    operands.extend(divergence.function.blocks[block].terminator.operands)
        waiting.extend(operand for operand in operands if operand not in found)
        found.update(operands)
    return found
