"""Mathematics, integers, conversions, halves and vectors: a call in, IR lines out."""

from __future__ import annotations

from tests.lower.builtins.calls import check


def test_overloads_follow_the_argument_types() -> None:
    check(
        "min(s32, u32)",
        """
        %2: u32 = convert %0
        %3: u32 = math min %2, %1
        """,
    )
    check(
        "max(f32, f64)",
        """
        %2: f64 = convert %0
        %3: f64 = math max %2, %1
        """,
    )
    check(
        "abs(s16)",
        """
        %1: s32 = convert %0
        %2: s32 = math abs %1
        """,
    )
    check(
        "pow(f32, s32)",
        """
        %2: f64 = convert %0
        %3: f64 = convert %1
        %4: f64 = math pow %2, %3
        """,
    )
    check(
        "sqrt(s32)",
        """
        %1: f64 = convert %0
        %2: f64 = math sqrt %1
        """,
    )
    check(
        "fmax(f16, f32)",
        """
        %2: f32 = convert %0
        %3: f32 = math max %2, %1
        """,
    )
    check("std::max(u8, u8)", "%2: u8 = math max %0, %1")
    check(
        "fminf(f64, s32)",
        """
        %2: f32 = convert %0
        %3: f32 = convert %1
        %4: f32 = math min %2, %3
        """,
    )


def test_several_results_go_through_pointers() -> None:
    check(
        "sincosf(f32, f32*, f32*)",
        """
        %3: f32 = math sin %0
        store %1, %3
        %4: f32 = math cos %0
        store %2, %4
        """,
    )
    check(
        "modf(f32, f32*)",
        """
        %2: f32 = math trunc %0
        store %1, %2
        %3: f32 = sub %0, %2
        %4: bool = math isinf %0
        %5: f32 = const 0.0
        %6: f32 = select %4, %5, %3
        %7: f32 = math copysign %6, %0
        """,
    )
    check(
        "frexpf(f32, s32*)",
        """
        %2: s32 = const 1
        %3: s32 = const 0
        %4: s32 = math ilogb %0
        %5: s32 = add %4, %2
        %6: f32 = const 0.0
        %7: bool = eq %0, %6
        %8: s32 = select %7, %3, %5
        %9: bool = math isfinite %0
        %10: s32 = select %9, %8, %3
        store %1, %10
        %11: s32 = neg %10
        %12: f32 = math ldexp %0, %11
        """,
    )


def test_of_a_quotient_three_bits_are_kept() -> None:
    check(
        "remquo(f64, f64, s32*)",
        """
        %3: f64 = math remainder %0, %1
        %4: f64 = math abs %0
        %5: f64 = math abs %1
        %6: f64 = const 8.0
        %7: f64 = mul %5, %6
        %8: f64 = math fmod %4, %7
        %9: f64 = math remainder %4, %5
        %10: f64 = sub %8, %9
        %11: f64 = div %10, %5
        %12: s32 = math cvt.rn %11
        %13: s32 = const 7
        %14: s32 = and %12, %13
        %15: bool = math signbit %0
        %16: bool = math signbit %1
        %17: bool = ne %15, %16
        %18: s32 = neg %14
        %19: s32 = select %17, %18, %14
        store %2, %19
        """,
    )


def test_rounding_functions_keep_their_result_types() -> None:
    check(
        "lround(f32)",
        """
        %1: f32 = math round %0
        %2: s64 = convert %1
        """,
    )
    check("ilogb(f32)", "%1: s32 = math ilogb %0")
    check("isnan(f64)", "%1: bool = math isnan %0")
    check("__float2int_rn(f32)", "%1: s32 = math cvt.rn %0")
    check("__int2float_rz(s32)", "%1: f32 = math cvt.rz %0")
    check("__int2float_rn(s32)", "%1: f32 = convert %0")


