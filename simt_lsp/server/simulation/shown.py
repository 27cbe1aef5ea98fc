"""Results of simulations in a version of a document: diagnostics, lines of a hover, and data for decorations."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, Final

from lsprotocol import types

from analysis.syntax.line_index import PositionEncoding
from simt_lsp.server.convert import View, printable
from simt_lsp.server.simulation.results import Placed, placed
from simt_lsp.server.simulation.words import branch_lines

if TYPE_CHECKING:
    from sim.report.json_report import FaultObject, LineObject, PolicyObject

SOURCE: Final = "simt-sim"
WARNINGS: Final = frozenset({"data-race", "uninitialised-read"})
"""Kinds that may be harmless; every other fault is an error."""
TRUNCATED: Final = "truncated"


def placed_in(view: View) -> tuple[Placed, ...]:
    """All results of the document beside this version of its text."""
    return placed(view.analysis, view.simulated, view.analysed.settings)


# -- diagnostics -------------------------------------------------------------------------------------------------------


def simulation_diagnostics(view: View) -> list[types.Diagnostic]:
    """The faults of the results that hold, each once, however many policies met it; and where runs were ended."""
    found: dict[tuple[int, str, str], types.Diagnostic] = {}
    for result in placed_in(view):
        if result.line is not None:
            for policy, run in result.simulated.report["policies"].items():
                for one in _of_run(view, result, policy, run):
                    found.setdefault((one.range.start.line, str(one.code), one.message), one)
    return list(found.values())


def _of_run(view: View, result: Placed, policy: str, run: PolicyObject) -> Iterator[types.Diagnostic]:
    kernel = result.simulated.report["kernel"]
    for fault in run["faults"]:
        severity = types.DiagnosticSeverity.Warning if fault["kind"] in WARNINGS else types.DiagnosticSeverity.Error
        place = _place(view, result, fault["path"], fault["line"], fault["column"])
        yield _diagnostic(place, severity, fault["kind"], _fault_words(result, fault), kernel, policy)
    ended = run["truncated"]
    if ended is not None:
        place = _place(view, result, result.simulated.report["path"], ended["line"], None)
        budget = f"its budget ({ended['reason']}) is used up"
        words = f"the simulation of {kernel} was ended before the kernel did: {budget}; it was here last"
        yield _diagnostic(place, types.DiagnosticSeverity.Information, TRUNCATED, words, kernel, policy)


def _fault_words(result: Placed, fault: FaultObject) -> str:
    thread, block = (",".join(map(str, fault[name])) for name in ("thread", "block"))
    times = f", and {fault['count'] - 1:,} times more" if fault["count"] > 1 else ""
    elsewhere = ""
    if fault["path"] is not None and fault["path"] != result.simulated.report["path"]:
        elsewhere = f", in {os.path.basename(fault['path'])}:{fault['line']}"
    return f"simulated: {fault['message']} (thread {thread} of block {block}{times}{elsewhere})"


def _diagnostic(
    place: types.Range, severity: types.DiagnosticSeverity, kind: str, message: str, kernel: str, policy: str
) -> types.Diagnostic:
    return types.Diagnostic(
        range=place,
        message=printable(message),
        severity=severity,
        code=kind,
        source=SOURCE,
        data={"kernel": printable(kernel), "policy": policy},
    )


def _place(view: View, result: Placed, path: str | None, line: int | None, column: int | None) -> types.Range:
    """From the column (from 1, in code points) to the end of the line; the kernel's first line for other files."""
    now = result.line_now(line) if line is not None and path == result.simulated.report["path"] else None
    if now is None or line is None:
        now, column = result.line or 0, None
    lines = view.analysed.item.document.lines
    text = view.analysed.item.document.text
    first = lines.offset(now, 0, PositionEncoding.UTF32)
    end = text.find(b"\n", first)
    source = text[first : len(text) if end < 0 else end]
    if column is not None:
        start = lines.offset(now, column - 1, PositionEncoding.UTF32)
    else:
        start = first + len(source) - len(source.lstrip())
    return view.range(start, first + len(source.rstrip()))


# -- hover -------------------------------------------------------------------------------------------------------------


def simulation_hover(view: View, start: int) -> list[str]:
    """What runs counted for the branch whose keyword stands at a byte offset; empty where none did."""
    if not view.simulated:
        return []
    line, column = view.analysed.item.document.lines.position(start, PositionEncoding.UTF32)
    found: list[str] = []
    for result in placed_in(view):
        then = None if result.line is None else _line_then(result, line)
        if then is not None:
            found += branch_lines(result.simulated.report, then, column + 1)
    return list(dict.fromkeys(found))


def _line_then(result: Placed, line: int) -> int | None:
    """The line of the report (from 1) that stands at `line` (from 0) now."""
    lines = {branch["line"] for run in result.simulated.report["policies"].values() for branch in run["branches"]}
    return next((then for then in lines if result.line_now(then) == line), None)


# -- decorations -------------------------------------------------------------------------------------------------------


def decorations(view: View) -> dict[str, Any]:
    """The answer of `simt/simulation`; what it means is in docs/protocol.md."""
    item = view.analysed.item
    kernels = [_decorated(view, result) for result in placed_in(view)]
    return {"uri": item.uri, "version": item.version, "kernels": kernels}


def _decorated(view: View, result: Placed) -> dict[str, Any]:
    report = result.simulated.report
    policy, run = next(iter(report["policies"].items()))
    holds = result.line is not None
    return {
        "kernel": printable(report["kernel"]),
        "line": result.line,
        "stale": not holds,
        "policy": policy,
        "grid": report["grid"],
        "block": report["block"],
        "simdEfficiency": run["simd_efficiency"],
        "faults": len(run["faults"]),
        "truncated": report["truncated"],
        "lines": list(_decorated_lines(result, run["lines"])) if holds else [],
        "branches": list(_decorated_branches(view, result, run)) if holds else [],
    }


def _decorated_lines(result: Placed, lines: Sequence[LineObject]) -> Iterator[dict[str, Any]]:
    for line in lines:
        now = result.line_now(line["line"])
        if now is not None:
            yield {
                "line": now,
                "warpInstructions": line["warp_instructions"],
                "threadInstructions": line["thread_instructions"],
                "simdEfficiency": line["simd_efficiency"],
                "sectors": line["sectors"],
                "idealSectors": line["ideal_sectors"],
                "bankConflicts": line["bank_conflicts"],
            }


def _decorated_branches(view: View, result: Placed, run: PolicyObject) -> Iterator[dict[str, Any]]:
    lines = view.analysed.item.document.lines
    for branch in run["branches"]:
        now = result.line_now(branch["line"]) if branch["path"] == result.simulated.report["path"] else None
        if now is not None:
            yield {
                "position": view.position(lines.offset(now, branch["column"] - 1, PositionEncoding.UTF32)),
                "executed": branch["executed"],
                "diverged": branch["diverged"],
                "lanes": branch["lanes"],
                "level": branch["level"],
            }
