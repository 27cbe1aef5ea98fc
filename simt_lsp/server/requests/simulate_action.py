"""What a lens offers, for who sees no lenses: a code action that simulates the launch, or the kernel, at the cursor.

Rules    A launch: in any line of it.  A kernel: in the line of its name; at its findings `finding_actions` offers that.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final

from lsprotocol import types

from simt_lsp.server.requests.code_lens import (
    LAUNCH_TITLE,
    simulate_launch_command,
    simulate_lens_command,
)
from simt_lsp.server.views.launches_in_view import can_be_simulated, sites_of
from simt_lsp.server.views.view import View

if TYPE_CHECKING:
    from analysis.rules.diagnostic import Diagnostic

SIMULATE: Final = "simulate"
"""A kind of its own: it repairs and rewrites nothing."""


def simulate_actions(view: View, place: types.Range, findings: Sequence[Diagnostic]) -> Iterator[types.CodeAction]:
    """`findings` are those at the place."""
    first, last = place.start.line, place.end.line
    for site in sites_of(view):
        around = view.range(site.start, site.end)
        if can_be_simulated(view, site) and around.start.line <= last and first <= around.end.line:
            command = simulate_launch_command(view, site)
            command.title = LAUNCH_TITLE
            yield types.CodeAction(title=LAUNCH_TITLE, kind=SIMULATE, command=command)
    for kernel in view.analysis.facts.kernels():
        start = kernel.start + kernel.name_span.start
        name = view.range(start, kernel.start + kernel.name_span.end)
        is_offered = any(kernel.start <= one.start < kernel.end for one in findings)
        if kernel.active and not is_offered and first <= name.start.line <= last:
            title = "Simulate this kernel"
            command = simulate_lens_command(view.analysed.item.uri, kernel.name, name, title)
            yield types.CodeAction(title=title, kind=SIMULATE, command=command)