def test_intrinsics_convert_to_their_declared_types() -> None:
    check("__fadd_rn(f32, f32)", "%2: f32 = add %0, %1")
    check("__fadd_ru(f32, f32)", "%2: s32 = const 1\n%3: f32 = math add.directed %0, %1, %2")
    check(
        "__dmul_rn(f64, f32)",
        """
        %2: f64 = convert %1
        %3: f64 = mul %0, %2
        """,
    )
    check(
        "__fdividef(f32, s32)",
        """
        %2: f32 = convert %1
        %3: f32 = math fdividef %0, %2
        """,
    )
    check(
        "__clz(u32)",
        """
        %1: s32 = convert %0
        %2: s32 = math clz %1
        """,
    )
    check("__popcll(u64)", "%1: s32 = math popc %0")
    check(
        "__umulhi(u32, s32)",
        """
        %2: u32 = convert %1
        %3: u32 = math mulhi %0, %2
        """,
    )


def test_words_of_small_integers() -> None:
    check(
        "__dp4a(char4, char4, s32)",
        """
        %3: s32 = bitcast %0
        %4: s32 = bitcast %1
        %5: s32 = math dp4a %3, %4, %2
        """,
    )
    check("__dp4a(u32, u32, u32)", "%3: u32 = math dp4a %0, %1, %2")
    check("__vadd4(u32, u32)", "%2: u32 = const 42\n%3: u32 = math simd %0, %1, %2")
    check(
        "__viaddmax_s32_relu(s32, s32, s32)",
        """
        %3: s32 = add %0, %1
        %4: s32 = math max %3, %2
        %5: s32 = const 0
        %6: s32 = math max %4, %5
        """,
    )
    check(
        "__vibmax_s32(s32, s32, bool*)",
        """
        %3: bool = ge %0, %1
        store %2, %3
        %4: s32 = math max %0, %1
        """,
    )


def test_bits_under_another_type() -> None:
    check("__float_as_int(f32)", "%1: s32 = bitcast %0")
    check(
        "__hiloint2double(s32, s32)",
        """
        %2: u32 = convert %0
        %3: u32 = convert %1
        %4: u64 = convert %2
        %5: u64 = convert %3
        %6: u64 = const 32
        %7: u64 = shl %4, %6
        %8: u64 = or %7, %5
        %9: f64 = bitcast %8
        """,
    )
    check(
        "__double2hiint(f64)",
        """
        %1: u64 = bitcast %0
        %2: u64 = const 32
        %3: u64 = shr %1, %2
        %4: s32 = convert %3
        """,
    )
    check("std::bit_cast<u32>(f32)", "%1: u32 = bitcast %0")


def test_halves() -> None:
    check("__half2float(f16)", "%1: f32 = convert %0")
    check("__hadd(f16, f16)", "%2: f16 = add %0, %1")
    check(
        "__hfma_relu(bf16, bf16, bf16)",
        """
        %3: bf16 = math fma %0, %1, %2
        %4: bf16 = const 0.0
        %5: bf16 = math max %3, %4
        %6: bool = math isnan %3
        %7: bf16 = select %6, %3, %5
        """,
    )
    check("__hlt(f16, f16)", "%2: bool = lt %0, %1")
    check("__hltu(f16, f16)", "%2: bool = ge %0, %1\n%3: bool = lnot %2")
    check(
        "operator*(half2, half2)",
        """
        %2: f16 = extract %0, 0
        %3: f16 = extract %0, 1
        %4: f16 = extract %1, 0
        %5: f16 = extract %1, 1
        %6: f16 = mul %2, %4
        %7: f16 = mul %3, %5
        %8: <2 x f16 align 4> = build %6, %7
        """,
    )


def test_the_same_name_averages_integers() -> None:
    check("__hadd(s32, s32)", "%2: s32 = math hadd %0, %1")


