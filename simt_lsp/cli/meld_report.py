"""What `meld` prints: regions for people, and as JSON (docs/meld-json.md)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Final, TypedDict, final

from analysis.ir.record import record
from analysis.refactor.meld.model import Obstacle, Opportunity, Refusal
from analysis.rules.condition import condition_text, keyword_text
from analysis.rules.meld_text import saving_text
from analysis.rules.source_text import FunctionText
from analysis.rules.wording import quantity
from sim.equivalence.json_comparison import (
    BothObject,
    FewerBlocksObject,
    FiguresObject,
    LaunchObject,
    fewer_blocks_object,
    figures_object,
    launch_object,
    policies_object,
    verdict_word,
)
from sim.equivalence.model import Confirmed, Figures, NotChecked, Refuted
from sim.equivalence.words import verdict_words
from simt_lsp.cli.engine import Analyzed
from simt_lsp.cli.meld_regions import ConsideredBranch
from simt_lsp.cli.resolve import Places
from simt_lsp.cli.terminal import Line, Style


class EditObject(TypedDict):
    """Bytes of the file from `start` to `end`, and the same as lines and columns from 1."""

    start: int
    end: int
    line: int
    column: int
    end_line: int
    end_column: int
    text: str


class RegionObject(TypedDict):
    file: str
    function: str
    line: int
    column: int
    end_line: int
    method: str | None
    predicted_saving: float | None
    offered: bool
    reason: str
    obstacle: str | None
    verdict: str | None
    gap: str | None
    title: str | None
    saving: float | None
    before: FiguresObject | None
    after: FiguresObject | None
    policies: dict[str, BothObject]
    launch: LaunchObject | None
    other_policies_launch: FewerBlocksObject | None
    edit: list[EditObject]


@final
@record
class MeldReport:
    """All regions that were asked for, as they stand in the analysed text; `lists_all` counts none of them together."""

    analyzed: Analyzed
    regions: Sequence[ConsideredBranch]
    unchecked: bool
    lists_all: bool = True

    def objects(self) -> list[RegionObject]:
        places = Places(self.analyzed)
        return [self._object(region, places) for region in self.regions]

    def lines(self) -> Iterator[Line]:
        places = Places(self.analyzed)
        listed = [region for region in self.regions if self.lists_all or not _is_without_two_arms(region)]
        for region in listed:
            yield from self._region_lines(region, places)
        if len(listed) < len(self.regions):
            left = quantity(len(self.regions) - len(listed), "branch or loop", "branches and loops")
            yield ((f"{left} without two arms not listed: --verbose lists them", Style.MARGIN),)
        yield self._summary()

    def counts(self) -> str:
        """`4 divergent branches: 1 meld confirmed, 2 not checked`."""
        if not self.regions:
            return "no divergent branches"
        branches = quantity(len(self.regions), "divergent branch", "divergent branches")
        verdicts = Counter(type(one.checked.verdict) for one in self.regions if one.checked is not None)
        melds = [(verdicts[verdict], words) for verdict, words in _VERDICTS if verdicts[verdict]]
        if not melds:
            return f"{branches}; none can be melded"
        (first, words), *others = melds
        return f"{branches}: " + ", ".join(
            [f"{quantity(first, 'meld')} {words}", *(f"{number} {words}" for number, words in others)]
        )

    # -- inside -----------------------------------------------------------------------------------------------------

    def _object(self, region: ConsideredBranch, places: Places) -> RegionObject:
        function, extent = region.function, region.branch.extent
        place = places.own(region.start, function.start + extent.end)
        outcome, checked = region.outcome, region.checked
        pair = checked.figures[0] if checked is not None and checked.figures else None
        verdict = None if checked is None else checked.verdict
        return {
            "file": place.path,
            "function": function.name,
            "line": place.line,
            "column": place.column,
            "end_line": place.end_line,
            "method": outcome.method.value if isinstance(outcome, Opportunity) else None,
            "predicted_saving": round(outcome.predicted_saving, 4) if isinstance(outcome, Opportunity) else None,
            "offered": region.is_offered(unchecked=self.unchecked),
            "reason": _reason(region),
            "obstacle": outcome.obstacle.value if isinstance(outcome, Refusal) else None,
            "verdict": None if verdict is None else verdict_word(verdict),
            "gap": verdict.gap.value if isinstance(verdict, NotChecked) else None,
            "title": None if checked is None else checked.title,
            "saving": None if checked is None or checked.saving is None else round(checked.saving, 4),
            "before": None if pair is None else figures_object(pair.before),
            "after": None if pair is None else figures_object(pair.after),
            "policies": {} if checked is None else policies_object(checked.comparison),
            "launch": None if checked is None or checked.launch is None else launch_object(checked.launch),
            "other_policies_launch": None if verdict is None else fewer_blocks_object(verdict),
            "edit": [] if checked is None else list(_edits(region, places)),
        }

    def _region_lines(self, region: ConsideredBranch, places: Places) -> Iterator[Line]:
        place = places.own(region.start, region.start)
        text = FunctionText(self.analyzed.analysis.facts.path, self.analyzed.analysis.document, region.function)
        condition = condition_text(text, region.branch)
        head = keyword_text(text, region.branch) + ("" if condition is None else f" ({condition})")
        yield (f"{place.path}:{place.line}", Style.PLACE), (f" {region.function.name}: {head}", Style.PLAIN)
        outcome, checked = region.outcome, region.checked
        if isinstance(outcome, Refusal):
            yield (f"  not melded: {outcome.message}", Style.MARGIN), *self._elsewhere(region, outcome, places)
            return
        if checked is None:
            return
        offered = region.is_offered(unchecked=self.unchecked)
        yield ((f"  {checked.title}", Style.GOOD if offered else Style.WARNING),)
        if checked.is_confirmed:
            yield ((f"    {verdict_words(checked.verdict)}", Style.MARGIN),)
        if checked.figures:
            yield ((f"    {_figure_words(checked.figures[0].before, checked.figures[0].after)}", Style.MARGIN),)
        estimate = saving_text(outcome, region.function)
        yield ((f"    estimated without running it: {estimate}; method {outcome.method.value}", Style.MARGIN),)

    def _elsewhere(self, region: ConsideredBranch, refusal: Refusal, places: Places) -> Iterator[tuple[str, Style]]:
        """Where the obstacle stands, if not in the line of the branch."""
        start = region.function.start + refusal.place.start
        line = places.own(start, start).line
        if line != places.own(region.start, region.start).line:
            yield f", in line {line}", Style.MARGIN

    def _summary(self) -> Line:
        hints: list[str] = []
        if any(region.is_offered(unchecked=self.unchecked) for region in self.regions):
            hints.append("--diff shows what is offered, --write changes the file")
        if not self.unchecked and any(_is_unchecked(region) for region in self.regions):
            hints.append("--unchecked offers also what was not checked")
        return (("; ".join([self.counts(), *hints]), Style.PLAIN),)


_VERDICTS: Final = ((Confirmed, "confirmed"), (NotChecked, "not checked"), (Refuted, "refuted"))


def _is_without_two_arms(region: ConsideredBranch) -> bool:
    """A loop, an `if` without `else`: nothing in it runs twice."""
    return isinstance(region.outcome, Refusal) and region.outcome.obstacle in (
        Obstacle.NOT_A_STATEMENT,
        Obstacle.ONE_ARM,
    )


def _is_unchecked(region: ConsideredBranch) -> bool:
    return region.checked is not None and isinstance(region.checked.verdict, NotChecked)


def _reason(region: ConsideredBranch) -> str:
    if isinstance(region.outcome, Refusal):
        return region.outcome.message
    assert region.checked is not None, "what can be melded was checked"
    return verdict_words(region.checked.verdict)


_ARROW: Final = "->"


def _figure_words(before: Figures, after: Figures) -> str:
    pairs = [
        ("issued instructions", before.warp_instructions, after.warp_instructions),
        ("memory requests", before.memory_requests, after.memory_requests),
        ("sectors", before.sectors, after.sectors),
    ]
    if before.shared_requests or after.shared_requests:
        pairs.append(("shared requests", before.shared_requests, after.shared_requests))
    words = [f"{what} {one:,} {_ARROW} {other:,}" for what, one, other in pairs]
    words.insert(1, f"active lanes {before.active_lanes:.1f} {_ARROW} {after.active_lanes:.1f} of {before.warp_size}")
    return ", ".join(words)


def _edits(region: ConsideredBranch, places: Places) -> Iterator[EditObject]:
    if region.checked is None:
        return
    for edit in region.checked.edit:
        place = places.own(edit.start, edit.end)
        yield {
            "start": edit.start,
            "end": edit.end,
            "line": place.line,
            "column": place.column,
            "end_line": place.end_line,
            "end_column": place.end_column,
            "text": edit.text,
        }
