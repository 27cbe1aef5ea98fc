"""Constant expressions: what is known at compile time.

Question  Which number does this expression have, without running anything?
Rules     None is "not known", never an error: an unknown name, an unbound template parameter, a division by zero.
          Types follow C's conversions, so that `1u - 2` wraps.
          `evaluate_any` also knows objects of classes and arrays; their members are numbers for `evaluate`.
Limits    `lookup.py` adds what needs types: casts, `sizeof`, qualified names; `constant_objects.py` adds objects and
          their members, `constant_calls.py` calls of `constexpr` functions.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Final, TypeAlias

from analysis.ir.types import BOOLEAN, U64, FloatType, IntegerType, PointerType, Type
from analysis.lower.constant_values import Constant
from analysis.lower.conversions import (
    ConstantValue,
    arithmetic_type,
    character_literal,
    number_literal,
    promoted,
    rounded,
    wrapped,
)
from analysis.lower.names import BuiltinName, ConstantName, Entity, GlobalVariable, LocalVariable, Scope
from analysis.syntax.tree import Node

Evaluate: TypeAlias = Callable[[Scope, Node], ConstantName | None]
EvaluateAny: TypeAlias = Callable[[Scope, Node], Constant | None]

OBJECTS: Final[dict[str, EvaluateAny]] = {}
"""By kind of node: expressions that may be objects."""


def evaluate(scope: Scope, node: Node) -> ConstantName | None:
    """The value and type of a constant expression, or None."""
    handler = EVALUATORS.get(node.kind)
    return None if handler is None else handler(scope, node)


def evaluate_any(scope: Scope, node: Node) -> Constant | None:
    """The value of a constant expression of any type, or None."""
    handler = OBJECTS.get(node.kind)
    return evaluate(scope, node) if handler is None else handler(scope, node)


def evaluates_objects(*kinds: str) -> Callable[[EvaluateAny], EvaluateAny]:
    """Registers what may give an object for these kinds of nodes; where it gives a number, `evaluate` does too."""

    def register(handler: EvaluateAny) -> EvaluateAny:
        def number(scope: Scope, node: Node) -> ConstantName | None:
            found = handler(scope, node)
            return found if isinstance(found, ConstantName) else None

        for kind in kinds:
            OBJECTS[kind] = handler
            EVALUATORS[kind] = number
        return handler

    return register


def constant_integer(scope: Scope, node: Node) -> int | None:
    """The integer an array extent, a case label or an enumerator has."""
    constant = evaluate(scope, node)
    return None if constant is None or isinstance(constant.value, float) else int(constant.value)


def entity_constant(entity: Entity | None) -> ConstantName | None:
    """The constant a name stands for."""
    if isinstance(entity, ConstantName):
        return entity
    if isinstance(entity, LocalVariable) and entity.constant is not None:
        return ConstantName(entity.constant, entity.declared.type)
    if isinstance(entity, GlobalVariable):
        return entity.declaration.constant
    if isinstance(entity, BuiltinName):
        builtin = entity.builtin
        known = builtin.constant if not builtin.registers else None
        return None if known is None or isinstance(known, str) else ConstantName(known, builtin.type)
    return None


def apply_binary(spelling: str, left: ConstantName, right: ConstantName) -> ConstantName | None:
    """`left spelling right` in C's arithmetic."""
    shift = spelling in ("<<", ">>")
    type = promoted(left.type) if shift else arithmetic_type(left.type, right.type)
    compare = _COMPARISONS.get(spelling)
    first, second = rounded(wrapped(left.value, type), type), rounded(wrapped(right.value, type), type)
    if compare is not None:
        return ConstantName(bool(compare(first, second)), BOOLEAN)
    if isinstance(type, FloatType):
        floating = _FLOATING.get(spelling)
        found = None if floating is None else _checked(floating, first, second, type)
        return None if found is None else ConstantName(rounded(found.value, type), type)
    if isinstance(type, IntegerType) and isinstance(first, int) and isinstance(second, int):
        if shift and not 0 <= second < type.bits:
            return None
        integer = _INTEGER.get(spelling)
        return None if integer is None else _checked(integer, first, second, type)
    return None


def _checked(
    function: Callable[..., ConstantValue], left: ConstantValue, right: ConstantValue, type: Type
) -> ConstantName | None:
    try:
        return ConstantName(wrapped(function(left, right), type), type)
    except (ZeroDivisionError, OverflowError, ValueError):
        return None


def _quotient(left: int, right: int) -> int:
    quotient = abs(left) // abs(right)
    return quotient if (left < 0) == (right < 0) else -quotient


def _float_quotient(left: float, right: float) -> float:
    return left / right


def _remainder(left: int, right: int) -> int:
    return left - right * _quotient(left, right)


