"""How many instructions and operands are scalar in disguise, by Collange's tags: constant, uniform, affine, unknown.

Source  Collange, Defour, Zhang, HPPC 2009; Collange, "Identifying scalar behavior in CUDA kernels", 2011.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from typing import assert_never, final

from analysis.affine.atoms import Axis
from analysis.affine.collange import Affine, Bottom, CollangeTag, ConstantTag, Uniform, Unknown
from analysis.affine.result import AffineResult
from analysis.divergence.launch_shape import LaunchKnowledge
from analysis.graph.control_flow import ControlFlow
from analysis.ir.function import Function
from analysis.ir.ids import ValueId
from analysis.ir.record import record
from analysis.scalar.plan import rows_are_assumed


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


def collange_shares(
    function: Function, control: ControlFlow, launch: LaunchKnowledge, affine: AffineResult
) -> CollangeShares:
    kinds: dict[ValueId, TagKind] = {}

    def kind(value: ValueId) -> TagKind:
        known = kinds.get(value)
        if known is None:
            known = _kind(affine.collange(value))
            if known is TagKind.UNKNOWN and rows_are_assumed(launch) and _grows_along_rows(affine, value):
                known = TagKind.AFFINE
            kinds[value] = known
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


def _grows_along_rows(affine: AffineResult, value: ValueId) -> bool:
    """Is the value affine in the lane where threadIdx.x counts the lanes?"""
    form = affine.form(value)
    return (
        form is not None
        and form.exact
        and all(axis in (Axis.THREAD_X, Axis.LANE) and step.constant is not None for axis, step in form.coefficients)
    )


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
