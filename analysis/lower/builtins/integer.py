"""Integer intrinsics: bits, high products, dot products, and several small integers in one word."""

from __future__ import annotations

from typing import Final

from analysis.ir.ids import ValueId
from analysis.ir.operators import SIMD_OPERATIONS, BinaryOperator, CompareOperator, MathFunction
from analysis.ir.types import S16, S32, U16, U32, IntegerType, VectorType
from analysis.lower.builtins.core import BoundCall, Lowering, Table

_M = MathFunction


def _count_trailing_zeros(call: BoundCall) -> ValueId:
    """`ffs(x) - 1`; undefined for zero, as the compiler's builtin is."""
    builder, span = call.builder, call.span
    position = builder.math(_M.FIND_FIRST_SET, call.arguments, call.result, span)
    return builder.binary(BinaryOperator.SUBTRACT, position, builder.constant(1, call.result, span), call.result, span)


def _nested(outer: MathFunction, inner: MathFunction | BinaryOperator) -> Lowering:
    """`outer(inner(a, b), c)`: `__vimax3_s32`, `__viaddmin_s32`; a `_relu` form has no fourth argument."""

    def lower(call: BoundCall) -> ValueId:
        builder, span, (first, second, third) = call.builder, call.span, call.arguments
        if isinstance(inner, BinaryOperator):
            value = builder.binary(inner, first, second, call.result, span)
        else:
            value = builder.math(inner, (first, second), call.result, span)
        value = builder.math(outer, (value, third), call.result, span)
        if call.call.name.endswith("relu"):
            zero = builder.constant(0, call.result, span)
            value = builder.math(_M.MAXIMUM, (value, zero), call.result, span)
        return value

    return lower


def _relu(function: MathFunction) -> Lowering:
    def lower(call: BoundCall) -> ValueId:
        builder, span = call.builder, call.span
        value = builder.math(function, call.arguments, call.result, span)
        return builder.math(_M.MAXIMUM, (value, builder.constant(0, call.result, span)), call.result, span)

    return lower


def _rotate(left: bool) -> Lowering:
    """A funnel shift of a word with itself."""
    function = _M.FUNNEL_SHIFT_LEFT if left else _M.FUNNEL_SHIFT_RIGHT

    def lower(call: BoundCall) -> ValueId:
        word, count = call.arguments
        return call.builder.math(function, (word, word, count), call.result, call.span)

    return lower


def _popcount_parity(call: BoundCall) -> ValueId:
    builder, span = call.builder, call.span
    count = builder.math(_M.POPULATION_COUNT, call.arguments, S32, span)
    return builder.binary(BinaryOperator.AND, count, builder.constant(1, S32, span), S32, span)


def _has_single_bit(call: BoundCall) -> ValueId:
    builder, span = call.builder, call.span
    count = builder.math(_M.POPULATION_COUNT, call.arguments, S32, span)
    return builder.compare(CompareOperator.EQUAL, count, builder.constant(1, S32, span), span)


def _multiply_add(call: BoundCall) -> ValueId:
    builder, span, (left, right, addend) = call.builder, call.span, call.arguments
    product = builder.math(_M.MULTIPLY_24, (left, right), call.result, span)
    return builder.binary(BinaryOperator.ADD, product, addend, call.result, span)


def _dot_product(function: MathFunction) -> Lowering:
    """Vectors of small integers are the words that they fill."""

    def lower(call: BoundCall) -> ValueId:
        builder, span, (left, right, addend) = call.builder, call.span, call.arguments
        words = (_as_word(call, left), _as_word(call, right), addend)
        return builder.math(function, words, call.result, span)

    return lower


def _as_word(call: BoundCall, value: ValueId) -> ValueId:
    is_vector = isinstance(call.builder.type_of(value), VectorType)
    return call.builder.bitcast(value, call.result, call.span) if is_vector else value


def _insert_bits(call: BoundCall) -> ValueId:
    """HIP's `__bitinsert_u32(into, field, position, length)`: PTX `bfi` has the field first."""
    into, field, position, length = call.arguments
    return call.builder.math(_M.BIT_FIELD_INSERT, (field, into, position, length), call.result, call.span)


