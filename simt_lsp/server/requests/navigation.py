"""`textDocument/definition`, `declaration` and `references`: of kernels and device functions, from launches and calls.

Rules    Every other name is answered with null, so that a C++ language server beside this one answers for it; the
         setting `navigation` switches all of them off.
         References are looked for in the file of the function, in open documents, and in the files of the project that
         may use it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from lsprotocol import types

from analysis.facts.model import Location
from simt_lsp.server.documents.uris import path_of
from simt_lsp.server.session.definitions import Meant, wherever
from simt_lsp.server.transport.written import Written
from simt_lsp.server.views.launches_in_view import sites_of
from simt_lsp.server.views.view import View

if TYPE_CHECKING:
    from analysis.features.function_uses import Use
    from analysis.features.launch_site import FunctionPlace
    from simt_lsp.server.session.server import SimtServer


async def on_definition(ls: SimtServer, params: types.DefinitionParams) -> list[types.Location] | None:
    uri = params.text_document.uri
    meant = await _meant_wherever(ls, uri, params.position)
    return await ls.ask(uri, lambda view: _places(view, meant.places, wanted=True))


async def on_declaration(ls: SimtServer, params: types.DeclarationParams) -> list[types.Location] | None:
    """Where there is no declaration of its own, the definition."""
    uri, position = params.text_document.uri, params.position
    return await ls.ask(uri, lambda view: _places(view, meant_at(view, position), wanted=False))


async def on_references(ls: SimtServer, params: types.ReferenceParams) -> Written | None:
    uri, with_own = params.text_document.uri, params.context.include_declaration
    meant = await _meant_wherever(ls, uri, params.position)
    if not meant.places:
        return None
    found: list[types.Location] = []
    for path in files_using(ls, meant.places):
        found += await ls.other_files.ask(path, lambda view: list(_references(view, meant, with_own=with_own))) or ()
    return await ls.ask_written(uri, lambda _: found)


async def _meant_wherever(ls: SimtServer, uri: str, position: types.Position) -> Meant:
    places = await ls.ask(uri, lambda view: meant_at(view, position)) or ()
    path = path_of(uri)
    return Meant(places, None) if path is None else await wherever(ls, path, places)


def meant_at(view: View, position: types.Position) -> tuple[FunctionPlace, ...]:
    """The function at a position, with all of its declarations that the file sees."""
    from analysis.features.function_uses import function_at, same_function

    if not view.analysed.configuration.navigation:
        return ()
    named = function_at(view.analysis, sites_of(view), view.offset(position))
    return tuple(dict.fromkeys(one for place in named for one in (place, *same_function(view.analysis, place))))


def _places(view: View, places: Sequence[FunctionPlace], *, wanted: bool) -> list[types.Location] | None:
    """The definitions, or (`wanted` False) the declarations."""
    chosen = [place for place in places if place.is_definition is wanted] or list(places)
    return [location for place in chosen if (location := _name(view, place)) is not None] or None


def uses_of(view: View, meant: Meant) -> Iterator[Use]:
    """The calls and launches in a file of what is meant, each place in the text once.

    What one file defines, others may only see declared: what they call is compared by all of its declarations, and what
    they declare themselves by what that says.
    """
    from analysis.features.function_uses import uses

    names = {place.name for place in meant.places}
    known: dict[FunctionPlace, bool] = {}
    seen: set[int] = set()
    for use in uses(view.analysis, sites_of(view)):
        callee = use.callee
        if callee.name not in names or use.start in seen:
            continue
        if callee not in known:
            known[callee] = _is_meant(view, callee, meant)
        if known[callee]:
            seen.add(use.start)
            yield use


def _is_meant(view: View, callee: FunctionPlace, meant: Meant) -> bool:
    from analysis.features.declared_elsewhere import declared_at, is_alike
    from analysis.features.function_uses import same_function

    starts = {(place.path, place.start) for place in meant.places}
    same = (callee, *same_function(view.analysis, callee))
    if any((place.path, place.start) in starts for place in same):
        return True
    if meant.declared is None or any(place.is_definition for place in same):
        return False
    declared = declared_at(view.analysis, callee)
    return declared is not None and is_alike(declared, meant.declared) and _may_belong(view, callee, meant)


def _may_belong(view: View, callee: FunctionPlace, meant: Meant) -> bool:
    """Whether the definition may be the one of what the file declares: programs side by side have the same names."""
    definers = view.known.definers(callee.name)
    return any(place.is_definition and place.path in definers for place in meant.places)


def _references(view: View, meant: Meant, *, with_own: bool) -> Iterator[types.Location]:
    uri = view.analysed.item.uri
    if with_own:
        for place in meant.places:
            location = _name(view, place) if place.path == view.analysed.item.analysis_path else None
            if location is not None:
                yield location
    for use in uses_of(view, meant):
        yield types.Location(uri, view.range(use.start, use.end))


def files_using(ls: SimtServer, meant: Sequence[FunctionPlace]) -> list[str]:
    """The files that define or declare it, those that are open, and those that may use it."""
    found = [place.path for place in meant]
    found += [item.analysis_path for item in ls.documents.current.values() if item.analysed]
    for place in meant:
        root = ls.roots.of(place.path)
        if root is not None and root.project is not None:
            found += root.project.users(place.path, place.name, internal=False).paths
            found += root.project.headers_naming(place.path, place.name)
    return list(dict.fromkeys(found))


def _name(view: View, place: FunctionPlace) -> types.Location | None:
    return view.location(Location(place.path, place.name_start, place.name_end))
