"""Compares what is claimed about the rounds of loops with how often threads went round in the reference evaluator.

Where an operation on the way to an exit wrapped, nothing is said: bounds assume that none does.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import TypeAlias

from analysis.affine.result import AffineResult
from analysis.divergence.launch_shape import LaunchKnowledge
from analysis.divergence.result import DivergenceResult
from analysis.graph.control_flow import ControlFlow
from analysis.graph.cycles import Cycle
from analysis.ir.function import Function
from analysis.ir.instructions import Branch
from analysis.verdict.rounds import Rounds
from tests.support.evaluator import Grid, Trace
from tests.verdict.slices import decided_with

Counts: TypeAlias = Mapping[int, int]
"""For one entry into a loop: how often each thread of one block went round, by its linear id in the block."""


def refute_rounds(
    function: Function,
    control: ControlFlow,
    divergence: DivergenceResult,
    affine: AffineResult,
    grid: Grid,
    traces: Sequence[Trace],
) -> Iterator[str]:
    """Every claim about a loop that the run contradicts."""
    if not all(trace.finished for trace in traces):
        return
    rounds = Rounds(function, control, divergence, affine)
    wrapped = {value for trace in traces for value, _ in trace.wrapped}
    for cycle in control.cycles:
        slice_ = {
            value
            for block in control.exit_branches(cycle)
            if isinstance(terminator := function.blocks[block].terminator, Branch)
            for value in decided_with(control, divergence, terminator.condition)
        }
        if not wrapped.isdisjoint(slice_):
            continue
        together, breaks = rounds.is_together(cycle), rounds.breaks(cycle)
        for counts in _entries(cycle, grid, traces):
            for lanes in _lanes(counts, grid, divergence.launch):
                if together and max(lanes) - min(lanes) > 1:
                    yield f"the lanes of a warp leave loop {cycle.id} together, but after {lanes} rounds"
            for row in _rows(counts, grid):
                if breaks is not None and sum(one != other for one, other in pairwise(row)) > breaks:
                    yield f"the rounds of loop {cycle.id} change {breaks} times along a row, but are {row}"


def _entries(cycle: Cycle, grid: Grid, traces: Sequence[Trace]) -> Iterator[Counts]:
    found: defaultdict[tuple[tuple[int, ...], int], dict[int, int]] = defaultdict(dict)
    for trace in traces:
        number, inside = divmod(trace.thread, grid.threads_per_block)
        for block, iterations in trace.visits:
            if block == cycle.header:
                around, this = iterations[: cycle.depth - 1], iterations[cycle.depth - 1]
                entry = found[around, number]
                entry[inside] = max(entry.get(inside, 0), this)
    yield from found.values()


def _lanes(counts: Counts, grid: Grid, launch: LaunchKnowledge) -> Iterator[list[int]]:
    """The rounds of each warp; of its part in one row, where the shape of the block is not known."""
    found: defaultdict[tuple[int, int], list[int]] = defaultdict(list)
    for thread, rounds in sorted(counts.items()):
        row = 0 if launch.shapes or launch.one_dimensional else thread // grid.block[0]
        found[thread // grid.warp_size, row].append(rounds)
    yield from found.values()


def _rows(counts: Counts, grid: Grid) -> Iterator[list[int]]:
    found: defaultdict[int, list[int]] = defaultdict(list)
    for thread, rounds in sorted(counts.items()):
        found[thread // grid.block[0]].append(rounds)
    yield from found.values()
