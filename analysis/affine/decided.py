"""Which comparisons come out the same for all threads of a grid, because of what every launch passes?

    if (blockIdx.x * blockDim.x + threadIdx.x < n)     n is at least gridDim.x * blockDim.x in every launch
    if (threadIdx.x < size)                            size is blockDim.x in every launch
    if (blockIdx.x * blockDim.x < n)                   n is more than what all blocks but one have in every launch

Rules     The index of a thread along an axis is less than the extent of the block, and its index in the grid is less
          than the product of both extents, which is less than 2^31 (`launch_bounds.py`): as numbers of 32 bits or more,
          with a sign or without.  So is a parameter that is an extent, or that divides to the extent of the grid, or a
          product of two that does.  The first thread of a block is less than what leaves no block without work.
          A parameter of 64 bits may be anything above, so only comparisons without a sign are decided by it.
Limits    Comparisons of these sums alone, nothing added to them; loops that count on from there are none of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cached_property
from typing import Final, assert_never, final

from analysis.affine.atoms import AXIS_OF_REGISTER, RegisterAtom, ValueAtom
from analysis.affine.facts import AffineFacts
from analysis.affine.launch_bounds import BLOCK_EXTENTS, BLOCK_INDICES, GRID_EXTENTS, THREAD_INDICES
from analysis.affine.linear_form import LinearForm
from analysis.affine.polynomial import ONE, Polynomial, number, variable
from analysis.ir.ids import ValueId
from analysis.ir.instructions import Compare
from analysis.ir.launch_relation import RelationKind
from analysis.ir.types import IntegerType

_LEAST_BITS: Final = 32
_LEAST: Final = (RelationKind.COVERS, RelationKind.EXCEEDS)


def decided_comparisons(facts: AffineFacts, comparisons: Iterable[Compare]) -> Iterator[ValueId]:
    """The results of those comparisons that have one outcome in each launch."""
    below = _Below(facts)
    for one in comparisons:
        if below.is_less(one.left, one.right) or below.is_less(one.right, one.left):
            yield one.result


def parting_axis(facts: AffineFacts, compare: Compare) -> int | None:
    """The axis (0, 1, 2) along which threads of the last blocks alone come to different outcomes: `i < n`, where every
    launch says that only the last block may reach behind n."""
    launch = facts.divergence.launch
    if all(one.kind is not RelationKind.EXCEEDS for one in (*launch.relations, *launch.products)):
        return None
    below = _Below(facts)
    found = below.axis_but_last(compare.left, compare.right)
    return below.axis_but_last(compare.right, compare.left) if found is None else found


@final
class _Below:
    def __init__(self, facts: AffineFacts) -> None:
        self._forms = facts.forms
        self._types = facts.function.types
        self._extents: list[list[Polynomial]] = [[variable(RegisterAtom(one))] for one in BLOCK_EXTENTS]
        """By axis: what is the extent of the block."""
        self._sizes: list[list[Polynomial]] = [[variable(RegisterAtom(one))] for one in GRID_EXTENTS]
        """What is the extent of the grid."""
        self._bounds: list[list[Polynomial]] = [[], [], []]
        """What is no less than the product of both."""
        self._reached: list[list[Polynomial]] = [[], [], []]
        """What is more than the product of the one and of one less than the other."""
        self._unsigned: set[Polynomial] = set()
        """Of these the ones that decide nothing where there is a sign."""
        for axis, register in enumerate(BLOCK_EXTENTS):
            extent = facts.bounds.constant(register)
            if extent is not None:
                self._extents[axis].append(number(extent))
        parameters = facts.function.parameters
        for kind, axis, position in facts.divergence.launch.relations:
            parameter = parameters[position].value
            atom, type = variable(ValueAtom(parameter)), facts.function.types[parameter]
            if not isinstance(type, IntegerType) or type.bits < _LEAST_BITS:
                continue
            found = self._atoms_of(kind)
            if found is not None and (type.bits == _LEAST_BITS or kind in _LEAST):
                found[axis].append(atom)
                if type.bits > _LEAST_BITS:
                    self._unsigned.add(atom)
        for kind, axis, *factors in facts.divergence.launch.products:
            left, right = (variable(ValueAtom(parameters[position].value)) for position in factors)
            found = self._atoms_of(kind)
            if found is not None:
                found[axis].append(left * right)

    def _atoms_of(self, kind: RelationKind) -> list[list[Polynomial]] | None:
        """Where parameters belong of which that is known; nothing is decided by a bound from above."""
        match kind:
            case RelationKind.IS_BLOCK:
                return self._extents
            case RelationKind.IS_GRID:
                return self._sizes
            case RelationKind.COVERS:
                return self._bounds
            case RelationKind.EXCEEDS:
                return self._reached
            case RelationKind.WITHIN:
                return None
            case _:
                assert_never(kind)

    def is_less(self, left: ValueId, right: ValueId) -> bool:
        """Whether one value is surely less than the other, in every thread."""
        pair = self._pair(left, right)
        if pair is None:
            return False
        small, large = pair
        if not small.coefficients:
            return self._is_first_thread_less(small.base, large.base)
        axis = self._axis(small)
        if axis is None:
            return False
        if small.base.is_zero:
            return large.base in self._extents[axis]
        if small.base not in self._firsts[axis]:
            return False
        return large.base in self._bounds[axis] or large.base in self._products[axis]

    def axis_but_last(self, left: ValueId, right: ValueId) -> int | None:
        """The axis along which one value is less than the other in every thread of all blocks but the last."""
        pair = self._pair(left, right)
        axis = None if pair is None or not pair[0].coefficients else self._axis(pair[0])
        if pair is None or axis is None or pair[1].base not in self._reached[axis]:
            return None
        return axis if pair[0].base in self._firsts[axis] else None

    def _pair(self, left: ValueId, right: ValueId) -> tuple[LinearForm, LinearForm] | None:
        """The forms of two values, where the second has no thread in it and may decide a comparison of the two."""
        small, large, type = self._forms[left], self._forms[right], self._types[left]
        if small is None or large is None or not isinstance(type, IntegerType) or type.bits < _LEAST_BITS:
            return None
        if not (small.exact and large.exact) or large.coefficients or len(small.coefficients) > 1:
            return None
        is_hidden = large.base in self._unsigned and (type.signed or type.bits == _LEAST_BITS)
        return None if is_hidden else (small, large)

    def _is_first_thread_less(self, first: Polynomial, bound: Polynomial) -> bool:
        """Whether a value is the index of the first thread of each block along an axis, and the bound more."""
        for axis, firsts in enumerate(self._firsts):
            if first in firsts:
                return bound in self._reached[axis] or bound in self._bounds[axis] or bound in self._products[axis]
        return False

    @cached_property
    def _firsts(self) -> list[list[Polynomial]]:
        """By axis: the index in the grid of the first thread of a block."""
        blocks = [variable(RegisterAtom(register)) for register in BLOCK_INDICES]
        return [[block * one for one in extents] for block, extents in zip(blocks, self._extents, strict=True)]

    @cached_property
    def _products(self) -> list[list[Polynomial]]:
        """By axis: how many threads the grid has."""
        both = zip(self._sizes, self._extents, strict=True)
        return [[size * extent for size in sizes for extent in extents] for sizes, extents in both]

    def _axis(self, form: LinearForm) -> int | None:
        """The axis along which it is the index of the thread, and of nothing else."""
        axis, step = form.coefficients[0]
        names = [AXIS_OF_REGISTER[register] for register in THREAD_INDICES]
        return names.index(axis) if axis in names and step == ONE else None
