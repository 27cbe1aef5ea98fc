"""What the files that include others pass to these, and one result per file where that is known.

Question  A header that a command is about: how do the kernels of the project call its functions?  Every command asks
          here (`run_project` for many files, `callers_of_file` for one), so that they all say the same of it.

Rules    First the files that no other one includes, then those that define kernels themselves, for what these pass,
         then all included files with what their callers have in common.  Includers that are not among the files given
         are analysed as well, unless what they pass is kept from another run (`kept_calls.py`).
         Of a file with more than `MAX_INCLUDERS` the callers are not known, and that is said.
         A file that failed may call anything.  The result is the same for any number of processes.
Limits   An includer that is no CUDA file by its name counts only if it says `__global__` or `__device__`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Final, Generic, TypeVar, final

from analysis.facts.calls import CallsOfFile, KnownCallers, known_callers, too_many_callers, unseen
from analysis.ir.record import record
from simt_lsp.cli.engine import Analyzed, Engine, EngineOptions, Keeping, UnreadableError, absolute_path, read_source
from simt_lsp.cli.run_files import (
    OUT_OF_BUDGET,
    SECONDS,
    FileTask,
    Jobs,
    calm_collector,
    internal_error,
    is_over,
    run_files,
)
from simt_lsp.workspace.file_index import DEVICE_SUFFIXES
from simt_lsp.workspace.include_graph import IncludeGraph

Result = TypeVar("Result")

MAX_INCLUDERS: Final = 2_000
_MARKS: Final = (b"__global__", b"__device__")


@final
@record
class CallsTask(Generic[Result]):
    """What is made of a file, if anything is, and what it passes to the `wanted` files; picklable as `finish` is."""

    options: EngineOptions
    finish: Callable[[Analyzed], Result] | None
    failed: Callable[[str, str], Result] | None
    wanted: frozenset[str]
    seconds: float
    until: float | None = None
    keeping: Keeping | None = None
    """As of `FileTask`."""

    def __call__(self, engine: Engine | None = None) -> Callable[[str], tuple[Result | None, CallsOfFile]]:
        is_only = engine is not None and not engine.options.hands_over
        again = self.wanted if is_only else frozenset[str]()
        engine = Engine(self.options) if engine is None else engine
        calm_collector()

        def run(path: str) -> tuple[Result | None, CallsOfFile]:
            if is_over(self.until):
                return self._without(path, OUT_OF_BUDGET)
            try:
                if self.finish is None:
                    analyzed = engine.analyze_for_calls(path, comes_again=absolute_path(path) in again)
                else:
                    analyzed = engine.analyze(path)
                calls = self._told(engine.calls_in(analyzed))
                result = None if self.finish is None else self.finish(analyzed)
                if self.keeping is not None:
                    engine.keep_result(self.keeping, analyzed, result)
                analyzed.analysis.program.close()
                return result, calls
            except UnreadableError as error:
                return self._without(path, str(error))
            except Exception as error:  # a defect of ours costs this file, is reported with it, and not hidden
                return self._without(path, internal_error(error))

        return run

    def died(self, path: str, reason: str) -> tuple[Result | None, CallsOfFile]:
        """Of a file whose process did not survive it."""
        return self._without(path, f"internal error: {reason}")

    def _told(self, calls: CallsOfFile) -> CallsOfFile:
        told = {key: one for key, one in calls.calls.items() if key.path in self.wanted}
        return replace(calls, calls=told, read=calls.read & self.wanted)

    def _without(self, path: str, reason: str) -> tuple[Result | None, CallsOfFile]:
        """A file that failed may call anything."""
        return None if self.failed is None else self.failed(path, reason), unseen(absolute_path(path))


def run_project(
    task: FileTask[Result], paths: Sequence[str], jobs: Jobs, engine: Engine | None = None
) -> Iterator[Result]:
    """As `run_files`; each file is looked at alone where it is not wholly known who includes whom around them."""
    engine = Engine(task.options) if engine is None else engine
    kept = engine.kept_run(task.keeping, paths)
    if kept is not None:
        yield from kept
        return
    found: list[Result] = []
    for result in _analysed(task, paths, jobs, engine):
        found.append(result)
        if len(found) == len(paths):  # who takes as many as there are never comes back
            engine.keep_run(task.keeping, paths, found)
        yield result


def _analysed(task: FileTask[Result], paths: Sequence[str], jobs: Jobs, engine: Engine) -> Iterator[Result]:
    """One result per path, in order; those of files that are as they were come from earlier runs."""
    plan = _Plan.of(engine.include_graph, paths)
    if plan is None:
        yield from _kept_or_run(task, paths, jobs, engine)
        return
    results: dict[str, Result] = {}
    calls: dict[str, CallsOfFile] = {}
    for path in plan.outermost:
        result = engine.kept_result(task.keeping, path)
        passed = None if result is None else engine.kept_calls_of(path)
        if result is not None and passed is not None:
            calls[absolute_path(path)], results[path] = passed, result
    rest = [path for path in plan.outermost if path not in results]
    calling = CallsTask(task.options, task.finish, task.failed, plan.wanted, task.seconds, task.until, task.keeping)
    for path, (result, found) in zip(rest, run_files(calling, rest, jobs, engine), strict=True):
        calls[absolute_path(path)] = found
        if result is not None:
            results[path] = result
    calls.update(_calls_alone(plan, plan.not_given, engine, jobs, task.seconds, task.until))
    last = replace(task, callers=plan.callers(calls))
    results.update(zip(plan.included, _kept_or_run(last, plan.included, jobs, engine), strict=True))
    for path in paths:
        yield results[path]


def _kept_or_run(task: FileTask[Result], paths: Sequence[str], jobs: Jobs, engine: Engine) -> Iterator[Result]:
    """As `run_files`, but for files whose result is known from another run."""
    kept: dict[str, Result] = {}
    for path in paths:
        result = engine.kept_result(task.keeping, path, task.callers.get(absolute_path(path)))
        if result is not None:
            kept[path] = result
    found = run_files(task, [path for path in paths if path not in kept], jobs, engine)
    for path in paths:
        yield kept[path] if path in kept else next(found)


def callers_of_files(engine: Engine, paths: Sequence[str], jobs: Jobs) -> Mapping[str, KnownCallers]:
    """What `run_project` has those of `paths` judged by that others include, by absolute path."""
    plan = _Plan.of(engine.include_graph, paths)
    if plan is None:
        return {}
    return plan.callers(_calls_alone(plan, (*plan.given_callers, *plan.not_given), engine, jobs))


@lru_cache(maxsize=8)
def callers_of_file(engine: Engine, path: str) -> KnownCallers | None:
    """Of the only file of a command, as they were when it was first asked: `simulate` asks for each kernel."""
    return callers_of_files(engine, [path], None).get(absolute_path(path))


def _calls_alone(
    plan: _Plan,
    paths: Sequence[str],
    engine: Engine,
    jobs: Jobs,
    seconds: float = SECONDS,
    until: float | None = None,
) -> Mapping[str, CallsOfFile]:
    """What files of which nothing else is wanted pass, by absolute path."""
    kept = {path: calls for path in paths if (calls := engine.kept_calls_of(path)) is not None}
    missing = [path for path in paths if path not in kept]
    task = CallsTask[None](engine.options, None, None, plan.wanted, seconds, until)
    here = None if engine.edited else engine  # one that waits for edits would keep all that it analyses here
    found = zip(missing, run_files(task, missing, jobs, here), strict=True)
    return {absolute_path(path): calls for path, calls in (*kept.items(), *((path, one) for path, (_, one) in found))}


@final
class _Plan:
    """Which files are analysed when."""

    def __init__(self, graph: IncludeGraph, paths: Sequence[str], included: Sequence[str]) -> None:
        self.included = included
        self.outermost: Sequence[str] = [path for path in paths if path not in set(included)]
        self.wanted = frozenset(map(absolute_path, included))
        given = {absolute_path(path) for path in self.outermost}
        self._includers: dict[str, Sequence[str]] = {}
        self._too_many: dict[str, int] = {}
        others: set[str] = set()
        inside: set[str] = set()
        for path in sorted(self.wanted):
            callers = calling(graph, path)
            outer = [one for one in callers if not graph.may_include(one)]
            unseen_others = [one for one in outer if one not in given]
            if len(callers) > MAX_INCLUDERS:
                self._too_many[path] = len(callers)
                continue
            self._includers[path] = callers
            others.update(unseen_others)
            inside.update(one for one in callers if graph.may_include(one) and _defines_kernels(one))
        self.not_given: Sequence[str] = [*sorted(others), *sorted(inside)]
        """Files that are analysed for what they pass alone: not among the paths, or included and not yet to be told."""
        callers_given = {one for includers in self._includers.values() for one in includers}
        self.given_callers: Sequence[str] = [path for path in self.outermost if absolute_path(path) in callers_given]

    @classmethod
    def of(cls, graph: IncludeGraph | None, paths: Sequence[str]) -> _Plan | None:
        """None where no file among the paths has callers in others."""
        if graph is None:
            return None
        included = [path for path in paths if graph.may_include(absolute_path(path))]
        return cls(graph, paths, included) if included else None

    def callers(self, calls: Mapping[str, CallsOfFile]) -> Mapping[str, KnownCallers]:
        """From what all files pass that were analysed first: the callers of each included file, where all are known."""
        found = {path: too_many_callers(files) for path, files in self._too_many.items()}
        for path, includers in self._includers.items():
            known = known_callers(path, [calls[one] for one in includers if one in calls], includers)
            if known is not None:
                found[path] = known
        return found


def calling(graph: IncludeGraph, path: str) -> Sequence[str]:
    """All files that may have the text of `path` in them and call its functions."""
    return sorted(filter(_may_call, includers_of(graph, path)))


def includers_of(graph: IncludeGraph, path: str) -> set[str]:
    """All files that may have the text of `path` in them."""
    seen = {path}
    waiting = [path]
    while waiting:
        fresh = graph.may_include(waiting.pop()) - seen
        seen |= fresh
        waiting += fresh
    return seen - {path}


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
