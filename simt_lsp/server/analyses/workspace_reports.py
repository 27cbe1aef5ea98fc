"""What a client was told of files that nobody has opened, as long as it would be told the same again.

Rules    A report holds until one of the paths changes that its analysis looked at, until the project answers otherwise
         about a name that it asked for, or until settings or the files of a root change.
         Only the id of a report is kept: a client that does not know it gets the file analysed again.
Threads  Belongs to the event loop.
"""

from __future__ import annotations

from typing import NamedTuple, final

from simt_lsp.server.analyses.analysed import Analysed


class _Kept(NamedTuple):
    id: str
    touched: frozenset[str]
    asked: frozenset[str]


@final
class WorkspaceReports:
    """See the top of the file; by path."""

    def __init__(self) -> None:
        self._kept: dict[str, _Kept] = {}
        self._changes = 0
        self.are_pulled = False
        """Whether the client asks for reports on the workspace; it is then pushed none."""

    @property
    def version(self) -> int:
        """Another number after each change: a report that was begun before one is not kept."""
        return self._changes

    def known(self, path: str) -> str | None:
        """The id of the report that still holds."""
        kept = self._kept.get(path)
        return None if kept is None else kept.id

    def keep(self, path: str, id: str, analysed: Analysed, version: int) -> None:
        """A report that was begun at a `version`."""
        if version == self._changes and not analysed.missed:
            self._kept[path] = _Kept(id, analysed.touched, analysed.asked)

    def texts_changed(self, keys: set[str] | None) -> None:
        """Texts at these paths (`path_key`), or everything."""
        self._changes += 1
        if keys is None:
            self._kept.clear()
        else:
            self._kept = {path: one for path, one in self._kept.items() if one.touched.isdisjoint(keys)}

    def names_changed(self, names: frozenset[str] | None) -> None:
        """The project answers differently about these names, or about any."""
        self._changes += 1
        if names is None:
            self._kept = {path: one for path, one in self._kept.items() if not one.asked}
        else:
            self._kept = {path: one for path, one in self._kept.items() if one.asked.isdisjoint(names)}
