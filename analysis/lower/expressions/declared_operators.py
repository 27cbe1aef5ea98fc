"""Whether `&&`, `||`, `!` and `,` are calls of functions that the program declares.

Rules   That is decided before the operands are lowered: both operands of a declared operator are always evaluated.
        Where no such operator is declared anywhere, nothing is asked; where it is not known, it may be one.
Source  C++20 standard, [over.match.oper].
"""

from __future__ import annotations

from collections.abc import Sequence

from analysis.cpp.conversions.model import Argument
from analysis.cpp.expressions.checker import Checker, NoOperator
from analysis.cpp.expressions.model import is_known
from analysis.cpp.expressions.operators import SPELLINGS
from analysis.cpp.types.model import ClassType, DeviceType, EnumerationType
from analysis.lower.context import LoweringContext
from analysis.lower.expression_types import ScopeNames
from analysis.syntax.tree import Node


def is_declared(ctx: LoweringContext, node: Node, sign: str) -> bool:
    """Whether the operator of this expression calls a function, or may do so."""
    sign = SPELLINGS.get(sign, sign)
    if not ctx.program.unit.lookup(f"operator{sign}"):
        return False
    names = ScopeNames(ctx.scope)
    operands: list[Argument] = []
    for operand in _operands(node):
        found = Checker(names).check(operand)
        if not isinstance(found, Argument) or not is_known(found.type):
            return True
        operands.append(found)
    return _has_class(operands) and not isinstance(names.operator(sign, operands), NoOperator)


def _operands(node: Node) -> list[Node]:
    return [found for name in ("left", "argument", "right") if (found := node.field(name)) is not None]


def _has_class(operands: Sequence[Argument]) -> bool:
    return any(isinstance(one.type.type, ClassType | EnumerationType | DeviceType) for one in operands)
