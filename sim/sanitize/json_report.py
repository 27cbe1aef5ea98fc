"""`sanitize --format json`: a contract (docs/sanitize-json.md); it may grow, no name changes.

`schema` says which version of it this is: readers refuse one that they do not know.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from sim.sanitize.report import (
    Evidence,
    FileSummary,
    Finding,
    KernelSummary,
    RelatedRange,
    Repository,
    RunSummary,
    SourceRange,
    StaticFinding,
    kernel_name,
    short_name,
    verdict,
)

SCHEMA: Final = "simt-lsp/sanitize/1"

_Object = dict[str, Any]


def repository_object(found: Repository, version: str) -> _Object:
    totals = found.totals()
    return {
        "schema": SCHEMA,
        "tool": {"name": "simt-lsp", "version": version},
        "findings": [_finding(finding) for finding in found.findings],
        "kernels": [_kernel(found, kernel) for kernel in found.kernels],
        "files": [_file(file) for file in found.files],
        "summary": {
            "files": totals.files,
            "kernels": totals.kernels,
            "kernels_run": totals.complete,
            "kernels_cut_off": totals.partly,
            "kernels_not_run": totals.not_run,
            "runs": totals.runs,
            "lines": totals.lines,
            "reached": totals.reached,
            "errors": totals.errors,
            "warnings": totals.warnings,
            "notes": totals.notes,
            "files_failed": totals.failed,
            "files_left": totals.left,
            "seconds": round(found.seconds, 3),
        },
    }


def _finding(finding: Finding) -> _Object:
    return {
        "kind": finding.kind,
        "severity": finding.severity.value,
        "found_by": finding.found_by.value,
        "message": finding.message,
        **_place(finding.place),
        "kernels": [short_name(name) for name in finding.kernels],
        "chosen": list(finding.chosen),
        "related": [_related(one) for one in finding.related],
        "rules": [_rule(rule) for rule in finding.rules],
        "run": None if finding.evidence is None else evidence_object(finding.evidence),
    }


def _place(place: SourceRange) -> _Object:
    return {"path": place.path, "line": place.line, "column": place.column, "end_column": place.end_column}


def _related(one: RelatedRange) -> _Object:
    place: Mapping[str, Any] = (
        {"path": None, "line": None, "column": None, "end_column": None} if one.place is None else _place(one.place)
    )
    return {"message": one.message, **place}


def _rule(rule: StaticFinding) -> _Object:
    return {
        "code": rule.code,
        "name": rule.name,
        "severity": rule.severity.value,
        "message": rule.message,
        **_place(rule.place),
    }


def evidence_object(run: Evidence) -> _Object:
    return {
        "kernel": short_name(run.kernel),
        "grid": list(run.grid),
        "block": list(run.block),
        "warp_size": run.warp_size,
        "seed": run.seed,
        "policy": run.schedule.policy,
        "order": run.schedule.order.value,
        "block_index": list(run.block_index),
        "thread": list(run.thread),
        "threads": run.threads,
        "seen": run.seen,
        "runs": run.runs,
        "inputs": {one.name: {"value": one.value, "why": one.why, "chosen": one.is_chosen} for one in run.inputs},
    }


def _kernel(found: Repository, kernel: KernelSummary) -> _Object:
    return {
        "path": kernel.path,
        "kernel": kernel.name,
        "line": kernel.line,
        "verdict": verdict(kernel, found.findings_of(kernel)),
        "not_run": kernel.not_run,
        "left": list(kernel.left),
        "lines": kernel.lines,
        "reached": kernel.reached,
        "runs": [_run(run) for run in kernel.runs],
        "inputs": {one.name: {"value": one.value, "why": one.why, "chosen": one.is_chosen} for one in kernel.inputs},
        "seconds": round(kernel.seconds, 3),
        "findings": [at for at, one in enumerate(found.findings) if kernel_name(kernel) in one.kernels],
    }


def _run(run: RunSummary) -> _Object:
    return {
        "grid": list(run.grid),
        "block": list(run.block),
        "seed": run.seed,
        "why": run.why,
        "policy": run.schedule.policy,
        "order": run.schedule.order.value,
        "warp_instructions": run.warp_instructions,
        "stopped": run.stopped,
        "seconds": round(run.seconds, 3),
    }


def _file(file: FileSummary) -> _Object:
    return {"path": file.path, "kernels": len(file.kernels), "error": file.error, "left": file.is_left}
