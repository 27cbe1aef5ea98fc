"""PTX instructions that compute: their result depends on their operands and nothing else.

Rules    The type is the last of the modifiers.  Rounding, flushing and saturation modifiers do not change what is
         computed, except `.sat`.  The carry of `.cc` instructions is kept as a register of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final, TypeAlias

from analysis.ir.ids import ValueId
from analysis.ir.operators import SIMD_OPERATIONS, BinaryOperator, CompareOperator, MathFunction, UnaryOperator
from analysis.ir.types import BOOLEAN, S32, U32, FloatType, IntegerType, Type, VectorType
from analysis.lower.builtins.assembly.machine import PTX_TYPES, Machine, NotUnderstood
from analysis.lower.builtins.assembly.syntax import Pair, PtxInstruction
from analysis.lower.builtins.operations import Operator, build_aggregate, emit_operator

PtxLowering: TypeAlias = Callable[[Machine, PtxInstruction], None]
_B, _M, _C = BinaryOperator, MathFunction, CompareOperator


def types_of(instruction: PtxInstruction) -> list[Type]:
    """The types among the modifiers, in order."""
    return [PTX_TYPES[modifier] for modifier in instruction.modifiers if modifier in PTX_TYPES]


def type_of(instruction: PtxInstruction) -> Type:
    """The type an instruction computes in."""
    types = types_of(instruction)
    if not types:
        raise NotUnderstood
    return types[-1]


def sources(machine: Machine, instruction: PtxInstruction, type: Type) -> list[ValueId]:
    """All operands but the destination, as `type`."""
    return [machine.read(operand, type) for operand in instruction.operands[1:]]


def finish(machine: Machine, instruction: PtxInstruction, value: ValueId) -> None:
    if "sat" in instruction.modifiers and isinstance(machine.builder.type_of(value), FloatType):
        value = machine.emit.math(_M.SATURATE, value)
    machine.write(instruction.operands[0], value)


def _simple(operator: Operator, count: int) -> PtxLowering:
    """`count` operands of the instruction's type; logic on predicates is logic on booleans."""

    def lower(machine: Machine, instruction: PtxInstruction) -> None:
        type = type_of(instruction)
        values = sources(machine, instruction, type)
        if len(values) != count:
            raise NotUnderstood
        used = _ON_PREDICATES.get(operator, operator) if type == BOOLEAN else operator
        finish(machine, instruction, emit_operator(machine.builder, used, tuple(values), type, machine.span))

    return lower


_ON_PREDICATES: Final[Mapping[Operator, Operator]] = {
    _B.AND: _B.LOGICAL_AND,
    _B.OR: _B.LOGICAL_OR,
    UnaryOperator.COMPLEMENT: UnaryOperator.LOGICAL_NOT,
}


def _move(machine: Machine, instruction: PtxInstruction) -> None:
    machine.write(instruction.operands[0], machine.read(instruction.operands[1], type_of(instruction)))


def _copy(machine: Machine, instruction: PtxInstruction) -> None:
    """`cvta`: the address keeps its pointer."""
    machine.write(instruction.operands[0], machine.raw(instruction.operands[1]))


def _wide(type: Type) -> IntegerType:
    if not isinstance(type, IntegerType):
        raise NotUnderstood
    return IntegerType(type.bits * 2, type.signed)


def _product(machine: Machine, instruction: PtxInstruction) -> ValueId:
    type = type_of(instruction)
    left, right = (machine.read(operand, type) for operand in instruction.operands[1:3])
    if "wide" in instruction.modifiers:
        wide = _wide(type)
        return machine.emit.multiply(machine.emit.convert(left, wide), machine.emit.convert(right, wide))
    if "hi" in instruction.modifiers:
        return machine.emit.math(_M.MULTIPLY_HIGH, left, right)
    return emit_operator(machine.builder, _B.MULTIPLY, (left, right), type, machine.span)


def _multiply(machine: Machine, instruction: PtxInstruction) -> None:
    finish(machine, instruction, _product(machine, instruction))