def _permute_bytes(call: BoundCall) -> ValueId:
    """Of each selector three bits count; the fourth, with which PTX `prmt` spreads a sign, is ignored (measured)."""
    builder, span, (low, high, selector) = call.builder, call.span, call.arguments
    three_bits = builder.binary(BinaryOperator.AND, selector, builder.constant(0x7777, U32, span), U32, span)
    return builder.math(_M.BYTE_PERMUTE, (low, high, three_bits), U32, span)


def _swap_bytes(call: BoundCall) -> ValueId:
    builder, span, (word,) = call.builder, call.span, call.arguments
    selector = builder.constant(0x0123, U32, span)
    return builder.math(_M.BYTE_PERMUTE, (word, builder.constant(0, U32, span), selector), U32, span)


_SCALAR: Final[Table] = {
    "__mul24": (_M.MULTIPLY_24, "s32(s32, s32)"),
    "__umul24": (_M.MULTIPLY_24, "u32(u32, u32)"),
    "mul24": (_M.MULTIPLY_24, "s32(s32, s32)"),
    "umul24": (_M.MULTIPLY_24, "u32(u32, u32)"),
    "__mad24": (_multiply_add, "s32(s32, s32, s32)"),
    "__umad24": (_multiply_add, "u32(u32, u32, u32)"),
    "__mulhi": (_M.MULTIPLY_HIGH, "s32(s32, s32)"),
    "__umulhi": (_M.MULTIPLY_HIGH, "u32(u32, u32)"),
    "__mul64hi": (_M.MULTIPLY_HIGH, "s64(s64, s64)"),
    "__umul64hi": (_M.MULTIPLY_HIGH, "u64(u64, u64)"),
    "mulhi": (_M.MULTIPLY_HIGH, "s32(s32, s32) | u32(u32, u32)"),
    "mul64hi": (_M.MULTIPLY_HIGH, "s64(s64, s64) | u64(u64, u64)"),
    "__clz": (_M.COUNT_LEADING_ZEROS, "s32(s32)"),
    "__clzll": (_M.COUNT_LEADING_ZEROS, "s32(s64)"),
    "__ffs": (_M.FIND_FIRST_SET, "s32(s32)"),
    "__ffsll": (_M.FIND_FIRST_SET, "s32(s64)"),
    "ffs": (_M.FIND_FIRST_SET, "s32(s32)"),
    "__popc": (_M.POPULATION_COUNT, "s32(u32)"),
    "__popcll": (_M.POPULATION_COUNT, "s32(u64)"),
    "__brev": (_M.REVERSE_BITS, "u32(u32)"),
    "__brevll": (_M.REVERSE_BITS, "u64(u64)"),
    "__fns": (_M.FIND_NTH_SET, "u32(u32, u32, s32)"),
    "__byte_perm": (_permute_bytes, "u32(u32, u32, u32)"),
    "__funnelshift_l": (_M.FUNNEL_SHIFT_LEFT, "u32(u32, u32, u32)"),
    "__funnelshift_lc": (_M.FUNNEL_SHIFT_LEFT_CLAMP, "u32(u32, u32, u32)"),
    "__funnelshift_r": (_M.FUNNEL_SHIFT_RIGHT, "u32(u32, u32, u32)"),
    "__funnelshift_rc": (_M.FUNNEL_SHIFT_RIGHT_CLAMP, "u32(u32, u32, u32)"),
    "__sad": (_M.SUM_ABSOLUTE_DIFFERENCE, "u32(s32, s32, u32)"),
    "__usad": (_M.SUM_ABSOLUTE_DIFFERENCE, "u32(u32, u32, u32)"),
    "__uhadd": (_M.HALVING_ADD, "u32(u32, u32)"),
    "__rhadd": (_M.ROUNDED_HALVING_ADD, "s32(s32, s32)"),
    "__urhadd": (_M.ROUNDED_HALVING_ADD, "u32(u32, u32)"),
    "__dp4a": (
        _dot_product(_M.DOT_PRODUCT_4),
        "s32(s32, s32, s32) | u32(u32, u32, u32) | s32(char4, char4, s32) | u32(uchar4, uchar4, u32)",
    ),
    "__dp2a_lo": (
        _dot_product(_M.DOT_PRODUCT_2_LOW),
        "s32(s32, s32, s32) | u32(u32, u32, u32) | s32(short2, char4, s32) | u32(ushort2, uchar4, u32)",
    ),
    "__dp2a_hi": (
        _dot_product(_M.DOT_PRODUCT_2_HIGH),
        "s32(s32, s32, s32) | u32(u32, u32, u32) | s32(short2, char4, s32) | u32(ushort2, uchar4, u32)",
    ),
    "__bfe": (_M.BIT_FIELD_EXTRACT, "I(I, u32, u32)"),
    "__ubfe": (_M.BIT_FIELD_EXTRACT, "u32(u32, u32, u32)"),
    "__bfi": (_M.BIT_FIELD_INSERT, "I(I, I, u32, u32)"),
    "__bitinsert_u32": (_insert_bits, "u32(u32, u32, u32, u32)"),
    "__bitextract_u32": (_M.BIT_FIELD_EXTRACT, "u32(u32, u32, u32)"),
    "__nv_bswap": (_swap_bytes, "u32(u32)"),
    "__builtin_bswap32": (_swap_bytes, "u32(u32)"),
    "__builtin_popcount": (_M.POPULATION_COUNT, "s32(u32)"),
    "__builtin_popcountl": (_M.POPULATION_COUNT, "s32(u64)"),
    "__builtin_popcountll": (_M.POPULATION_COUNT, "s32(u64)"),
    "__builtin_clzl": (_M.COUNT_LEADING_ZEROS, "s32(u64)"),
    "__builtin_ctzl": (_count_trailing_zeros, "s32(u64)"),
    "__builtin_ffsl": (_M.FIND_FIRST_SET, "s32(s64)"),
    "__builtin_clz": (_M.COUNT_LEADING_ZEROS, "s32(u32)"),
    "__builtin_clzll": (_M.COUNT_LEADING_ZEROS, "s32(u64)"),
    "__builtin_ffs": (_M.FIND_FIRST_SET, "s32(s32)"),
    "__builtin_ffsll": (_M.FIND_FIRST_SET, "s32(s64)"),
    "__builtin_ctz": (_count_trailing_zeros, "s32(u32)"),
    "__builtin_ctzll": (_count_trailing_zeros, "s32(u64)"),
    "__builtin_parity": (_popcount_parity, "s32(u32)"),
}

