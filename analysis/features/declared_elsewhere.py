"""Functions that a file only declares: which definition of another file is meant?

Rules    One of the same name in the same scopes, with parameters of the same types as far as they can be spelled alike;
         where none has (a type that one of the files does not show), the only one with as many parameters.
         Which files come into question says the index of the project.
Limits   Templates and members are compared by the number of their parameters.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import final

from analysis.facts.file_analysis import FileAnalysis
from analysis.features.launch_site import DefinedElsewhere, FunctionPlace, place_of
from analysis.ir.printer import print_type
from analysis.ir.record import record
from analysis.lower.functions import generic_signature
from analysis.syntax.items import Item, ItemKind


@final
@record
class Declared:
    """What a declaration says; `types` are those of the parameters."""

    name: str
    is_kernel: bool
    scopes: tuple[str, ...]
    types: tuple[str, ...]


def declared_at(analysis: FileAnalysis, place: FunctionPlace) -> Declared | None:
    """What the file sees at a place that stands in it, or in what it includes."""
    for item in analysis.program.unit.lookup(place.name):
        if (item.path, item.span.start) == (place.path, place.start):
            return _declared(analysis, item)
    return None


def definitions_of(analysis: FileAnalysis, wanted: Declared) -> tuple[DefinedElsewhere, ...]:
    """The functions that the analysed file defines and `wanted` may mean."""
    items = [
        item
        for item in analysis.program.unit.lookup(wanted.name)
        if item.kind is ItemKind.FUNCTION and item.is_definition and item.active and item.path == analysis.facts.path
    ]
    found = [(item, _declared(analysis, item)) for item in items]
    return tuple(
        DefinedElsewhere(place_of(item), analysis.line_in(item.path, place_of(item).name_start))
        for item in _alike(found, wanted)
    )


def _alike(found: list[tuple[Item, Declared]], wanted: Declared) -> list[Item]:
    def those(fits: Callable[[Declared], bool]) -> list[Item]:
        return [item for item, one in found if fits(one)]

    def is_near(one: Declared) -> bool:
        return (one.is_kernel, one.scopes, len(one.types)) == (wanted.is_kernel, wanted.scopes, len(wanted.types))

    near = those(is_near)
    return those(lambda one: one == wanted) or (near if len(near) == 1 else [])


def is_alike(one: Declared, other: Declared) -> bool:
    """Whether two files may speak of one function."""
    return one == other or (
        (one.name, one.is_kernel, one.scopes, len(one.types))
        == (other.name, other.is_kernel, other.scopes, len(other.types))
    )


def _declared(analysis: FileAnalysis, item: Item) -> Declared:
    declaration = analysis.program.declaration(item, None)
    parameters = () if declaration is None else generic_signature(declaration).parameters
    types = tuple(f"{print_type(one.declared.type)}{'&' * one.declared.is_reference}" for one in parameters)
    scopes = (*item.namespace, *([item.owner] if item.owner else []))
    return Declared(item.name, item.is_kernel, scopes, types)
