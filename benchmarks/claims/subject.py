"""Everything that the analyses claim of a kernel under one knowledge of its launch.

The passes are those of `analysis.facts.roots`, on the very function that runs, so that blocks and values are the same.
"""

from __future__ import annotations

from collections.abc import Mapping
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
from analysis.ir.ids import SourceBranchId, ValueId
from analysis.ir.instructions import Instruction, Load, Undefined
from analysis.memory.spaces import SpaceResult, infer_spaces
from analysis.verdict.barriers import BarrierSite, find_barriers
from analysis.verdict.cost import BranchCost, estimate_costs
from analysis.verdict.grade import Grader


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
    costs: Mapping[SourceBranchId, BranchCost]
    grader: Grader
    undefined: frozenset[ValueId]
    """Values that may rest on one that was never written, through data flow alone."""


def analyze_subject(function: Function, launch: LaunchKnowledge) -> Subject:
    control = ControlFlow.of(function)
    divergence = analyze_divergence(function, control, launch)
    affine = analyze_affine(function, control, divergence)
    levels = affine.warp_levels()
    if levels:
        divergence = analyze_divergence(function, control, launch, known=levels)
        affine = analyze_affine(function, control, divergence)
    spaces = infer_spaces(function, control)
    accesses = analyze_accesses(function, control, divergence, spaces, affine)
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
        estimate_costs(function, control, divergence, affine, spaces),
        Grader(function, control, divergence, affine),
        _resting_on_undefined(function),
    )


def _resting_on_undefined(function: Function) -> frozenset[ValueId]:
    readers: dict[ValueId, list[ValueId]] = {}
    waiting: list[ValueId] = []
    for block in function.blocks:
        items: list[tuple[ValueId | None, tuple[ValueId, ...], bool]] = [
            (phi.result, tuple(value for _, value in phi.incoming), False) for phi in block.phis
        ]
        items += [(one.result, one.operands, isinstance(one, Undefined)) for one in block.instructions if _passes(one)]
        for result, operands, is_undefined in items:
            if result is None:
                continue
            if is_undefined:
                waiting.append(result)
            for operand in operands:
                readers.setdefault(operand, []).append(result)
    found = set(waiting)
    while waiting:
        for reader in readers.get(waiting.pop(), ()):
            if reader not in found:
                found.add(reader)
                waiting.append(reader)
    return frozenset(found)


def _passes(instruction: Instruction) -> bool:
    return not isinstance(instruction, Load)
