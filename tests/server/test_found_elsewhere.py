"""Findings for other architectures come when nobody types, and stay where the text does."""

from __future__ import annotations

from analysis.facts.analyzer import Analyzer
from analysis.facts.settings import AnalysisSettings
from analysis.rules.check import check
from analysis.rules.diagnostic import Diagnostic
from analysis.rules.settings import RuleSettings
from analysis.syntax.document import Document
from analysis.syntax.includes import DictLoader
from simt_lsp.server.analyses.found_elsewhere import FoundElsewhere
from simt_lsp.server.documents.store import OpenDocument

TEXT = """__global__ void k(float *x) {
  if (threadIdx.x < 5) __syncthreads();
  __syncthreads();
#if __CUDA_ARCH__ >= 900
  if (threadIdx.x < 7) __syncthreads();
  __syncthreads();
#endif
}
"""


class Typing:
    """One document, version after version."""

    def __init__(self) -> None:
        self._found = FoundElsewhere()
        self._item: OpenDocument | None = None

    def shown(self, text: str) -> list[int]:
        """The lines of what is shown, from 1, behind a minus where others than the analysed one have it."""
        self._item = OpenDocument("a:k.cu", 0, "cuda", Document.open(text.encode()))
        return self._lines(self._found.later(self._item, self._check(self._item, every=False)))

    def at_rest(self) -> list[int]:
        (item,) = self._found.take_waiting()
        assert item is self._item
        assert self._found.is_due(item)
        found = self._check(item, every=True)
        self._found.put(item, found)
        assert not self._found.take_waiting()
        return self._lines(found)

    def _check(self, item: OpenDocument, *, every: bool) -> tuple[Diagnostic, ...]:
        analysis = Analyzer().analyze(
            "k.cu", item.document, DictLoader({}), AnalysisSettings(), every_architecture=every
        )
        return check(analysis, RuleSettings(select=frozenset({"SYN101"})))

    def _lines(self, found: tuple[Diagnostic, ...]) -> list[int]:
        assert self._item is not None
        line_of = self._item.document.lines.line_of
        return [(line_of(one.start) + 1) * (-1 if one.architectures else 1) for one in found]


def test_they_come_at_rest_and_stay_where_the_text_does() -> None:
    typing = Typing()
    assert typing.shown(TEXT) == [2]
    assert typing.at_rest() == [2, -5]
    assert typing.shown("\n" + TEXT) == [3, -6]
    assert typing.shown("\n" + TEXT.replace("< 5", "< 6")) == [3, -6]
    assert typing.shown("\n" + TEXT.replace("< 7) __syncthreads", "< 7) __syncwarp")) == [3]
    assert typing.at_rest() == [3]


def test_nothing_is_told_twice() -> None:
    typing = Typing()
    typing.shown(TEXT)
    assert typing.at_rest() == [2, -5]
    assert typing.shown(TEXT.replace("900", "800")) == [2, 5]
