"""What is known about the launch when divergence is analysed."""

from __future__ import annotations

from typing import TypeAlias, final

from analysis.ir.launch_relation import ArgumentRelation, ProductRelation
from analysis.ir.object_members import MemberPlace
from analysis.ir.record import record

MAX_BLOCK_THREADS = 1024


@final
@record
class BlockShape:
    """The extent of a thread block, in threads."""

    x: int
    y: int = 1
    z: int = 1

    def __post_init__(self) -> None:
        if min(self.x, self.y, self.z) < 1 or self.threads > MAX_BLOCK_THREADS:
            raise ValueError(f"no device runs a block of {self.x} x {self.y} x {self.z} threads")

    @property
    def threads(self) -> int:
        return self.x * self.y * self.z


MemberNumbers: TypeAlias = tuple[tuple[int, MemberPlace, int], ...]
"""The position of a parameter that is an object, the place of a member in it, and what that holds."""


@final
@record
class ConstantNumber:
    """What a launch finds in a variable in constant memory, or in a member of it; `is_certain`: in any case, else if
    what sets it ran before."""

    name: str
    place: MemberPlace
    number: int
    is_certain: bool


@final
@record
class KnownLaunch:
    """One launch that the program makes: the numbers that it passes, by position, and the blocks of its grid.

    None where that is not known.  Others may be made by other files, so it shows what can happen, not what must.
    """

    shape: BlockShape
    arguments: tuple[int | None, ...]
    grid: tuple[int, int, int] | None
    members: MemberNumbers = ()
    """Of the objects that are passed, as far as they are known."""
    constants: tuple[ConstantNumber, ...] = ()

    @property
    def blocks(self) -> int | None:
        """Along x."""
        return None if self.grid is None else self.grid[0]


@final
@record
class LaunchKnowledge:
    """`shapes`: the block shapes the kernel is launched with; a fact must hold for all of them (none: not known).

    `one_dimensional`: the shape is not known, but y = z = 1 is assumed, so the linear thread id is `threadIdx.x`.
    `launches`: those that the file makes, if their blocks are known; where other files can launch with others too, the
    shapes are unknown all the same.
    `has_several_blocks`: in some launch the grid has more than one block along x; None where that is not known.
    `passed`: the numbers that every launch of the file passes alike, by the position of the parameter.
    `always`: those of them that no other file can pass otherwise; 0 for a null pointer.
    `relations`: how the parameters of a kernel hang together with the registers of every launch.
    `multiples`: the powers of two that divide what every launch passes, by the position of the parameter.
    `products`: the same for products of two parameters.
    `passed_members`, `always_members`: as `passed` and `always`, of members of objects.
    """

    shapes: tuple[BlockShape, ...] = ()
    one_dimensional: bool = False
    warp_size: int = 32
    has_several_blocks: bool | None = None
    passed: tuple[tuple[int, int], ...] = ()
    launches: tuple[KnownLaunch, ...] = ()
    always: tuple[tuple[int, int], ...] = ()
    relations: tuple[ArgumentRelation, ...] = ()
    multiples: tuple[tuple[int, int], ...] = ()
    products: tuple[ProductRelation, ...] = ()
    passed_members: MemberNumbers = ()
    always_members: MemberNumbers = ()

    def relations_of(self, position: int) -> tuple[ArgumentRelation, ...]:
        """What every launch says of the parameter at a position."""
        return tuple(one for one in self.relations if one.argument == position)

    def multiple_of(self, position: int) -> int:
        """The power of two that divides what every launch passes for the parameter at a position."""
        return dict(self.multiples).get(position, 1)

    @property
    def is_one_warp(self) -> bool:
        """Is every block a single warp, or part of one?"""
        return bool(self.shapes) and all(shape.threads <= self.warp_size for shape in self.shapes)

    @property
    def is_one_thread(self) -> bool:
        """Is every block a single thread?"""
        return bool(self.shapes) and all(shape.threads == 1 for shape in self.shapes)
