"""Scalarization: a function as a conventional compiler and as a scalarizing compiler would translate it, compared.

Question  Which registers and instructions need to exist once per warp only, what does that save, what does it cost?
Steps     `plan.py` decides what is scalar, `selection.py` chooses instructions for both versions, `assignment.py`
          removes dead code and assigns registers, `counts.py` counts, `listing.py` prints.
Assumes   block barriers are reached by all threads (section 3.1); what divergence and linear forms assume.
Cost      about as much as one analysis of divergence, on demand only.
Source    Lee et al., CGO 2013; Collange, 2011, for the shares of uniform and affine values.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import final

from analysis.affine.analysis import analyze_affine
from analysis.divergence.analysis import analyze_divergence
from analysis.divergence.launch_shape import LaunchKnowledge
from analysis.divergence.levels import Level
from analysis.divergence.options import DivergenceOptions
from analysis.graph.control_flow import ControlFlow
from analysis.ir.function import Function, FunctionKind
from analysis.ir.ids import BasicBlockId
from analysis.ir.record import record
from analysis.memory.spaces import SpaceResult, infer_spaces
from analysis.scalar.assignment import Assigned, assign_registers
from analysis.scalar.code import Key
from analysis.scalar.collange_shares import CollangeShares, collange_shares
from analysis.scalar.counts import Comparison, Share, compare, registers_of
from analysis.scalar.machine import MachineBlock, MachineFunction
from analysis.scalar.plan import Plan, make_plan, no_plan
from analysis.scalar.selection import select_code


@final
@record
class LoopCounts:
    """One iteration of a loop, inner loops once; `header` is the block where an iteration starts."""

    header: BasicBlockId
    depth: int
    comparison: Comparison


@final
@record
class Scalarization:
    """Both versions of one function for one warp size, and the counts."""

    function: Function
    warp_size: int
    exit_optimization: bool
    plan: Plan
    conventional: MachineFunction
    scalarized: MachineFunction
    whole: Comparison
    loops: tuple[LoopCounts, ...]
    """Outer loops before inner ones."""
    collange: CollangeShares

    @property
    def conventional_registers(self) -> Share:
        return registers_of(self.conventional)

    @property
    def scalar_registers(self) -> Share:
        """Of the scalarized code: shared ones, and those of each thread."""
        return registers_of(self.scalarized)


def scalarize(
    function: Function, control: ControlFlow, launch: LaunchKnowledge, exit_optimization: bool = False
) -> Scalarization:
    """`function` in SSA form, with what it calls inlined.

    A device function is taken to be called by whole warps, with arguments that may differ between threads.
    """
    parameters = Level.GRID if function.kind is FunctionKind.KERNEL else Level.VARYING
    options = DivergenceOptions(assume_barriers=True, exit_optimization=exit_optimization, parameters=parameters)
    divergence = analyze_divergence(function, control, launch, options)
    affine = analyze_affine(function, control, divergence)
    levels = affine.warp_levels()
    if levels:
        divergence = analyze_divergence(function, control, launch, options, levels)
        affine = analyze_affine(function, control, divergence)
    spaces = infer_spaces(function, control)
    plan = make_plan(function, control, divergence, affine, spaces)
    before = _assigned(function, control, no_plan(function), spaces, {})
    after = _assigned(function, control, plan, spaces, before.numbers)
    old = _machine_function(function, control, before, plan)
    new = _machine_function(function, control, after, plan)
    return Scalarization(
        function,
        launch.warp_size,
        exit_optimization,
        plan,
        old,
        new,
        compare(old.blocks, new.blocks),
        tuple(_loops(control, old, new)),
        collange_shares(function, control, launch, affine),
    )


def _assigned(
    function: Function, control: ControlFlow, plan: Plan, spaces: SpaceResult, preferences: Mapping[Key, int]
) -> Assigned:
    def depth(block: BasicBlockId) -> int:
        cycle = control.innermost_cycle(block)
        return 0 if cycle is None else cycle.depth

    code = select_code(function, control, plan, spaces)
    return assign_registers(code, depth, lambda block: block in plan.converged, preferences)


def _machine_function(function: Function, control: ControlFlow, assigned: Assigned, plan: Plan) -> MachineFunction:
    blocks = tuple(
        MachineBlock(block, instructions, block not in plan.converged, block in plan.guarded)
        for block, instructions in assigned.blocks.items()
    )
    return MachineFunction(function.name, blocks, assigned.registers)


def _loops(control: ControlFlow, old: MachineFunction, new: MachineFunction) -> list[LoopCounts]:
    found: list[LoopCounts] = []
    for cycle in sorted(control.cycles, key=lambda cycle: (control.rank[cycle.header], cycle.depth)):
        before = [block for block in old.blocks if block.id in cycle.blocks]
        after = [block for block in new.blocks if block.id in cycle.blocks]
        found.append(LoopCounts(cycle.header, cycle.depth, compare(before, after)))
    return found


def for_warp_sizes(
    function: Function,
    control: ControlFlow,
    launch: LaunchKnowledge,
    sizes: tuple[int, ...],
    exit_optimization: bool = False,
) -> tuple[Scalarization, ...]:
    """One answer per warp size: what is uniform in a small warp may not be in a large one."""
    return tuple(scalarize(function, control, replace(launch, warp_size=size), exit_optimization) for size in sizes)
