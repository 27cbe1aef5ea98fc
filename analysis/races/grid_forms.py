"""Linear forms that are another number in each block of a grid."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from analysis.affine.atoms import Axis, RegisterAtom
from analysis.affine.linear_form import LinearForm
from analysis.divergence.launch_shape import BlockShape
from analysis.ir.operators import SpecialRegister
from analysis.verdict.slice import BLOCK_INDICES

_BLOCK: Final = (RegisterAtom(SpecialRegister.BLOCK_X),)
_FIRST_THREAD: Final = tuple(sorted(map(RegisterAtom, (SpecialRegister.BLOCK_X, SpecialRegister.BLOCK_DIM_X))))
"""The index along the grid of the first thread of the block."""


def grows_along_the_grid(form: LinearForm) -> bool:
    """Is it `c * (blockIdx.x * blockDim.x + threadIdx.x)`, and something that agrees in all blocks?"""
    step = form.coefficient(Axis.THREAD_X).constant
    if not step or len(form.coefficients) != 1:
        return False
    found = False
    for monomial, factor in form.base.terms:
        if monomial == _FIRST_THREAD:
            found = factor == step
        elif any(isinstance(atom, RegisterAtom) and atom.register in BLOCK_INDICES for atom in monomial):
            return False
    return found


def lies_apart_in_blocks(form: LinearForm, width: int, shapes: Sequence[BlockShape]) -> bool:
    """Is it `c * blockIdx.x` with a `c` of at least what the threads of a block reach, and something that agrees?"""
    step = 0
    for monomial, factor in form.base.terms:
        if any(isinstance(atom, RegisterAtom) and atom.register in BLOCK_INDICES for atom in monomial):
            if monomial != _BLOCK:
                return False
            step = abs(factor)
    reach = width
    for axis, coefficient in form.coefficients:
        factor = coefficient.constant
        if factor is None or axis is Axis.LANE or not shapes:
            return False
        reach += abs(factor) * (max((shape.x, shape.y, shape.z)[axis] for shape in shapes) - 1)
    return step >= reach
