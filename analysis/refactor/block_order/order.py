"""`__syncthreads()` between accesses by which threads of a block race.

Question   Where does the barrier belong that a kernel lacks?  One place mends most kernels: behind the store of a tile,
           at the end of a loop's body, between two calls that use one array.
Method     The races of the kernel are brought to the text of one function each (`pairs.py`) and separated by as few
           barriers as one pass finds (`warp_order/placing.py`), as early as that lets them stand: behind the last
           access that has to come first.  `s[t] = s[t + 1];` is taken apart into a read, a barrier and a write.
           The new text is analysed, and what still races is separated as well.  Then every barrier that is not needed
           goes again.  Of several attempts (`pairs.py`) the one with the fewest barriers is taken.
Proof      In the last text no such race is left, and all threads of the block come to each new barrier, whatever
           function was called from where.
Refuses    what cannot be proven, with the reason.  No barrier is put where only some threads come, and none is moved.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from itertools import product
from typing import Final, TypeAlias, final

from analysis.facts.file_analysis import FileAnalysis
from analysis.facts.model import FunctionFacts
from analysis.ir.record import record
from analysis.refactor.block_order.pairs import ATTEMPTS, Attempt, Wanted, separations, wanted
from analysis.refactor.edit import Replacement, apply_replacements, composed
from analysis.refactor.warp_order.model import CannotOrder, Group, Obstacle, Ordered, WhyNotOrdered
from analysis.refactor.warp_order.placing import place
from analysis.refactor.warp_order.writing import write
from analysis.verdict.barriers import BarrierVerdict

Reanalyze: TypeAlias = Callable[[bytes], FileAnalysis]
"""Analyses another text of the same file, with the same headers and settings."""

MAX_STEPS: Final = 4
"""Texts that one attempt may come to: what races behind a new barrier may have been hidden before."""
_BARRIER: Final = re.compile(r"__syncthreads\(\);")


@final
@record
class Separated:
    """`edit` puts `barriers` in and takes `splits` statements apart."""

    edit: tuple[Replacement, ...]
    barriers: int
    splits: int


def draft_separation(analysis: FileAnalysis, function: FunctionFacts) -> Ordered | CannotOrder | None:
    """What the first attempt that can be written begins with, unproven; None for a kernel without such races."""
    refused: CannotOrder | None = None
    for races, attempt in product(wanted(analysis, function), ATTEMPTS):
        try:
            return _drafted(analysis, function, races, attempt)
        except Obstacle as obstacle:
            refused = refused or obstacle.answer
    return refused


def separate_races(
    analysis: FileAnalysis, function: FunctionFacts, reanalyze: Reanalyze
) -> Separated | CannotOrder | None:
    """The barriers that order the races of the kernel between warps, the proven ones if there are any; proven."""
    refused: CannotOrder | None = None
    for races in wanted(analysis, function):
        done = _best(analysis, function, races, reanalyze)
        if isinstance(done, Separated):
            return done
        refused = refused or done
    return refused


def _best(
    analysis: FileAnalysis, function: FunctionFacts, races: Wanted, reanalyze: Reanalyze
) -> Separated | CannotOrder | None:
    best: Separated | None = None
    refused: CannotOrder | None = None
    for attempt in ATTEMPTS:
        found = _attempted(analysis, function, races, attempt, reanalyze)
        if isinstance(found, CannotOrder):
            refused = refused or found
        elif found is not None and (best is None or found.barriers < best.barriers):
            best = found
        if best is not None and best.barriers == 1:
            break
    return best or refused


def _drafted(analysis: FileAnalysis, function: FunctionFacts, races: Wanted, attempt: Attempt) -> Ordered | None:
    found = separations(analysis, function, races, attempt)
    return write(analysis, place(analysis, found, Group.BLOCK), Group.BLOCK) if found else None


def _attempted(
    analysis: FileAnalysis, function: FunctionFacts, races: Wanted, attempt: Attempt, reanalyze: Reanalyze
) -> Separated | CannotOrder | None:
    """None without such races."""
    edit: tuple[Replacement, ...] = ()
    splits = 0
    text, changed = analysis, function
    for _ in range(MAX_STEPS):
        try:
            draft = _drafted(text, changed, races, attempt)
        except Obstacle as obstacle:
            return obstacle.answer
        if draft is None:
            return None if not edit else _needed(analysis, function, races, Separated(edit, 0, splits), reanalyze)
        after = reanalyze(apply_replacements(text.document.text, draft.edit))
        again = next((one for one in after.facts.functions if one.id == function.id), None)
        if again is None or after.facts.parse_errors > analysis.facts.parse_errors:
            return CannotOrder(WhyNotOrdered.BROKEN)
        edit, splits = composed(edit, draft.edit), splits + draft.splits
        refusal = _misplaced(after, edit)
        if refusal is not None:
            return CannotOrder(refusal)
        text, changed = after, again
    return CannotOrder(WhyNotOrdered.STILL_THERE)


def _needed(
    analysis: FileAnalysis, function: FunctionFacts, races: Wanted, whole: Separated, reanalyze: Reanalyze
) -> Separated:
    """Without the barriers that the others make superfluous."""
    edit = whole.edit
    for one in whole.edit:
        without = tuple(other for other in edit if other != one)
        if not without or one.start != one.end or _BARRIER.sub("", one.text).strip():
            continue
        after = reanalyze(apply_replacements(analysis.document.text, without))
        again = next((known for known in after.facts.functions if known.id == function.id), None)
        if again is not None and not races.among(after, again):
            edit = without
    return Separated(edit, sum(len(_BARRIER.findall(one.text)) for one in edit), whole.splits)


def _misplaced(after: FileAnalysis, edit: Sequence[Replacement]) -> WhyNotOrdered | None:
    """Why not all threads of the block come to each barrier that the edit wrote; None if they do."""
    wanted = {offset for one, start in _written(edit) for offset in _barriers_in(one, start)}
    holders = [after.facts.function_at(offset) for offset in wanted]
    if not all(one is not None and one.callers_known and not one.rests_on_callers for one in holders):
        return WhyNotOrdered.CALLERS
    met: set[int] = set()
    for function in after.facts.functions:
        for view in after.views(function):
            item = after.item_of(view, view.frame)
            if item is None or item.path != after.facts.path:
                continue
            for site in view.root.barriers:
                offset = item.span.start + site.span.start
                if site.span.frame == view.frame and offset in wanted:
                    met.add(offset)
                    if site.verdict is not BarrierVerdict.CONVERGENT:
                        return WhyNotOrdered.THREADS
    return None if met == wanted else WhyNotOrdered.BROKEN


def _written(edit: Sequence[Replacement]) -> list[tuple[Replacement, int]]:
    """The replacements, each with where its text begins in the new text."""
    found: list[tuple[Replacement, int]] = []
    shift = 0
    for one in edit:
        found.append((one, one.start + shift))
        shift += len(one.text.encode()) - (one.end - one.start)
    return found


def _barriers_in(one: Replacement, start: int) -> list[int]:
    return [start + len(one.text[: found.start()].encode()) for found in _BARRIER.finditer(one.text)]
