"""Repairs of barriers, checked by running both versions with what the file and the settings say."""

from __future__ import annotations

from collections.abc import Sequence

from analysis.features.barrier_repairs import BarrierRepair
from analysis.lower.program import DeviceFunction
from analysis.rules.diagnostic import Applicability
from sim.equivalence.checked_barriers import CheckedBarriers, NoBarriers, check_barriers
from sim.equivalence.model import Confirmed, Refuted
from sim.equivalence.words import verdict_words
from sim.launch.request import Request
from simt_lsp.cli.engine import Analyzed, Engine
from simt_lsp.cli.launches import requests_around


def checked_barriers(
    engine: Engine, analyzed: Analyzed, repair: BarrierRepair, *, unsafe: bool
) -> CheckedBarriers | str:
    """What may be applied, or why it is withheld; `unsafe`: also what no run could check."""

    def requests(kernel: DeviceFunction) -> Sequence[Request]:
        return requests_around(analyzed, kernel)

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
