"""Can two accesses of different threads of a block meet?  What linear forms rule out.

Question  Are there two threads of one block, and two executions in one interval, that use a common byte?
Rules     Different variables never overlap.
          Two addresses with the same known distance between threads, and a difference of their bases that is a known
          number, are compared for all distances between two threads.
          Two elements of an array of rows are the same only if all their indices are: `tile[ty][tx]` is another one in
          each thread, however wide the block is.
          A form may hold what is the same for the whole block and does not change while the kernel runs: registers,
          addresses of variables, values defined outside of loops.  What changes in a loop may differ between two
          executions, so such a form rules nothing out.
Assumes   that a block whose shape is not known has one row if the kernel never reads `threadIdx.y` and `z`; that an
          index lies in its dimension of an array.
Exact     only forms that hold whatever 32-bit arithmetic does.
Gives up  (the answer is "they may") at everything else.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Final, TypeAlias, final

from analysis.affine.atoms import Atom, Axis, IterationAtom, RegisterAtom, SymbolAtom, ValueAtom
from analysis.affine.linear_form import LinearForm
from analysis.affine.result import AffineResult
from analysis.divergence.launch_shape import MAX_BLOCK_THREADS, LaunchKnowledge
from analysis.divergence.levels import Level
from analysis.divergence.result import DivergenceResult
from analysis.graph.control_flow import ControlFlow
from analysis.ir.function import SymbolKind
from analysis.ir.ids import BasicBlockId, ValueId
from analysis.ir.instructions import ElementAddress, ReadSpecial, SymbolAddress
from analysis.ir.operators import SpecialRegister
from analysis.ir.record import record
from analysis.ir.types import ArrayType, PointerType
from analysis.races.model import MemoryUse

Factors: TypeAlias = tuple[int, int, int]
"""Along x, y and z."""
_AXES: Final = (Axis.THREAD_X, Axis.THREAD_Y, Axis.THREAD_Z)


@final
@record
class _Where:
    """Numbers that stand for the form of an address and for those of the indices that lead to it."""

    form: int | None
    indices: tuple[int | None, ...] | None


@final
class Disjoint:
    """Answers for the uses of one function, kept per kind of address."""

    def __init__(
        self, control: ControlFlow, divergence: DivergenceResult, affine: AffineResult, launch: LaunchKnowledge
    ) -> None:
        self._control = control
        self._divergence = divergence
        self._affine = affine
        self._extent = _extent(control, launch)
        self._numbers: dict[LinearForm, int] = {}
        self._forms: list[LinearForm] = []
        self._where: dict[tuple[ValueId, BasicBlockId], _Where] = {}
        self._fixed: dict[Atom, bool] = {}
        self._answers: dict[tuple[object, ...], bool] = {}

    def never_meet(self, one: MemoryUse, other: MemoryUse) -> bool:
        """Do no two threads of a block ever use a common byte by these two?"""
        if one.variable is not None and other.variable is not None and one.variable != other.variable:
            return not self._are_dynamic(one, other)
        left, right = self._place(one), self._place(other)
        key = (left.form, left.indices, right.form, right.indices, one.width, other.width, one.variable)
        known = self._answers.get(key)
        if known is None:
            known = self._answers[key] = self._find(left, right, one.width, other.width)
        return known

    @property
    def has_one_row(self) -> bool:
        """Does every block have one row of threads?"""
        return self._extent is not None and self._extent[1:] == (1, 1)

    def differs_in_each_thread(self, form: LinearForm) -> bool:
        """Is it another number in each thread of a block?"""
        factors = _factors(form)
        return factors is not None and self._extent is not None and not _some_distance_hits(factors, self._extent, 0, 0)

    def form_of(self, use: MemoryUse) -> LinearForm | None:
        """Of its address, if it is exact and the same in every execution."""
        number = self._place(use).form
        return None if number is None else self._forms[number]

    def _find(self, left: _Where, right: _Where, width: int, other_width: int) -> bool:
        if left.form is not None and right.form is not None:
            one, other = self._forms[left.form], self._forms[right.form]
            factors, difference = _factors(one), (other.base - one.base).constant
            alike = one.coefficients == other.coefficients
            if alike and factors is not None and difference is not None and self._extent is not None:
                # One uses `width` bytes from form(t) on, the other `other_width` from form(t + distance) + difference.
                low, high = 1 - other_width - difference, width - 1 - difference
                if not _some_distance_hits(factors, self._extent, low, high):
                    return True
        return left.indices is not None and right.indices is not None and self._index_differs(left, right)

    def _index_differs(self, left: _Where, right: _Where) -> bool:
        """Are two elements with all indices alike only used by one thread, or by none?"""
        assert left.indices is not None
        assert right.indices is not None
        if len(left.indices) != len(right.indices) or self._extent is None:
            return False
        distances: dict[Axis, int] = {axis: 0 for axis, count in zip(_AXES, self._extent, strict=True) if count == 1}
        for one, other in zip(left.indices, right.indices, strict=True):
            found = None if one is None or other is None else _equation(self._forms[one], self._forms[other])
            if found is None:
                continue
            axis, distance = found
            if distance is None or (axis is not None and distances.get(axis, distance) != distance):
                return True
            if axis is not None:
                distances[axis] = distance
        return len(distances) == len(_AXES) and not any(distances.values())

    def _are_dynamic(self, *uses: MemoryUse) -> bool:
        """Arrays of dynamic size are all the same memory."""
        symbols = self._control.function.symbols
        return all(use.variable is not None and symbols[use.variable].kind is SymbolKind.DYNAMIC_SHARED for use in uses)

    # -- forms ------------------------------------------------------------------------------------------------------

    def _place(self, use: MemoryUse) -> _Where:
        place = use.address, use.block
        known = self._where.get(place)
        if known is None:
            known = self._where[place] = _Where(self._form(*place), self._indices(use))
        return known

    def _indices(self, use: MemoryUse) -> tuple[int | None, ...] | None:
        """Of an element of an array of rows, the outermost first; None for anything else."""
        types, value = self._control.function.types, use.address
        found: list[int | None] = []
        while True:
            match self._divergence.definition(value):
                case ElementAddress(base=base, index=index):
                    pointer = types[base]
                    if not isinstance(pointer, PointerType) or not isinstance(pointer.element, ArrayType):
                        return None
                    found.append(self._form(index, use.block))
                    value = base
                case SymbolAddress():
                    return tuple(reversed(found)) if len(found) > 1 else None
                case _:
                    return None

    def _form(self, value: ValueId, block: BasicBlockId) -> int | None:
        """The number of its exact form, if it is the same in every execution."""
        form = self._affine.form_at(value, block)
        if form is None or not form.exact or not self.is_fixed(form):
            return None
        number = self._numbers.setdefault(form, len(self._forms))
        if number == len(self._forms):
            self._forms.append(form)
        return number

    def is_fixed(self, form: LinearForm) -> bool:
        """Is the base the same for the whole block, and in every execution?"""
        return all(self._is_fixed(atom) for atom in form.base.atoms())

    def _is_fixed(self, atom: Atom) -> bool:
        known = self._fixed.get(atom)
        if known is None:
            known = self._fixed[atom] = self._find_fixed(atom)
        return known

    def _find_fixed(self, atom: Atom) -> bool:
        match atom:
            case RegisterAtom() | SymbolAtom():
                return True
            case ValueAtom(value):
                divergence = self._divergence
                outside = self._control.innermost_cycle(divergence.home(value)) is None
                return outside and divergence.level(value) <= Level.BLOCK
            case IterationAtom():
                return False
            case _:
                return False


def _factors(form: LinearForm) -> Factors | None:
    x, y, z = (form.coefficient(axis).constant for axis in _AXES)
    if x is None or y is None or z is None or form.coefficient(Axis.LANE).terms:
        return None
    return x, y, z


def _equation(one: LinearForm, other: LinearForm) -> tuple[Axis | None, int | None] | None:
    """Along which axis, and how far, two threads have to lie apart for the two to be equal.

    The axis is None if they always are, the distance is None if they never are; None: more than that has to hold.
    """
    difference = (other.base - one.base).constant
    if one.coefficients != other.coefficients or difference is None or len(one.coefficients) > 1:
        return None
    if not one.coefficients:
        return None, 0 if difference == 0 else None
    ((axis, coefficient),) = one.coefficients
    factor = coefficient.constant
    if factor is None or axis is Axis.LANE:
        return None
    return axis, None if difference % factor else -difference // factor


def registers_read(control: ControlFlow) -> set[SpecialRegister]:
    return {instruction.register for _, _, instruction in control.placed(ReadSpecial)}


def _extent(control: ControlFlow, launch: LaunchKnowledge) -> Factors | None:
    """The largest extent of a block along each axis; None where too much is possible."""
    if launch.shapes:
        x, y, z = zip(*((shape.x, shape.y, shape.z) for shape in launch.shapes), strict=True)
        return max(x), max(y), max(z)
    read = registers_read(control)
    if SpecialRegister.THREAD_Z in read:
        return None
    has_rows = not launch.one_dimensional and SpecialRegister.THREAD_Y in read
    return MAX_BLOCK_THREADS, MAX_BLOCK_THREADS if has_rows else 1, 1


@lru_cache(maxsize=1024)
def _some_distance_hits(factors: Factors, extent: Factors, low: int, high: int) -> bool:
    """Is there a distance between two different threads with `low <= sum(factor * distance) <= high`?"""
    x, y, z = factors
    wide, tall, deep = (count - 1 for count in extent)
    for dz in range(-deep, deep + 1):
        for dy in range(-tall, tall + 1):
            rest = y * dy + z * dz
            if _hits_along_x(x, wide, low - rest, high - rest, skip_zero=dy == dz == 0):
                return True
    return False


def _hits_along_x(factor: int, reach: int, low: int, high: int, *, skip_zero: bool) -> bool:
    """Is there a distance from `-reach` to `reach` with `low <= factor * distance <= high`, not 0 if so asked?"""
    if factor == 0:
        return low <= 0 <= high and (not skip_zero or reach > 0)
    if factor < 0:
        factor, low, high = -factor, -high, -low
    first, last = max(-(-low // factor), -reach), min(high // factor, reach)
    return first <= last and not (skip_zero and first == last == 0)
