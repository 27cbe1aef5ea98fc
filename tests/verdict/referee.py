"""Compares the grades of decisions with what threads did in the reference evaluator.

Where some operation on the way to a condition wrapped, nothing is said of bounds checks: they assume that it does not.
An exit that splits each warp in one round of its loop is refereed with the rounds (`rounds_referee.py`).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

from analysis.affine.result import AffineResult
from analysis.divergence.result import DivergenceResult
from analysis.graph.control_flow import ControlFlow
from analysis.ir.function import Function
from analysis.ir.ids import BasicBlockId
from analysis.ir.instructions import Branch, Switch
from analysis.verdict.bounds_check import BoundsChecks
from analysis.verdict.grade import Grade, Grader, Grading
from tests.support.evaluator import Grid, Instance, Trace
from tests.verdict.rounds_referee import refute_rounds
from tests.verdict.slices import decided_with


def refute(
    function: Function,
    control: ControlFlow,
    divergence: DivergenceResult,
    affine: AffineResult,
    grid: Grid,
    traces: Sequence[Trace],
) -> Iterator[str]:
    """Every claim that the run contradicts."""
    grader, checks = Grader(function, control, divergence, affine), BoundsChecks(function, control, divergence, affine)
    wrapped = {value for trace in traces for value, _ in trace.wrapped}
    for block in control.order:
        terminator = function.blocks[block].terminator
        if not isinstance(terminator, Branch | Switch):
            continue
        grading = grader.decision(block)
        if grading is None:
            continue
        condition = terminator.operands[0]
        is_sound = wrapped.isdisjoint(decided_with(control, divergence, condition))
        changes = checks.changes(condition, block)
        for instance, ways in _decisions(traces, grid, block):
            if len(ways) < grid.threads_per_block and not all(trace.finished for trace in traces):
                continue  # some thread may still have come
            wrong = _wrong(grading, changes, grid, ways, is_sound=is_sound)
            if wrong is not None:
                yield f"%{condition} in {instance} is {grading}, {changes} changes, but {wrong}: {ways}"
    yield from refute_rounds(function, control, divergence, affine, grid, traces)


def _decisions(
    traces: Sequence[Trace], grid: Grid, block: BasicBlockId
) -> Iterator[tuple[Instance, Mapping[int, BasicBlockId | None]]]:
    """For each executed instance and thread block: the way each thread went, by its linear id in the block."""
    found: defaultdict[tuple[Instance, int], dict[int, BasicBlockId | None]] = defaultdict(dict)
    for trace in traces:
        number, inside = divmod(trace.thread, grid.threads_per_block)
        for instance, target in trace.visits.items():
            if instance[0] == block:
                found[instance, number][inside] = target
    for (instance, _), ways in found.items():
        yield instance, ways


def _wrong(
    grading: Grading, changes: int | None, grid: Grid, ways: Mapping[int, BasicBlockId | None], *, is_sound: bool
) -> str | None:
    splitting = _splitting(grid, list(ways), ways)
    splits = grading.splits
    if splits is not None:
        is_whole = len(ways) == grid.threads_per_block
        # Of a loop all its rounds are counted together, so that each splits at most so many warps.
        is_fewer = is_whole and splits.exact and len(splitting) < splits.splitting
        if len(splitting) > splits.splitting or is_fewer:
            return f"{len(splitting)} warps split"
        return "not all threads came" if splits.exact and not is_whole else None
    if grading.grade is Grade.ALIGNED and splitting and is_sound:
        return f"{len(splitting)} warps split"
    if grading.grade is Grade.BOUNDARY and is_sound and changes is not None:  # else it is an exit: `rounds_referee.py`
        width = grid.block[0]
        for row in range(grid.threads_per_block // width):
            threads = [thread for thread in ways if thread // width == row]
            if len(_splitting(grid, threads, ways)) > changes:
                return f"more warps split in row {row}"
    return None


def _splitting(grid: Grid, threads: Sequence[int], ways: Mapping[int, BasicBlockId | None]) -> list[int]:
    """The warps in which some of these threads went different ways."""
    seen: defaultdict[int, set[BasicBlockId | None]] = defaultdict(set)
    for thread in threads:
        seen[thread // grid.warp_size].add(ways[thread])
    return [warp for warp, targets in seen.items() if len(targets) > 1]
