"""`sanitize` of one file: its kernels in many runs, and what the rules say of it, as one report.

Order     Within a file the kernels that rules suspect come first, then those whose threads talk to each other.  Where
          a file has only so many seconds, the others wait, to be run one by one (`sanitized_kernels.py`).
Kernels   Those that the file defines, and those of headers that are no CUDA files by their names.  What `#if` leaves
          out does not count.
"""

from __future__ import annotations

import hashlib
import os
import re
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import Final, final

from analysis.ir.record import record
from analysis.lower.program import DeviceFunction
from analysis.lower.seen_kernels import seen_kernels
from analysis.races.absent_model import Consequence
from analysis.rules.diagnostic import Diagnostic
from analysis.rules.diagnostic import Severity as RuleSeverity
from sim.launch.choices import Choice
from sim.refusals import LaunchError
from sim.report.model import SourcePlace
from sim.result import TruncationReason
from sim.sanitize.campaign import sanitize_kernel
from sim.sanitize.merge import kinds_shown
from sim.sanitize.model import KernelFindings, Schedule, Severity, Site
from sim.sanitize.report import (
    Evidence,
    FileParts,
    Finding,
    KernelPart,
    KernelSummary,
    RelatedRange,
    RunSummary,
    SourceRange,
    StaticFinding,
    kernel_name,
)
from sim.sanitize.trials import OUT_OF_TIME, Limits
from sim.specification import WarpOrder
from simt_lsp.cli.engine import Analyzed, Keeping
from simt_lsp.cli.launches import requests_around
from simt_lsp.cli.paths import displayed
from simt_lsp.cli.report import FileRange
from simt_lsp.cli.resolve import Places
from simt_lsp.cli.run_files import OUT_OF_BUDGET
from simt_lsp.workspace.device_file import is_device_file

_CLASSES: Final = (
    FileParts,
    KernelPart,
    KernelSummary,
    RunSummary,
    Finding,
    Evidence,
    StaticFinding,
    SourceRange,
    RelatedRange,
    Choice,
    Schedule,
    Severity,
    WarpOrder,
)
"""That a report consists of."""
LEAST_SECONDS: Final = 0.2
"""A kernel with less is not begun."""
_TALK: Final = re.compile(
    rb"__syncthreads|__syncwarp|\batomic\w+|__shared__|__shfl\w*|\bvolatile\b|cooperative_groups|__ballot|__threadfence"
)
_WORD: Final = re.compile(r"\w+|.")
_SEVERITIES: Final = {
    RuleSeverity.ERROR: Severity.ERROR,
    RuleSeverity.WARNING: Severity.WARNING,
    RuleSeverity.INFORMATION: Severity.NOTE,
}


@final
@record
class Budget:
    """`until` is when everything has to be over, in seconds since the epoch, the same for all processes."""

    limits: Limits
    until: float | None
    roots: tuple[str, ...]
    """Where headers with kernels are looked for: what the user named, as absolute paths."""
    file_seconds: float | None = None
    """No kernel of a file is begun later than so many seconds after the first; None where files are run whole."""

    @property
    def left(self) -> float:
        return self.limits.seconds if self.until is None else min(self.limits.seconds, self.until - time.time())


def keeping(budget: Budget) -> Keeping:
    """How reports are kept: for the same limits, and what no limit of time had a part in.

    So a run that was broken off goes on behind the kernels that it has a report of.
    """
    limits = budget.limits
    kind = f"sanitize {limits.seconds:g} {limits.seeds} {limits.steps} {budget.roots}"
    return Keeping(kind, frozenset((one.__module__, one.__qualname__) for one in _CLASSES), settled)


def settled(found: FileParts | KernelPart) -> FileParts | KernelPart | None:
    """What of it would come out again: of kernels no run of which was cut off by the clock, and for which no array came
    from a file; the others wait."""
    match found:
        case KernelPart():
            return found if _is_settled(found.summary) else None
        case FileParts(error=None, parts=parts):
            again = [part for part in parts if not _is_settled(part.summary)]
            if not again:
                return found
            waiting = tuple(_waiting(part.id, part.summary) for part in again)
            kept = tuple(part for part in parts if part not in again)
            return replace(found, parts=kept, waiting=(*waiting, *found.waiting))
        case _:
            return None


