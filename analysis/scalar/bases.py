"""The base of an address: what is left of a value when the thread index is taken as 0, computed once per warp.

A value `base + c * threadIdx.x` needs no thread register if only warp-sequential accesses read it: the machine adds the
thread's part itself.  Its base is computed by the same instructions over the bases of their operands:

    thread index, lane       0
    scalar value             the value
    sum, difference, address the same, of the bases; with a base of 0 nothing remains to be done
    product, left shift      by a scalar; the base of the other operand times it
    conversion, phi, select  of the bases; the select by a scalar

That is exact where linear forms are, because the map from value to base is linear; where an unsigned number is widened
its base must be known not to be negative.  All of it must stand in converged blocks, and no operand may come from a
loop that the threads of a warp leave apart.

In the FIR filter of Fig. 1 the thread's `r1 = samples + 4 * tid` becomes `s1 = samples`, and `iadd r1, r1, 4` becomes
`iadd s1, s1, 4`.

Source  Lee et al., CGO 2013, section 3.5 and Fig. 1(c).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TypeAlias, final

from analysis.affine.result import AffineResult
from analysis.graph.control_flow import ControlFlow
from analysis.ir.function import Function
from analysis.ir.ids import BasicBlockId, ValueId
from analysis.ir.instructions import (
    Binary,
    Bitcast,
    Constant,
    Convert,
    ElementAddress,
    FieldAddress,
    Instruction,
    Phi,
    ReadSpecial,
    Select,
    SymbolAddress,
    TemplateArgument,
)
from analysis.ir.operators import BinaryOperator, SpecialRegister
from analysis.ir.types import IntegerType, PointerType

THREAD_REGISTERS = frozenset({SpecialRegister.THREAD_X, SpecialRegister.LANE})
"""Their base is 0."""

_Definer: TypeAlias = Instruction | Phi
_Question: TypeAlias = Callable[[ValueId], bool]


@final
class BaseAnalysis:
    """Of which values can the base be computed, and which bases does a set of values need?"""

    def __init__(
        self,
        function: Function,
        control: ControlFlow,
        affine: AffineResult,
        scalar: Sequence[int],
        converged: frozenset[BasicBlockId],
    ) -> None:
        self._function = function
        self._control = control
        self._affine = affine
        self._scalar = scalar
        self._definers: dict[ValueId, tuple[BasicBlockId, _Definer]] = {
            definer.result: (block, definer)
            for block in control.order
            for definer in (*function.blocks[block].phis, *function.blocks[block].instructions)
            if definer.result is not None
        }
        self._converged = converged
        self._computable = self._find_computable()

    def computable(self, value: ValueId) -> bool:
        return value in self._computable or self._needs_no_code(value)

    def needed(self, values: Iterable[ValueId]) -> frozenset[ValueId]:
        """All values whose bases must be computed for the bases of `values`."""
        found: set[ValueId] = set()
        waiting = list(values)
        while waiting:
            value = waiting.pop()
            if value not in found and value in self._computable:
                found.add(value)
                waiting += _linear_operands(self._definers[value][1], self._needs_no_code) or ()
        return frozenset(found)

    def _find_computable(self) -> set[ValueId]:
        """The greatest set: assume it of all candidates (of loops too), take it back where an operand fails."""
        operands = {value: found for value in self._definers if (found := self._candidate(value)) is not None}
        users: dict[ValueId, list[ValueId]] = {}
        for value, read in operands.items():
            for operand in read:
                users.setdefault(operand, []).append(value)
        good = set(operands)
        failed = [value for value in users if value not in good and not self._needs_no_code(value)]
        while failed:
            for user in users.get(failed.pop(), ()):
                if user in good:
                    good.discard(user)
                    failed.append(user)
        return good

    def _candidate(self, value: ValueId) -> tuple[ValueId, ...] | None:
        """The operands whose bases make the base of `value`; None if it has none."""
        if self._needs_no_code(value) or self._affine.form(value) is None:
            return None
        block, definer = self._definers[value]
        if block not in self._converged:
            return None
        if isinstance(definer, Phi):
            reads = list(definer.incoming)
            if any(predecessor not in self._converged for predecessor, _ in reads):
                return None
        else:
            reads = [(block, operand) for operand in definer.operands]
        if any(not self._read_together(operand, reader) for reader, operand in reads):
            return None
        if isinstance(definer, Convert | Bitcast) and not self._keeps_linear(definer):
            return None
        if isinstance(definer, ElementAddress) and not self._widens_well(definer.index, 64):
            return None
        return _linear_operands(definer, self._needs_no_code)

    def _read_together(self, value: ValueId, block: BasicBlockId) -> bool:
        return self._needs_no_code(value) or self._affine.form_at(value, block) is not None

    def _keeps_linear(self, definer: Convert | Bitcast) -> bool:
        source, target = self._function.types[definer.operand], self._function.types[definer.result]
        if not isinstance(source, IntegerType | PointerType) or not isinstance(target, IntegerType | PointerType):
            return False
        return self._widens_well(definer.operand, target.bits if isinstance(target, IntegerType) else 64)

    def _widens_well(self, value: ValueId, bits: int) -> bool:
        """Is the base of an unsigned number that is widened to `bits` a number itself, and not less than 0?

        `threadIdx.x - 1` is 0 in the second thread; its base, -1 in 32 bits, would become 4294967295.
        """
        type_, form = self._function.types[value], self._affine.form(value)
        if not isinstance(type_, IntegerType) or type_.signed or type_.bits >= bits or self._needs_no_code(value):
            return True
        return form is not None and self._affine.polynomial_range(form.base).low >= 0

    def _needs_no_code(self, value: ValueId) -> bool:
        """Scalar values and constants are their own bases."""
        return bool(self._scalar[value]) or self._is_immediate(value)

    def _is_immediate(self, value: ValueId) -> bool:
        known = self._definers.get(value)
        return known is not None and isinstance(known[1], Constant | SymbolAddress | TemplateArgument)


def _linear_operands(definer: _Definer, is_scalar: _Question) -> tuple[ValueId, ...] | None:
    match definer:
        case ReadSpecial(register=register):
            return () if register in THREAD_REGISTERS else None
        case Binary(operator=BinaryOperator.ADD | BinaryOperator.SUBTRACT):
            return definer.operands
        case Binary(operator=BinaryOperator.MULTIPLY, left=left, right=right):
            return definer.operands if is_scalar(left) or is_scalar(right) else None
        case Binary(operator=BinaryOperator.SHIFT_LEFT, right=right):
            return definer.operands if is_scalar(right) else None
        case Select(condition=condition):
            return definer.operands if is_scalar(condition) else None
        case Convert() | Bitcast() | ElementAddress() | FieldAddress() | Phi():
            return definer.operands
        case _:
            return None
