"""Appends machine instructions to a block and decides how each executes.

An instruction executes once per warp if its block is converged, everything it reads and writes is in scalar registers,
and doing it once is as good as doing it once per thread.  An instruction over thread registers whose result the warp
agrees on (a vote, `threadIdx.x / 32` where the shape is known) writes a scalar register all the same.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import final

from analysis.ir.ids import BasicBlockId
from analysis.ir.source import NO_SPAN, Span
from analysis.scalar.arithmetic import number, simplified
from analysis.scalar.code import Code, registers
from analysis.scalar.machine import (
    Bank,
    Execution,
    Immediate,
    MachineInstruction,
    MemoryAccess,
    Operand,
    Register,
    SiteId,
)


@final
class Emitter:
    """Writes into `code`, at the place that `begin` names."""

    def __init__(self, code: Code, converged: frozenset[BasicBlockId]) -> None:
        self.code = code
        self._all_converged = converged
        self._converged = False
        self._into: list[MachineInstruction] = []
        self._site = SiteId(-1)
        self._span = NO_SPAN
        self._temporaries = 0

    def begin(self, block: BasicBlockId, site: SiteId, span: Span, at_end: bool = False) -> None:
        """What follows stands for `site`; `at_end`: it leaves the block."""
        self._converged = block in self._all_converged
        self._into = (self.code.ends if at_end else self.code.body)[block]
        self._site = site
        self._span = span
        self._temporaries = 0

    def result(self, bank: Bank, leaf: int = 0) -> Register:
        """A register for part `leaf` of the site's value."""
        return self.code.register(bank, (self._site, leaf))

    def temporary(self, operands: Sequence[Operand]) -> Register:
        """A register for something computed from `operands` alone."""
        self._temporaries += 1
        bank = Bank.SCALAR if self._converged and _all_scalar(operands) else Bank.THREAD
        return self.code.register(bank, (self._site, -self._temporaries))

    def emit(
        self,
        mnemonic: str,
        results: Sequence[Register],
        operands: Sequence[Operand],
        *,
        once_is_enough: bool = True,
        sequential: bool = False,
        access: MemoryAccess | None = None,
        target: BasicBlockId | None = None,
        negated: bool = False,
        essential: bool = False,
    ) -> None:
        once = once_is_enough and self._converged and _all_scalar([*results, *operands])
        execution = Execution.SEQUENTIAL if sequential else Execution.SCALAR if once else Execution.THREAD
        self._into.append(
            MachineInstruction(
                mnemonic,
                tuple(results),
                tuple(operands),
                execution,
                self._site,
                self._span,
                access,
                target,
                negated,
                essential,
            )
        )

    def compute(self, mnemonic: str, operands: Sequence[Operand], bank: Bank | None = None) -> Operand:
        """The result of an integer operation, or what it is known to be; `bank` None: a temporary."""
        known = simplified(mnemonic, operands)
        if known is not None:
            return known
        if all(isinstance(operand, Immediate) for operand in operands):
            return constant_expression(mnemonic, operands)
        result = self.temporary(operands) if bank is None else self.result(bank)
        self.emit(mnemonic, (result,), operands)
        return result

    def scaled(self, index: Operand, size: int | None) -> Operand:
        """`index * size` in bytes; a size that is not known is some immediate."""
        if size is None:
            return self.compute("imul", (index, Immediate("sizeof")))
        if size > 0 and size & (size - 1) == 0:
            return self.compute("shl", (index, number(size.bit_length() - 1)))
        return self.compute("imul", (index, number(size)))

    def element(self, base: Operand, index: Operand, size: int | None, bank: Bank) -> Operand:
        """`base + index * size`."""
        return self.compute("iadd", (base, self.scaled(index, size)), bank)


def constant_expression(mnemonic: str, operands: Sequence[Operand]) -> Immediate:
    """What a compiler computes; `tile+16` for an address."""
    if mnemonic == "iadd":
        return Immediate("+".join(map(str, operands)))
    return Immediate(f"{mnemonic}({', '.join(map(str, operands))})")


def _all_scalar(operands: Sequence[Operand]) -> bool:
    return all(register.bank is Bank.SCALAR for register in registers(operands))
