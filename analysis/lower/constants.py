"""Constant expressions: what is known at compile time.

Question  Which number, or which object, does this expression have, without running the program?
Rules     None is "not known", never an error: an unknown name, an unbound template parameter, a division by zero.
          The machine of `analysis/cpp/constants` evaluates what is more than a literal or a name; `evaluation.py` tells
          it what the names of the unit mean.
"""

from __future__ import annotations

from typing import Final

from analysis.cpp.constants import arithmetic
from analysis.cpp.constants.values import NotConstant
from analysis.cpp.literals import Literal, character_literal, number_literal
from analysis.cpp.types.model import Fundamental, FundamentalType, QualType, fundamental
from analysis.ir.types import BOOLEAN
from analysis.lower.constant_values import Constant, ConstantName, ConstantObject
from analysis.lower.conversions import is_arithmetic
from analysis.lower.cpp_types import ir_type, of_library
from analysis.lower.names import (
    BuiltinName,
    DeclaredType,
    Entity,
    GlobalDeclaration,
    GlobalVariable,
    LocalVariable,
    Scope,
)
from analysis.syntax.tree import Node


def evaluate(scope: Scope, node: Node, *, is_required: bool = True) -> ConstantName | None:
    """The value and type of a constant expression that is a number, or None.

    `is_required`: whether the program must have a constant here; a function that asks for that may answer otherwise.
    """
    found = evaluate_any(scope, node, is_required=is_required)
    return found if isinstance(found, ConstantName) else None


def evaluate_any(scope: Scope, node: Node, *, is_required: bool = True) -> Constant | None:
    """The value of a constant expression of any type, or None."""
    match node.kind:
        case "identifier" | "type_identifier":
            entity = scope.find(node.text.decode("utf-8", "replace"))
            return entity_constant(entity) or object_of(entity)
        case "parenthesized_expression" if len(node.children) == 1:
            return evaluate_any(scope, node.children[0], is_required=is_required)
        case "binary_expression":
            known = _computed(node)
            if known is not None:
                return _constant(known)
            return scope.program.evaluate(scope, node, is_required=is_required)
        case _:
            return literal(node) or scope.program.evaluate(scope, node, is_required=is_required)


def _computed(node: Node) -> Literal | None:
    """What a binary operator makes of numbers that are spelled out, as macros leave them in most bounds of arrays.

    None for all else, and where it is not defined: the machine knows more, and takes ten times as long.
    """
    if node.kind == "number_literal":
        return number_literal(node.text)
    if node.kind == "parenthesized_expression" and len(node.children) == 1:
        return _computed(node.children[0])
    left, sign, right = node.three("left", "operator", "right")
    if node.kind != "binary_expression" or left is None or sign is None or right is None:
        return None
    one = _computed(left)
    other = None if one is None else _computed(right)
    if one is None or other is None:
        return None
    try:
        return Literal(*arithmetic.binary(sign.kind, one.value, one.type, other.value, other.type))
    except NotConstant:
        return None


def reads_variable(scope: Scope, node: Node) -> bool:
    """Whether the value of a variable of the thread, or a register, is a part of the expression: no constant has one.

    False says nothing: only arithmetic on numbers is looked through, which takes less than to evaluate it in vain.
    """
    return _reads(scope, node) is True


def _reads(scope: Scope, node: Node) -> bool | None:
    """None for all that is not known to be a number, on which an operator may be a function."""
    match node.kind:
        case "number_literal":
            return False
        case "parenthesized_expression" if len(node.children) == 1:
            return _reads(scope, node.children[0])
        case "identifier":
            entity = scope.find(node.text.decode("utf-8", "replace"))
            exact = entity.declared.exact if isinstance(entity, LocalVariable) else None
            if not isinstance(entity, LocalVariable) or exact is None or not isinstance(exact.type, FundamentalType):
                return None
            return entity.constant is None
        case "field_expression":
            argument = node.field("argument")
            is_name = argument is not None and argument.kind == "identifier"
            entity = scope.find(argument.text.decode("utf-8", "replace")) if argument is not None and is_name else None
            return True if isinstance(entity, BuiltinName) and entity.builtin.registers else None
        case "binary_expression":
            left, sign, right = node.three("left", "operator", "right")
            if left is None or sign is None or right is None or sign.kind not in _ARITHMETIC:
                return None
            one, other = _reads(scope, left), _reads(scope, right)
            return None if one is None or other is None else one or other
        case _:
            return None


