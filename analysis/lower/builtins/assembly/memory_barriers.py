"""PTX instructions over memory barriers, and the asynchronous copies that report to one.

Rules    A copy is done at once by the thread that asks for it; then it completes its bytes.  `cp.async.mbarrier.arrive`
         arrives at once for the same reason; without `.noinc` it adds the arrival that it makes, which leaves nothing
         but the order.
Limits   Tensor copies, reductions and copies to several blocks of a cluster are opaque.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from analysis.ir.collectives import Fence
from analysis.ir.ids import ValueId
from analysis.ir.operators import BarrierOperator, BinaryOperator, MemoryScope, PhaseQuestion
from analysis.ir.types import U32, U64, MemorySpace, VectorType
from analysis.lower.builtins.assembly.machine import Machine, NotUnderstood
from analysis.lower.builtins.assembly.syntax import Address, Operand, PtxInstruction
from analysis.lower.builtins.copies import copy_loop
from analysis.lower.builtins.guards_and_loops import Count
from analysis.lower.builtins.memory_barriers import arrive, ask, initialize, parity_of, pending_count, update

_QUESTIONS: Final[Mapping[str, PhaseQuestion]] = {
    "wait": PhaseQuestion.WAIT,
    "try_wait": PhaseQuestion.TRY,
    "test_wait": PhaseQuestion.TEST,
}
"""`wait` is no instruction of PTX: the reader makes it of a loop around one of the others."""
_SPACES: Final[Mapping[str, MemorySpace]] = {"global": MemorySpace.GLOBAL, "shared": MemorySpace.SHARED}


def memory_barrier(machine: Machine, instruction: PtxInstruction) -> None:
    """`mbarrier.…`"""
    words, operands = instruction.modifiers, instruction.operands
    question = next((_QUESTIONS[word] for word in words if word in _QUESTIONS), None)
    if question is not None:
        _ask(machine, question, instruction)
    elif "init" in words:
        initialize(machine.emit, _barrier(machine, operands[0], words), machine.read(operands[1], U32))
    elif "arrive" in words or "arrive_drop" in words:
        _arrive(machine, instruction)
    elif "expect_tx" in words or "complete_tx" in words:
        operator = BarrierOperator.EXPECT if "expect_tx" in words else BarrierOperator.COMPLETE
        update(machine.emit, operator, _barrier(machine, operands[0], words), machine.read(operands[1], U32))
    elif "pending_count" in words:
        machine.write(operands[0], pending_count(machine.emit, machine.read(operands[1], U64)))
    elif "inval" not in words:
        raise NotUnderstood


def _ask(machine: Machine, question: PhaseQuestion, instruction: PtxInstruction) -> None:
    """`mbarrier.try_wait.parity.shared.b64 p, [barrier], parity`; without `.parity`, the state of an arrival."""
    target, barrier, phase, *_ = instruction.operands
    address = _barrier(machine, barrier, instruction.modifiers)
    if "parity" in instruction.modifiers:
        one = machine.emit.constant(1)
        parity = machine.emit.binary(BinaryOperator.AND, machine.read(phase, U32), one)
    else:
        parity = parity_of(machine.emit, machine.read(phase, U64))
    machine.write(target, ask(machine.emit, question, address, parity))


def _arrive(machine: Machine, instruction: PtxInstruction) -> None:
    """`mbarrier.arrive.shared.b64 state, [barrier], count?`, of which the state may be left out."""
    words, operands = instruction.modifiers, instruction.operands
    at = next((index for index, operand in enumerate(operands) if isinstance(operand, Address)), len(operands))
    address = _barrier(machine, operands[at], words)
    rest = operands[at + 1 :]
    operator = BarrierOperator.DROP if "arrive_drop" in words else BarrierOperator.ARRIVE
    one = machine.emit.constant(1)
    if "expect_tx" in words:
        update(machine.emit, BarrierOperator.EXPECT, address, machine.read(rest[0], U32))
        state = update(machine.emit, operator, address, one)
    else:
        state = update(machine.emit, operator, address, machine.read(rest[0], U32) if rest else one)
    if at:
        machine.write(operands[0], state)


def _barrier(machine: Machine, operand: Operand, words: Sequence[str]) -> ValueId:
    space = next((_SPACES[word] for word in words if word in _SPACES), None)
    return machine.address(operand, U64, space)


def barrier_of_copies(machine: Machine, instruction: PtxInstruction) -> None:
    """`cp.async.mbarrier.arrive{.noinc}.shared.b64 [barrier]`."""
    address = _barrier(machine, instruction.operands[0], instruction.modifiers)
    if "noinc" in instruction.modifiers:
        arrive(machine.emit, address)
    else:
        update(machine.emit, BarrierOperator.COMPLETE, address, machine.emit.constant(0))


def copy_bulk(machine: Machine, instruction: PtxInstruction) -> None:
    """`cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [to], [from], bytes, [barrier]`."""
    words = instruction.modifiers
    if "commit_group" in words or "prefetch" in words:
        return
    if "wait_group" in words:
        machine.builder.emit(Fence(MemoryScope.BLOCK, machine.span))
        return
    if not {"tensor", "multicast", "reduce"}.isdisjoint(words):
        raise NotUnderstood
    to_space, from_space, *_ = [_SPACES[word] for word in words if word in _SPACES]
    to, source, bytes, *rest = instruction.operands
    element = VectorType(U32, 4, 16)
    target, origin = machine.address(to, element, to_space), machine.address(source, element, from_space)
    size, emit = machine.read(bytes, U32), machine.emit
    count = emit.with_number(BinaryOperator.DIVIDE, emit.convert(size, U64), 16)
    copy_loop(emit, target, origin, element, Count.by_one(emit, emit.constant(0, U64), count))
    if "mbarrier" in words:
        update(emit, BarrierOperator.COMPLETE, machine.address(rest[0], U64, MemorySpace.SHARED), size)
