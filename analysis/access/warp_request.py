"""What the request of one warp costs: sectors of memory, passes over the banks of shared memory; by enumeration.

Method    The address of every thread of a block is computed from its coordinates, for every warp (the last one may be
          partial), up to a common base; for bases that are not known, every offset that their alignment allows is
          tried.  Lanes whose distance is not a known number are counted apart: the largest part is a lower bound, the
          sum an upper one.  The block shape not known: one row of 1,024 threads, since each warp then lies in a row.
Sectors   32 bytes; a lane's element may touch two.
Banks     32 banks of 4 bytes.  One pass serves one word per bank, and every lane that wants it.  Elements of 8 bytes
          go through in halves of 16 lanes, of 16 bytes in quarters of 8.  The ways of a conflict are the passes of the
          worst of these groups; conflicts are the passes of all of them beyond one each.  Atomics serve one lane per
          word and pass.
Local     memory of the thread is interleaved: word k of lane l lies at `4 * (k * warp + l)`, so a wide element lies in
          several rows.
Cost      below a millisecond for what was not seen before; kept by numbers alone, so that kernels share it.
Source    CUDA C++ Best Practices Guide, "Coalesced Access to Global Memory", "Shared Memory and Memory Banks".
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import pairwise
from typing import TypeAlias, final

from analysis.access.addresses import LaneAddress, Scales
from analysis.access.model import BANK_BYTES, BANKS, SECTOR_BYTES, AccessPattern
from analysis.access.participants import Condition
from analysis.divergence.launch_shape import MAX_BLOCK_THREADS
from analysis.divergence.thread_index import Extent, is_same_in_rows, thread_values
from analysis.ir.record import record

Lanes: TypeAlias = tuple[tuple[int, int, tuple[int, ...]], ...]
"""For each lane that takes part: its number, its offset from the common base, what tells it apart beyond that."""


@final
@record
class SectorCount:
    """Of the warp that needs most; see `RequestCost`."""

    sectors: int
    most: int
    ideal: int
    lanes: int
    is_exact: bool
    far: int = 0
    """Of sectors at least, whatever the base, if one distance is not a known number and is `far_from` bytes or more."""
    far_from: int = 0


@final
@record
class BankCount:
    """Of the warps that need most passes; the fewest over the bases that are possible, exact where all agree.

    `ways`: of the worst group of lanes that go through together; `conflicts`: passes of all groups beyond one each.
    """

    ways: int
    conflicts: int
    lanes: int
    is_exact: bool


@final
@record
class Setting:
    """What is the same for all accesses of one block: the launch, and who takes part."""

    extent: Extent
    warp_size: int
    conditions: tuple[Condition, ...]


@lru_cache(maxsize=4096)
def count_sectors(address: LaneAddress, width: int, setting: Setting, *, is_local: bool) -> SectorCount | None:
    """None if no thread takes part, or some value is not defined."""
    warps = _warps(address, setting)
    if warps is None:
        return None
    if is_local:
        counted = [_sectors_of_words(warp, width, setting.warp_size) for warp in warps]
    else:
        step = min(address.alignment, SECTOR_BYTES)
        counted = [_sectors_of(warp, width, step) for warp in warps]
    worst = max(counted, key=lambda count: (count.sectors, count.most, count.ideal), default=None)
    if worst is None:
        return None
    most, is_exact = max(count.most for count in counted), all(count.is_exact for count in counted)
    return replace(worst, most=most, is_exact=is_exact)  # an inexact count may exceed what the worst has at least


@lru_cache(maxsize=4096)
def count_bank_ways(address: LaneAddress, width: int, setting: Setting, *, is_atomic: bool) -> BankCount | None:
    """None if no thread takes part, or some value is not defined."""
    warps = _warps(address, setting)
    if warps is None:
        return None
    step = min(address.alignment, BANK_BYTES)
    counted = [_ways_of(warp, width, step, is_atomic) for warp in warps]
    worst = max(counted, key=lambda count: (count.ways, count.conflicts), default=None)
    if worst is None:
        return None
    conflicts, is_exact = max(count.conflicts for count in counted), all(count.is_exact for count in counted)
    return replace(worst, conflicts=conflicts, is_exact=is_exact)


@lru_cache(maxsize=4096)
def lane_pattern(address: LaneAddress, width: int, setting: Setting) -> tuple[AccessPattern, int | None]:
    """The pattern that holds for every warp, and the distance between lanes if it is one number."""
    scales = _scales_in_warp(address, setting)
    if None in scales or any(scale is None for scale, _ in address.tables):
        is_line = not address.tables and not any(scales[1:3]) and None not in scales[1:3]
        return (AccessPattern.STRIDED if is_line else AccessPattern.SCATTERED), None
    warps = _warps(address, Setting(setting.extent, setting.warp_size, ()))
    if warps is None:
        return AccessPattern.UNKNOWN, None
    steps = {after[1] - before[1] for warp in warps for before, after in pairwise(warp)} or {0}
    if len(steps) > 1:
        return AccessPattern.SCATTERED, None
    step = steps.pop()
    if step == 0:
        return AccessPattern.BROADCAST, 0
    return (AccessPattern.WARP_SEQUENTIAL if step == width else AccessPattern.STRIDED), step


# -- lanes ------------------------------------------------------------------------------------------------------------


@lru_cache(maxsize=1024)
def _warps(address: LaneAddress, setting: Setting) -> tuple[Lanes, ...] | None:
    """The lanes of each warp that has any; warps that look the same are told once."""
    size = setting.warp_size
    extent = setting.extent
    if extent is None and not address.tables and not setting.conditions:
        extent = (max(size, SECTOR_BYTES), 1, 1)  # so many threads on, addresses fill sectors as before
    scales = _scales_in_warp(address, setting)
    if not address.tables and not setting.conditions and extent is not None and extent[0] % size == 0:
        x, y, z, lane = scales
        if x is not None and y is not None and z is not None and lane is not None:
            return _warps_in_rows(address.constant, (x, y, z, lane), extent, size)
    found = _offsets(address, scales, extent, size)
    active = None if found is None else _active(setting, len(found[0]))
    if found is None or active is None:
        return None
    offsets, apart = found
    warps: dict[Lanes, None] = {}
    keys: Iterable[tuple[int, ...]] = zip(*apart, strict=True) if apart else [()] * len(offsets)
    lanes = list(zip(offsets, keys, strict=True))
    for start in range(0, len(lanes), size):
        threads = [thread for thread in range(start, min(start + size, len(lanes))) if active[thread]]
        if threads:
            # A warp that lies a multiple of 128 bytes further on fills sectors and banks in the same way.
            shift = lanes[threads[0]][0] // 128 * 128
            warps[tuple((thread - start, lanes[thread][0] - shift, lanes[thread][1]) for thread in threads)] = None
    return tuple(warps)


def _warps_in_rows(
    constant: int, scales: tuple[int, int, int, int], extent: tuple[int, int, int], size: int
) -> tuple[Lanes, ...]:
    """The same where every warp lies in one row and every lane takes part: warps differ by where they begin."""
    x, y, z, lane = scales
    width, height, depth = extent
    corners = {constant + y * row + z * plane for row in range(height) for plane in range(depth)}
    starts = {(corner + x * first) % 128 for corner in corners for first in range(0, width, size)}
    return tuple(tuple((number, start + (x + lane) * number, ()) for number in range(size)) for start in sorted(starts))


def thread_offsets(address: LaneAddress, setting: Setting) -> tuple[tuple[int, int], ...] | None:
    """The linear ids of the threads that take part, each with its offset from the base in bytes.

    None where one of them is not a known number.
    """
    found = _offsets(address, address.scales, setting.extent, setting.warp_size)
    active = None if found is None else _active(setting, len(found[0]))
    if found is None or active is None or found[1]:
        return None
    return tuple((thread, offset) for thread, offset in enumerate(found[0]) if active[thread])


def _offsets(
    address: LaneAddress, scales: Scales, extent: Extent, warp_size: int
) -> tuple[list[int], list[Sequence[int]]] | None:
    """For each thread its offset as far as it is a known number, and the terms that are not."""
    coordinates = _coordinates(extent, warp_size)
    offsets = [address.constant] * len(coordinates)
    apart: list[Sequence[int]] = []
    for axis, scale in enumerate(scales):
        if scale != 0:
            _add(offsets, apart, scale, [thread[axis] for thread in coordinates])
    for scale, expression in address.tables:
        is_told = extent is not None or is_same_in_rows(expression)  # else it is another function in each row
        values = thread_values(expression, extent, warp_size) if is_told else None
        if values is None:
            return None
        _add(offsets, apart, scale, _spread(values, len(coordinates)))
    return offsets, apart


def _scales_in_warp(address: LaneAddress, setting: Setting) -> Scales:
    """Without what agrees in each warp: scales of y and z that are not known, where a warp lies in one row."""
    if setting.extent is not None and setting.extent[0] % setting.warp_size:
        return address.scales
    x, y, z, lane = address.scales
    return x, y or 0, z or 0, lane


def _add(offsets: list[int], apart: list[Sequence[int]], scale: int | None, values: Sequence[int]) -> None:
    if scale is None:
        apart.append(values)
        return
    for thread, value in enumerate(values):
        offsets[thread] += scale * value


@lru_cache(maxsize=64)
def _coordinates(extent: Extent, warp_size: int) -> tuple[tuple[int, int, int, int], ...]:
    """x, y, z and lane of every thread, in linear order."""
    width, height, depth = extent or (MAX_BLOCK_THREADS, 1, 1)
    threads = ((x, y, z) for z in range(depth) for y in range(height) for x in range(width))
    return tuple((*thread, number % warp_size) for number, thread in enumerate(threads))


def _active(setting: Setting, threads: int) -> Sequence[bool] | None:
    active = [True] * threads
    for expression, wanted in setting.conditions:
        values = thread_values(expression, setting.extent, setting.warp_size)
        if values is None:
            return None
        active = [was and bool(value) == wanted for was, value in zip(active, _spread(values, threads), strict=True)]
    return active


def _spread(values: int | tuple[int, ...], threads: int) -> Sequence[int]:
    return (values,) * threads if isinstance(values, int) else values


def _parts(warp: Sequence[tuple[int, int, tuple[int, ...]]]) -> Iterator[list[int]]:
    """The offsets of lanes whose distances are known."""
    parts: defaultdict[tuple[int, ...], list[int]] = defaultdict(list)
    for _, offset, key in warp:
        parts[key].append(offset)
    yield from parts.values()


# -- one warp ---------------------------------------------------------------------------------------------------------


def _sectors_of(warp: Lanes, width: int, step: int) -> SectorCount:
    parts = list(_parts(warp))
    bases = range(0, SECTOR_BYTES, step)
    sectors = max(_touched(part, width, 0) for part in parts)
    most = sum(max(_touched(part, width, base) for base in _natural(bases, part, width)) for part in parts)
    distinct = [(offset, offset + width) for offset in parts[0]]
    needed = _covered(distinct) if len(parts) == 1 else len(warp) * width
    count = SectorCount(sectors, max(most, sectors), -(-needed // SECTOR_BYTES), len(warp), len(parts) == 1)
    return count if len(parts) == 1 else _far_apart(count, parts, bases)


def _sectors_of_words(warp: Lanes, width: int, warp_size: int) -> SectorCount:
    """Of local memory: each word of an element lies in a row of its own, the lanes side by side.

    A row fills whole sectors, except that the short rows of a warp of 4 lanes share one.
    """
    shared = max(1, SECTOR_BYTES // (BANK_BYTES * warp_size))
    sectors: defaultdict[tuple[int, ...], defaultdict[int, list[tuple[int, int]]]] = defaultdict(
        lambda: defaultdict(list)
    )
    bytes_of: defaultdict[int, list[tuple[int, int]]] = defaultdict(list)
    for lane, offset, key in warp:
        first, last = offset // BANK_BYTES, (offset + width - 1) // BANK_BYTES
        sectors[key][lane * BANK_BYTES // SECTOR_BYTES].append((first // shared, last // shared + 1))
        bytes_of[lane].append((offset, offset + width))
    counted = [sum(map(_covered, part.values())) for part in sectors.values()]
    needed = sum(map(_covered, bytes_of.values()))
    return SectorCount(max(counted), sum(counted), -(-needed // SECTOR_BYTES), len(warp), len(counted) == 1)


def _far_apart(count: SectorCount, parts: Sequence[Sequence[int]], bases: range) -> SectorCount:
    """Elements of different parts begin in different sectors if the parts are far enough apart."""
    far = sum(min(len({(offset + base) // SECTOR_BYTES for offset in part}) for base in bases) for part in parts)
    offsets = [offset for part in parts for offset in part]
    return replace(count, far=far, far_from=SECTOR_BYTES + max(offsets) - min(offsets))


def _touched(offsets: Sequence[int], width: int, base: int) -> int:
    """How many sectors the elements lie in."""
    return _covered(
        [((offset + base) // SECTOR_BYTES, (offset + base + width - 1) // SECTOR_BYTES + 1) for offset in offsets]
    )


def _covered(ranges: Sequence[tuple[int, int]]) -> int:
    """How many numbers lie in at least one of the half-open ranges; none of them is written out."""
    ordered = sorted(ranges)
    covered, end = 0, ordered[0][0]
    for start, stop in ordered:
        if stop > end:
            covered += stop - max(start, end)
            end = stop
    return covered


def _natural(bases: range, offsets: Sequence[int], width: int) -> Iterable[int]:
    """Bases at which the elements are aligned to their size, as the hardware demands."""
    if width & (width - 1):
        return bases
    return [base for base in bases if (offsets[0] + base) % min(width, SECTOR_BYTES) == 0] or bases


def _ways_of(warp: Lanes, width: int, step: int, is_atomic: bool) -> BankCount:
    together = max(1, BANKS * BANK_BYTES // max(width, BANK_BYTES))
    groups: defaultdict[int, list[tuple[int, int, tuple[int, ...]]]] = defaultdict(list)
    for lane in warp:
        groups[lane[0] // together].append(lane)
    ways, conflicts = 1, 0
    is_exact = True
    for group in groups.values():
        parts = list(_parts(group))
        is_exact &= len(parts) == 1
        least = 1
        for part in parts:
            bases = _natural(range(0, BANK_BYTES, step), part, min(width, BANK_BYTES))
            passes = [_passes(part, width, base, is_atomic) for base in bases]
            least, is_exact = max(least, min(passes)), is_exact and min(passes) == max(passes)
        ways, conflicts = max(ways, least), conflicts + least - 1
    return BankCount(ways, conflicts, len(warp), is_exact)


def _passes(offsets: Sequence[int], width: int, base: int, is_atomic: bool) -> int:
    words = [(offset + base) // BANK_BYTES + word for offset in offsets for word in range(max(1, width // BANK_BYTES))]
    banks = Counter(word % BANKS for word in (words if is_atomic else set(words)))
    return max(banks.values())
