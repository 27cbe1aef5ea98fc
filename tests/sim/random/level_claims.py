"""Are levels true?  Values, uses, decisions, trip counts, convergence: what the divergence analysis says, in a run.

What threads of one group saw in one dynamic instance must be one thing where the group was said to agree; of a block
that was said to be convergent for a group, all its threads execute an instance or none does.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator
from typing import final

import numpy as np

from analysis.divergence.levels import Level
from analysis.divergence.result import DivergenceResult
from analysis.graph.cycles import Cycle
from analysis.ir.function import Function
from analysis.ir.ids import BasicBlockId, ValueId
from analysis.ir.instructions import Undefined
from sim.arrays import LaneSets, Values
from sim.launch.specification import LaunchSpecification
from tests.sim.random.witness import Codes, Sight

Key = tuple[object, ...]


@final
class Groups:
    """Which threads are together in a warp, a block, the grid; by slot."""

    def __init__(self, launch: LaunchSpecification) -> None:
        self._width = launch.warp_size
        self._per_block = launch.warps_per_block * launch.warp_size
        blocks = launch.blocks
        inside = np.arange(self._per_block) < launch.threads_per_block
        self.exists = np.tile(inside, blocks)
        """(slots,): whether the lane holds a thread."""

    def of(self, level: Level, slots: Codes) -> Codes:
        match level:
            case Level.WARP:
                return slots // self._width
            case Level.BLOCK:
                return slots // self._per_block
            case _:
                return np.zeros_like(slots)

    def sizes(self, level: Level) -> Codes:
        """How many threads each group has."""
        slots = np.flatnonzero(self.exists)
        return np.bincount(self.of(level, slots))


@final
class Recorded:
    """What threads saw of one thing; compared when the run is over."""

    def __init__(self) -> None:
        self._slots: list[Codes] = []
        self._codes: list[Codes] = []
        self._numbers: list[Values] = []

    def add(self, slots: Codes, codes: Codes, numbers: Values) -> None:
        self._slots.append(slots)
        self._codes.append(codes)
        self._numbers.append(numbers)

    def slots_and_codes(self) -> tuple[Codes, Codes]:
        return np.concatenate(self._slots), np.concatenate(self._codes)

    def differing(self, groups: Groups, level: Level) -> str | None:
        """An instance in which threads of one group saw different things."""
        slots, codes = self.slots_and_codes()
        numbers = np.concatenate([bits_of(part) for part in self._numbers])
        group = groups.of(level, slots)
        order = np.lexsort((codes, group))
        group, codes, numbers = group[order], codes[order], numbers[order]
        same = (group[1:] == group[:-1]) & (codes[1:] == codes[:-1])
        wrong = np.flatnonzero(same & (numbers[1:] != numbers[:-1]))
        if not len(wrong):
            return None
        at = int(wrong[0])
        return f"{level.name} {group[at]}, instance {codes[at]}: {numbers[at]:#x} and {numbers[at + 1]:#x}"


def bits_of(numbers: Values) -> Values:
    """As integers that are equal where the bits are."""
    if numbers.dtype.kind == "f":
        numbers = numbers.view(f"i{numbers.dtype.itemsize}")
    return numbers.astype(np.int64, copy=False) if numbers.dtype != np.uint64 else numbers.view(np.int64)


@final
class LevelClaims:
    def __init__(self, result: DivergenceResult, launch: LaunchSpecification) -> None:
        self._result = result
        self._groups = Groups(launch)
        self._ignored = undefined_values(result.function)
        self._seen: defaultdict[tuple[Level, str, Key], Recorded] = defaultdict(Recorded)
        self._visits: defaultdict[BasicBlockId, Recorded] = defaultdict(Recorded)
        self._apart: list[str] = []
        self.checked: Counter[str] = Counter()

    # -- what happens -----------------------------------------------------------------------------------------------

    def defined(self, sight: Sight, value: ValueId, part: int, numbers: Values) -> None:
        level = self._result.level(value)
        if level <= Level.WARP and value not in self._ignored:
            self._seen[level, "value", (value, part)].add(sight.slots, sight.codes, numbers)

    def used(self, sight: Sight, value: ValueId, part: int, numbers: Values) -> None:
        level = self._result.use_level(value, sight.block)
        if level <= Level.WARP and value not in self._ignored:
            self._seen[level, "use", (value, part, sight.block)].add(sight.slots, sight.codes, numbers)

    def left(self, sight: Sight, target: int) -> None:
        level = self._result.terminator_level(sight.block)
        targets = np.full(len(sight.slots), target, np.int64)
        if level <= Level.WARP:
            self._seen[level, "decision", (sight.block,)].add(sight.slots, sight.codes, targets)
        self._visits[sight.block].add(sight.slots, sight.codes, targets)

    def looped(self, cycle: Cycle, slots: Codes, codes: Codes, rounds: Codes) -> None:
        level = self._result.loop_level(cycle)
        if level <= Level.WARP:
            self._seen[level, "trips", (cycle.header,)].add(slots, codes, rounds)

    def arrived(self, block: BasicBlockId, active: LaneSets, running: LaneSets) -> None:
        if self._result.convergence(block) <= Level.WARP:
            self.checked["arrivals"] += len(active)
            if (active != running).any():
                self._apart.append(f"block {block} is convergent but lanes {active} came, not {running}")

    # -- what is wrong ----------------------------------------------------------------------------------------------

    def refuted(self) -> Iterator[str]:
        yield from self._apart[:1]
        for (level, what, key), seen in self._seen.items():
            self.checked[f"{what}, {level.name.lower()}"] += 1
            wrong = seen.differing(self._groups, level)
            if wrong is not None:
                yield f"{what} {key} is {level.name} but differs in {wrong}"
        for block, visits in self._visits.items():
            level = self._result.convergence(block)
            if level <= Level.WARP:
                self.checked[f"convergence, {level.name.lower()}"] += 1
                yield from self._parted(block, level, visits)

    def _parted(self, block: BasicBlockId, level: Level, visits: Recorded) -> Iterator[str]:
        slots, codes = visits.slots_and_codes()
        group = self._groups.of(level, slots)
        found, counts = np.unique(np.stack((group, codes)), axis=1, return_counts=True)
        sizes = self._groups.sizes(level)[found[0]]
        wrong = np.flatnonzero(counts != sizes)
        if len(wrong):
            at = int(wrong[0])
            which = f"{level.name} {found[0, at]}, instance {found[1, at]}"
            yield f"block {block} is convergent but in {which} only {counts[at]} of {sizes[at]} threads came"


def undefined_values(function: Function) -> frozenset[ValueId]:
    """Values that depend on ones that were never initialised, of which the analysis promises nothing."""
    found = {one.result for _, one in function.instructions() if isinstance(one, Undefined)}
    if not found:
        return frozenset()
    while True:
        more = {
            phi.result
            for block in function.blocks
            for phi in block.phis
            if any(value in found for _, value in phi.incoming)
        }
        more |= {
            one.result
            for _, one in function.instructions()
            if one.result is not None and any(operand in found for operand in one.operands)
        }
        if more <= found:
            return frozenset(found)
        found |= more
