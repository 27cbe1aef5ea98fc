"""After any edits in any files of a project, the reports of a check that keeps are those of one that does not.

    python -m tests.projects.kept_reports COUNT [SEED]

Question  Do the questions of a trace, what else a kept report rests on, and the state of a tree say all that the
          reports depend on?
Rules     A project lies on disk.  After each edit it is checked twice by runs that take what earlier ones kept, and by
          one that keeps nothing; all must report the same.  Edits are those of `kept_sessions.py`, and settings that
          come and go.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Final
from unittest.mock import patch

from simt_lsp.cli.check_command import KEEPING, failed_report
from simt_lsp.cli.engine import Engine, EngineOptions
from simt_lsp.cli.project_files import run_project
from simt_lsp.cli.report import FileReport
from simt_lsp.cli.resolve import file_report
from simt_lsp.cli.run_files import FileTask
from tests.projects.edits import Texts
from tests.projects.kept_sessions import SESSION, changed, follow_session, kept_in
from tests.sim.random.choices import Choices
from tests.support.seeds import Counts, exit_with, run_seeds

_SETTINGS: Final = (
    b'tiers = ["proven", "possible"]\n',
    b"block = 64\n",
    b'ignore = ["SYN", "DIV"]\n',
    b"project = false\n",
    b'rules = { SYN101 = "hint" }\n',
    b"rules = {\n",
)


def follow(seed: int, counts: Counts, edits: int = SESSION) -> str | None:
    """What differs after some edit of a session; None if nothing does."""
    return follow_session(seed, counts, edits, edited_with_settings, _difference)


def edited_with_settings(texts: Texts, choices: Choices) -> Texts:
    """After one edit of a file or of the settings."""
    if choices.chance(5):
        return {**texts, "/project/.simt.toml": choices.pick(_SETTINGS)}
    code = {path: text for path, text in texts.items() if not path.endswith(".toml")}
    settings = {path: text for path, text in texts.items() if path.endswith(".toml")}
    return {**changed(code, choices), **settings}


def _difference(root: Path, cache: Path, counts: Counts) -> str | None:
    seen = [_reports(root, cache, counts) for _ in range(2)]  # the second one with what the first one kept
    fresh = _reports(root, None, counts)
    counts["reports"] += len(fresh)
    counts["findings compared"] += sum(len(one.findings) for one in fresh)
    pairs = (pair for kept in seen for pair in zip(kept, fresh, strict=True))
    differing = (pair for pair in pairs if pair[0] != pair[1])
    return next((f"{one}\n  {other}" for one, other in differing), None)


def _reports(root: Path, cache: Path | None, counts: Counts) -> Sequence[FileReport]:
    """What is told of all files."""
    with kept_in(cache), patch("simt_lsp.cli.engine.LEAST_RUN", 1):
        options = EngineOptions(roots=(str(root),))
        files = [str(path) for path in sorted(root.rglob("*")) if path.is_file() and path.suffix != ".toml"]
        engine = Engine(options)
        counts["runs used again"] += engine.kept_run(KEEPING, files) is not None
        counts["reports used again"] += sum(engine.kept_result(KEEPING, path) is not None for path in files)
        task = FileTask(options, finish=file_report, failed=failed_report, keeping=KEEPING)
        return [*run_project(task, files, 1)]


def main(count: int, first: int) -> int:
    os.environ.pop("SIMT_LSP_CACHE", None)
    return run_seeds(follow, count, first)


if __name__ == "__main__":
    exit_with(main)
