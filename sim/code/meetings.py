"""Code for the segments in which threads meet: exchanges among the lanes that take part.

The engine waits until the threads are there, then calls the segment's function with all of them at once; the result
goes to registers.  `named_N` gives the mask of a `*_sync` operation, or number and count of a named barrier, by
which the engine knows for whom to wait.
"""

from __future__ import annotations

from typing import assert_never

from analysis.ir.ids import ValueId
from analysis.ir.instructions import (
    BlockBarrier,
    GridBarrier,
    Match,
    NamedBarrier,
    PhaseWait,
    Shuffle,
    Vote,
    WarpBarrier,
    WarpReduce,
)
from analysis.ir.operators import ShuffleMode
from sim.code.segments import Meeting
from sim.code.writer import Writer


def exchange(writer: Writer, instruction: Meeting) -> None:
    """What the threads that met compute together."""
    match instruction:
        case BlockBarrier(result=result, predicate=predicate):
            if result is not None and predicate is not None:
                held = writer.part(result).held
                truth = f"({writer.read_one(predicate)} != 0)"
                call = f"block_{instruction.reduction.value}({truth}, f, rows, mask, shape)"
                writer.set(result, [f"{call}.astype({held})"])
        case NamedBarrier() | WarpBarrier() | GridBarrier():
            pass
        case PhaseWait(result=result, address=address, parity=parity):
            writer.set(result, [f"m.answer({writer.read_one(address)}, {writer.read_one(parity)}, shape)"])
        case Shuffle():
            _shuffle(writer, instruction)
        case Vote():
            held = writer.part(instruction.result).held
            truth = f"({writer.read_one(instruction.predicate)} != 0)"
            named = _mask(writer, instruction.mask)
            call = f"vote_{instruction.kind.value}({truth}, {named}, mask, shape)"
            writer.set(instruction.result, [f"{call}.astype({held})"])
        case Match():
            held = writer.part(instruction.result).held
            (value, *_) = writer.read(instruction.value)
            call = f"match_{instruction.kind.value}({value}, {_mask(writer, instruction.mask)}, mask, shape)"
            writer.set(instruction.result, [f"{call}.astype({held})"])
        case WarpReduce():
            named = _mask(writer, instruction.mask)
            operator = instruction.operator.value
            names = writer.read(instruction.value)
            writer.set(
                instruction.result, [f"warp_reduce({operator!r}, {name}, {named}, mask, shape)" for name in names]
            )
        case _:
            assert_never(instruction)


def _shuffle(writer: Writer, instruction: Shuffle) -> None:
    names = writer.read(instruction.value)
    lane = writer.read_one(instruction.lane)
    width = f"i8({writer.unit.warp_size})" if instruction.width is None else writer.read_one(instruction.width)
    source = f"from{instruction.result}"
    place = writer.unit.place(instruction.span)
    if instruction.width is not None:
        writer.line(f"m.check_width({place}, f, rows, mask, {width})")
    writer.line(f"{source} = shuffle_{instruction.mode.value}({lane}, {width}, shape)")
    if instruction.mode is ShuffleMode.INDEX:
        writer.line(f"m.check_source({place}, f, rows, mask, {source})")
    writer.set(instruction.result, [f"take_lanes({name}, {source}, mask, shape)" for name in names])


def _mask(writer: Writer, mask: ValueId | None) -> str:
    return "None" if mask is None else writer.read_one(mask)


def awaited(instruction: Meeting) -> tuple[ValueId, ...]:
    """The operands that say for whom to wait: a mask, or a barrier's number and count; none for whoever is there."""
    match instruction:
        case WarpBarrier(mask=mask) | Match(mask=mask) | WarpReduce(mask=mask):
            return (mask,)
        case Shuffle(mask=mask) | Vote(mask=mask):
            return () if mask is None else (mask,)
        case NamedBarrier() | PhaseWait():
            return instruction.operands
        case BlockBarrier() | GridBarrier():
            return ()
        case _:
            assert_never(instruction)
