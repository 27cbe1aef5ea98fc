"""Which files does a check leave out?

Rules    A glob without `/` fits files and folders of that name anywhere below the folder of its settings file (on the
         command line: the current one); one with `/` fits from that folder on; `**` is any number of folders.  What
         lies in a folder that fits is left out too.
         Files that are named one by one are left out as well: hooks name all that changed.
Cost     Settings are looked up once per folder; a glob is matched part by part, without going back.
"""

from __future__ import annotations

import fnmatch
import os
from collections.abc import Callable, Sequence
from typing import final

from simt_lsp.workspace.settings.configuration import Exclusion
from simt_lsp.workspace.settings.sources import load_configuration
from simt_lsp.workspace.settings.values import Source


@final
class ExcludedFiles:
    """Answers for files and folders; make a new one when settings may have changed."""

    def __init__(self, sources_for: Callable[[str], Sequence[Source]]) -> None:
        """`sources_for`: settings of a client or a command line, which count for a path."""
        self._sources_for = sources_for
        self._exclusions: dict[str, tuple[Exclusion, ...]] = {}

    def __call__(self, path: str) -> bool:
        """Whether the file or folder is left out."""
        absolute = os.path.abspath(path)
        folder = os.path.dirname(absolute)
        known = self._exclusions.get(folder)
        if known is None:
            known = load_configuration(folder, self._sources_for(folder)).configuration.exclude
            self._exclusions[folder] = known
        return any(fits(exclusion, absolute) for exclusion in known)


def fits(exclusion: Exclusion, path: str) -> bool:
    """Whether the glob fits an absolute path, or a folder above it."""
    folder = exclusion.folder.replace(os.sep, "/").rstrip("/") + "/"
    path = path.replace(os.sep, "/")
    if not path.startswith(folder):
        return False
    parts = [part for part in exclusion.glob.replace("\\", "/").split("/") if part not in ("", ".")]
    if not parts:
        return False
    if "/" not in exclusion.glob.rstrip("/"):
        parts = ["**", *parts]
    return _fits(parts, path[len(folder) :].split("/"))


def _fits(parts: Sequence[str], names: Sequence[str]) -> bool:
    """Whether `parts` are the first of `names`, where `**` is any number of these."""
    reached = _beyond({0}, parts)
    for name in names:
        stay = {at for at in reached if at < len(parts) and parts[at] == "**"}
        step = {at + 1 for at in reached if at < len(parts) and parts[at] != "**" and fnmatch.fnmatch(name, parts[at])}
        reached = _beyond(stay | step, parts)
        if len(parts) in reached:
            return True
    return False


def _beyond(reached: set[int], parts: Sequence[str]) -> set[int]:
    """With the places that are reached where `**` is no folder at all."""
    found = set(reached)
    for at in sorted(reached):
        while at < len(parts) and parts[at] == "**":
            at += 1
            found.add(at)
    return found
