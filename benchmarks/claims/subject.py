"""Everything that the analyses claim of a kernel under one knowledge of its launch.

The passes are those of `analysis.facts.roots`, on the very function that runs, so that blocks and values are the same.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import final

from analysis.access.analysis import ACCESSES, analyze_accesses
from analysis.access.model import Access
from analysis.affine.analysis import analyze_affine
from analysis.affine.result import AffineResult
from analysis.divergence.analysis import analyze_divergence
from analysis.divergence.launch_shape import LaunchKnowledge
from analysis.divergence.result import DivergenceResult
from analysis.graph.control_flow import ControlFlow
from analysis.ir.function import Function
from analysis.ir.ids import BasicBlockId, SourceBranchId, ValueId
from analysis.ir.instructions import (
    Atomic,
    Call,
    Instruction,
    Load,
    Match,
    Opaque,
    Shuffle,
    Texture,
    Undefined,
    Vote,
    WarpReduce,
)
from analysis.memory.spaces import SpaceResult, infer_spaces
from analysis.verdict.barriers import BarrierSite, find_barriers
from analysis.verdict.cost import BranchCost, estimate_costs
from analysis.verdict.grade import Grader
from analysis.verdict.weights import BlockWeights


@final
@dataclass(frozen=True, slots=True)
class Subject:
    """`accesses` by the identity of their instruction."""

    function: Function
    launch: LaunchKnowledge
    control: ControlFlow
    divergence: DivergenceResult
    affine: AffineResult
    spaces: SpaceResult
    accesses: Mapping[int, Access]
    barriers: tuple[BarrierSite, ...]
    weights: BlockWeights
    costs: Mapping[SourceBranchId, BranchCost]
    grader: Grader
    undefined: frozenset[ValueId]
    """Values that may rest on one that was never written."""
    from_memory: frozenset[ValueId]
    """Values that may rest on what memory holds or other lanes have."""
    decided_by_memory: frozenset[BasicBlockId]
    """Blocks that run or not because of such a value."""


def analyze_subject(function: Function, launch: LaunchKnowledge) -> Subject:
    control = ControlFlow.of(function)
    divergence = analyze_divergence(function, control, launch)
    affine = analyze_affine(function, control, divergence)
    levels = affine.warp_levels()
    if levels:
        divergence = analyze_divergence(function, control, launch, known=levels)
        affine = analyze_affine(function, control, divergence)
    spaces = infer_spaces(function, control)
    weights = BlockWeights(function, control, divergence, affine, spaces)
    accesses = analyze_accesses(function, control, divergence, spaces, affine)
    from_memory, decided_by_memory = _resting_on(function, control, _is_memory)
    grader = Grader(function, control, divergence, affine)
    sites = [one for block in control.order for one in function.blocks[block].instructions if type(one) in ACCESSES]
    return Subject(
        function,
        launch,
        control,
        divergence,
        affine,
        spaces,
        {id(site): access for site, access in zip(sites, accesses, strict=True)},
        find_barriers(function, control, divergence, launch),
        weights,
        estimate_costs(function, control, divergence, affine, weights, grader),
        grader,
        _resting_on(function, control, _is_undefined)[0],
        from_memory,
        decided_by_memory,
    )


def _resting_on(
    function: Function, control: ControlFlow, is_source: Callable[[Instruction], bool]
) -> tuple[frozenset[ValueId], frozenset[BasicBlockId]]:
    """Values that may depend on what the sources return, and blocks that run or not because of it."""
    values = {one.result for _, one in function.instructions() if one.result is not None and is_source(one)}
    blocks: set[BasicBlockId] = set()
    size = -1
    while size != len(values) + len(blocks):
        size = len(values) + len(blocks)
        for number in control.order:
            block = function.blocks[number]
            if any(_decides(function, other, values) for other in control.iterated_controllers(number)):
                blocks.add(number)
            for phi in block.phis:
                if any(value in values or source in blocks for source, value in phi.incoming):
                    values.add(phi.result)
            for one in block.instructions:
                if one.result is not None and not values.isdisjoint(one.operands):
                    values.add(one.result)
    return frozenset(values), frozenset(blocks)


def _decides(function: Function, block: BasicBlockId, values: set[ValueId]) -> bool:
    return not values.isdisjoint(function.blocks[block].terminator.operands)


def _is_undefined(instruction: Instruction) -> bool:
    return isinstance(instruction, Undefined)


def _is_memory(instruction: Instruction) -> bool:
    """What a race or a faulty access may change."""
    return isinstance(instruction, Load | Atomic | Shuffle | Vote | Match | WarpReduce | Call | Opaque | Texture)
