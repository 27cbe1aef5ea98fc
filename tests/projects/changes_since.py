"""After any edits in any files of a project, what counts as found in its beginning too is what was found there.

    python -m tests.projects.changes_since COUNT [SEED]

Question  Does `check --changed-since` take a report for that of the state before only where it is the same?
Rules     A project lies on disk.  What is known of each file of its beginning is spelled out: all facts and findings.
          After each edit it is asked of which files the same is known of the beginning; of these what is known now is
          spelled out alike.  Edits are those of `kept_reports.py`.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Final

from simt_lsp.cli.earlier_state import EarlierState
from simt_lsp.cli.engine import Analyzed, Engine, EngineOptions, Keeping
from simt_lsp.cli.project_files import run_project
from simt_lsp.cli.run_files import FileTask
from simt_lsp.gates.changes import Changes
from tests.projects.kept_reports import edited_with_settings
from tests.projects.kept_sessions import SESSION, follow_session, kept_in
from tests.support.seeds import Counts, exit_with, run_seeds

KEEPING: Final = Keeping("spelled", frozenset())


def follow(seed: int, counts: Counts, edits: int = SESSION) -> str | None:
    """What differs after some edit of a session; None if nothing does."""
    difference = partial(_difference, {}, {})
    return follow_session(seed, counts, edits, edited_with_settings, difference)


def _difference(
    beginning: dict[str, bytes], said: dict[str, str], root: Path, cache: Path, counts: Counts
) -> str | None:
    texts = {str(path): path.read_bytes() for path in sorted(root.rglob("*")) if path.is_file()}
    options = EngineOptions(roots=(str(root),))
    with kept_in(cache):
        now = _spelled(options, [path for path in texts if not path.endswith(".toml")])
        if not beginning:
            beginning.update(texts)
            said.update(now)
            return None
        before = {path: text for path, text in beginning.items() if texts.get(path) != text}
        engine = Engine(options)
        read = engine.read_files
        assert read is not None
        try:
            state = EarlierState(engine, KEEPING, read, Changes(frozenset(beginning), before))
        except LookupError:
            counts["states of which nothing is known"] += 1
            return None
        for path in now:
            if path in said and state.says_the_same(path):
                counts["known to be the same"] += 1
                if now[path] != said[path]:
                    return f"{path}:\n  {now[path]}\n  {said[path]}"
            else:
                counts["not known to be"] += 1
                counts["not known to be and the same"] += now[path] == said.get(path)
    return None


def _spelled(options: EngineOptions, files: list[str]) -> Mapping[str, str]:
    task = FileTask(options, finish=spelled, failed=unreadable, keeping=KEEPING)
    return dict(zip(files, run_project(task, files, 1), strict=True))


def spelled(analyzed: Analyzed) -> str:
    """All that is known of a file, and the launches of its kernels."""
    facts = analyzed.analysis.facts
    launches = [analyzed.analysis.launch_of(function) for function in facts.functions]
    return f"{facts.functions}\n{launches}\n{analyzed.diagnostics}"


def unreadable(path: str, reason: str) -> str:
    return f"{path}: {reason}"


def main(count: int, first: int) -> int:
    os.environ.pop("SIMT_LSP_CACHE", None)
    return run_seeds(follow, count, first)


if __name__ == "__main__":
    exit_with(main)
