"""The other translation units of a project, as far as they launch kernels and call host functions of one file.

Question  Which units may use what a file defines, and what do they say?
Rules     The project names them; each is read with the headers it includes, as its own build reads it, or else as the
          file that asks.  C++ files are read without the macros of a CUDA compiler.
          A unit counts if it has the text of the file in it, or shows a declaration of the name.  One in which the name
          means something else counts as none.  Where a unit cannot be read, shows two functions of that name, or names
          what it does not show, perhaps because a header is missing, not all users are known.
Cost      A unit is kept as long as everything that was read for it says the same.  Of the file that is analysed the
          bodies of its device functions do not count: host code cannot see into them, and they are what is edited.
Limits    At most `MAX_UNITS` units are read for one analysis.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Final, final

from analysis.ir.record import record
from analysis.lower.launches.find import LaunchMemo, launches_with
from analysis.lower.launches.host_calls import HostCalls
from analysis.lower.launches.host_code import HostCode
from analysis.lower.launches.model import Launch
from analysis.project.model import Project
from analysis.syntax.cache import Bounded, SyntaxCache
from analysis.syntax.document import Document
from analysis.syntax.environment import Environment
from analysis.syntax.includes import DictLoader, Loader, SpecialLoader, SuffixLoader
from analysis.syntax.items import Item, ItemKind
from analysis.syntax.lexing import LAUNCH
from analysis.syntax.parsing import MAX_PARSED_BYTES
from analysis.syntax.problems import ProblemKind
from analysis.syntax.translation_unit import TranslationUnit

MAX_UNITS: Final = 40
MAX_KEPT: Final = 64

_CPP_SUFFIXES: Final = (".cpp", ".cc", ".cxx", ".c")
_OF_CUDA: Final = ("__CUDACC__", "__NVCC__", "__CUDA_ARCH__")
_NOTHING: Final = DictLoader()
_STATIC: Final = re.compile(rb"\bstatic\b")


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
@dataclass(slots=True)
class _AsAnalysed:
    """The loader of an analysis, with the text that is analysed in front; each path is read once."""

    inner: Loader
    path: str
    texts: dict[str, bytes | None]
    present: dict[str, bool] = field(default_factory=dict[str, bool])
    suffixes: dict[tuple[str, str], str | None] = field(default_factory=dict[tuple[str, str], "str | None"])

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
            found = self.inner.find_suffix(suffix, near) if isinstance(self.inner, SuffixLoader) else None
            self.suffixes[key] = found
        return self.suffixes[key]

    def is_special(self, path: str) -> bool:
        return isinstance(self.inner, SpecialLoader) and self.inner.is_special(path)


@final
@record
class KeptUnit:
    """A unit with everything that was read for it."""

    host: HostCode
    environment: Environment
    reads: _Reads
    outlines: dict[str, bytes] = field(default_factory=dict[str, bytes])

    def holds(self, environment: Environment, loader: _AsAnalysed, own: tuple[str, Callable[[], bytes]]) -> bool:
        """Whether everything says the same now; of `own`, a file that is analysed, its outline."""
        if self.environment != environment:
            return False
        for path, text in self.reads.texts.items():
            now = loader.read(path)
            if now is not text and now != text and not (path == own[0] and self._outline(path) == own[1]()):
                return False
        if any(loader.exists(path) != found for path, found in self.reads.present.items()):
            return False
        return all(loader.find_suffix(*asked) == found for asked, found in self.reads.suffixes.items())

    def _outline(self, path: str) -> bytes:
        if path not in self.outlines:
            self.outlines[path] = outline(path, self.host.unit)
        return self.outlines[path]


UnitMemo = Bounded[str, KeptUnit]


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
        launches: LaunchMemo,
    ) -> None:
        self._own = unit
        self._project = project
        self._loader = _AsAnalysed(loader, unit.path, {unit.path: unit.text_of(unit.path)})
        self._cache = cache
        self._kept = kept
        self._memo = launches
        self._units: dict[str, HostCalls | None] = {}
        self._users: dict[tuple[str, str, bool], tuple[tuple[HostCalls, ...], bool]] = {}
        self._launches: dict[str, Mapping[str, tuple[Launch, ...]]] = {}
        self.own: Final = HostCalls(HostCode(unit), self)

    def users(self, unit: TranslationUnit, item: Item) -> tuple[Sequence[HostCalls], bool]:
        """The units, but `unit`, that may use what `item` defines, and whether these are all."""
        key = item.path, item.name, is_internal(item)
        found = self._users.get(key)
        if found is None:
            found = self._users[key] = self._find_users(item)
        units, are_all = found
        return tuple(other for other in units if other.unit.path != unit.path), are_all

    def is_found_by_name(self, kernel: str) -> bool:
        """Whether some file has the name of a kernel as a string."""
        return self._project.is_quoted(kernel)

    def launched_beside(self, path: str) -> frozenset[str]:
        """The names of what is launched in the files that have the text of `path` in them."""
        return self._project.launched_beside(path)

    def launches(self, calls: HostCalls) -> Mapping[str, tuple[Launch, ...]]:
        """All launches in a unit by the kernel's name."""
        path = calls.unit.path
        found = self._launches.get(path)
        if found is None:
            found = self._launches[path] = launches_with(calls, self._memo)
        return found

    def text_of(self, path: str) -> bytes | None:
        """The text at a path as the units were read with it."""
        return self._loader.read(path)

    def close(self) -> None:
        """Takes apart what knows each other, so that it is freed at once."""
        for calls in (self.own, *self._units.values()):
            if calls is not None:
                calls.close()
        self._units.clear()
        self._users.clear()
        self._launches.clear()

    def _find_users(self, item: Item) -> tuple[tuple[HostCalls, ...], bool]:
        asked = self._project.users(item.path, item.name, internal=is_internal(item))
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
        if path == self._own.path:
            return self.own
        if path not in self._units:
            host = self._host(path) if len(self._units) < MAX_UNITS else None
            self._units[path] = None if host is None else HostCalls(host, self)
        return self._units[path]

    def _host(self, path: str) -> HostCode | None:
        environment = self._environment(path)
        kept = self._kept.get(path)
        if kept is not None and kept.holds(environment, self._loader, (self._own.path, lambda: self._outline)):
            return kept.host
        reads = _Reads(self._loader)
        text = reads.read(path)
        if text is None or len(text) > MAX_PARSED_BYTES:
            return None
        host = HostCode(TranslationUnit.build(path, Document.open(text), reads, environment, self._cache))
        reads.inner = _NOTHING  # what is kept must not hold the texts of this version
        self._kept.put(path, KeptUnit(host, environment, reads))
        return host

    @cached_property
    def _outline(self) -> bytes:
        return outline(self._own.path, self._own)

    def _environment(self, path: str) -> Environment:
        environment = self._project.environment(path) or self._own.environment
        if not path.lower().endswith(_CPP_SUFFIXES):
            return environment
        return replace(environment, undefines=(*environment.undefines, *_OF_CUDA))


