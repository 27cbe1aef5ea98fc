"""Counts of static code, with and without scalarization, for a warp of any size: Figures 5 and 6 of Lee et al.

Everything is counted once per instruction of the listing, as if each were executed once by a converged warp; for the
body of a loop that is one iteration.

operations   one per warp for a scalar or warp-sequential instruction, else one per thread
reads        a scalar register is read once per warp, whoever reads it; a thread register once per thread
addresses    one per warp for a scalar or warp-sequential access, else one per thread
data         elements moved: once per warp for a scalar access, else once per thread
registers    of one warp: scalar ones once, thread registers once per thread
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import final

from analysis.ir.record import record
from analysis.scalar.code import registers
from analysis.scalar.machine import Bank, Execution, MachineBlock, MachineFunction, MachineInstruction, SiteId


@final
@record
class Share:
    """How much happens once per warp, and how much once per thread."""

    once: int = 0
    each: int = 0

    def per_warp(self, warp_size: int) -> int:
        return self.once + self.each * warp_size

    def __add__(self, other: Share) -> Share:
        return Share(self.once + other.once, self.each + other.each)


@final
@record
class Activity:
    """What one pass over some code does; `instructions` by how they execute."""

    instructions: Mapping[Execution, int]
    operations: Share
    reads: Share
    writes: Share
    addresses: Share
    data: Share

    @property
    def issued(self) -> int:
        return sum(self.instructions.values())


@final
@record
class Comparison:
    """The same code before and after; `added` and `removed` instructions make up the difference."""

    conventional: Activity
    scalarized: Activity
    added: int
    removed: int


def compare(before: Iterable[MachineBlock], after: Iterable[MachineBlock]) -> Comparison:
    """Of the same blocks in both functions."""
    old = [instruction for block in before for instruction in block.instructions]
    new = [instruction for block in after for instruction in block.instructions]
    difference: dict[SiteId, int] = {}
    for instruction in new:
        difference[instruction.site] = difference.get(instruction.site, 0) + 1
    for instruction in old:
        difference[instruction.site] = difference.get(instruction.site, 0) - 1
    added = sum(count for count in difference.values() if count > 0)
    removed = -sum(count for count in difference.values() if count < 0)
    return Comparison(activity(old), activity(new), added, removed)


def activity(instructions: Iterable[MachineInstruction]) -> Activity:
    counts = dict.fromkeys(Execution, 0)
    operations = reads = writes = addresses = data = Share()
    for instruction in instructions:
        execution = instruction.execution
        counts[execution] += 1
        operations += Share(1, 0) if execution is not Execution.THREAD else Share(0, 1)
        for operand in registers(instruction.operands):
            reads += _of_bank(operand.bank)
        for result in instruction.results:
            writes += _of_bank(result.bank)
        if instruction.access is not None:
            elements = instruction.access.elements
            addresses += Share(0, 1) if execution is Execution.THREAD else Share(1, 0)
            data += Share(elements, 0) if execution is Execution.SCALAR else Share(0, elements)
    return Activity(counts, operations, reads, writes, addresses, data)


def registers_of(function: MachineFunction) -> Share:
    return Share(function.registers[Bank.SCALAR], function.registers[Bank.THREAD])


def _of_bank(bank: Bank) -> Share:
    return Share(1, 0) if bank is Bank.SCALAR else Share(0, 1)
