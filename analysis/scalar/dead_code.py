"""Removes instructions and phis that nothing with an effect depends on.

So dies the address arithmetic of which only warp-sequential accesses had use, and, in both versions of the code, what
a compiler would not have kept either.

Cost    O(instructions + operands).
"""

from __future__ import annotations

from analysis.scalar.code import Code, MachinePhi, registers
from analysis.scalar.machine import MachineInstruction, Register


def remove_dead_code(code: Code) -> None:
    definer: dict[Register, MachineInstruction | MachinePhi] = {}
    waiting: list[Register] = []
    for block in code.order:
        for phi in code.phis[block]:
            definer[phi.result] = phi
        for instruction in (*code.body[block], *code.ends[block]):
            for result in instruction.results:
                definer[result] = instruction
            if instruction.essential:
                waiting += registers(instruction.operands)
    live: set[Register] = set()
    while waiting:
        register = waiting.pop()
        if register not in live:
            live.add(register)
            waiting += _sources(definer[register])
    for block in code.order:
        code.phis[block] = [phi for phi in code.phis[block] if phi.result in live]
        code.body[block] = [item for item in code.body[block] if item.essential or not live.isdisjoint(item.results)]


def _sources(definer: MachineInstruction | MachinePhi) -> list[Register]:
    match definer:
        case MachineInstruction():
            return list(registers(definer.operands))
        case MachinePhi():
            return list(registers([operand for _, operand in definer.incoming]))
