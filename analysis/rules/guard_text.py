"""The branch that keeps threads from a barrier, in words and as related places."""

from __future__ import annotations

from collections.abc import Sequence
from typing import final

from analysis.facts.barrier_records import BarrierRecord, GuardRecord
from analysis.facts.file_analysis import FileAnalysis
from analysis.facts.model import BranchFact, Location
from analysis.ir.record import record
from analysis.rules.condition import condition_text, keyword_text
from analysis.rules.diagnostic import Related
from analysis.rules.origin import cause_text, chain_of, origin_text
from analysis.rules.source_text import FunctionText


@final
@record
class GuardWords:
    """What a message says of a branch: "the condition `a < b` of the `if` at line 3 depends on `threadIdx.x`"."""

    keyword: str
    condition: str | None
    line: int | None
    origin: str | None
    body: str
    """The text of the whole construct; empty where it is not at hand."""

    @property
    def place(self) -> str:
        where = "in another file" if self.line is None else f"at line {self.line}"
        return f"the `{self.keyword}` {where}" if self.keyword else f"the branch {where}"

    @property
    def cause(self) -> str:
        """Why threads disagree there."""
        return cause_text(self.condition, self.origin)


def guard_words(analysis: FileAnalysis, guard: GuardRecord) -> GuardWords:
    """The words for a guard; poorer ones for a branch in another file or behind a macro."""
    line = None
    if guard.branch.path == analysis.facts.path:
        line = analysis.document.lines.line_of(guard.branch.start) + 1
    found = branch_at(analysis, guard.branch)
    if found is None:
        keyword = "" if guard.kind is None else guard.kind.value
        return GuardWords(keyword, None, line, origin_text(analysis, guard.why, None, line), "")
    source, branch = found
    body = source.bytes(branch.extent).decode("utf-8", "replace")
    condition = condition_text(source, branch)
    origin = origin_text(analysis, guard.why, condition, line)
    return GuardWords(keyword_text(source, branch), condition, line, origin, body)


def branch_at(analysis: FileAnalysis, location: Location) -> tuple[FunctionText, BranchFact] | None:
    """The branch whose keyword stands at a location of the analysed file."""
    if location.path != analysis.facts.path:
        return None
    function = analysis.facts.function_at(location.start)
    if function is None:
        return None
    source = FunctionText(analysis.facts.path, analysis.document, function)
    start = location.start - function.start
    branch = next((branch for branch in function.branches if branch.keyword.start == start), None)
    return None if branch is None else (source, branch)


def guard_chain(analysis: FileAnalysis, record: BarrierRecord) -> tuple[Related, ...]:
    """The innermost guard and its causes, then the other guards, then the calls on the way and the barrier."""
    first, *others = record.guards
    related = [Related(first.branch, f"Threads part here: {guard_words(analysis, first).cause}."), *chain_of(first.why)]
    related += [Related(other.branch, "This branch keeps threads away, too.") for other in others]
    related += [Related(call, "The barrier is reached through this call.") for call in record.calls]
    if record.calls:
        related.append(Related(record.barrier, "The barrier."))
    return _without_repeats(related)


def _without_repeats(related: Sequence[Related]) -> tuple[Related, ...]:
    return tuple({(entry.location, entry.message): entry for entry in related}.values())
