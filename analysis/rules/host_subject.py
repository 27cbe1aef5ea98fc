"""What rules about host code look at: one function of the file that runs on the host."""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterator, Mapping, Sequence
from functools import cached_property, lru_cache
from typing import Final, Protocol, final, runtime_checkable

from analysis.facts.file_analysis import FileAnalysis
from analysis.facts.model import Location
from analysis.ir.pace import paced
from analysis.ir.record import record
from analysis.launches import Launch
from analysis.rules.compiled import is_of_template
from analysis.rules.host_surroundings import seen_text
from analysis.rules.rule import Finding
from analysis.sides.device_builtins import DEVICE_BUILTINS, DEVICE_NAMES
from analysis.sides.lambdas import has_lambdas_for_device
from analysis.sides.mentions import Mentions, NamedCall, mentions_of, nodes_that_run, place_of
from analysis.sides.objects import ObjectUse, object_uses
from analysis.sides.plain_types import PlainType, declared_types
from analysis.sides.side import Side, side_of
from analysis.sides.sides import Sides
from analysis.syntax.environment import ASKING_FOR_SIDE, Language
from analysis.syntax.items import Item, ItemKind, place_apart
from analysis.syntax.lexing import identifiers
from analysis.syntax.macros import MacroDefinition
from analysis.syntax.snippet import Snippet
from analysis.syntax.tree import Node


@final
@record
class NumberedLaunch:
    """`kernels` are all declarations that it may mean; `name` is where the kernel is named."""

    launch: Launch
    name: Location
    kernels: Sequence[Item]


