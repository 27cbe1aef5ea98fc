"""Threads that are followed one after the other, for an amount of work that is shared by all of one kernel."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import final

from analysis.races.group_trace import trace_together
from analysis.races.program import Program
from analysis.races.trace import Event, trace
from analysis.verdict.evaluation import LaunchedBlock


@final
class Follower:
    """`left`: operations that all threads together may still cost.  `wanted`: the uses that are noted."""

    def __init__(self, program: Program, operations: int, wanted: Collection[int]) -> None:
        self._program = program
        self._wanted = wanted
        self.left = operations

    def follow(self, here: LaunchedBlock, thread: int, share: int) -> Sequence[Event]:
        """What the thread does, for at most `share` operations; raises `OutOfBounds`."""
        found = trace(self._program, here, thread, min(share, self.left), self._wanted)
        self.left -= found.operations
        return found.events

    def follow_each(self, here: LaunchedBlock, threads: Sequence[int], share: int) -> Iterator[Sequence[Event]]:
        """The same as `follow` of one after the other, though all go together as long as they go the same way."""
        if len(threads) == 1:
            yield self.follow(here, threads[0], share)
            return
        for thread, found in zip(
            threads, trace_together(self._program, here, threads, share, self._wanted), strict=True
        ):
            if found is None or found.operations > self.left:
                yield self.follow(here, thread, share)
            else:
                self.left -= found.operations
                yield found.events