def test_pairs_of_halves_go_member_by_member() -> None:
    check(
        "__hadd2(half2, half2)",
        """
        %2: f16 = extract %0, 0
        %3: f16 = extract %0, 1
        %4: f16 = extract %1, 0
        %5: f16 = extract %1, 1
        %6: f16 = add %2, %4
        %7: f16 = add %3, %5
        %8: <2 x f16 align 4> = build %6, %7
        """,
    )
    check(
        "__hbgt2(half2, half2)",
        """
        %2: f16 = extract %0, 0
        %3: f16 = extract %0, 1
        %4: f16 = extract %1, 0
        %5: f16 = extract %1, 1
        %6: bool = gt %2, %4
        %7: bool = gt %3, %5
        %8: bool = land %6, %7
        """,
    )
    check(
        "__float22half2_rn(float2)",
        """
        %1: f32 = extract %0, 0
        %2: f32 = extract %0, 1
        %3: f16 = convert %1
        %4: f16 = convert %2
        %5: <2 x f16 align 4> = build %3, %4
        """,
    )
    check("__halves2bfloat162(bf16, bf16)", "%2: <2 x bf16 align 4> = build %0, %1")
    check(
        "__lows2half2(half2, half2)",
        """
        %2: f16 = extract %0, 0
        %3: f16 = extract %0, 1
        %4: f16 = extract %1, 0
        %5: f16 = extract %1, 1
        %6: <2 x f16 align 4> = build %2, %4
        """,
    )


def test_vectors() -> None:
    check(
        "make_float4(s32, f32, f32, f32)",
        """
        %4: f32 = convert %0
        %5: <4 x f32 align 16> = build %4, %1, %2, %3
        """,
    )
    check(
        "make_float4(float3, f64)",
        """
        %2: f32 = convert %1
        %3: f32 = extract %0, 0
        %4: f32 = extract %0, 1
        %5: f32 = extract %0, 2
        %6: <4 x f32 align 16> = build %3, %4, %5, %2
        """,
    )
    check(
        "make_int2(uint4)",
        """
        %1: u32 = extract %0, 0
        %2: u32 = extract %0, 1
        %3: u32 = extract %0, 2
        %4: u32 = extract %0, 3
        %5: s32 = convert %1
        %6: s32 = convert %2
        %7: <2 x s32 align 8> = build %5, %6
        """,
    )
    check(
        "make_float3(s32)",
        """
        %1: f32 = convert %0
        %2: f32 = convert %0
        %3: f32 = convert %0
        %4: <3 x f32 align 4> = build %1, %2, %3
        """,
    )
    check(
        "operator*(float2, s32)",
        """
        %2: f32 = convert %1
        %3: f32 = extract %0, 0
        %4: f32 = extract %0, 1
        %5: f32 = mul %3, %2
        %6: f32 = mul %4, %2
        %7: <2 x f32 align 8> = build %5, %6
        """,
    )
    check(
        "operator-(float2)",
        """
        %1: f32 = extract %0, 0
        %2: f32 = extract %0, 1
        %3: f32 = neg %1
        %4: f32 = neg %2
        %5: <2 x f32 align 8> = build %3, %4
        """,
    )
    check(
        "dim3(s32)",
        """
        %1: u32 = convert %0
        %2: u32 = const 1
        %3: u32 = const 1
        %4: <3 x u32 align 4> = build %1, %2, %3
        """,
    )
    check("float2(f32)", "%1: <2 x f32 align 8> = build %0, %0")
    check(
        "cuCmulf(float2, float2)",
        """
        %2: f32 = extract %0, 0
        %3: f32 = extract %0, 1
        %4: f32 = extract %1, 0
        %5: f32 = extract %1, 1
        %6: f32 = mul %2, %4
        %7: f32 = mul %3, %5
        %8: f32 = sub %6, %7
        %9: f32 = mul %2, %5
        %10: f32 = mul %3, %4
        %11: f32 = add %9, %10
        %12: <2 x f32 align 8> = build %8, %11
        """,
    )


def test_limits_have_the_type_they_are_about() -> None:
    check("std::numeric_limits::lowest<f32>()", "%0: f32 = const -3.4028234663852886e+38")
    check("std::numeric_limits::max<u8>()", "%0: u8 = const 255")


def test_std_functions_work_on_objects() -> None:
    check(
        "std::swap(f32&, f32&)",
        """
        %4: f32 = load %0
        %5: f32 = load %2
        store %0, %5
        store %2, %4
        """,
    )
    check(
        "std::exchange(s32&, f64)",
        """
        %3: s32 = load %0
        %4: s32 = convert %2
        store %0, %4
        """,
    )
    check("std::clamp(f32, f32, f32)", "%3: f32 = math clamp %0, %1, %2")
