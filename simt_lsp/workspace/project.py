"""One file's surroundings in one answer: its settings, its build flags, and the file that includes it.

Rules    What the user sets wins over what the build command says; macros and folders of both count, the user's first.
         The surroundings are looked up again for every analysis: a few `stat` calls, and nothing goes stale.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Final, final

from analysis.divergence.launch_shape import BlockShape
from analysis.facts.settings import AnalysisSettings
from analysis.ir.record import record
from analysis.syntax.includes import is_header
from simt_lsp.workspace.compile_commands import CompileDatabase, find_database, read_database
from simt_lsp.workspace.compile_flags import CompileFlags
from simt_lsp.workspace.disk_loader import LazyIndex
from simt_lsp.workspace.include_graph import IncludeGraph, build_graph
from simt_lsp.workspace.settings.configuration import Configuration, SettingProblem
from simt_lsp.workspace.settings.sources import load_configuration
from simt_lsp.workspace.settings.values import Source

NO_FLAGS: Final = CompileFlags()


@final
@record
class FileSetup:
    """How to analyse one file: `analyze(path, document, loader, settings, context=context, includers=…)`.

    `includers` are all the files that are compiled with the text of this one in them, where it is no header.
    """

    configuration: Configuration
    settings: AnalysisSettings
    context: str | None
    problems: tuple[SettingProblem, ...]
    sources: tuple[str, ...] = ()
    """The settings file and the build commands that were read."""
    includers: tuple[str, ...] = ()


def file_setup(path: str | None, overrides: Sequence[Source] = (), graph: IncludeGraph | None = None) -> FileSetup:
    """The setup of the file at `path` (None: a text without a place on disk).

    `overrides` are settings from a client or a command line; `graph` finds the context of headers, and of source
    files that others include and the build does not compile on their own.
    """
    loaded = load_configuration(path, overrides)
    database = _database(path)
    includers: tuple[str, ...] = ()
    compiled_includers: tuple[str, ...] = ()
    context: str | None = None
    compiled = database is not None and path is not None and os.path.normpath(path) in database.entries
    if path is not None and graph is not None:
        compiled_includers = graph.compiled_includers(path)
        if is_header(path) or not compiled:
            context = graph.context(path)
            includers = (context,) if context is not None else graph.includers(path)
    entry = None if database is None or path is None else database.entry_for(path, includers)
    settings = analysis_settings(loaded.configuration, NO_FLAGS if entry is None else entry.flags())
    problems = loaded.problems + (() if database is None else database.problems)
    sources = tuple(one for one in (loaded.path, database and database.path) if one)
    return FileSetup(loaded.configuration, settings, context, problems, sources, compiled_includers)


def analysis_settings(configuration: Configuration, flags: CompileFlags = NO_FLAGS) -> AnalysisSettings:
    """What the user set, then what the build command says, then the defaults of the analysis."""
    options = configuration.analysis
    default = AnalysisSettings()
    names = {define.partition("=")[0] for define in options.defines}
    return AnalysisSettings(
        warp_size=options.warp_size or flags.warp_size or default.warp_size,
        architecture=options.architecture or flags.architecture or default.architecture,
        built_for=flags.architectures,
        block=None if options.block is None else BlockShape(*options.block),
        defines=tuple(define for define in flags.defines if define.partition("=")[0] not in names) + options.defines,
        undefines=tuple(name for name in flags.undefines if name not in names) + options.undefines,
        include_dirs=options.include_dirs + flags.include_dirs,
        forced_includes=flags.forced_includes,
        is_linked=flags.is_linked,
    )


def whole_graph(index: LazyIndex) -> IncludeGraph:
    """Who includes whom below the roots of `index`, scanned now."""
    graph = IncludeGraph()
    build_graph(graph, index())
    return graph


def _database(path: str | None) -> CompileDatabase | None:
    found = None if path is None else find_database(os.path.dirname(path))
    return None if found is None else read_database(found)
