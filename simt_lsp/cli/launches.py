"""What is asked of the launches of a kernel where the command line says nothing about them."""

from __future__ import annotations

import os
from collections.abc import Sequence

from analysis.launches.annotation import annotation_above
from analysis.lower.program import DeviceFunction
from sim.launch.request import Request, requests_in_order
from simt_lsp.cli.engine import Analyzed
from simt_lsp.launch_requests import settings_requests


def requests_around(analyzed: Analyzed, kernel: DeviceFunction) -> Sequence[Request]:
    """The comment above the kernel, then the settings, the most important first.  Raises `LaunchError`."""
    text = analyzed.analysis.program.unit.text_of(kernel.item.path)
    annotation = None if text is None else annotation_above(text, kernel.item.span.start)
    folder = os.path.dirname(kernel.item.path)
    said = settings_requests(analyzed.setup.configuration.simulation.of(kernel.item.name), folder)
    return requests_in_order(Request("given"), annotation, folder, said, analyzed.setup.settings.block)
