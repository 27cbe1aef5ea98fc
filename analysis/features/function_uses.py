"""Who uses which kernel or device function in a file: calls in device code, and launches in host code.

Rules    A call means the function that lowering chose for it: overloads and templates are told apart.  A launch means
         what `launch_site` says.  Functions of the library that this project brings along are left out.
Cost     The frames of the functions that are asked for; no text is read again.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final, final

from analysis.facts.file_analysis import FileAnalysis
from analysis.facts.merge import FrameView
from analysis.facts.model import FunctionFacts
from analysis.features.launch_site import FunctionPlace, LaunchSite, place_of
from analysis.ir.instructions import Call
from analysis.ir.record import record
from analysis.ir.source import FrameId, Span
from analysis.ir.types import Type
from analysis.lower.functions import generic_signature
from analysis.syntax.items import Item, ItemKind


@final
@record
class Use:
    """A call or a launch: `start`/`end` are the offsets of the used name in the file, `caller` is the function around
    it, which is a host function for a launch; None for a launch that stands in no function."""

    callee: FunctionPlace
    start: int
    end: int
    caller: FunctionPlace | None
    is_launch: bool


def function_at(analysis: FileAnalysis, sites: Sequence[LaunchSite], offset: int) -> tuple[FunctionPlace, ...]:
    """The kernels and device functions that the name at an offset means; nothing for any other name."""
    around = analysis.facts.function_at(offset)
    if around is not None:
        own = _own_place(analysis, around)
        if own.name_start <= offset < own.name_end:
            return (own,)
        called = [use.callee for use in device_calls(analysis, around) if use.start <= offset < use.end]
        return tuple(dict.fromkeys(called))
    for site in sites:
        if site.name_start <= offset < site.name_end:
            return site.kernels
    declared = (place_of(item) for item in analysis.program.unit.items if _is_declared(item, offset))
    return tuple(place for place in declared if place.name_start <= offset < place.name_end)


def device_calls(analysis: FileAnalysis, function: FunctionFacts) -> tuple[Use, ...]:
    """The calls in the text of a device function, in text order."""
    caller = _own_place(analysis, function)
    found: dict[tuple[int, str, int], Use] = {}
    for view in analysis.views(function):
        for span, item in _calls(analysis, view):
            place = place_of(item)
            start = function.start + span.start
            word = _name_in(analysis.document.text[start : function.start + span.end], item.name)
            if word is not None and analysis.program.unit.text_of(item.path) is not None:
                key = start + word.start, place.path, place.start
                found[key] = Use(place, start + word.start, start + word.end, caller, is_launch=False)
    return tuple(found[key] for key in sorted(found))


def launches(analysis: FileAnalysis, sites: Sequence[LaunchSite]) -> Iterator[Use]:
    """The launches in host code, each with all kernels that it may mean."""
    for site in sites:
        caller = _host_function(analysis, site.start)
        for kernel in site.kernels:
            yield Use(kernel, site.name_start, site.name_end, caller, is_launch=True)


def uses(analysis: FileAnalysis, sites: Sequence[LaunchSite]) -> Iterator[Use]:
    """All of the file."""
    for function in analysis.facts.functions:
        if function.active:
            yield from device_calls(analysis, function)
    yield from launches(analysis, sites)


def definitions_of(analysis: FileAnalysis, place: FunctionPlace) -> tuple[FunctionPlace, ...]:
    """The definitions of a function that may be declared only, as far as the file sees them."""
    if place.is_definition:
        return (place,)
    return tuple(one for one in same_function(analysis, place) if one.is_definition) or (place,)


def same_function(analysis: FileAnalysis, place: FunctionPlace) -> tuple[FunctionPlace, ...]:
    """It and its declarations that the file sees, or for a declaration the definition: of the same name, in the same
    scopes, with the same parameters."""
    unit = analysis.program.unit
    seen = [
        item for item in unit.lookup(place.name) if item.kind is ItemKind.FUNCTION and item.is_device and item.active
    ]
    own = next((item for item in seen if (item.path, item.span.start) == (place.path, place.start)), None)
    if own is None:
        return ()
    return tuple(place_of(item) for item in seen if item is own or _declare_the_same(analysis, own, item))


def _declare_the_same(analysis: FileAnalysis, one: Item, other: Item) -> bool:
    """Parameters of templates may have other names in each declaration, and types in a class mean something there
    alone: of those, the number of parameters decides."""
    if (one.namespace, one.owner, one.is_template) != (other.namespace, other.owner, other.is_template):
        return False
    if one.is_definition and other.is_definition:
        return False  # overloads, or a template and what specialises it
    types = [_parameter_types(analysis, item) for item in (one, other)]
    if one.is_template or one.owner is not None:
        return len(types[0]) == len(types[1])
    return types[0] == types[1]


def _parameter_types(analysis: FileAnalysis, item: Item) -> tuple[tuple[Type, bool, bool], ...]:
    """Without the `const` and `volatile` of a parameter itself, which tell no functions apart."""
    declaration = analysis.program.declaration(item, None)
    if declaration is None:
        return ()
    declared = (parameter.declared for parameter in generic_signature(declaration).parameters)
    return tuple((one.type, one.is_reference, one.is_rvalue) for one in declared)


def _calls(analysis: FileAnalysis, view: FrameView) -> Iterator[tuple[Span, Item]]:
    """The calls in the body that a view shows, inlined or not."""
    function = view.root.function
    for number, frame in enumerate(function.frames):
        if number != view.frame and frame.parent == view.frame:
            item = analysis.item_of(view, FrameId(number))
            if item is not None and item.is_device:
                yield frame.call, item
    for _, instruction in function.instructions():
        if isinstance(instruction, Call) and instruction.span.frame == view.frame:
            try:
                item = analysis.program.item_of(instruction.callee)
            except KeyError:
                continue
            if item.is_device:
                yield instruction.span, item


def _own_place(analysis: FileAnalysis, function: FunctionFacts) -> FunctionPlace:
    start = function.start
    name = function.name.rpartition("::")[2]
    span = function.name_span
    return FunctionPlace(
        name, analysis.facts.path, start, function.end, start + span.start, start + span.end, is_definition=True
    )


def _is_declared(item: Item, offset: int) -> bool:
    is_around = item.span.start <= offset < item.span.end
    return is_around and item.kind is ItemKind.FUNCTION and item.is_device and not item.is_definition


def _host_function(analysis: FileAnalysis, offset: int) -> FunctionPlace | None:
    around = [
        item
        for item in analysis.program.unit.items
        if item.kind is ItemKind.FUNCTION and item.is_definition and item.span.start <= offset < item.span.end
    ]
    return place_of(min(around, key=lambda item: item.span.end - item.span.start)) if around else None


def _name_in(text: bytes, name: str) -> Span | None:
    """The first word before parentheses or template arguments that is the name."""
    word = re.search(rb"(?<!\w)" + re.escape(name.encode("utf-8", "replace")) + _BEFORE_ARGUMENTS, text)
    return None if word is None else Span(word.start(), word.start() + len(name.encode("utf-8", "replace")))


_BEFORE_ARGUMENTS: Final = rb"(?=\s*[(<{])"
