"""Compares what the analysis claims with what threads did in the reference evaluator."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from typing import TypeVar

from analysis.divergence.levels import Level
from analysis.divergence.result import DivergenceResult
from analysis.ir.instructions import BasicBlockId
from tests.support.evaluator import Grid, Instance, Trace

Key = TypeVar("Key", bound=Hashable)
Seen = TypeVar("Seen", bound=Hashable)


def refute(result: DivergenceResult, grid: Grid, traces: Sequence[Trace]) -> Iterator[str]:
    """Every claim that the run contradicts."""
    yield from _differing("value", grid, traces, lambda t: t.definitions, lambda key: result.level(key[0]))
    yield from _differing("use", grid, traces, lambda t: t.uses, lambda key: result.use_level(key[0], key[1][0]))
    yield from _differing("decision", grid, traces, lambda t: t.visits, lambda key: result.terminator_level(key[0]))
    if all(trace.finished for trace in traces):
        cycles = result.control.cycles
        yield from _differing("trips", grid, traces, lambda t: t.trips, lambda key: result.loop_level(cycles[key[0]]))
        yield from _parted(result, grid, traces)


def _differing(
    what: str,
    grid: Grid,
    traces: Sequence[Trace],
    events: Callable[[Trace], Mapping[Key, Seen]],
    claim: Callable[[Key], Level],
) -> Iterator[str]:
    """Things of which threads of one group saw different ones, although the group was said to agree."""
    seen: defaultdict[tuple[Key, object], set[object]] = defaultdict(set)
    for trace in traces:
        for key, value in events(trace).items():
            group = _group(claim(key), grid, trace.thread)
            if group is not None:
                seen[key, group].add(value)
    for (key, group), values in seen.items():
        if len(values) > 1:
            yield f"{what} {key} is {claim(key).name} but {group} saw {values}"


def _group(level: Level, grid: Grid, thread: int) -> object:
    """The group of the thread in which a fact of this level must agree."""
    match level:
        case Level.GRID:
            return "grid"
        case Level.BLOCK:
            return f"block {thread // grid.threads_per_block}"
        case Level.WARP:
            return f"warp {grid.warp_of(thread)}"
        case Level.VARYING:
            return None


def _parted(result: DivergenceResult, grid: Grid, traces: Sequence[Trace]) -> Iterator[str]:
    """Instances that only some threads of a group executed, although their block was said to be convergent for it."""
    arrived: defaultdict[Instance, set[int]] = defaultdict(set)
    for trace in traces:
        for instance in trace.visits:
            arrived[instance].add(trace.thread)
    for instance, threads in arrived.items():
        claim = result.convergence(instance[0])
        for group in _groups(claim, grid):
            present = threads.intersection(group)
            if present and len(present) < len(group):
                yield f"block {instance} is convergent for {claim.name} but only {sorted(present)} of {group} came"


def _groups(level: Level, grid: Grid) -> Iterable[range]:
    if level is Level.VARYING:
        return []
    if level is Level.GRID:
        return [range(grid.threads)]
    size = grid.threads_per_block
    blocks = [range(start, start + size) for start in range(0, grid.threads, size)]
    if level is Level.BLOCK:
        return blocks
    return [block[start : start + grid.warp_size] for block in blocks for start in range(0, size, grid.warp_size)]


def visited(traces: Sequence[Trace]) -> set[BasicBlockId]:
    return {block for trace in traces for block, _ in trace.visits}
