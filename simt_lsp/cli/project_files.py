"""One result per file, in order, where what some files pass is known when those that they include are analysed.

Rules    First the files that no other one includes, then those that define kernels themselves, for what these pass,
         then all included files with what their callers have in common.  Includers that are not among the files given
         are analysed as well, up to `MAX_OTHERS` for each included file: beyond that its callers are not known.
         A file that failed may call anything.  The result is the same for any number of processes.
Limits   An includer that is no CUDA file by its name counts only if it says `__global__` or `__device__`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Final, Generic, TypeVar, final

from analysis.facts.calls import CallsOfFile, KnownCallers, known_callers, unseen
from analysis.ir.record import record
from simt_lsp.cli.engine import Analyzed, EngineOptions, UnreadableError, absolute_path, read_source
from simt_lsp.cli.run_files import FileTask, run_files
from simt_lsp.workspace.disk_loader import LazyIndex
from simt_lsp.workspace.file_index import DEVICE_SUFFIXES
from simt_lsp.workspace.include_graph import IncludeGraph
from simt_lsp.workspace.project_index.build import build_project
from simt_lsp.workspace.project_index.cache_folder import cache_folder
from simt_lsp.workspace.setting_sources import merge

Result = TypeVar("Result")

MAX_OTHERS: Final = 24
MAX_INCLUDERS: Final = 2_000
_MARKS: Final = (b"__global__", b"__device__")


def include_graph(options: EngineOptions) -> IncludeGraph | None:
    """Who includes whom around the files of a run; None where that is not wanted or not wholly known."""
    if not merge(options.overrides)[0].analysis.project:
        return None
    index = LazyIndex(options.roots)
    files = build_project(index.roots, index(), cache_folder())
    return None if files is None or not files.is_complete else files.graph


@final
@record
class WithCalls(Generic[Result]):
    """What is made of a file, and what it passes to the `wanted` files; picklable as `finish` is."""

    finish: Callable[[Analyzed], Result] | None
    wanted: frozenset[str]
    included: frozenset[str]

    def __call__(self, analyzed: Analyzed) -> tuple[Result | None, CallsOfFile]:
        path = absolute_path(analyzed.path)
        calls = analyzed.analysis.calls(is_included=path in self.included)
        told = {key: one for key, one in calls.calls.items() if key.path in self.wanted}
        result = None if self.finish is None else self.finish(analyzed)
        return result, replace(calls, calls=told, read=calls.read & self.wanted)


@final
@record
class NoCalls(Generic[Result]):
    """The result of a file that failed, which may call anything."""

    failed: Callable[[str, str], Result] | None

    def __call__(self, path: str, reason: str) -> tuple[Result | None, CallsOfFile]:
        return None if self.failed is None else self.failed(path, reason), unseen(absolute_path(path))


def run_project(
    task: FileTask[Result], paths: Sequence[str], jobs: int | None, graph: IncludeGraph | None
) -> Iterator[Result]:
    """As `run_files`; `graph` says who includes whom, None: each file is looked at alone."""
    included = [] if graph is None else [path for path in paths if graph.possible_includers(absolute_path(path))]
    if graph is None or not included:
        yield from run_files(task, paths, jobs)
        return
    plan = _Plan(graph, paths, included)
    results: dict[str, Result] = {}
    calls: dict[str, CallsOfFile] = {}
    outermost = WithCalls(task.finish, plan.wanted, plan.all_included), NoCalls(task.failed)
    alone = WithCalls[Result](None, plan.wanted, plan.all_included), NoCalls[Result](None)
    for (finish, failed), some in ((outermost, plan.outermost), (alone, (*plan.others, *plan.callers_inside))):
        calling = FileTask(task.options, finish, failed, seconds=task.seconds)
        for path, (result, found) in zip(some, run_files(calling, some, jobs), strict=True):
            calls[absolute_path(path)] = found
            if result is not None:
                results[path] = result
    found_callers = {absolute_path(path): plan.callers_of(absolute_path(path), calls) for path in included}
    callers = {path: known for path, known in found_callers.items() if known is not None}
    results.update(zip(included, run_files(replace(task, callers=callers), included, jobs), strict=True))
    for path in paths:
        yield results[path]


@final
class _Plan:
    """Which files are analysed when."""

    def __init__(self, graph: IncludeGraph, paths: Sequence[str], included: Sequence[str]) -> None:
        self._graph = graph
        self.outermost: Sequence[str] = [path for path in paths if path not in set(included)]
        self.wanted = frozenset(map(absolute_path, included))
        given = {absolute_path(path) for path in self.outermost}
        self._includers: dict[str, Sequence[str] | None] = {}
        others: set[str] = set()
        inside: set[str] = set()
        for path in sorted(self.wanted):
            callers = self._calling(path)
            outer = [one for one in callers or () if not graph.possible_includers(one)]
            unseen_others = [one for one in outer if one not in given]
            if callers is None or len(unseen_others) > MAX_OTHERS:
                self._includers[path] = None
                continue
            self._includers[path] = callers
            others.update(unseen_others)
            inside.update(one for one in callers if graph.possible_includers(one) and _defines_kernels(one))
        self.others = sorted(others)
        self.callers_inside = sorted(inside)
        self.all_included = frozenset((*self.wanted, *inside))

    def callers_of(self, path: str, calls: Mapping[str, CallsOfFile]) -> KnownCallers | None:
        includers = self._includers[path]
        if includers is None:
            return None
        return known_callers(path, [calls[one] for one in includers if one in calls], includers)

    def _calling(self, path: str) -> Sequence[str] | None:
        """All files that may have the text of `path` in them and call its functions; None where they are too many."""
        seen = {path}
        waiting = [path]
        while waiting:
            fresh = [one for one in self._graph.possible_includers(waiting.pop()) if one not in seen]
            seen.update(fresh)
            waiting += fresh
            if len(seen) > MAX_INCLUDERS:
                return None
        return sorted(one for one in seen if one != path and _may_call(one))


def _may_call(path: str) -> bool:
    return path.lower().endswith(DEVICE_SUFFIXES) or _says(path, _MARKS)


def _defines_kernels(path: str) -> bool:
    return _says(path, _MARKS[:1])


def _says(path: str, words: Iterable[bytes]) -> bool:
    """A file that cannot be read may say anything."""
    try:
        text = read_source(path)
    except UnreadableError:
        return True
    return any(word in text for word in words)
