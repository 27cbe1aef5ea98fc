"""What the file says that `__constant__` and `__device__` variables hold, as arrays.

Limits  Nothing for a variable whose initialiser is not understood or that is larger than `MAX_BYTES`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from analysis.ir.function import Symbol, SymbolKind
from analysis.ir.types import ArrayType, FloatFormat, FloatType, Type
from analysis.lower.initial_contents import Contents
from analysis.lower.layouts import size_of
from analysis.lower.types import FUNCTION_POINTER
from sim.kernel import Kernel
from sim.launch.contents import Structs, fit, number_format

MAX_BYTES: Final = 1 << 24


def initial_values(kernel: Kernel) -> Mapping[str, NDArray[Any]]:
    """By name, in the memory format of `Array.data`; only variables with an initialiser that is understood."""
    found: dict[str, NDArray[Any]] = {}
    for function in (kernel.function, *kernel.callees.values()):
        for symbol in function.symbols:
            if symbol.kind in (SymbolKind.CONSTANT, SymbolKind.GLOBAL) and symbol.name not in found:
                values = _values(symbol, kernel.contents.get(symbol.name), function.structs)
                if values is not None:
                    found[symbol.name] = values
    return found


def _values(symbol: Symbol, contents: Contents, structs: Structs) -> NDArray[Any] | None:
    size = size_of(symbol.type, structs)
    if contents is None or size is None or size > MAX_BYTES:
        return None
    octets = np.zeros(size, np.uint8)
    for number in contents:
        format = np.dtype(np.int64) if number.type == FUNCTION_POINTER else number_format(number.type)
        if format is None or (isinstance(number.type, FloatType) and number.type.format is FloatFormat.BFLOAT16):
            return None
        value = np.array([number.value]).astype(format).view(np.uint8)
        octets[number.offset : number.offset + len(value)] = value
    return fit(octets, _element(symbol.type))


def _element(type: Type) -> Type:
    while isinstance(type, ArrayType):
        type = type.element
    return type
