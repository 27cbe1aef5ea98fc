"""Scalarization of one function of a file: the code for one warp size, the counts for all, places in the source.

Computed when asked for, from the root that the facts were computed from; diagnostics do not need it.
"""

from __future__ import annotations

from dataclasses import field
from typing import final

from analysis.facts.file_analysis import FileAnalysis
from analysis.facts.merge import FrameView
from analysis.facts.model import FunctionFacts
from analysis.graph.control_flow import ControlFlow
from analysis.ir.function import FunctionKind
from analysis.ir.record import record
from analysis.ir.source import OWN_FRAME, Span
from analysis.scalar.scalarize import Scalarization, for_warp_sizes, scalarize

WARP_SIZES = (4, 8, 16, 32, 64)
"""Those of Figures 5 and 6 of Lee et al., and AMD's wavefront."""


@final
@record
class SourceLine:
    """A line of source, from 1; `path` None: of the function's own file."""

    path: str | None
    line: int
    text: str


@final
@record
class ScalarizationReport:
    """`shown` is the code for the warp size that is set; `by_warp_size` has the counts for `WARP_SIZES`."""

    facts: FunctionFacts
    shown: Scalarization
    by_warp_size: tuple[Scalarization, ...]
    _analysis: FileAnalysis = field(repr=False)
    _view: FrameView = field(repr=False)

    @property
    def control(self) -> ControlFlow:
        """Of the function that is shown."""
        return self._view.root.control

    @property
    def is_kernel(self) -> bool:
        return self.facts.kind is FunctionKind.KERNEL

    @property
    def title(self) -> str:
        """The name, of an instance with the arguments of the template."""
        name, whole = self.facts.name, self.shown.function.id
        end = len(name)
        if whole[:end] != name or whole[end : end + 1] != "<":
            return name
        depth = 0
        for end, character in enumerate(whole):
            depth += {"<": 1, "(": 1, ">": -1, ")": -1}.get(character, 0)
            if depth == 0 and end >= len(name):
                return whole[: end + 1]
        return name

    def source_of(self, span: Span) -> SourceLine | None:
        """The line that a piece of code stands for; None where no text stands behind it."""
        if span.start == span.end:
            return None
        item = self._analysis.item_of(self._view, span.frame)
        if item is None:
            return None
        line = self._analysis.line_in(item.path, item.span.start + span.start)
        start = item.text.rfind(b"\n", 0, span.start) + 1
        end = item.text.find(b"\n", span.start)
        text = item.text[start : len(item.text) if end < 0 else end].decode("utf-8", "replace").strip()
        return SourceLine(None if item.path == self._analysis.facts.path else item.path, line, text)


def scalarization_report(
    analysis: FileAnalysis, function: FunctionFacts, *, exit_optimization: bool = False
) -> ScalarizationReport | None:
    """None for a device function that is only ever part of the code of its callers.

    Of a template that is launched it is about the first instance: as it stands, sizes and operations are not known.
    """
    own = [view for view in analysis.views(function) if view.frame == OWN_FRAME]
    for view in sorted(own, key=lambda view: view.root.function.id == function.id)[:1]:
        root = view.root
        shown = scalarize(root.function, root.control, root.launch, exit_optimization)
        others = tuple(size for size in WARP_SIZES if size != root.launch.warp_size)
        found = (*for_warp_sizes(root.function, root.control, root.launch, others, exit_optimization), shown)
        by_size = tuple(sorted(found, key=lambda result: result.warp_size))
        return ScalarizationReport(function, shown, by_size, analysis, view)
    return None


def callers_of(analysis: FileAnalysis, function: FunctionFacts) -> tuple[str, ...]:
    """The names of the roots whose code a device function is part of."""
    return tuple(dict.fromkeys(view.root.function.name for view in analysis.views(function)))
