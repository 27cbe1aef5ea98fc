"""The kernels of a document, with what is known about each: the object of `simt/kernels`, see docs/protocol.md."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

from lsprotocol import types

from analysis.ir.pace import paced
from simt_lsp.server.simulations.arguments import options_object
from simt_lsp.server.simulations.outcome import Failed, Finished, Refused
from simt_lsp.server.simulations.results import Placed
from simt_lsp.server.simulations.words import lens_words, summary_words
from simt_lsp.server.views.launches_in_view import can_be_simulated, sites_of
from simt_lsp.server.views.report import report_of
from simt_lsp.server.views.view import View, printable

if TYPE_CHECKING:
    from analysis.facts.model import FunctionFacts, VariableFact

KERNELS_METHOD: Final = "simt/kernels"
SEVERITIES: Final = {
    types.DiagnosticSeverity.Error: "error",
    types.DiagnosticSeverity.Warning: "warning",
    types.DiagnosticSeverity.Information: "information",
    types.DiagnosticSeverity.Hint: "hint",
}


def kernel_list(view: View) -> dict[str, Any]:
    found = [kernel for kernel in paced(view.analysis.facts.kernels()) if kernel.active]
    diagnostics = report_of(view).diagnostics
    item = view.analysed.item
    described = [_kernel(view, kernel, diagnostics) for kernel in paced(found, 50)]
    return {
        "uri": item.uri,
        "version": item.version,
        "kernels": described,
        "launches": _launches(view),
        "findings": findings(diagnostics),
    }


def _launches(view: View) -> list[dict[str, Any]]:
    """Those in host code of kernels in sight."""
    return [
        {"kernel": printable(site.launch.kernel), "range": view.range(site.start, site.end)}
        for site in paced(sites_of(view), 5)
        if can_be_simulated(view, site)
    ]


def findings(diagnostics: Sequence[types.Diagnostic], inside: types.Range | None = None) -> dict[str, int]:
    """How many of each severity begin in a range."""
    counts = Counter(
        SEVERITIES[diagnostic.severity]
        for diagnostic in paced(diagnostics)
        if diagnostic.severity is not None and (inside is None or _begins_in(diagnostic.range.start, inside))
    )
    return {name: counts[name] for name in SEVERITIES.values()}


def _begins_in(position: types.Position, range: types.Range) -> bool:
    place = position.line, position.character
    return (range.start.line, range.start.character) <= place < (range.end.line, range.end.character)


def _kernel(view: View, kernel: FunctionFacts, diagnostics: Sequence[types.Diagnostic]) -> dict[str, Any]:
    from analysis.features.summary import counts_in_words, summarize

    summary = summarize(view.analysis, kernel)
    whole = view.range(kernel.start, kernel.end)
    result = _result_of(view, kernel)
    return {
        "name": printable(kernel.name),
        "range": whole,
        "selectionRange": view.range(kernel.start + kernel.name_span.start, kernel.start + kernel.name_span.end),
        "parameters": [printable(one.name) for one in _parameters(kernel)],
        "summary": printable(counts_in_words(summary)),
        "branches": summary.branches,
        "divergentBranches": summary.divergent_branches,
        "barriers": summary.barriers,
        "unsafeBarriers": summary.unsafe_barriers,
        "opaque": summary.opaque,
        "uncoalesced": summary.uncoalesced,
        "findings": findings(diagnostics, whole),
        "launch": _launch(view, kernel, result),
        "simulation": _simulation(view, kernel, result),
    }


def _parameters(kernel: FunctionFacts) -> list[VariableFact]:
    return sorted((one for one in kernel.variables if one.is_parameter), key=lambda one: one.span.start)


def _result_of(view: View, kernel: FunctionFacts) -> Placed | None:
    """That which holds; else a stale one of the kernel's name that no other kernel of the name has."""
    results = view.known.placed()
    held = next((one for one in results if one.function is kernel), None)
    stale = (one for one in results if one.function is None and one.kernel == kernel.name)
    return held or next(stale, None)


# -- how it would be launched ------------------------------------------------------------------------------------------


def _launch(view: View, kernel: FunctionFacts, result: Placed | None) -> dict[str, Any]:
    report = None if result is None or result.line is None else result.report
    if report is None:
        return _launch_of_text(view, kernel)
    inputs = {name: one["value"] for name, one in report["inputs"].items()}
    shared = inputs.get("shared")
    return {
        "grid": report["grid"],
        "block": report["block"],
        "sharedBytes": None if shared is None else int(shared),
        "seed": report["seed"],
        "arguments": {name: value for name, value in inputs.items() if name not in ("grid", "block", "shared")},
        "from": "simulation",
    }


def _launch_of_text(view: View, kernel: FunctionFacts) -> dict[str, Any]:
    """The comment above the kernel, then the settings, then the first launch in host code that is known."""
    from analysis.launches.annotation import annotation_above

    above = annotation_above(view.analysis.document.text, kernel.start)
    settings = view.analysed.configuration.simulation.of(kernel.name)
    launches = view.known.launches().get(kernel.name, ())
    shape = view.analysed.settings.block
    block = None if shape is None else (shape.x, shape.y, shape.z)
    arguments: dict[str, str] = {}
    for one in reversed(settings):
        arguments |= {name: text for name, text in one.arguments.items() if one.kernel is not None}
    arguments |= above.parameters if above is not None else {}
    sources = [*([] if above is None else [above]), *settings]
    grids = [*(one.grid for one in sources), *(one.grid for one in launches)]
    blocks = [*(one.block for one in sources), block, *(one.block for one in launches)]
    shared = [*(one.shared_bytes for one in sources), *(one.shared_bytes for one in launches)]
    return {
        "grid": next((list(grid) for grid in grids if grid is not None), None),
        "block": next((list(one) for one in blocks if one is not None), None),
        "sharedBytes": next((one for one in shared if one is not None), None),
        "seed": next((one.seed for one in sources if one.seed is not None), None),
        "arguments": {printable(name): printable(text) for name, text in arguments.items()},
        "from": "text",
    }


# -- what its simulation said ------------------------------------------------------------------------------------------


def _simulation(view: View, kernel: FunctionFacts, result: Placed | None) -> dict[str, Any]:
    report = None if result is None or result.line is None else result.report
    run = None if report is None else next(iter(report["policies"].items()))
    return {
        "state": _state(view, kernel, result),
        "title": "Simulate" if report is None else lens_words(report),
        "message": _message(result),
        "policy": None if run is None else run[0],
        "simdEfficiency": None if run is None else run[1]["simd_efficiency"],
        "faults": 0 if run is None else len(run[1]["faults"]),
        "divergedBranches": 0 if run is None else sum(1 for branch in run[1]["branches"] if branch["diverged"]),
        "truncated": report is not None and report["truncated"],
        "options": None if result is None else options_object(result.simulated.overrides),
    }


def _state(view: View, kernel: FunctionFacts, result: Placed | None) -> str:
    if any(one.identity.kernel[0] == kernel.name for one in view.known.running()):
        return "running"
    if result is None:
        return "none"
    if result.line is None:
        return "stale"
    match result.simulated.outcome:
        case Finished():
            return "finished"
        case Refused():
            return "refused"
        case Failed():
            return "failed"


def _message(result: Placed | None) -> str | None:
    if result is None or result.line is None:
        return None
    match result.simulated.outcome:
        case Finished(report=report):
            return printable(summary_words(report))
        case Refused(message=message) | Failed(message=message):
            return printable(message)
