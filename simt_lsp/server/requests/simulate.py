"""The command `simt.simulate` and the requests `simt/simulation` and `simt/simulationReport`; see docs/protocol.md.

Rules    The text is the one that the client saw when it asked.  The result is kept with the identity that the kernel
         had then: if it was edited meanwhile, the result arrives stale.  So does what was counted before the end.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final, TypeVar, assert_never, final

from lsprotocol import types

from analysis.ir.record import record
from simt_lsp.server.documents.uris import path_of
from simt_lsp.server.requests.code_lens import SIMULATE_COMMAND
from simt_lsp.server.requests.simulated_launch import KernelElsewhere, kernel_elsewhere, with_kernel
from simt_lsp.server.session.progress import Percentages, progress
from simt_lsp.server.simulations.arguments import SimulateArguments, plain, read_arguments
from simt_lsp.server.simulations.checked_melds import text_digest
from simt_lsp.server.simulations.child import Listener
from simt_lsp.server.simulations.identity import is_template
from simt_lsp.server.simulations.job import LaunchOverrides, SimulationJob, SourceText
from simt_lsp.server.simulations.outcome import Failed, Finished, Outcome, Refused, Stopped
from simt_lsp.server.simulations.results import LaunchedFrom, Placed, Running, Simulated
from simt_lsp.server.simulations.words import summary_words
from simt_lsp.server.views.run_decorations import decorations
from simt_lsp.server.views.source_text import source_text
from simt_lsp.server.views.view import View, printable

if TYPE_CHECKING:
    from analysis.facts.model import FunctionFacts
    from simt_lsp.server.session.server import SimtServer

Answer = TypeVar("Answer")

REPORT_METHOD: Final = "simt/simulationReport"
_NUMBERS: Final = itertools.count()
_COMMENTS: Final = re.compile(rb"(?:[ \t]*//[^\n]*\n)+[ \t]*")


async def simulate_command(ls: SimtServer, params: types.ExecuteCommandParams) -> dict[str, Any]:
    arguments = read_arguments(list(params.arguments or ()))
    prepared = await _prepare(ls, arguments)
    uri, job, running = prepared.uri, prepared.job, prepared.running

    def so_far(counted: Finished) -> None:
        ls.simulation_goes_on(uri, Simulated(running, counted, job.overrides))

    ls.simulation_began(uri, running)
    outcome: Outcome = Stopped()
    try:
        async with progress(ls, params.work_done_token, f"simt-lsp: simulating {printable(job.kernel)}") as shown:
            listener = Listener(Percentages(shown), so_far)
            outcome = await ls.simulator.simulate(job, listener, shown.stopped, keep=prepared.keep)
    finally:
        result = None if isinstance(outcome, Stopped) else Simulated(running, outcome, job.overrides)
        ls.simulation_ended(uri, running, result)
    if isinstance(outcome, Failed) and outcome.log is not None:
        ls.log_error(f"{SIMULATE_COMMAND} {uri}\n{outcome.log}")
    if not arguments.quiet:
        _tell(ls, outcome)
    return _answer(outcome, prepared, html=arguments.html)


async def on_simulation(ls: SimtServer, params: object) -> dict[str, Any] | None:
    """pygls hands parameters of methods it does not know over as nested named tuples."""
    uri = getattr(getattr(params, "textDocument", None), "uri", None)
    if not isinstance(uri, str):
        raise ValueError("simt/simulation needs textDocument.uri")
    return await ls.ask(uri, decorations)


async def on_simulation_report(ls: SimtServer, params: object) -> dict[str, Any] | None:
    arguments = read_arguments([params], REPORT_METHOD)
    format = plain(params).get("format", "html")
    if format not in ("html", "json", "text"):
        raise ValueError(f"{REPORT_METHOD}: no format {format!r}; use html, json or text")
    found = await _ask(ls, arguments.uri, lambda view: _own_report_or_kernel(view, arguments, format))
    if not isinstance(found, KernelElsewhere):
        return found
    with suppress(ValueError):
        found = await with_kernel(ls, arguments.uri, found)
    elsewhere = replace(arguments, kernel=found.kernel.name, position=None)
    return await ls.other_files.ask(found.kernel.path, lambda view: _report(view, elsewhere, format))


async def _ask(ls: SimtServer, uri: str, answer: Callable[[View], Answer]) -> Answer | None:
    """About a document, or the file of a kernel that was run from a launch elsewhere, which need not be open."""
    path = path_of(uri)
    if path is None or uri in ls.documents.current or not ls.simulations.of(uri):
        return await ls.ask(uri, answer)
    return await ls.other_files.ask(path, answer)


def _own_report_or_kernel(
    view: View, arguments: SimulateArguments, format: str
) -> dict[str, Any] | KernelElsewhere | None:
    """The report on a kernel of the document; or else which kernel of another file is meant."""
    report = _report(view, arguments, format)
    if report is not None:
        return report
    try:
        meant = meant_kernel(view, arguments)
    except ValueError:
        return None
    return meant if isinstance(meant, KernelElsewhere) else None


def _report(view: View, arguments: SimulateArguments, format: str) -> dict[str, Any] | None:
    result = _result(view, arguments)
    outcome = None if result is None else result.simulated.outcome
    if result is None or not isinstance(outcome, Finished):
        return None
    content = {"html": outcome.html, "json": outcome.report, "text": outcome.text}[format]
    return {
        "kernel": printable(result.kernel),
        "stale": result.line is None,
        "interim": outcome.is_interim,
        "format": format,
        "content": content,
    }


def _result(view: View, arguments: SimulateArguments) -> Placed | None:
    """Of the kernel that is meant; of one that is gone or changed by its name."""
    results = view.known.placed()
    try:
        kernel = kernel_of(view, arguments)
    except ValueError:
        kernel = None
    if kernel is not None:
        held = next((one for one in results if one.function is kernel), None)
        if held is not None:
            return held
    name = arguments.kernel if kernel is None else kernel.name
    return next((one for one in results if one.kernel == name), None)


@final
@record
class _Prepared:
    """A simulation, and the document to which its results belong; `start` is where the kernel's name stands there."""

    uri: str
    start: types.Position
    job: SimulationJob
    running: Running
    keep: bool