# functions over two and four lanes of a word: `__vadd2`, `__vadd4`; signature in `u32`
_TWO_WORDS: Final = [
    "add",
    "addss",
    "addus",
    "sub",
    "subss",
    "subus",
    "absdiffs",
    "absdiffu",
    "avgs",
    "avgu",
    "hadds",
    "haddu",
    "maxs",
    "maxu",
    "mins",
    "minu",
    "cmpeq",
    "cmpges",
    "cmpgeu",
    "cmpgts",
    "cmpgtu",
    "cmples",
    "cmpleu",
    "cmplts",
    "cmpltu",
    "cmpne",
    "seteq",
    "setges",
    "setgeu",
    "setgts",
    "setgtu",
    "setles",
    "setleu",
    "setlts",
    "setltu",
    "setne",
    "sads",
    "sadu",
]
_ONE_WORD: Final = ["abs", "absss", "neg", "negss"]


def _in_word(name: str) -> Lowering:
    """One of `SIMD_OPERATIONS`."""
    code = SIMD_OPERATIONS.index(name)

    def lower(call: BoundCall) -> ValueId:
        operation = call.builder.constant(code, U32, call.span)
        return call.builder.math(_M.SIMD_IN_WORD, (*call.arguments, operation), call.result, call.span)

    return lower


_SIMD: Final[Table] = {
    **{f"__v{name}{lanes}": (_in_word(f"{name}{lanes}"), "u32(u32, u32)") for name in _TWO_WORDS for lanes in (2, 4)},
    **{f"__v{name}{lanes}": (_in_word(f"{name}{lanes}"), "u32(u32)") for name in _ONE_WORD for lanes in (2, 4)},
}


