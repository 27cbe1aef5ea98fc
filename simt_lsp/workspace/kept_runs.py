"""What a command made of a whole tree, kept with the state that the tree was in.

Question  Did anything change since the last run?  If not, what it found is what would be found now.
Rules     One entry per command line, which holds while the tree is in that state (`tree_state.py`).  Where it is not,
          each file is asked for on its own (`kept_results.py`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any, Final, final

from simt_lsp.workspace.kept_on_disk import Classes, KeptOnDisk
from simt_lsp.workspace.settings.values import Source
from simt_lsp.workspace.tree_state import TreeState, refreshed

MAX_RUNS: Final = 20
MAX_BYTES: Final = 64_000_000
_STATE: Final = frozenset({(TreeState.__module__, TreeState.__qualname__)})


@final
class KeptRuns:
    """See the top of the file; belongs to one thread."""

    def __init__(self, folder: Path, roots: Callable[[], Sequence[str]], classes: Classes) -> None:
        """`folder`: the user's cache folder; nothing is written below one of `roots`."""
        self._disk = KeptOnDisk(folder / "runs", roots, classes | _STATE, MAX_RUNS, MAX_BYTES)

    def get(self, name: str, found: Iterable[str], given: Sequence[str], overrides: Sequence[Source]) -> Any:
        """The results of the `given` files, in order, if the tree is as it was; else None."""
        kept = self._disk.read(name)
        if kept is None:
            return None
        state, results = kept
        now = refreshed(state, found, given, overrides)
        if now is None:
            return None
        if now.files != state.files:  # the next run need not read these texts
            self.put(name, now, results)
        return results

    def put(self, name: str, state: TreeState, results: Sequence[object]) -> None:
        """They were worked out now."""
        self._disk.write(name, (state, tuple(results)))
