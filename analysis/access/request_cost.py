"""What one request costs at its worst over the block shapes, and how its lanes lie.

Rules     Each shape is counted on its own (`warp_request.py`).  Where the shape is not known, short rows are counted as
          well, to say what stays.
Cost      kept by numbers alone, like its parts: most accesses of a program look like another one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Final

from analysis.access.addresses import LaneAddress
from analysis.access.model import BANK_BYTES, BANKS, AccessPattern, Basis, FarApart, RequestCost
from analysis.access.warp_request import (
    BankCount,
    SectorCount,
    Setting,
    count_bank_ways,
    count_sectors,
    lane_pattern,
)

PERIOD: Final = BANKS * BANK_BYTES
"""Addresses that lie so many bytes further on fill sectors and banks in the same way."""


def within_period(lanes: LaneAddress) -> LaneAddress:
    """An address that costs the same: one for all elements that a function reads at constant places of an array."""
    if 0 <= lanes.constant < PERIOD:
        return lanes
    return LaneAddress(
        lanes.scales,
        lanes.tables,
        lanes.constant % PERIOD,
        lanes.alignment,
        lanes.place,
        lanes.is_exact,
        lanes.is_of_one_size,
        lanes.is_turned,
    )


@lru_cache(maxsize=4096)
def cost_of_request(
    lanes: LaneAddress,
    size: int | None,
    width: int | None,
    settings: tuple[Setting, ...],
    short: tuple[Setting, ...],
    basis: Basis,
    *,
    is_shared: bool,
    is_local: bool,
    is_certain: bool,
    is_atomic: bool,
    is_of_one_size: bool,
) -> tuple[AccessPattern, RequestCost | None]:
    """`size` and `width`: bytes of a lane, and how many of them one instruction moves; `short`: shapes of short rows.

    `is_certain`: the space is known.  `is_of_one_size`: that of `lanes`, which does not count where these are compared.
    """
    patterns = {lane_pattern(lanes, size or 0, setting) for setting in settings}
    pattern, _ = patterns.pop() if len(patterns) == 1 and not lanes.is_turned else (AccessPattern.SCATTERED, None)
    if is_local:  # one offset in all lanes is one row of the interleaved memory
        is_row = pattern is AccessPattern.BROADCAST
        pattern = AccessPattern.WARP_SEQUENTIAL if is_row else AccessPattern.SCATTERED
    if size is None or width is None:
        return pattern, None

    def cost(setting: Setting) -> RequestCost | None:
        if is_shared:
            return _of_banks(count_bank_ways(lanes, width, setting, is_atomic=is_atomic), basis)
        count = count_sectors(lanes, size, setting, is_local=is_local)
        return _of_sectors(count, basis, is_certain=is_certain, is_of_one_size=is_of_one_size)

    request = _worst([found for found in map(cost, settings) if found is not None])
    if request is not None and short:
        again = [cost(setting) for setting in short]
        request = replace(request, in_short_rows=_least(again), far_apart=_far_in_short_rows(request, again))
    return pattern, request


def _of_banks(banks: BankCount | None, basis: Basis) -> RequestCost | None:
    if banks is None:
        return None
    ways, conflicts = (banks.ways, banks.conflicts) if banks.is_exact or banks.ways > 1 else (None, None)
    return RequestCost(None, None, None, ways, banks.lanes, banks.is_exact, basis, bank_conflicts=conflicts)


def _of_sectors(
    count: SectorCount | None, basis: Basis, *, is_certain: bool, is_of_one_size: bool
) -> RequestCost | None:
    if count is None:
        return None
    is_exact = count.is_exact and is_certain
    sectors = count.sectors if count.is_exact or count.sectors > 1 else None
    far_apart = FarApart(count.far, count.far_from) if is_of_one_size else None
    return RequestCost(sectors, count.most, count.ideal, None, count.lanes, is_exact, basis, far_apart=far_apart)


def _least(costs: Sequence[RequestCost | None]) -> int | None:
    """The fewest sectors or passes; None where some are not known."""
    found = [None if cost is None else cost.sectors if cost.bank_ways is None else cost.bank_ways for cost in costs]
    known = [number for number in found if number is not None]
    return min(known) if len(known) == len(found) else None


def _far_in_short_rows(request: RequestCost, short: Sequence[RequestCost | None]) -> FarApart | None:
    """What holds of all of them."""
    found = [cost.far_apart for cost in short if cost is not None and cost.far_apart is not None]
    if request.far_apart is None or len(found) != len(short):
        return None
    distance = max(cost.distance for cost in (request.far_apart, *found))
    return FarApart(request.far_apart.sectors, distance, min(cost.sectors for cost in found))


def _worst(costs: Sequence[RequestCost]) -> RequestCost | None:
    """Over block shapes: what another shape may exceed is no exact cost."""
    worst = max(costs, key=lambda cost: (cost.sectors or 0, cost.sectors_max or 0, cost.bank_ways or 0), default=None)
    if worst is None:
        return None
    most = [cost.sectors_max for cost in costs if cost.sectors_max is not None]
    return replace(worst, sectors_max=max(most, default=None), is_exact=all(cost.is_exact for cost in costs))
