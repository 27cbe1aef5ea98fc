"""In which loop does a load run, once a compiler has moved it out of the loops in which it reads the same again?

Rules     A load leaves a loop if its address is the same in all rounds and nothing in the loop may write there
          (`steady.py`), and if every round comes to it: a compiler does not read what a guard might have kept it from
          reading.  Then it runs once for each time the loop is entered; so on with the loop around.
Stays     stores and atomics; volatile loads; what a condition in the loop, or an exit before it, may skip; loops with
          several entries.
Limits    a compiler that runs out of registers may load again in each round.
Cost      O(instructions of the loop) for each type and variable that is loaded in it, O(loops around) for each load.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import final

from analysis.access.model import Access, AccessKind
from analysis.divergence.result import DivergenceResult
from analysis.graph.control_flow import ControlFlow
from analysis.graph.cycles import Cycle, CycleId
from analysis.ir.function import Function
from analysis.ir.ids import BasicBlockId, ValueId
from analysis.ir.instructions import Load
from analysis.memory.spaces import SpaceResult
from analysis.verdict.steady import Steadiness


@final
class Hoisting:
    """Answers about the accesses of one function."""

    def __init__(
        self, function: Function, control: ControlFlow, divergence: DivergenceResult, spaces: SpaceResult
    ) -> None:
        self._function = function
        self._control = control
        self._steady = Steadiness(function, divergence, spaces)
        self._left: dict[tuple[BasicBlockId, ValueId], CycleId | None] = {}
        """The answers about loads, by block and address."""
        self._ends: dict[CycleId, Sequence[BasicBlockId]] = {}
        """What every round of a loop passes, but for the test at its head: the ends of rounds, and the exits."""

    def cycle(self, access: Access) -> CycleId | None:
        """The innermost loop that runs the access in each of its rounds; None: it runs once."""
        around = self._control.innermost_cycle(access.block)
        if around is None or access.kind is not AccessKind.LOAD:
            return None if around is None else around.id
        key = access.block, access.address
        if key not in self._left:
            self._left[key] = self._of_load(access.block, access.address, around)
        return self._left[key]

    def _of_load(self, block: BasicBlockId, address: ValueId, around: Cycle | None) -> CycleId | None:
        loads = self._loads_from.get((block, address), ())
        while around is not None and loads and self._leaves(loads, block, around):
            around = None if around.parent is None else self._control.cycles[around.parent]
        return None if around is None else around.id

    @cached_property
    def _loads_from(self) -> Mapping[tuple[BasicBlockId, ValueId], Sequence[Load]]:
        found: defaultdict[tuple[BasicBlockId, ValueId], list[Load]] = defaultdict(list)
        for block, _, load in self._control.placed(Load):
            found[block, load.address].append(load)
        return found

    def _leaves(self, loads: Sequence[Load], block: BasicBlockId, cycle: Cycle) -> bool:
        return (
            cycle.reducible
            and self._is_in_every_round(block, cycle)
            and all(self._steady.is_steady(load.result, cycle) for load in loads)
        )

    def _is_in_every_round(self, block: BasicBlockId, cycle: Cycle) -> bool:
        """The test at the loop's head does not count: compilers test once before a loop, then at the end of rounds."""
        ends = self._ends.get(cycle.id)
        if ends is None:
            backs = [end for end in map(BasicBlockId, self._control.predecessors[cycle.header]) if end in cycle.blocks]
            exits = [exit for exit in self._control.exit_branches(cycle) if exit != cycle.header]
            ends = self._ends[cycle.id] = (*backs, *exits)
        return all(self._control.dominates(block, one) for one in ends)
