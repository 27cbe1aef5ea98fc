"""Who uses what a file defines?

Question  Which compiled files have a file's text in them, and which may launch its kernel or call its host function?
Rules     A translation unit sees a name of file F (a) if it includes F, over any chain, or (b) if it includes or holds
          a declaration of the name, and F is the definition that belongs to it.  `static` functions and those of
          unnamed namespaces are seen through (a) alone.  Of several definitions
          - one that the unit includes is its own;
          - else those belong to it whose units share the declaring header with it;
          - else those in its folder, else those that share most folders with it.
          Where several belong to it, the unit is doubtful: if it does use the name, who asks must expect any use.
          A name of an include that means a file beside the includer means no other; every other file at the end of
          whose path it stands may be meant, and reading it tells.  A source file that one beside it includes is
          compiled as a part of that.
          So neighbours that have the same names stay apart as long as they include, and declare, their own.
Cost      A question walks the includes upward and looks at each skim once; answers are kept until something changes
          that they depend on: an include, or one of the names in the text of some file.
Limits    What is called by name at run time (`dlsym`, modules) is not seen.  Names stand for all their overloads.
          Build commands are not looked at: they say how a file is read, hardly ever which files are linked.
Threads   May be shared.
"""

from __future__ import annotations

import os
import posixpath
from collections.abc import Iterable
from threading import RLock
from typing import Final, final

from analysis.project.model import Users
from analysis.project.skim import Skim, skim
from analysis.syntax.includes import nearness
from simt_lsp.workspace.file_index import SOURCE_SUFFIXES
from simt_lsp.workspace.include_graph import IncludeGraph

MAX_USERS: Final = 24
"""Each is read when what it uses is analysed, and kept whole: one that sees 1,200 functions of headers costs 41 ms when
it is read and 1.6 MB as long as it is kept, so 2,000 would take 80 s and 3 GB.  Of includers nothing but a summary is
kept, hence no such limit; what launches pass has none yet."""
MAX_REACHED: Final = 4_000
ANY_LAUNCH: Final = "<<<"
"""Among the names about which answers change: a file launches something that it did not launch, or the reverse."""

_UNKNOWN: Final = Users((), are_all=False)
_Question = tuple[str, str, bool]


class _TooMany(Exception):
    """More files include one than are looked at."""