def _multiply_add(machine: Machine, instruction: PtxInstruction) -> None:
    """`mad`; for floating-point types it is `fma`."""
    type = type_of(instruction)
    if isinstance(type, FloatType | VectorType):
        _simple(_M.FUSED_MULTIPLY_ADD, 3)(machine, instruction)
        return
    product = _product(machine, instruction)
    addend = machine.read(instruction.operands[3], machine.builder.type_of(product))
    _add_with_carry(machine, instruction, product, addend)


def _multiply_24(machine: Machine, instruction: PtxInstruction) -> None:
    type = type_of(instruction)
    values = sources(machine, instruction, type)
    result = machine.emit.math(_M.MULTIPLY_24, *values[:2])
    if instruction.opcode == "mad24":
        result = machine.emit.add(result, values[2])
    finish(machine, instruction, result)


def _add(machine: Machine, instruction: PtxInstruction) -> None:
    type = type_of(instruction)
    if not isinstance(type, IntegerType):
        _simple(_B.ADD, 2)(machine, instruction)
        return
    left, right = sources(machine, instruction, type)
    _add_with_carry(machine, instruction, left, right)


def _add_with_carry(machine: Machine, instruction: PtxInstruction, left: ValueId, right: ValueId) -> None:
    """`add`, `add.cc`, `addc`, `addc.cc` and the end of `mad` and `madc`."""
    emit = machine.emit
    keeps_carry = "cc" in instruction.modifiers
    total = emit.add(left, right)
    carry = _overflows(machine, total, left) if keeps_carry else None
    if instruction.opcode in ("addc", "madc"):
        with_carry = emit.add(total, emit.convert(machine.read_carry(), machine.builder.type_of(total)))
        if carry is not None:
            carry = emit.binary(_B.LOGICAL_OR, carry, _overflows(machine, with_carry, total))
        total = with_carry
    if carry is not None:
        machine.carry = carry
    finish(machine, instruction, total)


def _overflows(machine: Machine, total: ValueId, part: ValueId) -> ValueId:
    type = machine.builder.type_of(total)
    unsigned = IntegerType(type.bits, signed=False) if isinstance(type, IntegerType) else U32
    return machine.emit.compare(_C.LESS, machine.coerce(total, unsigned), machine.coerce(part, unsigned))


def _subtract(machine: Machine, instruction: PtxInstruction) -> None:
    type = type_of(instruction)
    left, right = sources(machine, instruction, type)
    if not isinstance(type, IntegerType):
        _simple(_B.SUBTRACT, 2)(machine, instruction)
        return
    emit = machine.emit
    borrow = _overflows(machine, left, right) if "cc" in instruction.modifiers else None
    result = emit.subtract(left, right)
    if instruction.opcode == "subc":
        before = emit.convert(machine.read_carry(), type)
        if borrow is not None:
            borrow = emit.binary(_B.LOGICAL_OR, borrow, _overflows(machine, result, before))
        result = emit.subtract(result, before)
    if borrow is not None:
        machine.carry = borrow
    finish(machine, instruction, result)


def _shift(operator: BinaryOperator) -> PtxLowering:
    """The count has 32 bits, whatever is shifted; past the width the result is 0 or the sign."""

    def lower(machine: Machine, instruction: PtxInstruction) -> None:
        type = type_of(instruction)
        value = machine.read(instruction.operands[1], type)
        count = machine.read(instruction.operands[2], U32)
        finish(machine, instruction, machine.builder.binary(operator, value, count, type, machine.span))

    return lower


def _funnel_shift(machine: Machine, instruction: PtxInstruction) -> None:
    """`shf.l.wrap d, low, high, count`."""
    function = _FUNNELS[("l" in instruction.modifiers, "clamp" in instruction.modifiers)]
    finish(machine, instruction, machine.emit.math(function, *sources(machine, instruction, U32)))


_FUNNELS: Final = {
    (True, False): _M.FUNNEL_SHIFT_LEFT,
    (True, True): _M.FUNNEL_SHIFT_LEFT_CLAMP,
    (False, False): _M.FUNNEL_SHIFT_RIGHT,
    (False, True): _M.FUNNEL_SHIFT_RIGHT_CLAMP,
}

