"""`sanitize` of one file: its kernels in many runs, and what the rules say of it, as one report.

Order     Within a file the kernels that rules suspect come first, then those whose threads talk to each other.
Kernels   Those that the file defines, and those of headers that are no CUDA files by their names.  What `#if` leaves
          out does not count.
"""

from __future__ import annotations

import os
import re
import time
from collections.abc import Callable, Sequence
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
from sim.sanitize.merge import kinds_shown, merged, with_rules
from sim.sanitize.model import KernelFindings, Schedule, Severity, Site
from sim.sanitize.report import (
    Evidence,
    FileSummary,
    Finding,
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
    FileSummary,
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

    @property
    def left(self) -> float:
        return self.limits.seconds if self.until is None else min(self.limits.seconds, self.until - time.time())


def keeping(budget: Budget) -> Keeping:
    """How reports are kept: for the same limits, and what no limit of time had a part in.

    So a run that was broken off goes on behind the files that it has a report of.
    """
    limits = budget.limits
    kind = f"sanitize {limits.seconds:g} {limits.seeds} {limits.steps} {budget.roots}"
    return Keeping(kind, frozenset((one.__module__, one.__qualname__) for one in _CLASSES), is_settled)


def is_settled(file: FileSummary) -> bool:
    """Whether the same would come out again: no run was cut off by the clock, and no array came from a file."""
    return file.error is None and all(map(_is_settled, file.kernels))


def _is_settled(kernel: KernelSummary) -> bool:
    timed = (OUT_OF_TIME, OUT_OF_BUDGET, TruncationReason.TIME.value)
    said = (kernel.not_run or "", *kernel.left, *(run.stopped or "" for run in kernel.runs))
    reads = any(choice.value.startswith("@") for choice in kernel.inputs)
    return not reads and not any(word in text for text in said for word in timed)


def sanitizing(budget: Budget) -> Callable[[Analyzed], FileSummary]:
    """The report of a file; picklable."""
    return partial(_file, budget=budget)


def failed_file(path: str, reason: str) -> FileSummary:
    return FileSummary(path, error=reason, is_left=reason == OUT_OF_BUDGET)


def suspicion(text: bytes) -> int:
    """How much threads have to do with each other, by the words of a text."""
    return len(_TALK.findall(text))


def _file(analyzed: Analyzed, *, budget: Budget) -> FileSummary:
    own = [kernel for kernel in seen_kernels(analyzed.analysis.program) if _is_told_here(analyzed, kernel, budget)]
    ranges = _Ranges(analyzed)
    rules = [ranges.rule(one) for one in analyzed.diagnostics if _counts(one)]
    suspected = {rule.function for rule in rules if rule.severity is not Severity.NOTE}

    def order(kernel: DeviceFunction) -> tuple[bool, int]:
        return kernel.item.name not in suspected, -suspicion(kernel.item.text)

    found = {id(kernel): _kernel(analyzed, kernel, budget) for kernel in sorted(own, key=order)}
    kernels: list[KernelSummary] = []
    findings: list[Finding] = []
    for kernel in own:
        said = found[id(kernel)]
        summary = ranges.summary(said)
        kernels.append(summary)
        findings += (ranges.finding(site, said, kernel_name(summary)) for site in said.sites)
    together = with_rules(merged(findings), rules, [kernel_name(kernel) for kernel in kernels])
    return FileSummary(analyzed.path, tuple(kernels), tuple(together))


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
    line = (program.unit.text_of(item.path) or b"").count(b"\n", 0, item.span.start) + 1
    left = budget.left
    if left < LEAST_SECONDS:
        return KernelFindings(item.path, item.name, line, not_run=OUT_OF_BUDGET)
    try:
        requests = requests_around(analyzed, kernel)
    except LaunchError as error:
        return KernelFindings(item.path, item.name, line, not_run=str(error))
    elsewhere = analyzed.analysis.launches_elsewhere(kernel)
    return sanitize_kernel(program, kernel, requests, elsewhere=elsewhere, limits=replace(budget.limits, seconds=left))


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
            path=self._shown(found.path),
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
        return SourceRange(self._shown(place.path), place.line, place.column, end, source)

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

    def _shown(self, path: str) -> str:
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
