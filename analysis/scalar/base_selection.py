"""Machine code for the bases of values (`bases.py`): the same operations, over the bases of the operands."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import final

from analysis.graph.control_flow import ControlFlow
from analysis.ir.function import Function
from analysis.ir.ids import ValueId
from analysis.ir.instructions import (
    Binary,
    Bitcast,
    Convert,
    ElementAddress,
    FieldAddress,
    Instruction,
    Phi,
    ReadSpecial,
    Select,
)
from analysis.ir.types import PointerType, StructType, Type, VectorType
from analysis.lower.layouts import size_of
from analysis.scalar.arithmetic import number, retyped
from analysis.scalar.code import MachinePhi
from analysis.scalar.emitter import Emitter
from analysis.scalar.machine import Bank, Immediate, Operand, Register, SiteId
from analysis.scalar.mnemonics import mnemonic


@final
class BaseSelection:
    """Writes through the emitter of the selection it belongs to; `own` are the operands that hold the values."""

    def __init__(
        self,
        function: Function,
        needed: frozenset[ValueId],
        out: Emitter,
        own: Mapping[ValueId, tuple[Operand, ...]],
        costs_nothing: Callable[[Bitcast | Convert], bool],
    ) -> None:
        self._function = function
        self._needed = needed
        self._out = out
        self._own = own
        self._costs_nothing = costs_nothing
        self._bases: dict[ValueId, Operand] = {}

    def base(self, value: ValueId) -> Operand:
        """What holds the base of a value; scalar values are their own."""
        return self._bases[value] if value in self._needed else self._own[value][0]

    def start_phi(self, phi: Phi) -> None:
        """Names the register; its inputs may not be selected yet."""
        if phi.result in self._needed:
            self._bases[phi.result] = self._out.result(Bank.SCALAR)

    def finish_phi(self, phi: Phi, site: SiteId, control: ControlFlow) -> MachinePhi | None:
        if phi.result not in self._needed:
            return None
        result = self._bases[phi.result]
        assert isinstance(result, Register)
        incoming = tuple((p, self.base(value)) for p, value in phi.incoming if control.is_reachable(p))
        return MachinePhi(result, incoming, site, phi.span)

    def select(self, instruction: Instruction) -> None:
        """The base of the result of an instruction that `BaseAnalysis` found computable."""
        assert instruction.result is not None
        self._bases[instruction.result] = self._base_of(instruction)

    def _base_of(self, instruction: Instruction) -> Operand:
        structs, out = self._function.structs, self._out
        match instruction:
            case ReadSpecial():
                return number(0)
            case Binary() | Select():
                operands = tuple(map(self.base, instruction.operands))
                found = out.compute(self._name(instruction), operands, Bank.SCALAR)
                return retyped(found, self._function.types[instruction.result])
            case Convert() | Bitcast():
                operand = self.base(instruction.operand)
                if isinstance(operand, Immediate) or self._costs_nothing(instruction):
                    return retyped(operand, self._function.types[instruction.result])
                assert isinstance(instruction, Convert), "a cast of pointers costs nothing"
                return out.compute(self._name(instruction), (operand,), Bank.SCALAR)
            case ElementAddress(base=base, index=index, result=result):
                type_ = self._function.types[result]
                size = size_of(type_.element, structs) if isinstance(type_, PointerType) else None
                return out.element(self.base(base), self.base(index), size, Bank.SCALAR)
            case FieldAddress(base=base):
                offset = field_offset(self._function, instruction)
                return out.compute("iadd", (self.base(base), offset), Bank.SCALAR)
            case _:
                raise AssertionError(f"no base of {instruction}")

    def _name(self, instruction: Binary | Select | Convert) -> str:
        types = self._function.types
        return mnemonic(instruction, types[instruction.result], types[instruction.operands[0]])


def field_offset(function: Function, instruction: FieldAddress) -> Immediate:
    """In bytes; `offset` where the layout is not known."""
    pointer = function.types[instruction.base]
    pointed: Type | None = pointer.element if isinstance(pointer, PointerType) else None
    match pointed:
        case StructType(name=name) if name in function.structs and function.structs[name].size:
            return number(function.structs[name].fields[instruction.field].offset)
        case VectorType(element=element):
            size = size_of(element, function.structs)
            return Immediate("offset") if size is None else number(size * instruction.field)
        case _:
            return Immediate("offset")
