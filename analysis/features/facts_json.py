"""The facts of a file as other programs read them: a contract that may grow and never changes a name.

Lines and columns count from 1, columns in Unicode code points.  A branch stands at its keyword or operator, a
function at its name; it ends at its closing brace.  A function that is not `active` is excluded by `#if`.
`trips` is the level of a loop's trip count, which also counts `break` and `return`; null for other branches.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, Literal, TypeAlias, TypedDict

from analysis.divergence.levels import Level
from analysis.facts.file_analysis import FileAnalysis
from analysis.facts.model import BarrierScope, BranchFact, FunctionFacts
from analysis.ir.function import FunctionKind, SourceBranchKind
from analysis.ir.source import Span
from analysis.rules.diagnostic import Diagnostic, Severity
from analysis.syntax.line_index import LineIndex, PositionEncoding
from analysis.verdict.barriers import BarrierVerdict, Tier
from analysis.verdict.grade import Grade

FunctionWord: TypeAlias = Literal["kernel", "device"]
BranchWord: TypeAlias = Literal["if", "loop", "switch", "conditional", "short-circuit"]
LevelWord: TypeAlias = Literal["grid", "block", "warp", "varying"]
GradeWord: TypeAlias = Literal["aligned", "boundary", "structured", "data-dependent"]
GroupWord: TypeAlias = Literal["grid", "block", "warp", "none"]
ScopeWord: TypeAlias = Literal["block", "warp", "grid"]
VerdictWord: TypeAlias = Literal["convergent", "divergent", "unknown"]
SeverityWord: TypeAlias = Literal["error", "warning", "information", "hint"]
TierWord: TypeAlias = Literal["proven", "possible", "assumed"]


class OpaqueObject(TypedDict):
    line: int
    construct: str


class BranchObject(TypedDict):
    line: int
    column: int
    kind: BranchWord
    level: LevelWord
    grade: GradeWord | None
    convergent: GroupWord
    trips: LevelWord | None


class BarrierObject(TypedDict):
    line: int
    scope: ScopeWord
    verdict: VerdictWord


class FunctionObject(TypedDict):
    name: str
    kind: FunctionWord
    active: bool
    line: int
    end_line: int
    opaque: list[OpaqueObject]
    branches: list[BranchObject]
    barriers: list[BarrierObject]


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
        "functions": [_function(lines, function) for function in analysis.facts.functions],
        "diagnostics": [_diagnostic(lines, diagnostic) for diagnostic in diagnostics],
    }


def _function(lines: LineIndex, function: FunctionFacts) -> FunctionObject:
    def line(span: Span) -> int:
        return lines.line_of(function.start + span.start) + 1

    return {
        "name": function.name,
        "kind": _FUNCTION_KINDS[function.kind],
        "active": function.active,
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
    }


def _branch(lines: LineIndex, function: FunctionFacts, branch: BranchFact) -> BranchObject:
    line, column = _position(lines, function.start + branch.keyword.start)
    return {
        "line": line,
        "column": column,
        "kind": _BRANCH_KINDS[branch.kind],
        "level": _LEVELS[branch.level],
        "grade": None if branch.grade is None else _GRADES[branch.grade],
        "convergent": _GROUPS[branch.convergent],
        "trips": None if branch.trips is None else _LEVELS[branch.trips],
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
}
_LEVELS: Final[Mapping[Level, LevelWord]] = {
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
