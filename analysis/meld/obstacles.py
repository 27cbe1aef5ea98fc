"""Which instructions must not stand in an arm that is melded, whether on the IR or in the source?

Those in which threads meet, that order memory, that ask which lanes are active, that cannot be undone, or that are not
known.  Melding makes arms wait for each other at places where they did not, and what one arm waits for may be what the
other arm does next.  Atomics are judged by those who meld: it depends on their place.
"""

from __future__ import annotations

from typing import Final

from analysis.ir.instructions import (
    Allocate,
    Assert,
    BlockBarrier,
    Call,
    DeviceLaunch,
    Fence,
    GridBarrier,
    Instruction,
    Load,
    Match,
    Math,
    NamedBarrier,
    Opaque,
    PhaseWait,
    Print,
    ReadSpecial,
    Shuffle,
    Store,
    Vote,
    WarpBarrier,
    WarpReduce,
)
from analysis.ir.operators import COLLECTIVES, SpecialRegister
from analysis.meld.model import MeldObstacle


def obstacle_in(instruction: Instruction) -> MeldObstacle | None:
    """Why no melded arm may contain the instruction, wherever it stands."""
    kind = type(instruction)
    if kind not in POSSIBLE_OBSTACLES:
        return None
    always = _ALWAYS.get(kind)
    if always is not None:
        return always
    match instruction:
        case Load(volatile=True) | Store(volatile=True):
            return MeldObstacle.VOLATILE
        case Math(function=function) if function in COLLECTIVES:
            return MeldObstacle.WARP_INTRINSIC
        case ReadSpecial(register=SpecialRegister.ACTIVE_MASK):
            return MeldObstacle.WARP_INTRINSIC
        case _:
            return None


_ALWAYS: Final[dict[type[Instruction], MeldObstacle]] = {
    BlockBarrier: MeldObstacle.BARRIER,
    NamedBarrier: MeldObstacle.BARRIER,
    PhaseWait: MeldObstacle.BARRIER,
    GridBarrier: MeldObstacle.BARRIER,
    Fence: MeldObstacle.FENCE,
    WarpBarrier: MeldObstacle.WARP_INTRINSIC,
    Shuffle: MeldObstacle.WARP_INTRINSIC,
    Vote: MeldObstacle.WARP_INTRINSIC,
    Match: MeldObstacle.WARP_INTRINSIC,
    WarpReduce: MeldObstacle.WARP_INTRINSIC,
    Call: MeldObstacle.CALL,
    DeviceLaunch: MeldObstacle.LAUNCH,
    Opaque: MeldObstacle.UNKNOWN_CODE,
    Assert: MeldObstacle.TRAP,
    Print: MeldObstacle.OUTPUT,
    Allocate: MeldObstacle.ALLOCATION,
}
POSSIBLE_OBSTACLES: Final[frozenset[type[Instruction]]] = frozenset((*_ALWAYS, Load, Store, Math, ReadSpecial))
"""The kinds of instructions that `obstacle_in` looks at."""