def _waiting(id: str, summary: KernelSummary) -> KernelPart:
    return not_run(id, summary.path, summary.name, summary.line, "")


def not_run(id: str, path: str, name: str, line: int, reason: str) -> KernelPart:
    summary = KernelSummary(path, name, line, (), (), lines=0, reached=0, not_run=reason, left=(), seconds=0.0)
    return KernelPart(id, summary, ())


def _is_settled(kernel: KernelSummary) -> bool:
    timed = (OUT_OF_TIME, OUT_OF_BUDGET, TruncationReason.TIME.value)
    said = (kernel.not_run or "", *kernel.left, *(run.stopped or "" for run in kernel.runs))
    reads = any(choice.value.startswith("@") for choice in kernel.inputs)
    return not reads and not any(word in text for text in said for word in timed)


def sanitizing(budget: Budget) -> Callable[[Analyzed], FileParts]:
    """What is found in a file; picklable."""
    return partial(_file, budget=budget)


def failed_file(path: str, reason: str) -> FileParts:
    return FileParts(path, error=reason, is_left=reason == OUT_OF_BUDGET)


def suspicion(text: bytes) -> int:
    """How much threads have to do with each other, by the words of a text."""
    return len(_TALK.findall(text))


def _file(analyzed: Analyzed, *, budget: Budget) -> FileParts:
    own = [kernel for kernel in seen_kernels(analyzed.analysis.program) if _is_told_here(analyzed, kernel, budget)]
    ranges = _Ranges(analyzed)
    rules = [ranges.rule(one) for one in analyzed.diagnostics if _counts(one)]
    suspected = {rule.function for rule in rules if rule.severity is not Severity.NOTE}

    def order(kernel: DeviceFunction) -> tuple[bool, int]:
        return kernel.item.name not in suspected, -suspicion(kernel.item.text)

    started = time.monotonic()
    parts: list[KernelPart] = []
    waiting: list[KernelPart] = []
    for kernel in sorted(own, key=order):
        if parts and budget.file_seconds is not None and time.monotonic() - started >= budget.file_seconds:
            place = _line(analyzed, kernel)
            waiting.append(not_run(str(kernel.id), ranges.shown(kernel.item.path), kernel.item.name, place, ""))
        else:
            parts.append(_part(analyzed, kernel, budget, ranges))
    digest = digest_of(analyzed.analysis.document.text)
    ids = tuple(str(kernel.id) for kernel in own)
    return FileParts(analyzed.path, digest, ids, tuple(parts), tuple(waiting), tuple(rules))


def kernel_parts(analyzed: Analyzed, ids: Sequence[str], budget: Budget) -> Iterator[KernelPart]:
    """Those kernels of a file, in that order; one that it has not any more is left out."""
    kernels = {str(kernel.id): kernel for kernel in seen_kernels(analyzed.analysis.program)}
    ranges = _Ranges(analyzed)
    for id in ids:
        if id in kernels:
            yield _part(analyzed, kernels[id], budget, ranges)


def digest_of(text: bytes) -> bytes:
    return hashlib.sha256(text).digest()


def _part(analyzed: Analyzed, kernel: DeviceFunction, budget: Budget, ranges: _Ranges) -> KernelPart:
    found = _kernel(analyzed, kernel, budget)
    summary = ranges.summary(found)
    name = kernel_name(summary)
    return KernelPart(str(kernel.id), summary, tuple(ranges.finding(site, found, name) for site in found.sites))


def _is_told_here(analyzed: Analyzed, kernel: DeviceFunction, budget: Budget) -> bool:
    """A kernel of the file, or of a header that is no file of its own for this command."""
    path = kernel.item.path
    if path == analyzed.analysis.facts.path:
        return True
    return not is_device_file(path) and any(path.startswith(root.rstrip(os.sep) + os.sep) for root in budget.roots)


def _counts(diagnostic: Diagnostic) -> bool:
    return diagnostic.severity in _SEVERITIES and kinds_shown(diagnostic.code) is not None


