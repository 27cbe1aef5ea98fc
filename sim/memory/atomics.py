"""Atomic operations: all threads of a group, in the order of rows and lanes.

Threads are sorted by address, stably, so that those of one address stand together, in their order: a group.  Old values
are computed for all groups at once where they follow from a scan; otherwise the k-th thread of every group runs in
round k, and a group too long for that runs alone (`atomic_groups.py`).
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Final, final

import numpy as np

from analysis.ir.record import record
from analysis.ir.types import MemorySpace
from sim.arrays import Lanes, Values, members
from sim.memory.arena import Arena
from sim.memory.atomic_groups import COMBINE, Round, old_values
from sim.state.deadline import Deadline
from sim.values.floats import bfloat16_bits, bfloat16_from_bits, to_bfloat16

MAX_ROUNDS: Final = 48


def atomic(
    machine: Any,
    operator: str,
    kind: str,
    places: Values,
    lanes: Lanes | None,
    shape: tuple[int, int],
    *arguments: Values,
) -> Values:
    """The old values; (rows, lanes), zero where a lane took no part.  `places` are positions in the view of `kind`."""
    arena: Arena = machine.arena
    view: Values = getattr(arena, "u2" if kind == "bf" else kind)
    memory = _Memory(view, arena, is_bfloat16=kind == "bf")
    at, values = _taking_part(places, lanes, shape, arguments)
    old = np.zeros(shape, memory.held)
    if len(at):
        before = None if not machine.watches else view[at].copy()
        run = _run_single_sums if (operator, kind) == ("add", "f4") else _run
        old.reshape(-1)[slice(None) if lanes is None else np.flatnonzero(lanes)] = run(
            memory, operator, at, values, machine.deadline
        )
        if before is not None:
            machine.note_change(bool((view[at] != before).any()))
    return old


def accumulate(
    machine: Any, kind: str, places: Values, lanes: Lanes | None, shape: tuple[int, int], value: Values
) -> None:
    """`atomic` for sums of integers whose old values nobody reads: integers wrap, so their order does not matter."""
    view: Values = getattr(machine.arena, kind)
    value = value.astype(view.dtype, copy=False)
    at, values = _taking_part(places, lanes, shape, (value,) if value.ndim else ())
    before = view[at].copy() if machine.watches else None
    np.add.at(view, at, values[0] if values else value)
    if before is not None:
        machine.note_change(bool((view[at] != before).any()))


def _taking_part(
    places: Values, lanes: Lanes | None, shape: tuple[int, int], arguments: tuple[Values, ...]
) -> tuple[Values, list[Values]]:
    """Places and operands of the threads that take part, row by row."""
    if lanes is None:
        if places.shape == shape and not arguments:
            return places.reshape(-1), []
        return np.broadcast_to(places, shape).ravel(), [np.broadcast_to(one, shape).ravel() for one in arguments]
    positions = np.flatnonzero(lanes)
    return members(places, positions, shape), [members(one, positions, shape) for one in arguments]


@final
@record
class _Memory:
    """Reads and writes numbers by index; bfloat16 is held as float32 in between.

    `flushes`: sums too small for a normal number become zero.
    """

    view: Values
    arena: Arena
    is_bfloat16: bool
    flushes: bool = False

    @property
    def held(self) -> Any:
        return np.float32 if self.is_bfloat16 else self.view.dtype

    def load(self, at: Values) -> Values:
        found = self.view[at]
        return bfloat16_from_bits(found) if self.is_bfloat16 else found

    def store(self, at: Values, values: Values) -> None:
        self.view[at] = bfloat16_bits(values) if self.is_bfloat16 else values

    @property
    def rounded(self) -> Round | None:
        """Makes results of NumPy's arithmetic what memory can hold."""
        if self.flushes:
            return _flushed
        return to_bfloat16 if self.is_bfloat16 else None


@final
@record
class _Groups:
    """The threads, sorted by `at`: group k has `lengths[k]` of them, from `starts[k]` on, at `targets[k]`."""

    at: Values
    starts: Values
    lengths: Values

    @property
    def targets(self) -> Values:
        return self.at[self.starts]

    @property
    def ends(self) -> Values:
        """The last thread of each."""
        return self.starts + self.lengths - 1


def _run_single_sums(memory: _Memory, operator: str, at: Values, values: list[Values], deadline: Deadline) -> Values:
    """Global memory flushes subnormal operands and sums to zero, shared memory does not (PTX ISA, `atom`).

    That is rare: only where a run has met such a number is it done again, as it should be.
    """
    view = memory.view
    before = view[at].copy()
    old = _run(memory, operator, at, values, deadline)
    if not any(_is_subnormal(numbers).any() for numbers in (before, values[0], old, view[at])):
        return old
    view[at] = before
    is_global = memory.arena.are_in(MemorySpace.GLOBAL, at * view.dtype.itemsize)
    flushing = replace(memory, flushes=True)
    for chosen, one in ((is_global, flushing), (~is_global, memory)):
        if chosen.any():
            own, added = at[chosen], values[0][chosen]
            if one.flushes:
                view[own], added = _flushed(before[chosen]), _flushed(added)
            old[chosen] = _run(one, operator, own, [added], deadline)
    first = np.unique(at, return_index=True)[1]
    old[first] = before[first]
    return old


