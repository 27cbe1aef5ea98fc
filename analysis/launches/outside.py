"""The other translation units of a project, as far as they launch kernels and call host functions of one file.

Question  Which units may use what a file defines, and what do they say?
Rules     The project names them; each is read with the headers it includes, as its own build reads it, or else as the
          file that asks.  C++ files are read without the macros of a CUDA compiler.
          A unit counts if it has the text of the file in it, or shows a declaration of the name.  One in which the name
          means something else counts as none.  Where a unit cannot be read, shows two functions of that name, or names
          what it does not show, perhaps because a header is missing, not all users are known.
Cost      A unit is kept as long as everything that was read for it says the same.  Of the file that is analysed the
          bodies do not count that host code cannot see into (`device_bodies.py`): they are what is edited.
Limits    At most `MAX_UNITS` units are read for one analysis.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import count
from typing import Final, assert_never, final

from analysis.ir.record import record
from analysis.launches.device_bodies import Outline, SeenBy, names_of, outline
from analysis.launches.find import launches_with
from analysis.launches.host_calls import HostCalls
from analysis.launches.host_code import HostCode, is_internal
from analysis.launches.host_memo import HostMemo
from analysis.launches.model import Launch
from analysis.project.model import Project, Users
from analysis.store.bounded import BoundedCache
from analysis.syntax.cache import SyntaxCache
from analysis.syntax.document import Document
from analysis.syntax.environment import Environment
from analysis.syntax.includes import DictLoader, Loader, SpecialLoader, SuffixLoader
from analysis.syntax.items import Item, ItemKind
from analysis.syntax.parsing import MAX_PARSED_BYTES
from analysis.syntax.problems import ProblemKind
from analysis.syntax.translation_unit import TranslationUnit

MAX_UNITS: Final = 40
MAX_KEPT: Final = 64
"""For all files that are analysed in turns: a unit that sees 1,200 functions of headers is 1.6 MB."""

_CPP_SUFFIXES: Final = (".cpp", ".cc", ".cxx", ".c")
_OF_CUDA: Final = ("__CUDACC__", "__NVCC__", "__CUDA_ARCH__")
_NOTHING: Final = DictLoader()


@final
@dataclass(slots=True)
class _Reads:
    """A loader that remembers what it answered."""

    inner: Loader
    texts: dict[str, bytes | None] = field(default_factory=dict[str, "bytes | None"])
    present: dict[str, bool] = field(default_factory=dict[str, bool])
    suffixes: dict[tuple[str, str], str | None] = field(default_factory=dict[tuple[str, str], "str | None"])

    def read(self, path: str) -> bytes | None:
        text = self.texts[path] = self.inner.read(path)
        return text

    def exists(self, path: str) -> bool:
        found = self.present[path] = self.inner.exists(path)
        return found

    def find_suffix(self, suffix: str, near: str) -> str | None:
        found = self.inner.find_suffix(suffix, near) if isinstance(self.inner, SuffixLoader) else None
        self.suffixes[suffix, near] = found
        return found

    def is_special(self, path: str) -> bool:
        return isinstance(self.inner, SpecialLoader) and self.inner.is_special(path)


@final
class _AsAnalysed:
    """The loader of an analysis, with the text that is analysed in front; each path is read once."""

    def __init__(self, inner: Loader, path: str, texts: dict[str, bytes | None]) -> None:
        self.inner = inner
        self.path = path
        self.texts = texts
        self.present: dict[str, bool] = {}
        self.suffixes: dict[tuple[str, str], str | None] = {}
        self._by_suffix = inner if isinstance(inner, SuffixLoader) else None  # a look at all its members

    def read(self, path: str) -> bytes | None:
        if path not in self.texts:
            self.texts[path] = self.inner.read(path)
        return self.texts[path]

    def exists(self, path: str) -> bool:
        if path not in self.present:
            self.present[path] = path == self.path or self.inner.exists(path)
        return self.present[path]

    def find_suffix(self, suffix: str, near: str) -> str | None:
        key = suffix, near
        if key not in self.suffixes:
            self.suffixes[key] = None if self._by_suffix is None else self._by_suffix.find_suffix(suffix, near)
        return self.suffixes[key]

    def is_special(self, path: str) -> bool:
        return isinstance(self.inner, SpecialLoader) and self.inner.is_special(path)


@final
class AnalysedFile:
    """The file that is analysed: its kernels, and its outlines."""

    def __init__(self, unit: TranslationUnit) -> None:
        self._unit = unit
        self._outlines: dict[SeenBy, Outline] = {}
        self.path: Final = unit.path
        self.kernels: Final = names_of(item for item in unit.items if item.is_kernel and item.is_definition)

    def outline(self, words: SeenBy) -> Outline:
        """The outline, its bodies seen by `words`."""
        found = self._outlines.get(words)
        if found is None:
            found = self._outlines[words] = outline(self.path, self._unit, words)
        return found


_Outlines = dict[tuple[str, SeenBy], Outline]


@final
@record
class KeptUnit:
    """A unit with everything that was read for it, and a number that no other has."""

    host: HostCode
    environment: Environment
    reads: _Reads
    number: int
    asked: frozenset[bytes]
    """The functions that were asked about when it was read."""
    outlines: _Outlines = field(default_factory=_Outlines)

    def holds(self, environment: Environment, loader: _AsAnalysed, own: AnalysedFile) -> bool:
        """Whether everything says the same now; of the file that is analysed, its outline."""
        if self.environment != environment:
            return False
        for path, text in self.reads.texts.items():
            now = loader.read(path)
            if now is not text and now != text and not (path == own.path and self.has_outline(own)):
                return False
        if any(loader.exists(path) != found for path, found in self.reads.present.items()):
            return False
        return all(loader.find_suffix(*asked) == found for asked, found in self.reads.suffixes.items())

    def has_outline(self, own: AnalysedFile, asked: frozenset[bytes] = frozenset()) -> bool:
        """Whether the file that is analysed reads as it did, but for what says nothing about functions asked for."""
        return self.outline(own, asked).parts == own.outline(self._words(own).with_functions(asked)).parts

    def outline(self, own: AnalysedFile, asked: frozenset[bytes] = frozenset()) -> Outline:
        """Of the file that is analysed, as it was when the unit was read."""
        key = own.path, self._words(own).with_functions(asked)
        if key not in self.outlines:
            self.outlines[key] = outline(own.path, self.host.unit, key[1])
        return self.outlines[key]

    def moved(self, launches: tuple[Launch, ...], own: AnalysedFile) -> tuple[Launch, ...]:
        """Launches of the unit, those of the file that is analysed where they stand now."""
        if all(launch.path != own.path for launch in launches):
            return launches
        before, now = self.outline(own), own.outline(self._words(own))
        return tuple(before.moved(launch, now) if launch.path == own.path else launch for launch in launches)

    def _words(self, own: AnalysedFile) -> SeenBy:
        words = self.host.seen_by.with_bodies(self.host.constants.object_functions.asked)
        return words.with_kernels(own.kernels).with_functions(self.asked)


_NUMBERS: Final = count()
UnitMemo = BoundedCache[str, KeptUnit]


@final
@record
class UsersOf:
    """Who may use a function?"""

    path: str
    name: str
    internal: bool


@final
@record
class LaunchedBeside:
    """What do the files launch that have the text of a path in them?"""

    path: str


@final
@record
class IsQuoted:
    """Is the name of a kernel a string somewhere?"""

    name: str


Question = UsersOf | LaunchedBeside | IsQuoted
"""What the project is asked."""
Answer = Users | frozenset[str] | bool


@final
class Outside:
    """Answers for the analysis of one version of one file (`host_calls.Elsewhere`)."""

    def __init__(
        self,
        unit: TranslationUnit,
        project: Project,
        loader: Loader,
        cache: SyntaxCache,
        kept: UnitMemo,
        memo: HostMemo,
    ) -> None:
        self._unit_here = unit
        self._own: HostCalls | None = None
        self._project = project
        self._loader = _AsAnalysed(loader, unit.path, {unit.path: unit.text_of(unit.path)})
        self._cache = cache
        self._kept = kept
        self._memo = memo
        self._units: dict[str, tuple[HostCalls, KeptUnit] | None] = {}
        self._answers: dict[Question, Answer] = {}
        self._users: dict[UsersOf, tuple[tuple[HostCalls, ...], bool]] = {}
        self._launches: dict[str, Mapping[str, tuple[Launch, ...]]] = {}
        self._names: frozenset[bytes] = frozenset()
        self.here: Final = AnalysedFile(unit)

    @property
    def own(self) -> HostCalls:
        """The calls of the file that is analysed."""
        if self._own is None:
            self._own = HostCalls(HostCode(self._unit_here, memo=self._memo), self)
        return self._own

    def users(self, unit: TranslationUnit, item: Item) -> tuple[Sequence[HostCalls], bool]:
        """The units, but `unit`, that may use what `item` defines, and whether these are all."""
        key = UsersOf(item.path, item.name, is_internal(item))
        found = self._users.get(key)
        if found is None:
            found = self._users[key] = self._find_users(key, item)
        units, are_all = found
        return tuple(other for other in units if other.unit.path != unit.path), are_all

    def is_found_by_name(self, kernel: str) -> bool:
        """Whether some file has the name of a kernel as a string."""
        return self._ask(IsQuoted(kernel)) is True

    def launched_beside(self, path: str) -> frozenset[str]:
        """The names of what is launched in the files that have the text of `path` in them."""
        found = self._ask(LaunchedBeside(path))
        return found if isinstance(found, frozenset) else frozenset()

    def launches(self, calls: HostCalls) -> Mapping[str, tuple[Launch, ...]]:
        """All launches in a unit by the kernel's name."""
        path = calls.unit.path
        found = self._launches.get(path)
        if found is None:
            found = self._launches[path] = launches_with(calls, self._memo)
        return found

    def moved(self, calls: HostCalls, launches: tuple[Launch, ...]) -> tuple[Launch, ...]:
        """Launches of a unit where they stand now: a unit that was kept may hold an older text of this file."""
        unit = self._units.get(calls.unit.path)
        return launches if unit is None else unit[1].moved(launches, self.here)

    @property
    def asked_names(self) -> frozenset[bytes]:
        """The functions and variables whose users were asked for."""
        return frozenset(key.name.encode("utf-8", "replace") for key in self._users)

    def is_outdated(self) -> bool:
        """Whether a unit answered by an older text of this file that says something else about what was asked.

        Then such units are forgotten, and all answers with them.
        """
        names = self._names = self._names | self.asked_names
        outdated = [
            path
            for path, unit in self._units.items()
            if unit is not None
            and (text := unit[1].reads.texts.get(self.here.path)) is not None
            and text != self._loader.read(self.here.path)
            and not unit[1].has_outline(self.here, names)
        ]
        for path in outdated:
            self._kept.discard(path)
        if outdated:
            self.close()
            self._own = None
        return bool(outdated)

    def text_of(self, path: str) -> bytes | None:
        """The text at a path as the units were read with it."""
        return self._loader.read(path)

    @property
    def asked(self) -> tuple[tuple[Question, Answer], ...]:
        """What the project was asked, with its answers."""
        return tuple(self._answers.items())

    @property
    def read(self) -> tuple[tuple[str, int | None], ...]:
        """The units that were read, in that order, with their numbers; None for one that could not be read."""
        return tuple((path, None if unit is None else unit[1].number) for path, unit in self._units.items())

    def answers_as_before(
        self, asked: Iterable[tuple[Question, Answer]], read: Iterable[tuple[str, int | None]]
    ) -> bool:
        """Whether the project and the units say what they said; if not, nothing was read yet."""
        is_same = all(self._ask(question) == answer for question, answer in asked)
        is_same = is_same and all(self._number(path) == number for path, number in read)
        if not is_same:
            self._units.clear()
            self._answers.clear()
        return is_same

    def close(self) -> None:
        """Takes apart what knows each other, so that it is freed at once."""
        for calls in (self._own, *(None if unit is None else unit[0] for unit in self._units.values())):
            if calls is not None:
                calls.close()
        self._units.clear()
        self._users.clear()
        self._launches.clear()

    def _ask(self, question: Question) -> Answer:
        found = self._answers.get(question)
        if found is None:
            found = self._answers[question] = _answer(self._project, question)
        return found

    def _find_users(self, question: UsersOf, item: Item) -> tuple[tuple[HostCalls, ...], bool]:
        asked = self._ask(question)
        assert isinstance(asked, Users)
        are_all = asked.are_all
        found: list[HostCalls] = []
        for path in asked.paths:
            calls = self._unit(path)
            uses = None if calls is None else _uses(calls, item)
            if calls is not None and uses:
                found.append(calls)
            are_all &= uses is not None
        for path in asked.doubtful if are_all else ():
            calls = self._unit(path)
            are_all &= calls is not None and _uses(calls, item) is False
        return tuple(found), are_all

    def _unit(self, path: str) -> HostCalls | None:
        """The calls of a compiled file; None if it cannot be read."""
        if path == self.here.path:
            return self.own
        unit = self._read(path)
        return None if unit is None else unit[0]

    def _number(self, path: str) -> int | None:
        unit = self._read(path)
        return None if unit is None else unit[1].number

    def _read(self, path: str) -> tuple[HostCalls, KeptUnit] | None:
        if path not in self._units:
            kept = self._kept_unit(path) if len(self._units) < MAX_UNITS else None
            self._units[path] = None if kept is None else (HostCalls(kept.host, self), kept)
        return self._units[path]

    def _kept_unit(self, path: str) -> KeptUnit | None:
        environment = self._environment(path)
        kept = self._kept.get(path)
        if kept is not None and kept.holds(environment, self._loader, self.here):
            return kept
        reads = _Reads(self._loader)
        text = reads.read(path)
        if text is None or len(text) > MAX_PARSED_BYTES:
            return None
        unit = TranslationUnit.build(path, Document.open(text), reads, environment, self._cache)
        host = HostCode(unit, self._memo)
        reads.inner = _NOTHING  # what is kept must not hold the texts of this version
        kept = KeptUnit(host, environment, reads, next(_NUMBERS), self._names | self.asked_names)
        self._kept.put(path, kept)
        return kept

    def _environment(self, path: str) -> Environment:
        environment = self._project.environment(path) or self._unit_here.environment
        if not path.lower().endswith(_CPP_SUFFIXES):
            return environment
        return replace(environment, undefines=(*environment.undefines, *_OF_CUDA))


