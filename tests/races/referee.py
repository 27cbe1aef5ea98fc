"""Static races against runs: what is proven happens, and what is ruled out never does."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final, final

import numpy as np

from analysis.divergence.launch_shape import BlockShape, LaunchKnowledge
from analysis.ir.source import Span
from analysis.races.analysis import find_races
from analysis.races.global_memory import find_global_races
from analysis.races.model import Race, RaceWitness
from analysis.races.uses import MemoryUses
from analysis.verdict.barriers import Tier
from benchmarks.claims.subject import Subject, analyze_subject
from sim.faults import DataRace
from sim.observers.races import RaceObserver
from tests.races.oracle import Lines
from tests.sim.running import kernel_of, run

ELEMENTS: Final = 1 << 16


@final
@dataclass(frozen=True, slots=True)
class Claimed:
    """`proven` with the witness of each; `seen` in some block; `open` are all pairs of lines that are not ruled out."""

    proven: dict[Lines, RaceWitness]
    seen: set[Lines]
    open: set[Lines]


def claims(text: str, shape: BlockShape | None, name: str = "k") -> Claimed:
    """What is said of the kernel if its blocks are known to have that shape, or if nothing is known."""
    knowledge = LaunchKnowledge(() if shape is None else (shape,))
    subject = analyze_subject(kernel_of(text, name).function, knowledge)
    memory = memory_of(subject, knowledge)
    races = (*find_races(memory, subject.barriers), *find_global_races(memory, subject.barriers, ()))
    start = _start_of(text, name)
    proven: dict[Lines, RaceWitness] = {}
    for race in races:
        if race.tier is Tier.PROVEN and race.witness is not None:
            proven.setdefault(race_lines(text, start, race), race.witness)
    seen = {race_lines(text, start, race) for race in races if race.witness is not None}
    return Claimed(proven, seen, {race_lines(text, start, race) for race in races})


def memory_of(subject: Subject, known: LaunchKnowledge) -> MemoryUses:
    return MemoryUses(subject.function, subject.control, subject.divergence, subject.affine, subject.spaces, known)


def observed(text: str, shape: tuple[int, int, int], numbers: dict[str, int], name: str = "k") -> set[Lines]:
    """The pairs of lines that race in a run with arrays of random numbers; same values count as well."""
    observer = RaceObserver()
    source = np.random.default_rng(0).random(ELEMENTS).astype(np.float32)
    arguments = {"out": np.zeros(ELEMENTS, np.float32), "in": source, **numbers}
    run(text, arguments, block=shape, grid=1, name=name, observers=[observer])
    start = _start_of(text, name)
    return {raced_lines(text, start, race) for race in observer.answer().races}


def unreproduced(text: str, found: dict[Lines, RaceWitness], name: str = "k") -> list[Lines]:
    """Proven races that do not happen in the launch that their witness names."""
    missing: list[Lines] = []
    runs: dict[tuple[BlockShape, tuple[tuple[str, int], ...]], set[Lines]] = {}
    for lines, witness in found.items():
        key = witness.shape, witness.arguments
        if key not in runs:
            shape = witness.shape
            numbers = {"n": 3, **dict(witness.arguments)}
            runs[key] = observed(text, (shape.x, shape.y, shape.z), numbers, name)
        if lines not in runs[key]:
            missing.append(lines)
    return missing


def _start_of(text: str, name: str) -> int:
    """The line, from 1, where the kernel begins."""
    at = text.index(f"void {name}(")
    return text.count("\n", 0, at) + 1


def race_lines(text: str, start: int, race: Race) -> Lines:
    return frozenset(_line(text, start, use.span) for use in (race.first, race.second))


def raced_lines(text: str, start: int, race: DataRace) -> Lines:
    return frozenset(_line(text, start, place.span) for place in (race.evidence, race.other))


def _line(text: str, start: int, span: Span) -> int:
    """Spans are relative to the kernel, which begins with a line of its own."""
    lines = text.split("\n")
    offset = sum(len(line) + 1 for line in lines[: start - 1])
    return text.count("\n", 0, offset + span.start) + 1


def names(found: Iterable[Lines]) -> str:
    return ", ".join("/".join(map(str, sorted(lines))) for lines in sorted(found, key=sorted))
