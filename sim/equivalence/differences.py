"""Where do two runs of one launch differ, in what the host can see?

Rules     Memory is compared bit by bit, floating-point numbers as well: a change that rounds otherwise is another
          program.  Arrays are those of the arguments, variables those of the file; both versions have the same ones.
          Lines that were printed are compared as a multiset: threads print in no order.
          A fault counts as new where its kind, access and buffer are not among those of the run before, or more threads
          meet it; its place is no part of that, for the change may have moved the access.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from sim.equivalence.model import Evidence, MemoryDiffers, NewFault, PrintedDiffers
from sim.faults import (
    AccessKind,
    DataRace,
    Fault,
    MachineFault,
    Misaligned,
    OutOfBounds,
    ReadOnlyWrite,
    UninitialisedRead,
)
from sim.report.faults import fault_report, kind_of
from sim.report.places import SourcePlaces
from sim.result import Result

_Kind: TypeAlias = tuple[str, str | None, AccessKind | None]


def first_difference(before: Result, after: Result, places: SourcePlaces) -> Evidence | None:
    """The gravest; `places` are those of the version after."""
    return (
        _new_fault(before.faults, after.faults, places)
        or memory_difference(before, after)
        or _printed_difference(before.printed, after.printed)
    )


# -- memory ------------------------------------------------------------------------------------------------------------


def memory_difference(before: Result, after: Result) -> MemoryDiffers | None:
    """The first array, or variable of the file, in which two runs differ."""
    if before.memory_digest == after.memory_digest:
        return None
    return _difference_in(before.arrays, after.arrays) or _difference_in(before.variables, after.variables)


def _difference_in(before: Mapping[str, NDArray[Any]], after: Mapping[str, NDArray[Any]]) -> MemoryDiffers | None:
    for name, one in before.items():
        other = after.get(name)
        if other is None or other.shape != one.shape or other.dtype != one.dtype:
            now = "missing" if other is None else f"{other.dtype}{list(other.shape)}"
            return MemoryDiffers(name, (), f"{one.dtype}{list(one.shape)}", now, 1)
        differing = np.flatnonzero(_differs(one, other))
        if len(differing):
            element = tuple(int(index) for index in np.unravel_index(int(differing[0]), one.shape))
            return MemoryDiffers(name, element, *_values(one[element], other[element]), len(differing))
    return None


def _differs(one: NDArray[Any], other: NDArray[Any]) -> NDArray[np.bool_]:
    """By element, in the order of memory."""
    rows = (one.size, one.dtype.itemsize)
    bits = np.ascontiguousarray(one).reshape(-1).view(np.uint8).reshape(rows)
    return np.any(bits != np.ascontiguousarray(other).reshape(-1).view(np.uint8).reshape(rows), axis=1)


def _values(one: Any, other: Any) -> tuple[str, str]:
    before, after = str(one), str(other)
    if before == after:  # as a NaN and another one
        return f"{before} ({one.tobytes().hex()})", f"{after} ({other.tobytes().hex()})"
    return before, after


# -- printed text ------------------------------------------------------------------------------------------------------


def _printed_difference(before: Iterable[str], after: Iterable[str]) -> PrintedDiffers | None:
    one, other = Counter(before), Counter(after)
    for line in dict.fromkeys((*one, *other)):
        if one[line] != other[line]:
            return PrintedDiffers(line, one[line], other[line])
    return None


# -- faults ------------------------------------------------------------------------------------------------------------


def _new_fault(before: Iterable[Fault], after: Iterable[Fault], places: SourcePlaces) -> NewFault | None:
    known: Counter[_Kind] = Counter()
    for fault in before:
        if not isinstance(fault, DataRace):
            known[_kind(fault)] += fault.evidence.count
    for fault in after:
        if isinstance(fault, DataRace):
            continue
        kind = _kind(fault)
        known[kind] -= fault.evidence.count
        if known[kind] < 0:
            report = fault_report(fault, places)
            return NewFault(report.kind, report.message, report.place)
    return None


def _kind(fault: MachineFault) -> _Kind:
    word = kind_of(fault)
    match fault:
        case OutOfBounds(buffer=buffer, access=access) | Misaligned(buffer=buffer, access=access):
            return word, buffer, access
        case UninitialisedRead(buffer=buffer) | ReadOnlyWrite(buffer=buffer):
            return word, buffer, None
        case _:
            return word, None, None
