"""Which findings `__syncthreads()` between accesses would mend: what editors offer and the shell applies."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import final

from analysis.facts.file_analysis import FileAnalysis
from analysis.facts.model import FunctionFacts
from analysis.facts.race_records import RaceRecord
from analysis.ir.record import record
from analysis.races.model import RaceKind
from analysis.refactor.block_order.order import draft_separation
from analysis.refactor.warp_order.model import CannotOrder, Ordered
from analysis.rules.diagnostic import Diagnostic
from analysis.rules.race_text import address_location
from analysis.rules.shared_race import SharedRace
from analysis.verdict.barriers import Tier


@final
@record
class RaceRepair:
    """What would be inserted for a kernel, not proven yet, and the findings of the kernel that it mends."""

    kernel: FunctionFacts
    draft: Ordered | CannotOrder
    findings: tuple[Diagnostic, ...]


def race_repairs(analysis: FileAnalysis, findings: Sequence[Diagnostic]) -> Iterator[RaceRepair]:
    """One for each kernel that some of the findings are about, in the order of the text."""
    names = {one.function for one in findings if one.code == SharedRace.code}
    for kernel in analysis.facts.functions:
        if not kernel.active or kernel.name not in names:
            continue
        places = {place for one in analysis.race_records(kernel) if _is_across_warps(one) for place in _places(one)}
        mended = tuple(
            one
            for one in findings
            if one.code == SharedRace.code and one.function == kernel.name and one.start in places
        )
        draft = draft_separation(analysis, kernel) if mended else None
        if draft is not None:
            yield RaceRepair(kernel, draft, mended)


def _is_across_warps(one: RaceRecord) -> bool:
    race = one.race
    if race.kind is not RaceKind.SHARED or race.tier is Tier.ASSUMED:
        return False
    return race.witness is not None and not race.witness.is_same_warp


def _places(one: RaceRecord) -> Iterator[int]:
    """Where its finding may be marked."""
    yield address_location(one.second).start
    if one.second.call is not None:
        yield one.second.call.start
