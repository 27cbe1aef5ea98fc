"""Results of simulations as diagnostics: faults, runs that were ended, and kernels that could not be simulated.

Of a run that goes on, the faults that it has met so far.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import TYPE_CHECKING, Final, assert_never

from lsprotocol import types

from analysis.facts.model import Location
from analysis.syntax.line_index import LineIndex, PositionEncoding
from simt_lsp.server.simulations.outcome import Failed, Finished, Refused, RefusedPlace
from simt_lsp.server.simulations.results import Placed
from simt_lsp.server.views.view import View, printable

if TYPE_CHECKING:
    from sim.report.json_report import FaultObject, KernelObject, PolicyObject, RelatedObject

SOURCE: Final = "simt-sim"
WARNINGS: Final = frozenset({"data-race", "uninitialised-read"})
"""Kinds that may be harmless; every other fault is an error."""
TRUNCATED: Final = "truncated"
REFUSED: Final = "refused"
FAILED: Final = "failed"


def simulation_diagnostics(view: View) -> list[types.Diagnostic]:
    """Of the results that hold, each once, however many policies met it."""
    found: dict[tuple[int, str, str], types.Diagnostic] = {}
    for result in view.known.placed():
        if result.line is not None:
            for one in _of(view, result):
                found.setdefault((one.range.start.line, str(one.code), one.message), one)
    return list(found.values())


def _of(view: View, result: Placed) -> Iterator[types.Diagnostic]:
    outcome = result.simulated.outcome
    match outcome:
        case Finished(report=report):
            for policy, run in report["policies"].items():
                yield from _of_run(view, result, report, policy, run)
        case Refused(message=message, place=place, advice=advice):
            words = message if advice is None else f"{message}; {advice}"
            yield _diagnostic(
                _refused_at(view, result, place), types.DiagnosticSeverity.Information, REFUSED, words, result.kernel
            )
        case Failed(message=message):
            yield _diagnostic(
                _name(view, result), types.DiagnosticSeverity.Information, FAILED, message, result.kernel
            )  # fmt: skip
        case _:
            assert_never(outcome)


def _of_run(
    view: View, result: Placed, report: KernelObject, policy: str, run: PolicyObject
) -> Iterator[types.Diagnostic]:  # fmt: skip
    for fault in run["faults"]:
        severity = types.DiagnosticSeverity.Warning if fault["kind"] in WARNINGS else types.DiagnosticSeverity.Error
        yield _of_fault(view, result, report, policy, fault, severity)
    for note in run["notes"]:
        yield _of_fault(view, result, report, policy, note, types.DiagnosticSeverity.Information)
    ended = run["truncated"]
    if ended is not None and not report["interim"]:
        place = _place(view, result, report["path"], report["path"], ended["line"], None)
        why = "you stopped it" if ended["reason"] == "cancelled" else f"its budget ({ended['reason']}) is used up"
        last = "" if ended["line"] is None else "; it was here last"
        words = f"the simulation of {result.kernel} was ended before the kernel did: {why}{last}"
        yield _diagnostic(place, types.DiagnosticSeverity.Information, TRUNCATED, words, result.kernel, policy)


def _of_fault(
    view: View,
    result: Placed,
    report: KernelObject,
    policy: str,
    fault: FaultObject,
    severity: types.DiagnosticSeverity,
) -> types.Diagnostic:
    place = _place(view, result, report["path"], fault["path"], fault["line"], fault["column"])
    found = _diagnostic(place, severity, fault["kind"], _fault_words(report, fault), result.kernel, policy)
    if view.features.related_information:
        found.related_information = list(_related(view, result, report, fault["related"])) or None
    return found


def _fault_words(report: KernelObject, fault: FaultObject) -> str:
    thread, block = (",".join(map(str, fault[name])) for name in ("thread", "block"))
    times = f", and {fault['count'] - 1:,} times more" if fault["count"] > 1 else ""
    elsewhere = ""
    if fault["path"] is not None and fault["path"] != report["path"]:
        elsewhere = f", in {os.path.basename(fault['path'])}:{fault['line']}"
    return f"simulated: {fault['message']} (thread {thread} of block {block}{times}{elsewhere})"


def _related(
    view: View, result: Placed, report: KernelObject, related: list[RelatedObject]
) -> Iterator[types.DiagnosticRelatedInformation]:
    """Places in the text of the kernel as they are now; in other files as the process read them."""
    for one in related:
        path, line, column = one["path"], one["line"], one["column"]
        if path is None or line is None or column is None:
            continue
        if path == report["path"]:
            if result.line_now(line) is None:
                continue
            place = types.Location(
                view.analysed.item.uri, _place(view, result, path, path, line, column)
            )  # fmt: skip
        elif (elsewhere := _elsewhere(view, path, line, column)) is not None:
            place = elsewhere
        else:
            continue
        yield types.DiagnosticRelatedInformation(place, printable(one["message"]))


def _elsewhere(view: View, path: str, line: int, column: int) -> types.Location | None:
    text = view.known.read(path)
    if text is None:
        return None
    offset = LineIndex(text).offset(line - 1, column - 1, PositionEncoding.UTF32)
    return view.location(Location(path, offset, offset))


def _refused_at(view: View, result: Placed, place: RefusedPlace | None) -> types.Range:
    path = view.analysed.item.analysis_path
    if place is None or place.path != path or result.line_now(place.line) is None:
        return _name(view, result)
    return _place(view, result, path, place.path, place.line, place.column)


def _name(view: View, result: Placed) -> types.Range:
    """The kernel's name."""
    function = result.function
    assert function is not None, "only results that hold are shown"
    return view.range(function.start + function.name_span.start, function.start + function.name_span.end)


def _diagnostic(
    place: types.Range,
    severity: types.DiagnosticSeverity,
    kind: str,
    message: str,
    kernel: str,
    policy: str | None = None,
) -> types.Diagnostic:
    return types.Diagnostic(
        range=place,
        message=printable(message),
        severity=severity,
        code=kind,
        source=SOURCE,
        data={"kernel": printable(kernel), "policy": policy},
    )


def _place(
    view: View, result: Placed, own: str, path: str | None, line: int | None, column: int | None
) -> types.Range:  # fmt: skip
    """From the column (from 1, in code points) to the end of the line; the kernel's name for what is not in the file
    `own`."""
    now = result.line_now(line) if line is not None and path == own else None
    if now is None:
        return _name(view, result)
    lines, text = view.analysed.item.document.lines, view.analysed.item.document.text
    first = lines.offset(now, 0, PositionEncoding.UTF32)
    end = text.find(b"\n", first)
    source = text[first : len(text) if end < 0 else end]
    if column is not None:
        start = lines.offset(now, column - 1, PositionEncoding.UTF32)
    else:
        start = first + len(source) - len(source.lstrip())
    return view.range(start, first + len(source.rstrip()))
