"""PTX instructions in which threads meet: barriers, fences, votes, shuffles, reductions; the end of a thread."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from analysis.ir.collectives import (
    BlockBarrier,
    Fence,
    Match,
    NamedBarrier,
    Shuffle,
    Vote,
    WarpBarrier,
    WarpReduce,
)
from analysis.ir.ids import ValueId
from analysis.ir.instructions import Return, Trap
from analysis.ir.operators import (
    AtomicOperator,
    BarrierReduction,
    BinaryOperator,
    CompareOperator,
    MatchKind,
    MathFunction,
    MemoryScope,
    ShuffleMode,
    SpecialRegister,
    VoteKind,
)
from analysis.ir.types import BOOLEAN, S32, U32
from analysis.lower.builtins.assembly.arithmetic import PtxLowering, type_of
from analysis.lower.builtins.assembly.machine import Machine, NotUnderstood
from analysis.lower.builtins.assembly.syntax import Immediate, Operand, Pair, PtxInstruction
from analysis.lower.builtins.barriers import full_mask

_B = BinaryOperator


def nothing(machine: Machine, instruction: PtxInstruction) -> None:
    """Hints, and waiting that no other thread is part of."""


def meet(machine: Machine) -> None:
    """All lanes of the warp take part in what follows."""
    mask = full_mask(machine.builder, machine.call.warp_size, machine.span)
    machine.builder.emit(WarpBarrier(mask, machine.span))


def _barrier(machine: Machine, instruction: PtxInstruction) -> None:
    """`bar.sync 0` is `__syncthreads()`; other numbers and thread counts make it a named barrier."""
    words = instruction.modifiers
    if "warp" in words:
        machine.builder.emit(WarpBarrier(machine.read(instruction.operands[0], U32), machine.span))
    elif "cluster" in words:
        _cluster_barrier(machine, instruction)
    elif "red" in words:
        _reducing_barrier(machine, instruction)
    elif "sync" in words or "arrive" in words:
        _numbered_barrier(machine, instruction.operands, arrive_only="arrive" in words)
    else:
        raise NotUnderstood


def _numbered_barrier(machine: Machine, operands: tuple[Operand, ...], *, arrive_only: bool) -> None:
    barrier, *counts = operands or (Immediate(0),)
    if barrier == Immediate(0) and not counts and not arrive_only:
        machine.builder.emit(BlockBarrier(None, BarrierReduction.NONE, None, machine.span))
        return
    number = machine.read(barrier, U32)
    count = machine.read(counts[0], U32) if counts else None
    machine.builder.emit(NamedBarrier(number, count, arrive_only, machine.span))


def _reducing_barrier(machine: Machine, instruction: PtxInstruction) -> None:
    """`bar.red.popc.u32 d, 0, p`; a number or a count makes its result that of an unknown group."""
    reduction = next((_REDUCTIONS[word] for word in instruction.modifiers if word in _REDUCTIONS), None)
    target, barrier, *_, predicate = instruction.operands
    if reduction is None or barrier != Immediate(0) or len(instruction.operands) != 3:
        machine.opaque(instruction, may_contain_barrier=True)
        return
    result = machine.builder.value(S32)
    held = machine.read(predicate, BOOLEAN)
    machine.builder.emit(BlockBarrier(result, reduction, machine.emit.convert(held, S32), machine.span))
    machine.write(target, machine.coerce(result, BOOLEAN if "pred" in instruction.modifiers else U32))


_REDUCTIONS: Final = {
    "popc": BarrierReduction.COUNT,
    "and": BarrierReduction.AND,
    "or": BarrierReduction.OR,
}


def _cluster_barrier(machine: Machine, instruction: PtxInstruction) -> None:
    """Arriving orders memory, waiting is the barrier; a cluster is checked as its block is."""
    if "wait" in instruction.modifiers:
        machine.builder.emit(BlockBarrier(None, BarrierReduction.NONE, None, machine.span))
    else:
        machine.builder.emit(Fence(MemoryScope.DEVICE, machine.span))


_SCOPES: Final[Mapping[str, MemoryScope]] = {
    "cta": MemoryScope.BLOCK,
    "gl": MemoryScope.DEVICE,
    "gpu": MemoryScope.DEVICE,
    "cluster": MemoryScope.DEVICE,
    "sys": MemoryScope.SYSTEM,
}


def fence(machine: Machine, instruction: PtxInstruction) -> None:
    scope = next((_SCOPES[word] for word in instruction.modifiers if word in _SCOPES), MemoryScope.DEVICE)
    machine.builder.emit(Fence(scope, machine.span))


def _mask(machine: Machine, operands: tuple[Operand, ...], position: int) -> ValueId | None:
    return machine.read(operands[position], U32) if len(operands) > position else None


def _vote(machine: Machine, instruction: PtxInstruction) -> None:
    """`vote.sync.ballot.b32 d, p, mask`; without `.sync` there is no mask."""
    kind = next((_VOTES[word] for word in instruction.modifiers if word in _VOTES), None)
    if kind is None:
        raise NotUnderstood
    predicate = machine.read(instruction.operands[1], BOOLEAN)
    result = machine.builder.value(U32 if kind is VoteKind.BALLOT else S32)
    mask = _mask(machine, instruction.operands, 2)
    machine.builder.emit(Vote(result, kind, mask, predicate, machine.span))
    machine.write(instruction.operands[0], result if kind is VoteKind.BALLOT else machine.coerce(result, BOOLEAN))


_VOTES: Final = {
    "any": VoteKind.ANY,
    "all": VoteKind.ALL,
    "uni": VoteKind.UNIFORM,
    "ballot": VoteKind.BALLOT,
}
_SHUFFLES: Final = {
    "idx": ShuffleMode.INDEX,
    "up": ShuffleMode.UP,
    "down": ShuffleMode.DOWN,
    "bfly": ShuffleMode.XOR,
}


def _shuffle(machine: Machine, instruction: PtxInstruction) -> None:
    """`shfl.sync.down.b32 d|p, a, b, c, mask`; `c` holds the segment mask in bits 8 to 12."""
    mode = next((_SHUFFLES[word] for word in instruction.modifiers if word in _SHUFFLES), None)
    if mode is None:
        raise NotUnderstood
    target, source, lane_operand, clamp, *_ = instruction.operands
    emit = machine.emit
    value, lane = machine.raw(source), machine.read(lane_operand, U32)
    segment = emit.with_number(_B.SHIFT_RIGHT, machine.read(clamp, U32), 8)
    if isinstance(clamp, Immediate):
        width = emit.constant(32 - ((int(clamp.value) >> 8) & 31), S32)
    else:
        taken = emit.convert(emit.with_number(_B.AND, segment, 31), S32)
        width = emit.subtract(emit.constant(32, S32), taken)
    result = machine.builder.value(machine.builder.type_of(value))
    mask = _mask(machine, instruction.operands, 4)
    machine.builder.emit(Shuffle(result, mode, mask, value, lane, width, machine.span))
    if isinstance(target, Pair):
        rank = emit.special(SpecialRegister.LANE)
        machine.write(target.first, result)
        machine.write(target.second, emit.math(MathFunction.COLLECTIVE, lane, width, rank, type=BOOLEAN))
    else:
        machine.write(target, result)


def _match(machine: Machine, instruction: PtxInstruction) -> None:
    kind = MatchKind.ALL if "all" in instruction.modifiers else MatchKind.ANY
    target, source, mask = instruction.operands
    result = machine.builder.value(U32)
    value = machine.read(source, type_of(instruction))
    machine.builder.emit(Match(result, kind, machine.read(mask, U32), value, machine.span))
    if isinstance(target, Pair):
        machine.write(target.first, result)
        zero = machine.emit.constant(0)
        machine.write(target.second, machine.emit.compare(CompareOperator.NOT_EQUAL, result, zero))
    else:
        machine.write(target, result)


def _reduce(machine: Machine, instruction: PtxInstruction) -> None:
    operator = next((REDUCTIONS[word] for word in instruction.modifiers if word in REDUCTIONS), None)
    if operator is None:
        raise NotUnderstood
    type = type_of(instruction)
    target, source, mask = instruction.operands
    result = machine.builder.value(type)
    value = machine.read(source, type)
    machine.builder.emit(WarpReduce(result, operator, machine.read(mask, U32), value, machine.span))
    machine.write(target, result)


REDUCTIONS: Final[Mapping[str, AtomicOperator]] = {
    "add": AtomicOperator.ADD,
    "min": AtomicOperator.MINIMUM,
    "max": AtomicOperator.MAXIMUM,
    "and": AtomicOperator.AND,
    "or": AtomicOperator.OR,
    "xor": AtomicOperator.XOR,
}


def _active_mask(machine: Machine, instruction: PtxInstruction) -> None:
    machine.write(instruction.operands[0], machine.emit.special(SpecialRegister.ACTIVE_MASK))


def _elect(machine: Machine, instruction: PtxInstruction) -> None:
    """`elect.sync d|p, mask`: the lowest lane of the mask is the leader."""
    target, mask = instruction.operands
    if not isinstance(target, Pair):
        raise NotUnderstood
    emit = machine.emit
    lanes = machine.read(mask, U32)
    machine.builder.emit(WarpBarrier(lanes, machine.span))
    leader = emit.with_number(_B.SUBTRACT, emit.math(MathFunction.FIND_FIRST_SET, lanes), 1)
    machine.write(target.first, leader)
    machine.write(target.second, emit.compare(CompareOperator.EQUAL, emit.special(SpecialRegister.LANE), leader))


def _trap(machine: Machine, instruction: PtxInstruction) -> None:
    machine.builder.terminate(Trap(machine.span))


def _exit(machine: Machine, instruction: PtxInstruction) -> None:
    machine.builder.terminate(Return(None, machine.span))


THREADS: Final[Mapping[str, PtxLowering]] = {
    "bar": _barrier,
    "barrier": _barrier,
    "membar": fence,
    "fence": fence,
    "vote": _vote,
    "shfl": _shuffle,
    "match": _match,
    "redux": _reduce,
    "activemask": _active_mask,
    "elect": _elect,
    "trap": _trap,
    "exit": _exit,
    "ret": _exit,
    "nanosleep": nothing,
    "brkpt": nothing,
    "pmevent": nothing,
    "griddepcontrol": nothing,
    "setmaxnreg": nothing,
}
