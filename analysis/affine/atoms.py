"""What linear forms are made of: the axes along which threads differ, and the atoms, which agree in each warp.

An atom is a number: its identity shifted left, its kind in the low bits.  So polynomials over atoms hash and sort at
the speed of integers; nothing else should be read into that number.
"""

from __future__ import annotations

from enum import IntEnum
from typing import TypeAlias, final

from analysis.graph.cycles import CycleId
from analysis.ir.ids import SymbolId, ValueId
from analysis.ir.operators import SpecialRegister


class Axis(IntEnum):
    """A coordinate of a thread in its block, or its place in the warp (`lane = linear index mod warp size`)."""

    THREAD_X = 0
    THREAD_Y = 1
    THREAD_Z = 2
    LANE = 3


AXES = tuple(Axis)
AXIS_OF_REGISTER = {
    SpecialRegister.THREAD_X: Axis.THREAD_X,
    SpecialRegister.THREAD_Y: Axis.THREAD_Y,
    SpecialRegister.THREAD_Z: Axis.THREAD_Z,
    SpecialRegister.LANE: Axis.LANE,
}
REGISTER_OF_AXIS = {axis: register for register, axis in AXIS_OF_REGISTER.items()}

_KIND_BITS = 3
_REGISTERS = tuple(SpecialRegister)
_REGISTER_NUMBERS = {register: number for number, register in enumerate(_REGISTERS)}


@final
class RegisterAtom(int):
    """A register that holds one value per block or grid (`blockIdx.x`, `blockDim.y`): every read is the same atom."""

    __match_args__ = ("register",)

    def __new__(cls, register: SpecialRegister) -> RegisterAtom:
        return int.__new__(cls, _REGISTER_NUMBERS[register] << _KIND_BITS)

    @property
    def register(self) -> SpecialRegister:
        return _REGISTERS[self >> _KIND_BITS]

    def __repr__(self) -> str:
        return f"RegisterAtom({self.register.value})"


@final
class SymbolAtom(int):
    """The address of a variable."""

    __match_args__ = ("symbol",)

    def __new__(cls, symbol: SymbolId) -> SymbolAtom:
        return int.__new__(cls, symbol << _KIND_BITS | 1)

    @property
    def symbol(self) -> SymbolId:
        return SymbolId(self >> _KIND_BITS)

    def __repr__(self) -> str:
        return f"SymbolAtom(${self.symbol})"


@final
class ValueAtom(int):
    """An SSA value that agrees in each warp: parameters, loaded bounds, whatever has no better form."""

    __match_args__ = ("value",)

    def __new__(cls, value: ValueId) -> ValueAtom:
        return int.__new__(cls, value << _KIND_BITS | 2)

    @property
    def value(self) -> ValueId:
        return ValueId(self >> _KIND_BITS)

    def __repr__(self) -> str:
        return f"ValueAtom(%{self.value})"


@final
class ResidualAtom(int):
    """What remains of a value without its thread part: `value - sum(coefficient * axis)`, which agrees in each warp."""

    __match_args__ = ("value",)

    def __new__(cls, value: ValueId) -> ResidualAtom:
        return int.__new__(cls, value << _KIND_BITS | 3)

    @property
    def value(self) -> ValueId:
        return ValueId(self >> _KIND_BITS)

    def __repr__(self) -> str:
        return f"ResidualAtom(%{self.value})"


@final
class IterationAtom(int):
    """The iteration number of a loop, from 0; inside the loop it agrees among the threads of a dynamic instance."""

    __match_args__ = ("cycle",)

    def __new__(cls, cycle: CycleId) -> IterationAtom:
        return int.__new__(cls, cycle << _KIND_BITS | 4)

    @property
    def cycle(self) -> CycleId:
        return CycleId(self >> _KIND_BITS)

    def __repr__(self) -> str:
        return f"IterationAtom({self.cycle})"


Atom: TypeAlias = RegisterAtom | SymbolAtom | ValueAtom | ResidualAtom | IterationAtom
