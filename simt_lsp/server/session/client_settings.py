"""Settings that come from the client: at `initialize`, pushed, or pulled per folder.

Rules    The section is `simt-lsp`.  A push may wrap the section or be the section.
         Pulled settings replace pushed ones; the folder's own settings come after those without a folder.
         Each problem is shown once per session, until the value changes.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Final, cast, final

from simt_lsp.workspace.settings.configuration import SettingProblem
from simt_lsp.workspace.settings.values import Source

SECTION: Final = "simt-lsp"
INITIALIZATION: Final = "initializationOptions"
SETTINGS: Final = "editor settings"


@final
class ClientSettings:
    """What the client said, by the URI of a folder; None for all folders."""

    def __init__(self) -> None:
        self._initial: Source | None = None
        self._current: Mapping[str | None, Source] = {}
        self._shown: set[str] = set()

    def initialize(self, options: object) -> None:
        self._initial = _source(INITIALIZATION, options)

    def pushed(self, settings: object) -> None:
        """`workspace/didChangeConfiguration` from a client that cannot be asked."""
        source = _source(SETTINGS, settings)
        self._current = {} if source is None else {None: source}

    def pulled(self, folders: Iterable[str | None], answers: object) -> None:
        """The answer to `workspace/configuration`, one per folder."""
        items = cast("Sequence[object]", answers) if isinstance(answers, (list, tuple)) else ()
        found = {folder: _source(SETTINGS, item) for folder, item in zip(folders, items, strict=False)}
        self._current = {folder: source for folder, source in found.items() if source is not None}

    def sources(self, folder: str | None) -> tuple[Source, ...]:
        """What counts for the files of `folder`, in order."""
        current = self._current
        parts = (self._initial, current.get(None), current.get(folder) if folder is not None else None)
        return tuple(part for part in parts if part is not None)

    def unseen(self, problems: Iterable[SettingProblem]) -> tuple[SettingProblem, ...]:
        """Those of `problems` that were not shown yet; they count as shown now."""
        fresh = tuple(problem for problem in dict.fromkeys(problems) if str(problem) not in self._shown)
        self._shown.update(str(problem) for problem in fresh)
        return fresh


def _source(name: str, value: object) -> Source | None:
    if not isinstance(value, Mapping):
        return None
    values = cast("Mapping[str, object]", value)
    section = values.get(SECTION)
    if isinstance(section, Mapping):
        values = cast("Mapping[str, object]", section)
    return Source(name, values) if values else None
