"""What a run of a kernel shows if a finding is right."""

from __future__ import annotations

from typing import TypeAlias, final

from analysis.facts.model import Location
from analysis.ir.record import record


@final
@record
class RaceClaim:
    """Two threads use the same bytes with nothing between: the places of the two accesses, one pair at least."""

    pairs: tuple[tuple[Location, Location], ...]


@final
@record
class BarrierClaim:
    """Threads wait at the barrier, and others of their group do not come."""

    barrier: Location


@final
@record
class MaskClaim:
    """The mask of the warp operation and the lanes that come do not fit."""

    operation: Location


@final
@record
class InactiveLaneClaim:
    """Lanes read from one that takes no part in the warp operation."""

    operation: Location


RunClaim: TypeAlias = RaceClaim | BarrierClaim | MaskClaim | InactiveLaneClaim
