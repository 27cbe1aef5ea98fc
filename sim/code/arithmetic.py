"""Code for instructions that compute scalars: operators, comparisons, selection, library functions."""

from __future__ import annotations

from math import isfinite
from typing import Final

from analysis.ir.ids import ValueId
from analysis.ir.instructions import Binary, Compare, Constant, Math, Select, Unary
from analysis.ir.operators import BinaryOperator, CompareOperator, MathFunction, UnaryOperator
from analysis.ir.types import FloatType, Type
from sim.code.writer import Writer
from sim.values.scalars import NoParts, Part

_COMPARISONS: Final = {
    CompareOperator.EQUAL: "==",
    CompareOperator.NOT_EQUAL: "!=",
    CompareOperator.LESS: "<",
    CompareOperator.LESS_EQUAL: "<=",
    CompareOperator.GREATER: ">",
    CompareOperator.GREATER_EQUAL: ">=",
}
_PLAIN: Final = {
    BinaryOperator.ADD: "{a} + {b}",
    BinaryOperator.SUBTRACT: "{a} - {b}",
    BinaryOperator.MULTIPLY: "{a} * {b}",
    BinaryOperator.AND: "{a} & {b}",
    BinaryOperator.OR: "{a} | {b}",
    BinaryOperator.XOR: "{a} ^ {b}",
    BinaryOperator.LOGICAL_AND: "{a} & {b}",
    BinaryOperator.LOGICAL_OR: "{a} | {b}",
}
_INTEGER: Final = {
    BinaryOperator.DIVIDE: "divide({a}, {b})",
    BinaryOperator.REMAINDER: "remainder({a}, {b})",
    BinaryOperator.SHIFT_LEFT: "shift_left({a}, {b})",
    BinaryOperator.SHIFT_RIGHT: "shift_right({a}, {b})",
}
_FLOAT: Final = {BinaryOperator.DIVIDE: "{a} / {b}", BinaryOperator.REMAINDER: "np.fmod({a}, {b})"}
_BFLOAT16: Final = {
    BinaryOperator.MULTIPLY: "multiply_bfloat16({a}, {b})",
    BinaryOperator.DIVIDE: "divide_bfloat16({a}, {b})",
}


def constant(writer: Writer, instruction: Constant) -> None:
    parts = writer.parts(instruction.result)
    value = instruction.value
    if value is None:
        raise NoParts("a constant whose value is not known")
    if isinstance(value, str):
        writer.unit.imports[f"string_{instruction.result}"] = f"m.string({value!r})"
        writer.set(instruction.result, [f"string_{instruction.result}"])
        return
    writer.set(instruction.result, [literal(part, value) for part in parts])


def literal(part: Part, value: int | float | bool) -> str:
    """A NumPy scalar of exactly the part's type."""
    if part.held == "b1":
        return f"b1({bool(value)})"
    if part.held[0] == "f":
        number = float(value)
        text = f"{part.held}({number!r})" if isfinite(number) else f"{part.held}('{number}')"
        return f"to_bfloat16({text})" if part.is_bfloat16 else text
    bits = 8 * part.width
    pattern = int(value) & ((1 << bits) - 1)
    if part.held[0] == "i" and pattern >> (bits - 1):
        pattern -= 1 << bits
    return f"{part.held}({pattern})"


def unary(writer: Writer, instruction: Unary) -> None:
    names = writer.read(instruction.operand)
    parts = writer.parts(instruction.result)
    match instruction.operator:
        case UnaryOperator.NEGATE:
            template = "-{a}"
        case UnaryOperator.COMPLEMENT:
            template = "~{a}"
        case UnaryOperator.LOGICAL_NOT:
            template = "~{a}" if parts[0].held == "b1" else "({a} == 0).astype({t})"
    writer.set(instruction.result, [template.format(a=a, t=part.held) for a, part in zip(names, parts, strict=True)])


def binary(writer: Writer, instruction: Binary) -> None:
    parts = writer.parts(instruction.result)
    left, right = writer.read(instruction.left), writer.read(instruction.right)
    if len(right) == 1:
        right *= len(left)
    expressions = [
        rounded(part, _operation(instruction.operator, part).format(a=a, b=b))
        for part, a, b in zip(parts, left, right, strict=True)
    ]
    writer.set(instruction.result, expressions)


def _operation(operator: BinaryOperator, part: Part) -> str:
    if part.is_bfloat16 and operator in _BFLOAT16:
        return _BFLOAT16[operator]
    plain = _PLAIN.get(operator)
    if plain is not None:
        return plain
    table = _FLOAT if isinstance(part.type, FloatType) else _INTEGER
    if operator not in table:
        raise NoParts(f"{operator.value} of floating-point numbers")
    return table[operator]


