"""One kernel: its launch with nothing given, runs under several policies, and what they say against each claim."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Final, final

from analysis.access.model import Participation
from analysis.divergence.causes import CauseStep, SeedCause
from analysis.divergence.launch_shape import BlockShape, LaunchKnowledge
from analysis.divergence.levels import Level
from analysis.ir.function import Function
from analysis.ir.ids import SourceBranchId
from analysis.ir.source import Span
from analysis.lower.program import DeviceFunction, Program
from benchmarks.claims.accesses import Reached, is_full
from benchmarks.claims.claim import Claim, Refutation
from benchmarks.claims.control import decided_by
from benchmarks.claims.observer import ClaimObserver
from benchmarks.claims.subject import Subject, analyze_subject
from sim.launch.adapt import run_adapted
from sim.launch.planner import Plan, Planner
from sim.launch.request import Request
from sim.observers.races import RaceObserver
from sim.policies.registry import POLICIES
from sim.refusals import LaunchError, Refusal
from sim.result import Result
from sim.simulate import simulate
from sim.specification import Budget
from simt_lsp.cli.engine import read_source

KNOWN: Final = "shape known"
UNKNOWN: Final = "shape unknown"


@final
@dataclass(frozen=True, slots=True)
class Refuted:
    """`line` in the file, where the text is the kernel's own or that of a function of the same file."""

    knowledge: str
    policy: str
    line: int | None
    refutation: Refutation


@final
@dataclass(frozen=True, slots=True)
class BranchOutcome:
    """One source branch: what was said of it, and whether any run parted the lanes that came together.

    `seed`: where its divergence begins, or None where it is said to agree in each warp.
    """

    line: int | None
    level: str
    grade: str
    seed: str
    decided: int
    parted_by: tuple[str, ...]
    """The policies under which lanes parted; those that let lanes drift apart have several rounds of a loop meet at
    one branch, so a uniform one may part them."""

    @property
    def diverged(self) -> bool:
        return bool(self.parted_by)


@final
@dataclass(frozen=True, slots=True)
class CostOutcome:
    """Requests of one access: what was told for the worst warp, and the most that a run saw with all its lanes.

    `told` is for a base that is aligned like an allocation, `at_most` for any.
    """

    told: int
    at_most: int
    seen: int


@final
@dataclass(slots=True)
class KernelClaims:
    """`why_not`: empty if it ran.  `doubts`: races and faults, with which claims are not due.

    A run that did not end says nothing about convergence and trip counts; all other claims stand.
    """

    path: str
    kernel: str
    why_not: str = ""
    doubts: tuple[str, ...] = ()
    checked: Counter[Claim] = field(default_factory=Counter[Claim])
    refuted: list[Refuted] = field(default_factory=list[Refuted])
    branches: list[BranchOutcome] = field(default_factory=list[BranchOutcome])
    costs: list[CostOutcome] = field(default_factory=list[CostOutcome])
    ended: bool = True
    memory_differs: bool = False
    seconds: float = 0.0


@final
@dataclass(frozen=True, slots=True)
class Runs:
    """What every kernel is run with; the first policy also finds out which launch fits."""

    policies: tuple[str, ...]
    seconds: float
    request: Request
    warp_size: int


def check_kernel(program: Program, kernel: DeviceFunction, path: str, runs: Runs) -> KernelClaims:
    """Never raises: what this measures must not end the measurement."""
    begin = time.perf_counter()
    found = KernelClaims(path, kernel.item.name)
    try:
        _check(found, program, kernel, runs)
    except (Refusal, LaunchError) as refusal:
        found.why_not = f"refused: {refusal}"
    except Exception as error:
        found.why_not = f"crashed: {type(error).__name__}: {error}"
    found.seconds = time.perf_counter() - begin
    return found


