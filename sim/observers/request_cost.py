"""What requests of warps cost, for many warps at once: sectors of memory, passes over the banks of shared memory.

The same definitions as `analysis.access.warp_request`, over the addresses of a run.  `addresses` are (requests, lanes),
`lanes` says which count (None: all); every request needs one that does.
"""

from __future__ import annotations

from typing import NamedTuple, final

import numpy as np
from numpy.typing import NDArray

from analysis.access.model import BANK_BYTES, BANKS, SECTOR_BYTES
from sim.arrays import Lanes, Values

Counts = NDArray[np.int64]
"""(requests,)"""


def count_sectors(addresses: Values, lanes: Lanes | None, size: int) -> tuple[Counts, Counts]:
    """How many sectors the requests touch, and how many their distinct bytes would fill; `size` bytes per lane."""
    addresses = np.sort(_filled(addresses, lanes), axis=1)
    steps = np.diff(addresses, axis=1)
    needed = size + np.minimum(steps, size).sum(axis=1)
    first = addresses // SECTOR_BYTES
    last = (addresses + (size - 1)) // SECTOR_BYTES
    # Sorted starts have sorted ends: each lane adds the sectors beyond what the lanes before it reached.
    added = last[:, 1:] - np.maximum(last[:, :-1], first[:, 1:] - 1)
    sectors = last[:, 0] - first[:, 0] + 1 + added.sum(axis=1)
    return sectors, -(-needed // SECTOR_BYTES)


def count_turns(addresses: Values, lanes: Lanes | None) -> Counts:
    """The sectors that atomics go through, each again for lanes that share an address of it.

    As a GPU counts them (`docs/gpu.md`): of each sector the address with the most lanes decides.
    """
    present = np.ones(addresses.shape, np.bool_) if lanes is None else lanes
    rows, _ = np.nonzero(present)
    places = addresses[present]
    order = np.lexsort((places, rows))
    rows, places = rows[order], places[order]
    starts = _starts(rows, places)
    rows, sectors, sharing = rows[starts], places[starts] // SECTOR_BYTES, np.diff(np.append(starts, len(places)))
    starts = _starts(rows, sectors)
    turns = np.maximum.reduceat(sharing, starts)
    return np.bincount(rows[starts], weights=turns, minlength=len(addresses)).astype(np.int64)


def _starts(rows: Values, values: Values) -> Values:
    """Where runs of equal pairs begin."""
    return np.flatnonzero(np.concatenate(([True], (rows[1:] != rows[:-1]) | (values[1:] != values[:-1]))))


def count_distinct(addresses: Values, lanes: Lanes | None) -> Counts:
    """How many different addresses each request has."""
    ordered = np.sort(_filled(addresses, lanes), axis=1)
    return 1 + np.count_nonzero(np.diff(ordered, axis=1), axis=1)


@final
class BankPasses(NamedTuple):
    """Passes over the banks: of the worst group of lanes that go through together (1: no conflict), and of all groups.

    `conflicts`: those of all groups beyond one for each that has a lane.
    """

    ways: Counts
    passes: Counts
    conflicts: Counts


def count_bank_passes(addresses: Values, lanes: Lanes | None, width: int, *, is_atomic: bool) -> BankPasses:
    requests, size = addresses.shape
    together = max(1, BANKS * BANK_BYTES // max(width, BANK_BYTES))
    found = BankPasses(np.ones(requests, np.int64), np.zeros(requests, np.int64), np.zeros(requests, np.int64))
    for start in range(0, size, together):
        part = addresses[:, start : start + together]
        counted = None if lanes is None else lanes[:, start : start + together]
        passes = _passes(part, counted, width, is_atomic)
        found = BankPasses(
            np.maximum(found.ways, passes), found.passes + passes, found.conflicts + np.maximum(passes - 1, 0)
        )
    return found


def interleaved(offsets: Values, warp_size: int) -> Values:
    """Where local memory keeps a thread's byte: word k of lane l lies at `4 * (k * warp + l)`."""
    lane = np.arange(warp_size)
    return offsets // BANK_BYTES * (BANK_BYTES * warp_size) + BANK_BYTES * lane + offsets % BANK_BYTES


def _filled(addresses: Values, lanes: Lanes | None) -> Values:
    """Lanes that do not count repeat one that does."""
    if lanes is None:
        return addresses
    first = np.take_along_axis(addresses, lanes.argmax(axis=1)[:, None], axis=1)
    return np.where(lanes, addresses, first)


def _passes(addresses: Values, lanes: Lanes | None, width: int, is_atomic: bool) -> Counts:
    requests = len(addresses)
    words = (addresses // BANK_BYTES)[:, :, None] + np.arange(max(1, width // BANK_BYTES))
    counts = np.ones(words.shape, np.bool_) if lanes is None else np.broadcast_to(lanes[:, :, None], words.shape)
    flat, counts = words.reshape(requests, -1), counts.reshape(requests, -1)
    if not is_atomic:
        flat = np.sort(np.where(counts, flat, -1), axis=1)
        counts = flat >= 0
        counts[:, 1:] &= flat[:, 1:] != flat[:, :-1]
    slot = flat % BANKS + BANKS * np.arange(requests)[:, None]
    found = np.bincount(slot[counts], minlength=BANKS * requests)
    return found.reshape(requests, BANKS).max(axis=1)
