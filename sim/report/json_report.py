"""`simulate --json`: a contract for measuring tools; it may grow, no name changes.

`grid`, `block` and `thread` are [x, y, z].  `inputs` is what was decided for the launch, by name.  `sectors` and
`bank_conflicts` are sums over all requests of the run.  `truncated` says whether any run ended before the program did.
"""

from __future__ import annotations

from typing import TypedDict

from analysis.features.facts_json import LEVEL_NAMES
from sim.report.model import BranchReport, FaultReport, KernelReport, LineReport, PolicyReport, SourcePlace


class InputObject(TypedDict):
    value: str
    why: str


class BranchObject(TypedDict):
    path: str
    line: int
    column: int
    executed: int
    diverged: int
    lanes: int
    level: str | None


class LineObject(TypedDict):
    line: int
    warp_instructions: int
    thread_instructions: int
    simd_efficiency: float
    sectors: int
    ideal_sectors: int
    bank_conflicts: int


class FaultObject(TypedDict):
    kind: str
    path: str | None
    line: int | None
    column: int | None
    block: list[int]
    thread: list[int]
    count: int
    message: str


class TruncationObject(TypedDict):
    reason: str
    line: int | None


class PolicyObject(TypedDict):
    warp_instructions: int
    thread_instructions: int
    simd_efficiency: float
    branches: list[BranchObject]
    lines: list[LineObject]
    sectors: int
    ideal_sectors: int
    bank_conflicts: int
    faults: list[FaultObject]
    printed: list[str]
    memory_digest: str
    seconds: float
    truncated: TruncationObject | None


class KernelObject(TypedDict):
    path: str
    kernel: str
    line: int
    grid: list[int]
    block: list[int]
    warp_size: int
    seed: int
    inputs: dict[str, InputObject]
    policies: dict[str, PolicyObject]
    policies_agree: bool
    seconds: float
    truncated: bool


def kernel_object(report: KernelReport) -> KernelObject:
    """The whole report, ready for `json.dumps`."""
    return {
        "path": report.path,
        "kernel": report.kernel,
        "line": report.first_line,
        "grid": list(report.grid),
        "block": list(report.block),
        "warp_size": report.warp_size,
        "seed": report.seed,
        "inputs": {choice.name: {"value": choice.value, "why": choice.why} for choice in report.choices},
        "policies": {run.policy: _policy(run) for run in report.policies},
        "policies_agree": report.agree,
        "seconds": report.seconds,
        "truncated": any(run.truncated is not None for run in report.policies),
    }


def _policy(run: PolicyReport) -> PolicyObject:
    ended = run.truncated
    return {
        "warp_instructions": run.warp_instructions,
        "thread_instructions": run.thread_instructions,
        "simd_efficiency": run.simd_efficiency,
        "branches": [_branch(branch) for branch in run.branches],
        "lines": [_line(line) for line in run.lines],
        "sectors": run.requests.sectors,
        "ideal_sectors": run.requests.ideal_sectors,
        "bank_conflicts": run.requests.bank_conflicts,
        "faults": [_fault(fault) for fault in run.faults],
        "printed": list(run.printed),
        "memory_digest": run.memory_digest,
        "seconds": run.seconds,
        "truncated": None if ended is None else {"reason": ended.reason.name.lower(), "line": _line_of(ended.place)},
    }


def _branch(branch: BranchReport) -> BranchObject:
    return {
        "path": branch.place.path,
        "line": branch.place.line,
        "column": branch.place.column,
        "executed": branch.executed,
        "diverged": branch.diverged,
        "lanes": branch.lanes,
        "level": None if branch.level is None else LEVEL_NAMES[branch.level],
    }


def _line(line: LineReport) -> LineObject:
    return {
        "line": line.line,
        "warp_instructions": line.work.warp_instructions,
        "thread_instructions": line.work.thread_instructions,
        "simd_efficiency": line.work.simd_efficiency,
        "sectors": line.requests.sectors,
        "ideal_sectors": line.requests.ideal_sectors,
        "bank_conflicts": line.requests.bank_conflicts,
    }


def _fault(fault: FaultReport) -> FaultObject:
    return {
        "kind": fault.kind,
        "path": None if fault.place is None else fault.place.path,
        "line": _line_of(fault.place),
        "column": None if fault.place is None else fault.place.column,
        "block": list(fault.block),
        "thread": list(fault.thread),
        "count": fault.count,
        "message": fault.message,
    }


def _line_of(place: SourcePlace | None) -> int | None:
    return None if place is None else place.line