def _check(found: KernelClaims, program: Program, kernel: DeviceFunction, asked: Runs) -> None:
    policies = asked.policies

    def run(plan: Plan) -> Result:
        return simulate(plan.kernel, plan.specification, POLICIES[policies[0]])

    plan, _ = run_adapted(Planner(program, kernel, [asked.request], budget=Budget(seconds=asked.seconds)), run)
    function, launch = plan.kernel.function, plan.specification
    subjects = {
        KNOWN: analyze_subject(function, LaunchKnowledge((BlockShape(*launch.block),), warp_size=launch.warp_size)),
        UNKNOWN: analyze_subject(function, LaunchKnowledge(warp_size=launch.warp_size)),
    }
    digests: set[str] = set()
    doubts: set[str] = set()
    runs: list[Mapping[str, ClaimObserver]] = []
    for policy in policies:
        observers = {name: ClaimObserver(subject) for name, subject in subjects.items()}
        races = RaceObserver()
        result = simulate(plan.kernel, launch, POLICIES[policy], [*observers.values(), races])
        doubts |= {type(fault).__name__ for fault in result.faults}
        if result.truncated is not None:
            found.ended = False
        else:
            digests.add(result.memory_digest)
        for name, observer in observers.items():
            findings = observer.settle(result)
            if policy == policies[0]:
                found.checked.update(findings.checked)
            for refutation in findings.refutations:
                line = line_of(program, function, refutation.span)
                found.refuted.append(Refuted(name, policy, line, refutation))
        runs.append(observers)
    found.doubts = tuple(sorted(doubts))
    found.memory_differs = len(digests) > 1
    found.branches = _branches(program, subjects[KNOWN], [observers[KNOWN] for observers in runs])
    found.costs = list(_costs(subjects[KNOWN], [observers[KNOWN] for observers in runs]))


def _branches(program: Program, subject: Subject, runs: Sequence[ClaimObserver]) -> list[BranchOutcome]:
    """The branches that several lanes came to together."""
    found: list[BranchOutcome] = []
    for number, branch in enumerate(subject.function.branches):
        here = SourceBranchId(number)
        blocks = decided_by(subject, here)
        decided = sum(run.decided.get(block, 0) for run in runs for block in blocks)
        if not decided:
            continue
        grading = subject.grader.grade(here)
        level = subject.divergence.branch_level(here)
        found.append(
            BranchOutcome(
                line_of(program, subject.function, branch.keyword),
                level.name.lower(),
                "-" if grading is None else grading.grade.value,
                _seed(subject.divergence.why_branch(here)) if level is Level.VARYING else "",
                decided,
                tuple(run.policy for run in runs if any(block in run.diverged for block in blocks)),
            )
        )
    return found


def _seed(why: tuple[CauseStep, ...]) -> str:
    return next((step.cause.seed.value for step in why if isinstance(step.cause, SeedCause)), "")


def _costs(subject: Subject, runs: Sequence[ClaimObserver]) -> list[CostOutcome]:
    """Exact costs of accesses that all lanes take part in, where a run saw such a request."""
    found: list[CostOutcome] = []
    for instruction, access in subject.accesses.items():
        request = access.request
        if request is None or not request.is_exact or access.participation is not Participation.FULL:
            continue
        seen = [run.reached.get(instruction, Reached()) for run in runs]
        full = [reached.cost for reached in seen if is_full(access, reached)]
        told = request.sectors if request.bank_ways is None else request.bank_ways
        if full and told is not None:
            found.append(CostOutcome(told, max(told, request.sectors_max or 0), max(full)))
    return found


def line_of(program: Program, function: Function, span: Span) -> int | None:
    """The line in the program's main file; None for a text that stands elsewhere, or nowhere."""
    place = place_of(program, function, span)
    return None if place is None else _text(program.unit.path)[:place].count(b"\n") + 1


def place_of(program: Program, function: Function, span: Span) -> int | None:
    """The same in bytes from the beginning of the file."""
    frames = function.frames
    if span.frame >= len(frames):
        return None
    try:
        item = program.lower(frames[span.frame].function).item
    except KeyError:
        return None
    if item.path != program.unit.path:
        return None
    return item.span.start + span.start


@lru_cache(maxsize=4)
def _text(path: str) -> bytes:
    return read_source(path)
