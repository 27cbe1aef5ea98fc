"""`__constant__` variables: which integers they hold where kernels run.

    __constant__ Params c_params;
    void set(int n) { Params p; p.n = n; cudaMemcpyToSymbol(c_params, &p, sizeof p); }

Question  What does a launch find in a variable, or in a member of it?
Rules     One that host code never names but to ask for its size holds what it is initialised with.
          Else it holds what copies into it leave: a copy of all of it, from a variable of the same type whose numbers
          are known there.  In the function that makes all copies it is followed which of them comes last before a
          launch.  Elsewhere it is what all copies that are seen leave alike; it is assumed that one of them was made
          before, unless each way to the launch surely calls a function that makes one (`is_certain`).
          A variable is one of the unit that it stands in: other units have their own, or must not write to it.
Unknown   What is named in any other way (`cudaGetSymbolAddress`), by a macro or, where a project is known, in a string;
          what is initialised and copied to; what other units name.
Limits    Arrays have a number for each element, up to 16, if they are never written.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import Final, Protocol, final

from analysis.ir.record import record
from analysis.launches.file_constants import Number
from analysis.launches.host_code import HostCode
from analysis.launches.host_objects import called_name
from analysis.launches.host_paths import Write
from analysis.launches.host_records import array_type
from analysis.launches.host_values import HostValues
from analysis.launches.host_writes import HostWrites
from analysis.launches.model import HeldConstant
from analysis.launches.symbol_copies import copied_symbol, read_symbol
from analysis.syntax.items import Item, ItemKind
from analysis.syntax.translation_unit import TranslationUnit
from analysis.syntax.tree import Node

MAX_CONSTANTS: Final = 32
"""Of one unit."""
MAX_CALLS: Final = 4
MAX_SETTERS: Final = 16
_LONGEST: Final = 1_000
"""Of a declaration."""
_IS_CONSTANT: Final = re.compile(rb"\b__constant__\b")
_SPECIAL: Final = re.compile(rb"\b(?:extern|volatile|__managed__)\b|\*")


class Calls(Protocol):
    """The calls of one unit (`host_calls.HostCalls`)."""

    @property
    def host(self) -> HostCode: ...

    @property
    def unit(self) -> TranslationUnit: ...

    def sees_all_of(self, item: Item, /) -> bool:
        """Whether no other unit names what `item` declares, nor a string."""
        ...

    def callers_of(self, item: Item, /) -> tuple[Sequence[tuple[Calls, Item]], bool]:
        """See `host_globals.Calls`."""
        ...

    def plain_values(self, item: Item, names: frozenset[str], /, *, is_started: bool) -> Iterator[HostValues]:
        """See `host_globals.Calls`."""
        ...


@final
@record
class ConstantNumbers:
    """What one variable holds, by the paths of its integers (`""`: it is one itself).

    `writer` is the function that makes all copies into it, by where it stands; `setters` are the names of functions
    that surely make one.
    """

    name: str
    file: str
    type: str
    numbers: tuple[tuple[str, int], ...]
    is_certain: bool
    paths: tuple[str, ...] = ()
    writer: tuple[str, int, int] | None = None
    setters: frozenset[str] = frozenset()

    def is_set_before(self, calls: Calls, item: Item, position: int = 0) -> bool:
        """Whether each way to a function, and in it to a place, surely comes by a copy, as far as it is seen."""
        return bool(self.setters) and _is_set_before(calls, item, position, self.setters, MAX_CALLS)

    def held(self, calls: Calls, launching: Item, position: int, values: HostValues) -> Iterator[HeldConstant]:
        """What is known where a function launches a kernel, seen from there."""
        known = dict(self.numbers)
        is_set = self.is_certain or self.is_set_before(calls, launching, position)
        for path in self.paths:
            number: Number | None = None
            if self.writer == launching.identity:
                number = values.copied(self.name, self.type, path)
            is_certain = is_set or isinstance(number, int)
            found = number if isinstance(number, int) else known.get(path)
            if found is not None:
                yield HeldConstant(self.name, self.file, self.type, path, found, is_certain)


def constant_numbers(calls: Calls) -> tuple[ConstantNumbers, ...]:
    """Of the variables of a unit of which something is known."""
    host = calls.host
    items = [
        item
        for item in host.items
        if item.kind is ItemKind.VARIABLE and item.active and len(item.text) <= _LONGEST and _is_plain(item)
    ]
    found = (_numbers(calls, item) for item in items[:MAX_CONSTANTS])
    return tuple(one for one in found if one is not None)


def _is_plain(item: Item) -> bool:
    is_one = item.is_definition and item.owner is None and not item.is_template and not item.from_macro
    return is_one and _IS_CONSTANT.search(item.text) is not None and _SPECIAL.search(item.text) is None


def _numbers(calls: Calls, item: Item) -> ConstantNumbers | None:
    host, name = calls.host, item.name
    word = name.encode("utf-8", "replace")
    is_one = len([one for one in calls.unit.lookup(name) if one.active]) == 1
    if not is_one or host.macro_names(word) or host.pasted(name) or _is_named_otherwise(host, item):
        return None
    type, initial = _declared(calls.unit.snippet(item).root, word)
    records = host.constants.records
    paths = ("",) if host.constants.is_integer(type) else records.number_paths(type)
    if not paths or not calls.sees_all_of(item):
        return None
    writers: list[Item] = []
    for function in host.functions_with(word):
        copies = _copies(host, function, word)
        if copies is None:
            return None
        if copies:
            writers.append(function)
    type = type if paths == ("",) else records.name(type)
    if not writers:
        numbers = _initial(host, initial, type, paths)
        return ConstantNumbers(name, item.path, type, numbers, is_certain=True, paths=paths)
    if initial is not None:
        return None
    left = _left(calls, writers, name, type, paths)
    writer = writers[0].identity if len(writers) == 1 else None
    setters = _setters(calls, writers, word) if left else frozenset[str]()
    return ConstantNumbers(name, item.path, type, left, False, paths, writer, setters)


def _setters(calls: Calls, writers: Sequence[Item], symbol: bytes) -> frozenset[str]:
    """The functions that surely make a copy, or call one that does; each the only one of its name."""
    waiting = [one for one in writers if any(not guards for _, guards in _copies(calls.host, one, symbol) or ())]
    found: set[str] = set()
    for item in waiting:
        is_one = sum(one.is_definition and one.active for one in calls.unit.lookup(item.name)) == 1
        if not is_one or item.name in found or item.owner is not None or len(found) > MAX_SETTERS:
            continue
        found.add(item.name)
        for unit, caller in calls.callers_of(item)[0]:
            if unit is calls and any(not guards for _, guards in _calls_of(calls, caller, {item.name})):
                waiting.append(caller)
    return frozenset(found)


def _is_set_before(calls: Calls, item: Item, position: int, setters: AbstractSet[str], depth: int) -> bool:
    """Whether each way from the start of the program to a place in a function, as far as it is seen, surely comes by a
    call of one of some functions."""
    if any(not guards and call.end <= position for call, guards in _calls_of(calls, item, setters)):
        return True
    callers = calls.callers_of(item)[0] if depth else ()
    return bool(callers) and all(
        unit is calls and _is_set_before(calls, caller, call.start, setters, depth - 1)
        for unit, caller in callers
        for call, _ in _calls_of(calls, caller, {item.name}) or [(calls.unit.plain_snippet(caller).root, ())]
    )


def _calls_of(calls: Calls, function: Item, names: AbstractSet[str]) -> Sequence[Write]:
    """Its calls of plain functions of these names."""
    listed = calls.host.writes(function).calls
    return [one for one in listed if called_name(one[0]) in names and one[0].child("kernel_call_syntax") is None]


def _is_named_otherwise(host: HostCode, item: Item) -> bool:
    """Whether something that is no function names it."""
    word = item.name.encode("utf-8", "replace")
    return any(
        word in other.identifiers and other.kind is not ItemKind.FUNCTION and other.identity != item.identity
        for other in host.items
        if other.text is not item.text
    )


def _declared(root: Node, name: bytes) -> tuple[str, Node | None]:
    """The type of a variable, and its initialiser."""
    for node in root.walk():
        if node.kind != "declaration":
            continue
        spelled = node.field("type")
        type = "" if spelled is None else spelled.text.decode("utf-8", "replace")
        for child in node.fields("declarator"):
            declarator = child.field("declarator") if child.kind == "init_declarator" else child
            value = child.field("value") if child.kind == "init_declarator" else None
            if declarator is None:
                continue
            if declarator.kind == "identifier" and declarator.text == name:
                return type, value
            inner = declarator.field("declarator")
            if declarator.kind == "array_declarator" and inner is not None and inner.text == name:
                return array_type(type, declarator), value
    return "", None


def _copies(host: HostCode, function: Item, name: bytes) -> Sequence[Write] | None:
    """The copies into a variable in a function; None if it is named in any other way."""
    written = host.writes(function)
    if name.decode("utf-8", "replace") in written.variables:
        return None
    root = host.unit.plain_snippet(function).root
    mentions = sum(node.kind in ("identifier", "type_identifier") and node.text == name for node in root.walk())
    sizes = (node for node in root.walk() if node.kind == "sizeof_expression")
    harmless = sum(inner.text == name and not inner.children for node in sizes for inner in node.walk())
    copies = [(call, guards) for call, guards in written.calls if copied_symbol(call) == name]
    reads = sum(read_symbol(call) == name for call, _ in written.calls)
    return copies if mentions == len(copies) + reads + harmless else None


def _initial(host: HostCode, value: Node | None, type: str, paths: Sequence[str]) -> tuple[tuple[str, int], ...]:
    if value is None:
        empty = HostValues(HostWrites(Node("initializer_list", 0, 0, b""), host.may_write), host.constants)
        return _known({path: empty.zeroed(type, path) if path else 0 for path in paths})
    values = HostValues(HostWrites(value, host.may_write), host.constants)
    numbers = {path: values.part(value, path, type) if path else values.converted(value, type) for path in paths}
    return _known(numbers)


def _left(
    calls: Calls, writers: Sequence[Item], name: str, type: str, paths: Sequence[str]
) -> tuple[tuple[str, int], ...]:
    """What all copies that the program is seen to make leave alike."""
    found: dict[str, set[Number | None]] = {path: set() for path in paths}
    for function in writers:
        copies = _copies(calls.host, function, name.encode("utf-8", "replace")) or ()
        behind = calls.host.writes(function).names_behind(copies)
        for values in calls.plain_values(function, behind, is_started=True):
            for call, guards in copies:
                values.seen_from(call.start, guards)
                for rounds in values.settings():
                    values.in_rounds(rounds)
                    if values.is_reached():
                        for path in paths:
                            found[path].add(values.copy_leaves(call, type, path))
                values.in_rounds({})
    return _known({path: next(iter(numbers)) if len(numbers) == 1 else None for path, numbers in found.items()})


def _known(numbers: Mapping[str, Number | None]) -> tuple[tuple[str, int], ...]:
    return tuple((path, number) for path, number in numbers.items() if isinstance(number, int))
