"""How far the simulator may be from the exact result, in ulps: what CUDA promises, so both are right or one is wrong.

Source    CUDA C++ Programming Guide, "Mathematical Functions", tables of maximum ulp errors; half and bfloat16
          functions round a single-precision result, the tables of the Math API allow 1 or 2.
          What is not listed is exact: arithmetic, conversions, roundings, comparisons, integers.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, final


@final
@dataclass(frozen=True, slots=True)
class Tolerance:
    """Either is enough; `absolute` is for functions with zeros that lie between floating-point numbers."""

    ulps: float
    absolute: float = 0.0


EXACT: Final = Tolerance(0)

# name in double precision → ulps in single and in double precision
_LIBRARY: Final = {
    "rsqrt": (2, 1),
    "cbrt": (1, 1),
    "rcbrt": (1, 1),
    "exp": (2, 1),
    "exp2": (2, 1),
    "exp10": (2, 1),
    "expm1": (1, 1),
    "log": (1, 1),
    "log2": (1, 1),
    "log10": (2, 1),
    "log1p": (1, 1),
    "sin": (2, 2),
    "cos": (2, 2),
    "sincos": (2, 2),
    "tan": (4, 2),
    "sinpi": (1, 2),
    "cospi": (1, 2),
    "sincospi": (1, 2),
    "asin": (2, 2),
    "acos": (2, 2),
    "atan": (2, 2),
    "atan2": (3, 2),
    "sinh": (3, 2),
    "cosh": (2, 1),
    "tanh": (2, 1),
    "asinh": (3, 3),
    "acosh": (4, 3),
    "atanh": (3, 2),
    "pow": (4, 2),
    "powi": (4, 2),
    "hypot": (3, 2),
    "rhypot": (2, 1),
    "norm3d": (3, 1),
    "rnorm3d": (2, 1),
    "norm4d": (3, 1),
    "rnorm4d": (2, 1),
    "erf": (2, 2),
    "erfc": (4, 5),
    "erfinv": (2, 5),
    "erfcinv": (4, 6),
    "erfcx": (4, 4),
    "normcdf": (5, 5),
    "normcdfinv": (5, 8),
    "tgamma": (5, 10),
    "cyl_bessel_i0": (6, 6),
    "cyl_bessel_i1": (6, 6),
    "fdivide": (2, 0),
}
# ulps, and the absolute error near zeros of the function, in single and double precision
_WITH_ZEROS: Final = {
    "lgamma": ((6, 4e-6), (4, 1e-14)),
    "j0": ((9, 2.2e-6), (7, 5e-12)),
    "j1": ((9, 2.2e-6), (7, 5e-12)),
    "jn": ((9, 2.2e-6), (7, 5e-12)),
    "y0": ((9, 2.2e-6), (7, 5e-12)),
    "y1": ((9, 2.2e-6), (7, 5e-12)),
    "yn": ((9, 2.2e-6), (7, 5e-12)),
}
# Fast functions are computed as the exact ones, which is within what CUDA promises for them.
_FAST: Final = {
    "__expf": "exp",
    "__exp10f": "exp10",
    "__logf": "log",
    "__log2f": "log2",
    "__log10f": "log10",
    "__sinf": "sin",
    "__cosf": "cos",
    "__sincosf": "sincos",
    "__tanf": "tan",
    "__tanhf": "tanh",
    "__powf": "exp2",
    "__fdividef": "fdivide",
    "fdividef": "fdivide",
}
_HALF: Final = ("rsqrt", "rcp", "exp", "exp2", "exp10", "log", "log2", "log10", "sin", "cos", "tanh", "tanh_approx")


def tolerance_of(function: str, *, is_double: bool) -> Tolerance:
    """The bound for one function; the width is that of its result."""
    name = _FAST.get(function, function)
    stem = name if name in _LIBRARY or name in _WITH_ZEROS else name.removesuffix("f")
    if stem in _LIBRARY:
        return Tolerance(_LIBRARY[stem][is_double])
    if stem in _WITH_ZEROS:
        return Tolerance(*_WITH_ZEROS[stem][is_double])
    if function.removeprefix("h2").removeprefix("h") in _HALF:
        return Tolerance(1)
    return EXACT
