"""Integer and floating-point arithmetic: each kernel with the NumPy expression for what it must store."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from analysis.ir.operators import COLLECTIVES, MathFunction
from sim.code.namespace import namespace
from tests.sim.running import run

INT_MIN = -(2**31)
A = np.array([7, -7, 7, -7, INT_MIN, INT_MIN, 0, 123456789] * 4, np.int32)
B = np.array([2, 2, -2, -2, -1, 3, 5, -1000] * 4, np.int32)


def binary(expression: str, kind: str, left: NDArray[Any], right: NDArray[Any], result: Any = None) -> NDArray[Any]:
    """`out[i] = expression` over `a` and `b` of the C type `kind`."""
    out = np.zeros(len(left), left.dtype if result is None else result)
    returned = {"int8": "signed char", "float16": "__half"}.get(out.dtype.name, C_TYPES[out.dtype.name])
    text = f"""__global__ void k({kind} *x, {kind} *y, {returned} *out) {{
        int i = threadIdx.x; {kind} a = x[i], b = y[i]; out[i] = {expression}; }}"""
    found = run(text, {"x": left, "y": right, "out": out}, block=len(left))
    assert found.faults == ()
    return found.arrays["out"]


C_TYPES = {
    "int8": "signed char",
    "uint8": "unsigned char",
    "int16": "short",
    "uint16": "unsigned short",
    "int32": "int",
    "uint32": "unsigned",
    "int64": "long long",
    "uint64": "unsigned long long",
    "float16": "__half",
    "float32": "float",
    "float64": "double",
    "bool": "bool",
}


def c_divide(left: int, right: int) -> int:
    quotient = abs(left) // abs(right)
    return quotient if (left < 0) == (right < 0) else -quotient


def test_division_rounds_towards_zero() -> None:
    expected = [((c_divide(int(a), int(b)) + 2**31) % 2**32) - 2**31 for a, b in zip(A, B, strict=True)]
    assert binary("a / b", "int", A, B).tolist() == expected


def test_the_remainder_has_the_sign_of_the_dividend() -> None:
    expected = [int(a) - int(b) * c_divide(int(a), int(b)) for a, b in zip(A, B, strict=True)]
    assert binary("a % b", "int", A, B).tolist() == expected


@pytest.mark.parametrize("kind", ["int32", "uint32", "int64", "uint64"])
@pytest.mark.parametrize("operator", ["+", "-", "*", "&", "|", "^"])
def test_arithmetic_wraps(kind: str, operator: str) -> None:
    random = np.random.default_rng(1)
    bounds = np.iinfo(kind)
    left, right = (random.integers(bounds.min, bounds.max, 32, kind, endpoint=True) for _ in range(2))
    operations = {"+": np.add, "-": np.subtract, "*": np.multiply}
    others = {"&": np.bitwise_and, "|": np.bitwise_or, "^": np.bitwise_xor}
    with np.errstate(over="ignore"):
        expected = {**operations, **others}[operator](left, right)
    assert (binary(f"a {operator} b", C_TYPES[kind], left, right) == expected).all()


@pytest.mark.parametrize("kind", ["int8", "uint8", "int16", "uint16"])
def test_small_integers_are_promoted_and_cut_off(kind: str) -> None:
    random = np.random.default_rng(2)
    bounds = np.iinfo(kind)
    left, right = (random.integers(bounds.min, bounds.max, 32, kind, endpoint=True) for _ in range(2))
    wide = left.astype(np.int64) * 3 + right.astype(np.int64)
    assert (binary("a * 3 + b", C_TYPES[kind], left, right) == wide.astype(kind)).all()
    halved = (left.astype(np.int64) + right.astype(np.int64)) >> 1
    assert (binary("(a + b) >> 1", C_TYPES[kind], left, right) == halved.astype(kind)).all()


def test_shifts() -> None:
    value = np.array([1, -8, 0x7FFFFFFF, -1] * 8, np.int32)
    count = np.array([0, 1, 4, 31] * 8, np.int32)
    assert (binary("a << b", "int", value, count) == value << count).all()
    assert (binary("a >> b", "int", value, count) == value >> count).all()
    unsigned = value.view(np.uint32)
    assert (binary("a >> b", "unsigned", unsigned, count.view(np.uint32)) == unsigned >> count.view(np.uint32)).all()


def test_a_shift_by_the_width_or_more_gives_zero_or_the_sign() -> None:
    value = np.full(32, -5, np.int32)
    count = np.array([31, 32, 33, 64] * 8, np.int32)
    assert binary("a << b", "int", value, count).tolist() == [INT_MIN, 0, 0, 0] * 8
    assert binary("a >> b", "int", value, count).tolist() == [-1] * 32


@pytest.mark.parametrize(("expression", "expected"), [("1u << n", 1), ("8ll << n + 1", 16), ("-8ll >> n", -8)])
def test_of_a_wide_count_the_lower_half_counts(expression: str, expected: int) -> None:
    """As seen on an NVIDIA H200; C++ leaves a count beyond the width undefined."""
    text = f"__global__ void k(long long *out, unsigned long long n) {{ out[threadIdx.x] = {expression}; }}"
    found = run(text, {"out": np.zeros(32, np.int64), "n": 1 << 32})
    assert found.arrays["out"].tolist() == [expected] * 32


@pytest.mark.parametrize(("left", "expected"), [(7, 0xFFFF_FFFF), (-7, -1), (1 << 32, -1)])
def test_division_by_zero_in_64_bits(left: int, expected: int) -> None:
    """As seen on an NVIDIA H200: numbers of 32 bits are divided in 32 bits."""
    text = "__global__ void k(long long *out, long long a) { out[threadIdx.x] = a / out[threadIdx.x]; }"
    found = run(text, {"out": np.zeros(32, np.int64), "a": left})
    assert found.arrays["out"].tolist() == [expected] * 32


def test_unsigned_comparison() -> None:
    assert binary("(unsigned)a < (unsigned)b", "int", A, B, np.int32).tolist() == [
        int(int(a) % 2**32 < int(b) % 2**32) for a, b in zip(A, B, strict=True)
    ]


# -- floating point -------------------------------------------------------------------------------------------------

F = np.array([0.1, -0.25, 1e30, -1e-30, 3.5, math.inf, -math.inf, math.nan] * 4, np.float32)
G = np.array([3.0, 0.0, 1e30, 1e-30, -3.5, math.inf, 1.0, 2.0] * 4, np.float32)


@pytest.mark.parametrize("operator", ["+", "-", "*", "/"])
@pytest.mark.parametrize("kind", ["float16", "float32", "float64"])
def test_float_arithmetic(operator: str, kind: str) -> None:
    with np.errstate(all="ignore"):
        left, right = F.astype(kind), G.astype(kind)
        operations = {"+": np.add, "-": np.subtract, "*": np.multiply, "/": np.divide}
        expected = operations[operator](left, right)
    np.testing.assert_array_equal(binary(f"a {operator} b", C_TYPES[kind], left, right), expected)


def test_single_precision_stays_single() -> None:
    with np.errstate(all="ignore"):
        expected = F * np.float32(0.1) + G
    np.testing.assert_array_equal(binary("a * 0.1f + b", "float", F, G), expected)


def test_a_double_constant_promotes() -> None:
    with np.errstate(all="ignore"):
        expected = (F.astype(np.float64) * 0.1 + G.astype(np.float64)).astype(np.float32)
    np.testing.assert_array_equal(binary("a * 0.1 + b", "float", F, G), expected)


def test_minimum_ignores_nan() -> None:
    np.testing.assert_array_equal(binary("fminf(a, b)", "float", F, G), np.fmin(F, G))


def test_nan_compares_unequal() -> None:
    assert (binary("a == a", "float", F, G, np.int32) == (F == F)).all()
    assert (binary("a != a", "float", F, G, np.int32) == np.isnan(F)).all()


def test_float_to_integer_saturates_and_takes_nan_for_zero() -> None:
    value = np.array([1.9, -1.9, 3e9, -3e9, math.nan, math.inf, 2147483520.0, -2147483648.0] * 4, np.float32)
    top, bottom = 2**31 - 1, -(2**31)
    expected = [1, -1, top, bottom, 0, top, 2147483520, bottom] * 4
    assert binary("(int)a", "float", value, value, np.int32).tolist() == expected
    unsigned = [1, 0, 3000000000, 0, 0, 2**32 - 1, 2147483520, 0] * 4
    assert binary("(unsigned)a", "float", value, value, np.uint32).tolist() == unsigned


def test_double_to_long() -> None:
    value = np.array([1e18, -1e18, 1e30, -1e30, math.nan, -0.5, 9.3e18, 0.0] * 4, np.float64)
    top, bottom = 2**63 - 1, -(2**63)
    expected = [10**18, -(10**18), top, bottom, bottom, 0, top, 0] * 4  # PTX ISA, `cvt`: NaN is 1 << 63 here
    assert binary("(long long)a", "double", value, value, np.int64).tolist() == expected
    unsigned = [10**18, 0, 2**64 - 1, 0, 2**63, 0, int(9.3e18), 0] * 4
    assert binary("(unsigned long long)a", "double", value, value, np.uint64).tolist() == unsigned


def test_fused_multiply_add_rounds_once() -> None:
    left = np.full(32, 1 + 2**-13, np.float32)
    right = np.full(32, 1 - 2**-13, np.float32)
    text = """__global__ void k(float *x, float *y, float *fused, float *split) { int i = threadIdx.x;
        fused[i] = fmaf(x[i], y[i], -1.0f); split[i] = x[i] * y[i] - 1.0f; }"""
    found = run(text, {"x": left, "y": right, "fused": np.zeros(32, np.float32), "split": np.zeros(32, np.float32)})
    assert found.arrays["fused"].tolist() == [-(2.0**-26)] * 32
    assert found.arrays["split"].tolist() == [0.0] * 32


def test_fused_multiply_add_in_double() -> None:
    left = np.full(32, 1 + 2.0**-30)
    right = np.full(32, 1 - 2.0**-30)
    text = "__global__ void k(double *x, double *y, double *z) { int i = threadIdx.x; z[i] = fma(x[i], y[i], -1.0); }"
    found = run(text, {"x": left, "y": right, "z": np.zeros(32)})
    assert found.arrays["z"].tolist() == [-(2.0**-60)] * 32


ROUNDED = {
    "__fadd_rz(a, 1e-10f)": [1.0, float(np.nextafter(np.float32(-1), np.float32(0)))],
    "__fadd_ru(a, 1e-10f)": [
        float(np.nextafter(np.float32(1), np.float32(2))),
        float(np.nextafter(np.float32(-1), np.float32(0))),
    ],
    "__fadd_rd(a, 1e-10f)": [1.0, -1.0],
    "__fdiv_rd(a, 3.0f)": [
        float(np.nextafter(np.float32(1) / np.float32(3), np.float32(0))),
        -float(np.float32(1) / np.float32(3)),
    ],
    "__fsqrt_ru(a * a + 1.0f)": [float(np.nextafter(np.sqrt(np.float32(2)), np.float32(2)))] * 2,
    "__int2float_rz((1 << 25) * (int)a + (int)a)": [2.0**25, -(2.0**25)],
    "__double2float_rd(a + 1e-10)": [1.0, -1.0],
}


@pytest.mark.parametrize("expression", ROUNDED)
def test_rounding_modes(expression: str) -> None:
    value = np.array([1, -1] * 16, np.float32)
    assert binary(expression, "float", value, value).tolist() == ROUNDED[expression] * 16


def test_relations_of_half_with_nan() -> None:
    value = np.full(32, np.nan, np.float16)
    for name in ("heq", "hne", "hlt", "hge"):
        assert not binary(f"__{name}(a, b)", "__half", value, value, np.bool_).any()
        assert binary(f"__{name}u(a, b)", "__half", value, value, np.bool_).all()


def test_pairs_of_half_divide() -> None:
    text = """#include <cuda_fp16.h>
        __global__ void k(__half2 *x) { x[threadIdx.x] = x[threadIdx.x] / __float2half2_rn(4.0f); }"""
    found = run(text, {"x": np.array([[1, 2]] * 32, np.float16)})
    assert found.arrays["x"].tolist() == [[0.25, 0.5]] * 32


def test_dot_products_of_vectors() -> None:
    text = "__global__ void k(char4 *x, int *y) { int i = threadIdx.x; y[i] = __dp4a(x[i], x[i], 5); }"
    x = np.arange(128, dtype=np.int8).reshape(32, 4)
    found = run(text, {"x": x, "y": np.zeros(32, np.int32)})
    assert (found.arrays["y"] == (x.astype(np.int32) ** 2).sum(axis=1) + 5).all()


EXACT = {
    "sinpif(a)": 0.0,
    "cospif(a + 0.5f)": 0.0,
    "lgammaf(a - 3.0f)": math.inf,
    "modff(a / 0.0f, &b)": 0.0,
    "j0f(a / 0.0f)": 0.0,
    "norm3df(a / 0.0f, b / 0.0f - b / 0.0f, 1.0f)": math.inf,
    "cyl_bessel_i1f(a * 1e-30f)": float(np.float32(1.5e-30)),
}


@pytest.mark.parametrize("expression", EXACT)
def test_functions_at_the_ends_of_their_domains(expression: str) -> None:
    value = np.full(32, 3.0, np.float32)
    np.testing.assert_array_equal(binary(expression, "float", value, value), np.float32(EXACT[expression]))


def bfloat16(numbers: list[float]) -> NDArray[np.uint16]:
    return (np.array(numbers, np.float32).view(np.uint32) >> 16).astype(np.uint16)


def test_bfloat16() -> None:
    text = """#include <cuda_bf16.h>
    __global__ void k(__nv_bfloat16 *x, float *y) { int i = threadIdx.x;
        __nv_bfloat16 a = x[i]; y[i] = __bfloat162float(a); x[i] = __float2bfloat16(y[i] * 1.01f); }"""
    start = [1.0, -2.5, 100.0, 0.0078125] * 8
    found = run(text, {"x": bfloat16(start), "y": np.zeros(32, np.float32)})
    assert found.arrays["y"].tolist() == start
    scaled = (np.array(start, np.float32) * np.float32(1.01)).view(np.uint32).astype(np.uint64)
    expected = (scaled + 0x7FFF + (scaled >> 16 & 1) >> 16).astype(np.uint16)
    assert (found.arrays["x"] == expected).all()


MATH: dict[str, tuple[Callable[[Any], Any], float]] = {
    "sinf(a)": (np.sin, 1e-6),
    "expf(a)": (np.exp, 1e-6),
    "logf(fabsf(a) + 1.0f)": (lambda a: np.log(np.abs(a) + 1), 1e-6),
    "sqrtf(fabsf(a))": (lambda a: np.sqrt(np.abs(a)), 1e-6),
    "rsqrtf(a * a + 1.0f)": (lambda a: 1 / np.sqrt(a * a + 1), 1e-6),
    "powf(fabsf(a), 1.5f)": (lambda a: np.abs(a) ** 1.5, 1e-6),
    "floorf(a) + ceilf(a)": (lambda a: np.floor(a) + np.ceil(a), 0),
    "roundf(a)": (lambda a: np.copysign(np.floor(np.abs(a) + 0.5), a), 0),
    "rintf(a)": (np.rint, 0),
    "erff(a)": (lambda a: np.vectorize(math.erf)(a), 1e-6),
    "tgammaf(fabsf(a) + 1.0f)": (lambda a: np.vectorize(math.gamma)(np.abs(a) + 1), 1e-6),
    "fmodf(a, 0.75f)": (lambda a: np.fmod(a, 0.75), 0),
    "copysignf(3.0f, a)": (lambda a: np.copysign(3.0, a), 0),
    "hypotf(a, 2.0f)": (lambda a: np.hypot(a, 2.0), 1e-6),
    "exp10f(a)": (lambda a: 10.0**a, 1e-6),
    "fdimf(a, 1.0f)": (lambda a: np.maximum(a - 1, 0), 1e-6),
    "ldexpf(a, 3)": (lambda a: a * 8, 0),
    "cospif(a)": (lambda a: np.cos(np.pi * a), 1e-6),
    "normcdff(a)": (lambda a: 0.5 * np.vectorize(math.erfc)(-a / math.sqrt(2)), 1e-6),
    "__saturatef(a)": (lambda a: np.clip(a, 0, 1), 0),
}


@pytest.mark.parametrize("expression", MATH)
def test_library_functions(expression: str) -> None:
    value = np.linspace(-4, 4, 32).astype(np.float32)
    function, tolerance = MATH[expression]
    expected = function(value.astype(np.float64))
    np.testing.assert_allclose(binary(expression, "float", value, value), expected, rtol=tolerance, atol=1e-7)


def test_bessel_functions() -> None:
    value = np.array([0.5, 1.0, 2.0, 5.0, 10.0, 20.0, 100.0, 300.0] * 4)
    # Abramowitz and Stegun, tables 9.1 and 9.4, and their continuation
    j0 = [0.938469807240813, 0.765197686557967, 0.223890779141236, -0.177596771314338]
    y1 = [-1.471472392670243, -0.781212821300289, -0.107032431540938, 0.147863143391227]
    found = binary("j0(a)", "double", value, value)
    np.testing.assert_allclose(found[:4], j0, atol=1e-12)
    np.testing.assert_allclose(binary("y1(a)", "double", value, value)[:4], y1, atol=1e-12)


BITS: dict[str, Callable[[int], int]] = {
    "__popc(a)": lambda a: int(a).bit_count(),
    "__clz(a)": lambda a: 32 - int(a).bit_length(),
    "__ffs(a)": lambda a: (int(a) & -int(a)).bit_length(),
    "__brev(a)": lambda a: int(f"{int(a):032b}"[::-1], 2),
    "__umulhi(a, 0x12345678u)": lambda a: int(a) * 0x12345678 >> 32,
    "__byte_perm(a, 0x01020304u, 0x7041u)": lambda a: byte_perm(int(a), 0x01020304, 0x7041),
    "__byte_perm(a, 0x81828384u, 0xF8C9u)": lambda a: byte_perm(int(a), 0x81828384, 0x7041),
    "__funnelshift_l(a, 0xF0F0F0F0u, 12)": lambda a: ((0xF0F0F0F0 << 32 | int(a)) << 12 >> 32) & 0xFFFFFFFF,
}


def byte_perm(low: int, high: int, selector: int) -> int:
    octets = (high << 32 | low).to_bytes(8, "little")
    return sum(octets[selector >> 4 * index & 7] << 8 * index for index in range(4))


@pytest.mark.parametrize("expression", BITS)
def test_bit_functions(expression: str) -> None:
    value = np.random.default_rng(3).integers(0, 2**32, 32, np.uint32)
    value[:2] = 0, 0xFFFFFFFF
    function = BITS[expression]
    assert binary(expression, "unsigned", value, value).tolist() == [function(int(a)) for a in value]


def test_reinterpretation() -> None:
    value = np.array([0.5, -3.25] * 16, np.float32)
    assert (binary("__float_as_int(a)", "float", value, value, np.int32) == value.view(np.int32)).all()


def test_half_becomes_a_small_integer_as_by_its_own_functions() -> None:
    value = np.array([300.0, -300.0, 12.75, -1.5, np.inf, np.nan, 255.0, 65504.0] * 4, np.float16)
    assert binary("a", "__half", value, value, np.int8).tolist() == [127, -128, 12, -1, 127, 0, 127, 127] * 4
    assert binary("a", "__half", value, value, np.uint8).tolist() == [255, 0, 12, 0, 255, 0, 255, 255] * 4


def test_long_integers_are_rounded_once_to_bfloat16() -> None:
    halfway = (1 << 61) + (1 << 53)
    value = np.array([halfway, halfway + 1, -halfway, -halfway - 1] * 8, np.int64)
    up, down = float((1 << 61) + (1 << 54)), float(1 << 61)
    for text in ("(float)(__nv_bfloat16)a", "(float)__ll2bfloat16_rn(a)"):
        assert binary(text, "long long", value, value, np.float32).tolist() == [down, up, -down, -up] * 8


def test_the_size_of_an_expression_is_that_of_its_type() -> None:
    value = np.ones(32, np.int16)
    sizes = "sizeof(a + b) * 100 + sizeof(a * 1.0) * 10 + sizeof(i ? 1ll : a) + sizeof(a == b)"
    assert binary(sizes, "short", value, value, np.int32).tolist() == [489] * 32


def test_every_library_function_is_computed_or_refused_by_name() -> None:
    elsewhere = {
        *COLLECTIVES,
        MathFunction.RANDOM_DISCRETE,
        MathFunction.IS_GLOBAL,
        MathFunction.IS_SHARED,
        MathFunction.IS_CONSTANT,
        MathFunction.IS_LOCAL,
        MathFunction.IS_CONSTANT_EVALUATED,
    }
    missing = {function for function in MathFunction if f"math_{function.name.lower()}" not in namespace()}
    assert missing == elsewhere


# -- as seen on an NVIDIA H200 ----------------------------------------------------------------------------------------


def test_the_quotient_of_remquo_has_three_bits_and_a_sign() -> None:
    text = """__global__ void k(float *x, float *y, int *q, float *r) {
        int i = threadIdx.x; r[i] = remquof(x[i], y[i], &q[i]); }"""
    x = np.array([65535.5, -100.25, -1.8e19, 5.0, 12.0, -1e-5, 7.0, 1.0], np.float32)
    y = np.array([-126.6, 0.9727635, -0.10899036, 2.0, 4.0, 7.17e-43, 0.0, np.inf], np.float32)
    found = run(text, {"x": x, "y": y, "q": np.zeros(8, np.int32), "r": np.zeros(8, np.float32)}, block=8)
    assert found.arrays["q"].tolist() == [-6, -7, 7, 2, 3, 0, 0, 0]


def test_the_exponent_of_what_is_not_finite_is_0() -> None:
    text = "__global__ void k(double *x, int *e, double *m) { int i = threadIdx.x; m[i] = frexp(x[i], &e[i]); }"
    x = np.array([math.inf, -math.inf, math.nan, 0.0, 6.0])
    found = run(text, {"x": x, "e": np.zeros(5, np.int32), "m": np.zeros(5)}, block=5)
    assert found.arrays["e"].tolist() == [0, 0, 0, 0, 3]
    np.testing.assert_equal(found.arrays["m"], [math.inf, -math.inf, math.nan, 0.0, 0.75])


def test_the_fast_power_of_a_negative_base_is_not_a_number() -> None:
    x, y = np.array([-2, 2, 9, 0, -0.0], np.float32), np.array([2, 3, 0.5, 2, -0.0], np.float32)
    np.testing.assert_allclose(binary("__powf(a, b)", "float", x, y), [math.nan, 8, 3, 0, math.nan], rtol=1e-6)
