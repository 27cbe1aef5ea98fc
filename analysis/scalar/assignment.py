"""From SSA to numbered registers: dead code, phis, live ranges, colouring, and the copies that remain."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import final

from analysis.ir.ids import BasicBlockId
from analysis.ir.record import record
from analysis.scalar.code import Code, Key
from analysis.scalar.coloring import Places, color, placed
from analysis.scalar.dead_code import remove_dead_code
from analysis.scalar.live_ranges import LiveRanges, find_live_ranges
from analysis.scalar.machine import Bank, Execution, MachineInstruction, Operand, Register, SiteId
from analysis.scalar.phi_copies import COPIES, Webs, coalesce, isolate_phis


@final
@record
class Assigned:
    """Instructions over numbered registers; `numbers`: the register that each key has."""

    blocks: Mapping[BasicBlockId, tuple[MachineInstruction, ...]]
    registers: Mapping[Bank, int]
    numbers: Mapping[Key, int]


def assign_registers(
    code: Code,
    depth: Callable[[BasicBlockId], int],
    converged: Callable[[BasicBlockId], bool],
    preferences: Mapping[Key, int],
) -> Assigned:
    """Consumes `code`.  `preferences`: register numbers to keep where possible."""
    remove_dead_code(code)
    isolate_phis(code)
    ranges = find_live_ranges(code)
    webs = coalesce(code, ranges, depth)
    places = color(code, webs, preferences)
    blocks = {
        block: tuple(_Renaming(code, ranges, webs, places, block, converged(block)).instructions())
        for block in code.order
    }
    registers = {bank: places.size(bank) for bank in Bank}
    numbers = {
        key: places.of_web[web] for number, key in enumerate(code.keys) if (web := webs.find(number)) in places.of_web
    }
    return Assigned(blocks, registers, numbers)


@final
class _Renaming:
    """One block with its places for registers, its groups of copies as moves one after the other."""

    def __init__(
        self, code: Code, ranges: LiveRanges, webs: Webs, places: Places, block: BasicBlockId, converged: bool
    ) -> None:
        self._code = code
        self._webs = webs
        self._places = places
        self._items = (*code.body[block], *code.ends[block])
        self._start = ranges.start[block]
        self._converged = converged

    def instructions(self) -> Iterator[MachineInstruction]:
        for number, item in enumerate(self._items, self._start + 1):
            if item.mnemonic in COPIES:
                yield from self._moves(item, number)
            else:
                results = tuple(self._placed(result) for result in item.results)
                yield replace(item, results=results, operands=tuple(map(self._operand, item.operands)))

    def _placed(self, register: Register) -> Register:
        return placed(self._places, self._webs, register)

    def _operand(self, operand: Operand) -> Operand:
        return self._placed(operand) if isinstance(operand, Register) else operand

    def _moves(self, group: MachineInstruction, number: int) -> Iterator[MachineInstruction]:
        """All copies at once as moves in an order in which none overwrites what another still reads."""
        waiting: dict[Register, tuple[Operand, SiteId]] = {}
        for result, operand in zip(group.results, group.operands, strict=True):
            target, source = self._placed(result), self._operand(operand)
            if target != source:
                waiting[target] = source, self._code.keys[result.number][0]
        while waiting:
            read = {source for source, _ in waiting.values()}
            free = [target for target in waiting if target not in read]
            for target in free:
                yield self._move(target, *waiting.pop(target))
            if not free:  # a ring: one of its registers is set aside
                target, (_, site) = next(iter(waiting.items()))
                slots = 1 << number | 1 << (number - 1)
                aside = Register(target.bank, self._places.free(target.bank, slots))
                key = target.bank, aside.number
                self._places.occupied[key] = self._places.occupied.get(key, 0) | slots
                yield self._move(aside, target, site)
                waiting = {to: (aside if source == target else source, at) for to, (source, at) in waiting.items()}

    def _move(self, target: Register, source: Operand, site: SiteId) -> MachineInstruction:
        scalar = self._converged and target.bank is Bank.SCALAR and not _is_thread(source)
        execution = Execution.SCALAR if scalar else Execution.THREAD
        return MachineInstruction("mov", (target,), (source,), execution, site, self._code.spans[site])


def _is_thread(operand: Operand) -> bool:
    return isinstance(operand, Register) and operand.bank is Bank.THREAD
