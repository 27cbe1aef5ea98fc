"""After any edits in any files of a project, what was kept of files that include others is what is found anew.

    python -m tests.projects.kept COUNT [SEED]

Question  Does an entry of `kept_calls.py` name everything that what a file passes depends on?
Rules     A project lies on disk, and another one beside it that comes and goes.  After each edit, an engine that takes
          what earlier ones kept in a cache folder says how the headers are called, and so does one that keeps nothing.
          Edits are those of `edits.py`; files come and go, and headers of other names stand in front of others.
"""

from __future__ import annotations

import logging
import os
import tempfile
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from analysis.facts.calls import KnownCallers
from simt_lsp.cli.engine import Engine, EngineOptions
from simt_lsp.cli.project_files import callers_of_files
from simt_lsp.workspace.project_index.cache_folder import VARIABLE
from tests.projects.edits import Texts, edited
from tests.projects.random_project import random_project
from tests.sim.random.choices import Choices, Seeded
from tests.support.seeds import Counts, exit_with, run_seeds

SESSION: Final = 12
_LIFE: Final = 8
_HEADERS: Final = ("pick.cuh", "conf.h", "size.h")


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
                texts = changed(texts, choices)
            write_texts(root, texts)
            kept, seen = _callers(root, cache)
            fresh, _ = _callers(root, None)
            counts["edits"] += 1
            counts["entries used again"] += seen
            counts["headers compared"] += len(fresh)
            counts["functions compared"] += sum(len(one.calls) for one in fresh.values())
            if kept != fresh:
                return f"after edit {number}:\n  {kept}\n  {fresh}\n{texts}"
    return None


def changed(texts: Texts, choices: Choices) -> Texts:
    path = choices.pick(sorted(texts))
    match choices.below(5):
        case 0 if len(texts) > 3:
            return {other: text for other, text in texts.items() if other != path}
        case 1:
            folder = choices.pick(sorted({os.path.dirname(one) for one in texts}))
            return {**texts, f"{folder}/{choices.pick(_HEADERS)}": texts[path]}
        case _:
            return {**texts, path: edited(path, texts, choices)[1]}


def write_texts(root: Path, texts: Texts) -> None:
    wanted = {root / path.removeprefix("/project/"): text for path, text in texts.items()}
    for old in [one for one in root.rglob("*") if one.is_file() and one not in wanted]:
        old.unlink()
    for path, text in wanted.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        if not path.is_file() or path.read_bytes() != text:
            path.write_bytes(text)


def _callers(root: Path, cache: Path | None) -> tuple[Mapping[str, KnownCallers], int]:
    """How headers are called, and how many files that says which were not analysed for it."""
    with kept_in(cache):
        engine = Engine(EngineOptions(roots=(str(root),)))
        files = [str(path) for path in sorted(root.rglob("*")) if path.is_file()]
        seen = sum(engine.kept_calls_of(path) is not None for path in files)
        return callers_of_files(engine, files, 1), seen


@contextmanager
def kept_in(cache: Path | None) -> Generator[None]:
    before = os.environ.get(VARIABLE)
    os.environ[VARIABLE] = "off" if cache is None else str(cache)
    try:
        yield
    finally:
        if before is None:
            del os.environ[VARIABLE]
        else:
            os.environ[VARIABLE] = before


def main(count: int, first: int) -> int:
    return run_seeds(follow, count, first)


if __name__ == "__main__":
    exit_with(main)
