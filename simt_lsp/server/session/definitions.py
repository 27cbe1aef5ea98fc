"""The definition of a kernel that a document only declares, in whatever file of the project."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, final

from analysis.ir.record import record
from simt_lsp.server.documents.uris import path_of
from simt_lsp.server.views.view import View

if TYPE_CHECKING:
    from analysis.features.declared_elsewhere import Declared
    from analysis.features.launch_site import DefinedElsewhere, FunctionPlace, LaunchSite
    from simt_lsp.server.session.server import SimtServer


@final
@record
class Meant:
    """A function wherever the project speaks of it: `places` are its definition and the declarations that are known,
    `declared` is what any declaration says."""

    places: tuple[FunctionPlace, ...]
    declared: Declared | None


async def wherever(ls: SimtServer, path: str, places: tuple[FunctionPlace, ...]) -> Meant:
    """Of a function that the file at `path` names: with its definition, where that is in a file it does not see."""
    if not places:
        return Meant((), None)
    declared = await ls.other_files.ask(path, lambda view: _declared(view, places[0]))
    if any(place.is_definition for place in places):
        return Meant(places, declared)
    found = await definition_elsewhere(ls, path, places[0])
    return Meant(places if found is None else (*places, found.place), declared)


async def with_definition(ls: SimtServer, uri: str, site: LaunchSite) -> LaunchSite:
    """The launch, with where its kernel is defined if that is in a file which the document does not include."""
    if site.kernel is None or site.kernel.is_definition:
        return site
    path = path_of(uri)
    return site if path is None else replace(site, elsewhere=await definition_elsewhere(ls, path, site.kernel))


async def definition_elsewhere(ls: SimtServer, path: str, declared: FunctionPlace) -> DefinedElsewhere | None:
    """Of what the file at `path` sees declared; None where no file has it, or several may."""
    asked = await ls.other_files.ask(path, lambda view: (_declared(view, declared), view.known.definers(declared.name)))
    wanted, paths = asked or (None, ())
    if wanted is None:
        return None
    found: list[DefinedElsewhere] = []
    for other in paths:
        found += await ls.other_files.ask(other, lambda view: _defined(view, wanted)) or ()
    return found[0] if len(found) == 1 else None


def _declared(view: View, place: FunctionPlace) -> Declared | None:
    from analysis.features.declared_elsewhere import declared_at

    return declared_at(view.analysis, place)


def _defined(view: View, wanted: Declared) -> tuple[DefinedElsewhere, ...]:
    from analysis.features.declared_elsewhere import definitions_of

    return definitions_of(view.analysis, wanted)
