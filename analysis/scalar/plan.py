"""What becomes scalar: values that get a scalar register, blocks that may write one, accesses that are warp-sequential.

Converged   A block of which all live threads of a warp execute an instance, or none does.  Only there may code write
            scalar registers and execute scalar instructions (Lee et al., section 3.2).
Scalar      A value lives in a scalar register if its threads agree on it in each warp, it is defined in a converged
            block, and everybody who reads it reads the same one (not outside of a loop that threads leave apart).  A
            phi also needs converged predecessors: that is where its register is written.
Sequential  A load or store in a converged block, to memory that threads share, whose address is `base + size *
            threadIdx.x` with a base that is the same in the warp and can be computed without the thread index
            (`bases.py`); or the same with the lane id.  Local memory is not: each thread has its own.  Nor are
            volatile accesses, which must stay as they are written.
Guarded     A converged block with a predecessor that is not: a machine without a reconvergence stack needs a
            `syncwarp` at its start (section 5.2).
Assumes     Where the shape of the block is not known, rows of threads are multiples of the warp, so that threadIdx.x
            counts the threads of a warp (`Plan.assumes_rows`).
Source      Lee et al., CGO 2013, sections 3.2, 3.4, 3.5, 5.2.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import final

from analysis.affine.atoms import Axis
from analysis.affine.result import AffineResult
from analysis.divergence.launch_shape import LaunchKnowledge
from analysis.divergence.levels import Level
from analysis.divergence.result import DivergenceResult
from analysis.graph.control_flow import ControlFlow
from analysis.ir.function import Function
from analysis.ir.ids import BasicBlockId, ValueId
from analysis.ir.instructions import Load, Phi, Store
from analysis.ir.record import record
from analysis.ir.types import MemorySpace
from analysis.lower.layouts import size_of
from analysis.memory.spaces import SpaceResult
from analysis.scalar.bases import BaseAnalysis
from analysis.scalar.machine import SiteId
from analysis.scalar.sites import Sites


@final
@record
class Plan:
    """`scalar[v]`: 1 for values in scalar registers; `bases`: values of which the base is computed beside or instead.

    `sequential`: the axis along which the threads of a warp-sequential access follow each other, by its site.
    """

    converged: frozenset[BasicBlockId]
    guarded: frozenset[BasicBlockId]
    scalar: bytes
    sequential: Mapping[SiteId, Axis]
    bases: frozenset[ValueId]
    assumes_rows: bool


def no_plan(function: Function) -> Plan:
    """For conventional code: everything happens once per thread."""
    return Plan(frozenset(), frozenset(), bytes(len(function.types)), {}, frozenset(), assumes_rows=False)


def make_plan(
    function: Function,
    control: ControlFlow,
    divergence: DivergenceResult,
    affine: AffineResult,
    spaces: SpaceResult,
) -> Plan:
    converged = frozenset(block for block in control.order if divergence.convergence(block) <= Level.WARP)
    guarded = frozenset(
        block
        for block in converged
        if any(control.is_reachable(BasicBlockId(p)) and p not in converged for p in control.predecessors[block])
    )
    scalar = _scalar_values(function, control, divergence, converged)
    bases = BaseAnalysis(function, control, affine, scalar, converged)
    sequential = {
        site: (axis, address)
        for block in control.order
        if block in converged
        for site, address, axis in _sequential_in(function, block, divergence.launch, affine, spaces)
        if not scalar[address] and bases.computable(address)
    }
    axes = {site: axis for site, (axis, _) in sequential.items()}
    needed = bases.needed(address for _, address in sequential.values())
    assumes = rows_are_assumed(divergence.launch) and Axis.THREAD_X in axes.values()
    return Plan(converged, guarded, bytes(scalar), axes, needed, assumes)


# -- scalar registers -------------------------------------------------------------------------------------------------


def _scalar_values(
    function: Function, control: ControlFlow, divergence: DivergenceResult, converged: frozenset[BasicBlockId]
) -> bytearray:
    scalar = bytearray(len(function.types))
    for parameter in function.parameters:
        scalar[parameter.value] = divergence.level(parameter.value) <= Level.WARP
    for block in control.order:
        if block not in converged:
            continue
        own = function.blocks[block]
        together = all(BasicBlockId(p) in converged for p in control.predecessors[block])
        for definer in (*own.phis, *own.instructions):
            result = definer.result
            if result is not None and divergence.level(result) <= Level.WARP:
                scalar[result] = together or not isinstance(definer, Phi)
    for value, block in _reads(function, control):
        if scalar[value] and divergence.use_level(value, block) > Level.WARP:
            scalar[value] = False
    return scalar


def _reads(function: Function, control: ControlFlow) -> Iterator[tuple[ValueId, BasicBlockId]]:
    """Every value with the block that reads it; a phi's input is read at the end of the predecessor."""
    for block in control.order:
        own = function.blocks[block]
        for phi in own.phis:
            for predecessor, value in phi.incoming:
                if control.is_reachable(predecessor):
                    yield value, predecessor
        for reader in (*own.instructions, own.terminator):
            for value in reader.operands:
                yield value, block


# -- warp-sequential accesses -----------------------------------------------------------------------------------------


def _sequential_in(
    function: Function, block: BasicBlockId, launch: LaunchKnowledge, affine: AffineResult, spaces: SpaceResult
) -> Iterator[tuple[SiteId, ValueId, Axis]]:
    sites = Sites(function)
    for index, instruction in enumerate(function.blocks[block].instructions):
        match instruction:
            case Load(address=address, volatile=False, result=result):
                type_ = function.types[result]
            case Store(address=address, volatile=False, value=value):
                type_ = function.types[value]
            case _:
                continue
        if spaces.space(address) not in (MemorySpace.GLOBAL, MemorySpace.SHARED, MemorySpace.CONSTANT):
            continue
        axis = _axis_of(affine, address, block, size_of(type_, function.structs))
        if axis is Axis.LANE or (axis is Axis.THREAD_X and rows_fill_warps(launch)):
            yield sites.instruction(block, index), address, axis


def _axis_of(affine: AffineResult, address: ValueId, block: BasicBlockId, size: int | None) -> Axis | None:
    """The one axis along which the address grows, if it does by `size` bytes from thread to thread."""
    form = affine.form_at(address, block)
    if form is None or size is None or len(form.coefficients) != 1:
        return None
    axis, step = form.coefficients[0]
    return axis if step.constant == size else None


def rows_fill_warps(launch: LaunchKnowledge) -> bool:
    """Does threadIdx.x count the threads of each warp?  Assumed where no shape is known."""
    return all(shape.x % launch.warp_size == 0 or shape.y == shape.z == 1 for shape in launch.shapes)


def rows_are_assumed(launch: LaunchKnowledge) -> bool:
    """Is nothing known of the shape of a block?"""
    return not launch.shapes and not launch.one_dimensional
