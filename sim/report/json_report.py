"""`simulate --json`: a contract for measuring tools; it may grow, no name changes.

`grid`, `block` and `thread` are [x, y, z].  `inputs` is what was decided for the launch, by name.  `sectors` and
`bank_conflicts` are sums over all requests of the run.  `truncated` says whether any run ended before the program did.
"""

from __future__ import annotations

from typing import TypedDict

from analysis.features.facts_json import LEVEL_NAMES
from sim.report.json_study import StudyObject, study_object
from sim.report.metrics import metrics
from sim.report.model import (
    AccessPart,
    AccessReport,
    BarrierReport,
    BranchReport,
    Coverage,
    FaultReport,
    KernelReport,
    LineReport,
    PolicyReport,
    RelatedPlace,
    SideReport,
    SourcePlace,
    TimelineReport,
)
from sim.report.profile_rules import ProfileAdvice, profile_advice


class InputObject(TypedDict):
    value: str
    why: str
    chosen: bool


class PlaceObject(TypedDict):
    path: str
    line: int
    column: int


class SideObject(TypedDict):
    path: str | None
    line: int | None
    column: int | None
    lanes: int
    divergent_lanes: int


class TimelineObject(TypedDict):
    """`steps` are (index into `places`, active lanes, lanes that have not left), the masks hexadecimal."""

    block: int
    warp: int
    places: list[PlaceObject | None]
    steps: list[tuple[int, str, str]]
    omitted: int


class BranchObject(TypedDict):
    path: str
    line: int
    column: int
    executed: int
    diverged: int
    lanes: int
    level: str | None
    select: bool
    sides: list[SideObject]
    reconvergence: PlaceObject | None


class AccessPartObject(TypedDict):
    space: str
    kind: str
    requests: int
    sectors: int
    ideal_sectors: int
    bank_passes: int
    bank_conflicts: int
    distinct_addresses: int


class BarrierObject(TypedDict):
    path: str
    line: int
    column: int
    scope: str
    executed: int
    lanes: int


class CoveredLineObject(TypedDict):
    line: int
    executed: int
    places: int
    reached: int


class FileCoverageObject(TypedDict):
    path: str
    lines: list[CoveredLineObject]


class CoverageObject(TypedDict):
    lines: int
    reached: int
    files: list[FileCoverageObject]


class AccessObject(TypedDict):
    path: str
    line: int
    column: int
    requests: int
    sectors: int
    ideal_sectors: int
    local_sectors: int
    bank_passes: int
    bank_conflicts: int
    distinct_addresses: int
    space: str | None
    kind: str | None
    parts: list[AccessPartObject]


class LineObject(TypedDict):
    line: int
    executed: int
    warp_instructions: int
    thread_instructions: int
    simd_efficiency: float
    sectors: int
    ideal_sectors: int
    local_sectors: int
    bank_conflicts: int


class RelatedObject(TypedDict):
    path: str | None
    line: int | None
    column: int | None
    message: str


class FaultObject(TypedDict):
    kind: str
    path: str | None
    line: int | None
    column: int | None
    block: list[int]
    thread: list[int]
    count: int
    message: str
    related: list[RelatedObject]
    chosen: list[str]


class TruncationObject(TypedDict):
    reason: str
    line: int | None


class AdviceObject(TypedDict):
    rule: str
    title: str
    message: str
    metric: str
    value: float
    wanted: str
    share: float
    places: list[PlaceObject]


class PolicyObject(TypedDict):
    warp_instructions: int
    thread_instructions: int
    simd_efficiency: float
    branches: list[BranchObject]
    accesses: list[AccessObject]
    barriers: list[BarrierObject]
    lines: list[LineObject]
    coverage: CoverageObject
    metrics: dict[str, float]
    advice: list[AdviceObject]
    sectors: int
    ideal_sectors: int
    local_sectors: int
    bank_conflicts: int
    faults: list[FaultObject]
    notes: list[FaultObject]
    active_lanes: list[int]
    timeline: TimelineObject
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
    blocks_run: int
    warp_size: int
    seed: int
    inputs: dict[str, InputObject]
    policies: dict[str, PolicyObject]
    policies_agree: bool | None
    study: StudyObject | None
    seconds: float
    truncated: bool
    interim: bool
    before: KernelObject | None


def kernel_object(report: KernelReport) -> KernelObject:
    """The whole report, ready for `json.dumps`."""
    return {
        "path": report.path,
        "kernel": report.kernel,
        "line": report.first_line,
        "grid": list(report.grid),
        "block": list(report.block),
        "blocks_run": report.blocks_run or report.grid[0] * report.grid[1] * report.grid[2],
        "warp_size": report.warp_size,
        "seed": report.seed,
        "inputs": {
            choice.name: {"value": choice.value, "why": choice.why, "chosen": choice.is_chosen}
            for choice in report.choices
        },
        "policies": {run.policy: _policy(report, run) for run in report.policies},
        "policies_agree": report.agree,
        "study": None if report.study is None else study_object(report.study),
        "seconds": report.seconds,
        "truncated": any(run.truncated is not None for run in report.policies),
        "interim": report.is_interim,
        "before": None if report.before is None else kernel_object(report.before),
    }


