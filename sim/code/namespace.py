"""The names that generated code uses: NumPy's types under their codes, operators, exchanges, library functions."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from typing import Any

import numpy as np

from sim.memory.atomics import accumulate, atomic
from sim.memory.writing import write
from sim.values import (
    bits,
    directed,
    exchange,
    floats,
    integers,
    mathematics,
    matrices,
    packing,
    random_numbers,
    select,
    words,
)

_TYPES = {
    "b1": np.bool_,
    **{f"{kind[0]}{size}": np.dtype(f"{kind[0]}{size}").type for kind in ("int", "uint") for size in (1, 2, 4, 8)},
    "f2": np.float16,
    "f4": np.float32,
    "f8": np.float64,
}


@functools.cache
def namespace() -> Mapping[str, Any]:
    names: dict[str, Any] = {
        "np": np,
        "write": write,
        "atomic": atomic,
        "accumulate": accumulate,
        "BFLOAT16": directed.BFLOAT16,
        **_TYPES,
    }
    for module in (
        bits,
        directed,
        exchange,
        floats,
        integers,
        mathematics,
        matrices,
        packing,
        random_numbers,
        select,
        words,
    ):
        names.update({name: item for name, item in vars(module).items() if callable(item) and name[0] != "_"})
    return names
