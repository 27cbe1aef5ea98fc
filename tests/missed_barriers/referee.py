"""A repaired kernel leaves what its author meant, under every policy and without a fault.

The referee runs the repaired text and the meant one; it shares no code with the check of the product beyond the
simulator.
"""

from __future__ import annotations

from collections import Counter

import numpy as np

from analysis.facts.analyzer import Analyzer, FileAnalysis
from analysis.facts.settings import AnalysisSettings
from analysis.refactor.block_barriers.meet import meet_barriers
from analysis.refactor.block_barriers.model import CannotMeet, Met
from analysis.refactor.edit import apply_replacements
from analysis.syntax.document import Document
from analysis.syntax.includes import DictLoader
from sim.faults import Fault
from sim.observers.races import RaceObserver
from sim.policies.ipdom import Ipdom
from sim.policies.protocol import PolicyFactory
from sim.policies.registry import POLICIES
from sim.specification import Budget
from tests.missed_barriers.kernels import THREADS, Kernel
from tests.sim.running import run


def analyzed(text: bytes) -> FileAnalysis:
    return Analyzer().analyze("a.cu", Document.open(text), DictLoader(), AnalysisSettings())


def repaired(text: str) -> str | CannotMeet | None:
    analysis = analyzed(text.encode())
    found = meet_barriers(analysis, analysis.facts.functions[0], analyzed)
    return apply_replacements(text.encode(), found.edit).decode() if isinstance(found, Met) else found


def referee(kernel: Kernel) -> tuple[list[str], Counter[str]]:
    """What is wrong with the answer for one kernel, and what kind of answer it was."""
    after = repaired(kernel.faulty)
    match after:
        case None:
            return [], Counter({"nothing missed": 1})
        case CannotMeet(reason=reason):
            return [], Counter({f"refused: {reason.name}": 1})
        case str():
            return wrong(kernel, after), Counter({"repaired": 1})


def wrong(kernel: Kernel, after: str) -> list[str]:
    faults, expected = left(kernel.meant, Ipdom)
    if faults:
        return [f"the generator is wrong: {faults[0]}\n{kernel.meant}"]
    for policy in POLICIES.values():
        faults, memory = left(after, policy)
        if faults:
            return [f"{faults[0]} under {policy.name}\n{after}"]
        if memory != expected:
            return [f"another result under {policy.name}\n{after}\nmeant\n{kernel.meant}"]
    return []


def left(text: str, policy: PolicyFactory) -> tuple[list[Fault], bytes]:
    """Faults, races among them, and what is left in memory."""
    draw = np.random.default_rng(5)
    arrays = {
        "x": draw.integers(0, 99, THREADS).astype(np.int32),
        "y": draw.integers(0, 6, THREADS).astype(np.int32),
        "n": THREADS,
    }
    races = RaceObserver()
    result = run(text, arrays, block=THREADS, policy=policy, observers=(races,), budget=Budget(max_steps=200_000))
    return list(result.faults), result.arrays["x"].tobytes()
