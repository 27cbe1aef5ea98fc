"""Data to tint the lines of a document by what ran there: the answer of `simt/simulation`, see docs/protocol.md."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from lsprotocol import types

from analysis.syntax.line_index import PositionEncoding
from simt_lsp.server.simulations.results import Placed
from simt_lsp.server.simulations.words import line_words
from simt_lsp.server.views.view import View, printable

if TYPE_CHECKING:
    from sim.report.json_report import KernelObject, PolicyObject


def decorations(view: View) -> dict[str, Any]:
    item = view.analysed.item
    kernels = [
        _decorated(view, result, report) for result in view.known.placed() if (report := result.report) is not None
    ]  # fmt: skip
    return {"uri": item.uri, "version": item.version, "kernels": kernels}


def _decorated(view: View, result: Placed, report: KernelObject) -> dict[str, Any]:
    policy, run = next(iter(report["policies"].items()))
    holds = result.line is not None
    return {
        "kernel": printable(report["kernel"]),
        "line": result.line,
        "stale": not holds,
        "interim": report["interim"],
        "policy": policy,
        "grid": report["grid"],
        "block": report["block"],
        "simdEfficiency": run["simd_efficiency"],
        "faults": len(run["faults"]),
        "truncated": report["truncated"],
        "lines": list(_lines(view, result, report, run)) if holds else [],
        "branches": list(_branches(view, result, report, run)) if holds else [],
        "accesses": list(_accesses(view, result, report, run)) if holds else [],
    }


def _lines(view: View, result: Placed, report: KernelObject, run: PolicyObject) -> Iterator[dict[str, Any]]:
    diverged: Counter[int] = Counter()
    for branch in run["branches"]:
        if branch["path"] == report["path"]:
            diverged[branch["line"]] += branch["diverged"]
    for line in run["lines"]:
        now = result.line_now(line["line"])
        if now is not None:
            yield {
                "line": now,
                "range": _without_blanks(view, now),
                "executed": line["executed"],
                "diverged": diverged[line["line"]],
                "warpInstructions": line["warp_instructions"],
                "threadInstructions": line["thread_instructions"],
                "simdEfficiency": line["simd_efficiency"],
                "share": line["warp_instructions"] / max(run["warp_instructions"], 1),
                "sectors": line["sectors"],
                "idealSectors": line["ideal_sectors"],
                "bankConflicts": line["bank_conflicts"],
                "text": line_words(line, diverged[line["line"]], report["warp_size"]),
            }


def _branches(view: View, result: Placed, report: KernelObject, run: PolicyObject) -> Iterator[dict[str, Any]]:
    for branch in run["branches"]:
        position = _position(view, result, report, branch["path"], branch["line"], branch["column"])
        if position is not None:
            yield {
                "position": position,
                "executed": branch["executed"],
                "diverged": branch["diverged"],
                "lanes": branch["lanes"],
                "level": branch["level"],
            }


def _accesses(view: View, result: Placed, report: KernelObject, run: PolicyObject) -> Iterator[dict[str, Any]]:
    for access in run["accesses"]:
        position = _position(view, result, report, access["path"], access["line"], access["column"])
        if position is not None:
            yield {
                "position": position,
                "requests": access["requests"],
                "sectors": access["sectors"],
                "idealSectors": access["ideal_sectors"],
                "bankConflicts": access["bank_conflicts"],
            }


def _position(
    view: View, result: Placed, report: KernelObject, path: str, line: int, column: int
) -> types.Position | None:  # fmt: skip
    now = result.line_now(line) if path == report["path"] else None
    if now is None:
        return None
    return view.position(view.analysed.item.document.lines.offset(now, column - 1, PositionEncoding.UTF32))


def _without_blanks(view: View, line: int) -> types.Range:
    lines, text = view.analysed.item.document.lines, view.analysed.item.document.text
    first = lines.offset(line, 0, PositionEncoding.UTF32)
    end = text.find(b"\n", first)
    source = text[first : len(text) if end < 0 else end]
    return view.range(first + len(source) - len(source.lstrip()), first + len(source.rstrip()))
