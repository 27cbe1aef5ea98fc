"""The facts of a file as other programs read them: a contract that may grow and never changes a name.

Lines and columns count from 1, columns in Unicode code points.  A branch stands at its keyword or operator.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, TypedDict

from analysis.facts.analyzer import FileAnalysis
from analysis.rules.diagnostic import Diagnostic


class OpaqueObject(TypedDict):
    line: int
    construct: str


class BranchObject(TypedDict):
    line: int
    column: int
    kind: Literal["if", "loop", "switch", "conditional", "short-circuit"]
    level: Literal["grid", "block", "warp", "varying"]
    grade: Literal["aligned", "boundary", "structured", "data-dependent"] | None
    convergent: Literal["grid", "block", "warp", "none"]


class BarrierObject(TypedDict):
    line: int
    scope: Literal["block", "warp", "grid"]
    verdict: Literal["convergent", "divergent", "unknown"]


class FunctionObject(TypedDict):
    name: str
    kind: Literal["kernel", "device"]
    line: int
    end_line: int
    opaque: list[OpaqueObject]
    branches: list[BranchObject]
    barriers: list[BarrierObject]


class DiagnosticObject(TypedDict):
    code: str
    name: str
    severity: Literal["error", "warning", "information", "hint"]
    tier: Literal["proven", "possible", "assumed"] | None
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
    raise NotImplementedError
