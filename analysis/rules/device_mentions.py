"""What a device function names, and where that stands."""

from __future__ import annotations

from collections.abc import Sequence

from analysis.facts.model import Location
from analysis.rules.rule import Subject
from analysis.sides.mentions import NO_MENTIONS, Mentions, mentions_of, nodes_that_run, place_of
from analysis.sides.objects import ObjectUse, object_uses
from analysis.syntax.tree import Node


def device_mentions(subject: Subject) -> Mentions:
    """Of a function that a macro writes nothing, since its text is a use of the macro."""
    item = subject.analysis.declaration(subject.function)
    if item.from_macro:
        return NO_MENTIONS
    return mentions_of(subject.analysis.sides.unit.snippet(item), item, on_host=False)


def device_object_uses(subject: Subject) -> Sequence[ObjectUse]:
    """What it does with objects of classes, as far as its text says."""
    item = subject.analysis.declaration(subject.function)
    if item.from_macro:
        return ()
    snippet = subject.analysis.sides.unit.snippet(item)
    return tuple(object_uses(snippet, item.owner, nodes_that_run(snippet, item, on_host=False)))


def device_location(subject: Subject, node: Node) -> Location:
    """Where a node of the function stands in the file."""
    item = subject.analysis.declaration(subject.function)
    span = place_of(subject.analysis.sides.unit.snippet(item), item, node)
    return Location(item.path, span.start, span.end)
