"""The entry point: one document in, one `FileAnalysis` out, with work shared between versions of a file."""

from __future__ import annotations

from collections.abc import Callable
from typing import final

from analysis.facts.model import BarrierFact, BranchFact, ExpressionFact, FileFacts, FunctionFacts, WhyStep
from analysis.facts.settings import AnalysisSettings
from analysis.syntax.document import Document
from analysis.syntax.includes import Loader


class Cancelled(Exception):
    """The caller asked to stop; nothing was published."""


@final
class FileAnalysis:
    """Facts of one version of one file, and answers to questions about places in it."""

    def __init__(self, facts: FileFacts, document: Document) -> None:
        self.facts = facts
        self.document = document

    def expression_at(self, offset: int) -> ExpressionFact | None:
        """The innermost expression (or declared name) at a file offset."""
        raise NotImplementedError

    def why_branch(self, function: FunctionFacts, branch: BranchFact) -> tuple[WhyStep, ...]:
        """From the branch's condition back to the thread index, load or opaque that made it vary."""
        raise NotImplementedError

    def why_not_convergent(self, function: FunctionFacts, barrier: BarrierFact) -> tuple[WhyStep, ...]:
        """From the barrier's block over its guards back to what made them vary."""
        raise NotImplementedError


@final
class Analyzer:
    """Analyses files; keeps bounded caches of snippets, lowered functions and function facts between calls.

    Not thread-safe: one analyzer belongs to one worker.
    """

    def analyze(
        self,
        path: str,
        document: Document,
        loader: Loader,
        settings: AnalysisSettings,
        *,
        context: str | None = None,
        cancelled: Callable[[], bool] = lambda: False,
    ) -> FileAnalysis:
        """Never raises on any text; raises `Cancelled` between functions once `cancelled()` is true.

        `context` is a file that includes this header: the header then sees that file's names and macros.
        """
        raise NotImplementedError