def _policy(report: KernelReport, run: PolicyReport) -> PolicyObject:
    ended = run.truncated
    return {
        "warp_instructions": run.warp_instructions,
        "thread_instructions": run.thread_instructions,
        "simd_efficiency": run.simd_efficiency,
        "branches": [_branch(branch) for branch in run.branches],
        "accesses": [_access(access) for access in run.accesses],
        "barriers": [_barrier(barrier) for barrier in run.barriers],
        "lines": [_line(line) for line in run.lines],
        "coverage": _coverage(run.coverage),
        "metrics": {one.name: one.value for one in metrics(run)},
        "advice": [_advice(one) for one in profile_advice(report, run)],
        "sectors": run.requests.sectors,
        "ideal_sectors": run.requests.ideal_sectors,
        "local_sectors": run.requests.local_sectors,
        "bank_conflicts": run.requests.bank_conflicts,
        "faults": [_fault(fault) for fault in run.faults],
        "notes": [_fault(note) for note in run.notes],
        "active_lanes": list(run.histogram.warp_instructions),
        "timeline": _timeline(run.timeline),
        "printed": list(run.printed),
        "memory_digest": run.memory_digest,
        "seconds": run.seconds,
        "truncated": None if ended is None else {"reason": ended.reason.name.lower(), "line": _line_of(ended.place)},
    }


def _advice(advice: ProfileAdvice) -> AdviceObject:
    return {
        "rule": advice.rule,
        "title": advice.title,
        "message": advice.message,
        "metric": advice.metric,
        "value": advice.value,
        "wanted": advice.wanted,
        "share": advice.share,
        "places": [_place(place) for place in advice.places],
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
        "select": branch.is_select,
        "sides": [_side(side) for side in branch.sides],
        "reconvergence": None if branch.reconvergence is None else _place(branch.reconvergence),
    }


def _place(place: SourcePlace) -> PlaceObject:
    return {"path": place.path, "line": place.line, "column": place.column}


def _side(side: SideReport) -> SideObject:
    place = side.place
    return {
        "path": None if place is None else place.path,
        "line": _line_of(place),
        "column": None if place is None else place.column,
        "lanes": side.lanes,
        "divergent_lanes": side.divergent_lanes,
    }


def _timeline(timeline: TimelineReport) -> TimelineObject:
    numbers: dict[SourcePlace | None, int] = {}
    steps = [
        (numbers.setdefault(place, len(numbers)), f"{step.active:x}", f"{step.running:x}")
        for step, place in zip(timeline.steps, timeline.places, strict=True)
    ]
    return {
        "block": timeline.block,
        "warp": timeline.warp,
        "places": [None if place is None else _place(place) for place in numbers],
        "steps": steps,
        "omitted": timeline.omitted,
    }


def _access(access: AccessReport) -> AccessObject:
    return {
        "path": access.place.path,
        "line": access.place.line,
        "column": access.place.column,
        "requests": access.requests.requests,
        "sectors": access.requests.sectors,
        "ideal_sectors": access.requests.ideal_sectors,
        "local_sectors": access.requests.local_sectors,
        "bank_passes": access.requests.bank_passes,
        "bank_conflicts": access.requests.bank_conflicts,
        "distinct_addresses": access.requests.distinct_addresses,
        "space": _only({part.space.value for part in access.parts}),
        "kind": _only({part.kind.value for part in access.parts}),
        "parts": [_part(part) for part in access.parts],
    }


def _only(words: set[str]) -> str | None:
    """The one word; None where there are several."""
    return words.pop() if len(words) == 1 else None


def _part(part: AccessPart) -> AccessPartObject:
    return {
        "space": part.space.value,
        "kind": part.kind.value,
        "requests": part.requests.requests,
        "sectors": part.requests.sectors,
        "ideal_sectors": part.requests.ideal_sectors,
        "bank_passes": part.requests.bank_passes,
        "bank_conflicts": part.requests.bank_conflicts,
        "distinct_addresses": part.requests.distinct_addresses,
    }


def _barrier(barrier: BarrierReport) -> BarrierObject:
    return {
        "path": barrier.place.path,
        "line": barrier.place.line,
        "column": barrier.place.column,
        "scope": str(barrier.scope.name).lower(),
        "executed": barrier.executed,
        "lanes": barrier.lanes,
    }


def _coverage(coverage: Coverage) -> CoverageObject:
    return {
        "lines": coverage.lines,
        "reached": coverage.reached,
        "files": [
            {
                "path": file.path,
                "lines": [
                    {"line": one.line, "executed": one.executed, "places": one.places, "reached": one.reached}
                    for one in file.lines
                ],
            }
            for file in coverage.files
        ],
    }


def _line(line: LineReport) -> LineObject:
    return {
        "line": line.line,
        "executed": line.executed,
        "warp_instructions": line.work.warp_instructions,
        "thread_instructions": line.work.thread_instructions,
        "simd_efficiency": line.work.simd_efficiency,
        "sectors": line.requests.sectors,
        "ideal_sectors": line.requests.ideal_sectors,
        "local_sectors": line.requests.local_sectors,
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
        "related": [_related(one) for one in fault.related],
        "chosen": list(fault.chosen),
    }


def _related(one: RelatedPlace) -> RelatedObject:
    return {
        "path": None if one.place is None else one.place.path,
        "line": _line_of(one.place),
        "column": None if one.place is None else one.place.column,
        "message": one.message,
    }


def _line_of(place: SourcePlace | None) -> int | None:
    return None if place is None else place.line
