"""Barriers that are inserted leave no race between lanes, and what lanes leave that ran in step.

The referee runs the text after the change itself, under every policy, and compares it with the text before under the
policy that keeps lanes in step; it shares no code with the check of the product beyond the simulator.
"""

from __future__ import annotations

from collections import Counter
from typing import Final

import numpy as np

from analysis.facts.analyzer import Analyzer, FileAnalysis
from analysis.facts.settings import AnalysisSettings
from analysis.refactor.edit import apply_replacements
from analysis.refactor.warp_order.model import CannotOrder, Ordered
from analysis.refactor.warp_order.order import order_exchanges
from analysis.syntax.document import Document
from analysis.syntax.includes import DictLoader
from sim.faults import DataRace, Fault
from sim.observers.races import RaceObserver
from sim.policies.ipdom import Ipdom
from sim.policies.protocol import PolicyFactory
from sim.policies.registry import POLICIES
from sim.specification import Budget
from tests.sim.running import run

WARP: Final = 32
THREADS: Final = 64


def ordered(text: str) -> Ordered | CannotOrder | None:
    analysis = analyzed(text.encode())
    kernel = next(one for one in analysis.facts.functions if one.name == "k")
    return order_exchanges(analysis, kernel, analyzed)


def analyzed(text: bytes) -> FileAnalysis:
    return Analyzer().analyze("a.cu", Document.open(text), DictLoader(), AnalysisSettings())


def referee(text: str) -> tuple[list[str], Counter[str]]:
    """What is wrong with the answer for one kernel, and what kind of answer it was."""
    found = ordered(text)
    match found:
        case None:
            raced = any(lane_races(text, Ipdom)[0])
            return [], Counter({"nothing to order": 1, "though lanes race": int(raced)})
        case CannotOrder(reason=reason):
            return [], Counter({f"refused: {reason.name}": 1})
        case Ordered():
            after = apply_replacements(text.encode(), found.edit).decode()
            counts = Counter({"ordered": 1, "barriers": found.barriers, "masked": found.masked, "splits": found.splits})
            return _wrong(text, after), counts


def _wrong(before: str, after: str) -> list[str]:
    expected = lane_races(before, Ipdom)[1]
    wrong: list[str] = []
    for policy in POLICIES.values():
        faults, memory = lane_races(after, policy)
        wrong += [f"{type(fault).__name__} under {policy.name}\n{after}" for fault in faults]
        if memory != expected:
            wrong.append(f"another result under {policy.name}\n{after}")
        if wrong:
            break
    return wrong


def lane_races(text: str, policy: PolicyFactory) -> tuple[list[Fault], bytes]:
    """Faults, races of two lanes of a warp among them, and what is left in memory."""
    draw = np.random.default_rng(5)
    arrays = {
        "x": draw.integers(0, 99, THREADS).astype(np.int32),
        "y": draw.integers(0, 6, THREADS).astype(np.int32),
        "n": THREADS,
    }
    races = RaceObserver(volatile_is_plain=True)
    result = run(text, arrays, block=THREADS, policy=policy, observers=(races,), budget=Budget(max_steps=50_000))
    found: list[Fault] = [fault for fault in result.faults if not isinstance(fault, DataRace)]
    for race in races.faults():
        if isinstance(race, DataRace) and race.is_shared:
            warps = {one.thread[0] // WARP for one in (race.evidence, race.other)}
            if len(warps) == 1 and race.sites[0] != race.sites[1]:
                found.append(race)
    return found, result.arrays["x"].tobytes()
