"""The launches in the text of a file without kernels, kept from one version of the file to the next.

Question  Does this version say of its launches what the last one said?  Only the file itself and its headers are asked.
Rules     It does if it declares the same in the same order, with macros that mean the same, and each item reads as it
          did, but for bodies that say nothing about launches (`device_bodies.py`).  What stands between the items
          (comments, blank lines) counts for nothing, and launches are moved with the item that they stand in.
          Where the number of a line may be an argument of a launch, nothing is kept.
Cost      One look at each item; the texts of those that are not the same object are compared.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, final

from analysis.facts.kept_launches import may_tell_lines
from analysis.facts.known_launches import launches_in_text
from analysis.ir.pace import paced
from analysis.ir.record import record
from analysis.launches.device_bodies import SeenBy, says_nothing
from analysis.launches.find import launches_with
from analysis.launches.host_calls import HostCalls
from analysis.launches.host_code import HostCode
from analysis.launches.host_memo import HostMemo
from analysis.launches.model import Launch
from analysis.store.bounded import BoundedCache
from analysis.syntax.environment import Environment
from analysis.syntax.items import Item, declares_the_same, differ
from analysis.syntax.macros import MacroTable
from analysis.syntax.translation_unit import TranslationUnit

OwnLaunches = Mapping[int, Launch]
"""By where they start."""


@final
@record
class KeptOwnLaunches:
    """Each launch with the index of the innermost item that it stands in; `words` are those that bodies are seen by."""

    found: tuple[tuple[Launch, int], ...]
    words: SeenBy
    items: tuple[Item, ...]
    included_items: tuple[Item, ...]
    macros: MacroTable
    environment: Environment
    is_included: bool

    def is_as_in(self, unit: TranslationUnit) -> bool:
        """Whether another version says the same of all that these launches are computed from."""
        return (
            len(self.items) == len(unit.items)
            and self.environment == unit.environment
            and self.is_included == unit.is_included
            and self.included_items == unit.included_items
            and self.macros.means_the_same(unit.macros)
            and all(self._reads_as(one, now) for one, now in paced(zip(self.items, unit.items, strict=True), 2))
        )

    def _reads_as(self, item: Item, now: Item) -> bool:
        if not differ(item, now):
            return True
        is_alike = declares_the_same(item, now) and _head(item) == _head(now)
        return is_alike and all(says_nothing(one, self.words, self.macros) for one in (item, now))

    def moved(self, items: Sequence[Item]) -> OwnLaunches:
        """Where these stand now."""
        every = (launch.moved(items[index].span.start - self.items[index].span.start) for launch, index in self.found)
        return {one.span.start: one for one in every}


KeptOwnLaunchesMemo = BoundedCache[str, KeptOwnLaunches]


def own_launches_of_version(
    unit: TranslationUnit, host: HostMemo | None, memo: KeptOwnLaunchesMemo | None
) -> OwnLaunches:
    """What the file says alone of the numbers of its launches; `memo` is None where no other version comes."""
    kept = None if memo is None else memo.get(unit.path)
    if kept is not None and kept.is_as_in(unit):
        return kept.moved(unit.items)
    calls = HostCalls(HostCode(unit, host))
    found = launches_in_text(launches_with(calls, host, unit.path), unit.path)
    if memo is not None:
        _keep(memo, unit, calls, found)
    return found


def _keep(memo: KeptOwnLaunchesMemo, unit: TranslationUnit, calls: HostCalls, found: OwnLaunches) -> None:
    words = calls.host.seen_by.with_bodies(calls.host.constants.object_functions.asked)
    named = (*calls.asked, *(launch.kernel for launch in found.values()))
    words = words.with_kernels(frozenset(name.encode("utf-8", "replace") for name in named))
    placed = tuple((launch, _innermost(unit.items, launch)) for launch in found.values())
    if may_tell_lines(unit, words) or any(index == _NOWHERE for _, index in placed):
        memo.discard(unit.path)
        return
    memo.put(
        unit.path,
        KeptOwnLaunches(
            placed, words, unit.items, unit.included_items, unit.macros, unit.environment, unit.is_included
        ),
    )


def _innermost(items: Sequence[Item], launch: Launch) -> int:
    """Which of the items that a launch stands in begins last."""
    start = launch.span.start
    around = ((item.span.start, index) for index, item in enumerate(items) if item.span.start <= start < item.span.end)
    return max(around, default=(0, _NOWHERE))[1]


_NOWHERE: Final = -1


def _head(item: Item) -> bytes:
    return item.text.partition(b"{")[0]