def _answer(project: Project, question: Question) -> Answer:
    match question:
        case UsersOf(path, name, internal):
            return project.users(path, name, internal=internal)
        case LaunchedBeside(path):
            return project.launched_beside(path)
        case IsQuoted(name):
            return project.is_quoted(name)
        case _:
            assert_never(question)


def _uses(calls: HostCalls, item: Item) -> bool | None:
    """Whether a unit sees what `item` declares; None where that is not certain."""
    unit = calls.unit
    if item.kind is ItemKind.VARIABLE:
        return _sees_variable(calls, item)
    others = [other for other in unit.lookup(item.name) if other.active and other.path != item.path]
    declarations = [other for other in others if _declares(other, item)]
    if unit.text_of(item.path) is not None or declarations:
        return None if len(declarations) < len(others) else True
    if any(other.is_kernel or not item.is_kernel for other in others if other.kind is ItemKind.FUNCTION):
        return None
    name = item.name.encode("utf-8", "replace")
    is_named = calls.host.macro_names(name) or (
        any(name in one.identifiers for one in calls.host.items if one.active)
        if item.is_kernel
        else calls.host.shows(name)
    )
    is_missing = any(problem.kind is not ProblemKind.CONDITION for problem in unit.problems)
    return None if not others and (is_named or is_missing) else False


def _sees_variable(calls: HostCalls, item: Item) -> bool | None:
    """The same of a variable at file level."""
    unit = calls.unit
    others = [other for other in unit.lookup(item.name) if other.active and other.path != item.path]
    if unit.text_of(item.path) is not None or any(
        other.kind is ItemKind.VARIABLE and not other.is_definition for other in others
    ):
        return True
    name = item.name.encode("utf-8", "replace")
    is_named = any(name in one.identifiers for one in calls.host.items if one.active) or calls.host.macro_names(name)
    return None if is_named and not others else False


def _declares(other: Item, item: Item) -> bool:
    """Whether an item of another file may declare the same function, without its body."""
    is_declaration = other.kind is ItemKind.FUNCTION and not other.is_definition
    is_alike = other.is_kernel == item.is_kernel and other.owner == item.owner
    return is_declaration and is_alike and other.namespace == item.namespace
