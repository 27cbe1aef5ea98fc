"""Launches in the text of a file: where each stands, and which kernel it means.

Rules    A launch means the kernels of its name that the file sees and that take so many arguments; of those the ones
         whose scopes end as the name is qualified (`solver::step<<<…>>>`), if there are any.  Definitions go before
         declarations: where there is a definition, what declares it is left out.
         Launches in device code belong to the kernel around them and are none of these.
Limits   Types of arguments are not compared: kernels that take as many arguments are all listed.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Final, final

from analysis.facts.file_analysis import FileAnalysis
from analysis.facts.item_text import name_span
from analysis.ir.pace import paced
from analysis.ir.record import record
from analysis.launches import Launch, takes
from analysis.syntax.items import Item, ItemKind
from analysis.syntax.lexing import LAUNCH, LAUNCH_END
from analysis.syntax.translation_unit import TranslationUnit


@final
@record
class FunctionPlace:
    """Where a kernel or device function is defined or declared: offsets in the file `path`, of all of it and of its
    name."""

    name: str
    path: str
    start: int
    end: int
    name_start: int
    name_end: int
    is_definition: bool


@final
@record
class DefinedElsewhere:
    """A definition in a file that the one with the launch does not include, and its line there, from 1."""

    place: FunctionPlace
    line: int


@final
@record
class LaunchSite:
    """A launch in host code of the file: offsets of all of it, of the kernel's name, and of the end of `<<<…>>>`.

    `kernels` are those that it may mean: one, unless overloads take as many arguments; none where the file sees none.
    `elsewhere` defines the one that the file only declares, where that was looked for and found.
    """

    launch: Launch
    start: int
    end: int
    name_start: int
    name_end: int
    head_end: int
    kernels: tuple[FunctionPlace, ...]
    elsewhere: DefinedElsewhere | None = None

    @property
    def definitions(self) -> tuple[FunctionPlace, ...]:
        """Of the kernels that it may mean."""
        seen = tuple(kernel for kernel in self.kernels if kernel.is_definition)
        return seen if self.elsewhere is None else (self.elsewhere.place,)

    @property
    def kernel(self) -> FunctionPlace | None:
        """The kernel that it means, where there is one alone."""
        return self.kernels[0] if len(self.kernels) == 1 else None


def launch_sites(analysis: FileAnalysis, launches: Mapping[str, Sequence[Launch]]) -> tuple[LaunchSite, ...]:
    """In text order; `launches` are those of the file by the names of kernels, and maybe some of others."""
    path = analysis.facts.path
    own = [launch for found in launches.values() for launch in paced(found) if launch.path == path]
    host = [launch for launch in paced(own) if analysis.facts.function_at(launch.span.start) is None]
    host.sort(key=lambda launch: launch.span.start)
    return tuple(_site(analysis, launch) for launch in paced(host, 10))


def site_at(sites: Sequence[LaunchSite], offset: int) -> LaunchSite | None:
    """The launch whose name or configuration stands at an offset."""
    return next((site for site in sites if site.start <= offset < site.head_end), None)


def site_on_line(analysis: FileAnalysis, sites: Sequence[LaunchSite], offset: int) -> LaunchSite | None:
    """The launch around an offset, or else the first that begins in its line."""
    around = next((site for site in sites if site.start <= offset < site.end), None)
    line_of = analysis.document.lines.line_of
    line = line_of(offset)
    return around or next((site for site in sites if line_of(site.start) == line), None)


def place_of(item: Item) -> FunctionPlace:
    """Where a function that the file sees stands."""
    name, start = name_span(item), item.span.start
    return FunctionPlace(
        item.name, item.path, start, item.span.end, start + name.start, start + name.end, item.is_definition
    )


def _site(analysis: FileAnalysis, launch: Launch) -> LaunchSite:
    start, end = launch.span.start, launch.span.end
    text = analysis.document.text[start:end]
    word = re.search(rb"\b" + re.escape(launch.kernel.encode()) + rb"\b", text)
    if word is None:  # a macro wrote it
        return LaunchSite(launch, start, end, start, end, end, _meant(analysis.program.unit, launch, ()))
    opened = LAUNCH.search(text, word.end())
    closed = None if opened is None else LAUNCH_END.search(text, opened.end())
    head = word.end() if closed is None else closed.end()
    qualified = _QUALIFIERS.search(text[: word.start()])
    scopes = tuple(_WORD.findall("" if qualified is None else qualified[0].decode("utf-8", "replace")))
    kernels = _meant(analysis.program.unit, launch, scopes)
    return LaunchSite(launch, start, end, start + word.start(), start + word.end(), start + head, kernels)


def _meant(unit: TranslationUnit, launch: Launch, scopes: tuple[str, ...]) -> tuple[FunctionPlace, ...]:
    seen = [
        item
        for item in unit.lookup(launch.kernel)
        if item.kind is ItemKind.FUNCTION and item.is_kernel and item.active and takes(unit, item, launch)
    ]
    in_scope = [item for item in seen if _scopes(item)[-len(scopes) :] == scopes] if scopes else []
    found = in_scope or seen
    defined = [item for item in found if item.is_definition]
    return tuple({item.identity: place_of(item) for item in defined or found[:1]}.values())


def _scopes(item: Item) -> tuple[str, ...]:
    return (*item.namespace, *([item.owner] if item.owner else []))


_QUALIFIERS: Final = re.compile(rb"(?:\w+\s*::\s*)+\Z")
_WORD: Final = re.compile(r"\w+")
