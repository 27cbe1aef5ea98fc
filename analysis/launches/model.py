"""What a launch says about a kernel."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field, replace
from enum import Enum
from typing import NamedTuple, TypeAlias, final

from analysis.ir.launch_relation import ArgumentRelation, ProductRelation
from analysis.ir.record import changed, record
from analysis.ir.source import Span
from analysis.launches.formulas import ArgumentFormula


class Shape(NamedTuple):
    """The extent of a block in threads, or of a grid in blocks."""

    x: int
    y: int = 1
    z: int = 1


class GridUnit(NamedTuple):
    """The extent of a grid along an axis (0, 1, 2) is that of the argument at a position, less `offset`, divided by
    `size` and rounded: with `size * extent + offset` no block is without work, or with part of it."""

    axis: int
    argument: int
    size: int
    offset: int = 0


class ArgumentLink(NamedTuple):
    """The argument at a position is that many times the one at position `of`, rounded."""

    argument: int
    of: int
    numerator: int
    denominator: int
    rounds_up: bool

    def of_number(self, number: int) -> int:
        """What the argument is where the other is that number."""
        rest = self.denominator - 1 if self.rounds_up else 0
        return (number * self.numerator + rest) // self.denominator


class PassedMember(NamedTuple):
    """A number in the object at a position: `path` is `n`, `in.b`, `sizes.2`, and `type` the name of its record."""

    argument: int
    type: str
    path: str
    number: int


class HeldConstant(NamedTuple):
    """A number in a `__constant__` variable of a file, or in the member of it at a path, where the program is started
    without arguments.

    `is_certain`: it holds that number where the kernel runs; else it does if what sets it ran before.
    """

    name: str
    file: str
    type: str
    path: str
    number: int
    is_certain: bool


class LaunchNumbers(NamedTuple):
    """What one call of a launching function makes of its launch; what is not known is None."""

    block: Shape | None
    grid: Shape | None
    argument_values: tuple[int | float | None, ...]
    template_values: tuple[int | float | None, ...] = ()
    """Of the template arguments that are written."""
    members: tuple[PassedMember, ...] = ()
    """Of the arguments that are objects, as far as they are known."""
    constants: tuple[HeldConstant, ...] = ()

    def may_run(self, constants: Sequence[int | None]) -> bool:
        """Whether an instance with these template arguments may be meant; None for one that is no number."""
        pairs = zip(self.template_values, constants, strict=False)
        return all(value is None or constant is None or value == constant for value, constant in pairs)


class NumbersFrom(Enum):
    """Where numbers of a launch come from that are not the same in every run."""

    CALLS = "calls"
    ROUNDS = "rounds"
    START = "start"
    VARIABLES = "variables"


LaunchText: TypeAlias = tuple[tuple[str, ...], tuple[str, ...]]
"""Template arguments and arguments, as written."""


@final
@record
class Launch:
    """One launch in host code; what is not known for certain is None.

    `span` holds offsets in the file `path`; the argument texts are as the preprocessor leaves them.
    Two launches that say the same are equal wherever they stand, so that an edit above a launch changes nothing.
    """

    kernel: str
    block: Shape | None
    grid: Shape | None
    shared_bytes: int | None
    template_arguments: tuple[str, ...]
    arguments: tuple[str, ...]
    argument_values: tuple[int | float | None, ...]
    template_values: tuple[int | float | None, ...]
    path: str
    span: Span = field(compare=False)
    block_text: str = ""
    """How the block is written."""
    grid_units: tuple[GridUnit, ...] = ()
    """What the grid is computed from, where that is passed on as well: `k<<<(n + 255) / 256, 256>>>(a, n)`."""
    has_line: bool = False
    """The block is written as an integer, so it has one row of threads, of whatever length."""
    called: tuple[LaunchNumbers, ...] = ()
    """Launches that the program makes here, one for each set of numbers that the calls in the file pass to the function
    around, where these say more than is known of every launch.  Other files may pass other numbers."""
    block_extents: tuple[int | None, int | None, int | None] = (None, None, None)
    """Those of the block that are known: `dim3(32, rows)`."""
    grid_extents: tuple[int | None, int | None, int | None] = (None, None, None)
    """Those of the grid: `dim3(1, blocks)`."""
    possible: tuple[LaunchNumbers, ...] = ()
    """Where these say more than what is the same in every launch: each launch that is ever made here is one of them.
    They are those of all calls of the function around, where all calls are known, and of the rounds of loops."""
    numbers_from: frozenset[NumbersFrom] = frozenset()
    """Whose numbers `called` and `possible` are."""
    links: tuple[ArgumentLink, ...] = ()
    formulas: tuple[ArgumentFormula, ...] = ()
    """How arguments are computed from others."""
    relations: tuple[ArgumentRelation, ...] = ()
    """What holds in every launch that is ever made here."""
    products: tuple[ProductRelation, ...] = ()
    """The same for products of two arguments."""
    multiples: tuple[int, ...] = ()
    """By argument: a power of two that divides it in every launch that is ever made here; empty: 1 of all."""
    is_made: bool = True
    """Some call that is seen may come here, in a program that is started without arguments."""
    names_kernel: bool = field(default=True, compare=False)
    """The text names the kernel for this launch; other launches of one variable that stands for it do not again."""
    members: tuple[PassedMember, ...] = ()
    constants: tuple[HeldConstant, ...] = ()
    name: str = field(default="", compare=False)
    """What it is called where somebody asked for it, `the launch in main.cu:53`; empty for one that was found."""

    @property
    def made(self) -> tuple[LaunchNumbers, ...]:
        """The launches that the program is known to make here."""
        return self.called or (self.own_numbers,)

    @property
    def every(self) -> tuple[LaunchNumbers, ...]:
        """What each launch that is ever made here is one of."""
        return self.possible or (self.own_numbers,)

    @property
    def own_numbers(self) -> LaunchNumbers:
        """What is the same in every launch."""
        return LaunchNumbers(
            self.block, self.grid, self.argument_values, self.template_values, self.members, self.constants
        )

    def running(self, constants: Sequence[int | None]) -> Launch:
        """The same launch where it runs the instance with these template arguments (None for what is no number)."""
        possible = tuple(numbers for numbers in self.every if numbers.may_run(constants))
        made = tuple(numbers for numbers in self.made if numbers.may_run(constants))
        if possible == self.every and made == self.made:
            return self
        nothing = LaunchNumbers(None, None, (None,) * len(self.argument_values))
        common = _common(possible) if possible else nothing
        return replace(
            self,
            block=common.block,
            grid=common.grid,
            argument_values=common.argument_values,
            members=common.members,
            constants=common.constants,
            possible=possible if len(possible) > 1 else (),
            called=() if made == (common,) else made or (nothing,),
            is_made=self.is_made and bool(made),
        )

    @property
    def text(self) -> LaunchText:
        return self.template_arguments, self.arguments

    def moved(self, distance: int) -> Launch:
        """The same launch, so many bytes further on."""
        return changed(self, span=Span(self.span.start + distance, self.span.end + distance))


def _common(every: Sequence[LaunchNumbers]) -> LaunchNumbers:
    """What several launches have in common."""
    first, *others = every
    values = tuple(
        value if all(other.argument_values[position] == value for other in others) else None
        for position, value in enumerate(first.argument_values)
    )
    template = tuple(
        value if all(other.template_values[position] == value for other in others) else None
        for position, value in enumerate(first.template_values)
    )
    block = first.block if all(other.block == first.block for other in others) else None
    grid = first.grid if all(other.grid == first.grid for other in others) else None
    members = tuple(one for one in first.members if all(one in other.members for other in others))
    constants = tuple(one for one in first.constants if all(one in other.constants for other in others))
    return LaunchNumbers(block, grid, values, template, members, constants)
