"""What a command made of files, kept with all that it rests on.

Question  A tree is checked again: of which files is the last answer still the answer?
Rules     A result holds while all questions that its analysis asked have the answers that they got
          (`surroundings.py`), and what else it rests on (`about`: settings of the rules, how others call a header) is
          the same.  There is one for each way of asking (`name`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final, final

from simt_lsp.workspace.kept_on_disk import Classes, KeptOnDisk
from simt_lsp.workspace.surroundings import Surroundings, Trace

MAX_FILES: Final = 20_000


@final
class KeptResults:
    """See the top of the file; belongs to one thread."""

    def __init__(self, folder: Path | None, roots: Callable[[], Sequence[str]], classes: Classes) -> None:
        """`folder`: the user's cache folder; nothing is written below one of `roots`."""
        self._disk = KeptOnDisk(None if folder is None else folder / "results", roots, classes, MAX_FILES)

    def get(self, name: str, about: bytes, around: Surroundings) -> Any:
        """The result, if it is what would be found now; else None."""
        kept = self._disk.read(name)
        if kept is None:
            return None
        rests_on, trace, result = kept
        return result if rests_on == about and around.tell(trace) else None

    def trace_of(self, name: str, result: object) -> Trace | None:
        """What a result of this run was found with; None where it is not kept."""
        kept = self._disk.read(name)
        return kept[1] if kept is not None and kept[2] == result else None

    def holds(self, name: str, around: Surroundings) -> bool:
        """Whether an analysis with these surroundings would be told what the one was whose result is kept."""
        kept = self._disk.read(name)
        return kept is not None and around.tell(kept[1])

    def put(self, name: str, about: bytes, trace: Trace, result: object) -> None:
        """It was worked out now."""
        self._disk.write(name, (about, dict(trace), result))
