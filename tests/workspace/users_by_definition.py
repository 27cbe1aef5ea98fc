"""Who uses what a file defines, word for word as `project_index/index.py` says it: for small projects, slowly."""

from __future__ import annotations

import posixpath
from collections.abc import Mapping, Sequence
from typing import final

from analysis.project.model import Users
from analysis.project.skim import Skim
from analysis.syntax.includes import nearness
from simt_lsp.workspace.file_index import SOURCE_SUFFIXES


@final
class ByDefinition:
    """The questions of a project, over skims by path."""

    def __init__(self, skims: Mapping[str, Skim]) -> None:
        self._skims = skims
        self._known: dict[str, set[str]] = {}

    def includers(self, path: str) -> Users:
        """See `Project`."""
        return _answer(path, self._units_with(path), set())

    def users(self, path: str, name: str, *, internal: bool) -> Users:
        """See `Project`."""
        including = self._units_with(path)
        naming = {other for other, skim in self._skims.items() if other != path and skim.may_name(name)}
        naming |= {path} if path in self._skims and self._skims[path].may_name_elsewhere(name) else set()
        found = including & set[str]().union(*map(self._units_of, naming))
        if internal:
            return _answer(path, found, set())
        defining = [other for other, skim in self._skims.items() if other != path and skim.may_define(name)]
        own = including.union(*map(self._units_of, (path, *defining)))
        declaring = [other for other, skim in self._skims.items() if other != path and skim.may_declare(name)]
        doubtful: set[str] = set()
        for unit in set[str]().union(*map(self._units_of, declaring)) - own:
            headers = [one for one in declaring if one != unit and unit in self._units_of(one)]
            belongs = self._belongs(path, unit, headers, defining)
            if belongs is None:
                doubtful.add(unit)
            elif belongs:
                found.add(unit)
        return _answer(path, found, doubtful)

    def _belongs(self, path: str, unit: str, headers: Sequence[str], defining: Sequence[str]) -> bool | None:
        if not defining:
            return True
        definitions = (path, *defining)
        sharing = {one for one in definitions if any(self._units_of(one) & self._units_with(each) for each in headers)}
        candidates = sharing
        if not sharing:
            beside = {one for one in definitions if posixpath.dirname(one) == posixpath.dirname(unit)}
            most = min(nearness(one, unit)[0] for one in definitions)
            candidates = beside or {one for one in definitions if nearness(one, unit)[0] == most}
        if path in candidates:
            return True if len(candidates) == 1 else None
        is_nearer = all(nearness(path, unit)[0] < nearness(other, unit)[0] for other in candidates)
        return None if sharing and is_nearer else False

    def _units_of(self, path: str) -> set[str]:
        return self._units_with(path) | ({path} if self._is_compiled(path) else set())

    def _units_with(self, path: str) -> set[str]:
        if path not in self._known:
            self._known[path] = self._find_units_with(path)
        return self._known[path]

    def _find_units_with(self, path: str) -> set[str]:
        seen, waiting = {path}, [path]
        for one in waiting:
            fresh = [other for other in self._skims if other not in seen and self._may_include(other, one)]
            seen.update(fresh)
            waiting += fresh
        return {one for one in seen if one != path and self._is_compiled(one)}

    def _is_compiled(self, path: str) -> bool:
        others = (other for other in self._skims if other != path)
        is_part = any(_beside(other, name) == path for other in others for name in self._skims[other].includes)
        return path.endswith(SOURCE_SUFFIXES) and not is_part

    def _may_include(self, including: str, path: str) -> bool:
        for name in self._skims[including].includes:
            beside, end = _beside(including, name), posixpath.normpath(name)
            while end.startswith("../"):
                end = end[3:]
            if beside == path or (path.endswith(f"/{end}") and beside not in self._skims):
                return True
        return False


def _beside(path: str, name: str) -> str:
    return posixpath.normpath(posixpath.join(posixpath.dirname(path), name))


def _answer(path: str, found: set[str], doubtful: set[str]) -> Users:
    one, other = (sorted(some - {path}, key=lambda unit: nearness(unit, path)) for some in (found, doubtful))
    return Users(tuple(one), True, tuple(other))
