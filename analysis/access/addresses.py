"""How an address differs between the lanes of a warp: `uniform base + sum(scale * function of the thread index)`.

Rules     linear forms (`analysis.affine`) give scales for `threadIdx.x`, `y`, `z` and the lane.  Where there is none,
          the address is taken apart along sums and constant multiples, down to linear forms and to functions of thread
          indices and constants (`tid % 16`, `tid ^ 1`), which are kept as *tables* and enumerated for a known shape.
          A scale that is uniform but no known number (`tid * n`) is None.
          An index that is cut to a power of two (`(tid + j) & 31`) is a table for the banks alone (`cut_index.py`).
Assumes   index arithmetic in 32 bits does not wrap before it is widened, as `analysis.affine` does.
Gives up  at anything else that varies: the address is not known.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import field
from typing import Final, TypeAlias, assert_never, final

from analysis.access.cut_index import fits_banks, lane_part, period_of
from analysis.access.model import ALLOCATION_ALIGNMENT
from analysis.affine.atoms import AXES, Atom, Axis, IterationAtom, RegisterAtom, ResidualAtom, SymbolAtom, ValueAtom
from analysis.affine.linear_form import LinearForm
from analysis.affine.polynomial import ONE, ZERO, Polynomial
from analysis.affine.result import AffineResult
from analysis.divergence.result import DivergenceResult
from analysis.divergence.thread_index import Expression, Structured
from analysis.ir.function import Function, FunctionKind
from analysis.ir.ids import BasicBlockId, ValueId
from analysis.ir.instructions import (
    Allocate,
    Binary,
    Bitcast,
    Convert,
    ElementAddress,
    ExtractElement,
    FieldAddress,
    Load,
)
from analysis.ir.integers import power_of_two_in
from analysis.ir.operators import BinaryOperator
from analysis.ir.record import record
from analysis.ir.types import IntegerType, PointerType, StructType, VectorType
from analysis.lower.layouts import size_of

MAX_DEPTH = 16
_MAY_WRAP: Final = (Binary, Convert)

Scale: TypeAlias = int | None
Scales: TypeAlias = tuple[Scale, Scale, Scale, Scale]
"""Of `threadIdx.x`, `threadIdx.y`, `threadIdx.z` and the lane, in bytes; None: uniform, not a known number."""
Table: TypeAlias = tuple[Scale, Expression]


Place: TypeAlias = tuple[Polynomial, tuple[tuple[Axis, Polynomial], ...], tuple[tuple[Polynomial, Expression], ...]]
"""An address without its constant: accesses of one place differ by a number of bytes alone."""


@final
@record
class LaneAddress:
    """`base + constant + sum(scale * axis) + sum(scale * table)`; `base` is uniform.

    `alignment`: a power of two that divides the base and every scale that is not a known number.

    Hashable by numbers and expressions alone, so that what follows from it is kept between functions and edits.
    """

    scales: Scales
    tables: tuple[Table, ...]
    constant: int
    alignment: int
    place: Place = field(compare=False)
    is_exact: bool = field(compare=False)
    """False where it holds only if 32-bit index arithmetic does not wrap."""
    is_of_one_size: bool = field(default=False, compare=False)
    """The only scale that is not a known number is that of `threadIdx.x`, and it is a size (`Addresses._is_size`)."""

    is_turned: bool = False
    """It holds up to a distance that all lanes share and that wraps in an array: of banks it says all."""

    @property
    def is_uniform(self) -> bool:
        return not any(scale != 0 for scale in self.scales) and not self.tables


@final
class Addresses:
    """The addresses of one function."""

    def __init__(
        self,
        function: Function,
        divergence: DivergenceResult,
        affine: AffineResult,
        structured: Structured | None = None,
    ) -> None:
        self._function = function
        self._divergence = divergence
        self._affine = affine
        self._structured = structured or Structured(function, divergence.control)
        self._arguments = frozenset(parameter.value for parameter in function.parameters)
        self._alignments: dict[Atom, int] = {}

    @property
    def structured(self) -> Mapping[int, Expression]:
        """The values that are functions of thread indices and constants."""
        return self._structured.expressions

    def form(self, address: ValueId, block: BasicBlockId) -> LinearForm | None:
        return self._affine.form_at(address, block)

    def lanes(self, address: ValueId, block: BasicBlockId) -> LaneAddress | None:
        """None where the address varies in a way that is not known."""
        form = self._affine.form_at(address, block)
        if form is not None:
            return self._of_form(form)
        parts = _Parts()
        if not self._take(parts, address, block, ONE, 0):
            return None
        scales = [parts.scales.get(axis, ZERO) for axis in AXES]
        factors = [*scales, *(scale for scale, _ in parts.tables)]
        if not parts.fit_the_cut(factors):
            return None
        alignments = [self._affine.alignment(factor) for factor in factors if factor.constant is None]
        x, y, z, lane = (scale.constant for scale in scales)
        return LaneAddress(
            (x, y, z, lane),
            tuple((scale.constant, table) for scale, table in parts.tables),
            parts.base.constant_term,
            min([self._alignment(parts.base), *alignments]),
            parts.place(),
            parts.is_exact,
            not parts.tables and None not in (y, z, lane) and x is None and self._is_size(scales[Axis.THREAD_X]),
            parts.cut is not None,
        )

    def _of_form(self, form: LinearForm) -> LaneAddress:
        """The same where the address is linear as it is."""
        base, alignment, unknown = form.base, self._alignment(form.base), False
        scales: list[Scale] = [0, 0, 0, 0]
        for axis, coefficient in form.coefficients:
            scales[axis] = scale = coefficient.constant
            if scale is None:
                unknown = True
                alignment = min(alignment, self._affine.alignment(coefficient))
        x, y, z, lane = scales
        return LaneAddress(
            (x, y, z, lane),
            (),
            base.constant_term,
            alignment,
            (base.without_constant, form.coefficients, ()),
            form.exact,
            unknown and x is None and None not in (y, z, lane) and self._is_size(form.coefficient(Axis.THREAD_X)),
        )

    def _take(self, parts: _Parts, value: ValueId, block: BasicBlockId, scale: Polynomial, depth: int) -> bool:
        """Adds `scale * value` to the parts."""
        form = self._affine.form_at(value, block)
        if form is not None:
            parts.add(form, scale)
            return True
        table = self.structured.get(value)
        if table is not None:
            parts.tables.append((scale, table))
            return True
        if depth > MAX_DEPTH:
            return False

        def take(operand: ValueId, factor: Polynomial = scale) -> bool:
            return self._take(parts, operand, block, factor, depth + 1)

        return self._take_apart(parts, value, block, scale, take)

    def _take_apart(
        self, parts: _Parts, value: ValueId, block: BasicBlockId, scale: Polynomial, take: Callable[..., bool]
    ) -> bool:
        types = self._function.types
        definition = self._divergence.definition(value)
        parts.is_exact &= not isinstance(definition, _MAY_WRAP)
        match definition:
            case ElementAddress(base=base, index=index):
                pointer = types[value]
                size = size_of(pointer.element, self._function.structs) if isinstance(pointer, PointerType) else None
                return size is not None and take(base) and take(index, scale.scaled(size))
            case FieldAddress(base=base, field=field):
                offset = self._offset(base, field)
                parts.base += scale.scaled(offset or 0)
                return offset is not None and take(base)
            case Bitcast(operand=operand) if isinstance(types[operand], PointerType):
                return take(operand)
            case Convert(operand=operand):
                return _widens(types[operand], types[value]) and take(operand)
            case Binary(operator=BinaryOperator.ADD, left=left, right=right):
                return take(left) and take(right)
            case Binary(operator=BinaryOperator.SUBTRACT, left=left, right=right) if _is_signed(types[value]):
                return take(left) and take(right, scale.scaled(-1))
            case Binary(operator=BinaryOperator.MULTIPLY, left=left, right=right):
                for factor, other in ((left, right), (right, left)):
                    known = self._affine.form_at(factor, block)
                    if known is not None and known.is_uniform:
                        return take(other, scale * known.base)
                return False
            case Binary(operator=BinaryOperator.SHIFT_LEFT, left=left, right=right):
                known = self._affine.form_at(right, block)
                count = None if known is None or not known.is_uniform else known.base.constant
                return count is not None and 0 <= count < 32 and take(left, scale.scaled(1 << count))
            case Binary():
                return self._take_cut(parts, definition, value, block, scale)
            case _:
                return False

    def _take_cut(self, parts: _Parts, item: Binary, value: ValueId, block: BasicBlockId, scale: Polynomial) -> bool:
        """An index that is cut to a power of two."""
        for left, right in ((item.left, item.right), (item.right, item.left)):
            type_, form = self._function.types[value], self._affine.form_at(left, block)
            period = period_of(item, self._divergence.definition(right), self._affine.range_at(left, block), type_)
            table = None if form is None or period is None else lane_part(form, period)
            if period is not None and table is not None and parts.cut is None and fits_banks(scale.constant, period):
                parts.cut = (scale.constant or 0) * period
                parts.tables.append((scale, table))
                return True
            if item.operator is not BinaryOperator.AND:
                return False
        return False

    def _offset(self, base: ValueId, field: int) -> int | None:
        pointer = self._function.types[base]
        match pointer.element if isinstance(pointer, PointerType) else None:
            case StructType(name=name):
                layout = self._function.structs.get(name)
                return None if layout is None or not layout.size else layout.fields[field].offset
            case VectorType(element=element):
                size = size_of(element, self._function.structs)
                return None if size is None else field * size
            case _:
                return None

    def _alignment(self, base: Polynomial) -> int:
        """Of the base without its constant; pointers that come from an allocation are aligned like one."""
        found = ALLOCATION_ALIGNMENT
        for monomial, coefficient in base.terms:
            if not monomial:
                continue
            alignment = power_of_two_in(coefficient)
            for atom in monomial:
                alignment *= self._atom_alignment(atom)
            if len(monomial) == 1 and isinstance(monomial[0], ValueAtom) and self._is_allocation(monomial[0].value):
                alignment = max(alignment, ALLOCATION_ALIGNMENT)
            found = min(found, alignment)
        return found

    def _atom_alignment(self, atom: Atom) -> int:
        known = self._alignments.get(atom)
        if known is None:
            known = self._alignments[atom] = self._affine.term_alignment((atom,), 1)
        return known

    def _is_size(self, scale: Polynomial) -> bool:
        """Is it what it is for the whole kernel?  What changes from round to round of a loop may begin at 1."""
        return all(self._is_fixed(atom) for atom in scale.atoms())

    def _is_fixed(self, atom: Atom) -> bool:
        match atom:
            case RegisterAtom():
                return True
            case ValueAtom(value):
                return value in self._arguments or isinstance(self._divergence.definition(value), Load | ExtractElement)
            case SymbolAtom() | ResidualAtom() | IterationAtom():
                return False
            case _:
                assert_never(atom)

    def _is_allocation(self, value: ValueId) -> bool:
        """A pointer argument of a kernel, or what `malloc` or `new` returned."""
        if not isinstance(self._function.types[value], PointerType):
            return False
        if value in self._arguments:
            return self._function.kind is FunctionKind.KERNEL
        return isinstance(self._divergence.definition(value), Allocate)


@final
class _Parts:
    def __init__(self) -> None:
        self.base = ZERO
        self.scales: dict[Axis, Polynomial] = {}
        self.tables: list[tuple[Polynomial, Expression]] = []
        self.is_exact = True
        self.cut: int | None = None
        """The bytes after which an index that is cut comes back to where it was."""

    def fit_the_cut(self, factors: Sequence[Polynomial]) -> bool:
        """Is all that differs between lanes, but the cut index itself, a multiple of its period?"""
        cut = self.cut
        if cut is None:
            return True
        others = [factor.constant for factor in factors if factor.constant is None or factor.constant % cut]
        return len(others) == 1 and others[0] is not None  # the cut index is always one of them

    def place(self) -> Place:
        return (
            self.base.without_constant,
            tuple(sorted(self.scales.items(), key=lambda item: item[0])),
            tuple(self.tables),
        )

    def add(self, form: LinearForm, scale: Polynomial) -> None:
        self.is_exact &= form.exact
        if scale is ONE and not self.base.terms and not self.scales:
            self.base, self.scales = form.base, dict(form.coefficients)
            return
        self.base += form.base * scale
        for axis, coefficient in form.coefficients:
            self.scales[axis] = self.scales.get(axis, ZERO) + coefficient * scale


def _widens(source: object, target: object) -> bool:
    """A conversion that keeps every number, if neither side wraps."""
    return isinstance(source, IntegerType) and isinstance(target, IntegerType) and target.bits >= source.bits >= 32


def _is_signed(type_: object) -> bool:
    return isinstance(type_, IntegerType) and type_.signed
