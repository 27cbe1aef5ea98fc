"""One document with everything known of it: what the worker makes and the requests read."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from dataclasses import replace
from typing import TYPE_CHECKING, final

from analysis.ir.pace import Cancelled, ends_when, pace
from analysis.ir.record import record
from analysis.syntax.document import Document
from simt_lsp.server.analyses.found_elsewhere import FoundElsewhere
from simt_lsp.server.analyses.held_findings import HeldFindings
from simt_lsp.server.analyses.worker import GaveWay
from simt_lsp.server.documents.roots import Roots, RootView, WorkspaceFolder
from simt_lsp.server.documents.store import DocumentStore, OpenDocument
from simt_lsp.server.documents.uris import uri_of
from simt_lsp.workspace.disk_loader import DiskLoader, FileCache
from simt_lsp.workspace.kept_calls import KeptCalls, Passed, passed_with
from simt_lsp.workspace.project import FileSetup, file_setup
from simt_lsp.workspace.project_index.cache_folder import cache_folder
from simt_lsp.workspace.project_index.index import ProjectIndex
from simt_lsp.workspace.project_index.view import ProjectView
from simt_lsp.workspace.settings.configuration import Configuration, SettingProblem
from simt_lsp.workspace.settings.sources import FILE_NAME
from simt_lsp.workspace.settings.values import Source
from simt_lsp.workspace.surroundings import Setup, Surroundings, trace_of

if TYPE_CHECKING:
    from analysis.facts.analyzer import Analyzer, FileAnalysis
    from analysis.facts.calls import KnownCallers
    from analysis.facts.settings import AnalysisSettings
    from analysis.rules.diagnostic import Diagnostic
    from analysis.rules.diagnostic_cache import DiagnosticCache
    from analysis.store.kept import TableStatistics
    from analysis.syntax.environment import Environment


@final
@record
class Analysed:
    """`analysis` is None for what is not CUDA and after a crash.

    `rules_file` is the `.simt.toml` that is in force for it, or else where one would be; None without a path.
    `problems` are those of all settings, `setting_files` the files on disk that were read for them.
    `settings`, `context` and `includers` are what the analysis was given; `touched` are the paths it looked at;
    `missed` says that a walk of the root could change the answer; `asked` are names that other files were asked for.
    """

    item: OpenDocument
    configuration: Configuration
    settings: AnalysisSettings
    context: str | None
    includers: tuple[str, ...]
    analysis: FileAnalysis | None
    diagnostics: tuple[Diagnostic, ...]
    problems: tuple[SettingProblem, ...]
    setting_files: tuple[str, ...]
    rules_file: str | None
    touched: frozenset[str]
    missed: bool
    asked: frozenset[str] = frozenset()


@final
@record
class Checked:
    """A text with its facts and what the rules say about it."""

    analysis: FileAnalysis
    diagnostics: tuple[Diagnostic, ...]


@final
class AnalysisJob:
    """What the worker does for one document; lives on its thread."""

    def __init__(
        self,
        documents: DocumentStore,
        roots: Roots,
        settings_for: Callable[[str | None], Sequence[Source]],
        crashed: Callable[[str, BaseException], None],
    ) -> None:
        self._documents = documents
        self._roots = roots
        self._settings_for = settings_for
        self._crashed = crashed
        self._analyzer: Analyzer | None = None
        self._diagnostics: DiagnosticCache | None = None
        self._held = HeldFindings()
        self.elsewhere = FoundElsewhere()
        self._kept_calls = KeptCalls(cache_folder(), lambda: [root.path for root in roots.all])
        self.cache = FileCache()
        self.callers: dict[str, KnownCallers | None] = {}
        """Of files that others include, by path: how these call their functions."""
        self.ended: Callable[[], None] = lambda: None
        """Called after each analysis of an open document."""
        self.free_later: Callable[[list[object]], None] = list[object].clear
        """Takes over the last references to what is large."""
        self.environments: dict[str, tuple[tuple[Source, ...], Environment]] = {}
        """How the build reads other files, until something on disk changes."""

    def __call__(
        self, item: OpenDocument, cancelled: Callable[[], bool], /, *, callers: KnownCallers | None = None
    ) -> Analysed:
        """Analyse one version of a document; raises `GaveWay`, nothing else.  `callers`: of one that is not open."""
        root = self._roots.of(item.path)
        view = RootView(root)
        overlay = self._documents.overlay()
        loader = DiskLoader(self.cache if item.path is not None else None, overlay, view.files)
        setup = file_setup(item.path, self._settings_for(item.path), view.graph_for(item.path))
        project = self._project(item.path, view, setup.configuration)
        analysis: FileAnalysis | None = None
        diagnostics: tuple[Diagnostic, ...] = ()
        if item.analysed:
            try:
                is_open = item.uri in self._documents.current
                is_later = is_open and not self.elsewhere.is_due(item)
                analysis = self._analyse(
                    item,
                    loader,
                    setup.settings,
                    setup.context,
                    setup.includers,
                    project,
                    cancelled,
                    callers,
                    every_architecture=setup.configuration.analysis.other_architectures and not is_later,
                )
                diagnostics = self._held.after(
                    item.uri, analysis, self._check(analysis, setup.configuration, cancelled)
                )
                if is_open:
                    diagnostics = self._with_others(item, setup, analysis, diagnostics)
            except GaveWay:
                raise
            except Exception as error:  # a crash costs this file's answers; it is logged with what was asked
                self._crashed(f"analysis of {item.uri} version {item.version}", error)
        if view.missed and root is not None:
            self._roots.want(root)
        touched = frozenset(loader.touched)
        if item.uri in self._documents.current:
            self.ended()
        return Analysed(
            item,
            setup.configuration,
            setup.settings,
            setup.context,
            setup.includers,
            analysis,
            diagnostics,
            setup.problems,
            setup.sources,
            _rules_file(item.path, root, setup.sources),
            touched,
            view.missed,
            frozenset() if project is None else frozenset(project.asked),
        )

    def _with_others(
        self, item: OpenDocument, setup: FileSetup, analysis: FileAnalysis, found: tuple[Diagnostic, ...]
    ) -> tuple[Diagnostic, ...]:
        """The findings of an open document, with those for other architectures as far as they are known."""
        from analysis.facts.architectures import other_architectures

        has_others = setup.configuration.analysis.other_architectures
        if not has_others or not other_architectures(analysis.program.unit, setup.settings.built_for):
            self.elsewhere.forget(item.uri)
            return found
        if not self.elsewhere.is_due(item):
            return self.elsewhere.later(item, found)
        self.elsewhere.put(item, found)
        return found

    def recheck(self, analysed: Analysed, text: bytes) -> Checked:
        """Another text of an analysed document, with the settings and headers around it; on the worker's thread."""
        item = replace(analysed.item, document=Document.open(text))
        view = RootView(self._roots.of(item.path))
        loader = DiskLoader(self.cache if item.path is not None else None, self._documents.overlay(), view.files)
        project = self._project(item.path, view, analysed.configuration)
        analysis = self._analyse(
            item,
            loader,
            analysed.settings,
            analysed.context,
            analysed.includers,
            project,
            None,
            every_architecture=analysed.configuration.analysis.other_architectures,
        )
        return Checked(analysis, self._check(analysis, analysed.configuration, None))

    def surroundings(self, root: WorkspaceFolder) -> Surroundings:
        """What is around the files of a root now."""
        view = RootView(root)
        loader = DiskLoader(self.cache, self._documents.overlay(), view.files)
        index = root.project
        project = None if index is None or not index.is_complete else self._view_of(index)
        return Surroundings(loader, project, lambda path: self._setup(path, view))

    def kept_calls_of(self, path: str, around: Surroundings) -> Passed | None:
        """What a file passes to the functions of those that it includes, if that was found before."""
        return self._kept_calls.get(path, around)

    def calls_of(self, path: str, cancelled: Callable[[], bool]) -> Passed:
        """What a file passes to the functions of those that it includes; raises `GaveWay`."""
        from analysis.facts.calls import unseen

        view = RootView(self._roots.of(path))
        loader = DiskLoader(self.cache, self._documents.overlay(), view.files)
        text = loader.read(path)
        if text is None:
            return passed_with(trace_of(None, loader, None), unseen(path))
        opened = (one for one in self._documents.current.values() if one.path == path)
        item = next(opened, None) or from_disk(uri_of(path), text)
        setup = self._setup(path, view)
        found = setup.found
        project = self._project(path, view, found.configuration)
        try:
            analysis = self._analyse(item, loader, found.settings, found.context, found.includers, project, cancelled)
            calls = analysis.calls(is_included=setup.is_included)
        except GaveWay:
            raise
        except Exception as error:
            self._crashed(f"analysis of {path} for what it calls", error)
            return passed_with(trace_of(None, loader, project), unseen(path))
        return self._kept_calls.put(path, trace_of((path, setup), loader, project), calls)

    def release(self, path: str) -> None:
        """The document that the analysis knows as `path` was closed; called on the worker's thread."""
        if not self._documents.current:  # what files share is of no use either
            self._analyzer, self._diagnostics, self._held = None, None, HeldFindings()
        elif self._analyzer is not None:
            self._analyzer.release(path)

    def forget(self, path: str) -> None:
        """A file that nobody has opened was analysed, and none is to come; what files share stays."""
        if self._analyzer is not None:
            self._analyzer.release(path)

    def read(self, path: str) -> bytes | None:
        """The text at `path` now: the open document, or else the file."""
        return DiskLoader(self.cache, self._documents.overlay()).read(path)

    def _project(self, path: str | None, view: RootView, configuration: Configuration) -> ProjectView | None:
        index = view.project_of(path) if configuration.analysis.project else None
        return None if index is None else self._view_of(index)

    def _setup(self, path: str, view: RootView) -> Setup:
        graph = view.graph_for(path)
        found = file_setup(path, self._settings_for(path), graph)
        has_project = found.configuration.analysis.project and view.project_of(path) is not None
        return Setup(found, has_project, graph is not None and bool(graph.possible_includers(path)))

    def _view_of(self, index: ProjectIndex) -> ProjectView:
        def environment(path: str) -> Environment:
            from analysis.facts.analyzer import environment_of

            sources = tuple(self._settings_for(path))
            known = self.environments.get(path)
            if known is None or known[0] != sources:
                settings = file_setup(path, sources, index.graph).settings
                known = self.environments[path] = sources, environment_of(path, settings)
            return known[1]

        return ProjectView(index, environment)

    def statistics(self) -> tuple[TableStatistics, ...]:
        """How much is kept between versions, and how often it was of use."""
        return () if self._analyzer is None else self._analyzer.statistics()

    def _analyse(
        self,
        item: OpenDocument,
        loader: DiskLoader,
        settings: AnalysisSettings,
        context: str | None,
        includers: tuple[str, ...],
        project: ProjectView | None,
        cancelled: Callable[[], bool] | None,
        callers: KnownCallers | None = None,
        *,
        every_architecture: bool = False,
    ) -> FileAnalysis:
        from analysis.facts.analyzer import Analyzer

        if self._analyzer is None:
            self._analyzer = Analyzer(let_go=lambda last: self.free_later(last))
        try:
            return self._analyzer.analyze(
                item.analysis_path,
                item.document,
                loader,
                settings,
                context=context,
                includers=includers,
                project=project,
                callers=None if project is None else callers or self.callers.get(item.analysis_path),
                cancelled=cancelled,
                every_architecture=every_architecture,
            )
        except Cancelled as error:
            raise GaveWay from error

    def _check(
        self, analysis: FileAnalysis, configuration: Configuration, cancelled: Callable[[], bool] | None
    ) -> tuple[Diagnostic, ...]:
        from analysis.rules.check import check
        from analysis.rules.diagnostic_cache import DiagnosticCache

        if self._diagnostics is None:
            self._diagnostics = DiagnosticCache()
        try:
            with nullcontext() if cancelled is None else pace(ends_when(cancelled)):
                return check(analysis, configuration.rules, self._diagnostics)
        except Cancelled as error:
            raise GaveWay from error


def _rules_file(path: str | None, root: WorkspaceFolder | None, sources: Sequence[str]) -> str | None:
    if path is None:
        return None
    known = next((source for source in sources if os.path.basename(source) == FILE_NAME), None)
    return known or os.path.join(os.path.dirname(path) if root is None else root.path, FILE_NAME)


def from_disk(uri: str, text: bytes) -> OpenDocument:
    """A file that no client opened, in the shape of one that is open."""
    return OpenDocument(uri, 0, "cuda", Document.open(text))
