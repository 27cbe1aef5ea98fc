"""The host code of one translation unit: what its text alone says about launches and calls.

Rules    A function may launch something if its text, or a macro that it uses, mentions a launch; so may a macro that
         uses such a macro.
         A macro may make a name where it pastes words (`kernel_##n`), unless a part that it writes out is no beginning
         or end of that name.
         What only the device runs is no host code (`device_bodies.py`): a name in it means no host function.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cached_property
from typing import Final, TypeAlias, final

from analysis.ir.pace import paced
from analysis.launches.device_bodies import (
    LAUNCH_CALLS,
    SeenBy,
    is_out_of_sight,
    launching_macros,
    launching_words,
    mentions_launch,
    seen_words,
)
from analysis.launches.file_constants import FileConstants
from analysis.launches.host_memo import HostMemo
from analysis.launches.host_values import HostValues
from analysis.launches.host_writes import HostWrites
from analysis.launches.written_arguments import WrittenArguments
from analysis.syntax.items import Item, ItemKind
from analysis.syntax.lexing import IDENTIFIER, LAUNCH
from analysis.syntax.macros import MacroDefinition
from analysis.syntax.translation_unit import TranslationUnit

_LONGEST: Final = 1_000
"""Of a declaration that is one of a number."""
_STATIC: Final = re.compile(rb"\bstatic\b")
_CONSTANT: Final = re.compile(rb"\bconst\b")
_PASTED: Final = re.compile(rb"[A-Za-z_$][\w$]*(?:\s*##\s*[\w$]+)+")

_Key: TypeAlias = tuple[str, int, bytes]


@final
class HostCode:
    """Answers about one unit; nothing in them depends on other units, so they may be kept with it."""

    def __init__(self, unit: TranslationUnit, memo: HostMemo | None = None) -> None:
        """`memo` keeps what functions write for other versions of the unit."""
        self.unit: Final = unit
        self.items: Final = (*unit.items, *unit.included_items)
        # Not `self.may_write` in the lambda: with a cycle the whole unit would wait for the collector.
        may_write = WrittenArguments(unit).may_write
        self.may_write: Final = may_write
        self.constants: Final = FileConstants(
            unit, lambda known, node, type: HostValues(HostWrites(node, may_write), known).converted(node, type)
        )
        self._callers: dict[_Key, list[Item]] = {}
        self._any: dict[_Key, bool] = {}
        self._memo = memo
        self._writes: dict[tuple[str, int, int], HostWrites] = {}

    @cached_property
    def launching(self) -> tuple[Item, ...]:
        """The functions that may launch something."""
        macros = launching_macros(self.unit)
        return tuple(
            item
            for item in paced(self.items)
            if item.kind is ItemKind.FUNCTION and item.active and mentions_launch(item, macros)
        )

    def writes(self, item: Item) -> HostWrites:
        """What a function does with its variables."""
        written = self._writes.get(item.identity)
        if written is None:
            snippet, fills = self.unit.plain_snippet(item), self.constants.object_functions.copied
            key = b"" if self._memo is None else self.unit.to_parse(item)
            if self._memo is None or not key:
                written = HostWrites(snippet.root, self.may_write, snippet.templates, fills)
            else:
                written = self._memo.written((key, item.part), snippet, self.may_write, fills)
            self._writes[item.identity] = written
        return written

    def hidden(self, item: Item) -> frozenset[str] | None:
        """The names that mean something else in a function than in the file; None if that may be any."""
        return frozenset() if item.owner is None else self.constants.records.hidden_in(item.owner)

    def callers(self, item: Item) -> list[Item]:
        """The other functions that name it."""
        key = item.path, item.part, item.text
        known = self._callers.get(key)
        if known is None:
            known = self._callers[key] = self._find_callers(item)
        return known

    def _find_callers(self, item: Item) -> list[Item]:
        name = item.name.encode("utf-8", "replace")
        return [
            other
            for other in self.items
            if name in other.identifiers
            and not is_same(other, item)
            and other.kind is ItemKind.FUNCTION
            and other.active
            and other.is_definition
            and not is_out_of_sight(other, self.words)
        ]

    @cached_property
    def variables(self) -> frozenset[bytes]:
        """The names of the variables at file level that host code may write to."""
        return frozenset(
            item.name.encode("utf-8", "replace")
            for item in paced(self.items, 2)
            if item.kind is ItemKind.VARIABLE
            and item.active
            and item.owner is None
            and len(item.text) <= _LONGEST
            and not (item.is_device or item.is_constexpr or _CONSTANT.search(item.text))
        )

    @cached_property
    def _in_macros(self) -> frozenset[bytes]:
        """Those of them that macros name."""
        return frozenset(name for name in self.variables if self.macro_names(name))

    def variables_in(self, item: Item) -> frozenset[str]:
        """Those that a function may name."""
        named = self.variables & item.identifiers
        if self._in_macros and not item.identifiers.isdisjoint(self.unit.macros.names):
            named |= self._in_macros
        return frozenset(name.decode("utf-8", "replace") for name in named)

    def functions_naming(self, name: str) -> tuple[Item, ...]:
        """The functions that the host may run which may name a variable at file level."""
        return tuple(
            item
            for item in paced(self.items)
            if item.kind is ItemKind.FUNCTION
            and item.active
            and item.is_definition
            and not (item.is_device and b"__host__" not in item.text and not self._says_host(item))
            and name in self.variables_in(item)
        )

    @cached_property
    def _functions(self) -> frozenset[bytes]:
        """The names of the functions that are defined outside of classes."""
        return frozenset(
            item.name.encode("utf-8", "replace")
            for item in paced(self.items, 2)
            if item.kind is ItemKind.FUNCTION and item.is_definition and item.active and item.owner is None
        )

    def functions_named_in(self, item: Item) -> frozenset[bytes]:
        """Those that an item, or a macro that it may use, names."""
        words = item.identifiers
        if not words.isdisjoint(self.unit.macros.names):
            words |= self._macro_words
        return words & self._functions

    def functions_with(self, word: bytes) -> tuple[Item, ...]:
        """The functions that the host may run in whose text a word stands."""
        return tuple(
            item
            for item in paced(self.items)
            if word in item.identifiers
            and item.kind is ItemKind.FUNCTION
            and item.active
            and item.is_definition
            and not (item.is_device and b"__host__" not in item.text and not self._says_host(item))
        )

    def _says_host(self, item: Item) -> bool:
        """Whether a macro of a device function may make it one of the host too."""
        return not self.words.isdisjoint(item.identifiers)

    def may_be_any(self, item: Item) -> bool:
        """Is the function used, or declared, in a way that is not followed?"""
        key = item.path, item.part, item.text
        known = self._any.get(key)
        if known is None:
            known = self._any[key] = self._find_whether_any(item)
        return known

    def _find_whether_any(self, item: Item) -> bool:
        name = item.name.encode("utf-8", "replace")
        if self.macro_names(name) or self.pasted(item.name):
            return True
        return any(
            name in other.identifiers
            and not is_same(other, item)
            and (
                (other.is_definition and other.name == item.name)
                if other.kind is ItemKind.FUNCTION
                else self._names_in_sight(other, name)
            )
            for other in self.items
        )

    def shows(self, name: bytes) -> bool:
        """Whether the name stands in host code, or outside of functions."""
        return any(
            name in item.identifiers
            and item.active
            and not is_out_of_sight(item, self.words)
            and (item.kind is ItemKind.FUNCTION or self._names_in_sight(item, name))
            for item in self.items
        )

    def _names_in_sight(self, item: Item, name: bytes) -> bool:
        """Whether a record, or what else is no function, has the name outside of methods that only the device runs."""
        parts: list[bytes] = []
        begin = 0
        for method in self.items:
            start = method.span.start - item.span.start
            is_inside = method.in_class and method.path == item.path and begin <= start < len(item.text)
            if is_inside and is_out_of_sight(method, self.words):
                parts.append(item.text[begin:start])
                begin = start + len(method.text)
        parts.append(item.text[begin:])
        return begin == 0 or name in IDENTIFIER.findall(b" ".join(parts))

    @cached_property
    def words(self) -> frozenset[bytes]:
        """Those by which the bodies of device functions are seen."""
        return seen_words(self.unit)

    @cached_property
    def seen_by(self) -> SeenBy:
        """The same, and the words by which the bodies of host functions are seen."""
        return SeenBy(self.words, self.words | launching_words(self.items, self.launching))

    def macro_names(self, name: bytes) -> bool:
        """Whether a macro names it, as a whole word."""
        if IDENTIFIER.fullmatch(name) is None:  # an operator
            return any(name in one.body for one in self._macros())
        return name in self._macro_words

    @cached_property
    def _macro_words(self) -> frozenset[bytes]:
        return frozenset(word for one in self._macros() for word in IDENTIFIER.findall(one.body))

    def pasted(self, name: str) -> list[tuple[Item, int]]:
        """The functions and variables in which macros make the name from parts, and how often they do."""
        macros = self._pasting(name)
        found: list[tuple[Item, int]] = []
        word = name.encode("utf-8", "replace")
        for item in self.items if macros else ():
            is_code = item.active and item.kind in (ItemKind.FUNCTION, ItemKind.VARIABLE) and item.is_definition
            if is_code and not macros.isdisjoint(item.identifiers):
                count = IDENTIFIER.findall(self.unit.snippet(item).text).count(word) - (item.name == name)
                if count > 0:
                    found.append((item, count))
        return found

    def uses_in_macros(self, name: str) -> bool:
        """Whether a macro names a kernel otherwise than to launch it."""
        word = re.escape(name.encode("utf-8", "replace"))
        launched = re.compile(rb"\b%s\s*(?:<[^(){};]*?>)?\s*%s" % (word, LAUNCH.pattern))
        named = re.compile(rb"\b%s\b" % word)
        bodies = (one.body for one in self._macros() if named.search(one.body))
        return any(
            named.search(launched.sub(b"<<<", body)) and not any(call in body for call in LAUNCH_CALLS)
            for body in bodies
        )

    def _pasting(self, name: str) -> frozenset[bytes]:
        """The macros that may make the name from parts, or use one that does."""
        found = {
            macro
            for macro, begin, end in self._pastes
            if (not begin or name.startswith(begin)) and (not end or name.endswith(end))
        }
        words = [(one.name, IDENTIFIER.findall(one.body)) for one in self._macros()] if found else []
        while new := {macro for macro, used in paced(words) if macro not in found and not found.isdisjoint(used)}:
            found |= new
        return frozenset(found)

    @cached_property
    def _pastes(self) -> frozenset[tuple[bytes, str, str]]:
        """Macros that paste, with what the names that they make begin and end with, as far as it is written out."""
        found: set[tuple[bytes, str, str]] = set()
        for definition in self._macros():
            if b"##" not in definition.body:
                continue
            parameters = frozenset((*(definition.parameters or ()), b"__VA_ARGS__"))
            for pasted in _PASTED.findall(definition.body):  # not `, ##__VA_ARGS__`, which makes no name
                parts = [part.strip() for part in pasted.split(b"##")]
                begin, end = (b"" if part in parameters else part for part in (parts[0], parts[-1]))
                found.add((definition.name, begin.decode("utf-8", "replace"), end.decode("utf-8", "replace")))
        return frozenset(found)

    def _macros(self) -> Iterator[MacroDefinition]:
        for history in paced(self.unit.macros.names.values(), 2):
            for _, definition in history:
                if definition is not None:
                    yield definition


def is_internal(item: Item) -> bool:
    """Whether other files see a function only through its text: `static`."""
    end = item.text.find(item.name.encode("utf-8", "replace"))
    return _STATIC.search(item.text, 0, max(end, 0)) is not None


def is_same(one: Item, other: Item) -> bool:
    """Whether two items, which may be of two versions of a file, are one declaration."""
    return one is other or (one.path == other.path and one.part == other.part and one.text == other.text)
