"""Collange's lattice: what one warp-wide register holds, as a tag that can be printed.

Bottom < C(v) < U < A(s) < K: nothing yet, a known constant, the same in all lanes, `base + s * lane`, unknown.
The alignment is the largest known power of two that divides the base.

Source  Collange, Defour and Zhang, HPPC 2009; Collange, "Identifying scalar behavior in CUDA kernels", 2011.
"""

from __future__ import annotations

from typing import TypeAlias, final

from analysis.ir.record import record


@final
@record
class Bottom:
    """Never defined: in code that the entry does not reach."""

    def __str__(self) -> str:
        return "bottom"


@final
@record
class ConstantTag:
    """The same known number in all threads."""

    value: int

    def __str__(self) -> str:
        return f"C({self.value})"


@final
@record
class Uniform:
    """One value per warp; a multiple of `alignment`."""

    alignment: int

    def __str__(self) -> str:
        return "U" if self.alignment == 1 else f"U, multiple of {self.alignment}"


@final
@record
class Affine:
    """`base + stride * lane` in the units of the value; bytes for pointers, `base` a multiple of `alignment`."""

    stride: int
    alignment: int

    def __str__(self) -> str:
        return f"A({self.stride})" if self.alignment == 1 else f"A({self.stride}), base a multiple of {self.alignment}"


@final
@record
class Unknown:
    """Anything else."""

    def __str__(self) -> str:
        return "K"


CollangeTag: TypeAlias = Bottom | ConstantTag | Uniform | Affine | Unknown
