"""What kind of varying branch is this?  "Depends on threadIdx" alone is not a warning.

Grades    ALIGNED         depends on the thread index, but agrees in each warp.
          BOUNDARY        a bounds check: `i < n`, `tid == 0`, 2-D bounds, joined by and, or, not.  For each comparison
                          at most one warp per row splits (`bounds_check.py`).  An exit of a loop only if that is
                          proven of all rounds together, or that no warp splits in two rounds (`rounds.py`).
          STRUCTURED      a function of the thread's index and of numbers that agree in the warp, whatever they are; of
                          extents and constants alone the splitting warps are counted (`split_count.py`) where the block
                          shape is known.
          DATA_DEPENDENT  everything else: loads, atomics, opaques.
Rules     Where the splitting warps are counted, the count decides: none is ALIGNED, one per row BOUNDARY.
Contract  None for a branch that is at most block-uniform, and for one that is warp-uniform without depending on a
          thread index (a vote).  Several decisions of one source branch: the worst grade.
Cost      the expression of the condition, once per branch.
Gives up  at values that went through memory: DATA_DEPENDENT.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from enum import Enum
from typing import Final, final

from analysis.affine.result import AffineResult
from analysis.divergence.levels import Level
from analysis.divergence.result import DivergenceResult
from analysis.divergence.thread_index import Structured
from analysis.graph.control_flow import ControlFlow
from analysis.graph.cycles import Cycle
from analysis.ir.function import Function
from analysis.ir.ids import BasicBlockId, SourceBranchId, ValueId
from analysis.ir.instructions import (
    Binary,
    Branch,
    Compare,
    Constant,
    Convert,
    Instruction,
    Math,
    Phi,
    ReadSpecial,
    Select,
    Switch,
    TemplateArgument,
    Unary,
)
from analysis.ir.operators import SpecialRegister
from analysis.ir.record import record
from analysis.verdict.bounds_check import BoundsChecks
from analysis.verdict.lane_rounds import count_lane_rounds
from analysis.verdict.rounds import Rounds
from analysis.verdict.split_count import ShapeSplit, SplitCount, Targets, count_splits, targets_of


class Grade(Enum):
    ALIGNED = "aligned"
    BOUNDARY = "boundary"
    STRUCTURED = "structured"
    DATA_DEPENDENT = "data-dependent"


GRADE_RANK: Final = {None: 0, Grade.ALIGNED: 1, Grade.BOUNDARY: 2, Grade.STRUCTURED: 3, Grade.DATA_DEPENDENT: 4}
"""The larger, the worse."""


@final
@record
class Grading:
    """`splits`: the warps that split, at its worst over the known block shapes; None where they are not counted.

    `last_along`: the axis (0, 1, 2) along which warps of the last blocks alone split; None where others may.
    """

    grade: Grade
    splits: SplitCount | None
    last_along: int | None = None


THREAD_INDICES = frozenset(
    {SpecialRegister.THREAD_X, SpecialRegister.THREAD_Y, SpecialRegister.THREAD_Z, SpecialRegister.LANE}
)
STRUCTURE_REGISTERS = THREAD_INDICES | {
    SpecialRegister.BLOCK_DIM_X,
    SpecialRegister.BLOCK_DIM_Y,
    SpecialRegister.BLOCK_DIM_Z,
    SpecialRegister.WARP_SIZE,
    SpecialRegister.LANE_MASK_EQUAL,
    SpecialRegister.LANE_MASK_LESS,
    SpecialRegister.LANE_MASK_LESS_EQUAL,
    SpecialRegister.LANE_MASK_GREATER,
    SpecialRegister.LANE_MASK_GREATER_EQUAL,
    SpecialRegister.BLOCK_X,
    SpecialRegister.BLOCK_Y,
    SpecialRegister.BLOCK_Z,
    SpecialRegister.GRID_DIM_X,
    SpecialRegister.GRID_DIM_Y,
    SpecialRegister.GRID_DIM_Z,
}

ALIGNING_REGISTERS = THREAD_INDICES | {SpecialRegister.WARP_INDEX}
THROUGH = (Binary, Compare, Unary, Convert, Select, Math, Phi)
STRUCTURE = (Constant, TemplateArgument, *THROUGH)
MAX_LOOKS = 400
"""How many values of one condition are looked at before it counts as data-dependent."""


@final
class Grader:
    """Grades the branches of one function."""

    def __init__(
        self,
        function: Function,
        control: ControlFlow,
        divergence: DivergenceResult,
        affine: AffineResult,
        structured: Structured | None = None,
    ) -> None:
        """`structured` is given by who asks for it besides."""
        self._function = function
        self._divergence = divergence
        self._affine = affine
        self._structured = structured or Structured(function, control)
        self.rounds = Rounds(function, control, divergence, affine)
        self._checks = BoundsChecks(function, control, divergence, affine, self.rounds)
        self._decisions: dict[BasicBlockId, Grading | None] = {}

    def grade(self, branch: SourceBranchId) -> Grading | None:
        """The worst of all decisions of the branch."""
        divergence = self._divergence
        if divergence.branch_level(branch) < Level.WARP:
            return None
        sites = divergence.branch_sites(branch)
        worst: Grading | None = None
        for block, condition in sites:
            if condition is None:
                grading = self.decision(block)
            else:
                grading = self._of_site(condition, block, divergence.use_level(condition, block), None)
            if len(sites) > 1 and grading is not None and grading.splits is not None:
                grading = replace(grading, splits=replace(grading.splits, exact=False))
            worst = worse_grading(worst, grading)
        return worst

    def decision(self, block: BasicBlockId) -> Grading | None:
        """Of the terminator of one block, which is a branch or a switch."""
        if block not in self._decisions:
            terminator = self._function.blocks[block].terminator
            assert isinstance(terminator, Branch | Switch)
            targets = targets_of(terminator) if isinstance(terminator, Switch) else None
            level = self._divergence.terminator_level(block)
            self._decisions[block] = self._of_site(terminator.operands[0], block, level, targets)
        return self._decisions[block]

    def _of_site(self, condition: ValueId, block: BasicBlockId, level: Level, targets: Targets) -> Grading | None:
        if level < Level.WARP:
            return None
        if level is Level.WARP:
            return Grading(Grade.ALIGNED, None) if self._mentions_index(condition) else None
        counted = self._counted(condition, targets)
        if counted is not None:
            return _counted_grading(counted, self._divergence.convergence(block) <= Level.BLOCK)
        changes = self._checks.changes(condition, block)
        if changes == 0:
            return Grading(Grade.ALIGNED, None)
        left = self.rounds.left_at(block) if self._is_decided_by(block, condition) else None
        splits = None if left is None else self._splits_of_loop(left)
        if self._is_boundary(changes, left, block):
            compare = self._divergence.definition(condition) if left is None else None
            last = self._affine.parting_axis(compare) if isinstance(compare, Compare) else None
            return Grading(Grade.BOUNDARY, splits, last)
        is_structured = changes is not None or self._is_structured(condition, block)
        return Grading(Grade.STRUCTURED if is_structured else Grade.DATA_DEPENDENT, splits)

    def _counted(self, condition: ValueId, targets: Targets) -> tuple[ShapeSplit, ...] | None:
        """The warps that split in blocks of the known shapes, if the thread index alone decides."""
        launch = self._divergence.launch
        expression = self._structured.expressions.get(condition) if launch.shapes else None
        return None if expression is None else count_splits(expression, targets, launch)

    def _splits_of_loop(self, cycle: Cycle) -> SplitCount | None:
        """The warps whose lanes take different numbers of rounds, where those follow from the thread index alone."""
        counted = count_lane_rounds(self.rounds.schedules(cycle) or (), self._divergence.launch)
        return counted.splits if counted is not None and counted.splits.splitting else None

    def _is_decided_by(self, block: BasicBlockId, condition: ValueId) -> bool:
        return self._function.blocks[block].terminator.operands[:1] == (condition,)

    def _is_boundary(self, changes: int | None, left: Cycle | None, block: BasicBlockId) -> bool:
        """`left`: the loop that the decision can leave; what splits once in a round may split in every round."""
        if left is None:
            return changes is not None
        if self.rounds.splits_once(left, block):
            return True
        return changes is not None and self.rounds.breaks_of_exit(left, block) is not None

    # -- aligned ----------------------------------------------------------------------------------------------------

    def _mentions_index(self, condition: ValueId) -> bool:
        return any(
            isinstance(item, ReadSpecial) and item.register in ALIGNING_REGISTERS for item in self._slice(condition)
        )

    def _slice(self, condition: ValueId) -> Iterator[Instruction | Phi | None]:
        """What the condition is computed from, through arithmetic and phis; None for a parameter."""
        seen = {condition}
        waiting = [condition]
        while waiting:
            item = self._divergence.definition(waiting.pop())
            yield item
            if isinstance(item, THROUGH):
                new = [operand for operand in item.operands if operand not in seen]
                seen.update(new)
                waiting.extend(new)

    # -- structured -------------------------------------------------------------------------------------------------

    def _is_structured(self, condition: ValueId, block: BasicBlockId) -> bool:
        seen = {condition}
        waiting = [(condition, block)]
        while waiting:
            value, reader = waiting.pop()
            item, home = self._divergence.definition(value), self._divergence.home(value)
            if self._divergence.use_level(value, reader) <= Level.WARP:
                continue
            if item is None or len(seen) > MAX_LOOKS or not self._checks.is_of_one_round(value, reader):
                return False
            if isinstance(item, Compare) and self._checks.is_linear(item, home):
                continue
            if not self._is_structure(item):
                return False
            new = [(operand, home) for operand in item.operands if operand not in seen]
            if isinstance(item, Phi):
                deciders = self._deciders(home)
                if deciders is None:
                    return False
                new += [(operand, block) for operand, block in deciders if operand not in seen]
            seen.update(operand for operand, _ in new)
            waiting.extend(new)
        return True

    def _deciders(self, join: BasicBlockId) -> list[tuple[ValueId, BasicBlockId]] | None:
        """The conditions on which it depends from where threads come to a join; None behind a loop."""
        region = self._checks.ways_to(join)
        if region is None:
            return None
        terminators = ((block, self._function.blocks[block].terminator) for block in sorted(region))
        return [(item.operands[0], block) for block, item in terminators if isinstance(item, Branch | Switch)]

    def _is_structure(self, item: Instruction | Phi) -> bool:
        match item:
            case ReadSpecial(register=register):
                return register in STRUCTURE_REGISTERS
            case _:
                return isinstance(item, STRUCTURE)


def _counted_grading(counted: tuple[ShapeSplit, ...], all_come: bool) -> Grading:
    """The worst grade over the shapes, with the count of the shape that splits the largest share of its warps."""
    if not any(split.splitting for split in counted):
        return Grading(Grade.ALIGNED, None)
    is_boundary = all(split.is_boundary for split in counted)
    worst = max(counted, key=lambda split: (not split.is_boundary, split.splitting / split.warps))
    count = SplitCount(worst.splitting, worst.warps, worst.threads, all_come)
    return Grading(Grade.BOUNDARY if is_boundary else Grade.STRUCTURED, count)


def worse_grading(one: Grading | None, other: Grading | None) -> Grading | None:
    """The worse grade; of equal grades the one that splits the larger share of warps, so far as it is known."""
    if one is None or other is None:
        return one or other
    worst = max(one, other, key=_badness)
    return worst if one.last_along == other.last_along else replace(worst, last_along=None)


def _badness(grading: Grading) -> tuple[int, float]:
    return GRADE_RANK[grading.grade], 0.0 if grading.splits is None else grading.splits.share
