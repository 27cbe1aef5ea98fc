"""Which findings barriers between the lanes of a warp would mend: what editors offer and the shell applies."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, final

from analysis.facts.file_analysis import FileAnalysis
from analysis.facts.model import FunctionFacts
from analysis.ir.record import record
from analysis.refactor.warp_order.model import CannotOrder, Ordered
from analysis.refactor.warp_order.order import draft_order
from analysis.rules.diagnostic import Diagnostic
from analysis.rules.missing_syncwarp import MissingSyncwarp
from analysis.rules.shared_race import SharedRace

EXCHANGE_CODES: Final = frozenset({MissingSyncwarp.code, SharedRace.code})
"""The rules whose findings such barriers may mend."""


@final
@record
class ExchangeRepair:
    """What would be inserted for a function, not proven yet, and the findings in it that it mends; those alone that are
    about nothing else where it cannot be written."""

    function: FunctionFacts
    draft: Ordered | CannotOrder
    findings: tuple[Diagnostic, ...]


def exchange_repairs(analysis: FileAnalysis, findings: Sequence[Diagnostic]) -> Iterator[ExchangeRepair]:
    """One for each function in which some of the findings stand, in the order of the text."""
    wanted: dict[int, list[Diagnostic]] = {}
    functions: dict[int, FunctionFacts] = {}
    for found in findings:
        function = analysis.facts.function_at(found.start)
        if found.code in EXCHANGE_CODES and function is not None and function.active:
            functions[function.start] = function
            wanted.setdefault(function.start, []).append(found)
    for start, function in sorted(functions.items()):
        draft = draft_order(analysis, function)
        mended = tuple(one for one in wanted[start] if draft is not None and _mends(draft, one))
        if draft is not None and mended:
            yield ExchangeRepair(function, draft, mended)


def _mends(draft: Ordered | CannotOrder, finding: Diagnostic) -> bool:
    """A race may be one of several warps; the other rule knows no such findings."""
    if finding.code == MissingSyncwarp.code:
        return True
    return isinstance(draft, Ordered) and any(finding.start <= access < finding.end for access in draft.accesses)
