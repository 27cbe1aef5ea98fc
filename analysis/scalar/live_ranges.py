"""Where is each register live?

Code is numbered in layout order, one number for the start of each block and one for each instruction.  *Slot* `i` is
the moment after number `i`.  A register occupies the slots from its definition up to the instruction before its last
use; a result that nobody reads still occupies the slot in which it is written.  Sets of slots and sets of registers are
Python integers, one bit each, so that interference is one `&`.

Cost    A few sweeps over the blocks, O(instructions + registers * blocks / 64).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import final

from analysis.ir.ids import BasicBlockId
from analysis.scalar.code import Code, registers
from analysis.scalar.machine import MachineInstruction


@final
class LiveRanges:
    """`slots[r]`: the slots of register number `r`; `start[b]`: the number of the start of block `b`."""

    def __init__(self, slots: Sequence[int], start: Mapping[BasicBlockId, int]) -> None:
        self.slots = slots
        self.start = start


def find_live_ranges(code: Code) -> LiveRanges:
    """`code` without phis: they are copies by now."""
    items = {block: (*code.body[block], *code.ends[block]) for block in code.order}
    live_out = _live_out(code, items)
    slots = [0] * len(code.keys)
    start: dict[BasicBlockId, int] = {}
    number = 0
    for block in code.order:
        start[block] = number
        _mark_block(items[block], number, live_out[block], slots)
        number += 1 + len(items[block])
    return LiveRanges(slots, start)


def _mark_block(items: Sequence[MachineInstruction], start: int, live_out: int, slots: list[int]) -> None:
    end = start + len(items)
    open_until = dict.fromkeys(bits(live_out), end + 1)
    for number, item in zip(range(end, start, -1), reversed(items), strict=True):
        for result in item.results:
            slots[result.number] |= between(number, open_until.pop(result.number, number + 1))
        for operand in registers(item.operands):
            open_until.setdefault(operand.number, number)
    for register, until in open_until.items():
        slots[register] |= between(start, until)


def _live_out(code: Code, items: Mapping[BasicBlockId, Sequence[MachineInstruction]]) -> dict[BasicBlockId, int]:
    reads: dict[BasicBlockId, int] = {}
    writes: dict[BasicBlockId, int] = {}
    for block in code.order:
        read = written = 0
        for item in items[block]:
            for operand in registers(item.operands):
                if not written >> operand.number & 1:
                    read |= 1 << operand.number
            for result in item.results:
                written |= 1 << result.number
        reads[block], writes[block] = read, written
    live_in = dict.fromkeys(code.order, 0)
    live_out = dict.fromkeys(code.order, 0)
    changed = True
    while changed:
        changed = False
        for block in reversed(code.order):
            out = 0
            for successor in code.successors[block]:
                out |= live_in[successor]
            arriving = reads[block] | (out & ~writes[block])
            live_out[block] = out
            if arriving != live_in[block]:
                live_in[block] = arriving
                changed = True
    return live_out


def bits(number: int) -> Iterator[int]:
    """The places of the ones, lowest first."""
    while number:
        lowest = number & -number
        yield lowest.bit_length() - 1
        number ^= lowest


def between(first: int, end: int) -> int:
    """The slots from `first` to before `end`."""
    return (1 << end) - (1 << first)
