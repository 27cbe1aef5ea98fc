"""What a sweep runs and what a run says: points, rows, and what can become of a point.

A sweep is the product of its axes.  A point of it is one run: a launch of a kernel, of a size of warps, in one form
(as written, or with all melds that are offered), under one policy.  Launches are planned once and run under all
policies and in both forms, so that these differ in nothing else.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import field
from enum import Enum
from typing import TypeAlias, final

from analysis.ir.index3 import Index3
from analysis.ir.record import record
from sim.report.words import index_words


class Form(Enum):
    """Of a kernel's text."""

    AS_WRITTEN = "as written"
    MELDED = "melded"


@final
@record
class LaunchPoint:
    """What is asked of a launch: None, and arguments that are not named, are left to the file or chosen."""

    grid: Index3 | None = None
    block: Index3 | None = None
    arguments: tuple[tuple[str, str], ...] = ()
    shared_bytes: int | None = None
    seed: int = 1

    @property
    def threads(self) -> int | None:
        """Where grid and block are given."""
        if self.grid is None or self.block is None:
            return None
        return self.grid[0] * self.grid[1] * self.grid[2] * self.block[0] * self.block[1] * self.block[2]

    @property
    def size(self) -> LaunchPoint:
        """The same with any inputs: launches of one size take about as long."""
        return LaunchPoint(self.grid, self.block, self.arguments, self.shared_bytes, 0)


@final
@record
class SweptKernel:
    """A kernel of a sweep: `path` as the user gave it, `id` within that file, `name` for people."""

    path: str
    id: str
    name: str


@final
@record
class Unit:
    """One launch of a kernel with some of its points: every form under every policy."""

    kernel: SweptKernel
    warp_size: int
    launch: LaunchPoint
    forms: tuple[Form, ...]
    policies: tuple[str, ...]

    @property
    def runs(self) -> int:
        return len(self.forms) * len(self.policies)


@final
@record
class Point:
    """One run."""

    kernel: SweptKernel
    warp_size: int
    launch: LaunchPoint
    form: Form
    policy: str

    @property
    def id(self) -> str:
        """Of its coordinates: the same in every run of the sweep."""
        launch = self.launch
        coordinates = [
            *(self.kernel.path, self.kernel.id, self.warp_size, self.form.value, self.policy),
            *(launch.grid, launch.block, launch.arguments, launch.shared_bytes, launch.seed),
        ]
        return digest_of(coordinates)


def points_of(unit: Unit) -> tuple[Point, ...]:
    """In the order of their rows."""
    return tuple(
        Point(unit.kernel, unit.warp_size, unit.launch, form, policy) for form in unit.forms for policy in unit.policies
    )


def digest_of(value: object) -> str:
    """Of what JSON can write."""
    return hashlib.sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()[:24]


class Outcome(Enum):
    """What became of a point."""

    CLEAN = "clean"
    FAULTS = "faults"
    TRUNCATED = "truncated"
    """Ended by a budget, without a fault until then."""
    REFUSED = "refused"
    """The kernel uses something that is not simulated."""
    DOES_NOT_FIT = "does not fit"
    """What was given does not fit the kernel, or the launch no GPU."""
    NOT_MELDED = "not melded"
    """No meld of the kernel is offered, so there is no other form of it."""
    FAILED = "failed"
    """No answer: a defect, or the process that ran it died."""


Value: TypeAlias = str | int | float | None


@final
@record
class Row:
    """What one run says; all counts are None where nothing ran.  `docs/sweep.md` defines each."""

    point: Point
    outcome: Outcome
    reason: str = ""
    grid: Index3 | None = None
    block: Index3 | None = None
    inputs: str = "{}"
    """As JSON: name to value, why, and whether it was chosen."""
    faults: Mapping[str, int] = field(default_factory=dict[str, int])
    """Threads that met each kind."""
    notes: int = 0
    warp_instructions: int | None = None
    thread_instructions: int | None = None
    simd_efficiency: float | None = None
    sectors: int | None = None
    ideal_sectors: int | None = None
    local_sectors: int | None = None
    bank_passes: int | None = None
    bank_conflicts: int | None = None
    divergent_branches: int | None = None
    splits: int | None = None
    lines: int | None = None
    lines_reached: int | None = None
    memory_digest: str | None = None
    melds: int = 0
    seconds: float = 0.0
    ran_on: str = ""

    @property
    def values(self) -> Mapping[str, Value]:
        """By the names of `columns.py`, in that order."""
        point, launch = self.point, self.point.launch
        return {
            "point": point.id,
            "path": point.kernel.path,
            "kernel": point.kernel.name,
            "kernel_id": point.kernel.id,
            "form": point.form.value,
            "policy": point.policy,
            "warp_size": point.warp_size,
            "seed": launch.seed,
            "asked_grid": _extent(launch.grid),
            "asked_block": _extent(launch.block),
            "asked_arguments": json.dumps(dict(launch.arguments)),
            "asked_shared": launch.shared_bytes,
            "outcome": self.outcome.value,
            "reason": self.reason,
            "grid": _extent(self.grid),
            "block": _extent(self.block),
            "threads": _threads(self.grid, self.block),
            "inputs": self.inputs,
            "faults": json.dumps(dict(self.faults)),
            "notes": self.notes,
            "warp_instructions": self.warp_instructions,
            "thread_instructions": self.thread_instructions,
            "simd_efficiency": self.simd_efficiency,
            "sectors": self.sectors,
            "ideal_sectors": self.ideal_sectors,
            "local_sectors": self.local_sectors,
            "bank_passes": self.bank_passes,
            "bank_conflicts": self.bank_conflicts,
            "divergent_branches": self.divergent_branches,
            "splits": self.splits,
            "lines": self.lines,
            "lines_reached": self.lines_reached,
            "coverage": None if not self.lines else (self.lines_reached or 0) / self.lines,
            "memory_digest": self.memory_digest,
            "melds": self.melds,
            "seconds": self.seconds,
            "ran_on": self.ran_on,
        }


def _extent(index: Index3 | None) -> str | None:
    return None if index is None else index_words(index)


def _threads(grid: Index3 | None, block: Index3 | None) -> int | None:
    return LaunchPoint(grid, block).threads
