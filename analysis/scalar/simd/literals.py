"""Numbers as they stand in the lines of the vector form: exactly the element that they are."""

from __future__ import annotations

import math

from analysis.scalar.simd.parts import WIDTHS


def literal(value: float | bool, element: str) -> str:
    """Plain for `int`, `double` and `bool`; `u32(7)` for the others."""
    if element == "bool":
        return repr(bool(value))
    if element[0] == "f":
        number = float(value)
        text = repr(number) if math.isfinite(number) else f'float("{number}")'
        return text if element == "f64" else f"{element}({text})"
    bits = 8 * WIDTHS[element]
    pattern = int(value) & ((1 << bits) - 1)
    if element[0] == "i" and pattern >> (bits - 1):
        pattern -= 1 << bits
    return str(pattern) if element == "i32" else f"{element}({pattern})"
