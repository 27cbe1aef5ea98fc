"""The call hierarchy: what a kernel calls, who calls a device function, and which host functions launch a kernel.

Rules    Items are kernels and device functions; every other name is answered with null, as by the navigation requests,
         and the setting `navigation` switches these off as well.
         A host function is an item only as the caller in a launch; its own callers are for a C++ language server.
         Callers are looked for where references are.
         An item is found again by the place of its name: one of an older text, whose name stands elsewhere now, has
         null for an answer.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, TypeVar

from lsprotocol import types

from analysis.facts.model import Location
from simt_lsp.server.documents.uris import path_of
from simt_lsp.server.requests.navigation import files_using, meant_at, uses_of
from simt_lsp.server.session.definitions import Meant, wherever
from simt_lsp.server.views.launches_in_view import sites_of
from simt_lsp.server.views.view import View, printable

if TYPE_CHECKING:
    from analysis.features.function_uses import Use
    from analysis.features.launch_site import FunctionPlace
    from simt_lsp.server.session.server import SimtServer

Answer = TypeVar("Answer")


async def on_prepare_call_hierarchy(
    ls: SimtServer, params: types.CallHierarchyPrepareParams
) -> list[types.CallHierarchyItem] | None:
    return await ls.ask(params.text_document.uri, lambda view: _prepared(view, params.position))


async def on_incoming_calls(
    ls: SimtServer, params: types.CallHierarchyIncomingCallsParams
) -> list[types.CallHierarchyIncomingCall] | None:
    named = await _ask(ls, params.item, lambda view: _named(view, params.item))
    path = path_of(params.item.uri)
    if not named:
        return None
    meant = Meant(named, None) if path is None else await wherever(ls, path, named)
    found: list[types.CallHierarchyIncomingCall] = []
    for other in files_using(ls, meant.places):
        found += await ls.other_files.ask(other, lambda view: list(_incoming(view, uses_of(view, meant)))) or ()
    return found


async def on_outgoing_calls(
    ls: SimtServer, params: types.CallHierarchyOutgoingCallsParams
) -> list[types.CallHierarchyOutgoingCall] | None:
    return await _ask(ls, params.item, lambda view: _outgoing(view, params.item))


async def _ask(ls: SimtServer, item: types.CallHierarchyItem, answer: Callable[[View], Answer]) -> Answer | None:
    """About the file of an item, which need not be open."""
    path = path_of(item.uri)
    if path is None or item.uri in ls.documents.current:
        return await ls.ask(item.uri, answer)
    return await ls.other_files.ask(path, answer)


def _prepared(view: View, position: types.Position) -> list[types.CallHierarchyItem] | None:
    places = meant_at(view, position)
    defined = [place for place in places if place.is_definition]
    return [item for place in defined or places if (item := _item(view, place)) is not None] or None


def _named(view: View, item: types.CallHierarchyItem) -> tuple[FunctionPlace, ...]:
    places = meant_at(view, item.selection_range.start)
    return tuple(place for place in places if printable(place.name) == item.name)


def _incoming(view: View, uses: Iterable[Use]) -> Iterator[types.CallHierarchyIncomingCall]:
    """By caller; what stands in no function has the file as its caller."""
    found: dict[FunctionPlace | None, list[types.Range]] = {}
    for use in uses:
        found.setdefault(use.caller, []).append(view.range(use.start, use.end))
    for caller, ranges in found.items():
        item = _file_item(view, ranges[0]) if caller is None else _item(view, caller)
        if item is not None:
            yield types.CallHierarchyIncomingCall(item, ranges)


def _outgoing(view: View, item: types.CallHierarchyItem) -> list[types.CallHierarchyOutgoingCall] | None:
    """By what is called or launched: its definition, where the file sees one."""
    from analysis.features.function_uses import definitions_of

    uses = _uses_in(view, item)
    if uses is None:
        return None
    found: dict[FunctionPlace, list[types.Range]] = {}
    for use in uses:
        for callee in definitions_of(view.analysis, use.callee):
            found.setdefault(callee, []).append(view.range(use.start, use.end))
    called = [(_item(view, callee), ranges) for callee, ranges in found.items()]
    return [types.CallHierarchyOutgoingCall(callee, ranges) for callee, ranges in called if callee is not None]


def _uses_in(view: View, item: types.CallHierarchyItem) -> list[Use] | None:
    """What the function of an item uses; None where no such function stands there any more."""
    from analysis.features.function_uses import device_calls, launches

    if not view.analysed.configuration.navigation:
        return None
    offset = view.offset(item.selection_range.start)
    function = view.analysis.facts.function_at(offset)
    if function is not None:
        return list(device_calls(view.analysis, function)) if _named(view, item) else None
    launched = [use for use in launches(view.analysis, sites_of(view)) if _is_caller(use, item.name, offset)]
    return launched if launched or _named(view, item) else None


def _is_caller(use: Use, name: str, offset: int) -> bool:
    caller = use.caller
    return caller is not None and caller.name_start <= offset < caller.name_end and printable(caller.name) == name


def _item(view: View, place: FunctionPlace) -> types.CallHierarchyItem | None:
    around = view.location(Location(place.path, place.start, place.end))
    name = view.location(Location(place.path, place.name_start, place.name_end))
    if around is None or name is None:
        return None
    return types.CallHierarchyItem(
        name=printable(place.name),
        kind=types.SymbolKind.Function,
        uri=around.uri,
        range=around.range,
        selection_range=name.range,
        detail=printable(os.path.basename(place.path)),
    )


def _file_item(view: View, shown: types.Range) -> types.CallHierarchyItem:
    item = view.analysed.item
    name = printable(os.path.basename(item.analysis_path))
    return types.CallHierarchyItem(
        name=name, kind=types.SymbolKind.File, uri=item.uri, range=shown, selection_range=shown
    )
