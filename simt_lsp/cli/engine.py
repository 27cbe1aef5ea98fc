"""One file of the command line through the analysis, with the settings and headers that lie around it on disk.

Rules    Every expected failure (a file that cannot be read) is an `UnreadableError` with the reason; anything else that
         is raised is a defect of ours and is left to the command, which reports it and goes on.
Threads  An engine belongs to one process; the caches in it are why the second file is cheaper than the first.
"""

from __future__ import annotations

import logging
import os
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from functools import cache, cached_property
from typing import Any, Final, TypeAlias, assert_never, final

from analysis.facts.analyzer import Analyzer, FileAnalysis, environment_of
from analysis.facts.calls import CallsOfFile, KnownCallers
from analysis.ir.record import record
from analysis.rules.check import check
from analysis.rules.diagnostic import Diagnostic
from analysis.syntax.document import Document
from analysis.syntax.environment import Environment
from simt_lsp.cli.paths import reason_of, why_no_file
from simt_lsp.workspace.canonical import digest_of_data
from simt_lsp.workspace.disk_loader import MAX_FILE_BYTES, DiskLoader, FileCache, LazyIndex
from simt_lsp.workspace.file_index import FileIndex
from simt_lsp.workspace.include_graph import IncludeGraph
from simt_lsp.workspace.kept_calls import KeptCalls
from simt_lsp.workspace.kept_on_disk import Classes
from simt_lsp.workspace.kept_results import KeptResults
from simt_lsp.workspace.kept_runs import KeptRuns
from simt_lsp.workspace.project import FileSetup, file_setup, whole_graph
from simt_lsp.workspace.project_index.build import ReadProject, read_project
from simt_lsp.workspace.project_index.cache_folder import cache_folder
from simt_lsp.workspace.project_index.definers import definers
from simt_lsp.workspace.project_index.index import ProjectIndex
from simt_lsp.workspace.project_index.view import ProjectView
from simt_lsp.workspace.settings.sources import merge
from simt_lsp.workspace.settings.values import Source
from simt_lsp.workspace.surroundings import Setup, Surroundings, Trace, trace_of
from simt_lsp.workspace.tree_state import state_of

BEGINNING: Final = 8000
"""So many bytes decide whether a file is text, as for git."""
LEAST_RUN: Final = 50
"""Of fewer files it is as fast to ask for each."""


class UnreadableError(Exception):
    """The file cannot be read; the text is the reason alone."""


@final
@record
class EngineOptions:
    """What all files of a run share; picklable, so that worker processes can build their own engine."""

    overrides: tuple[Source, ...] = ()
    roots: tuple[str, ...] = ()
    show_log: bool = False
    keeps: bool = True
    """What can be worked out again is kept in the user's cache folder."""
    hands_over: bool = False
    """What would be kept of results is handed over instead (`Engine.handed`), to be kept by who asked for them."""


@final
@record
class Keeping:
    """How the results of a command are kept from run to run: `kind` names what is made of a file, and with which
    options; `classes` are those that it consists of, `settled` says what of a result another run would make the same,
    None for nothing of it."""

    kind: str
    classes: Classes
    settled: Callable[[Any], Any] | None = None
    """None where it always would be all of it; picklable."""


@final
@record
class HandedResult:
    """What is to be kept as a result of a command, wherever it was found; picklable as `result` is."""

    keeping: Keeping
    name: str
    about: bytes
    trace: Trace
    result: object


@final
@record
class HandedCalls:
    """The same of what a file passes to the functions of those that it includes."""

    path: str
    trace: Trace
    calls: CallsOfFile


Handed: TypeAlias = HandedResult | HandedCalls


@final
@record
class Analyzed:
    """A file with its facts and what the rules say about them."""

    path: str
    analysis: FileAnalysis
    diagnostics: tuple[Diagnostic, ...]
    setup: FileSetup
    loader: DiskLoader
    callers: KnownCallers | None = None
    project: ProjectView | None = None


