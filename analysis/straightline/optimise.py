"""The straight-line scalar optimisations, one after the other, with what each of them saves.

Question  What of a function's arithmetic is partly redundant, and how many instructions would be left without it?
Order     common subexpressions, pointer arithmetic reassociation, strength reduction, global reassociation, 64-bit
          divisions, dead stores; equal computations are taken as one after each of them.  Speculative execution goes
          first, where the others gain by it.
Kept      a step that would not pay in the end is taken back: no function needs more instructions than before, neither
          for its threads nor for its warps.
License   what may be taken for granted is a parameter: what compilers may (`exactness.py`), with or without what is
          known of the launches.
Cost      a few times O(instructions), on demand only; the analyses that it asks are those of the findings.
Source    Wu et al., "gpucc: an open-source GPGPU compiler", CGO 2016, sections 3.3 to 3.6.
"""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum
from typing import Final, final

from analysis.ir.function import Function
from analysis.ir.ids import ValueId
from analysis.ir.record import record
from analysis.memory.spaces import SpaceResult
from analysis.straightline.code import Code
from analysis.straightline.counts import Counter, Counts, price_of
from analysis.straightline.dead_stores import remove_dead_stores
from analysis.straightline.divisions import RangeAt, narrow_divisions
from analysis.straightline.exactness import Exactness
from analysis.straightline.fold import fold
from analysis.straightline.global_reassociation import reassociate_globally
from analysis.straightline.pointer_reassociation import reassociate_pointers
from analysis.straightline.speculation import speculate
from analysis.straightline.strength_reduction import reduce_strength


class Step(Enum):
    """The transformations in their order; the values are those of reports."""

    COMMON = "common subexpressions"
    SPECULATION = "speculative execution"
    POINTERS = "pointer arithmetic reassociation"
    STRENGTH = "straight-line strength reduction"
    REASSOCIATION = "global reassociation"
    DIVISIONS = "64-bit divisions"
    STORES = "dead stores"


@final
@record
class Stage:
    """The function behind one step, and what it takes then."""

    step: Step
    code: Code
    counts: Counts


@final
@record
class Optimised:
    """`before` is what was written; `stages` are the steps that changed something."""

    before: Counts
    original: Code
    stages: tuple[Stage, ...]

    @property
    def after(self) -> Counts:
        return self.stages[-1].counts if self.stages else self.before

    @property
    def code(self) -> Code:
        """The function after all of them."""
        return self.stages[-1].code if self.stages else self.original

    def function(self) -> Function:
        """The optimised function, without the names of variables."""
        return self.code.finish()


@final
@record
class Permissions:
    """What may be taken for granted: which values do not wrap, where numbers lie, where pointers point."""

    fits: Callable[[ValueId], bool]
    range_at: RangeAt
    spaces: SpaceResult


ALL_STEPS: Final = tuple(Step)


def optimise(original: Code, counter: Counter, allowed: Permissions, steps: tuple[Step, ...] = ALL_STEPS) -> Optimised:
    """All steps that pay, with and without speculative execution first."""
    plain = _run(original, counter, allowed, tuple(step for step in steps if step is not Step.SPECULATION))
    if Step.SPECULATION not in steps:
        return plain
    speculative = _run(original, counter, allowed, steps)
    if _is_less(speculative.after, plain.after):
        return speculative
    return plain


def _run(original: Code, counter: Counter, allowed: Permissions, steps: tuple[Step, ...]) -> Optimised:
    before = counter.counts(original)
    stages: list[Stage] = []
    code, counts = original, before
    for step in steps:
        trial = code.copy()
        if not _apply(step, trial, allowed):
            continue
        now = counter.counts(trial)
        if _is_at_most(now, counts):
            code, counts = trial, now
            stages.append(Stage(step, trial, now))
    return Optimised(before, original, tuple(stages))


def _apply(step: Step, code: Code, allowed: Permissions) -> bool:
    """Whether the step changed anything."""
    unchanged = [list(block) for block in code.blocks]
    exactness = Exactness(code, allowed.fits)
    match step:
        case Step.COMMON:
            pass
        case Step.SPECULATION:
            speculate(code, lambda instruction: price_of(code, instruction))
        case Step.POINTERS:
            reassociate_pointers(code, exactness)
        case Step.STRENGTH:
            reduce_strength(code, exactness)
        case Step.REASSOCIATION:
            reassociate_globally(code, exactness)
        case Step.DIVISIONS:
            narrow_divisions(code, allowed.range_at)
        case Step.STORES:
            remove_dead_stores(code, allowed.spaces)
    fold(code)
    return code.blocks != unchanged


def _is_at_most(one: Counts, other: Counts) -> bool:
    return one.of_thread <= other.of_thread and _of_any_warp(one) <= _of_any_warp(other)


def _is_less(one: Counts, other: Counts) -> bool:
    return _is_at_most(one, other) and (one.of_thread < other.of_thread or _of_any_warp(one) < _of_any_warp(other))


def _of_any_warp(counts: Counts) -> int:
    return counts.of_warp(32)
