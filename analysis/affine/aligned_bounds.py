"""Which comparisons come out alike in all threads of a block, because a bound lies where a block begins?

    if (blockIdx.x * blockDim.x + threadIdx.x < n)     blocks of 256 threads, n is a multiple of 256 in every launch

Rules     In a block the smaller side is `A + e(thread)`, the other is `B`; `A` and `B` agree in the block, and a power
          of two `w` divides both.  If no `e(thread)` leaves `0 .. w - 1`, then `A + e < B` if and only if
          `A / w < B / w`, with a sign and without one; so for `>=`.  `A + e <= B` is `A + e < B + 1`, where `w` divides
          `B + 1`; so for `>`.
Exact     `w` is at most half of what the type holds, so whatever wraps keeps `e(thread)` and the sign.
Limits    Blocks of known shapes; sides that are made of indices and extents of blocks, and parameters.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from analysis.affine.atoms import REGISTER_OF_AXIS, Axis, RegisterAtom, ValueAtom
from analysis.affine.facts import AffineFacts
from analysis.affine.launch_bounds import BLOCK_EXTENTS, BLOCK_INDICES, GRID_EXTENTS, THREAD_INDICES
from analysis.affine.linear_form import LinearForm
from analysis.affine.polynomial import Polynomial, number
from analysis.divergence.levels import Level
from analysis.ir.ids import ValueId
from analysis.ir.instructions import Compare
from analysis.ir.operators import MIRRORED, ORDERINGS, CompareOperator
from analysis.ir.types import IntegerType

_OF_BLOCK: Final = frozenset((*BLOCK_INDICES, *BLOCK_EXTENTS, *GRID_EXTENTS))
_BELOW: Final = frozenset({CompareOperator.LESS, CompareOperator.GREATER_EQUAL})
"""Of a thread and a bound; the others are decided by what is one more than the bound."""


def comparisons_alike_in_blocks(facts: AffineFacts, comparisons: Iterable[Compare]) -> Iterator[ValueId]:
    """The results of those comparisons that agree in each block."""
    launch = facts.divergence.launch
    if not launch.shapes or not launch.multiples:
        return  # without a bound that is known to be a multiple only constants are left, which need no proof
    parameters = frozenset(parameter.value for parameter in facts.function.parameters)
    for item in comparisons:
        if item.operator in ORDERINGS and facts.divergence.level(item.result) > Level.BLOCK:
            left_first = _is_alike(facts, parameters, item.left, item.right, item.operator)
            if left_first or _is_alike(facts, parameters, item.right, item.left, MIRRORED[item.operator]):
                yield item.result


def _is_alike(
    facts: AffineFacts, parameters: frozenset[ValueId], thread: ValueId, bound: ValueId, operator: CompareOperator
) -> bool:
    moving, fixed, type = facts.forms[thread], facts.forms[bound], facts.function.types[thread]
    if moving is None or fixed is None or not isinstance(type, IntegerType) or not (moving.exact and fixed.exact):
        return False
    if fixed.coefficients or not all(_agrees(facts, parameters, side.base) for side in (fixed, moving)):
        return False
    limit = fixed.base if operator in _BELOW else fixed.base + number(1)
    unit = facts.polynomial_alignment(limit)
    unit = min(unit, facts.polynomial_alignment(moving.base.without_constant), 1 << type.bits - 1)
    reach = _reach(facts, moving)
    return reach is not None and moving.base.constant_term % unit + reach < unit


def _agrees(facts: AffineFacts, parameters: frozenset[ValueId], base: Polynomial) -> bool:
    """Whether a polynomial is one number in all threads of a block, wherever it is read."""
    for atom in base.atoms():
        match atom:
            case RegisterAtom(register) if register in _OF_BLOCK:
                continue
            case ValueAtom(value) if value in parameters and facts.divergence.level(value) <= Level.BLOCK:
                continue
            case _:
                return False
    return True


def _reach(facts: AffineFacts, form: LinearForm) -> int | None:
    """How far the last thread of any block is from the first; None where some thread is before the first."""
    reach = 0
    for axis, coefficient in form.coefficients:
        register = REGISTER_OF_AXIS.get(axis)
        if axis is Axis.LANE or register not in THREAD_INDICES:
            return None
        step = coefficient.constant_term
        if coefficient != number(step) or step < 0:
            return None
        reach += step * facts.bounds.registers[register].high
    return reach
