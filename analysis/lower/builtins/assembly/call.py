"""An `asm` statement, as the lowering hands it over.

Named tuples, because a frozen dataclass takes ten times as long to define and every start of the server pays for it.
"""

from __future__ import annotations

from typing import NamedTuple

from analysis.ir.ids import ValueId
from analysis.ir.source import Span
from analysis.ir.types import Type
from analysis.lower.builder import FunctionBuilder


class AssemblyOperand(NamedTuple):
    """An output: `"=r"(x)`, or `"+r"(x)`, which is read too; `type` is that of the object at `address`."""

    constraint: str
    address: ValueId
    type: Type
    name: str | None = None


class AssemblyInput(NamedTuple):
    """`"r"(value)`, `[name] "r"(value)`."""

    constraint: str
    value: ValueId
    name: str | None = None


class AssemblyCall(NamedTuple):
    """`template` is the text of the string literals put together, escapes resolved."""

    builder: FunctionBuilder
    template: str
    is_volatile: bool
    outputs: tuple[AssemblyOperand, ...]
    inputs: tuple[AssemblyInput, ...]
    clobbers: tuple[str, ...]
    span: Span
    warp_size: int = 32
