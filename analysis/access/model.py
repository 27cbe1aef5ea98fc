"""What is known of one access to memory: how the lanes of a warp address it, and what the request costs."""

from __future__ import annotations

from enum import Enum
from typing import final

from analysis.affine.linear_form import LinearForm
from analysis.ir.enumeration import Enumeration
from analysis.ir.ids import BasicBlockId, SymbolId, ValueId
from analysis.ir.record import record
from analysis.ir.source import Span
from analysis.ir.types import MemorySpace

SECTOR_BYTES = 32
"""The unit in which caches and memory move data."""
BANKS = 32
BANK_BYTES = 4
ALLOCATION_ALIGNMENT = 256
"""`cudaMalloc` aligns to at least 256 bytes (CUDA C++ Programming Guide, "Device Memory Accesses")."""


class AccessKind(Enumeration):
    """The values are those of the `facts` contract."""

    LOAD = "load"
    STORE = "store"
    ATOMIC = "atomic"


class AccessPattern(Enum):
    """How the addresses of a warp's lanes lie; the values are those of the `facts` contract."""

    BROADCAST = "broadcast"
    """All lanes read or write one address."""
    WARP_SEQUENTIAL = "warp-sequential"
    """Each lane's element follows that of the lane before it."""
    STRIDED = "strided"
    """Lanes are a constant distance apart, or one that is the same for all but not a known number."""
    SCATTERED = "scattered"
    """A known function of the thread index that is not linear in the lane: rows, swizzles."""
    UNKNOWN = "unknown"


class Participation(Enum):
    """Which lanes of a warp make the request."""

    FULL = "full"
    """All of a warp's live lanes, or exactly those that the guards let through, which are known."""
    BOUNDED = "bounded"
    """All, away from a bound that is not known (`i < n`)."""
    UNKNOWN = "unknown"
    """Data decides, or one thread is singled out."""


class Basis(Enumeration):
    """What a cost rests on."""

    KNOWN_SHAPE = "known shape"
    """Every block shape of the launches."""
    LINE = "line"
    """The kernel uses one dimension of the block: warps are rows of threads, full ones if the block is large enough."""
    ROW = "row"
    """Rows of threads are taken to be a multiple of the warp."""


@final
@record
class FarApart:
    """What a request costs if the one distance between lanes that is no known number is `distance` bytes or more.

    `sectors`: at least so many, whatever the base; `in_short_rows` as in `RequestCost`.  Told only where the distance
    stays what it is while the kernel runs: products and sums of arguments, of extents of the launch, of values that are
    read from memory.
    """

    sectors: int
    distance: int
    in_short_rows: int | None = None


@final
@record
class RequestCost:
    """What one request of a warp costs at its worst over the warps of the known block shapes.

    `sectors`: 32-byte sectors if the uniform part of the address that is not known is aligned like an allocation;
    `sectors_max`: for the worst base that the known alignment allows; `ideal_sectors`: what the bytes would fill.
    None for shared memory.  `bank_ways`: how many passes over the banks of shared memory the lanes need that go through
    together (1: no conflict); `bank_conflicts`: the passes of the whole warp beyond one for each such group; None for
    other memory.
    `is_exact`: False where some distance between lanes is not a known number, or where elements smaller than a word of
    a bank may begin anywhere in one; then `sectors` and `bank_ways` are lower bounds (None: no bound worth telling) and
    `sectors_max` an upper one.
    """

    sectors: int | None
    sectors_max: int | None
    ideal_sectors: int | None
    bank_ways: int | None
    lanes: int
    is_exact: bool
    basis: Basis
    in_short_rows: int | None = None
    """Where the shape is not known: `sectors` or `bank_ways` at least, in blocks whose rows have 16 or 8 threads (in a
    line: that have 16 threads)."""
    bank_conflicts: int | None = None
    far_apart: FarApart | None = None
    """Where `is_exact` is False: what it costs if the lanes are far apart."""

    @property
    def assumes_row(self) -> bool:
        """The block shape is not known: a warp is taken to be full and to lie in a row."""
        return self.basis is not Basis.KNOWN_SHAPE


@final
@record
class Outside:
    """Threads of a block of `extent` reach an access beyond the variable: `count` of them, with linear ids from `first`
    to `last`.  `offset`: where the worst one begins, in bytes from the beginning of the variable of `size` bytes.
    """

    extent: tuple[int, int, int]
    first: int
    last: int
    count: int
    offset: int
    size: int


@final
@record
class Access:
    """One load, store or atomic.  A vector of 8 or 16 bytes is one access.

    `bytes`: per lane; `stride`: bytes from one thread to the next along x, None where it is not a known number.
    `variable`: the array it lies in, where that is one.  `loops`: how many loops run it.
    `used_bytes`: how many bytes per lane of the 32 around it the function uses, counting accesses to the members of one
    struct and to neighbouring elements; None where the address is not known.  `outside`: proof that a thread misses the
    variable, where there is one.
    """

    kind: AccessKind
    span: Span
    block: BasicBlockId
    address: ValueId
    space: MemorySpace
    variable: SymbolId | None
    bytes: int | None
    form: LinearForm | None
    stride: int | None
    pattern: AccessPattern
    participation: Participation
    request: RequestCost | None
    loops: int
    used_bytes: int | None
    outside: Outside | None
