"""A version that was replaced is freed by reference counts: nothing of it waits for the collector of cycles."""

from __future__ import annotations

import gc

from analysis.facts.analyzer import Analyzer
from analysis.facts.settings import AnalysisSettings
from analysis.rules.check import check
from analysis.rules.diagnostic_cache import DiagnosticCache
from analysis.rules.settings import RuleSettings
from analysis.syntax.document import Document
from analysis.syntax.includes import DictLoader
from tests.edits.programs import HEADER, MAIN, projects

VERSIONS = 5


def test_versions_that_are_replaced_leave_no_cycles() -> None:
    text, header = projects(0)[0]
    files = {HEADER: header.encode()}
    analyzer, diagnostics = Analyzer(), DiagnosticCache()

    def see(number: int) -> None:
        edited = text.replace("int t = threadIdx.x;", f"int t = threadIdx.x + {number};")
        document = Document.open(edited.encode())
        analysis = analyzer.analyze(MAIN, document, DictLoader({MAIN: edited.encode(), **files}), AnalysisSettings())
        assert check(analysis, RuleSettings(), diagnostics)

    see(0)
    gc.collect()
    gc.disable()
    try:
        for number in range(1, VERSIONS):
            see(number)
        assert gc.collect() < 100
    finally:
        gc.enable()
