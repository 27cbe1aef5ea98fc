"""The launches of the kernels of a file: its own, those of the files that it is compiled in, those of its project.

Question  With which blocks does a kernel of this file run?
Rules     A file that others include as a part of them (`#include "kernel.cu"`) is launched by them: the launches of a
          kernel are those of the file and of all its includers together, so that what is claimed holds in each.
          With a project that is so for headers too, and for kernels that other files see a declaration of: all units
          that may launch them are read (`outside.py`).
          A kernel that one of them also names otherwise counts as unknown in all, as do those of a file whose users
          are not all read.  Without a project a header has its own launches alone.
          Which instances of a template run is asked of a file alone: where another one launches it, it stands for all.
Unlaunched  With a project: a kernel that no file names, in whatever way, or that only functions launch whose calls
          constants of the program leave out (`left_out.py`), while other kernels are launched by the files
          that it is compiled in, or are launched and stand in its file.  What no file of a library launches is meant
          for others.
Cost      Other units are read only for a file that defines a kernel; their functions are parsed once per text.
Limits    Without a project, includers are read with the macros of this file's build, and other launches are not seen.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import field, replace
from functools import partial
from typing import Final, final

from analysis.ir.record import record
from analysis.launches import Launch, is_named, kernels_used_otherwise, launch_shapes
from analysis.launches.host_calls import HostCalls
from analysis.launches.host_code import HostCode, is_same
from analysis.launches.host_memo import HostMemo
from analysis.launches.other_uses import UseMemo
from analysis.launches.outside import Outside
from analysis.syntax.includes import is_header
from analysis.syntax.items import Item
from analysis.syntax.translation_unit import TranslationUnit


@final
@record
class LaunchesOfFile:
    """By the names of kernels: `known` has those of which all launches are known, `inside` those of them that no
    other file launches.  `open` are those that somebody may launch who is not seen."""

    known: Mapping[str, tuple[Launch, ...]]
    inside: frozenset[str]
    open: frozenset[str] = frozenset()
    unlaunched: Mapping[str, int] = field(default_factory=dict[str, int])
    """Kernels that nothing in the project launches, each with the number of others that are launched beside it."""
    own: Mapping[int, Launch] | None = None
    """The launches in the text of the file, by where they start; None where nobody looked for them."""
    seen: Mapping[str, tuple[Launch, ...]] = field(default_factory=dict[str, tuple[Launch, ...]])
    """All that were found, also of kernels that others may launch: how one may be launched, not how it is."""


NO_LAUNCHES: Final = LaunchesOfFile({}, frozenset())


def launches_of_file(
    unit: TranslationUnit, host: HostMemo, uses: UseMemo, outside: Outside | None = None
) -> LaunchesOfFile:
    """Nothing is searched where the file defines no kernel, or who includes it is not known."""
    kernels = [item for item in unit.items if item.is_kernel and item.is_definition]
    if not kernels:
        return NO_LAUNCHES
    if outside is not None:
        return _in_project(unit, kernels, outside, uses)
    if unit.has_unread_includers and not is_header(unit.path):
        return NO_LAUNCHES
    names = {item.name for item in kernels}
    found = _Found(unit, launch_shapes(unit, host), uses)
    for includer in unit.includers:
        found.add(includer, launch_shapes(includer, host), names, _as_they_are)
    return found.result(frozenset())


def _in_project(unit: TranslationUnit, kernels: Iterable[Item], outside: Outside, uses: UseMemo) -> LaunchesOfFile:
    unseen: set[str] = set()
    by_unit: dict[str, tuple[HostCalls, set[str]]] = {}
    for item in kernels:
        users, are_all = outside.users(unit, item)
        if not are_all:
            unseen.add(item.name)
        for calls in users:
            by_unit.setdefault(calls.unit.path, (calls, set()))[1].add(item.name)
    for calls, kernel in _units_around(unit, outside, unseen):
        by_unit.setdefault(calls.unit.path, (calls, set()))[1].add(kernel)
    found = _Found(unit, outside.launches(outside.own), uses)
    own = outside.own, {item.name for item in kernels}
    for calls, names in (own, *by_unit.values()):
        shapes = outside.launches(calls)
        found.add(calls.unit, shapes, names, partial(outside.moved, calls))
        unseen |= {name for name in names if name not in unseen and _is_hidden(calls, name, shapes.get(name, ()))}
    result = found.result(frozenset(unseen))
    users = [calls for calls, _ in (own, *by_unit.values())]
    names = {item.name for item in kernels if item.owner is None and item.active} - result.open
    left_out = {name for name in names if _is_left_out(users, result.known.get(name, ()))}
    quiet = names - found.launched
    if not quiet and not left_out:
        return result
    return replace(result, unlaunched=_unlaunched(quiet, left_out, users, found.launched, outside))


def _units_around(unit: TranslationUnit, outside: Outside, unseen: set[str]) -> Iterator[tuple[HostCalls, str]]:
    """The units that run a header's own functions which launch kernels, with each of these: in each, macros may be
    others, so the launch is another one.  Where they are not all known, and such a function uses a macro, the kernel is
    `unseen`.
    """
    if not (unit.is_included or is_header(unit.path)):
        return
    own = outside.own.host
    functions = [item for item in own.launching if item.path == unit.path and not item.is_kernel]
    for kernel, launches in outside.launches(outside.own).items():
        for item in functions:
            if not any(item.span.start <= one.span.start < item.span.end for one in launches if one.path == item.path):
                continue
            for function in _with_callers(own, item):
                users, are_all = outside.users(unit, function)
                yield from ((calls, kernel) for calls in users)
                if not are_all and not item.identifiers.isdisjoint(unit.macros.names):
                    unseen.add(kernel)


def _with_callers(host: HostCode, item: Item) -> list[Item]:
    """A function and those of its file that lead to it."""
    found = [item]
    for function in found:
        callers = [caller for caller in host.callers(function) if caller.path == item.path]
        found += [caller for caller in callers if not any(is_same(caller, one) for one in found)]
    return found


def _unlaunched(
    names: Set[str], left_out: Set[str], users: Sequence[HostCalls], launched: frozenset[str], outside: Outside
) -> Mapping[str, int]:
    """Of kernels without a launch; `users` are all that may name them, `launched` the kernels that these launch.

    `left_out`: those that only functions launch which are never called.
    """
    unnamed = {name for name in names if not any(_is_named(calls, name) for calls in users)} | left_out
    others = (launched | outside.launched_beside(outside.own.unit.path)) - unnamed
    return {name: len(others) for name in sorted(unnamed) if others and not outside.is_found_by_name(name)}


def _is_left_out(users: Sequence[HostCalls], launches: Sequence[Launch]) -> bool:
    """Whether all launches of a kernel stand in functions that are never called."""
    return bool(launches) and all(any(_stands_unused(calls, launch) for calls in users) for launch in launches)


def _stands_unused(calls: HostCalls, launch: Launch) -> bool:
    return any(
        item.path == launch.path
        and item.span.start <= launch.span.start < item.span.end
        and calls.is_never_called(item)
        for item in calls.host.launching
    )


def _is_named(calls: HostCalls, kernel: str) -> bool:
    return is_named(calls.unit, kernel) or calls.host.macro_names(kernel.encode("utf-8", "replace"))


def _as_they_are(launches: tuple[Launch, ...]) -> tuple[Launch, ...]:
    return launches


def _is_hidden(calls: HostCalls, name: str, launches: tuple[Launch, ...]) -> bool:
    """Whether macros of a unit use a kernel in ways that are not followed."""
    return calls.host.uses_in_macros(name) or any(
        count
        > sum(launch.path == item.path and item.span.start <= launch.span.start < item.span.end for launch in launches)
        for item, count in calls.host.pasted(name)
    )


@final
class _Found:
    """What several units say about the kernels of one."""

    def __init__(self, unit: TranslationUnit, own: Mapping[str, tuple[Launch, ...]], uses: UseMemo) -> None:
        self._unit = unit
        self._uses = uses
        self.own: Final = own
        self._launches = {name: dict.fromkeys(launched) for name, launched in own.items()}
        self._otherwise = set(kernels_used_otherwise(unit, own, uses))
        self._outside: set[str] = set()

    def add(
        self,
        unit: TranslationUnit,
        shapes: Mapping[str, tuple[Launch, ...]],
        names: Iterable[str],
        moved: Callable[[tuple[Launch, ...]], tuple[Launch, ...]],
    ) -> None:
        """What another unit does with the kernels of these names; `moved` says where its launches stand now."""
        theirs = {name: shapes.get(name, ()) for name in names}
        self._otherwise |= kernels_used_otherwise(unit, theirs, self._uses)
        for name, launched in theirs.items():
            if any(launch.path != self._unit.path for launch in launched):
                self._outside.add(name)
            if launched:
                self._launches.setdefault(name, {}).update(dict.fromkeys(moved(launched)))

    @property
    def launched(self) -> frozenset[str]:
        """The kernels of which some launch was found."""
        return frozenset(self._launches)

    def result(self, unseen: frozenset[str]) -> LaunchesOfFile:
        """`unseen`: kernels that may be launched elsewhere."""
        left_out = self._otherwise | unseen
        known = {name: tuple(launched) for name, launched in self._launches.items() if name not in left_out}
        own = launches_in_text(self.own, self._unit.path)
        seen = {name: tuple(launched) for name, launched in self._launches.items()}
        return LaunchesOfFile(known, frozenset(known) - self._outside, frozenset(left_out), own=own, seen=seen)


def launches_in_text(launches: Mapping[str, tuple[Launch, ...]], path: str) -> Mapping[int, Launch]:
    """Those in one file, by where they start."""
    return {one.span.start: one for launched in launches.values() for one in launched if one.path == path}
