"""The launches of the kernels of a file, kept from one version of the file to the next.

Question  Does this version have the launches of the last one?
Rules     It has if the file reads as it did but for bodies that say nothing about launches (`device_bodies.py`: a body
          that names a kernel, or a function whose calls were followed, does), if all that is read for it says the
          same, and so do the project and the units that were asked.  Launches in the file itself are moved to where
          they stand now.
          Where the number of a line may be an argument of a launch, nothing is kept.
Cost      The text of the file is compared once, and each text around it only if it is another object.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Final, final

from analysis.facts.known_launches import LaunchesOfFile, launches_of_file
from analysis.ir.record import record
from analysis.launches.device_bodies import Outline, SeenBy, launching_macros, macros_that, says_nothing
from analysis.launches.host_memo import HostMemo
from analysis.launches.model import Launch
from analysis.launches.other_uses import UseMemo
from analysis.launches.outside import Answer, Outside, Question
from analysis.store.bounded import BoundedCache
from analysis.syntax.environment import Environment
from analysis.syntax.translation_unit import TranslationUnit

MAX_KEPT_FILES: Final = 64
_LINES: Final = frozenset({b"__LINE__", b"__COUNTER__"})
_SAYS_LINE: Final = re.compile(rb"__LINE__|__COUNTER__")


@final
@record
class KeptLaunches:
    """`asked` and `read` are the questions to the project and the units that were read, with what they said."""

    found: LaunchesOfFile
    words: SeenBy
    outline: Outline
    around: _Around
    asked: tuple[tuple[Question, Answer], ...]
    read: tuple[tuple[str, int | None], ...]


KeptLaunchesMemo = BoundedCache[str, KeptLaunches]


@final
@record
class _Around:
    """What a file is read with."""

    environment: Environment
    texts: tuple[tuple[str, bytes | None], ...]
    includes: tuple[str | None, ...]
    is_included: bool


def launches_of_version(
    unit: TranslationUnit,
    host: HostMemo,
    uses: UseMemo,
    outside: Outside | None,
    memo: KeptLaunchesMemo | None,
) -> LaunchesOfFile:
    """The launches of the kernels of one version of a file; `memo` is None where no other one comes."""
    if outside is None or memo is None or not outside.here.kernels:
        return launches_of_file(unit, host, uses, outside)
    kept = memo.get(unit.path)
    around = _around(unit)
    if kept is not None and kept.around == around:
        now = outside.here.outline(kept.words)
        if now.parts == kept.outline.parts and outside.answers_as_before(kept.asked, kept.read):
            return _moved(kept, unit.path, now)
    found = launches_of_file(unit, host, uses, outside)
    while outside.is_outdated():
        found = launches_of_file(unit, host, uses, outside)
    launched = (name.encode("utf-8", "replace") for name in (*found.known, *found.open))
    kernels = outside.here.kernels | frozenset(launched)
    own = outside.own.host
    words = own.seen_by.with_bodies(own.constants.object_functions.asked)
    words = words.with_kernels(kernels).with_functions(outside.asked_names)
    if may_tell_lines(unit, words):
        memo.discard(unit.path)
    else:
        outline = outside.here.outline(words)
        memo.put(unit.path, KeptLaunches(found, words, outline, around, outside.asked, outside.read))
    return found


def _around(unit: TranslationUnit) -> _Around:
    texts = tuple((path, None if path == unit.path else unit.text_of(path)) for path in unit.read_paths)
    return _Around(unit.environment, texts, tuple(use.resolved for use in unit.includes), unit.is_included)


def _moved(kept: KeptLaunches, path: str, now: Outline) -> LaunchesOfFile:
    if now.starts == kept.outline.starts:
        return kept.found

    launches = [*(kept.found.own or {}).values(), *_in(kept.found.known, path), *_in(kept.found.seen, path)]
    each = {id(launch): launch for launch in launches}  # one that is in all three is moved once
    moved = {number: kept.outline.moved(launch, now) for number, launch in each.items()}

    def stand_now(found: Mapping[str, tuple[Launch, ...]]) -> Mapping[str, tuple[Launch, ...]]:
        return {name: tuple([moved.get(id(launch), launch) for launch in launches]) for name, launches in found.items()}

    own = kept.found.own
    if own is not None:
        own = {one.span.start: one for one in (moved[id(launch)] for launch in own.values())}
    return replace(kept.found, known=stand_now(kept.found.known), own=own, seen=stand_now(kept.found.seen))


def _in(found: Mapping[str, tuple[Launch, ...]], path: str) -> Iterable[Launch]:
    """The launches that stand in one file."""
    return (launch for launches in found.values() for launch in launches if launch.path == path)


def may_tell_lines(unit: TranslationUnit, words: SeenBy) -> bool:
    """Whether host code, or a macro that launches or stands for a number, has the number of its line."""
    macros = macros_that(unit, _SAYS_LINE)
    plain = {
        name
        for name in macros
        for _, definition in unit.macros.names[name]
        if definition is not None and definition.parameters is None
    }
    seen = _LINES | plain | (macros & launching_macros(unit) if macros else macros)
    return any(
        not seen.isdisjoint(item.identifiers) and item.active and not says_nothing(item, words, unit.macros)
        for item in unit.items
    )
