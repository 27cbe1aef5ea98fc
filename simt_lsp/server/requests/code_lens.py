"""`textDocument/codeLens`: over each kernel its counts, whose command explains its line, and one that simulates it; in
the end where it is launched, if that is in another file.

Over each launch in host code stands one that simulates the kernel as it is launched there.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Final

from lsprotocol import types

from analysis.ir.pace import paced
from simt_lsp.server.simulations.results import Placed
from simt_lsp.server.simulations.words import lens_words
from simt_lsp.server.transport.written import Written
from simt_lsp.server.views.launches_in_view import can_be_simulated, sites_of
from simt_lsp.server.views.view import View, printable

if TYPE_CHECKING:
    from analysis.features.code_lens import CodeLens
    from analysis.features.launch_site import LaunchSite
    from simt_lsp.server.session.server import SimtServer

LAUNCH_TITLE: Final = "Simulate this launch"
EXPLAIN_COMMAND: Final = "simt.explain"
SIMULATE_COMMAND: Final = "simt.simulate"
"""Run by the server, so a client without our extension can run them too."""


async def on_code_lens(ls: SimtServer, params: types.CodeLensParams) -> Written | None:
    found = await ls.ask_written(params.text_document.uri, lenses)
    if found is not None and not found.is_empty:
        ls.prepare_simulations(params.text_document.uri)
    return found


def lenses(view: View) -> list[types.CodeLens]:
    from analysis.features.code_lens import code_lenses

    if not view.analysed.configuration.code_lens:
        return []
    uri = view.analysed.item.uri
    simulated = {result.line: result for result in view.known.placed()}
    found: list[types.CodeLens] = []
    for lens in paced(code_lenses(view.analysis), 20):
        name = view.range(lens.start, lens.end)
        place = _first_line(view, lens.declaration)
        explain = types.Command(printable(lens.title), EXPLAIN_COMMAND, arguments=[uri, name.start.line + 1])
        found.append(types.CodeLens(place, explain))
        found.append(types.CodeLens(place, _simulate(uri, lens.function, name, simulated.get(_line(view, lens)))))
        if lens.origin is not None:
            found.append(
                types.CodeLens(
                    place, types.Command(printable(lens.origin), EXPLAIN_COMMAND, arguments=explain.arguments)
                )
            )
    return [*found, *_launch_lenses(view)]


def _launch_lenses(view: View) -> Iterator[types.CodeLens]:
    """Over each launch in host code of a kernel in sight, one that simulates it."""
    for site in paced(sites_of(view), 10):
        if can_be_simulated(view, site):
            yield types.CodeLens(_first_line(view, site.start), simulate_launch_command(view, site))


def _first_line(view: View, declaration: int) -> types.Range:
    """The line in which the declaration begins, be it `template <…>`: a lens stands above all of it, within one line.

    From where the text of that line begins: Neovim indents a lens as far as its range.
    """
    text = view.analysed.item.document.text
    start = text.rfind(b"\n", 0, declaration) + 1
    end = text.find(b"\n", declaration)
    line = text[start : len(text) if end < 0 else end].rstrip()
    return view.range(start + len(line) - len(line.lstrip()), start + len(line))


def _simulate(uri: str, kernel: str, place: types.Range, result: Placed | None) -> types.Command:
    report = None if result is None else result.report
    return simulate_lens_command(uri, kernel, place, "Simulate" if report is None else lens_words(report))


def simulate_lens_command(uri: str, kernel: str, place: types.Range, title: str) -> types.Command:
    """`place` is that of the kernel's name."""
    argument: dict[str, Any] = {"textDocument": {"uri": uri}, "kernel": kernel, "position": place.start, "again": True}
    return types.Command(title, SIMULATE_COMMAND, arguments=[argument])


def simulate_launch_command(view: View, site: LaunchSite) -> types.Command:
    """With what its last simulation counted, as long as that holds."""
    report = view.known.simulated_launch(site.launch)
    argument = {"textDocument": {"uri": view.analysed.item.uri}, "position": view.position(site.start), "again": True}
    return types.Command(LAUNCH_TITLE if report is None else lens_words(report), SIMULATE_COMMAND, arguments=[argument])


def _line(view: View, lens: CodeLens) -> int | None:
    """The line where the kernel's definition begins."""
    function = view.analysis.facts.function_at(lens.start)
    return None if function is None else view.analysis.document.lines.line_of(function.start)
