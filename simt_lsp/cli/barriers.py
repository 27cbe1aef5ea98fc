"""Repairs of barriers, checked by running both versions with what the file and the settings say."""

from __future__ import annotations

import os
from collections.abc import Sequence

from analysis.facts.functions import annotation_above
from analysis.features.barrier_repairs import BarrierRepair
from analysis.lower.program import DeviceFunction
from analysis.rules.diagnostic import Applicability
from sim.equivalence.checked_barriers import CheckedBarriers, NoBarriers, check_barriers
from sim.equivalence.model import Confirmed, Refuted
from sim.equivalence.words import verdict_words
from sim.launch.request import Request, requests_in_order
from simt_lsp.cli.engine import Analyzed, Engine
from simt_lsp.launch_requests import settings_requests


def checked_barriers(
    engine: Engine, analyzed: Analyzed, repair: BarrierRepair, *, unsafe: bool
) -> CheckedBarriers | str:
    """What may be applied, or why it is withheld; `unsafe`: also what no run could check."""

    def requests(kernel: DeviceFunction) -> Sequence[Request]:
        text = analyzed.analysis.program.unit.text_of(kernel.item.path)
        annotation = None if text is None else annotation_above(text, kernel.item.span.start)
        folder = os.path.dirname(kernel.item.path)
        said = settings_requests(analyzed.setup.configuration.simulation.of(kernel.item.name), folder)
        return requests_in_order(Request("given"), annotation, folder, said, analyzed.setup.settings.block)

    checked = check_barriers(
        analyzed.analysis,
        repair.function,
        repair.goal,
        repair.place,
        lambda text: engine.reanalyze(analyzed, text).analysis,
        requests_of=requests,
    )
    if isinstance(checked, NoBarriers):
        return checked.message
    if isinstance(checked.verdict, Confirmed):
        return checked
    if isinstance(checked.verdict, Refuted):
        return f"refuted: {verdict_words(checked.verdict)}"
    return checked if unsafe else f"not checked: {verdict_words(checked.verdict)}; --unsafe-fixes applies it"


def applicability(checked: CheckedBarriers) -> Applicability:
    """Safe is what a run confirmed."""
    return Applicability.SAFE if isinstance(checked.verdict, Confirmed) else Applicability.UNSAFE
