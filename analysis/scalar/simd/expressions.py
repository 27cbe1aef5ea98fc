"""Instructions as expressions over vectors, in the words of NumPy where it has them.

`div`, `rem`, `shl` and `shr` are C's operations; `i32(x)` and its like convert; `load(mask, type, address)` and
`store(mask, type, address, value)` take addresses in bytes; `shared("tile#0")` and `local("t#1")` are where arrays
begin; `first(mask, x)` is what the first lane of a mask holds.  Local memory is that of each lane: a scalar address in
it is the same place in all of them.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Final

from analysis.ir.function import Function, SymbolKind
from analysis.ir.ids import ValueId
from analysis.ir.instructions import (
    Binary,
    Bitcast,
    Compare,
    Constant,
    Convert,
    ElementAddress,
    Instruction,
    Load,
    Math,
    ReadSpecial,
    Select,
    SymbolAddress,
    Unary,
    Undefined,
)
from analysis.ir.operators import BinaryOperator, CompareOperator, MathFunction, SpecialRegister, UnaryOperator
from analysis.ir.types import BooleanType, FloatFormat, FloatType, IntegerType, PointerType, Type
from analysis.lower.layouts import size_of

Name = Callable[[ValueId], str]


def element_name(type: Type) -> str | None:
    """`i32`, `u8`, `f32`, `bool`; pointers are `i64`; None for what does not fit a lane of a vector."""
    match type:
        case BooleanType():
            return "bool"
        case IntegerType(bits=bits, signed=signed) if bits <= 64:
            return f"{'i' if signed else 'u'}{bits}"
        case FloatType(format=FloatFormat.SINGLE | FloatFormat.DOUBLE):
            return type.format.value
        case PointerType():
            return "i64"
        case _:
            return None


def constant_text(value: float | bool | str | None) -> str | None:
    """A literal; None for strings."""
    if value is None:
        return "0"
    if isinstance(value, str):
        return None
    if isinstance(value, float) and not math.isfinite(value):
        return f'float("{value}")'
    return repr(value)


def expression(instruction: Instruction, function: Function, name: Name, mask: str) -> str | None:
    """What an instruction computes, for the lanes of a mask; None where that has no form."""
    match instruction:
        case Constant(value=value):
            return constant_text(value)
        case Undefined():
            return "0"
        case ReadSpecial(register=register):
            return _SPECIAL.get(register)
        case SymbolAddress(symbol=symbol):
            found = function.symbol(symbol)
            word = _PLACES.get(found.kind)
            return None if word is None else f'{word}("{found.name}#{symbol}")'
        case Unary(operator=operator, operand=operand):
            is_boolean = isinstance(function.type_of(operand), BooleanType)
            return None if (word := _unary(operator, is_boolean)) is None else f"{word}{name(operand)}"
        case Binary():
            return _binary(instruction, function, name)
        case Compare(operator=operator, left=left, right=right):
            return f"{name(left)} {_COMPARISONS[operator]} {name(right)}"
        case Select(condition=condition, if_true=one, if_false=other):
            return f"where({name(condition)}, {name(one)}, {name(other)})"
        case Convert(result=result, operand=operand):
            return _converted(function.type_of(result), function.type_of(operand), name(operand))
        case Bitcast(result=result, operand=operand):
            both = isinstance(function.type_of(result), PointerType), isinstance(function.type_of(operand), PointerType)
            return name(operand) if all(both) else None
        case Math(function=called, arguments=arguments):
            word = _FUNCTIONS.get(called)
            return None if word is None else f"{word}({', '.join(map(name, arguments))})"
        case ElementAddress(result=result, base=base, index=index):
            type = function.type_of(result)
            size = size_of(type.element, function.structs) if isinstance(type, PointerType) else None
            return None if size is None else f"{name(base)} + {size} * i64({name(index)})"
        case Load(result=result, address=address):
            element = element_name(function.type_of(result))
            return None if element is None else f"load({mask}, {element}, {name(address)})"
        case _:
            return None


def _unary(operator: UnaryOperator, is_boolean: bool) -> str | None:
    return "~" if is_boolean else _UNARY.get(operator)


def _binary(instruction: Binary, function: Function, name: Name) -> str | None:
    type = function.type_of(instruction.result)
    left, right = name(instruction.left), name(instruction.right)
    word = _CALLED.get(instruction.operator)
    if instruction.operator is BinaryOperator.DIVIDE and isinstance(type, FloatType):
        return f"{left} / {right}"
    if word is not None and isinstance(type, FloatType):
        return None
    return f"{word}({left}, {right})" if word is not None else f"{left} {_INFIX[instruction.operator]} {right}"


def _converted(to: Type, source: Type, text: str) -> str | None:
    word, of = element_name(to), element_name(source)
    return None if word is None or of is None else f"{word}({text})"


_SPECIAL: Final = {
    register: register.value.replace(".", "_")
    for register in SpecialRegister
    if register.value.split(".")[0] in ("thread", "block", "block_dim", "grid_dim", "lane", "warp_size")
}
_PLACES: Final = {SymbolKind.SHARED: "shared", SymbolKind.LOCAL: "local"}
_UNARY: Final = {operator: word for operator in UnaryOperator if (word := {"neg": "-", "not": "~"}.get(operator.value))}
_CALLED: Final = {
    BinaryOperator.DIVIDE: "div",
    BinaryOperator.REMAINDER: "rem",
    BinaryOperator.SHIFT_LEFT: "shl",
    BinaryOperator.SHIFT_RIGHT: "shr",
}
_INFIX: Final = {
    BinaryOperator.ADD: "+",
    BinaryOperator.SUBTRACT: "-",
    BinaryOperator.MULTIPLY: "*",
    BinaryOperator.AND: "&",
    BinaryOperator.OR: "|",
    BinaryOperator.XOR: "^",
    BinaryOperator.LOGICAL_AND: "&",
    BinaryOperator.LOGICAL_OR: "|",
}
_COMPARISONS: Final = {
    CompareOperator.EQUAL: "==",
    CompareOperator.NOT_EQUAL: "!=",
    CompareOperator.LESS: "<",
    CompareOperator.LESS_EQUAL: "<=",
    CompareOperator.GREATER: ">",
    CompareOperator.GREATER_EQUAL: ">=",
}
_FUNCTIONS: Final = {
    called: word
    for called in MathFunction
    if (word := {"sqrt": "sqrt", "fabs": "abs", "abs": "abs", "min": "minimum", "max": "maximum"}.get(called.value))
}