def literal(node: Node) -> ConstantName | None:
    """The value of a literal that is a number or a boolean."""
    match node.kind:
        case "number_literal":
            known = number_literal(node.text)
            return None if known is None else _constant(known)
        case "char_literal":
            return _constant(character_literal(node.text))
        case "true" | "false":
            return _TRUE if node.kind == "true" else _FALSE
        case _:
            return None


def _constant(literal: Literal) -> ConstantName:
    return ConstantName(literal.value, ir_type(literal.type), literal.type)


def constant_integer(scope: Scope, node: Node) -> int | None:
    """The integer an array extent, a case label or an enumerator has."""
    constant = evaluate(scope, node)
    return None if constant is None or isinstance(constant.value, float) else int(constant.value)


def initial_value(scope: Scope, declared: DeclaredType, value: Node | None) -> Constant | None:
    """What a variable holds that is initialised with `= value`, `(arguments)` or `{list}`; as `T x{}` without any."""
    return scope.program.initial_constant(scope, declared, value)


# -- names -------------------------------------------------------------------------------------------------------------


def entity_constant(entity: Entity | None) -> ConstantName | None:
    """The number a name stands for."""
    match entity:
        case ConstantName():
            return entity
        case LocalVariable(constant=constant) if constant is not None:
            return ConstantName(constant, entity.declared.type, object_type(entity.declared))
        case GlobalVariable(declaration=declaration):
            return declaration.constant
        case BuiltinName(builtin=builtin):
            known = builtin.constant if not builtin.registers else None
            return (
                None
                if known is None or isinstance(known, str)
                else ConstantName(known, builtin.type, of_library(builtin.type))
            )
        case _:
            return None


def object_type(declared: DeclaredType) -> QualType | None:
    """The C++ type of what is declared so, which a reference refers to; None where it is not known."""
    return None if declared.exact is None else declared.exact.object


def object_of(entity: Entity | None) -> ConstantObject | None:
    """The constant object that a name stands for."""
    match entity:
        case ConstantObject():
            return entity
        case LocalVariable():
            return entity.object
        case GlobalVariable(declaration=declaration):
            return declared_object(declaration)
        case _:
            return None


def declared_object(declaration: GlobalDeclaration) -> ConstantObject | None:
    """What a `constexpr` variable outside functions holds."""
    if declaration.is_constexpr and not declaration.is_read:
        declaration.is_read = True  # asked again from inside: not known
        if not is_arithmetic(declaration.declared.type):
            found = initial_value(declaration.scope, declaration.declared, declaration.value)
            declaration.contents = found if isinstance(found, ConstantObject) else None
    return declaration.contents


def declare_object(scope: Scope, name: str, value: Node) -> None:
    """Notes what the `constexpr` local variable `name` holds, if that is an object or array."""
    variable = scope.names.get(name)
    if isinstance(variable, LocalVariable) and not is_arithmetic(variable.declared.type):
        found = initial_value(scope, variable.declared, value)
        variable.object = found if isinstance(found, ConstantObject) else None


_ARITHMETIC: Final = frozenset({"+", "-", "*", "/", "%", "<<", ">>", "&", "|", "^"})
_TRUE: Final = ConstantName(True, BOOLEAN, fundamental(Fundamental.BOOL))
_FALSE: Final = ConstantName(False, BOOLEAN, fundamental(Fundamental.BOOL))