def _three_way() -> Table:
    """`__vimax3_s32`, `__viaddmax_s16x2_relu`, ...: for whole words and for parts of a word."""
    table: dict[str, tuple[Lowering | MathFunction, str]] = {}
    for name, function in (("max", _M.MAXIMUM), ("min", _M.MINIMUM)):
        for type in ("s32", "u32"):
            for relu in ("", "_relu") if type == "s32" else ("",):
                three = f"{type}({type}, {type}, {type})"
                table[f"__vi{name}3_{type}{relu}"] = (_nested(function, function), three)
                table[f"__viadd{name}_{type}{relu}"] = (_nested(function, BinaryOperator.ADD), three)
        for type in ("s16x2", "u16x2"):
            for relu in ("", "_relu") if type == "s16x2" else ("",):
                kind = f"2{type[0]}{relu}"
                table[f"__vi{name}3_{type}{relu}"] = (_in_word(f"{name}3{kind}"), "u32(u32, u32, u32)")
                table[f"__viadd{name}_{type}{relu}"] = (_in_word(f"add{name}{kind}"), "u32(u32, u32, u32)")
        table[f"__vi{name}_s32_relu"] = (_relu(function), "s32(s32, s32)")
        table[f"__vi{name}_s16x2_relu"] = (_in_word(f"{name}2s_relu"), "u32(u32, u32)")
    return table


def _minimum_with_predicate(function: MathFunction, operator: CompareOperator) -> Lowering:
    """`__vibmax_s32(a, b, &pred)`: the predicate tells that the first operand was taken."""

    def lower(call: BoundCall) -> ValueId:
        builder, span, (left, right, predicate_to) = call.builder, call.span, call.arguments
        builder.store(predicate_to, builder.compare(operator, left, right, span), span)
        return builder.math(function, (left, right), call.result, span)

    return lower


def _minima_with_predicates(name: str, operator: CompareOperator, half: IntegerType) -> Lowering:
    """`__vibmax_s16x2(a, b, &high, &low)`: the predicates tell of which halves the first operand's were taken."""
    code = SIMD_OPERATIONS.index(name)

    def lower(call: BoundCall) -> ValueId:
        builder, span, (left, right, high_to, low_to) = call.builder, call.span, call.arguments

        def half_of(word: ValueId, distance: ValueId) -> ValueId:
            return builder.convert(builder.binary(BinaryOperator.SHIFT_RIGHT, word, distance, U32, span), half, span)

        for to, shift in ((high_to, 16), (low_to, 0)):
            distance = builder.constant(shift, U32, span)
            taken = builder.compare(operator, half_of(left, distance), half_of(right, distance), span)
            builder.store(to, taken, span)
        operation = builder.constant(code, U32, span)
        return builder.math(_M.SIMD_IN_WORD, (left, right, operation), call.result, span)

    return lower


def _with_predicates() -> Table:
    table: dict[str, tuple[Lowering | MathFunction, str]] = {}
    for name, function, operator in (
        ("max", _M.MAXIMUM, CompareOperator.GREATER_EQUAL),
        ("min", _M.MINIMUM, CompareOperator.LESS_EQUAL),
    ):
        for type, half in (("s", S16), ("u", U16)):
            whole = f"{type}32"
            table[f"__vib{name}_{whole}"] = (
                _minimum_with_predicate(function, operator),
                f"{whole}({whole}, {whole}, bool*)",
            )
            table[f"__vib{name}_{type}16x2"] = (
                _minima_with_predicates(f"{name}{type}2", operator, half),
                "u32(u32, u32, bool*, bool*)",
            )
    return table


TABLE: Final[Table] = {**_SCALAR, **_SIMD, **_three_way(), **_with_predicates()}

# <bit>: these names mean nothing outside `std::`
STANDARD_TABLE: Final[Table] = {
    "popcount": (_M.POPULATION_COUNT, "s32(I)"),
    "countl_zero": (_M.COUNT_LEADING_ZEROS, "s32(I)"),
    "countr_zero": (_count_trailing_zeros, "s32(I)"),
    "has_single_bit": (_has_single_bit, "bool(I)"),
    "rotl": (_rotate(left=True), "I(I, s32)"),
    "rotr": (_rotate(left=False), "I(I, s32)"),
}
