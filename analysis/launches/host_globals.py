"""Variables at file level that host code writes: `int block = 256; ... if (argc > 1) block = atoi(argv[1]);`.

Question  Which numbers may such a variable hold where a launch reads it?
Rules     It holds what it is initialised with, or what some function writes to it, in whatever file that may name it:
          so all of these together are what it ever holds (`every`), if each is known.  Where the program is started
          without arguments, writes that it does not come to are left out (`started`).
          Which one it holds at a place is followed through the calls that lead there, from `main` on: until a call of a
          function that writes to it, or leads to one that does (`touching`).  It is not followed where such a function
          is none that is called by its name alone: a method, a function whose address is taken, one that an initialiser
          at file level calls, one that no file calls though it may.
          What is written may depend on parameters, as calls pass them, and on no other variable at file level.
Unknown   `volatile`, `thread_local` and device variables; what is declared more than once in other ways than by
          `extern`, stands in a named namespace, has its address taken or a reference bound to it, goes by name to a
          function that may write to it, or is named with `::`.
Limits    Without a project, other files are not seen, as their launches are not.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final, Protocol, final

from analysis.ir.record import record
from analysis.launches.file_constants import Number
from analysis.launches.host_code import HostCode, is_internal
from analysis.launches.host_values import HostValues
from analysis.launches.host_writes import Variable
from analysis.syntax.items import Item, ItemKind
from analysis.syntax.lexing import without_hidden
from analysis.syntax.translation_unit import TranslationUnit
from analysis.syntax.tree import Node

MAX_TOUCHING: Final = 40
"""Functions that are followed to those which lead to a write."""


class Calls(Protocol):
    """The calls of one unit (`host_calls.HostCalls`)."""

    @property
    def host(self) -> HostCode: ...

    @property
    def unit(self) -> TranslationUnit: ...

    def users_of(self, item: Item, /) -> tuple[Sequence[Calls], bool]:
        """The other units that may name what `item` declares, and whether these are all."""
        ...

    def callers_of(self, item: Item, /) -> tuple[Sequence[tuple[Calls, Item]], bool]:
        """The functions that call it, and whether these are all and call it by its name alone."""
        ...

    def plain_values(self, item: Item, names: frozenset[str], /, *, is_started: bool) -> Iterator[HostValues]:
        """Those of the variables of a function for what each call passes, as far as that decides about some names: of
        all calls there may be, or of those that are seen, where the program is started without arguments."""
        ...


@final
@record
class GlobalNumbers:
    """See the top of the file; None for what is not known.  `touching` are names of functions."""

    type: str
    initial: Number | None
    every: tuple[Number, ...] | None
    started: tuple[Number, ...] | None
    touching: tuple[str, ...]
    is_followed: bool


def global_numbers(calls: Calls, name: str) -> GlobalNumbers | None:
    """Of the variable at file level of that name; None if nothing is known of it."""
    item = _definition(calls.unit, name)
    declared = None if item is None else calls.host.constants.declared(item)
    if item is None or declared is None or not calls.host.constants.is_integer(declared[0]):
        return None
    others, are_all = calls.users_of(item)
    units = (calls, *others)
    if not are_all or any(_is_named_otherwise(unit, item) for unit in units):
        return None
    type, initial = declared
    every: dict[Number | None, None] = {initial: None}
    started: dict[Number | None, None] = {initial: None}
    writers: list[tuple[Calls, Item]] = []
    for unit in units:
        for function in unit.host.functions_naming(name):
            found = _Written(unit, function, name, type)
            if found.is_unknown:
                return None
            if found.is_written:
                writers.append((unit, function))
                every |= dict.fromkeys(found.numbers(is_started=False))
                started |= dict.fromkeys(found.numbers(is_started=True))
    # who leads to a write matters only where there are several numbers, and each is known
    is_one_of_some = len(every) > 1 and None not in every
    touching, is_followed = _touching(writers) if is_one_of_some else ((), False)
    is_followed = is_followed and not any(_is_touched_early(unit, touching) for unit in units)
    return GlobalNumbers(type, initial, _all(every), _all(started), touching, is_followed)


def _all(numbers: dict[Number | None, None]) -> tuple[Number, ...] | None:
    known = tuple(number for number in numbers if number is not None)
    return known if len(known) == len(numbers) else None


def _definition(unit: TranslationUnit, name: str) -> Item | None:
    """The one variable of that name, if it is one that host code may write to."""
    items = [item for item in unit.lookup(name) if item.active]
    if any(item.kind is not ItemKind.VARIABLE or item.namespace or item.owner for item in items):
        return None
    definitions = [item for item in items if item.is_definition]
    is_plain = len(definitions) == 1 and not any(_SPECIAL.search(item.text) for item in items)
    return definitions[0] if is_plain and not definitions[0].from_macro else None


_SPECIAL: Final = re.compile(
    rb"\b(?:const|constexpr|constinit|volatile|thread_local|__thread|__device__|__constant__|__managed__|__shared__)\b"
)


def _is_named_otherwise(calls: Calls, item: Item) -> bool:
    """Whether something else than functions may make another name of it, or a macro its name from parts."""
    name = item.name.encode("utf-8", "replace")
    if calls.host.pasted(item.name):
        return True
    qualified, taken = (re.compile(mark + rb"\s*%s\b" % re.escape(name)) for mark in (rb"::", rb"&"))
    for other in calls.host.items:
        if name not in other.identifiers or not other.active:
            continue
        text = without_hidden(other.text)
        is_function = other.kind is ItemKind.FUNCTION
        if qualified.search(text) or (not is_function and taken.search(text)):
            return True
        if other.kind is ItemKind.VARIABLE and other.name != item.name and _BINDING.search(text):
            return True
    return False


_BINDING: Final = re.compile(rb"[&({\[]|=[^;,]*=|\+\+|--")
"""What may be more than a number that is read."""


@final
class _Written:
    """What one function writes to a variable at file level."""

    def __init__(self, calls: Calls, function: Item, name: str, type: str) -> None:
        self._calls = calls
        self._function = function
        self._type = type
        variable = calls.host.writes(function).variables.get(name)
        is_own = variable is not None and _is_own(variable)
        self._variable = None if is_own else variable
        self.is_unknown = self._variable is not None and (self._variable.is_lost or bool(self._variable.passed))
        self.is_written = self._variable is not None and bool(self._variable.writes)

    def numbers(self, *, is_started: bool) -> Iterator[Number | None]:
        """What the writes leave in it, of which some may be left out as `is_started` says."""
        variable = self._variable
        assert variable is not None
        for node, guards in variable.writes:
            if _is_change(node):
                yield None
                continue
            behind = self._calls.host.writes(self._function).names_behind([(node, guards if is_started else ())])
            for values in self._calls.plain_values(self._function, behind, is_started=is_started):
                values.seen_from(node.start, guards)
                if values.is_reached():
                    yield values.converted(node, self._type)


def _is_own(variable: Variable) -> bool:
    """Whether all that a function does to a name, it does to a variable of its own."""
    if variable.parameters:
        return True
    touched = [node.start for node, _ in variable.writes] + [place for place, _ in variable.passed]
    return bool(variable.scopes) and all(
        any(start <= place < end for start, end in variable.scopes) for place in touched
    )


def _is_change(node: Node) -> bool:
    """`n += 2`, `n++`, which are written as a whole."""
    sign = node.field("operator")
    return node.kind == "update_expression" or (
        node.kind == "assignment_expression" and sign is not None and sign.text != b"="
    )


def _touching(writers: Sequence[tuple[Calls, Item]]) -> tuple[tuple[str, ...], bool]:
    """The names of the writers and of the functions that lead to one, and whether these are all, and each is called by
    its name alone."""
    waiting = list(writers)
    seen = {item.identity for _, item in waiting}
    is_followed = True
    for calls, item in waiting:
        is_followed &= item.owner is None and not item.name.startswith("operator") and len(waiting) <= MAX_TOUCHING
        if item.name == "main" or not is_followed:
            continue
        callers, are_all = calls.callers_of(item)
        is_followed &= are_all and (bool(callers) or is_internal(item))
        waiting += [(unit, caller) for unit, caller in callers if caller.identity not in seen]
        seen |= {caller.identity for _, caller in callers}
    return tuple(sorted({item.name for _, item in waiting})), is_followed


def _is_touched_early(calls: Calls, touching: Sequence[str]) -> bool:
    """Whether an initialiser at file level names a function that leads to a write."""
    names = {name.encode("utf-8", "replace") for name in touching}
    return any(
        item.kind is ItemKind.VARIABLE and item.active and not names.isdisjoint(item.identifiers)
        for item in calls.host.items
    )
