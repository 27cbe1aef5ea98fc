"""Sessions of edits in a project that lies on disk, and what to compare after each of them.

Rules    Edits are those of `edits.py`; files come and go, and headers of other names stand in front of others.
         Time stamps are old, so that they are trusted, and another one for each text.
"""

from __future__ import annotations

import logging
import os
import tempfile
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from simt_lsp.workspace.project_index.cache_folder import VARIABLE
from tests.projects.edits import Texts, edited
from tests.projects.random_project import random_project
from tests.sim.random.choices import Choices, Seeded
from tests.support.seeds import Counts

SESSION: Final = 12
AGE: Final = 1_000_000
"""Seconds."""
_LIFE: Final = 8
_HEADERS: Final = ("pick.cuh", "conf.h", "size.h")

Change = Callable[[Texts, Choices], Texts]
Difference = Callable[[Path, Path, Counts], str | None]
"""What a run over a tree with that cache folder says otherwise than one that keeps nothing."""


def follow_session(seed: int, counts: Counts, edits: int, change: Change, difference: Difference) -> str | None:
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
                texts = change(texts, choices)
            _write(root, texts, number)
            counts["edits"] += 1
            wrong = difference(root, cache, counts)
            if wrong is not None:
                return f"after edit {number}:\n  {wrong}\n{texts}"
    return None


def changed(texts: Texts, choices: Choices) -> Texts:
    """After one edit."""
    path = choices.pick(sorted(texts))
    match choices.below(5):
        case 0 if len(texts) > 3:
            return {other: text for other, text in texts.items() if other != path}
        case 1:
            folder = choices.pick(sorted({os.path.dirname(one) for one in texts}))
            return {**texts, f"{folder}/{choices.pick(_HEADERS)}": texts[path]}
        case _:
            return {**texts, path: edited(path, texts, choices)[1]}


def _write(root: Path, texts: Texts, number: int) -> None:
    wanted = {root / path.removeprefix("/project/"): text for path, text in texts.items()}
    for old in [one for one in root.rglob("*") if one.is_file() and one not in wanted]:
        old.unlink()
    for path, text in wanted.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        if not path.is_file() or path.read_bytes() != text:
            path.write_bytes(text)
            stamp = time.time() - AGE + number
            os.utime(path, (stamp, stamp))


@contextmanager
def kept_in(cache: Path | None) -> Generator[None]:
    """With that cache folder; None: nothing is kept."""
    before = os.environ.get(VARIABLE)
    os.environ[VARIABLE] = "off" if cache is None else str(cache)
    try:
        yield
    finally:
        if before is None:
            del os.environ[VARIABLE]
        else:
            os.environ[VARIABLE] = before
