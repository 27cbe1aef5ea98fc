"""A launch, complete: everything that a run depends on besides the kernel.

Who makes one (inference, annotations, the command line, tests) decides everything; the engine chooses nothing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field
from enum import Enum
from typing import Any, TypeAlias, final

from numpy.typing import NDArray

from analysis.ir.index3 import Index3
from analysis.ir.record import record
from analysis.ir.types import Type


@final
@record
class Scalar:
    """A number passed by value, converted to the parameter's type."""

    value: int | float | bool


@final
@record
class Array:
    """A buffer in global memory that the parameter points to; the run works on a copy.

    `data` has the element type's memory format: (n,) float32 for `float *`, (n, 4) float32 for `float4 *`, uint16 bits
    for bfloat16, uint8 bytes for anything else.  `offset` is where the pointer points, in bytes from the start.
    """

    data: NDArray[Any]
    offset: int = 0


class Filling(Enum):
    """What a chosen array holds."""

    RANDOM = "random"
    ZERO = "zero"
    INDEX = "index"
    UNINITIALISED = "uninitialised"


@final
@record
class ChosenArray:
    """A buffer of `length` elements of the parameter's element type, filled from the launch's seed.

    RANDOM numbers lie in [low, high) (integers in [low, high) as well); members of structs are filled one by one.
    """

    length: int
    filling: Filling = Filling.RANDOM
    low: float = 0.0
    high: float = 1.0


@final
@record
class Objects:
    """Memory that only pointers in memory lead to: `count` objects of equal size, one after the other in the contents
    of `argument`, an array of `element`s."""

    element: Type
    argument: Array | ChosenArray
    count: int = 1


@final
@record
class Pointers:
    """Pointers that lie in memory, `at` bytes from the start of the buffer or variable `holder`: to the byte `offsets`
    of the `objects`-th object of `target`; null where that is negative.  All three are (n,) int64."""

    holder: str
    target: str
    at: NDArray[Any]
    objects: NDArray[Any]
    offsets: NDArray[Any]


@final
@record
class SameAs:
    """Points into the buffer of another parameter, `offset` bytes from its start."""

    parameter: str
    offset: int = 0


@final
@record
class Struct:
    """A struct, vector or array in one, passed by value: arguments by member name (`x`, `y`, `z`, `w` for a vector,
    `[0]`, `[1]` for an array); others are 0."""

    members: Mapping[str, Argument]


class AddressMode(Enum):
    CLAMP = "clamp"
    WRAP = "wrap"
    MIRROR = "mirror"
    BORDER = "border"


@final
@record
class TextureImage:
    """What a texture or surface handle shows: `texels` is ([[depth,] height,] width[, channels])."""

    texels: NDArray[Any]
    channels: int = 1
    linear: bool = False
    """Linear instead of point filtering."""
    address_mode: AddressMode = AddressMode.CLAMP
    normalized_coordinates: bool = False
    normalized_values: bool = False
    """Integer texels are read as floating-point numbers in [0, 1] or [-1, 1]."""


Argument: TypeAlias = Scalar | Array | ChosenArray | SameAs | Struct | TextureImage


class WarpOrder(Enum):
    """Which of the warps that can run go on.  Hardware promises none of these orders: programs must not rest on one."""

    TOGETHER = "together"
    """All that stand at one place, those at the earliest place in the program first."""
    FIRST_ALONE = "first-warp-first"
    """One after the other, each as far as it can, the first one first."""
    LAST_ALONE = "last-warp-first"
    """The same, the last one first."""


@final
@record
class Budget:
    """Where a run ends even if the program does not."""

    max_steps: int = 2_000_000_000
    """Warp instructions."""
    seconds: float = 10.0
    memory_bytes: int = 1 << 30
    """Of everything that the program has; the process needs some four times as much at most."""


@final
@record
class LaunchSpecification:
    """Shapes in blocks and threads; `arguments` by parameter name, `variables` by the name of a `__device__` or
    `__constant__` variable or texture reference, whose own initial contents they replace; `pointers` in them lead into
    each other and into `regions`."""

    grid: Index3
    block: Index3
    arguments: Mapping[str, Argument] = field(default_factory=dict[str, "Argument"])
    variables: Mapping[str, Argument] = field(default_factory=dict[str, "Argument"])
    regions: Mapping[str, Objects] = field(default_factory=dict[str, Objects])
    pointers: Sequence[Pointers] = ()
    dynamic_shared_bytes: int = 0
    seed: int = 0
    warp_size: int = 32
    havoc: bool = False
    """Constructs that are not understood yield seeded random values instead of a refusal."""
    barriers_in_turn: bool = False
    """Where threads of a block wait at different barriers, those at the first one in the program go on and the others
    stay, as if each barrier waited for who can come to it; the fault is recorded all the same."""
    budget: Budget = Budget()
    leaves_out_launches: bool = False
    """Kernels that the kernel launches are not run, which the result says, instead of a refusal."""
    first_blocks: int = 0
    """So many blocks of the grid are run, in linear order; 0 for all.  The kernel sees the whole grid."""
    warp_order: WarpOrder = WarpOrder.TOGETHER
    sampled_blocks: int = 0
    """So many of these are run, spread over all of them (`block_sample.py`); 0 for all.  At least 3; no observer may
    ask which blocks race."""

    @property
    def candidate_blocks(self) -> int:
        """All, or the first."""
        return min(self.first_blocks, self.blocks) or self.blocks

    @property
    def blocks_to_run(self) -> int:
        """How many."""
        return min(self.sampled_blocks, self.candidate_blocks) or self.candidate_blocks

    @property
    def threads_per_block(self) -> int:
        return self.block[0] * self.block[1] * self.block[2]

    @property
    def blocks(self) -> int:
        return self.grid[0] * self.grid[1] * self.grid[2]

    @property
    def warps_per_block(self) -> int:
        return -(-self.threads_per_block // self.warp_size)
