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
Cost      A question looks at the files that mention its name, once each; which units these are in is kept as sets
          (`units.py`), and what they mean is decided for many units at once (`belonging.py`).  Answers are kept until
          something changes that they depend on: an include, or one of the names in the text of some file.
Limits    What is called by name at run time (`dlsym`, modules) is not seen.  Names stand for all their overloads.
          Build commands are not looked at: they say how a file is read, hardly ever which files are linked.
Threads   May be shared.
"""

from __future__ import annotations

import os
from collections import Counter
from threading import RLock
from typing import Final, final

from analysis.project.model import Users
from analysis.project.skim import Skim, skim
from analysis.syntax.includes import nearness
from simt_lsp.workspace.include_graph import IncludeGraph
from simt_lsp.workspace.project_index.belonging import Belonging, Places, declared
from simt_lsp.workspace.project_index.units import Files, TooMany, Units

MAX_USERS: Final = 24
"""Each is read when what it uses is analysed, and kept whole: one that sees 1,200 functions of headers costs 41 ms when
it is read and 1.6 MB as long as it is kept, so 2,000 would take 80 s and 3 GB.  Of includers nothing but a summary is
kept, hence no such limit; what launches pass has none yet."""
ANY_LAUNCH: Final = "<<<"
"""Among the names about which answers change: a file launches something that it did not launch, or the reverse."""

_UNKNOWN: Final = Users((), are_all=False)
_Question = tuple[str, str, bool]


@final
class _Mentioned:
    """The files of which the text may use, declare or define a name, in order, and what many questions need of them."""

    def __init__(self, naming: tuple[str, ...], declaring: tuple[str, ...], defining: tuple[str, ...]) -> None:
        self.naming: Final = naming
        self.declaring: Final = declaring
        self.defining: Final = defining
        self.places: Final = Places()
        self._of_naming: list[tuple[str, Files]] | None = None
        self._of_defining: dict[str, Files] | None = None

    def of_naming(self, units: Units) -> list[tuple[str, Files]]:
        """The units that each of those is in which name it; raises `TooMany`."""
        if self._of_naming is None:
            self._of_naming = [(path, units.of(path)) for path in self.naming]
        return self._of_naming

    def of_defining(self, units: Units, path: str) -> dict[str, Files]:
        """The same of those that define it, `path` among them; raises `TooMany`."""
        if self._of_defining is None:
            self._of_defining = {path: units.of(path) for path in self.defining}
        return self._of_defining if path in self._of_defining else {path: units.of(path), **self._of_defining}


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
        self._users: dict[_Question, Users] = {}
        self._includers: dict[str, Users] = {}
        self._units = Units(self.graph)
        self._mentioned: dict[str, _Mentioned] = {}
        self._mentioning: dict[str, set[str]] | None = None
        """The files that have a word in them, by word; made when it is first asked for."""
        self._pasting: set[str] = set()
        """Those that make words of parts."""
        self._quoting: Counter[str] = Counter()
        """How many files have a name as a string."""

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
            self._quoting.subtract(() if old is None else old.quoted)
            self._quoting.update(new.quoted)
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
                self._quoting.subtract(old.quoted)
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
        path = _slashed(path)
        with self._lock:
            self._refresh()
            known = self._includers.get(path)
            if known is None:
                try:
                    known = self._answer(path, self._units.with_text(path))
                except TooMany:
                    known = _UNKNOWN
                self._includers[path] = known
            return known

    def users(self, path: str, name: str, *, internal: bool) -> Users:
        """See `Project`."""
        question = (path, name, internal)
        with self._lock:
            self._refresh()
            known = self._users.get(question)
            if known is None:
                try:
                    known = self._find_users(_slashed(path), name, internal=internal)
                except TooMany:
                    known = _UNKNOWN
                self._users[question] = known
            return known

    def launched_beside(self, path: str) -> frozenset[str]:
        """See `Project`."""
        path = _slashed(path)
        with self._lock:
            self._refresh()
            try:
                including = self._units.paths(self._units.including(path))
            except TooMany:
                return frozenset()
            found = (self._skims.get(one) for one in (path, *including))
            return frozenset[str]().union(*(known.launched for known in found if known is not None))

    def is_quoted(self, name: str) -> bool:
        """See `Project`."""
        with self._lock:
            return self._quoting[name] > 0

    def defining(self, name: str) -> tuple[str, ...]:
        """The files that may define a function of that name, in order."""
        with self._lock:
            return self._mention_of(name).defining

    def headers_naming(self, path: str, name: str) -> tuple[str, ...]:
        """The files that include `path`, over any chain, are not compiled on their own and may name `name`: the
        nearest `MAX_USERS`."""
        path = _slashed(path)
        with self._lock:
            self._refresh()
            try:
                including = set(self._units.paths(self._units.including(path) & ~self._units.with_text(path)))
            except TooMany:
                return ()
            found = including.intersection(self._mention_of(name).naming)
        return tuple(sorted(found, key=lambda one: (nearness(one, path), one))[:MAX_USERS])

    def _refresh(self) -> None:
        if self._units.is_outdated:
            self._units = Units(self.graph)
            self._forget(None)

    def _forget(self, names: frozenset[str] | None) -> frozenset[str] | None:
        if names is None:
            self._users.clear()
            self._includers.clear()
            self._mentioned.clear()
        else:
            self._users = {question: users for question, users in self._users.items() if question[1] not in names}
            for name in names:
                self._mentioned.pop(name, None)
        return names

    def _find_users(self, path: str, name: str, *, internal: bool) -> Users:
        units = self._units
        mentioned = self._mention_of(name)
        including = units.with_text(path)
        naming: Files = 0
        for other, units_of_other in mentioned.of_naming(units):
            if other != path:
                naming |= units_of_other
        own = self._skims.get(path)
        if own is not None and own.may_name_elsewhere(name):
            naming |= units.of(path)
        if internal:
            return self._answer(path, including & naming)
        definitions = mentioned.of_defining(units, path)
        apart = including
        for one in definitions.values():
            apart |= one
        found, doubtful = including & naming, 0
        declaring = [other for other in mentioned.declaring if other != path]
        groups = declared(units, declaring, apart)
        if groups:
            belonging = Belonging(units, path, definitions, mentioned.places)
            for group in groups:
                surely, perhaps = belonging.split(group)
                found |= surely
                doubtful |= perhaps
        return self._answer(path, found, doubtful)

    def _mention_of(self, name: str) -> _Mentioned:
        known = self._mentioned.get(name)
        if known is None:
            if self._mentioning is None:
                self._mentioning = {}
                for path, one in self._skims.items():
                    self._mention(path, None, one)
            paths = sorted(self._pasting.union(self._mentioning.get(name, ())))
            known = self._mentioned[name] = _Mentioned(
                tuple(path for path in paths if self._skims[path].may_name(name)),
                tuple(path for path in paths if self._skims[path].may_declare(name)),
                tuple(path for path in paths if self._skims[path].may_define(name)),
            )
        return known

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

    def _answer(self, path: str, found: Files, doubtful: Files = 0) -> Users:
        own = 1 << self._units.number(path)
        paths, unsure = (
            sorted(self._units.paths(some & ~own), key=lambda unit: nearness(unit, path)) for some in (found, doubtful)
        )
        are_all = self.is_complete and len(paths) <= MAX_USERS and len(unsure) <= MAX_USERS
        return Users(tuple(paths[:MAX_USERS]), are_all, tuple(unsure[:MAX_USERS]))


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


def _slashed(path: str) -> str:
    return path.replace(os.sep, "/")
