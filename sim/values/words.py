"""Several small integers in one word: CUDA's SIMD intrinsics on arrays.

Source    CUDA math API, "SIMD intrinsics"; `s` saturates or is signed, `u` unsigned, `cmp` gives all ones, `set` one.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

import numpy as np

from analysis.ir.operators import SIMD_OPERATIONS
from sim.arrays import Values

_Function = Callable[..., Values]


def math_simd_in_word(*operands: Values) -> Values:
    """Words, and which of `SIMD_OPERATIONS`."""
    *words, code = operands
    name = SIMD_OPERATIONS[int(code)]
    extremum = _THREE_WAY.fullmatch(name)
    if extremum is not None:
        return _of_three(words, extremum[1], is_signed=extremum[2] == "s", is_clipped=bool(extremum[3]))
    stem, count = name[:-1], int(name[-1])
    bits = 32 // count
    if stem in _SUMS:
        parts = [_split(word, bits, signed=stem == "sads") for word in words]
        return np.sum([np.abs(a - b) for a, b in zip(*parts, strict=True)], axis=0).astype(np.uint32)
    order = _ORDER.fullmatch(stem)
    if order is not None:
        signed = order[3] == "s"
        yes = (1 << bits) - 1 if order[1] == "cmp" else 1
        compare = _COMPARISONS[order[2]]
        parts = [_split(word, bits, signed=signed) for word in words]
        return _joined([np.where(compare(a, b), yes, 0) for a, b in zip(*parts, strict=True)], bits)
    function, signed = _FUNCTIONS[stem]
    parts = [_split(word, bits, signed=signed) for word in words]
    found = [function(*lanes) for lanes in zip(*parts, strict=True)]
    if stem in _SATURATED:
        low, high = (-(1 << bits - 1), (1 << bits - 1) - 1) if signed else (0, (1 << bits) - 1)
        found = [np.clip(lane, low, high) for lane in found]
    return _joined(found, bits)


def _of_three(words: list[Values], operation: str, *, is_signed: bool, is_clipped: bool) -> Values:
    """`max(max(a, b), c)` or `max(a + b, c)` of halves of words; clipped below at zero."""
    choose = np.maximum if "max" in operation else np.minimum
    lanes: list[Values] = []
    for parts in zip(*(_split(word, 16, signed=is_signed) for word in words), strict=True):
        first = _wrapped(parts[0] + parts[1], is_signed) if operation.startswith("add") else choose(*parts[:2])
        found = choose(first, parts[2]) if len(parts) > 2 else first
        lanes.append(np.maximum(found, 0) if is_clipped else found)
    return _joined(lanes, 16)


def _wrapped(value: Values, is_signed: bool) -> Values:
    half = value.astype(np.uint16)
    return (half.view(np.int16) if is_signed else half).astype(np.int64)


def _split(word: Values, bits: int, *, signed: bool) -> list[Values]:
    whole = np.asarray(word).astype(np.uint32)
    kind = f"{'i' if signed else 'u'}{bits // 8}"
    lanes = [(whole >> np.uint32(at)).astype(f"u{bits // 8}") for at in range(0, 32, bits)]
    return [lane.view(kind).astype(np.int64) for lane in lanes]


def _joined(lanes: list[Values], bits: int) -> Values:
    mask = (1 << bits) - 1
    parts = [(lane & mask) << index * bits for index, lane in enumerate(lanes)]
    return np.bitwise_or.reduce(parts).astype(np.uint32)


def _plus(a: Values, b: Values) -> Values:
    return a + b


def _minus(a: Values, b: Values) -> Values:
    return a - b


def _distance(a: Values, b: Values) -> Values:
    return np.abs(a - b)


def _rounded_average(a: Values, b: Values) -> Values:
    return (a + b + 1) >> 1


def _signed_average(a: Values, b: Values) -> Values:
    """PTX `vavrg2`: rounded up if the sum is not negative, else down."""
    return (a + b + (a + b >= 0)) >> 1


def _average(a: Values, b: Values) -> Values:
    return (a + b) >> 1


def _size(a: Values) -> Values:
    return np.abs(a)


def _opposite(a: Values) -> Values:
    return -a


_THREE_WAY: Final = re.compile(r"(max3|min3|addmax|addmin|max|min)2([su])(_relu)?")
_ORDER: Final = re.compile(r"(cmp|set)(eq|ne|ge|gt|le|lt)([su]?)")
_COMPARISONS: Final[dict[str, _Function]] = {
    "eq": np.equal,
    "ne": np.not_equal,
    "ge": np.greater_equal,
    "gt": np.greater,
    "le": np.less_equal,
    "lt": np.less,
}
_SUMS: Final = frozenset(("sads", "sadu"))
_SATURATED: Final = frozenset(("addss", "addus", "subss", "subus", "absss", "negss"))
_FUNCTIONS: Final[dict[str, tuple[_Function, bool]]] = {
    "add": (_plus, True),
    "addss": (_plus, True),
    "addus": (_plus, False),
    "sub": (_minus, True),
    "subss": (_minus, True),
    "subus": (_minus, False),
    "absdiffs": (_distance, True),
    "absdiffu": (_distance, False),
    "avgs": (_signed_average, True),
    "avgu": (_rounded_average, False),
    "hadds": (_average, True),
    "haddu": (_average, False),
    "maxs": (np.maximum, True),
    "maxu": (np.maximum, False),
    "mins": (np.minimum, True),
    "minu": (np.minimum, False),
    "abs": (_size, True),
    "absss": (_size, True),
    "neg": (_opposite, True),
    "negss": (_opposite, True),
}
"""What each lane computes, and whether on signed numbers."""