def _uses(calls: HostCalls, item: Item) -> bool | None:
    """Whether a unit sees what `item` declares; None where that is not certain."""
    unit = calls.unit
    others = [other for other in unit.lookup(item.name) if other.active and other.path != item.path]
    declarations = [other for other in others if _declares(other, item)]
    if unit.text_of(item.path) is not None or declarations:
        return None if len(declarations) < len(others) else True
    if any(other.is_kernel or not item.is_kernel for other in others if other.kind is ItemKind.FUNCTION):
        return None
    name = item.name.encode("utf-8", "replace")
    is_named = any(name in one.identifiers for one in calls.host.items if one.active) or calls.host.macro_names(name)
    is_missing = any(problem.kind is not ProblemKind.CONDITION for problem in unit.problems)
    return None if not others and (is_named or is_missing) else False


def _declares(other: Item, item: Item) -> bool:
    """Whether an item of another file may declare the same function, without its body."""
    is_declaration = other.kind is ItemKind.FUNCTION and not other.is_definition
    is_alike = other.is_kernel == item.is_kernel and other.owner == item.owner
    return is_declaration and is_alike and other.namespace == item.namespace


def is_internal(item: Item) -> bool:
    """Whether other files see a function only through its text: `static`."""
    end = item.text.find(item.name.encode("utf-8", "replace"))
    return _STATIC.search(item.text, 0, max(end, 0)) is not None


def outline(path: str, unit: TranslationUnit) -> bytes:
    """The text of a file in a unit, without the bodies that only the device runs."""
    text = unit.text_of(path)
    if text is None:
        return b""
    kept: list[bytes] = []
    begin = 0
    for item in sorted((*unit.items, *unit.included_items), key=lambda item: item.span.start):
        if item.path != path or item.span.start < begin or not _is_opaque(item):
            continue
        brace = item.text.find(b"{")
        if brace >= 0:
            kept.append(text[begin : item.span.start + brace])
            begin = item.span.end
    kept.append(text[begin:])
    return b"\0".join(kept)


def _is_opaque(item: Item) -> bool:
    """Whether host code cannot see what the body says."""
    is_device = item.kind is ItemKind.FUNCTION and item.is_device and item.is_definition and item.active
    is_host = b"__host__" in item.identifiers or item.is_constexpr or item.from_macro
    return is_device and not is_host and LAUNCH.search(item.text) is None and b"#" not in item.text
