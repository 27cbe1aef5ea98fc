"""Variables and constants that every device function sees: `threadIdx`, `warpSize`, `INT_MAX`."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Final, final

from analysis.ir.ids import ValueId
from analysis.ir.operators import SpecialRegister
from analysis.ir.record import record
from analysis.ir.source import Span
from analysis.ir.types import S32, U32, Type, VectorType
from analysis.lower.builder import FunctionBuilder
from analysis.lower.builtins.call import Literal
from analysis.lower.builtins.constants import CONSTANTS
from analysis.lower.builtins.operations import build_aggregate

_R = SpecialRegister
_FIELDS: Final = ("x", "y", "z")
_DIM3: Final = VectorType(U32, 3, 4)

INDEX_VARIABLES: Final[Mapping[str, tuple[SpecialRegister, ...]]] = {
    "threadIdx": (_R.THREAD_X, _R.THREAD_Y, _R.THREAD_Z),
    "blockIdx": (_R.BLOCK_X, _R.BLOCK_Y, _R.BLOCK_Z),
    "blockDim": (_R.BLOCK_DIM_X, _R.BLOCK_DIM_Y, _R.BLOCK_DIM_Z),
    "gridDim": (_R.GRID_DIM_X, _R.GRID_DIM_Y, _R.GRID_DIM_Z),
}
_HIP_STEMS: Final = {
    "hipThreadIdx": "threadIdx",
    "hipBlockIdx": "blockIdx",
    "hipBlockDim": "blockDim",
    "hipGridDim": "gridDim",
}
_REGISTERS: Final[Mapping[str, tuple[SpecialRegister, Type]]] = {
    "warpSize": (_R.WARP_SIZE, S32),
    **{
        f"{stem}_{field}": (register, U32)
        for stem, name in _HIP_STEMS.items()
        for field, register in zip(_FIELDS, INDEX_VARIABLES[name], strict=True)
    },
}


@final
@record
class BuiltinVariable:
    """Special registers (three for `threadIdx`), or, where there are none, a constant."""

    name: str
    type: Type
    registers: tuple[SpecialRegister, ...]
    constant: Literal

    def lower(self, builder: FunctionBuilder, span: Span) -> ValueId:
        """The variable's value."""
        if not self.registers:
            return builder.constant(self.constant, self.type, span)
        if len(self.registers) == 1:
            return builder.special(self.registers[0], span, self.type)
        parts = tuple(builder.special(register, span) for register in self.registers)
        return build_aggregate(builder, parts, self.type, span)

    def member(self, builder: FunctionBuilder, field: str, span: Span) -> ValueId | None:
        """`threadIdx.x`; None where there is no such member."""
        if len(self.registers) < 2 or field not in _FIELDS:
            return None
        return builder.special(self.registers[_FIELDS.index(field)], span)


@lru_cache(maxsize=1024)
def builtin_variable(name: str) -> BuiltinVariable | None:
    """The variable or constant of that name; `std::` and `cuda::` before an enumerator do not matter."""
    registers = INDEX_VARIABLES.get(name)
    if registers is not None:
        return BuiltinVariable(name, _DIM3, registers, None)
    single = _REGISTERS.get(name)
    if single is not None:
        return BuiltinVariable(name, single[1], (single[0],), None)
    space, _, last = name.rpartition("::")
    constant = CONSTANTS.get(last) or CONSTANTS.get("::".join(name.split("::")[-2:]))
    if constant is None or (space and space.split("::")[0] not in _NAMESPACES):
        return None
    return BuiltinVariable(name, constant[1], (), constant[0])


_NAMESPACES: Final = frozenset(("std", "cuda", "nvcuda", "wmma"))
