"""`check --changed-since REF`: what a change is about, with what depends on it.

Question  A branch touches some lines.  Which findings are its own?
Rules     Reported are findings that stand on lines that were changed, or name one in their explanation, and findings
          that the state before did not have, wherever they stand: a kernel that nobody touched counts if a header, a
          launch or a setting made it worse.  To know these, the files with other findings are checked once more as
          they were, with the same options, from a copy of that commit in a temporary folder; but for those of which it
          is known that the same would be found (`earlier_state.py`).
          The state before is where the branch left REF (the merge base).  Files that git does not have are new.
          The rest is counted and not reported.  Findings are compared as baselines compare them.
Limits    A compilation database that git does not have is taken as it is now, for both states.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from typing import Final

from analysis.syntax.includes import HEADER_SUFFIXES
from simt_lsp.cli.earlier_state import EarlierState
from simt_lsp.cli.engine import Engine, EngineOptions
from simt_lsp.cli.exit_status import UsageError
from simt_lsp.cli.project_files import run_project
from simt_lsp.cli.report import FileReport
from simt_lsp.cli.run_files import FileTask
from simt_lsp.cli.sites import sites_of, with_sites
from simt_lsp.gates.baseline import Baseline, Entry, entries_of
from simt_lsp.gates.changed_lines import changed_lines
from simt_lsp.gates.changes import Changes, changes_since
from simt_lsp.gates.git import Commit, GitError, commit_before
from simt_lsp.gates.site import Site
from simt_lsp.workspace.compile_commands import find_database
from simt_lsp.workspace.file_index import SOURCE_SUFFIXES
from simt_lsp.workspace.settings.sources import FILE_NAME
from simt_lsp.workspace.settings.values import Source

_READ: Final = (*SOURCE_SUFFIXES, *HEADER_SUFFIXES, ".cuh", ".def", FILE_NAME, "compile_commands.json")


def commit_of(reference: str, paths: Sequence[str]) -> Commit:
    """The state before, in the repository around the paths; raises `UsageError`."""
    try:
        commits = {commit_before(reference, path) for path in paths if os.path.exists(path)}
    except GitError as error:
        raise UsageError(f"--changed-since {reference}: {error}") from error
    if len(commits) != 1:
        raise UsageError(f"--changed-since {reference}: the paths lie in {len(commits)} repositories")
    return commits.pop()


def of_the_change(
    reports: Sequence[FileReport], commit: Commit, task: FileTask[FileReport], jobs: int | None
) -> Sequence[FileReport]:
    """The reports with what the change is about; raises `UsageError`."""
    try:
        return _filtered(reports, commit, changes_since(commit, _READ), task, jobs)
    except (GitError, OSError) as error:
        raise UsageError(f"--changed-since: {error}") from error


def _filtered(
    reports: Sequence[FileReport], commit: Commit, changes: Changes, task: FileTask[FileReport], jobs: int | None
) -> Sequence[FileReport]:
    changed = _Changed(changes)
    own = [[_is_touched(site, changed) for site in sites_of(report)] for report in reports]
    says_the_same = _same_reports(changes, task)
    others = [report.path for report, touched in zip(reports, own, strict=True) if not all(touched)]
    same = frozenset(filter(says_the_same, others))
    asked = [path for path in others if path not in same]
    before = Baseline(commit.top, _entries_before(asked, commit, task, jobs) if asked else ())
    result: list[FileReport] = []
    for report, touched in zip(reports, own, strict=True):
        sites = sites_of(report)
        is_same = report.path in same
        known = [True] * len(sites) if is_same else before.known(sites, os.path.realpath(report.path))
        kept = [one or not other for one, other in zip(touched, known, strict=True)]
        result.append(replace(with_sites(report, kept), unchanged=kept.count(False)))
    return result


def _same_reports(changes: Changes, task: FileTask[FileReport]) -> Callable[[str], bool]:
    """Whether the report of a file is that of the state before; False where it is not known."""
    engine = Engine(task.options)
    read = None if task.keeping is None else engine.read_files
    if task.keeping is not None and read is not None:
        with suppress(LookupError):
            return EarlierState(engine, task.keeping, read, changes).says_the_same
    return lambda _: False


def _entries_before(
    paths: Sequence[str], commit: Commit, task: FileTask[FileReport], jobs: int | None
) -> Sequence[Entry]:
    """What was found in files of the state before."""
    with _tree(commit, task.options) as (folder, options):
        moved = [os.path.join(folder, os.path.relpath(os.path.realpath(path), commit.top)) for path in paths]
        before = replace(task, options=options, keeping=None)
        found = run_project(before, [path for path in moved if os.path.isfile(path)], jobs)
        return [entry for report in found for entry in _entries(report, folder)]


def _entries(report: FileReport, folder: str) -> Sequence[Entry]:
    return entries_of(os.path.realpath(report.path), sites_of(report), folder)


class _Changed:
    """The changed lines of files, by their paths as they are given."""

    def __init__(self, changes: Changes) -> None:
        self._changes = changes
        self._lines: dict[str, frozenset[int] | None] = {}

    def is_changed(self, path: str, lines: range) -> bool:
        """Whether one of these lines is; all lines of a new file are."""
        if path not in self._lines:
            self._lines[path] = self._look(os.path.realpath(path))
        known = self._lines[path]
        return known is None or not known.isdisjoint(lines)

    def _look(self, path: str) -> frozenset[int] | None:
        if path not in self._changes.known:
            return None
        before = self._changes.before.get(path)
        if before is None:
            return frozenset()
        try:
            with open(path, "rb") as now:
                return changed_lines(before, now.read())
        except OSError:
            return None


def _is_touched(site: Site, changed: _Changed) -> bool:
    places = [(site.path, range(site.line, site.end_line + 1))]
    places += [(path, range(line, line + 1)) for path, line in site.related]
    return any(changed.is_changed(path, lines) for path, lines in places)


@contextmanager
def _tree(commit: Commit, options: EngineOptions) -> Generator[tuple[str, EngineOptions]]:
    """A folder with the files of the state before that an analysis may read, and the options for it."""
    with tempfile.TemporaryDirectory(prefix="simt-") as temporary:
        folder = os.path.realpath(temporary)
        os.mkdir(os.path.join(folder, ".git"))  # the mark of a project
        files = commit.files(_READ)
        for path, text in zip(files, commit.texts([*files.values()]), strict=True):
            _write(os.path.join(folder, path), text)

        def moved(path: str) -> str:
            return _moved(path, commit.top, folder)

        _copy_database(commit.top, folder, files)
        overrides = tuple(_moved_source(source, moved) for source in options.overrides)
        yield folder, replace(options, overrides=overrides, roots=tuple(map(moved, options.roots)))


def _moved(path: str, top: str, folder: str) -> str:
    """A path of the working tree as it is in the copy; others stay."""
    own = os.path.realpath(path)
    return folder + own[len(top) :] if own == top or own.startswith(top.rstrip(os.sep) + os.sep) else path


def _moved_source(source: Source, moved: Callable[[str], str]) -> Source:
    """Relative paths of settings start in the copy."""
    return source if source.directory is None else replace(source, directory=moved(source.directory))


def _copy_database(top: str, folder: str, files: Mapping[str, str]) -> None:
    """What the build wrote and nobody commits, with its folders as they are in the copy."""
    found = find_database(os.path.join(top, "any.cu"))
    if found is None or os.path.relpath(found, top).replace(os.sep, "/") in files or not found.startswith(top):
        return
    with open(found, "rb") as file:
        text = file.read()
    _write(folder + found[len(top) :], text.replace(os.fsencode(top), os.fsencode(folder)))


def _write(path: str, text: bytes) -> None:
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "xb") as file:
        file.write(text)