_COMPARISONS: Final[Mapping[str, CompareOperator]] = {
    name + suffix: operator
    for names, operator in (
        (("eq",), _C.EQUAL),
        (("ne",), _C.NOT_EQUAL),
        (("lt", "lo"), _C.LESS),
        (("le", "ls"), _C.LESS_EQUAL),
        (("gt", "hi"), _C.GREATER),
        (("ge", "hs"), _C.GREATER_EQUAL),
    )
    for name in names
    for suffix in (("", "u") if name in ("eq", "ne", "lt", "le", "gt", "ge") else ("",))
}
_COMBINATIONS: Final = {"and": _B.LOGICAL_AND, "or": _B.LOGICAL_OR, "xor": _B.XOR}


def _comparison(machine: Machine, instruction: PtxInstruction, type: Type) -> ValueId:
    operator = next((_COMPARISONS[word] for word in instruction.modifiers if word in _COMPARISONS), None)
    if operator is None:
        raise NotUnderstood
    left, right = (machine.read(operand, type) for operand in instruction.operands[1:3])
    holds = machine.emit.compare(operator, left, right)
    combination = next((_COMBINATIONS[word] for word in instruction.modifiers if word in _COMBINATIONS), None)
    if combination is None or len(instruction.operands) < 4:
        return holds
    other = machine.read(instruction.operands[3], BOOLEAN)
    if combination is _B.XOR:
        return machine.emit.compare(_C.NOT_EQUAL, holds, other)
    return machine.emit.binary(combination, holds, other)


def _set_predicate(machine: Machine, instruction: PtxInstruction) -> None:
    """`setp.lt.s32 p, a, b` and `p|q`, where q is the opposite."""
    holds = _comparison(machine, instruction, type_of(instruction))
    target = instruction.operands[0]
    if isinstance(target, Pair):
        machine.write(target.first, holds)
        opposite = machine.builder.unary(UnaryOperator.LOGICAL_NOT, holds, BOOLEAN, machine.span)
        machine.write(target.second, opposite)
        return
    machine.write(target, holds)


def _set(machine: Machine, instruction: PtxInstruction) -> None:
    """`set.lt.u32.s32`: all ones or 1.0 where the comparison holds."""
    result, compared = types_of(instruction)[-2:]
    holds = _comparison(machine, instruction, compared)
    is_float = isinstance(result, FloatType)
    yes = machine.emit.constant(1.0 if is_float else 0xFFFFFFFF, result)
    no = machine.emit.constant(0.0 if is_float else 0, result)
    machine.write(instruction.operands[0], machine.emit.select(holds, yes, no))


def _select(machine: Machine, instruction: PtxInstruction) -> None:
    type = type_of(instruction)
    if_true, if_false = (machine.read(operand, type) for operand in instruction.operands[1:3])
    condition = machine.read(instruction.operands[3], BOOLEAN)
    machine.write(instruction.operands[0], machine.emit.select(condition, if_true, if_false))


def _select_by_sign(machine: Machine, instruction: PtxInstruction) -> None:
    """`slct.b32.s32 d, a, b, c`: `c >= 0 ? a : b`."""
    type, tested = types_of(instruction)[-2:]
    if_true, if_false = (machine.read(operand, type) for operand in instruction.operands[1:3])
    sign = machine.read(instruction.operands[3], tested)
    zero = machine.emit.constant(0.0 if isinstance(tested, FloatType) else 0, tested)
    holds = machine.emit.compare(_C.GREATER_EQUAL, sign, zero)
    machine.write(instruction.operands[0], machine.emit.select(holds, if_true, if_false))


_ROUNDING: Final = {
    "rni": _M.CONVERT_ROUND,
    "rzi": _M.CONVERT_TRUNC,
    "rmi": _M.CONVERT_FLOOR,
    "rpi": _M.CONVERT_CEIL,
}


