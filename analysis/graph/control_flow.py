"""Control flow of one function: order, dominance, control dependence, cycles, joins, and where instructions are.

What follows from the edges alone is in `flow_graph.py`, which many functions share.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Final, TypeVar, cast, final

from analysis.graph.cycles import Cycle
from analysis.graph.flow_graph import flow_graph
from analysis.graph.work import Work
from analysis.ir.function import Function
from analysis.ir.ids import BasicBlockId
from analysis.ir.instructions import Binary, Constant, Convert, Instruction, Math, Trap, Unary
from analysis.ir.pace import paced, spend

Item = TypeVar("Item", bound=Instruction)

_FREQUENT: Final = frozenset((Binary, Unary, Convert, Math, Constant))


@final
class ControlFlow:
    """Immutable to its users; made by `ControlFlow.of`."""

    def __init__(self, function: Function, work: Work | None) -> None:
        self.function = function
        self._work = work
        blocks = function.blocks
        self._graph = graph = flow_graph(
            tuple([_distinct(block.terminator.successors) for block in blocks]),
            tuple([number for number, block in enumerate(blocks) if type(block.terminator) is Trap]),
        )
        self._joins: dict[BasicBlockId, frozenset[BasicBlockId]] = {}
        self.successors = graph.successors
        self.predecessors = graph.predecessors
        self.order = graph.order
        self.rank = graph.rank
        # All passes ask these again and again; so it is the graph that answers, not a method that asks it.
        self.is_reachable = graph.is_reachable
        self.immediate_dominator = graph.immediate_dominator
        self.dominates = graph.dominates
        self.immediate_post_dominator = graph.immediate_post_dominator
        self.post_dominates = graph.post_dominates
        self.controllers = graph.controllers
        self.dependents = graph.dependents
        self.iterated_controllers = graph.iterated_controllers
        self.deciders = graph.deciders
        self.between = graph.between
        self.innermost_cycle = graph.innermost_cycle
        self.cycles_around = graph.cycles_around
        self.exit_branches = graph.exit_branches
        self.exit_influences = graph.exit_influences

    @classmethod
    def of(cls, function: Function, work: Work | None = None) -> ControlFlow:
        """`work` is what passes may spend that ask about each branch; None is no limit."""
        return cls(function, work)

    def lift_limit(self) -> None:
        """Who asks from now on asks about few branches, and expects no `TooMuchWork`."""
        self._work = None

    def spend(self, steps: int) -> None:
        """Raises `TooMuchWork` where a limit was given and is reached."""
        if self._work is not None:
            self._work.spend(steps)

    @cached_property
    def _seldom(self) -> Sequence[tuple[BasicBlockId, int, Instruction]]:
        """All instructions but frequent ones, in order."""
        return [
            (block, index, instruction)
            for block in self.order
            for index, instruction in enumerate(paced(self.function.blocks[block].instructions))
            if type(instruction) not in _FREQUENT
        ]

    @cached_property
    def _by_type(self) -> Mapping[type[Instruction], Sequence[int]]:
        """Where `_seldom` has those of each type."""
        found: defaultdict[type[Instruction], list[int]] = defaultdict(list)
        for place, (_, _, instruction) in enumerate(self._seldom):
            found[type(instruction)].append(place)
        return found

    def placed(self, *types: type[Item]) -> Sequence[tuple[BasicBlockId, int, Item]]:
        """The instructions of these types that the entry reaches, in its order, each with its index in its block.

        Not of those of which functions are full, such as arithmetic: who asks for these walks over everything anyway.
        """
        assert _FREQUENT.isdisjoint(types)
        by_type = self._by_type
        places = [place for kind in types if kind in by_type for place in by_type[kind]]
        spend(len(places))
        return cast("Sequence[tuple[BasicBlockId, int, Item]]", [self._seldom[place] for place in sorted(places)])

    @cached_property
    def exits(self) -> tuple[BasicBlockId, ...]:
        """See `FlowGraph`, as for all that follows."""
        return self._graph.exits

    @cached_property
    def dominated(self) -> list[range]:
        return self._graph.dominated

    @cached_property
    def doomed(self) -> list[bool]:
        return self._graph.doomed

    @cached_property
    def cycles(self) -> tuple[Cycle, ...]:
        return self._graph.cycles

    @cached_property
    def layout(self) -> list[int]:
        return self._graph.layout

    @cached_property
    def irreducible_cycles(self) -> tuple[Cycle, ...]:
        return self._graph.irreducible_cycles

    def joins(self, branch: BasicBlockId) -> frozenset[BasicBlockId]:
        """The blocks where threads may meet that took different ways at this branch."""
        known = self._joins.get(branch)
        if known is None:
            known, steps = self._graph.joins(branch)
            self.spend(steps)
            self._joins[branch] = known
        return known


def _distinct(targets: tuple[BasicBlockId, ...]) -> tuple[BasicBlockId, ...]:
    return targets if len(set(targets)) == len(targets) else tuple(dict.fromkeys(targets))
