"""The same instruction over other operands, by position.

`renamed` maps values to values; melding chooses each operand on its own: `a + a` and `b + c` have the same value at
two places of one side, and different values at the other.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from analysis.ir.ids import ValueId
from analysis.ir.instructions import (
    Atomic,
    Binary,
    Bitcast,
    BuildAggregate,
    Compare,
    Convert,
    ElementAddress,
    ExtractElement,
    FieldAddress,
    InsertElement,
    Instruction,
    Load,
    Math,
    PointerDifference,
    ReadSpecial,
    Select,
    Store,
    Unary,
)


def with_instruction_operands(instruction: Instruction, operands: Sequence[ValueId]) -> Instruction:
    """The instruction with `operands` in the order of its own; only for kinds that can be melded."""
    match instruction:
        case Unary() | Convert() | Bitcast():
            return replace(instruction, operand=operands[0])
        case ReadSpecial():
            return instruction
        case Binary() | Compare() | PointerDifference():
            return replace(instruction, left=operands[0], right=operands[1])
        case Select():
            return replace(instruction, condition=operands[0], if_true=operands[1], if_false=operands[2])
        case Math():
            return replace(instruction, arguments=tuple(operands))
        case BuildAggregate():
            return replace(instruction, elements=tuple(operands))
        case ExtractElement():
            return replace(instruction, aggregate=operands[0])
        case InsertElement():
            return replace(instruction, aggregate=operands[0], value=operands[1])
        case ElementAddress():
            return replace(instruction, base=operands[0], index=operands[1])
        case FieldAddress():
            return replace(instruction, base=operands[0])
        case Load():
            return replace(instruction, address=operands[0])
        case Store():
            return replace(instruction, address=operands[0], value=operands[1])
        case Atomic():
            return replace(instruction, address=operands[0], arguments=tuple(operands[1:]))
        case _:
            raise AssertionError(f"{type(instruction).__name__} is never melded")
