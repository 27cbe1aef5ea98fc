"""Compares what scalarization claims, and the code it makes, with what threads did in the reference evaluator."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

from analysis.ir.function import Function
from analysis.ir.instructions import BasicBlockId, Load, Store, ValueId
from analysis.ir.operators import SpecialRegister
from analysis.scalar.machine import Bank, Execution, Register
from analysis.scalar.scalarize import Scalarization
from analysis.scalar.sites import Sites
from tests.scalar.machine_run import CompileTimeError, run_machine
from tests.support.evaluator import Grid, Instance, Scalar, Trace


def refute(
    result: Scalarization, grid: Grid, traces: Sequence[Trace], arguments: Mapping[ValueId, Scalar], steps: int
) -> Iterator[str]:
    """Every claim that the run contradicts."""
    yield from misplaced(result)
    yield from _differing(result, grid, traces)
    if all(trace.finished for trace in traces) and not result.exit_optimization:
        yield from _parted(result, grid, traces)
    yield from _out_of_order(result, grid, traces)
    yield from _otherwise(result, grid, traces, arguments, steps)


def misplaced(result: Scalarization) -> Iterator[str]:
    """Scalar registers that are written where threads may be apart, scalar instructions that read thread registers."""
    for block in result.scalarized.blocks:
        for instruction in block.instructions:
            banks = {result.bank for result in instruction.results}
            if block.divergent and (Bank.SCALAR in banks or instruction.execution is not Execution.THREAD):
                yield f"{instruction} in divergent block {block.id}"
            read = {operand.bank for operand in instruction.operands if isinstance(operand, Register)}
            if instruction.execution is Execution.SCALAR and Bank.THREAD in banks | read:
                yield f"{instruction} works on thread registers"


def _differing(result: Scalarization, grid: Grid, traces: Sequence[Trace]) -> Iterator[str]:
    """Scalar registers that would need two values, and operands of scalar instructions that differ in a warp."""
    scalar = result.plan.scalar
    defined: defaultdict[tuple[ValueId, Instance, object], set[Scalar]] = defaultdict(set)
    read: defaultdict[tuple[ValueId, Instance, object], set[Scalar]] = defaultdict(set)
    for trace in traces:
        warp = grid.warp_of(trace.thread)
        for seen, events in ((defined, trace.definitions), (read, trace.uses)):
            for (value, instance), found in events.items():
                if scalar[value]:
                    seen[value, instance, warp].add(found)
    for what, events in (("holds", defined), ("is read as", read)):
        for (value, instance, warp), values in events.items():
            if len(values) > 1:
                yield f"scalar %{value} {what} {values} at {instance} in warp {warp}"


def _parted(result: Scalarization, grid: Grid, traces: Sequence[Trace]) -> Iterator[str]:
    """Scalar instructions that only some threads of a warp came to."""
    scalar_blocks = {
        block.id
        for block in result.scalarized.blocks
        if any(instruction.execution is not Execution.THREAD for instruction in block.instructions)
    }
    arrived: defaultdict[tuple[Instance, object], int] = defaultdict(int)
    sizes: defaultdict[object, int] = defaultdict(int)
    for trace in traces:
        warp = grid.warp_of(trace.thread)
        sizes[warp] += 1
        for instance in trace.visits:
            arrived[instance, warp] += 1
    for (instance, warp), count in arrived.items():
        if instance[0] in scalar_blocks and count < sizes[warp]:
            yield f"scalar code in {instance}, where {count} of {sizes[warp]} threads of warp {warp} came"


def _out_of_order(result: Scalarization, grid: Grid, traces: Sequence[Trace]) -> Iterator[str]:
    """Warp-sequential accesses whose threads do not follow each other in memory."""
    for site, (address, size) in sequential_addresses(result).items():
        bases: defaultdict[tuple[Instance, object], set[object]] = defaultdict(set)
        for trace in traces:
            lane = trace.thread % grid.threads_per_block % grid.warp_size
            for (value, instance), found in trace.uses.items():
                if value == address and isinstance(found, tuple):
                    bases[instance, grid.warp_of(trace.thread)].add((found[0], found[1] - size * lane))
        for (instance, warp), found in bases.items():
            if len(found) > 1:
                yield f"site {site} at {instance} in warp {warp}: not in the order of the lanes, {found}"


def sequential_addresses(result: Scalarization) -> dict[int, tuple[ValueId, int]]:
    """The address and the size of what each warp-sequential access of 32-bit elements moves."""
    sites, found = Sites(result.function), dict[int, tuple[ValueId, int]]()
    for number, block in enumerate(result.function.blocks):
        for index, instruction in enumerate(block.instructions):
            site = sites.instruction(BasicBlockId(number), index)
            if site in result.plan.sequential and isinstance(instruction, Load | Store):
                found[site] = instruction.address, 4
    return found


def _otherwise(
    result: Scalarization, grid: Grid, traces: Sequence[Trace], arguments: Mapping[ValueId, Scalar], steps: int
) -> Iterator[str]:
    """Threads that store something else, or go another way, in either machine code."""
    for trace in traces:
        if not trace.finished:
            continue
        wanted = list(_stores(result.function, trace))
        way = [instance[0] for instance in trace.visits]
        for what, code in (("conventional", result.conventional), ("scalarized", result.scalarized)):
            try:
                done = run_machine(result, code, grid, trace.thread, arguments, special(grid, trace.thread), steps)
            except CompileTimeError:
                return
            if done.blocks != way:
                yield f"{what} code: thread {trace.thread} goes {done.blocks}, not {way}"
            if done.stores != wanted:
                yield f"{what} code: thread {trace.thread} stores {done.stores}, not {wanted}"


def _stores(function: Function, trace: Trace) -> Iterator[tuple[Scalar, Scalar | None]]:
    for instance in trace.visits:
        for instruction in function.blocks[instance[0]].instructions:
            if isinstance(instruction, Store):
                address = trace.uses.get((instruction.address, instance))
                if address is not None:
                    yield address, trace.uses.get((instruction.value, instance))


def special(grid: Grid, thread: int) -> dict[SpecialRegister, int]:
    """What a thread reads about itself."""
    block, inside = divmod(thread, grid.threads_per_block)
    width, height, depth = grid.block
    return {
        SpecialRegister.THREAD_X: inside % width,
        SpecialRegister.THREAD_Y: inside // width % height,
        SpecialRegister.THREAD_Z: inside // (width * height),
        SpecialRegister.BLOCK_X: block,
        SpecialRegister.BLOCK_DIM_X: width,
        SpecialRegister.BLOCK_DIM_Y: height,
        SpecialRegister.BLOCK_DIM_Z: depth,
        SpecialRegister.GRID_DIM_X: grid.blocks,
        SpecialRegister.LANE: inside % grid.warp_size,
        SpecialRegister.WARP_INDEX: inside // grid.warp_size,
        SpecialRegister.WARP_SIZE: grid.warp_size,
    }
