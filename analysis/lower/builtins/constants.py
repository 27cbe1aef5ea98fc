"""Named constants of the C headers and of CUDA's `math_constants.h`, with their types."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, TypeAlias

from analysis.ir.types import (
    F16,
    F32,
    F64,
    S8,
    S16,
    S32,
    S64,
    U8,
    U16,
    U32,
    U64,
    VOID,
    IntegerType,
    MemorySpace,
    PointerType,
    Type,
)

ConstantEntry: TypeAlias = tuple[int | float | None, Type]

_INF, _NAN = float("inf"), float("nan")
_NULL: Final[ConstantEntry] = (0, PointerType(VOID, MemorySpace.GENERIC))


def smallest(type: IntegerType) -> int:
    return -(1 << (type.bits - 1)) if type.signed else 0


def largest(type: IntegerType) -> int:
    return (1 << (type.bits - type.signed)) - 1


# limits.h: stem → type; unsigned types have no `_MIN`
_INTEGER_LIMITS: Final[Mapping[str, IntegerType]] = {
    "SCHAR": S8,
    "CHAR": S8,
    "UCHAR": U8,
    "SHRT": S16,
    "USHRT": U16,
    "INT": S32,
    "UINT": U32,
    "LONG": S64,
    "ULONG": U64,
    "LLONG": S64,
    "ULLONG": U64,
    "LONG_LONG": S64,
    "ULONG_LONG": U64,
    "INT8": S8,
    "INT16": S16,
    "INT32": S32,
    "INT64": S64,
    "UINT8": U8,
    "UINT16": U16,
    "UINT32": U32,
    "UINT64": U64,
    "INTMAX": S64,
    "UINTMAX": U64,
    "INTPTR": S64,
    "UINTPTR": U64,
    "PTRDIFF": S64,
    "SIZE": U64,
}

# float.h: name after `FLT_`, `DBL_` → values in the two precisions
_FLOAT_LIMITS: Final[Mapping[str, tuple[float, float]]] = {
    "MAX": (3.4028234663852886e38, 1.7976931348623157e308),
    "MIN": (1.1754943508222875e-38, 2.2250738585072014e-308),
    "TRUE_MIN": (1.401298464324817e-45, 5e-324),
    "DENORM_MIN": (1.401298464324817e-45, 5e-324),
    "EPSILON": (1.1920928955078125e-07, 2.220446049250313e-16),
}

_FLOAT_SIZES: Final[Mapping[str, int]] = {
    "FLT_RADIX": 2,
    "FLT_MANT_DIG": 24,
    "DBL_MANT_DIG": 53,
    "FLT_DIG": 6,
    "DBL_DIG": 15,
    "FLT_MAX_EXP": 128,
    "DBL_MAX_EXP": 1024,
    "FLT_MIN_EXP": -125,
    "DBL_MIN_EXP": -1021,
    "FLT_MAX_10_EXP": 38,
    "DBL_MAX_10_EXP": 308,
    "CHAR_BIT": 8,
    "RAND_MAX": 2147483647,
    "EXIT_SUCCESS": 0,
    "EXIT_FAILURE": 1,
}

# math.h: name → value; also the stems of `math_constants.h`
_MATHEMATICAL: Final[Mapping[str, float]] = {
    "M_E": 2.718281828459045,
    "M_LOG2E": 1.4426950408889634,
    "M_LOG10E": 0.4342944819032518,
    "M_LN2": 0.6931471805599453,
    "M_LN10": 2.302585092994046,
    "M_PI": 3.141592653589793,
    "M_PI_2": 1.5707963267948966,
    "M_PI_4": 0.7853981633974483,
    "M_1_PI": 0.3183098861837907,
    "M_2_PI": 0.6366197723675814,
    "M_2_SQRTPI": 1.1283791670955126,
    "M_SQRT2": 1.4142135623730951,
    "M_SQRT1_2": 0.7071067811865476,
}

# CUDA's math_constants.h: stem → value; `_F` is the float form
_CUDART: Final[Mapping[str, float]] = {
    "INF": _INF,
    "NAN": _NAN,
    "MIN_DENORM": 5e-324,
    "MAX_NORMAL": 1.7976931348623157e308,
    "NEG_ZERO": -0.0,
    "ZERO": 0.0,
    "ONE": 1.0,
    "SQRT_HALF": 0.7071067811865476,
    "SQRT_HALF_HI": 0.7071067811865476,
    "SQRT_TWO": 1.4142135623730951,
    "THIRD": 0.3333333333333333,
    "PIO4": 0.7853981633974483,
    "PIO2": 1.5707963267948966,
    "3PIO4": 2.356194490192345,
    "2_OVER_PI": 0.6366197723675814,
    "SQRT_2_OVER_PI": 0.7978845608028654,
    "PI": 3.141592653589793,
    "L2E": 1.4426950408889634,
    "L2T": 3.321928094887362,
    "LG2": 0.3010299956639812,
    "LGE": 0.4342944819032518,
    "LN2": 0.6931471805599453,
    "LNT": 2.302585092994046,
    "LNPI": 1.1447298858494002,
    "TWO_TO_M126": 2.0**-126,
    "TWO_TO_126": 2.0**126,
    "TWO_TO_23": 2.0**23,
    "TWO_TO_24": 2.0**24,
    "TWO_TO_31": 2.0**31,
    "TWO_TO_32": 2.0**32,
    "TWO_TO_52": 2.0**52,
    "TWO_TO_53": 2.0**53,
    "TWO_TO_54": 2.0**54,
}
_CUDART_SINGLE: Final[Mapping[str, float]] = {
    **_CUDART,
    "MIN_DENORM": 1.401298464324817e-45,
    "MAX_NORMAL": 3.4028234663852886e38,
}

# cuda::memory_order, cudaError and similar enumerations that device code mentions
_ENUMERATORS: Final[Mapping[str, int]] = {
    "cudaSuccess": 0,
    "hipSuccess": 0,
    "memory_order_relaxed": 0,
    "memory_order_consume": 1,
    "memory_order_acquire": 2,
    "memory_order_release": 3,
    "memory_order_acq_rel": 4,
    "memory_order_seq_cst": 5,
    "memory_order::relaxed": 0,
    "memory_order::consume": 1,
    "memory_order::acquire": 2,
    "memory_order::release": 3,
    "memory_order::acq_rel": 4,
    "memory_order::seq_cst": 5,
    "thread_scope_system": 0,
    "thread_scope_device": 1,
    "thread_scope_block": 2,
    "thread_scope_thread": 10,
    "mem_row_major": 0,
    "mem_col_major": 1,
    "cudaMemcpyHostToHost": 0,
    "cudaMemcpyHostToDevice": 1,
    "cudaMemcpyDeviceToHost": 2,
    "cudaMemcpyDeviceToDevice": 3,
    "cudaMemcpyDefault": 4,
    "pipeline_role::producer": 0,
    "pipeline_role::consumer": 1,
    **dict.fromkeys(
        (
            *(f"ptx::sem_{order}" for order in ("acquire", "release", "relaxed")),
            *(f"ptx::scope_{scope}" for scope in ("cta", "cluster", "gpu", "sys")),
            *(f"ptx::space_{space}" for space in ("shared", "cluster", "global")),
        ),
        0,
    ),
    "cudaStreamNonBlocking": 1,
    "cudaEventDefault": 0,
    "cudaEventBlockingSync": 1,
    "cudaEventDisableTiming": 2,
    "cudaEventInterprocess": 4,
    "cudaBoundaryModeZero": 0,
    "cudaBoundaryModeClamp": 1,
    "cudaBoundaryModeTrap": 2,
    "cudaReadModeElementType": 0,
    "cudaReadModeNormalizedFloat": 1,
    "cudaTextureType1D": 1,
    "cudaTextureType2D": 2,
    "cudaTextureType3D": 3,
    "cudaTextureType1DLayered": 0xF1,
    "cudaTextureType2DLayered": 0xF2,
    "cudaTextureTypeCubemap": 0xC,
    "cudaSurfaceType1D": 1,
    "cudaSurfaceType2D": 2,
    "cudaSurfaceType3D": 3,
    "cudaAddressModeWrap": 0,
    "cudaAddressModeClamp": 1,
    "cudaFilterModePoint": 0,
    "cudaFilterModeLinear": 1,
}

CONSTANTS: Final[Mapping[str, ConstantEntry]] = {
    "NULL": _NULL,
    "nullptr": _NULL,
    "true": (True, S32),
    "false": (False, S32),
    "INFINITY": (_INF, F32),
    "NAN": (_NAN, F32),
    "HUGE_VAL": (_INF, F64),
    "HUGE_VALF": (_INF, F32),
    "MAXFLOAT": (3.4028234663852886e38, F32),
    "CUDART_VERSION": (None, S32),
    "CUDA_VERSION": (None, S32),
    **{f"{stem}_MAX": (largest(type), type) for stem, type in _INTEGER_LIMITS.items()},
    **{f"{stem}_MIN": (smallest(type), type) for stem, type in _INTEGER_LIMITS.items() if type.signed},
    **{f"FLT_{name}": (single, F32) for name, (single, _) in _FLOAT_LIMITS.items()},
    **{f"DBL_{name}": (double, F64) for name, (_, double) in _FLOAT_LIMITS.items()},
    **{f"__FLT_{name}__": (single, F32) for name, (single, _) in _FLOAT_LIMITS.items()},
    **{f"__DBL_{name}__": (double, F64) for name, (_, double) in _FLOAT_LIMITS.items()},
    "__INT_MAX__": (largest(S32), S32),
    **{name: (value, S32) for name, value in _FLOAT_SIZES.items()},
    **{name: (value, F64) for name, value in _MATHEMATICAL.items()},
    **{f"CUDART_{name}": (value, F64) for name, value in _CUDART.items()},
    **{f"CUDART_{name}_F": (value, F32) for name, value in _CUDART_SINGLE.items()},
    **{
        f"CUDART_{name}_FP16": (value, F16)
        for name, value in (("INF", _INF), ("NAN", _NAN), ("ONE", 1.0), ("ZERO", 0.0), ("MAX_NORMAL", 65504.0))
    },
    **{name: (value, S32) for name, value in _ENUMERATORS.items()},
}
