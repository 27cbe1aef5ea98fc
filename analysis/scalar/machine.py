"""Code of a simple machine with two banks of registers, as in Fig. 1 of Lee et al.

The machine is the RISC of that figure: loads and stores address memory by one register, every other instruction works
on registers and immediate operands, a register holds any number of up to 64 bits.  A thread register `r3` exists once
per thread, a scalar register `s3` once per warp.

Source  Lee, Krashinsky, Grover, Keckler, Asanović: Convergence and Scalarization for Data-Parallel Architectures, CGO
        2013, sections 2.2, 2.3 and 3.5.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from typing import NewType, TypeAlias, final

from analysis.ir.ids import BasicBlockId
from analysis.ir.record import record
from analysis.ir.source import Span

SiteId = NewType("SiteId", int)
"""One parameter, phi, instruction or terminator of the IR: what machine code is selected for."""


class Bank(Enum):
    """Where a register lives; the value is how its name begins."""

    THREAD = "r"
    SCALAR = "s"


class Execution(Enum):
    """How often one issue of an instruction does its work."""

    THREAD = "thread"
    """Once per thread."""
    SCALAR = "scalar"
    """Once per warp."""
    SEQUENTIAL = "warp-sequential"
    """One address per warp, one element per thread, in the order of the threads (section 3.5)."""


@final
@record
class Register:
    """Before registers are assigned `number` names the value, afterwards the place (from 1)."""

    bank: Bank
    number: int

    def __str__(self) -> str:
        return f"{self.bank.value}{self.number}"


@final
@record
class Immediate:
    """An operand in the instruction itself; `number` where it is an integer that is known."""

    text: str
    number: int | None = None

    def __str__(self) -> str:
        return self.text


Operand: TypeAlias = Register | Immediate


class AccessKind(Enum):
    LOAD = "load"
    STORE = "store"
    ATOMIC = "atomic"


@final
@record
class MemoryAccess:
    """`elements`: data items per thread (4 for a `float4`)."""

    kind: AccessKind
    elements: int


@final
@record
class MachineInstruction:
    """One issue.  Of a load or store the address comes first among the operands; of a conditional branch the guard."""

    mnemonic: str
    results: tuple[Register, ...]
    operands: tuple[Operand, ...]
    execution: Execution
    site: SiteId
    span: Span
    access: MemoryAccess | None = None
    target: BasicBlockId | None = None
    negated: bool = False
    """Of a conditional branch: taken where the operand is false."""
    essential: bool = False
    """Has an effect beside its results."""


@final
@record
class MachineBlock:
    """`divergent`: not all live threads of a warp come here together; `needs_syncwarp`: see `Plan.guarded`."""

    id: BasicBlockId
    instructions: tuple[MachineInstruction, ...]
    divergent: bool
    needs_syncwarp: bool


@final
@record
class MachineFunction:
    """Blocks in the order of the listing; `registers`: how many of each bank the code needs."""

    name: str
    blocks: tuple[MachineBlock, ...]
    registers: Mapping[Bank, int]