async def _prepare(ls: SimtServer, arguments: SimulateArguments) -> _Prepared:
    """Raises `ValueError` where no kernel is meant."""

    def own(view: View) -> _Prepared | KernelElsewhere:
        meant = meant_kernel(view, arguments)
        if isinstance(meant, KernelElsewhere):
            return meant
        return _prepared(ls, view, arguments, meant, source_text(view), None)

    meant = await ls.ask(arguments.uri, own)
    if isinstance(meant, KernelElsewhere):
        meant = await with_kernel(ls, arguments.uri, meant)
        prepared = await ls.other_files.ask(meant.kernel.path, lambda view: _elsewhere(ls, view, arguments, meant))
    else:
        prepared = meant
    if prepared is None:
        raise ValueError(f"{SIMULATE_COMMAND}: {arguments.uri} is not an open CUDA document")
    return prepared


def _elsewhere(ls: SimtServer, view: View, arguments: SimulateArguments, found: KernelElsewhere) -> _Prepared:
    kernels = view.analysis.facts.kernels()
    kernel = next((kernel for kernel in kernels if kernel.start == found.kernel.start and kernel.active), None)
    if kernel is None:
        raise ValueError(f"{SIMULATE_COMMAND}: {printable(found.kernel.name)} is not where it was")
    source = source_text(view) if found.source is None else found.source
    origin = found.origin
    if origin is not None and not is_template(view.analysis, kernel):
        origin = replace(origin, host=None)
    return _prepared(ls, view, arguments, kernel, source, origin)


