"""The answer: forms, ranges, alignments, and what follows from them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import final

from analysis.affine.atoms import Atom
from analysis.affine.collange import CollangeTag
from analysis.affine.decided import parting_axis
from analysis.affine.facts import AffineFacts
from analysis.affine.interval import Interval
from analysis.affine.launch_bounds import LaunchBounds
from analysis.affine.linear_form import LinearForm
from analysis.affine.polynomial import Monomial, Polynomial
from analysis.affine.projection import project
from analysis.affine.ranges import Ranges
from analysis.divergence.levels import Level
from analysis.ir.ids import BasicBlockId, ValueId
from analysis.ir.instructions import Compare


@final
class AffineResult:
    """Frozen facts of one function under one launch."""

    def __init__(self, facts: AffineFacts, warp_levels: Mapping[ValueId, Level]) -> None:
        self._facts = facts
        self._warp_levels = warp_levels

    @property
    def facts(self) -> AffineFacts:
        """For the pass that found them, which goes on from there."""
        return self._facts

    @property
    def bounds(self) -> LaunchBounds:
        """What is known of indices and extents."""
        return self._facts.bounds

    @property
    def ranges(self) -> Ranges:
        """Those of all values."""
        return self._facts.ranges

    def form(self, value: ValueId) -> LinearForm | None:
        """Of an integer, a boolean or a pointer, where it is defined; None if nothing linear is known."""
        return self._facts.forms[value]

    def form_at(self, value: ValueId, block: BasicBlockId) -> LinearForm | None:
        """The form where `block` reads the value: None where threads bring it from different iterations of a loop."""
        form = self._facts.forms[value]
        return form if form is not None and self._facts.uniformity.agrees(value, form, block) else None

    def is_integral(self, value: ValueId) -> bool:
        """Is the value its form as an integer, not only modulo its width?  Assumes what `exact` assumes."""
        return bool(self._facts.proven[value])

    def range(self, value: ValueId) -> Interval:
        """Every number that the value may be, read as its type says; a pointer is a 64-bit unsigned number."""
        return self._facts.ranges.of(value)

    def range_at(self, value: ValueId, block: BasicBlockId) -> Interval:
        """The range where `block` reads the value: the comparisons on the way there count."""
        return self._facts.ranges.at(value, block)

    def polynomial_range(self, polynomial: Polynomial) -> Interval:
        """Every number that the polynomial may be, in the integers of mathematics."""
        return self._facts.polynomial_range(polynomial)

    def alignment(self, item: Polynomial | ValueId) -> int:
        """The largest power of two known to divide it; 2^64 for 0."""
        if isinstance(item, Polynomial):
            return self._facts.polynomial_alignment(item)
        return self._facts.value_alignment(item)

    def term_alignment(self, monomial: Monomial, coefficient: int) -> int:
        """That of one term of a polynomial."""
        return self._facts.term_alignment(monomial, coefficient)

    def atom_range(self, atom: Atom) -> Interval:
        return self._facts.atom_range(atom)

    def parting_axis(self, compare: Compare) -> int | None:
        """The axis along which only threads of the last blocks part at a comparison, by what every launch says."""
        return parting_axis(self._facts, compare)

    def warp_levels(self) -> Mapping[ValueId, Level]:
        """Values that vary in the divergence result, although their forms show that they agree in each warp."""
        return self._warp_levels

    def collange(self, value: ValueId) -> CollangeTag:
        """The tag of the register that holds the value where it is defined; strides are per lane."""
        return project(self._facts, value)