@final
class ProjectIndex:
    """The skims of all files of a project."""

    def __init__(
        self,
        graph: IncludeGraph | None = None,
        *,
        is_complete: bool = True,
    ) -> None:
        """`is_complete` False: there are files that were not looked at."""
        self.graph: Final = IncludeGraph() if graph is None else graph
        self.is_complete: Final = is_complete
        self._skims: dict[str, Skim] = {}
        self._lock = RLock()
        self._version = -1
        self._users: dict[_Question, Users] = {}
        self._reached: dict[str, frozenset[str]] = {}
        self._compiled: dict[str, bool] = {}
        self._mentioning: dict[str, set[str]] | None = None
        """The files that have a word in them, by word; made when it is first asked for."""
        self._pasting: set[str] = set()
        """Those that make words of parts."""

    def scan(self, path: str, text: bytes) -> frozenset[str] | None:
        """`path` has that text now: `take` with its skim."""
        return self.take(path, skim(text))

    def take(self, path: str, new: Skim) -> frozenset[str] | None:
        """`path` has that skim now; the names about which answers may have changed, None for all names."""
        path = _slashed(path)
        with self._lock:
            old = self._skims.get(path)
            self._skims[path] = new
            self._mention(path, old, new)
            self.graph.take(path, new.includes)
            return self._forget(_changed_names(old, new))

    def remove(self, path: str) -> None:
        """The file is gone."""
        path = _slashed(path)
        with self._lock:
            self.graph.remove(path)
            old = self._skims.pop(path, None)
            if old is not None:
                self._mention(path, old, None)
                self._forget(None)

    def knows(self, path: str) -> bool:
        """Whether the file is one of the project."""
        return _slashed(path) in self._skims

    def skims(self) -> dict[str, Skim]:
        """All skims by path."""
        with self._lock:
            return dict(self._skims)

    def includers(self, path: str) -> Users:
        """See `Project`."""
        with self._lock:
            self._refresh()
            try:
                return self._answer(_slashed(path), self._units_with(_slashed(path)))
            except _TooMany:
                return _UNKNOWN

    def users(self, path: str, name: str, *, internal: bool) -> Users:
        """See `Project`."""
        question = (path, name, internal)
        with self._lock:
            self._refresh()
            known = self._users.get(question)
            if known is None:
                known = self._users[question] = self._find_users(_slashed(path), name, internal=internal)
            return known

    def launched_beside(self, path: str) -> frozenset[str]:
        """See `Project`."""
        with self._lock:
            try:
                including = self._with_includers(_slashed(path))
            except _TooMany:
                return frozenset()
            found = (self._skims.get(one) for one in including)
            return frozenset[str]().union(*(known.launched for known in found if known is not None))

    def is_quoted(self, name: str) -> bool:
        """See `Project`."""
        with self._lock:
            return any(name in known.quoted for known in self._skims.values())

    def headers_naming(self, path: str, name: str) -> tuple[str, ...]:
        """The files that include `path`, over any chain, are not compiled on their own and may name `name`: the
        nearest `MAX_USERS`."""
        path = _slashed(path)
        with self._lock:
            self._refresh()
            try:
                including = self._with_includers(path) - {path}
            except _TooMany:
                return ()
            skims = ((one, self._skims.get(one)) for one in including if not self._is_compiled(one))
            found = [one for one, known in skims if known is not None and known.may_name(name)]
        return tuple(sorted(found, key=lambda one: (nearness(one, path), one))[:MAX_USERS])

    def _refresh(self) -> None:
        if self._version != self.graph.version:
            self._version = self.graph.version
            self._forget(None)

    def _forget(self, names: frozenset[str] | None) -> frozenset[str] | None:
        if names is None:
            self._users.clear()
            self._reached.clear()
            self._compiled.clear()
        else:
            self._users = {question: users for question, users in self._users.items() if question[1] not in names}
        return names

    def _find_users(self, path: str, name: str, *, internal: bool) -> Users:
        try:
            including = self._units_with(path)
            naming = self._units_of(*self._naming(path, name))
            if internal:
                return self._answer(path, including & naming)
            found = set(including & naming)
            doubtful: set[str] = set()
            defining = [
                other for other in self._mentions(name) if other != path and self._skims[other].may_define(name)
            ]
            for unit, headers in self._declaring(path, name, defining, including).items():
                belongs = self._belongs(path, unit, headers, defining)
                if belongs is None:
                    doubtful.add(unit)
                elif belongs:
                    found.add(unit)
            return self._answer(path, frozenset(found), frozenset(doubtful))
        except _TooMany:
            return _UNKNOWN

    def _naming(self, path: str, name: str) -> list[str]:
        """The files that name it; `path` itself only where its macros do so in others."""
        found = [other for other in self._mentions(name) if other != path and self._skims[other].may_name(name)]
        own = self._skims.get(path)
        return [*found, path] if own is not None and own.may_name_elsewhere(name) else found

    def _mentions(self, name: str) -> list[str]:
        """Every file, but for those of which nothing says that they may name, declare or define `name`; in order."""
        if self._mentioning is None:
            self._mentioning = {}
            for path, one in self._skims.items():
                self._mention(path, None, one)
        return sorted(self._pasting.union(self._mentioning.get(name, ())))

    def _mention(self, path: str, old: Skim | None, new: Skim | None) -> None:
        if self._mentioning is None:
            return
        before, after = (frozenset[str]() if one is None else one.mentioned for one in (old, new))
        for name in before - after:
            self._mentioning[name].discard(path)
            if not self._mentioning[name]:
                del self._mentioning[name]
        for name in after - before:
            self._mentioning.setdefault(name, set()).add(path)
        if new is not None and new.pastes:
            self._pasting.add(path)
        else:
            self._pasting.discard(path)

    def _declaring(
        self, path: str, name: str, defining: Iterable[str], including: frozenset[str]
    ) -> dict[str, list[str]]:
        """The units that see a declaration but no definition of the name, each with what declares it."""
        found: dict[str, list[str]] = {}
        own = including | self._units_of(path, *defining)
        for other in self._mentions(name):
            if other != path and self._skims[other].may_declare(name):
                for unit in self._units_of(other) - own:
                    found.setdefault(unit, []).append(other)
        return found

    def _belongs(self, path: str, unit: str, headers: list[str], defining: list[str]) -> bool | None:
        """Whether the definition of `path` is the one that the unit means; None if another one may be."""
        if not defining:
            return True
        shared = [header for header in headers if header != unit]
        sharing = {
            definition
            for definition in (path, *defining)
            if any(not self._units_of(definition).isdisjoint(self._units_with(header)) for header in shared)
        }
        candidates = sharing or {path, *defining}
        if not sharing:
            beside = {one for one in candidates if posixpath.dirname(one) == posixpath.dirname(unit)}
            candidates = beside or _nearest(candidates, unit)
        if path in candidates:
            return True if len(candidates) == 1 else None
        is_nearer = sharing and all(nearness(path, unit)[0] < nearness(other, unit)[0] for other in candidates)
        return None if is_nearer else False

    def _units_of(self, *paths: str) -> frozenset[str]:
        """The units that have one of the files in them, or are one of them."""
        compiled = frozenset(path for path in paths if self._is_compiled(path))
        return compiled.union(*map(self._units_with, paths))

    def _is_compiled(self, path: str) -> bool:
        known = self._compiled.get(path)
        if known is None:
            known = path.lower().endswith(SOURCE_SUFFIXES) and not self.graph.is_part(path)
            self._compiled[path] = known
        return known

    def _units_with(self, path: str) -> frozenset[str]:
        """The compiled files that include a file, over any chain; raises `_TooMany`."""
        known = self._reached.get(path)
        if known is not None:
            return known
        seen = self._with_includers(path)
        found = self._reached[path] = frozenset(one for one in seen if one != path and self._is_compiled(one))
        return found

    def _with_includers(self, path: str) -> set[str]:
        """A file and all that include it, over any chain; raises `_TooMany`."""
        seen = {path}
        waiting = [path]
        while waiting and len(seen) <= MAX_REACHED:
            fresh = [one for one in self.graph.possible_includers(waiting.pop()) if one not in seen]
            seen.update(fresh)
            waiting += fresh
        if waiting:
            raise _TooMany
        return seen

    def _answer(self, path: str, units: frozenset[str], doubtful: frozenset[str] = frozenset()) -> Users:
        found, unsure = (
            sorted((unit for unit in some if unit != path), key=lambda unit: nearness(unit, path))
            for some in (units, doubtful)
        )
        are_all = self.is_complete and len(found) <= MAX_USERS and len(unsure) <= MAX_USERS
        return Users(tuple(found[:MAX_USERS]), are_all, tuple(unsure[:MAX_USERS]))


def _changed_names(old: Skim | None, new: Skim) -> frozenset[str] | None:
    if old is None or (old.includes, old.pastes, old.unsure) != (new.includes, new.pastes, new.unsure):
        return None
    return (
        (old.words ^ new.words)
        | (old.outer ^ new.outer)
        | (old.defined ^ new.defined)
        | (old.in_macros ^ new.in_macros)
        | (old.quoted ^ new.quoted)
        | (frozenset({ANY_LAUNCH}) if old.launched != new.launched else frozenset[str]())
    )


def _nearest(paths: Iterable[str], unit: str) -> set[str]:
    """Those that share most folders with the unit."""
    shared = {path: nearness(path, unit)[0] for path in paths}
    most = min(shared.values())
    return {path for path, one in shared.items() if one == most}


def _slashed(path: str) -> str:
    return path.replace(os.sep, "/")
