"""One file of a project that stands in memory, analysed with what the index says of the others."""

from __future__ import annotations

from collections.abc import Mapping

from analysis.facts.analyzer import Analyzer
from analysis.facts.file_analysis import FileAnalysis
from analysis.facts.settings import AnalysisSettings
from analysis.syntax.document import Document
from analysis.syntax.includes import DictLoader
from simt_lsp.workspace.project_index.index import ProjectIndex
from simt_lsp.workspace.project_index.view import ProjectView


def analyzed(files: Mapping[str, str], path: str, analyzer: Analyzer | None = None) -> FileAnalysis:
    loader = DictLoader({name: text.encode() for name, text in files.items()})
    index = ProjectIndex()
    for name, text in loader.files.items():
        index.scan(name, text)
    return (analyzer or Analyzer()).analyze(
        path, Document.open(loader.files[path]), loader, AnalysisSettings(), project=ProjectView(index, lambda _: None)
    )
