"""An `asm` statement, as the lowering hands it over."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

from analysis.ir.ids import ValueId
from analysis.ir.source import Span
from analysis.ir.types import Type
from analysis.lower.builder import FunctionBuilder


@final
@dataclass(frozen=True, slots=True)
class AssemblyOperand:
    """An output: `"=r"(x)`, or `"+r"(x)`, which is read too; `type` is that of the object at `address`."""

    constraint: str
    address: ValueId
    type: Type
    name: str | None = None


@final
@dataclass(frozen=True, slots=True)
class AssemblyInput:
    """`"r"(value)`, `[name] "r"(value)`."""

    constraint: str
    value: ValueId
    name: str | None = None


@final
@dataclass(frozen=True, slots=True)
class AssemblyCall:
    """`template` is the text of the string literals put together, escapes resolved."""

    builder: FunctionBuilder
    template: str
    is_volatile: bool
    outputs: tuple[AssemblyOperand, ...]
    inputs: tuple[AssemblyInput, ...]
    clobbers: tuple[str, ...]
    span: Span
    warp_size: int = 32
