"""What rules about host code look at: one function of the file that runs on the host."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cached_property
from typing import Final, Protocol, final, runtime_checkable

from analysis.facts.file_analysis import FileAnalysis
from analysis.facts.model import Location
from analysis.ir.pace import paced
from analysis.rules.compiled import is_of_template
from analysis.rules.rule import Finding
from analysis.sides.mentions import Mentions, mentions_of, place_of
from analysis.sides.side import Side, side_of
from analysis.sides.sides import Sides
from analysis.syntax.items import Item, ItemKind
from analysis.syntax.snippet import Snippet
from analysis.syntax.tree import Node


@final
class HostSubject:
    """One active function that is compiled for the host, as the host's compiler reads it."""

    def __init__(self, analysis: FileAnalysis, function: Item) -> None:
        self.analysis = analysis
        self.function = function
        self.side: Final = side_of(function)

    @property
    def sides(self) -> Sides:
        return self.analysis.host_sides

    @cached_property
    def is_template(self) -> bool:
        """Whether it is a template or a part of one: nothing says that it is compiled, and for which arguments."""
        return is_of_template(self.sides, self.function)

    @cached_property
    def snippet(self) -> Snippet:
        return self.sides.unit.plain_snippet(self.function)

    @cached_property
    def mentions(self) -> Mentions:
        """What it names where it runs."""
        return mentions_of(self.snippet, self.function, on_host=True)

    def names_any(self, names: frozenset[bytes]) -> bool:
        """Whether one of these stands in its text: nothing is parsed for this."""
        return not self.function.identifiers.isdisjoint(names)

    def location(self, node: Node) -> Location:
        """Where a node stands in the file."""
        span = place_of(self.snippet, self.function, node)
        return Location(self.function.path, span.start, span.end)


@runtime_checkable
class OfHostCode(Protocol):
    """A rule that looks at host code, too."""

    @classmethod
    def find_on_host(cls, subject: HostSubject) -> Iterator[Finding]: ...


def host_subjects(analysis: FileAnalysis) -> Iterator[HostSubject]:
    """The functions of the file that the host compiles, in text order; those that macros write are left out."""
    if not analysis.host_sides.is_told:
        return
    for item in paced(analysis.host_sides.unit.items, 2):
        if item.kind is not ItemKind.FUNCTION or not (item.active and item.is_definition) or item.from_macro:
            continue
        if side_of(item) is Side.HOST or (item.is_host and item.is_device and not item.is_template):
            yield HostSubject(analysis, item)


def is_unchecked(subject: HostSubject) -> bool:
    """Whether a pragma somewhere in the file says that calls between the sides are not checked."""
    return _UNCHECKED.search(subject.analysis.document.text) is not None


_UNCHECKED: Final = re.compile(rb"exec_check_disable|hd_warning_disable")
