"""Findings of a function do not come and go while a statement in it is half written."""

from __future__ import annotations

import pytest

from analysis.facts.analyzer import Analyzer
from analysis.facts.settings import AnalysisSettings
from analysis.rules.check import check
from analysis.rules.settings import RuleSettings
from analysis.syntax.document import Document
from analysis.syntax.includes import DictLoader
from simt_lsp.server.analyses.held_findings import HeldFindings

KERNELS = """__global__ void first(float *x) {
  // here
  __shared__ float tile[32][32];
  tile[threadIdx.x][0] = x[0];
  __syncthreads();
  x[threadIdx.x] = tile[0][threadIdx.x];
  if (threadIdx.x < 5) __syncthreads();
}
__global__ void second(float *x) {
  if (threadIdx.x < 5) __syncthreads();
}
"""
FIXED = KERNELS.replace("if (threadIdx.x < 5) __syncthreads();\n}\n__global__", "__syncthreads();\n}\n__global__")


class Typing:
    """One document, version after version."""

    def __init__(self) -> None:
        self._analyzer = Analyzer()
        self._held = HeldFindings()

    def shown(self, text: str) -> list[tuple[str, str]]:
        """Code and marked text of what is shown."""
        document = Document.open(text.encode())
        analysis = self._analyzer.analyze("a.cu", document, DictLoader({}), AnalysisSettings())
        found = self._held.after("a.cu", analysis, check(analysis, RuleSettings(ignore=frozenset({"SYN107"}))))
        return [(one.code, document.text[one.start : one.end].decode()) for one in found]


ALL = [
    ("MEM502", "tile[threadIdx.x][0]"),
    ("SYN101", "__syncthreads()"),
    ("SYN101", "__syncthreads()"),
]


def test_nothing_vanishes_while_a_statement_is_typed_above_a_declaration() -> None:
    typing = Typing()
    assert typing.shown(KERNELS) == ALL
    statement = "float sum = (x[1] + x[2]) * tile_of(3);"
    for length in range(1, len(statement) + 1):
        assert typing.shown(KERNELS.replace("// here", statement[:length])) == ALL, statement[:length]


@pytest.mark.parametrize("unreadable", ["int q = (", "if (x", "q(((", "{", "float f["])
def test_what_was_changed_itself_goes(unreadable: str) -> None:
    typing = Typing()
    typing.shown(KERNELS)
    assert ("MEM502", "tile[threadIdx.x][0]") not in typing.shown(
        KERNELS.replace("tile[threadIdx.x][0] = x[0];", unreadable)
    )


def test_what_is_repaired_goes_as_soon_as_it_can_be_read() -> None:
    typing = Typing()
    typing.shown(KERNELS)
    assert typing.shown(KERNELS.replace("// here", "int q = (")) == ALL
    assert typing.shown(FIXED.replace("// here", "int q = (")) == ALL
    assert typing.shown(FIXED) == ALL[:1] + ALL[2:]


def test_a_document_that_is_opened_unreadable_shows_what_is_found() -> None:
    text = KERNELS.replace("// here", "int q = (")
    assert Typing().shown(text) == [("SYN101", "__syncthreads()")]  # of the function that can be read