@final
class HostSubject:
    """One active function that is compiled for the host, as the host's compiler reads it."""

    def __init__(self, analysis: FileAnalysis, sides: Sides, function: Item) -> None:
        self.analysis = analysis
        self.sides = sides
        self.function = function
        self.side: Final = side_of(function)

    @cached_property
    def is_template(self) -> bool:
        """Whether it is a template or a part of one: nothing says that it is compiled, and for which arguments."""
        return is_of_template(self.sides, self.function)

    @property
    def is_of_cuda(self) -> bool:
        """Whether CUDA's compiler reads it, not that of HIP."""
        return self.sides.unit.environment.language is Language.CUDA

    @cached_property
    def snippet(self) -> Snippet:
        return self.sides.unit.plain_snippet(self.function)

    @cached_property
    def mentions(self) -> Mentions:
        """What it names where it runs."""
        return mentions_of(self.snippet, self.function, on_host=True)

    @cached_property
    def object_uses(self) -> Sequence[ObjectUse]:
        """What it does with objects of classes, as far as its text says."""
        nodes = nodes_that_run(self.snippet, self.function, on_host=True)
        return tuple(object_uses(self.snippet, self.function.owner, nodes))

    @cached_property
    def variable_types(self) -> Mapping[str, PlainType]:
        """Of its variables and parameters, as far as a name is declared once."""
        return declared_types(self.snippet.root, self.snippet.templates, self.sides)

    def launches(self) -> Iterator[tuple[NamedCall, Sequence[Item]]]:
        """The launches of kernels that the file sees, with all declarations that they may mean."""
        for call in self.mentions.calls:
            if not call.is_launch or any(not self.sides.is_declared(name) for name in call.within):
                continue
            meant = self._kernels(call.name, call.scopes)
            if meant:
                yield call, meant

    @cached_property
    def numbered_launches(self) -> Sequence[NumberedLaunch]:
        """The launches in it whose kernels the file sees, with what is known of their numbers: nothing is parsed."""
        own, text = self.function.span, self.function.text
        launches = [one for start, one in self.analysis.own_launches.items() if own.start <= start < own.end]
        found: list[NumberedLaunch] = []
        kernels: dict[tuple[str, tuple[str, ...]], Sequence[Item]] = {}
        for launch in sorted(launches, key=lambda one: one.span.start):
            named = _SCOPED.match(text, launch.span.start - own.start)
            if named is None or named[2] != launch.kernel.encode():
                continue  # a macro wrote it, or a function of the runtime launches it
            scopes = tuple(_WORD.findall(named[1].decode())) if named[1] else ()
            meant = kernels.get((launch.kernel, scopes))
            if meant is None:
                meant = kernels[launch.kernel, scopes] = self._kernels(launch.kernel, scopes)
            if meant:
                name = Location(self.function.path, own.start + named.start(2), own.start + named.end())
                found.append(NumberedLaunch(launch, name, meant))
        return found

    def _kernels(self, name: str, scopes: tuple[str, ...]) -> Sequence[Item]:
        """All declarations that the name in a launch may mean; none where it may mean something else."""
        meant = self.sides.of_call(name, scopes, self.function, is_launch=True)
        return meant[0] if meant is not None and meant[1] is Side.KERNEL else ()

    def is_conditional(self, launch: Launch) -> bool:
        """Whether a branch around a launch decides that it is run."""
        around = (node for node in self.snippet.root.walk() if node.kind in _BRANCHES)
        start = launch.span.start
        places = (place_of(self.snippet, self.function, node) for node in around)
        return any(place.start <= start < place.end for place in places)

    @property
    def asks_for_side(self) -> bool:
        """Whether its text is another one on the device because it says so itself."""
        return self.names_any(_ASKING)

    @property
    def asks_for_names(self) -> bool:
        """Whether it names anything of the device, so that rules which read its text may say something."""
        names = self.sides.names
        is_named = self.names_any(names[Side.DEVICE] | names[Side.KERNEL] | self.sides.device_variables)
        is_named = is_named or has_lambdas_for_device(self.function) or self.names_any(DEVICE_BUILTINS | DEVICE_NAMES)
        return is_named or self.sides.may_use_objects(self.function, Side.DEVICE)

    @property
    def own(self) -> Hashable:
        """What it is itself, wherever it stands."""
        return self.side, place_apart(self.function)

    @property
    def seen(self) -> Hashable:
        """Its text, the macros in it, and all that it sees of what it names, but for bodies of functions."""
        unit, function = self.sides.unit, self.function
        words, used = self._macros
        expanded = self.snippet.text if any(b"##" in one.body for one in used) else b""
        names = words | identifiers(expanded) | frozenset({(function.owner or "").encode("utf-8", "replace")})
        names |= self.sides.members_beside(function)
        declared = sorted(unit.declared_among(names))
        found = [one for name in declared for one in unit.lookup(name.decode("utf-8", "replace"))]
        heads = tuple((*one[:4], *one[7:13], one.is_host, one.in_class, seen_text(one)) for one in found)
        in_heads = frozenset[bytes]().union(*(one.identifiers for one in found)) & unit.macros.names.keys()
        macros = tuple(
            (word, tuple(None if macro is None else macro.digest for _, macro in unit.macros.names[word]))
            for word in sorted(in_heads)
        )
        flags = self.sides.is_incomplete, self.sides.is_unchecked, self.side, function.namespace, function.owner
        called = tuple([(one.name, one.digest) for one in used])
        return function.text, expanded, self.place, called, heads, macros, flags

    @cached_property
    def place(self) -> Hashable:
        """Where it stands, as far as its text says so when macros are expanded; None if it does not."""
        words, _ = self._macros
        if b"__COUNTER__" in words:
            return self.snippet.text
        if words.isdisjoint(_PLACES):
            return None
        return self.function.path, self.analysis.document.lines.line_of(self.function.span.start)

    @cached_property
    def _macros(self) -> tuple[frozenset[bytes], Sequence[MacroDefinition]]:
        """The words of its text and of the macros in it, and the definitions of these."""
        macros, order = self.sides.unit.macros, self.function.order
        words = new = self.function.identifiers
        used: list[MacroDefinition] = []
        while new:
            definitions = [macros.get(word, order) for word in sorted(new & macros.names.keys())]
            known = [one for one in definitions if one is not None]
            used += known
            new = frozenset[bytes]().union(*(_identifiers(one.body) for one in known)) - words
            words |= new
        return words, used

    def names_any(self, names: frozenset[bytes]) -> bool:
        """Whether one of these stands in its text: nothing is parsed for this."""
        return not self.function.identifiers.isdisjoint(names)

    def location(self, node: Node) -> Location:
        """Where a node stands in the file."""
        span = place_of(self.snippet, self.function, node)
        return Location(self.function.path, span.start, span.end)


