"""How a device function is called: what all its known callers have in common, as plain data.

Question  A function that callers in other files call is analysed alone.  What may it assume of its parameters, of the
          launch, and of the threads that come to it?
Meaning   Everything holds for each call on its own: a `level` is the widest group whose threads pass one value when
          they execute one dynamic instance of the call, as a parameter has one value in one dynamic instance of the
          function.  Two calls may pass different values and both be GRID.
Join      of two contexts what holds of both: the worst level, the hull of ranges, the union of block shapes.
          A context is independent of the ids of values and of places in the text, so it can be kept and compared.
Entry     `convergence` is the widest group of which all live threads execute an instance of the call, or none.  It is
          the convergence of the entry: in a function that is called in divergent code no block is convergent, and no
          exchange counts as one of a whole warp.  A barrier there is judged by the guards of the function alone: the
          call is what a finding about it is about, in the file of the kernel.
Waits     `waited` is the level at which threads may have waited for others before the call, `is_observed` says of an
          argument that a thread may learn from it what others did (`waiting.py`).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from functools import reduce
from typing import Final, TypeAlias, final

from analysis.divergence.launch_shape import BlockShape
from analysis.divergence.levels import Level
from analysis.ir.launch_relation import ArgumentRelation
from analysis.ir.operators import SpecialRegister
from analysis.ir.record import record
from analysis.ir.types import MemorySpace

MAX_SHAPES: Final = 8
"""Of one function; where more are launched, none is known."""

Steps: TypeAlias = tuple[tuple[SpecialRegister, int], ...]
"""By the register of the axis: how the value grows from thread to thread, where that is a number."""


@final
@record
class Argument:
    """What every call passes for one parameter; the defaults say nothing.

    `is_assumed`: where the level is VARYING, no call is known to pass different values; nobody knows that they agree.
    `low`, `high`: of an integer; None where nothing is known beyond its type.
    `steps`: the value is the sum of them and of a number that agrees in the warp and that `step_alignment` divides;
    `is_integral` as for linear forms.
    """

    level: Level = Level.VARYING
    is_assumed: bool = True
    low: int | None = None
    high: int | None = None
    alignment: int = 1
    space: MemorySpace = MemorySpace.GENERIC
    steps: Steps | None = None
    step_alignment: int = 1
    is_integral: bool = False
    is_observed: bool = True

    @property
    def constant(self) -> int | None:
        """The one number that all calls pass."""
        return self.low if self.low == self.high else None

    def join(self, other: Argument) -> Argument:
        if self == other:
            return self
        surely = [one for one in (self, other) if one.level is Level.VARYING and not one.is_assumed]
        has_bounds = None not in (self.low, self.high, other.low, other.high)
        same_steps = self.steps is not None and self.steps == other.steps
        return Argument(
            max(self.level, other.level),
            max(self.level, other.level) is Level.VARYING and not surely,
            min(self.low, other.low) if has_bounds and self.low is not None and other.low is not None else None,
            max(self.high, other.high) if has_bounds and self.high is not None and other.high is not None else None,
            min(self.alignment, other.alignment),
            self.space if self.space is other.space else MemorySpace.GENERIC,
            self.steps if same_steps else None,
            min(self.step_alignment, other.step_alignment) if same_steps else 1,
            same_steps and self.is_integral and other.is_integral,
            self.is_observed or other.is_observed,
        )


NOTHING: Final = Argument()


@final
@record
class CallContext:
    """What all known calls of a function have in common.

    `shapes`, `one_dimensional` and `has_several_blocks` are as in `LaunchKnowledge`, of all kernels that lead here; so
    are `relations`, of the parameters of the function.
    """

    arguments: tuple[Argument, ...]
    convergence: Level
    shapes: tuple[BlockShape, ...] = ()
    one_dimensional: bool = False
    has_several_blocks: bool | None = None
    waited: Level = Level.VARYING
    relations: tuple[ArgumentRelation, ...] = ()

    def join(self, other: CallContext) -> CallContext | None:
        """What holds of both; None where they do not call the same function."""
        if self == other:
            return self
        if len(self.arguments) != len(other.arguments):
            return None
        shapes = tuple(sorted({*self.shapes, *other.shapes}, key=lambda shape: (shape.x, shape.y, shape.z)))
        are_known = bool(self.shapes) and bool(other.shapes) and len(shapes) <= MAX_SHAPES
        same_grid = self.has_several_blocks is other.has_several_blocks
        return CallContext(
            tuple(mine.join(theirs) for mine, theirs in zip(self.arguments, other.arguments, strict=True)),
            max(self.convergence, other.convergence),
            shapes if are_known else (),
            not are_known and self.is_line and other.is_line,
            self.has_several_blocks if same_grid else None,
            max(self.waited, other.waited),
            tuple(one for one in self.relations if one in other.relations),
        )

    @property
    def is_line(self) -> bool:
        """Is every block one-dimensional?"""
        return self.one_dimensional or (bool(self.shapes) and all(shape.y == shape.z == 1 for shape in self.shapes))


def joined(contexts: Iterable[CallContext | None]) -> CallContext | None:
    """Of at least one; None: nothing may be assumed."""
    found = [*contexts]
    known = [context for context in found if context is not None]
    if not known or len(known) < len(found):
        return None
    first, *others = known
    return reduce(_join, others, first)


def _join(left: CallContext | None, right: CallContext) -> CallContext | None:
    return None if left is None else left.join(right)


def without_launch(context: CallContext) -> CallContext:
    """The same of the arguments, nothing of the launch."""
    return replace(context, shapes=(), one_dimensional=False, has_several_blocks=None, relations=())
