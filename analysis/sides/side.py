"""Where a function may run: on the host, on the device, on both, or from a launch.

Rules    What says nothing is host code.  A `constexpr` function is taken for one of both sides: nvcc allows calls of it
         from device code with `--expt-relaxed-constexpr`, clang always, and which of them compiles is not known.
Source   Wu et al., gpucc, CGO 2016, section 2.2 and Table 1; what nvcc 13 accepts.
"""

from __future__ import annotations

from typing import Final

from analysis.ir.enumeration import Enumeration
from analysis.syntax.items import Item


class Side(Enumeration):
    """Where a function may run; the values are how it is written."""

    HOST = "__host__"
    DEVICE = "__device__"
    BOTH = "__host__ __device__"
    KERNEL = "__global__"


def side_of(function: Item) -> Side:
    """The side of one declaration."""
    if function.is_kernel:
        return Side.KERNEL
    if function.is_constexpr:
        return Side.BOTH
    if not function.is_device:
        return Side.HOST
    return Side.BOTH if function.is_host else Side.DEVICE


ON_DEVICE: Final = frozenset({Side.DEVICE, Side.KERNEL})
"""Functions that never run on the host."""
