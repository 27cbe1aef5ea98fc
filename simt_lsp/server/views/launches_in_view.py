"""The launches in the host code of a document."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lsprotocol import types

from simt_lsp.server.views.view import View

if TYPE_CHECKING:
    from analysis.features.launch_site import LaunchSite


def sites_of(view: View) -> tuple[LaunchSite, ...]:
    """All of them, in text order."""
    from analysis.features.launch_site import launch_sites

    return launch_sites(view.analysis, view.known.launches())


def can_be_simulated(view: View, site: LaunchSite) -> bool:
    """Whether it is known which kernel is launched, and which file defines it."""
    if site.kernel is None:
        return False
    return site.kernel.is_definition or len(view.known.definers(site.kernel.name)) == 1


def launch_at(view: View, position: types.Position) -> LaunchSite | None:
    """The launch whose name or configuration stands there."""
    from analysis.features.launch_site import site_at

    return site_at(sites_of(view), view.offset(position))
