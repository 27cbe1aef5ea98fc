"""What `simt.simulate` means in a host file: the kernel of a launch, or a kernel of an included header by its name.

Rules    The kernel runs in the file that launches it, so that types and constants mean what they mean there; results
         belong to the kernel's own file.
         A position is that of the launch around it, or of the first one that begins in its line.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, final

from analysis.ir.record import record
from simt_lsp.launch_requests import launch_name
from simt_lsp.server.documents.uris import path_of
from simt_lsp.server.session.definitions import definition_elsewhere
from simt_lsp.server.simulations.arguments import SimulateArguments
from simt_lsp.server.simulations.checked_melds import text_digest
from simt_lsp.server.simulations.identity import host_digest
from simt_lsp.server.simulations.job import SourceText
from simt_lsp.server.simulations.results import LaunchedFrom
from simt_lsp.server.views.launches_in_view import sites_of
from simt_lsp.server.views.source_text import source_text
from simt_lsp.server.views.view import View, printable

if TYPE_CHECKING:
    from analysis.features.launch_site import FunctionPlace, LaunchSite
    from simt_lsp.server.session.server import SimtServer


@final
@record
class KernelElsewhere:
    """A kernel that a document launches or includes: of another file, or of this one by its launch.

    `source` is the text in which it runs; None where that is its own file's.
    """

    kernel: FunctionPlace
    source: SourceText | None
    origin: LaunchedFrom | None


def kernel_elsewhere(view: View, arguments: SimulateArguments) -> KernelElsewhere | None:
    """Raises `ValueError` for a launch of which it is not known which kernel it means."""
    if arguments.kernel is not None:
        return _included(view, arguments.kernel)
    site = _launch(view, arguments)
    if site is None:
        return None
    name = printable(site.launch.kernel)
    if len(site.kernels) > 1:
        raise ValueError(f"simt.simulate: several kernels named {name} take so many arguments")
    if site.kernel is None:
        raise ValueError(f"simt.simulate: nothing in sight declares the kernel {name}")
    item = view.analysed.item
    line = view.position(site.start).line + 1
    launch = replace(site.launch, name=launch_name(item.analysis_path, line))
    origin = LaunchedFrom(
        item.uri, item.analysis_path, launch, text_digest(item.document.text), host_digest(view.analysis)
    )
    return KernelElsewhere(site.kernel, source_text(view) if site.kernel.is_definition else None, origin)


async def with_kernel(ls: SimtServer, uri: str, found: KernelElsewhere) -> KernelElsewhere:
    """With the kernel's definition in place of what the document only declares; raises `ValueError`.

    Such a kernel runs in its own file: the one that launches it does not see its text.
    """
    if found.kernel.is_definition:
        return found
    path = path_of(uri)
    definition = None if path is None else await definition_elsewhere(ls, path, found.kernel)
    if definition is None:
        name = printable(found.kernel.name)
        raise ValueError(f"simt.simulate: no file of the project is known to define the kernel {name}")
    return replace(found, kernel=definition.place)


def _launch(view: View, arguments: SimulateArguments) -> LaunchSite | None:
    from analysis.features.launch_site import site_on_line

    if arguments.position is None:
        return None
    return site_on_line(view.analysis, sites_of(view), view.offset(arguments.position))


def _included(view: View, name: str) -> KernelElsewhere | None:
    from analysis.features.launch_site import place_of
    from analysis.lower.seen_kernels import seen_kernels

    kernels = [kernel for kernel in seen_kernels(view.analysis.program) if kernel.item.name == name]
    return KernelElsewhere(place_of(kernels[0].item), source_text(view), None) if len(kernels) == 1 else None