def _prepared(
    ls: SimtServer,
    view: View,
    arguments: SimulateArguments,
    kernel: FunctionFacts,
    source: SourceText,
    origin: LaunchedFrom | None,
) -> _Prepared:
    """On the worker's thread: everything that the process needs to know; `view` is that of the kernel's file."""
    analysed = view.analysed
    options = analysed.configuration.simulation
    overrides = arguments.overrides.over(_last_overrides(view, arguments, kernel))
    launch = None if origin is None else origin.launch
    path = analysed.item.analysis_path
    job = SimulationJob(source, path, kernel.start, kernel.name, overrides, options.of(kernel.name), launch)
    identity = ls.placement.identity_of(analysed, view.analysis, kernel, origin)
    running = Running(identity, next(_NUMBERS), origin, path, text_digest(analysed.item.document.text))
    start = view.position(kernel.start + kernel.name_span.start)
    return _Prepared(analysed.item.uri, start, job, running, options.keep_ready)


def meant_kernel(view: View, arguments: SimulateArguments) -> FunctionFacts | KernelElsewhere:
    """A kernel of the document, or one that it launches at the position, or that it includes; raises `ValueError`."""
    try:
        return kernel_of(view, arguments)
    except ValueError:
        found = kernel_elsewhere(view, arguments)
        if found is None:
            raise
        return found


def _last_overrides(view: View, arguments: SimulateArguments, kernel: FunctionFacts) -> LaunchOverrides:
    """Those of the kernel's last simulation, if they are to count again; an edit of the kernel does not forget them."""
    if arguments.again:
        results = sorted(view.known.placed(), key=lambda one: one.function is not kernel)
        for result in results:
            if result.kernel == kernel.name:
                return result.simulated.overrides
    return LaunchOverrides()


def kernel_of(view: View, arguments: SimulateArguments) -> FunctionFacts:
    """By name, the nearest to the position of several; or the one around or right below the position.

    Raises `ValueError`.
    """
    kernels = [kernel for kernel in view.analysis.facts.kernels() if kernel.active]
    offset = None if arguments.position is None else view.offset(arguments.position)
    if arguments.kernel is not None:
        found = [kernel for kernel in kernels if kernel.name == arguments.kernel]
    else:
        text = view.analysed.item.document.text
        found = [kernel for kernel in kernels if offset is not None and _belongs_to(text, offset, kernel)]
    if not found:
        names = ", ".join(dict.fromkeys(kernel.name for kernel in kernels))
        wanted = "at this position" if arguments.kernel is None else f"named {arguments.kernel}"
        others = f"no kernel {wanted}; the file has: {names}" if names else "the file has no kernels"
        raise ValueError(printable(f"{SIMULATE_COMMAND}: {others}"))
    return found[0] if offset is None else min(found, key=lambda kernel: abs(kernel.start - offset))


def _belongs_to(text: bytes, offset: int, kernel: FunctionFacts) -> bool:
    """Whether the offset is in the kernel, or in the comments above it, where its launch is written down."""
    if offset >= kernel.start:
        return offset < kernel.end
    line = text.rfind(b"\n", 0, offset) + 1
    return _COMMENTS.fullmatch(text, line, kernel.start) is not None


def _tell(ls: SimtServer, outcome: Outcome) -> None:
    """For clients that show nothing but messages."""
    match outcome:
        case Finished(report=report):
            ls.show_message(printable(summary_words(report)), types.MessageType.Info)
        case Refused(message=message) | Failed(message=message):
            ls.show_message(printable(message), types.MessageType.Warning)
        case Stopped():
            pass
        case _:
            assert_never(outcome)


def _answer(outcome: Outcome, prepared: _Prepared, *, html: bool) -> dict[str, Any]:
    job = prepared.job
    place = {"uri": prepared.uri, "kernel": printable(job.kernel), "position": prepared.start}
    answer = {"status": "stopped", "message": None, "line": None, "report": None, "html": None, **place}
    match outcome:
        case Finished(report=report, html=page):
            return {**answer, "status": "finished", "report": report, "html": page if html else None}
        case Refused(message=message, place=place):
            line = place.line if place is not None and place.path == job.path else None
            return {**answer, "status": "refused", "message": printable(message), "line": line}
        case Failed(message=message):
            return {**answer, "status": "failed", "message": printable(message)}
        case Stopped():
            return answer
        case _:
            assert_never(outcome)
