"""Races with their accesses as places in files: what the race rules translate into words.

One record per race of a kernel, with `undecided` also of those that are open; it belongs to the kernel, wherever
its accesses stand.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import TypeAlias, final

from analysis.facts.merge import FrameView
from analysis.facts.model import Location
from analysis.ir.function import Function, Symbol
from analysis.ir.instructions import Branch, FunctionId
from analysis.ir.record import record
from analysis.ir.source import OWN_FRAME, FrameId, Span
from analysis.ir.types import MemorySpace, StructLayout
from analysis.memory.roots import argument_name, pointer_root
from analysis.races.model import MemoryUse, Race
from analysis.syntax.items import Item
from analysis.verdict.barriers import Tier

ItemIn: TypeAlias = Callable[[FrameView, FrameId], Item | None]


@final
@record
class RacePlace:
    """One access of a race: where it stands, what is written there, and in which function (as often as it is called).

    `frame` tells two calls of one function apart; `call` is where the kernel calls what leads to the access, None in
    the kernel itself.
    """

    location: Location
    text: bytes
    function: FunctionId
    frame: FrameId
    call: Location | None


@final
@record
class RaceRecord:
    """`variable` is the array that both use; None where it may be one of several.  `pointer`: of global memory the
    argument that it is reached through.  `assumed`: the branches at which the block is taken to go on, for the
    witness.
    """

    race: Race
    first: RacePlace
    second: RacePlace
    variable: Symbol | None
    pointer: str | None
    structs: Mapping[str, StructLayout]
    assumed: tuple[Location, ...]


def race_records(view: FrameView, item_in: ItemIn, *, undecided: bool) -> Iterator[RaceRecord]:
    """Those of the kernel whose own view it is; nothing for what is inlined into it."""
    if view.frame != OWN_FRAME:
        return
    function = view.root.function
    for race in view.root.races:
        if race.tier is Tier.ASSUMED and not (undecided and race.is_open):
            continue
        first, second = place_of(view, race.first, item_in), place_of(view, race.second, item_in)
        if first is None or second is None:
            continue
        symbol = race.first.variable
        same = symbol is not None and symbol == race.second.variable
        variable = function.symbols[symbol] if symbol is not None and same else None
        yield RaceRecord(
            race, first, second, variable, _pointer(view, race), function.structs, _assumed(view, race, item_in)
        )


def _pointer(view: FrameView, race: Race) -> str | None:
    if race.first.space is not MemorySpace.GLOBAL:
        return None
    divergence = view.root.divergence
    return argument_name(view.root.function, divergence, pointer_root(divergence, race.first.address))


def _assumed(view: FrameView, race: Race, item_in: ItemIn) -> tuple[Location, ...]:
    function, found = view.root.function, list[Location]()
    for block in () if race.witness is None else race.witness.assumed:
        terminator = function.blocks[block].terminator
        branch = terminator.branch if isinstance(terminator, Branch) else None
        location = None if branch is None else _location(view, function.branches[branch].keyword, item_in)
        if location is not None and location not in found:
            found.append(location)
    return tuple(found)


def place_of(view: FrameView, use: MemoryUse, item_in: ItemIn) -> RacePlace | None:
    span = use.span
    location, item = _location(view, span, item_in), item_in(view, span.frame)
    if location is None or item is None:
        return None
    function = view.root.function
    call = _outermost_call(function, span.frame)
    return RacePlace(
        location,
        item.text[span.start : span.end],
        function.frames[span.frame].function,
        span.frame,
        None if call is None else _location(view, call, item_in),
    )


def _location(view: FrameView, span: Span, item_in: ItemIn) -> Location | None:
    item = item_in(view, span.frame)
    if item is None or span.start == span.end:
        return None
    return Location(item.path, item.span.start + span.start, item.span.start + span.end)


def _outermost_call(function: Function, frame: FrameId) -> Span | None:
    """The call in the function's own text that leads to the frame."""
    call: Span | None = None
    while frame != OWN_FRAME:
        entered = function.frames[frame]
        call, frame = Span(entered.call.start, entered.call.end, entered.parent), entered.parent
    return call
