"""The divergent regions of a file, each with its meld and what running both versions says, and the file with all melds.

Rules     Where melds overlap (a branch inside of an arm) the one that saves more comes first.  Melds are applied from
          the end of the file to its beginning, each planned and checked again in the text that it then finds; what was
          left is looked at again, until nothing more is offered or `MAX_ROUNDS` are over.
          What was not offered once is not tried again while its text stays the same.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final, final

from analysis.facts.model import BranchFact, FunctionFacts
from analysis.ir.instructions import FunctionId
from analysis.ir.record import record
from analysis.lower.program import DeviceFunction
from analysis.refactor.meld.model import Opportunity, Refusal
from analysis.refactor.meld.outcomes import meld_outcomes
from sim.equivalence.checked_meld import CheckedMeld, check_meld
from sim.equivalence.compare import DEFAULT_BUDGET
from sim.launch.request import Request
from simt_lsp.cli.engine import Analyzed, Engine
from simt_lsp.cli.simulate_options import requests_of
from simt_lsp.cli.terminal import share_progress

MAX_ROUNDS: Final = 8
"""How often a file is looked at again after melds were applied."""


@final
@record
class ConsideredBranch:
    """One divergent branch: `outcome` is an opportunity exactly where `checked` is there."""

    function: FunctionFacts
    outcome: Opportunity | Refusal
    checked: CheckedMeld | None

    @property
    def branch(self) -> BranchFact:
        return self.outcome.branch

    @property
    def start(self) -> int:
        """Where its keyword stands, in bytes of the file."""
        return self.function.start + self.branch.keyword.start

    def is_offered(self, *, unchecked: bool) -> bool:
        """What was confirmed; what nobody could check only where that is asked for; never what was refuted."""
        if self.checked is None:
            return False
        return self.checked.is_confirmed or (unchecked and not self.checked.is_refuted)

    @property
    def gain(self) -> tuple[bool, float]:
        """The larger, the earlier it is taken: what was counted before what is estimated."""
        if self.checked is not None and self.checked.is_confirmed:
            return True, self.checked.saving or 0.0
        return False, self.outcome.predicted_saving if isinstance(self.outcome, Opportunity) else 0.0


@final
class Melder:
    """Finds, checks and applies melds with the options of one command."""

    def __init__(self, engine: Engine, options: argparse.Namespace) -> None:
        self._engine = engine
        self._options = options
        self._unchecked: bool = options.unchecked
        seconds = options.timeout
        self._budget = DEFAULT_BUDGET if seconds is None else replace(DEFAULT_BUDGET, seconds=seconds)

    def checked(self, analyzed: Analyzed, regions: Sequence[ConsideredBranch]) -> list[ConsideredBranch]:
        """Each with its meld, or with the reason why that cannot be written down."""
        return [self._checked(analyzed, region) for region in regions]

    def found(self, analyzed: Analyzed, functions: Sequence[FunctionFacts]) -> list[ConsideredBranch]:
        """All regions of the functions, unchecked."""
        settings = analyzed.setup.configuration.rules.meld
        return [
            ConsideredBranch(function, outcome, None)
            for function in functions
            for outcome in meld_outcomes(analyzed.analysis, function, settings)
        ]

    def applied(
        self, analyzed: Analyzed, regions: Sequence[ConsideredBranch], *, again: bool
    ) -> tuple[bytes, list[ConsideredBranch]]:
        """The text with what is offered of `regions`, and the melds in it; `again`: what then appears as well."""
        done: list[ConsideredBranch] = []
        rejected: set[tuple[str, bytes]] = set()
        for _ in range(MAX_ROUNDS):
            chosen = _apart(region for region in regions if region.is_offered(unchecked=self._unchecked))
            rejected |= {_text_of(analyzed, region) for region in regions if region not in chosen}
            before = len(done)
            for region in reversed(chosen):
                is_as_checked = len(done) == before
                current = region if is_as_checked else self._again(analyzed, region)
                if current is None or current.checked is None:
                    rejected.add(_text_of(analyzed, region))
                    continue
                done.append(current)
                analyzed = self._engine.reanalyze(analyzed, current.checked.text)
            if not again or len(done) == before:
                break
            regions = self._next(analyzed, {region.function.id for region in done}, rejected)
        return analyzed.analysis.document.text, done

    # -- inside -----------------------------------------------------------------------------------------------------

    def _checked(self, analyzed: Analyzed, region: ConsideredBranch) -> ConsideredBranch:
        if isinstance(region.outcome, Refusal):
            return region

        def requests(kernel: DeviceFunction) -> Sequence[Request]:
            settings = analyzed.setup.configuration.simulation.of(kernel.item.name)
            return requests_of(analyzed, kernel, self._options, settings)

        line = analyzed.analysis.document.lines.line_of(region.start) + 1
        with share_progress(f"{region.function.name}:{line}") as progress:
            checked = check_meld(
                analyzed.analysis,
                region.outcome,
                analyzed.setup.configuration.rules.meld,
                reanalyze=lambda text: self._engine.reanalyze(analyzed, text).analysis,
                budget=self._budget,
                progress=progress,
                requests_of=requests,
            )
        if isinstance(checked, Refusal):
            return replace(region, outcome=checked)
        return replace(region, checked=checked)

    def _again(self, analyzed: Analyzed, region: ConsideredBranch) -> ConsideredBranch | None:
        """The meld of that branch in the text as it is now, which is the same up to there; None where it is gone."""
        for one in self.found(analyzed, analyzed.analysis.facts.functions):
            if one.start == region.start and one.function.id == region.function.id:
                checked = self._checked(analyzed, one)
                return checked if checked.is_offered(unchecked=self._unchecked) else None
        return None

    def _next(
        self, analyzed: Analyzed, functions: set[FunctionId], rejected: set[tuple[str, bytes]]
    ) -> list[ConsideredBranch]:
        """What is there to meld now in functions that changed."""
        changed = [one for one in analyzed.analysis.facts.functions if one.id in functions]
        found = [one for one in self.found(analyzed, changed) if _text_of(analyzed, one) not in rejected]
        return self.checked(analyzed, found)


def _apart(offered: Iterator[ConsideredBranch]) -> list[ConsideredBranch]:
    """Those that do not touch each other, in the order of the file, the most gainful first."""
    chosen: list[ConsideredBranch] = []
    for region in sorted(offered, key=lambda one: (*(-part for part in one.gain), one.start)):
        if all(_is_apart(region, other) for other in chosen):
            chosen.append(region)
    return sorted(chosen, key=lambda one: one.start)


def _is_apart(one: ConsideredBranch, other: ConsideredBranch) -> bool:
    (start, end), (other_start, other_end) = _extent(one), _extent(other)
    return end <= other_start or other_end <= start


def _extent(region: ConsideredBranch) -> tuple[int, int]:
    """The branch and everything that its meld replaces."""
    edits = region.checked.edit if region.checked is not None else ()
    start, extent = region.function.start, region.branch.extent
    starts = [start + extent.start, *(edit.start for edit in edits)]
    return min(starts), max([start + extent.end, *(edit.end for edit in edits)])


def _text_of(analyzed: Analyzed, region: ConsideredBranch) -> tuple[str, bytes]:
    start, extent = region.function.start, region.branch.extent
    return str(region.function.id), analyzed.analysis.document.text[start + extent.start : start + extent.end]
