"""Conversions, literals, constant expressions and layouts."""

from __future__ import annotations

import pytest

from analysis.ir.types import (
    BOOLEAN,
    F16,
    F32,
    F64,
    S8,
    S32,
    S64,
    U8,
    U32,
    U64,
    ArrayType,
    Field,
    StructType,
    TemplateType,
    Type,
    UnknownType,
    VectorType,
)
from analysis.lower.conversions import arithmetic_type, wrapped
from analysis.lower.layouts import Member, lay_out, size_and_alignment
from tests.lower.check import lower_one

T = TemplateType("T")


@pytest.mark.parametrize(
    ("left", "right", "result"),
    [
        (S8, U8, S32),
        (S32, U32, U32),
        (U32, S64, S64),
        (S64, U64, U64),
        (BOOLEAN, BOOLEAN, S32),
        (S64, F32, F32),
        (F16, F32, F32),
        (F64, F32, F64),
        (T, F64, T),
        (UnknownType("X"), S8, S32),
    ],
)
def test_the_usual_arithmetic_conversions(left: Type, right: Type, result: Type) -> None:
    assert arithmetic_type(left, right) == arithmetic_type(right, left) == result


def test_constants_wrap_as_their_type_does() -> None:
    assert wrapped(300, S8) == 44
    assert wrapped(-1, U32) == 2**32 - 1
    assert wrapped(2.9, S32) == 2
    assert wrapped(3, BOOLEAN) is True


def test_a_layout_aligns_members_and_the_whole() -> None:
    layout = lay_out(
        "S", [Member("a", S8), Member("b", F64), Member("c", VectorType(F32, 4, 16)), Member("d", S8)], {}
    ).layout
    assert layout.fields == (
        Field("a", S8, 0),
        Field("b", F64, 8),
        Field("c", VectorType(F32, 4, 16), 16),
        Field("d", S8, 32),
    )
    assert (layout.size, layout.alignment) == (48, 16)
    assert size_and_alignment(ArrayType(StructType("S"), 2), {"S": layout}) == (96, 16)


def test_a_union_overlaps_and_an_unknown_member_leaves_the_size_open() -> None:
    union = lay_out("U", [Member("i", S32), Member("d", F64)], {}, is_union=True).layout
    assert [member.offset for member in union.fields] == [0, 0]
    assert union.size == 8
    open_ended = lay_out("T", [Member("x", T), Member("i", S32)], {}).layout
    assert size_and_alignment(StructType("T"), {"T": open_ended}) == (None, 1)


@pytest.mark.parametrize(
    ("extent", "length"),
    [
        ("N * 2 + 1", 9),
        ("sizeof(float4) / sizeof(float)", 4),
        ("(1 << 5) - 1", 31),
        ("N > 3 ? 7 : 8", 7),
        ("int(3.7)", 3),
        ("static_cast<int>(N)", 4),
        ("E::B", 6),
        ("S::size", 12),
        ("~0u >> 28", 15),
        ("missing", None),
        ("1 / 0", None),
    ],
)
def test_array_extents_are_evaluated(extent: str, length: int | None) -> None:
    text = f"""
        #define N 4
        enum E {{ A = 5, B }}; struct S {{ static const int size = N * 3; }};
        __global__ void k() {{ __shared__ int s[{extent}]; }}"""
    symbol = next(symbol for symbol in lower_one(text, "k").function.symbols if symbol.name == "s")
    assert symbol.type == ArrayType(S32, length)
