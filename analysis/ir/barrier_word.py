"""The state of a memory barrier: one 64-bit word, as `mbarrier` has it; what CUDA leaves open is laid out here.

    bits 0-19   how many arrivals the phase still waits for
    bits 20-39  how many the next phase begins with
    bits 40-60  bytes that asynchronous copies still owe the phase; two's complement, since they may come first
    bit 62      set by `init`
    bit 63      the parity of the phase, 0 in the first one

A phase is complete when nothing is missing; the next one begins at once.  The state that an arrival returns is the
word before it, so that a token names the phase that it arrived in.
Source    PTX ISA, "mbarrier: Phase of the mbarrier object", "Tracking asynchronous operations by the mbarrier object".
"""

from __future__ import annotations

from typing import Final, final

from analysis.ir.record import record

PARITY_BIT: Final = 63
COUNT_BITS: Final = 20
COUNT_MASK: Final = (1 << COUNT_BITS) - 1
VALID: Final = 1 << 62

_EXPECTED_BIT: Final = COUNT_BITS
_BYTES_BIT: Final = 2 * COUNT_BITS
_BYTES_BITS: Final = 21
_BYTES_MASK: Final = (1 << _BYTES_BITS) - 1
TWO_COUNTS: Final = 1 | 1 << _EXPECTED_BIT
"""Times a count: a phase that waits for so many arrivals, as the next ones will."""


@final
@record
class BarrierState:
    """What a word says; `bytes` may be negative."""

    is_valid: bool
    parity: int
    pending: int
    expected: int
    bytes: int

    @classmethod
    def of(cls, word: int) -> BarrierState:
        bytes = word >> _BYTES_BIT & _BYTES_MASK
        if bytes >> (_BYTES_BITS - 1):
            bytes -= 1 << _BYTES_BITS
        return cls(
            bool(word & VALID),
            word >> PARITY_BIT & 1,
            word & COUNT_MASK,
            word >> _EXPECTED_BIT & COUNT_MASK,
            bytes,
        )

    @property
    def word(self) -> int:
        return (
            self.parity << PARITY_BIT
            | self.is_valid * VALID
            | (self.bytes & _BYTES_MASK) << _BYTES_BIT
            | self.expected << _EXPECTED_BIT
            | self.pending
        )