def _convert(machine: Machine, instruction: PtxInstruction) -> None:
    """`cvt.rni.s32.f32`; into a pair from two singles for `cvt.rn.f16x2.f32 d, high, low`."""
    result, have = types_of(instruction)[-2:]
    if isinstance(result, VectorType) and len(instruction.operands) == 3:
        high, low = (
            machine.emit.convert(machine.read(operand, have), result.element) for operand in instruction.operands[1:]
        )
        machine.write(instruction.operands[0], build_aggregate(machine.builder, (low, high), result, machine.span))
        return
    value = machine.read(instruction.operands[1], have)
    rounding = next((_ROUNDING[word] for word in instruction.modifiers if word in _ROUNDING), None)
    if rounding is None:
        finish(machine, instruction, machine.emit.convert(value, result))
    else:
        finish(machine, instruction, machine.emit.math(rounding, value, type=result))


def _counting(function: MathFunction) -> PtxLowering:
    """`popc.b64 d, a`: the result has 32 bits."""

    def lower(machine: Machine, instruction: PtxInstruction) -> None:
        value = machine.read(instruction.operands[1], type_of(instruction))
        machine.write(instruction.operands[0], machine.emit.math(function, value, type=U32))

    return lower


def _find_highest(machine: Machine, instruction: PtxInstruction) -> None:
    """`bfind.u32 d, a`: the position of the highest bit that differs from the sign, all ones where there is none."""
    emit = machine.emit
    type = type_of(instruction)
    value = machine.read(instruction.operands[1], type)
    bits = type.bits if isinstance(type, IntegerType) else 32
    if isinstance(type, IntegerType) and type.signed:
        sign = emit.shift_right(value, emit.constant(bits - 1, type))
        value = emit.binary(BinaryOperator.XOR, value, sign)
    zeros = emit.math(MathFunction.COUNT_LEADING_ZEROS, value, type=U32)
    found = emit.subtract(emit.constant(bits - 1), zeros)
    if "shiftamt" in instruction.modifiers:
        is_none = emit.compare(CompareOperator.EQUAL, zeros, emit.constant(bits))
        found = emit.select(is_none, emit.constant(0xFFFFFFFF), zeros)
    machine.write(instruction.operands[0], found)


def _bit_field(function: MathFunction, fields: int) -> PtxLowering:
    """`bfe d, a, start, length` and `bfi d, a, b, start, length`: the last two have 32 bits."""

    def lower(machine: Machine, instruction: PtxInstruction) -> None:
        type = type_of(instruction)
        data = [machine.read(operand, type) for operand in instruction.operands[1 : 1 + fields]]
        place = [machine.read(operand, U32) for operand in instruction.operands[1 + fields : 3 + fields]]
        machine.write(instruction.operands[0], machine.emit.math(function, *data, *place, type=type))

    return lower


def _of_words(function: MathFunction) -> PtxLowering:
    """Functions of 32-bit words, whatever the modifiers say about their parts."""

    def lower(machine: Machine, instruction: PtxInstruction) -> None:
        is_signed = any(word in ("s32", "s16", "s8") for word in instruction.modifiers)
        type = S32 if is_signed and function is not _M.BYTE_PERMUTE else U32
        values = sources(machine, instruction, type)
        machine.write(instruction.operands[0], machine.emit.math(function, *values, type=type))

    return lower


def _in_word(machine: Machine, instruction: PtxInstruction) -> None:
    """`vabsdiff4.u32.u32.u32.add d, a, b, c`: with `.add` the sum of the lanes and `c`, else the lanes themselves."""
    emit = machine.emit
    values = sources(machine, instruction, U32)
    name = _word_operation(instruction)
    if name is None:  # its data flow is known, its value is not
        result = emit.math(_M.SIMD_IN_WORD, *values, emit.constant(None), type=U32)
    else:
        result = emit.math(_M.SIMD_IN_WORD, *values[:2], emit.constant(SIMD_OPERATIONS.index(name)), type=U32)
        if "add" in instruction.modifiers:
            result = emit.add(result, values[2])
    machine.write(instruction.operands[0], result)


def _word_operation(instruction: PtxInstruction) -> str | None:
    """The one of `SIMD_OPERATIONS` that an instruction is."""
    stem, lanes = instruction.opcode[1:-1], instruction.opcode[-1]
    is_signed = any(word in ("s32", "s16", "s8") for word in instruction.modifiers)
    sign = "s" if is_signed else "u"
    if lanes not in "24" or "sat" in instruction.modifiers:
        return None
    if "add" in instruction.modifiers:
        return f"sad{sign}{lanes}" if stem == "absdiff" else None
    if stem in ("add", "sub"):
        return f"{stem}{lanes}"
    return f"{_IN_WORD[stem]}{sign}{lanes}" if stem in _IN_WORD else None


