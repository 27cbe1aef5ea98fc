"""What earlier runs of a kernel taught about its launch."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import final

from analysis.ir.index3 import Index3
from analysis.ir.record import record


@final
@record
class Attempt:
    """Another block, lengths of arrays in elements, bytes of dynamic shared memory; nothing for the first attempt.

    `numbers` replace chosen ones; arrays named in `ascending` hold numbers that grow from element to element.
    """

    block: Index3 | None = None
    lengths: Mapping[str, int] = field(default_factory=dict[str, int])
    shared_bytes: int = 0
    is_small: bool = False
    """One block and short loops, after a run that did not end."""
    is_spread: bool = False
    """Many blocks, of which the first is run, after a run that did not end because a few blocks share all the work."""
    numbers: Mapping[str, int] = field(default_factory=dict[str, int])
    ascending: frozenset[str] = frozenset()

    @property
    def is_trial(self) -> bool:
        """Whether it stands in for choices that ran, but with faults."""
        return self.block is not None or bool(self.numbers) or bool(self.ascending)