@runtime_checkable
class OfHostCode(Protocol):
    """A rule that looks at the text of host code, too, and at heads of what that names."""

    @classmethod
    def find_on_host(cls, subject: HostSubject) -> Iterator[Finding]: ...


@runtime_checkable
class OfLaunches(Protocol):
    """A rule about the numbers of launches, and about kernels that are launched with them."""

    @classmethod
    def find_launches(cls, subject: HostSubject) -> Iterator[Finding]: ...


def host_findings(rule: type[Finding], subject: HostSubject) -> Sequence[Finding]:
    """What a rule says of a host function; where it was read as the device sees it, the host has to agree."""
    found = _findings(rule, subject)
    if not found or subject.sides is subject.analysis.host_sides:
        return found
    function, sides = subject.function, subject.analysis.host_sides
    same = [one for one in sides.unit.items if one.span == function.span and one.name == function.name and one.active]
    same = [one for one in same if sides.is_said(one)]
    return _findings(rule, HostSubject(subject.analysis, sides, same[0])) if same else ()


def host_subjects(analysis: FileAnalysis) -> Iterator[HostSubject]:
    """The functions of the file that the host compiles; those that macros write are left out.

    A function that does not ask itself on which side it is compiled reads the same on both but for macros and headers:
    to read the whole text once more for each edit is left for those in which something is found.
    """
    unit = analysis.program.unit
    functions = [item for item in paced(unit.items, 2) if item.kind is ItemKind.FUNCTION and item.is_definition]
    are_left_out = unit.asks_for_side
    asking = [
        item for item in functions if not item.identifiers.isdisjoint(_ASKING) or (are_left_out and not item.active)
    ]
    asking = [item for item in asking if item.is_host or not item.is_device]
    for item in functions:
        if _is_of_host(item, analysis.sides) and item not in asking and analysis.sides.is_told:
            yield HostSubject(analysis, analysis.sides, item)
    if asking and analysis.host_sides.is_told:
        spans = {item.span for item in asking}
        for item in analysis.host_sides.unit.items:
            if (
                item.kind is ItemKind.FUNCTION
                and item.is_definition
                and item.span in spans
                and _is_of_host(item, analysis.host_sides)
            ):
                yield HostSubject(analysis, analysis.host_sides, item)


def _is_of_host(item: Item, sides: Sides) -> bool:
    if not item.active or item.from_macro:
        return False
    is_of_host = side_of(item) is Side.HOST or (item.is_host and item.is_device and not item.is_template)
    return is_of_host and sides.is_said(item)


def _findings(rule: type[Finding], subject: HostSubject) -> Sequence[Finding]:
    found: list[Finding] = []
    if issubclass(rule, OfHostCode):
        found += rule.find_on_host(subject)
    if issubclass(rule, OfLaunches):
        found += rule.find_launches(subject)
    return found


@lru_cache(maxsize=1 << 9)
def _identifiers(body: bytes) -> frozenset[bytes]:
    """Of a macro."""
    return identifiers(body)


_ASKING: Final = frozenset(name.encode() for name in ASKING_FOR_SIDE)
_PLACES: Final = frozenset({b"__LINE__", b"__FILE__"})
_BRANCHES: Final = frozenset({"if_statement", "switch_statement", "conditional_expression"})
_SCOPED: Final = re.compile(rb"((?:\w+\s*::\s*)*)(\w+)")
"""A name with the scopes that are written in front of it."""
_WORD: Final = re.compile(r"\w+")
