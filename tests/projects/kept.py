"""After any edits in any files of a project, what was kept of files that include others is what is found anew.

    python -m tests.projects.kept COUNT [SEED]

Question  Does an entry of `kept_calls.py` name everything that what a file passes depends on?
Rules     A project lies on disk.  After each edit, an engine that takes what earlier ones kept in a cache folder says
          how the headers are called, and so does one that keeps nothing.  Edits are those of `kept_sessions.py`.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from analysis.facts.calls import KnownCallers
from simt_lsp.cli.engine import Engine, EngineOptions
from simt_lsp.cli.project_files import callers_of_files
from tests.projects.kept_sessions import SESSION, changed, follow_session, kept_in
from tests.support.seeds import Counts, exit_with, run_seeds


def follow(seed: int, counts: Counts, edits: int = SESSION) -> str | None:
    """What differs after some edit of a session; None if nothing does."""
    return follow_session(seed, counts, edits, changed, _difference)


def _difference(root: Path, cache: Path, counts: Counts) -> str | None:
    kept, seen = _callers(root, cache)
    fresh, _ = _callers(root, None)
    counts["entries used again"] += seen
    counts["headers compared"] += len(fresh)
    counts["functions compared"] += sum(len(one.calls) for one in fresh.values())
    return None if kept == fresh else f"{kept}\n  {fresh}"


def _callers(root: Path, cache: Path | None) -> tuple[Mapping[str, KnownCallers], int]:
    """How headers are called, and how many files that says which were not analysed for it."""
    with kept_in(cache):
        engine = Engine(EngineOptions(roots=(str(root),)))
        files = [str(path) for path in sorted(root.rglob("*")) if path.is_file()]
        seen = sum(engine.kept_calls_of(path) is not None for path in files)
        return callers_of_files(engine, files, 1), seen


def main(count: int, first: int) -> int:
    return run_seeds(follow, count, first)


if __name__ == "__main__":
    exit_with(main)
