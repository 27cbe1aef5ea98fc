"""After any edits an analyzer says what a fresh one says about the same texts.

Question  Do facts, problems and diagnostics depend on what was analysed before?
Rules     A session is followed by one analyzer with its caches, as the server has it: each version of the file, and the
          header where that was edited.  Now and then a file is closed, or an analysis is cancelled half-way.
          Every so many edits the two are compared, function by function.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from contextlib import suppress
from itertools import islice
from typing import Final, final

from analysis.facts.analyzer import Analyzer, Cancelled
from analysis.facts.file_analysis import FileAnalysis
from analysis.facts.settings import AnalysisSettings
from analysis.ir.record import record
from analysis.rules.check import check
from analysis.rules.diagnostic import Diagnostic
from analysis.rules.diagnostic_cache import DiagnosticCache
from analysis.rules.settings import RuleSettings
from analysis.syntax.document import Document
from analysis.syntax.includes import DictLoader
from analysis.verdict.barriers import Tier
from tests.edits.programs import HEADER, MAIN, Project
from tests.edits.sessions import Step, session
from tests.sim.random.choices import Choices, Seeded
from tests.support.seeds import Counts

_RULES: Final = RuleSettings(tiers=frozenset(Tier))


@final
@record
class _Version:
    """All that is said about one file."""

    analysis: FileAnalysis
    diagnostics: tuple[Diagnostic, ...]


@final
class Follower:
    """What the server keeps from version to version."""

    def __init__(self) -> None:
        self._analyzer = Analyzer()
        self._diagnostics = DiagnosticCache()

    def see(self, path: str, texts: Project, cancelled: Callable[[], bool] = lambda: False) -> _Version:
        """Raises `Cancelled`."""
        files = {MAIN: texts.main.encode(), HEADER: texts.header.encode()}
        document, settings = Document.open(files[path]), AnalysisSettings()
        context = None if path == MAIN else MAIN
        analysis = self._analyzer.analyze(
            path, document, DictLoader(files), settings, context=context, cancelled=cancelled
        )
        return _Version(analysis, check(analysis, _RULES, self._diagnostics))

    def close(self, path: str) -> None:
        self._analyzer.release(path)


def follow(project: Project, seed: int, edits: int, every: int, counts: Counts) -> str | None:
    """What differs after some of the first `edits` edits of a session, compared `every` so many; None if nothing."""
    logging.getLogger("analysis").addHandler(logging.NullHandler())
    choices = Choices(Seeded(seed))
    follower = Follower()
    for number, step in enumerate(islice(session(project, choices), edits), 1):
        counts["edits"] += 1
        _edit(follower, step, choices)
        if number % every == 0 or number == edits:
            counts["comparisons"] += 1
            wrong = compare(follower, step.texts, counts) or interrupted(step.texts, choices.between(1, 60))
            if wrong is not None:
                return f"after edit {number} ({step.kind} in {step.path}): {wrong}"
    return None


def replay(versions: Sequence[Project]) -> str | None:
    """What differs at the end of these versions, which come one after the other."""
    follower = Follower()
    for texts in versions:
        for path in (MAIN, HEADER):
            follower.see(path, texts)
    return compare(follower, versions[-1], Counts())


def interrupted(texts: Project, looks: int) -> str | None:
    """What differs after the first analysis of these texts was cancelled at that look, and begun again."""
    follower, left = Follower(), iter(range(looks))
    with suppress(Cancelled):
        follower.see(MAIN, texts, lambda: next(left, None) is None)
    return compare(follower, texts, Counts())


def _edit(follower: Follower, step: Step, choices: Choices) -> None:
    if choices.chance(40):
        follower.close(step.path)
    for path in (HEADER, MAIN) if step.path == HEADER else (MAIN,):
        looks = iter(range(choices.between(1, 12) if choices.chance(15) else 0))
        if next(looks, None) is None:
            follower.see(path, step.texts)
            continue
        with suppress(Cancelled):
            follower.see(path, step.texts, lambda: next(looks, None) is None)  # noqa: B023 - asked at once


def compare(follower: Follower, texts: Project, counts: Counts) -> str | None:
    for path in (MAIN, HEADER):
        seen, fresh = follower.see(path, texts), Follower().see(path, texts)
        counts["diagnostics compared"] += len(fresh.diagnostics)
        counts["functions compared"] += len(fresh.analysis.facts.functions)
        wrong = _difference(seen, fresh)
        if wrong is not None:
            return f"{path}: {wrong}"
    return None


def _difference(seen: _Version, fresh: _Version) -> str | None:
    one, other = seen.analysis.facts, fresh.analysis.facts
    if [facts.id for facts in one.functions] != [facts.id for facts in other.functions]:
        return f"functions {[facts.id for facts in one.functions]}, {[facts.id for facts in other.functions]}"
    for kept, new in zip(one.functions, other.functions, strict=True):
        if kept != new:
            return f"facts of {kept.id}:\n  {kept}\n  {new}"
    if one != other:
        return f"facts of the file:\n  {one}\n  {other}"
    if seen.diagnostics != fresh.diagnostics:
        kept, new = set(map(repr, seen.diagnostics)), set(map(repr, fresh.diagnostics))
        return "diagnostics:\n  only kept: " + "\n  ".join(kept - new) + "\n  only new: " + "\n  ".join(new - kept)
    return None
