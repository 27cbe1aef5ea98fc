"""Arms: did threads take every way of one source branch, and did a warp split there?

Words     The *arms* of a branch are where control goes once its whole condition is decided: `a && b` is two branches of
          the IR, and the way from `a` to `b` is no arm.  Where the paths meet again is no arm either, unless it is the
          only other way (an `if` without `else`).
Rules     Each inlined copy of the branch is counted for itself; the copy counts of which most arms were reached.
Limits    An operand of `&&` or `||` that needs blocks of its own (a call, `?:`) counts as an arm: more is then asked of
          the inputs than is needed, never less.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar, TypeAlias, final

import numpy as np

from analysis.ir.ids import SourceBranchId
from analysis.ir.instructions import Branch, Switch
from analysis.ir.record import record
from analysis.ir.source import Span
from sim.arrays import population
from sim.events import AddressBook, Events, Observer, Run, SegmentEvent

IsBranch: TypeAlias = Callable[[str, Span], bool]
"""Whether the keyword of a source branch, in a function of the IR, is that of the branch in question."""

_Copy: TypeAlias = tuple[str, SourceBranchId]


@final
@record
class ArmAnswer:
    """`executed` and `diverged` count warps; `reached` of the `arms` had a thread."""

    arms: int = 0
    reached: int = 0
    executed: int = 0
    diverged: int = 0

    @property
    def is_exercised(self) -> bool:
        """Whether some warp split, and every arm was taken."""
        return self.diverged > 0 and self.reached == self.arms


@final
class ArmObserver(Observer):
    events: ClassVar[Events] = Events.SEGMENTS

    def __init__(self, is_branch: IsBranch) -> None:
        self._is_branch = is_branch
        self._copy_of: dict[int, _Copy] = {}
        self._met: dict[_Copy, set[int]] = {}
        self._executed: dict[_Copy, int] = {}
        self._diverged: dict[_Copy, int] = {}
        self._lanes: dict[_Copy, dict[int, int]] = {}

    def begin(self, run: Run, addresses: AddressBook) -> None:
        self._copy_of, self._met, self._lanes = {}, {}, {}
        for number, segment in enumerate(run.segments):
            terminator = segment.terminator
            if not isinstance(terminator, Branch | Switch) or terminator.branch is None:
                continue
            name = str(segment.function.id)
            if self._is_branch(name, segment.function.branches[terminator.branch].keyword):
                copy = name, terminator.branch
                self._copy_of[number] = copy
                self._met.setdefault(copy, set()).add(run.graph.reconvergence[number])
                self._lanes.setdefault(copy, {}).update(dict.fromkeys(run.graph.successors[number], 0))
        self._executed = dict.fromkeys(self._lanes, 0)
        self._diverged = dict.fromkeys(self._lanes, 0)

    def segment(self, event: SegmentEvent) -> None:
        copy = self._copy_of.get(event.segment)
        if copy is None:
            return
        self._executed[copy] += len(event.rows)
        parted = np.sum([lanes != 0 for _, lanes in event.split], axis=0) > 1
        self._diverged[copy] += int(np.count_nonzero(parted))
        for target, lanes in event.split:
            self._lanes[copy][target] += int(population(lanes).sum())

    def answer(self) -> ArmAnswer:
        """Of the copy that was exercised best; zeros where the kernel does not have the branch."""
        found = (self._of(copy) for copy in self._lanes)
        return max(found, key=lambda one: (one.is_exercised, one.reached, one.diverged), default=ArmAnswer())

    def _of(self, copy: _Copy) -> ArmAnswer:
        own = {number for number, of in self._copy_of.items() if of == copy}
        outer = {target: lanes for target, lanes in self._lanes[copy].items() if target not in own}
        arms = {target: lanes for target, lanes in outer.items() if target not in self._met[copy]}
        arms = arms if len(arms) > 1 else outer
        reached = sum(lanes > 0 for lanes in arms.values())
        return ArmAnswer(len(arms), reached, self._executed[copy], self._diverged[copy])
