"""After any edits in any files of a project, what `check` takes from earlier runs is what it finds anew.

    python -m tests.projects.kept_reports COUNT [SEED]

Question  Do the questions of a trace, and what else a kept report rests on, say all that the report depends on?
Rules     A project lies on disk.  After each edit it is checked by a run that takes what earlier ones kept, and by one
          that keeps nothing; both must report the same.  Edits are those of `kept.py`, and settings that come and go.
"""

from __future__ import annotations

import logging
import os
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from simt_lsp.cli.check_command import KEEPING, failed_report
from simt_lsp.cli.engine import Engine, EngineOptions
from simt_lsp.cli.project_files import run_project
from simt_lsp.cli.report import FileReport
from simt_lsp.cli.resolve import file_report
from simt_lsp.cli.run_files import FileTask
from tests.projects.edits import Texts
from tests.projects.kept import changed, kept_in, write_texts
from tests.projects.random_project import random_project
from tests.sim.random.choices import Choices, Seeded
from tests.support.seeds import Counts, exit_with, run_seeds

SESSION: Final = 12
_LIFE: Final = 8
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
    logging.getLogger("analysis").addHandler(logging.NullHandler())
    choices = Choices(Seeded(seed))
    beginning = {path: text.encode() for path, text in random_project(Seeded(seed)).files.items()}
    texts = dict(beginning)
    with tempfile.TemporaryDirectory() as folder:
        root, cache = Path(folder) / "tree", Path(folder) / "cache"
        for number in range(edits + 1):
            if number and choices.chance(_LIFE):
                texts = dict(beginning)
            elif number:
                texts = _edited(texts, choices)
            write_texts(root, texts)
            kept, used = _reports(root, cache)
            fresh, _ = _reports(root, None)
            counts["edits"] += 1
            counts["reports"] += len(fresh)
            counts["reports used again"] += used
            counts["findings compared"] += sum(len(one.findings) for one in fresh)
            for one, other in zip(kept, fresh, strict=True):
                if one != other:
                    return f"after edit {number}:\n  {one}\n  {other}\n{texts}"
    return None


def _edited(texts: Texts, choices: Choices) -> Texts:
    if choices.chance(5):
        return {**texts, "/project/.simt.toml": choices.pick(_SETTINGS)}
    code = {path: text for path, text in texts.items() if not path.endswith(".toml")}
    settings = {path: text for path, text in texts.items() if path.endswith(".toml")}
    return {**changed(code, choices), **settings}


def _reports(root: Path, cache: Path | None) -> tuple[Sequence[FileReport], int]:
    """What is told of all files, and of how many it was known."""
    with kept_in(cache):
        options = EngineOptions(roots=(str(root),))
        files = [str(path) for path in sorted(root.rglob("*")) if path.is_file() and path.suffix != ".toml"]
        engine = Engine(options)
        before = {path for path in files if engine.kept_result(KEEPING, path) is not None}
        task = FileTask(options, finish=file_report, failed=failed_report, keeping=KEEPING)
        return [*run_project(task, files, 1)], len(before)


def main(count: int, first: int) -> int:
    os.environ.pop("SIMT_LSP_CACHE", None)
    return run_seeds(follow, count, first)


if __name__ == "__main__":
    exit_with(main)