_IN_WORD: Final = {"absdiff": "absdiff", "min": "min", "max": "max", "avrg": "avg"}


def _dot_product(machine: Machine, instruction: PtxInstruction) -> None:
    if instruction.opcode == "dp4a":
        _of_words(_M.DOT_PRODUCT_4)(machine, instruction)
    else:
        is_low = "lo" in instruction.modifiers
        _of_words(_M.DOT_PRODUCT_2_LOW if is_low else _M.DOT_PRODUCT_2_HIGH)(machine, instruction)


def _test(machine: Machine, instruction: PtxInstruction) -> None:
    """`testp.finite.f32 p, a`."""
    function = next((_TESTS[word] for word in instruction.modifiers if word in _TESTS), None)
    if function is None:
        raise NotUnderstood
    value = machine.read(instruction.operands[1], type_of(instruction))
    machine.write(instruction.operands[0], machine.emit.math(function, value, type=BOOLEAN))


_TESTS: Final = {"finite": _M.IS_FINITE, "infinite": _M.IS_INFINITE, "notanumber": _M.IS_NAN}
_VIDEO: Final = [
    f"v{name}{lanes}"
    for name in ("add", "sub", "absdiff", "min", "max", "avrg", "set", "shl", "shr", "mad")
    for lanes in ("", "2", "4")
]

PURE: Final[Mapping[str, PtxLowering]] = {
    "mov": _move,
    "cvta": _copy,
    "cvt": _convert,
    "add": _add,
    "addc": _add,
    "sub": _subtract,
    "subc": _subtract,
    "mul": _multiply,
    "mad": _multiply_add,
    "madc": _multiply_add,
    "mul24": _multiply_24,
    "mad24": _multiply_24,
    "fma": _simple(_M.FUSED_MULTIPLY_ADD, 3),
    "div": _simple(_B.DIVIDE, 2),
    "rem": _simple(_B.REMAINDER, 2),
    "min": _simple(_M.MINIMUM, 2),
    "max": _simple(_M.MAXIMUM, 2),
    "abs": _simple(_M.ABSOLUTE, 1),
    "neg": _simple(UnaryOperator.NEGATE, 1),
    "and": _simple(_B.AND, 2),
    "or": _simple(_B.OR, 2),
    "xor": _simple(_B.XOR, 2),
    "not": _simple(UnaryOperator.COMPLEMENT, 1),
    "shl": _shift(_B.SHIFT_LEFT),
    "shr": _shift(_B.SHIFT_RIGHT),
    "shf": _funnel_shift,
    "setp": _set_predicate,
    "set": _set,
    "selp": _select,
    "slct": _select_by_sign,
    "popc": _counting(_M.POPULATION_COUNT),
    "bfind": _find_highest,
    "clz": _counting(_M.COUNT_LEADING_ZEROS),
    "brev": _simple(_M.REVERSE_BITS, 1),
    "bfe": _bit_field(_M.BIT_FIELD_EXTRACT, 1),
    "bfi": _bit_field(_M.BIT_FIELD_INSERT, 2),
    "prmt": _of_words(_M.BYTE_PERMUTE),
    "lop3": _of_words(_M.LOOKUP_3),
    "sad": _of_words(_M.SUM_ABSOLUTE_DIFFERENCE),
    "dp4a": _dot_product,
    "dp2a": _dot_product,
    "rcp": _simple(_M.RECIPROCAL, 1),
    "sqrt": _simple(_M.SQRT, 1),
    "rsqrt": _simple(_M.RSQRT, 1),
    "sin": _simple(_M.SIN, 1),
    "cos": _simple(_M.COS, 1),
    "ex2": _simple(_M.EXP2, 1),
    "lg2": _simple(_M.LOG2, 1),
    "tanh": _simple(_M.TANH, 1),
    "copysign": _simple(_M.COPYSIGN, 2),
    "testp": _test,
    **dict.fromkeys(_VIDEO, _in_word),
}