def _kernel(analyzed: Analyzed, kernel: DeviceFunction, budget: Budget) -> KernelFindings:
    program, item = analyzed.analysis.program, kernel.item
    line = _line(analyzed, kernel)
    left = budget.left
    if left < LEAST_SECONDS:
        return KernelFindings(item.path, item.name, line, not_run=OUT_OF_BUDGET)
    try:
        requests = requests_around(analyzed, kernel)
    except LaunchError as error:
        return KernelFindings(item.path, item.name, line, not_run=str(error))
    elsewhere = analyzed.analysis.launches_elsewhere(kernel)
    return sanitize_kernel(program, kernel, requests, elsewhere=elsewhere, limits=replace(budget.limits, seconds=left))


def _line(analyzed: Analyzed, kernel: DeviceFunction) -> int:
    text = analyzed.analysis.program.unit.text_of(kernel.item.path) or b""
    return text.count(b"\n", 0, kernel.item.span.start) + 1


@final
class _Ranges:
    """From places of runs and of rules to stretches of lines, under the paths that the user gave."""

    def __init__(self, analyzed: Analyzed) -> None:
        self._analyzed = analyzed
        self._places = Places(analyzed)
        self._own = analyzed.analysis.facts.path
        self._texts: dict[str, Sequence[str] | None] = {}

    def summary(self, found: KernelFindings) -> KernelSummary:
        launches = found.launches
        runs = tuple(
            RunSummary(
                launches[run.launch].grid,
                launches[run.launch].block,
                launches[run.launch].seed,
                launches[run.launch].why,
                run.schedule,
                run.warp_instructions,
                run.stopped,
                run.seconds,
            )
            for run in found.runs
        )
        return KernelSummary(
            path=self.shown(found.path),
            name=found.kernel,
            line=found.line,
            runs=runs,
            inputs=launches[0].choices if launches else (),
            lines=found.lines,
            reached=found.reached,
            not_run=found.not_run,
            left=found.left,
            seconds=found.seconds,
        )

    def finding(self, site: Site, found: KernelFindings, kernel: str) -> Finding:
        launch = found.launches[site.launch]
        place = SourcePlace(found.path, found.line, 1) if site.place is None else site.place
        return Finding(
            kind=site.kind,
            severity=site.severity,
            place=self.at(place),
            message=site.message,
            kernels=(kernel,),
            related=tuple(
                RelatedRange(None if one.place is None else self.at(one.place), one.message) for one in site.related
            ),
            chosen=site.chosen,
            evidence=Evidence(
                kernel=kernel,
                grid=launch.grid,
                block=launch.block,
                warp_size=launch.warp_size,
                seed=launch.seed,
                inputs=launch.choices,
                schedule=site.schedule,
                block_index=site.block,
                thread=site.thread,
                threads=site.count,
                seen=site.seen,
                runs=len(found.runs),
            ),
        )

    def at(self, place: SourcePlace) -> SourceRange:
        """The word or sign that stands there."""
        lines = self._lines(place.path)
        source = lines[place.line - 1] if lines is not None and place.line <= len(lines) else None
        word = None if source is None else _WORD.match(source, place.column - 1)
        end = place.column + (1 if word is None else len(word[0]))
        return SourceRange(self.shown(place.path), place.line, place.column, end, source)

    def rule(self, diagnostic: Diagnostic) -> StaticFinding:
        return StaticFinding(
            diagnostic.code,
            diagnostic.name,
            _SEVERITIES[diagnostic.severity],
            diagnostic.message,
            _first_line(self._places.own(diagnostic.start, diagnostic.end)),
            tuple(RelatedRange(_first_line(self._places.at(one.location)), one.message) for one in diagnostic.related),
            diagnostic.function,
            is_allowed=diagnostic.consequence is Consequence.NOTHING,
        )

    def shown(self, path: str) -> str:
        return self._analyzed.path if path == self._own else displayed(path)

    def _lines(self, path: str) -> Sequence[str] | None:
        if path not in self._texts:
            text = self._analyzed.analysis.program.unit.text_of(path)
            self._texts[path] = None if text is None else text.decode("utf-8", "replace").splitlines()
        return self._texts[path]


def _first_line(place: FileRange) -> SourceRange:
    is_one = place.line == place.end_line
    end = place.end_column if is_one else max(place.column + 1, len(place.source or "") + 1)
    return SourceRange(place.path, place.line, place.column, end, place.source)
