"""The hover of a launch in host code: what it says, and what is known of the kernel, which may stand elsewhere."""

from __future__ import annotations

from typing import TYPE_CHECKING, final

from analysis.ir.record import record
from simt_lsp.server.views.run_hovers import kernel_hover
from simt_lsp.server.views.view import View

if TYPE_CHECKING:
    from analysis.features.hover_info import FunctionSubject, HoverInfo
    from analysis.features.launch_site import FunctionPlace, LaunchSite
    from simt_lsp.server.session.server import SimtServer


@final
@record
class KnownKernel:
    """What its own file says of a kernel; `lines` are more sentences about it."""

    subject: FunctionSubject | None
    lines: tuple[str, ...]


NOTHING_KNOWN = KnownKernel(None, ())


def launch_info(view: View, site: LaunchSite, kernel: KnownKernel) -> HoverInfo:
    from analysis.features.launch_hover import launch_hover

    return launch_hover(view.analysis, site, kernel.subject)


async def known_kernel(ls: SimtServer, site: LaunchSite) -> KnownKernel:
    """From the analysis of the kernel's own file."""
    if len(site.definitions) != 1:
        return NOTHING_KNOWN
    (place,) = site.definitions
    return await ls.other_files.ask(place.path, lambda view: _known(view, place)) or NOTHING_KNOWN


def _known(view: View, place: FunctionPlace) -> KnownKernel:
    from analysis.features.launch_hover import kernel_subject

    inside = [one for one in view.analysed.diagnostics if place.start <= one.start < place.end]
    found = [f"{one.code} {one.message}" for one in inside if one.severity.value in ("error", "warning")]
    more = [f"… {len(found) - MAX_FINDINGS} more findings"] if len(found) > MAX_FINDINGS else []
    return KnownKernel(
        kernel_subject(view.analysis, place), (*found[:MAX_FINDINGS], *more, *kernel_hover(view, place.start))
    )


MAX_FINDINGS = 4
