"""What decides which lanes of a warp run next: the reconvergence policy.

The engine runs all warps that stand at one segment together and reports where their lanes went.  A policy keeps the
state of every resident warp in arrays and answers for many rows at once.

    engine                                   policy
    start(rows, lanes, entry)           ->   every row stands at the entry with these lanes
    segment[row], active[row]           <-   what the row runs next: a segment and the lanes that run it
    advance(rows, segment, split)       ->   the active lanes ran up to the end of `segment`, and went where it says
    block(rows)                         ->   the active lanes wait where they stand; run others, if the policy can
    release(rows, lanes, target)        ->   lanes that waited go on at `target`
    make_way(rows)                      ->   all who could run wait: run those who are held up by order alone

Rules    After every call `segment` and `active` are up to date.  A row whose lanes have all left, or that has nothing
         to run because lanes wait, has segment `NOTHING` and an empty lane set.
         Lanes that are released need not have waited at one place, and may be some of those that wait.
         Lanes are never lost: every lane that started leaves through the target `EXIT`.
         Segments are numbered in reverse post-order, so of two segments the lower is the earlier in the program.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Final, Protocol, TypeAlias, final

import numpy as np
from numpy.typing import NDArray

from analysis.ir.record import record
from sim.arrays import LaneSets, Rows

EXIT: Final = -1
"""The target of lanes that leave the function."""
NOTHING: Final = -1
"""The segment of a row that cannot run."""

Split: TypeAlias = Sequence[tuple[int, LaneSets]]
"""Targets with the lanes that go there, per row; disjoint, together the lanes that ran.  Some sets may be empty.

A branch lists the target of a true condition first, a switch its cases in order and the default last.
"""


@final
@record
class SegmentGraph:
    """The control flow that a policy may look at; everything is indexed by segment.

    Segments of one function are consecutive and start with its entry.
    """

    successors: tuple[tuple[int, ...], ...]
    reconvergence: tuple[int, ...]
    """Where the paths of the segment's branch meet again: the immediate post-dominator, or EXIT."""
    polling: frozenset[int] = frozenset()
    """The segments of loops in which a thread may wait for what another one writes."""
    convergent: frozenset[int] = frozenset()
    """The segments that all live lanes of a warp come to together, as the divergence analysis proves; filled in for
    policies with `uses_convergence`."""
    returning: frozenset[int] = frozenset()
    """The segments where nothing is left to do but return; likewise."""


class Policy(Protocol):
    """The state of the resident warps; made anew for every wave and every real call."""

    name: ClassVar[str]
    can_switch: ClassVar[bool]
    """Whether other lanes of a warp can run while some of its lanes wait."""
    uses_convergence: ClassVar[bool]
    """Whether it asks which segments are convergent."""

    segment: NDArray[np.int64]
    """(rows,): what each row runs next, or NOTHING."""
    active: LaneSets
    """(rows,): the lanes that run it."""

    def start(self, rows: Rows, lanes: LaneSets, entry: int) -> None: ...

    def advance(self, rows: Rows, segment: int, split: Split) -> None:
        """`segment` is the one that ended: after `follows` a later one than `self.segment` still says."""
        ...

    def follows(self, rows: Rows, target: int) -> bool:
        """Whether these rows, if all their active lanes went to `target`, would run it next with unchanged lanes.

        A shortcut for uniform control flow: the engine then moves on without `advance`, and calls it once at the end
        with the last target.  False is always a correct answer.
        """
        ...

    def block(self, rows: Rows) -> None: ...

    def release(self, rows: Rows, lanes: LaneSets, target: int) -> None: ...

    def make_way(self, rows: Rows, *, at_joins: bool) -> bool:
        """The lanes of these rows that could run wait for their block, and nobody of the block can run.

        Of the sides of a branch that meet again only where the function ends, the policy runs first which it likes.
        Where that side waits, the others get their turn here, since they may leave or come to the barrier too.
        `at_joins`: so do the sides of a branch that meet again earlier; only machines that run them in turn have the
        barriers that these rows wait at.
        Whether some row can run now.
        """
        ...


class PolicyFactory(Protocol):
    """A policy's class: called once per wave and per real call."""

    @property
    def name(self) -> str: ...

    @property
    def uses_convergence(self) -> bool: ...

    @property
    def can_switch(self) -> bool: ...

    def __call__(self, rows: int, warp_size: int, graph: SegmentGraph) -> Policy: ...
