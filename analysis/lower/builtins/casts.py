"""Conversions between numbers, and the same bits under another type."""

from __future__ import annotations

from typing import Final

from analysis.ir.ids import ValueId
from analysis.ir.operators import BinaryOperator, MathFunction
from analysis.ir.types import U64
from analysis.lower.builtins.core import BoundCall, Table
from analysis.lower.builtins.operations import Move

_ROUNDINGS: Final = {
    "rn": MathFunction.CONVERT_ROUND,
    "rz": MathFunction.CONVERT_TRUNC,
    "ru": MathFunction.CONVERT_CEIL,
    "rd": MathFunction.CONVERT_FLOOR,
}

# CUDA's word for a type in the names of conversions
_FLOATS: Final = {"float": "f32", "double": "f64", "half": "f16", "bfloat16": "bf16"}
_INTEGERS: Final = {
    "int": "s32",
    "uint": "u32",
    "ll": "s64",
    "ull": "u64",
    "short": "s16",
    "ushort": "u16",
    "char": "s8",
    "uchar": "u8",
}


def _high_word(call: BoundCall) -> ValueId:
    builder, span = call.builder, call.span
    bits = builder.bitcast(call.arguments[0], U64, span)
    high = builder.binary(BinaryOperator.SHIFT_RIGHT, bits, builder.constant(32, U64, span), U64, span)
    return builder.convert(high, call.result, span)


def _low_word(call: BoundCall) -> ValueId:
    builder, span = call.builder, call.span
    return builder.convert(builder.bitcast(call.arguments[0], U64, span), call.result, span)


def _double_from_words(call: BoundCall) -> ValueId:
    builder, span = call.builder, call.span
    high, low = (builder.convert(argument, U64, span) for argument in call.arguments)
    high = builder.binary(BinaryOperator.SHIFT_LEFT, high, builder.constant(32, U64, span), U64, span)
    return builder.bitcast(builder.binary(BinaryOperator.OR, high, low, U64, span), call.result, span)


def _bit_cast(call: BoundCall) -> ValueId:
    """`std::bit_cast<To>(from)`."""
    return call.builder.bitcast(call.arguments[0], call.result, call.span)


def _to_float(mode: str) -> MathFunction | Move:
    """To nearest is what every conversion does."""
    return Move.CONVERT if mode == "rn" else _ROUNDINGS[mode]


def _number_conversions() -> Table:
    """`__float2int_rn`, `__ull2double_rz`, `__half2short_rd`, `__double2float_ru`, ..."""
    table: dict[str, tuple[MathFunction | Move, str]] = {}
    for float_name, float_type in _FLOATS.items():
        for integer_name, integer_type in _INTEGERS.items():
            for mode, function in _ROUNDINGS.items():
                table[f"__{float_name}2{integer_name}_{mode}"] = (function, f"{integer_type}({float_type})")
                table[f"__{integer_name}2{float_name}_{mode}"] = (_to_float(mode), f"{float_type}({integer_type})")
        for other_name, other_type in _FLOATS.items():
            if other_name != float_name:
                for mode in _ROUNDINGS:
                    table[f"__{float_name}2{other_name}_{mode}"] = (_to_float(mode), f"{other_type}({float_type})")
                table[f"__{float_name}2{other_name}"] = (Move.CONVERT, f"{other_type}({float_type})")
    return table


TABLE: Final[Table] = {
    **_number_conversions(),
    "__int2double": (Move.CONVERT, "f64(s32)"),
    "__float2half_rna": (Move.CONVERT, "f16(f32)"),
    "float2half": (Move.CONVERT, "f16(f32)"),
    "half2float": (Move.CONVERT, "f32(f16)"),
    "__float_as_int": (Move.BITCAST, "s32(f32)"),
    "__float_as_uint": (Move.BITCAST, "u32(f32)"),
    "__int_as_float": (Move.BITCAST, "f32(s32)"),
    "__uint_as_float": (Move.BITCAST, "f32(u32)"),
    "__double_as_longlong": (Move.BITCAST, "s64(f64)"),
    "__double_as_ulonglong": (Move.BITCAST, "u64(f64)"),
    "__longlong_as_double": (Move.BITCAST, "f64(s64)"),
    "__ulonglong_as_double": (Move.BITCAST, "f64(u64)"),
    "float_as_int": (Move.BITCAST, "s32(f32)"),
    "int_as_float": (Move.BITCAST, "f32(s32)"),
    "__half_as_short": (Move.BITCAST, "s16(f16)"),
    "__half_as_ushort": (Move.BITCAST, "u16(f16)"),
    "__short_as_half": (Move.BITCAST, "f16(s16)"),
    "__ushort_as_half": (Move.BITCAST, "f16(u16)"),
    "__bfloat16_as_short": (Move.BITCAST, "s16(bf16)"),
    "__bfloat16_as_ushort": (Move.BITCAST, "u16(bf16)"),
    "__short_as_bfloat16": (Move.BITCAST, "bf16(s16)"),
    "__ushort_as_bfloat16": (Move.BITCAST, "bf16(u16)"),
    "__double2hiint": (_high_word, "s32(f64)"),
    "__double2loint": (_low_word, "s32(f64)"),
    "__hiloint2double": (_double_from_words, "f64(u32, u32)"),
    "bit_cast": (_bit_cast, "R(any)"),
}
