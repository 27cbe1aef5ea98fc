"""How many instructions and operands are scalar in disguise, by Collange's tags: constant, uniform, affine, unknown.

Source  Collange, Defour, Zhang, HPPC 2009; Collange, "Identifying scalar behavior in CUDA kernels", 2011.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from typing import assert_never, final

from analysis.affine.collange import Affine, Bottom, CollangeTag, ConstantTag, Uniform, Unknown
from analysis.affine.result import AffineResult
from analysis.graph.control_flow import ControlFlow
from analysis.ir.function import Function
from analysis.ir.ids import ValueId
from analysis.ir.record import record


class TagKind(Enum):
    """The letters of the lattice."""

    CONSTANT = "C"
    UNIFORM = "U"
    AFFINE = "A"
    UNKNOWN = "K"


@final
@record
class CollangeShares:
    """Of the intermediate representation: `results` of instructions that are not constants, `operands` of all."""

    results: Mapping[TagKind, int]
    operands: Mapping[TagKind, int]


def collange_shares(function: Function, control: ControlFlow, affine: AffineResult) -> CollangeShares:
    kinds: dict[ValueId, TagKind] = {}

    def kind(value: ValueId) -> TagKind:
        known = kinds.get(value)
        if known is None:
            known = kinds[value] = _kind(affine.collange(value))
        return known

    results, operands = dict.fromkeys(TagKind, 0), dict.fromkeys(TagKind, 0)
    for block in control.order:
        own = function.blocks[block]
        for item in (*own.instructions, own.terminator):
            for operand in item.operands:
                operands[kind(operand)] += 1
        for instruction in own.instructions:
            if instruction.result is not None and instruction.operands:
                results[kind(instruction.result)] += 1
    return CollangeShares(results, operands)


def _kind(tag: CollangeTag) -> TagKind:
    match tag:
        case ConstantTag() | Bottom():
            return TagKind.CONSTANT
        case Uniform():
            return TagKind.UNIFORM
        case Affine():
            return TagKind.AFFINE
        case Unknown():
            return TagKind.UNKNOWN
        case _:
            assert_never(tag)