def rounded(part: Part, expression: str) -> str:
    return f"to_bfloat16({expression})" if part.is_bfloat16 else expression


def compare(writer: Writer, instruction: Compare) -> None:
    left, right = writer.read(instruction.left), writer.read(instruction.right)
    operator = instruction.operator
    pairs = [f"({a} {_COMPARISONS[operator]} {b})" for a, b in zip(left, right, strict=True)]
    if len(pairs) > 1 and operator not in (CompareOperator.EQUAL, CompareOperator.NOT_EQUAL):
        raise NoParts("an order of aggregates")
    joined = (" | " if operator is CompareOperator.NOT_EQUAL else " & ").join(pairs)
    writer.set(instruction.result, [joined])


def select(writer: Writer, instruction: Select) -> None:
    condition = writer.read_one(instruction.condition)
    choices = zip(writer.read(instruction.if_true), writer.read(instruction.if_false), strict=True)
    writer.set(instruction.result, [f"np.where({condition}, {a}, {b})" for a, b in choices])


# -- library functions ----------------------------------------------------------------------------------------------

_CONVERSIONS: Final = {
    MathFunction.CONVERT_ROUND,
    MathFunction.CONVERT_FLOOR,
    MathFunction.CONVERT_CEIL,
    MathFunction.CONVERT_TRUNC,
}
_BY_RESULT: Final = _CONVERSIONS | {
    MathFunction.BIT_FIELD_EXTRACT,
    MathFunction.RANDOM_SEED,
    MathFunction.RANDOM_ADVANCE,
    MathFunction.RANDOM_BITS,
    MathFunction.RANDOM_UNIFORM,
    MathFunction.RANDOM_NORMAL,
    MathFunction.RANDOM_LOG_NORMAL,
    MathFunction.RANDOM_POISSON,
    MathFunction.NAN,
}
"""Functions that need to know the result's type; they get it as first argument."""
_KEEPS_OPERANDS: Final = {
    MathFunction.LDEXP,
    MathFunction.POWER,
    MathFunction.BESSEL_JN,
    MathFunction.BESSEL_YN,
    MathFunction.DIRECTED_ADD,
    MathFunction.DIRECTED_MULTIPLY,
    MathFunction.DIRECTED_DIVIDE,
    MathFunction.DIRECTED_SQRT,
    MathFunction.DIRECTED_FUSED_MULTIPLY_ADD,
}
_SPACES: Final = {
    MathFunction.IS_GLOBAL: "global",
    MathFunction.IS_SHARED: "shared",
    MathFunction.IS_CONSTANT: "constant",
    MathFunction.IS_LOCAL: "local",
}
_REFUSED: Final = {
    MathFunction.RANDOM_DISCRETE: "a discrete random distribution",
}


def math(writer: Writer, instruction: Math) -> None:
    function = instruction.function
    if function in _REFUSED:
        raise NoParts(_REFUSED[function])
    parts = writer.parts(instruction.result)
    if function is MathFunction.IS_CONSTANT_EVALUATED:
        writer.set(instruction.result, [literal(part, False) for part in parts])
        return
    operands = [writer.read(argument) for argument in instruction.arguments]
    if function in _SPACES:
        writer.set(instruction.result, [f"m.is_in({operands[0][0]}, {_SPACES[function]!r}).astype({parts[0].held})"])
        return
    expressions: list[str] = []
    for index, part in enumerate(parts):
        names = [
            _as_operand(writer, function, argument, names[index if len(names) > 1 else 0], part)
            for argument, names in zip(instruction.arguments, operands, strict=True)
        ]
        if function in _BY_RESULT:
            names.insert(0, "BFLOAT16" if part.is_bfloat16 and function in _CONVERSIONS else part.held)
        name = f"math_{function.name.lower()}"
        if part.is_bfloat16 and function is MathFunction.FUSED_MULTIPLY_ADD:
            name = "fused_multiply_add_bfloat16"
        call = f"as_kind({name}({', '.join(names)}), {part.held})"
        expressions.append(rounded(part, call))
    writer.set(instruction.result, expressions)


def _as_operand(writer: Writer, function: MathFunction, argument: ValueId, name: str, result: Part) -> str:
    """An integer operand of a function with a floating-point result is converted, as C does."""
    type: Type = writer.type_of(argument)
    is_number = isinstance(result.type, FloatType)
    if is_number and not isinstance(type, FloatType) and function not in _KEEPS_OPERANDS | _BY_RESULT:
        held = writer.parts(argument)[0].held
        return f"{name}.astype({result.held})" if held != result.held else name
    return name
