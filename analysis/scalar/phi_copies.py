"""Phis become copies, and most copies vanish: both sides get one register where they are never live at once.

Isolation   A phi `r = phi(a, b)` becomes a register `x` of its own with `x <- a`, `x <- b` at the ends of the
            predecessors and `r <- x` at the start of the block.  That is right for every control-flow graph: `x` is
            live on the edges into the block and nowhere else.  All copies at one place happen at once.
Coalescing  Then copies are merged where the live ranges of both sides are disjoint, innermost loops first.
Source      Boissinot, Darte, Rastello, Dupont de Dinechin, Guillon: Revisiting out-of-SSA translation for correctness,
            code quality, and efficiency, CGO 2009.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final, final

from analysis.ir.ids import BasicBlockId
from analysis.ir.source import NO_SPAN
from analysis.scalar.code import Code
from analysis.scalar.live_ranges import LiveRanges, between
from analysis.scalar.machine import Execution, MachineInstruction, Operand, Register, SiteId

ARRIVING: Final = "copies from phis"
LEAVING: Final = "copies to phis"
COPIES: Final = (ARRIVING, LEAVING)
"""Mnemonics of several copies at once; result `i` takes operand `i`."""


def isolate_phis(code: Code) -> None:
    """Replaces the phis of `code`."""
    leaving: dict[BasicBlockId, list[tuple[Register, Operand]]] = {}
    for block in code.order:
        arriving: list[tuple[Register, Operand]] = []
        for phi in code.phis[block]:
            code.spans[phi.site] = phi.span
            between = code.register(phi.result.bank, code.keys[phi.result.number])
            arriving.append((phi.result, between))
            for predecessor, operand in phi.incoming:
                leaving.setdefault(predecessor, []).append((between, operand))
        if arriving:
            code.body[block].insert(0, _copies(ARRIVING, arriving))
        code.phis[block] = []
    for block, copies in leaving.items():
        code.body[block].append(_copies(LEAVING, copies))


def _copies(mnemonic: str, pairs: Sequence[tuple[Register, Operand]]) -> MachineInstruction:
    results, operands = tuple(result for result, _ in pairs), tuple(operand for _, operand in pairs)
    return MachineInstruction(mnemonic, results, operands, Execution.THREAD, SiteId(-1), NO_SPAN, essential=True)


@final
class Webs:
    """Registers that share one place: a union-find over register numbers with the slots of each set."""

    def __init__(self, ranges: LiveRanges) -> None:
        self._parent = list(range(len(ranges.slots)))
        self.slots = list(ranges.slots)
        """Of a web, by its representative."""

    def find(self, number: int) -> int:
        parent = self._parent
        while parent[number] != number:
            parent[number] = parent[parent[number]]
            number = parent[number]
        return number

    def merge(self, left: int, right: int, agreeing: int) -> None:
        """Both registers, if they are never live at once outside of the slots in which they hold the same value."""
        left, right = self.find(left), self.find(right)
        if left != right and not self.slots[left] & self.slots[right] & ~agreeing:
            self._parent[right] = left
            self.slots[left] |= self.slots[right]


def coalesce(code: Code, ranges: LiveRanges, depth: Callable[[BasicBlockId], int]) -> Webs:
    """`depth`: how many loops are around a block."""
    webs = Webs(ranges)
    for block in sorted(code.order, key=depth, reverse=True):
        end = ranges.start[block] + len(code.body[block]) + len(code.ends[block])
        for number, item in enumerate(code.body[block], ranges.start[block] + 1):
            if item.mnemonic in COPIES:
                _coalesce_group(webs, item, between(number, end + 1) if item.mnemonic == LEAVING else 0)
    return webs


def _coalesce_group(webs: Webs, group: MachineInstruction, rest: int) -> None:
    """`rest`: the slots of the block from a leaving group on."""
    pairs = list(zip(group.results, group.operands, strict=True))
    for result, operand in pairs:
        if isinstance(operand, Register) and operand.bank is result.bank:
            web = webs.find(operand.number)
            # Phis of two successors may take one value.  Both copies hold it until the block ends, unless the value's
            # web has already taken in the copy of another value.
            same = all(source == operand for target, source in pairs if webs.find(target.number) == web)
            webs.merge(result.number, operand.number, rest if same else 0)