@final
class Engine:
    """Analyses files from disk, one after the other."""

    def __init__(self, options: EngineOptions, *, edited: bool = False) -> None:
        """`edited`: other texts of a file will be asked for, so what did not change is kept."""
        self._options = options
        self.edited: Final = edited
        if options.show_log:
            logging.basicConfig(stream=sys.stderr, format="%(name)s: %(message)s")
        else:  # what was logged is also among the problems of the file
            logging.getLogger("analysis").addHandler(logging.NullHandler())
        self._analyzer = Analyzer(edited=edited)
        self._cache = FileCache()
        self._index = LazyIndex(options.roots)
        self._environments: dict[str, Environment] = {}
        self._folder = cache_folder() if options.keeps else None
        self._kept_calls = KeptCalls(self._folder, lambda: self._index.roots)
        self._kept_results: dict[Keeping, KeptResults] = {}
        self._setups: dict[str, Setup] = {}
        self._handed: list[Handed] = []

    @property
    def options(self) -> EngineOptions:
        return self._options

    @property
    def include_graph(self) -> IncludeGraph | None:
        """Who includes whom around the files of a run; None where that is not wanted or not wholly known."""
        return self._files.graph if self._files is not None and self._files.is_complete else None

    def definers(self, path: str, name: str) -> tuple[str, ...]:
        """The files of the project that may define a function which `path` only declares."""
        return () if self._files is None else definers(self._files, absolute_path(path), name)

    def analyze(self, path: str, callers: KnownCallers | None = None) -> Analyzed:
        """`callers`: how the files that include this one call its functions.  Raises `UnreadableError`."""
        return self._analyze(path, read_source(path), callers)

    def analyze_for_calls(self, path: str, *, comes_again: bool) -> Analyzed:
        """As `analyze`, of a file of which nothing but `calls_in` is asked, so that no rule is applied.

        `comes_again`: this engine analyses it once more, and what does not rest on its callers is kept until then.
        """
        return self._analyze(path, read_source(path), None, is_judged=False, comes_again=comes_again)

    def kept_calls_of(self, path: str) -> CallsOfFile | None:
        """What a file passes to the functions of those that it includes, where that is known from another run."""
        known = self._kept_calls.get(absolute_path(path), self._surroundings)
        return None if known is None else known.calls

    def calls_in(self, analyzed: Analyzed) -> CallsOfFile:
        """What an analysed file passes; it is kept for other runs."""
        path = absolute_path(analyzed.path)
        setup = self._setup(path)
        calls = analyzed.analysis.calls(is_included=setup.is_included)
        self._keep(HandedCalls(path, trace_of((path, setup), analyzed.loader, analyzed.project), calls))
        return calls

    def kept_result(
        self, keeping: Keeping | None, path: str, callers: KnownCallers | None = None, part: str = ""
    ) -> Any:
        """What a command made of a file in another run, or of a part of it, where it would make the same now; else
        None."""
        if keeping is None or self._folder is None or self._options.show_log:  # what is logged is not kept
            return None
        setup = self._setup_once(absolute_path(path))
        name = _name(keeping, path, setup, part)
        return self._results(keeping).get(name, _about(setup, callers), self._surroundings)

    def keep_result(self, keeping: Keeping, analyzed: Analyzed, result: object, part: str = "") -> None:
        """It was made of an analysed file, or of a part of it, by nothing else than what the analysis was told."""
        kept = result if keeping.settled is None else keeping.settled(result)
        if kept is None or (self._folder is None and not self._options.hands_over):
            return
        setup = self._setup(absolute_path(analyzed.path))
        trace = trace_of((absolute_path(analyzed.path), setup), analyzed.loader, analyzed.project)
        about = _about(setup, analyzed.callers)
        self._keep(HandedResult(keeping, _name(keeping, analyzed.path, setup, part), about, trace, kept))

    def handed(self) -> Sequence[Handed]:
        """What was to be kept since this was asked last."""
        found, self._handed = self._handed, []
        return found

    def take(self, handed: Iterable[Handed]) -> None:
        """Keeps what an engine somewhere else was to keep."""
        for one in handed:
            self._keep(one)

    def _keep(self, one: Handed) -> None:
        if self._options.hands_over:
            self._handed.append(one)
            return
        match one:
            case HandedResult(keeping=keeping):
                if self._folder is not None:
                    self._results(keeping).put(one.name, one.about, one.trace, one.result)
            case HandedCalls():
                self._kept_calls.put(one.path, one.trace, one.calls)
            case _:
                assert_never(one)

    def kept_run(self, keeping: Keeping | None, paths: Sequence[str]) -> Any:
        """What a command made of all these files in another run, in order, where nothing changed since; else None."""
        if keeping is None or self._folder is None or self._options.show_log or len(paths) < LEAST_RUN:
            return None
        files = self._index()
        if files.truncated:
            return None
        given = [*map(absolute_path, paths)]
        return self._runs(keeping).get(self._run_name(keeping, paths), files.files(), given, self._options.overrides)

    def keep_run(self, keeping: Keeping | None, paths: Sequence[str], results: Sequence[object]) -> None:
        """This run found these; kept where all of them are kept one by one and nothing changed meanwhile."""
        read = self._read
        if keeping is None or self._folder is None or self._options.show_log or len(paths) < LEAST_RUN:
            return
        if read is None or not read.is_complete:
            return
        traces: list[Trace] = []
        given = [*map(absolute_path, paths)]
        for path, absolute, result in zip(paths, given, results, strict=True):
            trace = self._results(keeping).trace_of(_name(keeping, path, self._setup_once(absolute)), result)
            if trace is None:
                return
            traces.append(trace)
        state = state_of(read.files, self._index().files(), given, traces, self._options.overrides)
        if state is not None:
            self._runs(keeping).put(self._run_name(keeping, paths), state, results)

    def _runs(self, keeping: Keeping) -> KeptRuns:
        assert self._folder is not None
        return KeptRuns(self._folder, lambda: self._index.roots, keeping.classes)

    def _run_name(self, keeping: Keeping, paths: Sequence[str]) -> str:
        asked = self._options.overrides, self._options.roots, tuple(paths)
        return "\0".join((keeping.kind, os.getcwd(), digest_of_data(asked).hex()))

    def _results(self, keeping: Keeping) -> KeptResults:
        known = self._kept_results.get(keeping)
        if known is None:
            known = KeptResults(self._folder, lambda: self._index.roots, keeping.classes)
            self._kept_results[keeping] = known
        return known

    def facts_within(self, around: Analyzed, path: str, callers: KnownCallers | None = None) -> FileAnalysis | None:
        """What a file says as the analysed one that includes it sees it; None where it cannot be read any more."""
        text = around.analysis.program.unit.text_of(path)
        if text is None:
            return None
        return self._analyzer.analyze(
            path,
            Document.open(text),
            around.loader,
            around.setup.settings,
            context=around.analysis.facts.path,
            callers=callers if around.setup.configuration.analysis.project else None,
        )

    def reanalyze(self, analyzed: Analyzed, text: bytes) -> Analyzed:
        """Another text of that file, with the settings and headers around it."""
        return self._analyze(analyzed.path, text, analyzed.callers)

    def _analyze(
        self,
        path: str,
        text: bytes,
        callers: KnownCallers | None,
        *,
        is_judged: bool = True,
        comes_again: bool = False,
    ) -> Analyzed:
        absolute = absolute_path(path)
        setup = file_setup(absolute, self._options.overrides, self._graph)
        loader = DiskLoader(self._cache, None, self._index)
        loader.told["text", absolute] = text
        project = self._project(absolute, setup)
        analysis = self._analyzer.analyze(
            absolute,
            Document.open(text),
            loader,
            setup.settings,
            context=setup.context,
            includers=setup.includers,
            project=project,
            callers=callers if setup.configuration.analysis.project else None,
            comes_again=comes_again,
            every_architecture=is_judged and setup.configuration.analysis.other_architectures,
        )
        diagnostics = check(analysis, setup.configuration.rules) if is_judged else ()
        return Analyzed(path, analysis, diagnostics, setup, loader, callers, project)

    def surroundings_in(
        self,
        files: ProjectIndex,
        texts: Mapping[str, bytes] | None = None,
        gone: Set[str] = frozenset(),
        index: FileIndex | None = None,
    ) -> Surroundings:
        """What analyses would be told where the project had these files.

        `texts` stand in place of those on disk, and nothing is where files are `gone` (both by `path_key`); `index` is
        what a walk finds then.
        """

        @cache
        def setup(path: str) -> FileSetup:
            return file_setup(path, self._options.overrides, files.graph)

        def environment(path: str) -> Environment:
            return environment_of(path, setup(path).settings)

        def told(path: str) -> Setup:
            has_project = setup(path).configuration.analysis.project and files.knows(path)
            return Setup(setup(path), files.is_complete and has_project, bool(files.graph.may_include(path)))

        loader = DiskLoader(self._cache, texts, self._index if index is None else lambda: index, gone)
        return Surroundings(loader, ProjectView(files, environment), told)

    def report_holds(self, keeping: Keeping, path: str, around: Surroundings) -> bool:
        """Whether the analysis would be told the same there as the one whose result is kept."""
        setup = self._setup_once(absolute_path(path))
        return self._results(keeping).holds(_name(keeping, path, setup), around)

    def calls_hold(self, path: str, around: Surroundings) -> bool:
        """The same of what is kept of what a file passes to those that it includes."""
        return self._kept_calls.get(path, around) is not None

    @property
    def file_index(self) -> FileIndex:
        """What a walk over the project finds."""
        return self._index()

    @property
    def read_files(self) -> ReadProject | None:
        """The files of the project; None where it is not wanted or nothing is kept."""
        return None if self._folder is None or self._options.show_log else self._read

    def _setup(self, path: str) -> Setup:
        found = file_setup(path, self._options.overrides, self._graph)
        graph = self.include_graph
        is_included = graph is not None and bool(graph.may_include(path))
        return Setup(found, self._project(path, found) is not None, is_included)

    def _setup_once(self, path: str) -> Setup:
        """As it was when the surroundings were first looked at."""
        known = self._setups.get(path)
        if known is None:
            known = self._setups[path] = self._setup(path)
        return known

    @cached_property
    def _surroundings(self) -> Surroundings:
        files = self._files
        project = None if files is None or not files.is_complete else ProjectView(files, self._environment)
        return Surroundings(DiskLoader(self._cache, None, self._index), project, self._setup_once)

    def _project(self, path: str, setup: FileSetup) -> ProjectView | None:
        """The files around, unless they are not wanted or not all known."""
        files = self._files if setup.configuration.analysis.project else None
        if files is None or not files.is_complete or not files.knows(path):
            return None
        return ProjectView(files, self._environment)

    def _environment(self, path: str) -> Environment:
        known = self._environments.get(path)
        if known is None:
            setup = file_setup(path, self._options.overrides, self._graph)
            known = self._environments[path] = environment_of(path, setup.settings)
        return known

    @cached_property
    def _graph(self) -> IncludeGraph:
        return whole_graph(self._index) if self._files is None else self._files.graph

    @cached_property
    def _files(self) -> ProjectIndex | None:
        return None if self._read is None else self._read.index()

    @cached_property
    def _read(self) -> ReadProject | None:
        if not merge(self._options.overrides)[0].analysis.project:
            return None
        return read_project(self._index.roots, self._index(), self._folder)


