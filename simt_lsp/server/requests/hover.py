"""`textDocument/hover`: what does the warp see here?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, assert_never

from lsprotocol import types

from simt_lsp.server.requests.launch_hover import known_kernel, launch_info
from simt_lsp.server.session.definitions import with_definition
from simt_lsp.server.views.launches_in_view import launch_at
from simt_lsp.server.views.meld_hover import meld_hover
from simt_lsp.server.views.run_hovers import access_hover, branch_hover, kernel_hover, line_hover
from simt_lsp.server.views.view import View, printable

if TYPE_CHECKING:
    from analysis.features.hover_info import HoverInfo
    from simt_lsp.server.session.server import SimtServer


async def on_hover(ls: SimtServer, params: types.HoverParams) -> types.Hover | None:
    uri, position = params.text_document.uri, params.position
    found = await ls.ask(uri, lambda view: hover(view, position) or launch_at(view, position))
    if found is None or isinstance(found, types.Hover):
        return found
    site = await with_definition(ls, uri, found)
    kernel = await known_kernel(ls, site)
    return await ls.ask(uri, lambda view: _rendered(view, launch_info(view, site, kernel), kernel.lines))


def hover(view: View, position: types.Position) -> types.Hover | None:
    from analysis.features.hover import hover_at

    info = hover_at(view.analysis, view.offset(position))
    if info is None:
        return None
    info = _without_findings(view, info)
    return _rendered(view, info, _counted(view, info))


def _rendered(view: View, info: HoverInfo, counted: Sequence[str]) -> types.Hover:
    from analysis.features.hover_text import render_markdown, render_text

    if view.features.markdown:
        text = "\n\n".join([render_markdown(info), *counted])
        contents = types.MarkupContent(types.MarkupKind.Markdown, printable(text))
    else:
        text = "\n".join([render_text(info), *counted])
        contents = types.MarkupContent(types.MarkupKind.PlainText, printable(text))
    return types.Hover(contents, view.range(info.start, info.end))


def _without_findings(view: View, info: HoverInfo) -> HoverInfo:
    """Clients that show findings in hovers would show the sentence about a barrier twice."""
    from analysis.features.barrier_repairs import MEETING_CODES
    from analysis.features.hover_info import BarrierSubject

    if not view.features.findings_in_hovers or not isinstance(info.subject, BarrierSubject):
        return info
    said = any(
        one.code in MEETING_CODES and one.start < info.end and info.start < one.end for one in view.analysed.diagnostics
    )
    return replace(info, subject=replace(info.subject, reason=None, tier=None)) if said else info


def _counted(view: View, info: HoverInfo) -> list[str]:
    """What simulations counted there; of an expression that no access to memory stands in, of its line."""
    from analysis.features.hover_info import BarrierSubject, BranchSubject, FunctionSubject, LaunchSubject, ValueSubject

    match info.subject:
        case BranchSubject():
            return [*meld_hover(view, info.start), *branch_hover(view, info.start)]
        case FunctionSubject():
            function = view.analysis.facts.function_at(info.start)
            return [] if function is None else kernel_hover(view, function.start)
        case ValueSubject(start=start, end=end, accesses=accesses):
            return (access_hover(view, start, end) if accesses else []) or line_hover(view, info.start)
        case BarrierSubject():
            return line_hover(view, info.start)
        case LaunchSubject():
            return []
        case _:
            assert_never(info.subject)