def _is_subnormal(numbers: Values) -> Values:
    return (numbers != 0) & (np.abs(numbers) < np.finfo(np.float32).tiny)


def _flushed(numbers: Values) -> Values:
    return np.where(_is_subnormal(numbers), np.copysign(np.float32(0), numbers), numbers)


def _run(memory: _Memory, operator: str, at: Values, values: list[Values], deadline: Deadline) -> Values:
    if operator == "load":
        return memory.load(at)
    if (at[1:] >= at[:-1]).all():
        return _in_groups(memory, operator, _groups(at), values, deadline)
    order = np.argsort(at, kind="stable")
    found = _in_groups(memory, operator, _groups(at[order]), [value[order] for value in values], deadline)
    result = np.empty_like(found)
    result[order] = found
    return result


def _groups(at: Values) -> _Groups:
    starts = np.flatnonzero(np.concatenate(([True], at[1:] != at[:-1])))
    return _Groups(at, starts, np.diff(np.append(starts, len(at))))


def _in_groups(memory: _Memory, operator: str, groups: _Groups, operands: list[Values], deadline: Deadline) -> Values:
    """The old value of each thread, in sorted order; memory holds the last new ones."""
    is_integer = memory.view.dtype.kind in "iu" and not memory.is_bfloat16
    if operator in ("exch", "store"):
        return _exchanges(memory, groups, operands[0])
    if operator in ("add", "sub") and is_integer:
        return _prefix_sums(memory, groups, operands[0] if operator == "add" else np.negative(operands[0]))
    if operator in _SCANS and int(groups.lengths.max()) > 2:
        return _scan(memory, operator, groups, operands[0])
    return _rounds(memory, operator, groups, operands, deadline)


def _exchanges(memory: _Memory, groups: _Groups, value: Values) -> Values:
    old = np.empty(len(value), memory.held)
    old[1:] = value[:-1]
    old[groups.starts] = memory.load(groups.targets)
    memory.store(groups.targets, value[groups.ends])
    return old


def _prefix_sums(memory: _Memory, groups: _Groups, change: Values) -> Values:
    """Integer sums wrap, so the old value is the first one plus what came before."""
    before = np.cumsum(change, dtype=memory.view.dtype) - change
    old = memory.load(groups.at) + before - np.repeat(before[groups.starts], groups.lengths)
    memory.store(groups.targets, old[groups.ends] + change[groups.ends])
    return old


_SCANS: Final = frozenset({"min", "max", "and", "or", "xor"})
"""Associative without rounding."""


def _scan(memory: _Memory, operator: str, groups: _Groups, value: Values) -> Values:
    """Each thread combines twice as many neighbours in each step.

    Source: Hillis, Steele, "Data parallel algorithms", CACM 1986 (sums of all prefixes), here within groups.
    """
    combine = COMBINE[operator]
    total = value.astype(memory.held)
    position = np.arange(len(value)) - np.repeat(groups.starts, groups.lengths)
    total[groups.starts] = combine(memory.load(groups.targets), total[groups.starts])
    reach, longest = 1, int(groups.lengths.max())
    while reach < longest:
        later = np.flatnonzero(position >= reach)
        total[later] = combine(total[later - reach], total[later])
        reach *= 2
    old = np.empty_like(total)
    old[1:] = total[:-1]
    old[groups.starts] = memory.load(groups.targets)
    memory.store(groups.targets, total[groups.ends])
    return old


def _rounds(memory: _Memory, operator: str, groups: _Groups, operands: list[Values], deadline: Deadline) -> Values:
    old = np.empty(len(groups.at), memory.held)
    combine = COMBINE[operator]
    current = memory.load(groups.targets)
    is_long = groups.lengths > MAX_ROUNDS
    for step in range(min(int(groups.lengths.max()), MAX_ROUNDS)):
        running = np.flatnonzero((groups.lengths > step) & ~is_long)
        if not len(running):
            break
        index = groups.starts[running] + step
        seen = current[running]
        old[index] = seen
        new = combine(seen, *(operand[index] for operand in operands))
        current[running] = new if memory.rounded is None else memory.rounded(new)
    for number in np.flatnonzero(is_long).tolist():
        deadline.check()
        group = slice(int(groups.starts[number]), int(groups.ends[number]) + 1)
        own = [operand[group] for operand in operands]
        old[group], current[number] = old_values(operator, current[number : number + 1], own, deadline, memory.rounded)
    memory.store(groups.targets, current)
    return old