def _name(keeping: Keeping, path: str, setup: Setup, part: str = "") -> str:
    """One for each way of asking about a file: its report names it and others as the user does, in a folder."""
    rules = setup.found.configuration.rules
    chosen = digest_of_data((rules, tuple(rules.severities.items()))).hex()
    return "\0".join((keeping.kind, absolute_path(path), path, os.getcwd(), chosen, *([part] if part else ())))


def _about(setup: Setup, callers: KnownCallers | None) -> bytes:
    """What a result rests on besides what the analysis asks for."""
    is_told = setup.found.configuration.analysis.project
    return digest_of_data((setup.found.problems, callers if is_told else None))


def read_source(path: str) -> bytes:
    """The bytes of a file; raises `UnreadableError` with the reason."""
    try:
        if not os.path.isfile(path):
            raise UnreadableError(why_no_file(path))
        with open(path, "rb") as file:
            text = file.read(MAX_FILE_BYTES + 1)
    except OSError as error:
        raise UnreadableError(reason_of(error)) from error
    except ValueError as error:
        raise UnreadableError(str(error)) from error
    if len(text) > MAX_FILE_BYTES:
        raise UnreadableError(f"larger than {MAX_FILE_BYTES // 1_000_000} MB")
    if b"\0" in text[:BEGINNING]:
        raise UnreadableError("not text in UTF-8: it has zero bytes, as binary files and UTF-16 do")
    return text


def absolute_path(path: str) -> str:
    """As the analysis wants it: absolute, with `/`."""
    return os.path.abspath(path).replace(os.sep, "/")
