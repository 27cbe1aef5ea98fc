"""`check --confirm`: findings that the analysis could not decide, held against runs of the kernels that reach them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from analysis.lower.program import DeviceFunction
from analysis.rules.undecided import undecided_findings
from sim.confirm.confirm import DEFAULT_SECONDS as DEFAULT_SECONDS
from sim.confirm.confirm import confirm
from sim.launch.request import Request
from simt_lsp.checked_by_runs import run_check
from simt_lsp.cli.engine import Analyzed
from simt_lsp.cli.launches import requests_around
from simt_lsp.cli.report import FileReport
from simt_lsp.cli.resolve import Tested, file_report


def confirming(seconds: float) -> Callable[[Analyzed], FileReport]:
    """The report of a file whose kernels may run for so long, all of them together; picklable."""
    return partial(_confirmed_report, seconds=seconds)


def _confirmed_report(analyzed: Analyzed, *, seconds: float) -> FileReport:
    """Confirmed findings are among those that are shown; others only if their tier is."""
    findings = undecided_findings(analyzed.analysis, analyzed.setup.configuration.rules)

    def requests(kernel: DeviceFunction) -> Sequence[Request]:
        return requests_around(analyzed, kernel)

    verdicts = confirm(analyzed.analysis, findings, seconds=seconds, requests_of=requests)
    tested = [Tested(one.diagnostic, run_check(verdict)) for one, verdict in zip(findings, verdicts, strict=True)]
    return file_report(analyzed, tested)
