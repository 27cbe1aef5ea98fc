"""What a warp-wide register can hold, and how many reads and results are of each kind.

    uniform   v[i] = c             the same in all active lanes
    affine    v[i] = b + i * s     evenly spaced integers or addresses
    generic                        anything else
    lone                           one lane is active: it agrees with itself, which says nothing

A register is one scalar part of a value, as in `analysis.scalar`: a `float4` has four.  Operands that stand in the
instruction (constants, addresses of variables) are no registers.
Source     Collange, "GPU architecture part 2", 2020, "Tagging registers"; Collange, Defour, Zhang, HPPC 2009.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, final

import numpy as np
from numpy.typing import NDArray

from analysis.ir.ids import ValueId
from analysis.ir.record import record
from analysis.verdict.latency import is_issued
from sim.arrays import Lanes, Rows, Values
from sim.events import Run

UNIFORM: Final = 0
AFFINE: Final = 1
GENERIC: Final = 2

Kinds = NDArray[np.int8]
"""(rows,)"""


@final
@record
class KindCount:
    """Registers of warps, counted once per instruction that a warp executes."""

    uniform: int = 0
    affine: int = 0
    generic: int = 0
    lone: int = 0

    def __add__(self, other: KindCount) -> KindCount:
        return KindCount(
            self.uniform + other.uniform,
            self.affine + other.affine,
            self.generic + other.generic,
            self.lone + other.lone,
        )

    @property
    def uniform_share(self) -> float:
        """Of those that more than one lane reads or writes; 0 where there are none."""
        return self._share(self.uniform)

    @property
    def affine_share(self) -> float:
        """The same for uniform and affine together: a uniform register is an affine one of stride 0."""
        return self._share(self.uniform + self.affine)

    def _share(self, part: int) -> float:
        several = self.uniform + self.affine + self.generic
        return part / several if several else 0.0


@final
@record
class RegisterShares:
    """`reads` of register operands, `results` of instructions."""

    reads: KindCount
    results: KindCount


@final
@dataclass(slots=True)
class Tally:
    """Counts that grow: by kind, `lone` apart."""

    kinds: NDArray[np.int64]
    lone: int = 0

    @classmethod
    def empty(cls) -> Tally:
        return cls(np.zeros(3, np.int64))

    def add(self, kinds: Kinds | int, several: Lanes) -> None:
        """`kinds` per row, or one for all; only rows where `several` lanes are active tell something."""
        rows = int(np.count_nonzero(several))
        self.lone += len(several) - rows
        if isinstance(kinds, int):
            self.kinds[kinds] += rows
        else:
            self.kinds += np.bincount(kinds[several], minlength=3)

    def count(self) -> KindCount:
        uniform, affine, generic = self.kinds.tolist()
        return KindCount(uniform, affine, generic, self.lone)


def immediates(run: Run) -> frozenset[ValueId]:
    """Values of the kernel that stand in instructions."""
    return frozenset(
        one.result for _, one in run.kernel.instructions() if one.result is not None and not is_issued(one)
    )


def kinds_of(values: Values, lanes: Lanes | None, shape: tuple[int, int]) -> Kinds | int:
    """The kind of each row's register, compared bit by bit; one answer for all rows where they agree by construction.

    Distances between lanes wrap as the type does; floating-point numbers are uniform or generic.
    """
    if values.ndim == 0 or values.shape[-1] == 1:
        return UNIFORM
    may_be_affine = values.dtype.kind in "iu"
    bits = np.broadcast_to(_as_bits(values), shape)
    if lanes is None:
        steps = bits[:, 1:] - bits[:, :-1]
        regular = (steps == steps[:, :1]).all(axis=1)
        uniform = regular & (steps[:, 0] == 0)
    else:
        first: Rows = lanes.argmax(axis=1)
        base: Values = bits[np.arange(shape[0]), first][:, None]
        distances = np.where(lanes, bits - base, bits.dtype.type(0))
        uniform = (distances == 0).all(axis=1)
        regular = _is_regular(distances, lanes, first) if may_be_affine and not uniform.all() else uniform
    kinds = np.full(shape[0], GENERIC, np.int8)
    if may_be_affine:
        kinds[regular] = AFFINE
    kinds[uniform] = UNIFORM
    return kinds


def _is_regular(distances: Values, lanes: Lanes, first: Rows) -> Lanes:
    """Whether the distances from the first active lane are multiples of one stride."""
    rows = np.arange(len(lanes))
    signed: Values = distances.view(np.dtype(f"i{distances.itemsize}"))
    later: Lanes = lanes.copy()
    later[rows, first] = False
    second = np.where(later.any(axis=1), later.argmax(axis=1), first)
    gap: Values = np.maximum(second - first, 1).astype(signed.dtype)
    rise: Values = signed[rows, second]
    stride: Values = rise // gap
    steps: Values = np.asarray(np.arange(lanes.shape[1]) - first[:, None], signed.dtype)
    fits: Lanes = (signed == stride[:, None] * steps) | ~lanes
    return fits.all(axis=1) & (stride * gap == rise)


def _as_bits(values: Values) -> Values:
    return values.view(np.dtype(f"u{values.itemsize}"))
