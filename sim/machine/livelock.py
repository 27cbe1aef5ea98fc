"""Is the program going round in circles?  Finds states that repeat, which in a deterministic machine is for ever.

State     Where every warp stands and with which lanes, whatever else the policy keeps in arrays, all registers, and
          whether any write changed memory since.
Rules     Only after many steps in which no thread left and no barrier completed, and for a while: comparing costs.
          Every lane that may run must have run since the state was noted, or a starved one could still end the wait.
Limits    Not in programs that read a clock, nor with havoc: there the same state can have another future.  Not inside
          of real calls, where other warps stand still because of us.
          A policy that counts its turns in an array never repeats; such a run ends with its budget.
Source    Brent, "An improved Monte Carlo factorization algorithm", BIT 1980: the state to compare with is renewed at
          powers of two, so a cycle is found whatever its length and start.
"""

from __future__ import annotations

from typing import Final, Protocol, cast, final

import numpy as np

from analysis.ir.record import record
from sim.arrays import LaneSets, Rows, Values
from sim.policies.protocol import Policy
from sim.state.frame import Frame

_QUIET_STEPS: Final = 1024
_LOOKS: Final = 4096


class Memory(Protocol):
    """`watches` makes writes report to `changes`."""

    watches: bool
    changes: int


@final
@record
class _State:
    segment: int
    changes: int
    registers: tuple[Values, ...]
    policy: tuple[Values, ...]


@final
class LivelockWatch:
    def __init__(self, memory: Memory, frame: Frame, policy: Policy) -> None:
        self._memory = memory
        self._frame = frame
        self._policy = policy
        self._steps = 0
        self._due = _QUIET_STEPS
        self._noted: _State | None = None
        self._visits = 0
        self._ran: LaneSets = np.zeros(frame.rows, np.uint64)

    def progress(self) -> None:
        """Threads left, or met at a barrier."""
        self._steps = 0
        self._stop(_QUIET_STEPS)

    def repeats(self, segment: int, rows: Rows, active: LaneSets) -> bool:
        """Called before each segment runs: whether everything is as it was before."""
        self._steps += 1
        if self._steps < self._due:
            return False
        if self._noted is None:
            self._memory.watches = True
            self._visits = 0
            self._note(segment)
        elif self._steps > self._due + _LOOKS:
            self._stop(4 * self._steps)
        elif segment == self._noted.segment:
            if self._has_run_everywhere() and self._is_as_noted():
                return True
            self._visits += 1
            if not self._visits & (self._visits - 1):
                self._note(segment)
        self._ran[rows] |= active
        return False

    def _stop(self, due: int) -> None:
        self._due = due
        if self._noted is not None:
            self._noted = None
            self._memory.watches = False

    def _note(self, segment: int) -> None:
        registers = tuple(register.copy() for register in self._frame.registers)
        self._noted = _State(segment, self._memory.changes, registers, _arrays(self._policy))
        self._ran[:] = 0

    def _has_run_everywhere(self) -> bool:
        return not (self._policy.active & ~self._ran).any()

    def _is_as_noted(self) -> bool:
        noted = self._noted
        assert noted is not None
        if noted.changes != self._memory.changes:
            return False
        kept = zip(noted.policy, _arrays(self._policy), strict=True)
        registers = zip(noted.registers, self._frame.registers, strict=True)
        return all(one.shape == other.shape and one.tobytes() == other.tobytes() for one, other in kept) and all(
            one.tobytes() == other.tobytes() for one, other in map(_equally_wide, registers)
        )


def _equally_wide(pair: tuple[Values, Values]) -> tuple[Values, Values]:
    """What many threads agree on may be held once or many times."""
    one, other = pair
    if one.shape == other.shape:
        return pair
    one, other = np.broadcast_arrays(one, other)
    return one, other


def _arrays(policy: Policy) -> tuple[Values, ...]:
    """Copies of all arrays that the policy keeps."""
    kept: list[object] = [value for _, value in sorted(vars(policy).items())]
    return tuple(cast("Values", value).copy() for value in kept if isinstance(value, np.ndarray))
