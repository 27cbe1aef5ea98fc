"""What remains of divergence if the blocks of a kernel are rows of threads, where nobody knows how it is launched?

    int warp = threadIdx.x / 32;        agrees in each warp of a row; in a block of 8 x 32 threads it is always 0,
    for (int i = warp; i < n; i += 4)   in one of 48 x 2 warps reach around the end of a row

Question  A kernel that never reads `threadIdx.y` and `.z` is meant for rows, as a rule.  Its branches may part lanes in
          other blocks, so they vary; but a finding about one that parts none in a row rests on a launch that nobody
          makes.
Limits    Kernels that divide, mask or shift something: otherwise rows change nothing.
"""

from __future__ import annotations

from typing import Final

from analysis.divergence.launch_shape import LaunchKnowledge
from analysis.graph.control_flow import ControlFlow
from analysis.ir.function import Function, FunctionKind
from analysis.ir.instructions import Binary, ReadSpecial
from analysis.ir.operators import BinaryOperator, SpecialRegister

HIGHER_DIMENSIONS: Final = frozenset(
    {
        SpecialRegister.THREAD_Y,
        SpecialRegister.THREAD_Z,
        SpecialRegister.BLOCK_DIM_Y,
        SpecialRegister.BLOCK_DIM_Z,
    }
)
_LOSING: Final = frozenset(
    {BinaryOperator.DIVIDE, BinaryOperator.REMAINDER, BinaryOperator.SHIFT_RIGHT, BinaryOperator.AND}
)
"""By which lanes that differ in a row may come to agree."""


def reads_higher_dimensions(function: Function) -> bool:
    """Whether a function asks for a row of its block, or for how many there are."""
    return any(
        isinstance(instruction, ReadSpecial) and instruction.register in HIGHER_DIMENSIONS
        for _, instruction in function.instructions()
    )


def is_meant_for_rows(function: Function, control: ControlFlow, launch: LaunchKnowledge) -> bool:
    """Whether a kernel of unknown launches asks for its place in a row and for no row, and rows may change anything."""
    if function.kind is not FunctionKind.KERNEL or launch.shapes or launch.one_dimensional:
        return False
    registers = {read.register for _, _, read in control.placed(ReadSpecial)}
    if SpecialRegister.THREAD_X not in registers or not registers.isdisjoint(HIGHER_DIMENSIONS):
        return False
    return any(type(item) is Binary and item.operator in _LOSING for _, item in function.instructions())
