"""Numbers that a kernel reads through a pointer argument, and that are as free as an argument.

Rules     The address is the same for the whole grid (`*limit`, `sizes[2]`), and the kernel writes nothing through that
          pointer and nothing whose place is not understood.  A launch in which the number is any other exists, with
          pointers that do not overlap.
"""

from __future__ import annotations

from functools import cached_property
from typing import final

from analysis.divergence.levels import Level
from analysis.divergence.result import DivergenceResult
from analysis.graph.control_flow import ControlFlow
from analysis.ir.function import Function, FunctionKind
from analysis.ir.ids import ValueId
from analysis.ir.instructions import (
    Atomic,
    Call,
    Constant,
    Convert,
    DeviceLaunch,
    ElementAddress,
    Load,
    Opaque,
    Store,
    SymbolAddress,
)
from analysis.memory.roots import pointer_root


@final
class MemoryArguments:
    def __init__(self, function: Function, control: ControlFlow, divergence: DivergenceResult) -> None:
        self._function = function
        self._control = control
        self._divergence = divergence
        self._names = {parameter.value: parameter.name for parameter in function.parameters}

    def name(self, value: ValueId) -> str | None:
        """What such a number is called; None for every other value."""
        item = self._divergence.definition(value)
        if not isinstance(item, Load) or item.volatile or self._function.kind is not FunctionKind.KERNEL:
            return None
        root = pointer_root(self._divergence, item.address)
        if root not in self._names or self._divergence.level(item.address) > Level.GRID or not self._is_only_read(root):
            return None
        return self._spelled(item.address, self._names[root])

    def _spelled(self, address: ValueId, pointer: str) -> str:
        match self._divergence.definition(address):
            case None:
                return f"*{pointer}"
            case ElementAddress(base=base, index=index) if base in self._names:
                number = self._divergence.definition(index)
                while isinstance(number, Convert):
                    number = self._divergence.definition(number.operand)
                return f"{pointer}[{number.value if isinstance(number, Constant) else '…'}]"
            case _:
                return f"what `{pointer}` points to"

    def _is_only_read(self, root: ValueId) -> bool:
        return self._written is not None and root not in self._written

    @cached_property
    def _written(self) -> frozenset[ValueId] | None:
        """The arguments that are written through; None if something else may be."""
        found: set[ValueId] = set()
        for block in self._control.order:
            for item in self._function.blocks[block].instructions:
                if isinstance(item, Opaque | Call | DeviceLaunch):
                    return None
                if isinstance(item, Store | Atomic):
                    root = pointer_root(self._divergence, item.address)
                    if root not in self._names and not isinstance(self._divergence.definition(root), SymbolAddress):
                        return None
                    found.add(root)
        return frozenset(found)
