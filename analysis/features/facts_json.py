"""The facts of a file as other programs read them: a contract that may grow and never changes a name.

Lines and columns count from 1, columns in Unicode code points.  A branch stands at its keyword or operator, a
function at its name; it ends at its closing brace.  `callers_known` is false for a device function that anything may
call; `calls` are those in other files that its facts rest on.  A function that is not `active` is excluded by `#if`.
`trips` is the level of a loop's trip count, which also counts `break` and `return`; null for other branches.
`cost` and `idle` estimate what a split warp loses, in issue slots: in code that it runs one side after the other (for
a loop, in rounds that early lanes wait), and in lanes that wait for a longer side.  `cost_share` and `idle_share` are
the same (all waits together) as shares of the issue slots of a whole kernel, named in `of`: what is expected, and the
least and the most for other trip counts of loops that have no known bound; null where nothing is lost.  Where data
decide how long lanes wait, `wait_within` is what the others run meanwhile: the whole loop, or the longer side; of such
a loop `rounds_by` says what decides (`analysis.verdict.rounds_by`).  `split_warps`
counts, of the `warps` of a block of `threads` threads, those that split: `exact`, or at most so many; null if that is
not known.

An access stands at the text of the load or the atomic, or at the whole assignment of a store.  `bytes` is what one
lane moves, `stride` the bytes from one thread to the next along x (`stride_form` the words for them where they are no
known number: `4*width`), `sectors` what one request of a warp needs if the
part of the address that is not known is aligned like an allocation, `sectors_max` for the worst alignment,
`bank_ways` the passes over the banks of shared memory of those lanes that go through together, `bank_conflicts` those
of the whole warp that the width does not need; null where it is not known or does not apply.  Where `exact` is false,
`sectors`, `bank_ways` and `bank_conflicts` are lower bounds.  `participation` says whether all lanes of a warp make the
request: `full` (or exactly those that known guards let through), `bounded` (all, away from a bound), `unknown`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, Literal, TypeAlias, TypedDict

from analysis.access.model import AccessKind, AccessPattern, Participation
from analysis.divergence.levels import Level
from analysis.facts.file_analysis import FileAnalysis
from analysis.facts.model import AccessFact, BarrierScope, BranchFact, FunctionFacts, PartOf
from analysis.ir.function import FunctionKind, SourceBranchKind
from analysis.ir.source import Span
from analysis.ir.types import MemorySpace
from analysis.rules.diagnostic import Diagnostic, Severity
from analysis.rules.stride_text import symbolic_stride
from analysis.syntax.line_index import LineIndex, PositionEncoding
from analysis.verdict.barriers import BarrierVerdict, Tier
from analysis.verdict.grade import Grade

FunctionWord: TypeAlias = Literal["kernel", "device"]
BranchWord: TypeAlias = Literal["if", "loop", "switch", "conditional", "short-circuit", "call"]
LevelWord: TypeAlias = Literal["grid", "block", "warp", "varying"]
GradeWord: TypeAlias = Literal["aligned", "boundary", "structured", "data-dependent"]
GroupWord: TypeAlias = Literal["grid", "block", "warp", "none"]
ScopeWord: TypeAlias = Literal["block", "warp", "grid"]
VerdictWord: TypeAlias = Literal["convergent", "divergent", "unknown"]
SpaceWord: TypeAlias = Literal["generic", "global", "shared", "local", "constant"]
AccessWord: TypeAlias = Literal["load", "store", "atomic"]
PatternWord: TypeAlias = Literal["broadcast", "warp-sequential", "strided", "scattered", "unknown"]
ParticipationWord: TypeAlias = Literal["full", "bounded", "unknown"]
SeverityWord: TypeAlias = Literal["error", "warning", "information", "hint"]
TierWord: TypeAlias = Literal["proven", "possible", "assumed"]


class OpaqueObject(TypedDict):
    line: int
    construct: str


class SplitObject(TypedDict):
    splitting: int
    warps: int
    threads: int
    exact: bool


class PartObject(TypedDict):
    of: str
    low: float
    expected: float
    high: float


class BranchObject(TypedDict):
    line: int
    column: int
    kind: BranchWord
    level: LevelWord
    grade: GradeWord | None
    convergent: GroupWord
    trips: LevelWord | None
    cost: int
    idle: int
    cost_share: PartObject | None
    idle_share: PartObject | None
    wait_within: PartObject | None
    rounds_by: str | None
    split_warps: SplitObject | None


class BarrierObject(TypedDict):
    line: int
    scope: ScopeWord
    verdict: VerdictWord


class AccessObject(TypedDict):
    line: int
    column: int
    space: SpaceWord
    kind: AccessWord
    bytes: int | None
    pattern: PatternWord
    participation: ParticipationWord
    stride: int | None
    stride_form: str | None
    sectors: int | None
    sectors_max: int | None
    ideal_sectors: int | None
    bank_ways: int | None
    bank_conflicts: int | None
    exact: bool


class CallObject(TypedDict):
    path: str
    line: int


class FunctionObject(TypedDict):
    name: str
    kind: FunctionWord
    active: bool
    callers_known: bool
    calls: list[CallObject]
    launches: list[CallObject]
    """Where a kernel is launched, if all its launches are known."""
    syntax_error_line: int | None
    """Nothing is reported of a function with a syntax error."""
    line: int
    end_line: int
    opaque: list[OpaqueObject]
    branches: list[BranchObject]
    barriers: list[BarrierObject]
    accesses: list[AccessObject]


class DiagnosticObject(TypedDict):
    code: str
    name: str
    severity: SeverityWord
    tier: TierWord | None
    line: int
    column: int
    end_line: int
    end_column: int
    message: str


class FileObject(TypedDict):
    path: str
    parse_errors: int
    functions: list[FunctionObject]
    diagnostics: list[DiagnosticObject]


def facts_object(analysis: FileAnalysis, diagnostics: Sequence[Diagnostic]) -> FileObject:
    """One file as one object, ready for a JSON writer."""
    lines = analysis.document.lines
    return {
        "path": analysis.facts.path,
        "parse_errors": analysis.facts.parse_errors,
        "functions": [_function(analysis, function) for function in analysis.facts.functions],
        "diagnostics": [_diagnostic(lines, diagnostic) for diagnostic in diagnostics],
    }


def _function(analysis: FileAnalysis, function: FunctionFacts) -> FunctionObject:
    lines = analysis.document.lines
    calls = analysis.callers_of(function)

    def line(span: Span) -> int:
        return lines.line_of(function.start + span.start) + 1

    return {
        "name": function.name,
        "kind": _FUNCTION_KINDS[function.kind],
        "active": function.active,
        "callers_known": function.callers_known,
        "calls": [{"path": site.path, "line": site.line} for site in (() if calls is None else calls.sites)],
        "launches": [{"path": place.path, "line": place.line} for place in analysis.launch_places(function)],
        "syntax_error_line": None if function.unreadable is None else line(function.unreadable),
        "line": line(function.name_span),
        "end_line": lines.line_of(max(function.end - 1, 0)) + 1,
        "opaque": [{"line": line(opaque.span), "construct": opaque.construct} for opaque in function.opaque],
        "branches": [_branch(lines, function, branch) for branch in function.branches],
        "barriers": [
            {
                "line": line(barrier.span),
                "scope": _SCOPES[barrier.scope],
                "verdict": _VERDICTS[barrier.verdict],
            }
            for barrier in function.barriers
        ],
        "accesses": [_access(analysis, function, access) for access in function.accesses],
    }


def _branch(lines: LineIndex, function: FunctionFacts, branch: BranchFact) -> BranchObject:
    line, column = _position(lines, function.start + branch.keyword.start)
    splits = branch.splits
    return {
        "line": line,
        "column": column,
        "kind": _BRANCH_KINDS[branch.kind],
        "level": LEVEL_NAMES[branch.level],
        "grade": None if branch.grade is None else _GRADES[branch.grade],
        "convergent": _GROUPS[branch.convergent],
        "trips": None if branch.trips is None else LEVEL_NAMES[branch.trips],
        "cost": branch.cost,
        "idle": branch.idle,
        "cost_share": _part(branch.cost_part),
        "idle_share": _part(branch.idle_part),
        "wait_within": _part(branch.wait_within),
        "rounds_by": None if branch.rounds_by is None else branch.rounds_by.value,
        "split_warps": None
        if splits is None
        else {
            "splitting": splits.splitting,
            "warps": splits.warps,
            "threads": splits.threads,
            "exact": splits.exact,
        },
    }


def _part(part: PartOf | None) -> PartObject | None:
    if part is None:
        return None
    share = part.share
    return {
        "of": part.whole,
        "low": round(share.low, 4),
        "expected": round(share.expected, 4),
        "high": round(share.high, 4),
    }


def _access(analysis: FileAnalysis, function: FunctionFacts, access: AccessFact) -> AccessObject:
    line, column = _position(analysis.document.lines, function.start + access.span.start)
    request = access.request
    symbolic = symbolic_stride(analysis, function, access)
    return {
        "line": line,
        "column": column,
        "space": _SPACES[access.space],
        "kind": _ACCESS_KINDS[access.kind],
        "bytes": access.bytes,
        "pattern": _PATTERNS[access.pattern],
        "participation": _PARTICIPATIONS[access.participation],
        "stride": access.stride,
        "stride_form": None if symbolic is None else symbolic.text,
        "sectors": None if request is None else request.sectors,
        "sectors_max": None if request is None else request.sectors_max,
        "ideal_sectors": None if request is None else request.ideal_sectors,
        "bank_ways": None if request is None else request.bank_ways,
        "bank_conflicts": None if request is None else request.bank_conflicts,
        "exact": request is not None and request.is_exact,
    }


def _diagnostic(lines: LineIndex, diagnostic: Diagnostic) -> DiagnosticObject:
    line, column = _position(lines, diagnostic.start)
    end_line, end_column = _position(lines, diagnostic.end)
    return {
        "code": diagnostic.code,
        "name": diagnostic.name,
        "severity": _SEVERITIES[diagnostic.severity],
        "tier": None if diagnostic.tier is None else _TIERS[diagnostic.tier],
        "line": line,
        "column": column,
        "end_line": end_line,
        "end_column": end_column,
        "message": diagnostic.message,
    }


def _position(lines: LineIndex, offset: int) -> tuple[int, int]:
    line, character = lines.position(offset, PositionEncoding.UTF32)
    return line + 1, character + 1


_FUNCTION_KINDS: Final[Mapping[FunctionKind, FunctionWord]] = {
    FunctionKind.KERNEL: "kernel",
    FunctionKind.DEVICE: "device",
}
_BRANCH_KINDS: Final[Mapping[SourceBranchKind, BranchWord]] = {
    SourceBranchKind.IF: "if",
    SourceBranchKind.LOOP: "loop",
    SourceBranchKind.SWITCH: "switch",
    SourceBranchKind.CONDITIONAL: "conditional",
    SourceBranchKind.SHORT_CIRCUIT: "short-circuit",
    SourceBranchKind.CALL: "call",
}
LEVEL_NAMES: Final[Mapping[Level, LevelWord]] = {
    Level.GRID: "grid",
    Level.BLOCK: "block",
    Level.WARP: "warp",
    Level.VARYING: "varying",
}
_GROUPS: Final[Mapping[Level, GroupWord]] = {
    Level.GRID: "grid",
    Level.BLOCK: "block",
    Level.WARP: "warp",
    Level.VARYING: "none",
}
_GRADES: Final[Mapping[Grade, GradeWord]] = {
    Grade.ALIGNED: "aligned",
    Grade.BOUNDARY: "boundary",
    Grade.STRUCTURED: "structured",
    Grade.DATA_DEPENDENT: "data-dependent",
}
_SCOPES: Final[Mapping[BarrierScope, ScopeWord]] = {
    BarrierScope.BLOCK: "block",
    BarrierScope.WARP: "warp",
    BarrierScope.GRID: "grid",
}
_VERDICTS: Final[Mapping[BarrierVerdict, VerdictWord]] = {
    BarrierVerdict.CONVERGENT: "convergent",
    BarrierVerdict.DIVERGENT: "divergent",
    BarrierVerdict.UNKNOWN: "unknown",
}
_SPACES: Final[Mapping[MemorySpace, SpaceWord]] = {
    MemorySpace.GENERIC: "generic",
    MemorySpace.GLOBAL: "global",
    MemorySpace.SHARED: "shared",
    MemorySpace.LOCAL: "local",
    MemorySpace.CONSTANT: "constant",
}
_ACCESS_KINDS: Final[Mapping[AccessKind, AccessWord]] = {
    AccessKind.LOAD: "load",
    AccessKind.STORE: "store",
    AccessKind.ATOMIC: "atomic",
}
_PATTERNS: Final[Mapping[AccessPattern, PatternWord]] = {
    AccessPattern.BROADCAST: "broadcast",
    AccessPattern.WARP_SEQUENTIAL: "warp-sequential",
    AccessPattern.STRIDED: "strided",
    AccessPattern.SCATTERED: "scattered",
    AccessPattern.UNKNOWN: "unknown",
}
_PARTICIPATIONS: Final[Mapping[Participation, ParticipationWord]] = {
    Participation.FULL: "full",
    Participation.BOUNDED: "bounded",
    Participation.UNKNOWN: "unknown",
}
_SEVERITIES: Final[Mapping[Severity, SeverityWord]] = {
    Severity.ERROR: "error",
    Severity.WARNING: "warning",
    Severity.INFORMATION: "information",
    Severity.HINT: "hint",
}
_TIERS: Final[Mapping[Tier, TierWord]] = {
    Tier.PROVEN: "proven",
    Tier.POSSIBLE: "possible",
    Tier.ASSUMED: "assumed",
}