def _number(scope: Scope, node: Node) -> ConstantName | None:
    literal = number_literal(node.text)
    return None if literal is None else ConstantName(*literal)


def _character(scope: Scope, node: Node) -> ConstantName | None:
    return ConstantName(*character_literal(node.text))


def _true(scope: Scope, node: Node) -> ConstantName | None:
    return ConstantName(True, BOOLEAN)


def _false(scope: Scope, node: Node) -> ConstantName | None:
    return ConstantName(False, BOOLEAN)


def _name(scope: Scope, node: Node) -> ConstantName | None:
    return entity_constant(scope.find(node.text.decode("utf-8", "replace")))


def _parenthesized(scope: Scope, node: Node) -> ConstantName | None:
    return evaluate(scope, node.children[0]) if len(node.children) == 1 else None


def _unary(scope: Scope, node: Node) -> ConstantName | None:
    argument, sign = node.field("argument"), node.field("operator")
    operand = None if argument is None else evaluate(scope, argument)
    if operand is None or sign is None or isinstance(operand.type, PointerType):
        return None
    if sign.kind in ("!", "not"):
        return ConstantName(not operand.value, BOOLEAN)
    type = promoted(operand.type)
    value = wrapped(operand.value, type)
    if sign.kind == "-":
        return ConstantName(wrapped(-value, type), type)
    if sign.kind == "+":
        return ConstantName(value, type)
    if sign.kind in ("~", "compl") and isinstance(value, int):
        return ConstantName(wrapped(-int(value) - 1, type), type)
    return None


def _binary(scope: Scope, node: Node) -> ConstantName | None:
    left_node, sign, right_node = node.field("left"), node.field("operator"), node.field("right")
    if left_node is None or sign is None or right_node is None:
        return None
    left = evaluate(scope, left_node)
    if left is None:
        return None
    if sign.kind in ("&&", "and") and not left.value:
        return ConstantName(False, BOOLEAN)
    if sign.kind in ("||", "or") and left.value:
        return ConstantName(True, BOOLEAN)
    right = evaluate(scope, right_node)
    if right is None:
        return None
    if sign.kind in ("&&", "and", "||", "or"):
        return ConstantName(bool(right.value), BOOLEAN)
    return apply_binary(sign.kind, left, right)


def _conditional(scope: Scope, node: Node) -> ConstantName | None:
    condition = node.field("condition")
    test = None if condition is None else evaluate(scope, condition)
    if test is None:
        return None
    chosen, other = node.field("consequence"), node.field("alternative")
    if not test.value:
        chosen, other = other, chosen
    result = None if chosen is None else evaluate(scope, chosen)
    against = None if other is None else evaluate(scope, other)
    if result is None or against is None:
        return result
    type = arithmetic_type(result.type, against.type) if result.type != against.type else result.type
    return ConstantName(wrapped(result.value, type), type)


def _conjunction(scope: Scope, node: Node) -> ConstantName | None:
    return _combined(scope, node, decisive=False)


def _disjunction(scope: Scope, node: Node) -> ConstantName | None:
    return _combined(scope, node, decisive=True)


def _combined(scope: Scope, node: Node, *, decisive: bool) -> ConstantName | None:
    """`A<T> && B<T>` in a requirement: one side that is `decisive` decides, the other need not be known."""
    values = [evaluate(scope, child) for child in node.children if child.kind in EVALUATORS]
    if any(value is not None and bool(value.value) is decisive for value in values):
        return ConstantName(decisive, BOOLEAN)
    return None if any(value is None for value in values) else ConstantName(not decisive, BOOLEAN)


def _null(scope: Scope, node: Node) -> ConstantName | None:
    return ConstantName(0, U64)


EVALUATORS: Final[dict[str, Evaluate]] = {
    "number_literal": _number,
    "char_literal": _character,
    "true": _true,
    "false": _false,
    "null": _null,
    "identifier": _name,
    "type_identifier": _name,
    "parenthesized_expression": _parenthesized,
    "unary_expression": _unary,
    "binary_expression": _binary,
    "conditional_expression": _conditional,
    "constraint_conjunction": _conjunction,
    "constraint_disjunction": _disjunction,
}
_COMPARISONS: Final[dict[str, Callable[..., bool]]] = {
    "==": operator.eq,
    "!=": operator.ne,
    "not_eq": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
_FLOATING: Final[dict[str, Callable[..., float]]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": _float_quotient,
}
_INTEGER: Final[dict[str, Callable[..., int]]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": _quotient,
    "%": _remainder,
    "&": int.__and__,
    "|": int.__or__,
    "^": int.__xor__,
    "<<": int.__lshift__,
    ">>": int.__rshift__,
}
