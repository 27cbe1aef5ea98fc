"""Is a source melder right?  Each edit that it renders for a random kernel is applied, read, lowered and run.

A melded text must have no parse errors and nothing opaque that was not there before, verify, leave equal memory without
new faults, keep each comment once, and differ from the original only inside the function that was melded.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final, TypeAlias, final

from analysis.divergence.levels import Level
from analysis.facts.analyzer import Analyzer
from analysis.facts.file_analysis import FileAnalysis
from analysis.facts.model import FunctionFacts
from analysis.facts.settings import AnalysisSettings
from analysis.ir.verifier import verify
from analysis.meld.settings import MeldSettings
from analysis.refactor.edit import Replacement, apply_replacements
from analysis.refactor.meld.model import Opportunity, Outcome, Refusal
from analysis.refactor.meld.outcomes import meld_outcomes
from analysis.refactor.meld.render import render_meld
from analysis.syntax.document import Document
from analysis.syntax.includes import DictLoader
from sim.specification import LaunchSpecification
from tests.meld.random.names import NAME
from tests.meld.random.runs import FIRST_POLICY, Baseline, differences, runs
from tests.sim.running import kernel_of

Melder: TypeAlias = Callable[[FileAnalysis, FunctionFacts, MeldSettings], "Sequence[Melded]"]
MAX_ROUNDS: Final = 24
"""More opportunities than that one after another mean that melding does not end."""
_PATH: Final = "kernel.cu"
_REMARK: Final = re.compile(rb"remark \d+ on what follows")


@final
@dataclass(frozen=True, slots=True)
class Melded:
    """What a melder says about one branch, and its edit where it makes one."""

    outcome: Outcome
    edit: tuple[Replacement, ...] | Refusal | None


@final
@dataclass(slots=True)
class SourceFindings:
    """`savings` are pairs of predicted and simulated shares; `texts` are melded versions of the kernel."""

    failures: list[str] = field(default_factory=list[str])
    checked: Counter[str] = field(default_factory=Counter[str])
    savings: list[tuple[float, float]] = field(default_factory=list[tuple[float, float]])
    texts: list[str] = field(default_factory=list[str])


def meld_source(analysis: FileAnalysis, function: FunctionFacts, settings: MeldSettings) -> Sequence[Melded]:
    """The melder of the project."""
    found: list[Melded] = []
    for outcome in meld_outcomes(analysis, function, settings):
        is_opportunity = isinstance(outcome, Opportunity)
        found.append(Melded(outcome, render_meld(analysis, outcome, settings) if is_opportunity else None))
    return found


@final
class SourceReferee:
    """Of one kernel text and one launch."""

    def __init__(
        self,
        text: str,
        launch: LaunchSpecification,
        settings: MeldSettings,
        policies: Sequence[str],
        melder: Melder = meld_source,
    ) -> None:
        self._melder = melder
        self._settings = settings
        self._policies = policies
        self._launch = launch
        self._first = text.encode()
        self._analyzer = Analyzer()
        self._before = self._analyzed(self._first)
        self._baseline = Baseline.of(kernel_of(text, NAME, launch.warp_size), launch)
        self.findings = SourceFindings()

    def judge(self) -> SourceFindings:
        """Each opportunity alone, then one after another until none is left."""
        function = self._kernel(self._before)
        assert function is not None
        melded = self._melder(self._before, function, self._settings)
        self._count(function, melded)
        edits = [one for one in melded if isinstance(one.edit, tuple)]
        for one in edits:
            self._judge_edit(self._before, self._first, one, self._policies)
        if edits:
            self._one_after_another(edits[0])
        return self.findings

    def _analyzed(self, text: bytes) -> FileAnalysis:
        settings = AnalysisSettings(warp_size=self._launch.warp_size)
        return self._analyzer.analyze(_PATH, Document.open(text), DictLoader(), settings)

    def _kernel(self, analysis: FileAnalysis) -> FunctionFacts | None:
        return next((one for one in analysis.facts.functions if one.name == NAME), None)

    def _count(self, function: FunctionFacts, melded: Sequence[Melded]) -> None:
        varying = [branch for branch in function.branches if branch.level is Level.VARYING]
        if [one.outcome.branch for one in melded] != varying:
            self.findings.failures.append(f"{len(varying)} varying branches have {len(melded)} outcomes")
        for one in melded:
            match one.outcome:
                case Refusal(obstacle=obstacle):
                    self.findings.checked[f"refused: {obstacle.value}"] += 1
                case Opportunity(method=method):
                    self.findings.checked[f"opportunity: {method.value}"] += 1
            if isinstance(one.edit, Refusal):
                self.findings.checked[f"not rendered: {one.edit.obstacle.value}"] += 1

    # -- edits --------------------------------------------------------------------------------------------------------

    def _judge_edit(
        self, analysis: FileAnalysis, text: bytes, melded: Melded, policies: Sequence[str]
    ) -> tuple[bytes, FileAnalysis] | None:
        """The new text and what is known of it; None where something is wrong with it."""
        assert isinstance(melded.edit, tuple)
        function = self._kernel(analysis)
        assert function is not None
        after = apply_replacements(text, melded.edit)
        self.findings.checked["melds"] += 1
        wrong = [*_misplaced(function, melded.edit, len(text)), *_lost_remarks(text, after)]
        changed = self._analyzed(after)
        wrong += self._misread(changed)
        if not wrong:
            wrong += self._different(after, melded, policies)
        self.findings.texts.append(after.decode())
        if wrong:
            line = text[: function.start + melded.outcome.branch.keyword.start].count(b"\n") + 1
            self.findings.failures += [f"{problem} (line {line})" for problem in wrong]
            return None
        return after, changed

    def _misread(self, changed: FileAnalysis) -> Iterator[str]:
        function, before = self._kernel(changed), self._kernel(self._before)
        if function is None or before is None:
            yield "kernel lost after the edit"
            return
        if changed.facts.parse_errors > self._before.facts.parse_errors:
            yield "parse errors after the edit"
        if len(changed.facts.problems) > len(self._before.facts.problems):
            yield f"problem after the edit: {changed.facts.problems[-1].message}"
        known = {one.construct for one in before.opaque}
        for one in function.opaque:
            if one.construct not in known:
                yield f"opaque after the edit: {one.construct}"

    def _different(self, after: bytes, melded: Melded, policies: Sequence[str]) -> Iterator[str]:
        kernel = kernel_of(after.decode(), NAME, self._launch.warp_size)
        for problem in verify(kernel.function):
            yield f"not verified: {problem}"
            return
        for result in runs(self._baseline, kernel, policies):
            self.findings.checked[f"runs under {result.policy}"] += 1
            yield from differences(self._baseline, result)
            if result.policy == FIRST_POLICY and isinstance(melded.outcome, Opportunity):
                self.findings.savings.append((melded.outcome.predicted_saving, self._baseline.saving(result)))

    def _one_after_another(self, first: Melded) -> None:
        """Edits are applied until none is left; the text after each is judged."""
        analysis, text, melded = self._before, self._first, first
        for round_number in range(MAX_ROUNDS):
            policies = self._policies[: 1 if round_number % 2 else 2]
            found = self._judge_edit(analysis, text, melded, policies)
            if found is None:
                return
            text, analysis = found
            function = self._kernel(analysis)
            assert function is not None
            edits = [one for one in self._melder(analysis, function, self._settings) if isinstance(one.edit, tuple)]
            if not edits:
                return
            melded = edits[0]
        self.findings.failures.append(f"melding goes on after {MAX_ROUNDS} rounds")


def _misplaced(function: FunctionFacts, edit: Sequence[Replacement], length: int) -> Iterator[str]:
    ends = 0
    for one in edit:
        if not ends <= one.start <= one.end <= length:
            yield "edits out of order"
        ends = one.end
        if one.start < function.start or one.end > function.end:
            yield "edit outside of the function"


def _lost_remarks(before: bytes, after: bytes) -> Iterator[str]:
    """What two equal statements both say may be said once."""
    wanted, found = Counter(_REMARK.findall(before)), Counter(_REMARK.findall(after))
    if lost := wanted.keys() - found.keys():
        yield f"comment lost: {sorted(lost)[0].decode()}"
    if more := found - wanted:
        yield f"comment twice: {sorted(more)[0].decode()}"
