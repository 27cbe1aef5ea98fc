"""A version that was replaced is freed by reference counts: nothing of it waits for the collector of cycles."""

from __future__ import annotations

import gc
import re

import pytest

from analysis.facts.analyzer import Analyzer
from analysis.facts.settings import AnalysisSettings
from analysis.rules.check import check
from analysis.rules.diagnostic_cache import DiagnosticCache
from analysis.rules.settings import RuleSettings
from analysis.syntax.document import Document
from analysis.syntax.includes import DictLoader
from simt_lsp.workspace.project_index.index import ProjectIndex
from simt_lsp.workspace.project_index.view import ProjectView
from tests.edits.programs import HEADER, MAIN, projects

VERSIONS = 5


@pytest.mark.parametrize("in_project", [False, True])
def test_versions_that_are_replaced_leave_no_cycles(*, in_project: bool) -> None:
    text, header = projects(0)[0]
    files = {HEADER: header.encode()}
    analyzer, diagnostics = Analyzer(), DiagnosticCache()
    index = ProjectIndex()
    if in_project:
        kernel = re.search(r"__global__[^(]*?(\w+)\(", text)
        assert kernel is not None
        files["user.cu"] = f'#include "{MAIN}"\nvoid f() {{ {kernel[1]}<<<1, 32>>>(); }}\n'.encode()
        for path, content in {MAIN: text.encode(), **files}.items():
            index.scan(path, content)

    def see(number: int) -> None:
        edited = text.replace("int t = threadIdx.x;", f"int t = threadIdx.x + {number};")
        document = Document.open(edited.encode())
        loader = DictLoader({MAIN: edited.encode(), **files})
        project = ProjectView(index, lambda _: None) if in_project else None
        analysis = analyzer.analyze(MAIN, document, loader, AnalysisSettings(), project=project)
        assert check(analysis, RuleSettings(), diagnostics)

    see(0)
    gc.collect()
    gc.disable()
    try:
        left: list[int] = []
        for number in range(1, VERSIONS):
            see(number)
            left.append(gc.collect())
        assert min(left) < 25, left  # threads that another test left may end meanwhile
    finally:
        gc.enable()
