"""`simt-lsp sanitize PATH...`: every kernel in many runs, and what rules and runs say as one report.

Order     Files whose threads have most to do with each other come first, so that a budget that ends early was spent
          where it tells most; reports are in the order of paths, whatever the number of processes.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from collections.abc import Sequence, Set
from typing import Final, assert_never

from analysis.rules.registry import RULES
from simt_lsp.cli.arguments import OutputFormat
from simt_lsp.cli.check_command import complain
from simt_lsp.cli.command_options import engine_options
from simt_lsp.cli.engine import Engine, EngineOptions, UnreadableError, read_source
from simt_lsp.cli.exit_status import ExitStatus, UsageError
from simt_lsp.cli.fleet.batches import USUAL
from simt_lsp.cli.output import output_to, write_file
from simt_lsp.cli.paths import BadPath, SourceFile, expand, without_repeats
from simt_lsp.cli.project_files import run_project
from simt_lsp.cli.run_files import SECONDS, Cluster, FileTask
from simt_lsp.cli.terminal import progress, writer
from simt_lsp.cli.version import version
from simt_lsp.gates.fail_on import ERRORS, FailOn, fail_on
from simt_lsp.workspace.excluded import ExcludedFiles

try:
    from presentation.html.sanitize import repository_page
    from sim.sanitize.json_report import repository_object
    from sim.sanitize.merge import joined, together
    from sim.sanitize.model import Severity
    from sim.sanitize.report import FileParts, FileSummary, Finding, Repository
    from sim.sanitize.trials import Limits
    from simt_lsp.cli.sanitize_github import github_report
    from simt_lsp.cli.sanitize_junit import junit_report
    from simt_lsp.cli.sanitize_sarif import WORDS, sanitize_sarif
    from simt_lsp.cli.sanitize_text import summary_lines, text_lines
    from simt_lsp.cli.sanitized_files import Budget, failed_file, keeping, sanitizing, suspicion
    from simt_lsp.cli.sanitized_kernels import with_waiting_kernels
except ModuleNotFoundError as missing:
    if missing.name is None or missing.name.partition(".")[0] != "numpy":
        raise
    raise UsageError(
        f'sanitize needs NumPy, which is not installed here: "{sys.executable}" -m pip install numpy'
    ) from None

_SEVERITIES: Final = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.NOTE: "information"}
"""As the gates of `check` call them."""


def sanitize(options: argparse.Namespace) -> ExitStatus:
    """FOUND where findings count, else USAGE if a file could not be read; the rest is reported all the same."""
    started = time.perf_counter()
    fails = _fail_on(options)
    engine = engine_options(options, options.paths)
    found = without_repeats(expand(options.paths, ExcludedFiles(lambda _: engine.overrides)))
    complain(found)
    files = [item.path for item in found if isinstance(item, SourceFile)]
    bad = [joined(failed_file(item.path, item.reason)) for item in found if isinstance(item, BadPath)]
    repository = together([*_summaries(options, engine, files), *bad], time.perf_counter() - started)
    counted = frozenset(finding for finding in repository.findings if _counts(finding, fails))
    _write(repository, options, counted)
    if counted and not options.exit_zero:
        return ExitStatus.FOUND
    return ExitStatus.USAGE if repository.totals().failed or not files else ExitStatus.CLEAN


def _fail_on(options: argparse.Namespace) -> FailOn:
    """Raises `UsageError`."""
    if options.fail_on is None:
        return ERRORS
    words = [word.strip() for value in options.fail_on for word in value.split(",") if word.strip()]
    rules = [*((rule.code, rule.slug) for rule in RULES), *((kind, kind) for kind in WORDS)]
    try:
        return fail_on(["information" if word.lower() == "note" else word for word in words], rules)
    except ValueError as error:
        raise UsageError(f"--fail-on: '{error}' is no severity, kind of finding or rule") from error


def _counts(finding: Finding, fails: FailOn) -> bool:
    names = [("", finding.kind), *((rule.code, rule.name) for rule in finding.rules)]
    return any(fails.fails(_SEVERITIES[finding.severity], code, name) for code, name in names)


def _summaries(options: argparse.Namespace, engine: EngineOptions, files: Sequence[str]) -> Sequence[FileSummary]:
    until = None if options.budget is None else time.time() + options.budget
    limits = Limits(options.timeout, options.seeds)
    jobs = options.jobs if options.dask is None else Cluster(options.dask)
    each = USUAL if isinstance(jobs, Cluster) else None
    budget = Budget(limits, until, tuple(os.path.abspath(path) for path in options.paths), each)
    texts = {path: _text(path) for path in files}
    most = max((text.count(b"__global__") for text in texts.values()), default=0)
    task = FileTask(
        engine,
        finish=sanitizing(budget),
        failed=failed_file,
        seconds=SECONDS + 1.5 * options.timeout * most,
        until=until,
        keeping=keeping(budget),
    )
    ordered = sorted(files, key=lambda path: (-suspicion(texts[path]), path))
    here = Engine(engine)
    with progress("sanitizing", len(files)) as advance:
        found: list[FileParts] = []
        for file in run_project(task, ordered, jobs, here):
            found.append(file)
            if not file.waiting:
                advance()
        whole = [file for file in found if not file.waiting]
        for file in with_waiting_kernels([file for file in found if file.waiting], here, budget, jobs):
            whole.append(file)
            advance()
    return [joined(file) for file in whole]


def _text(path: str) -> bytes:
    try:
        return read_source(path)
    except UnreadableError:
        return b""  # said where the file is analysed


# -- output ------------------------------------------------------------------------------------------------------------


def _write(repository: Repository, options: argparse.Namespace, counted: Set[Finding]) -> None:
    if options.html is not None:
        try:
            write_file(options.html, repository_page(repository, version()))
        except UsageError as error:
            raise UsageError(str(error).replace("--output", "--html", 1)) from error
    chosen = OutputFormat(options.format)
    with output_to(options.output) as stream:
        if chosen is OutputFormat.TEXT:
            writer(stream, options.color)(text_lines(repository, verbose=options.verbose))
        else:
            stream.write(_report(repository, chosen, counted) + "\n")
    if options.output is not None:
        writer(sys.stderr, options.color)(summary_lines(repository, verbose=True))


def _report(repository: Repository, chosen: OutputFormat, counted: Set[Finding]) -> str:
    match chosen:
        case OutputFormat.TEXT:
            return "\n".join("".join(text for text, _ in line) for line in text_lines(repository, verbose=False))
        case OutputFormat.JSON:
            return json.dumps(repository_object(repository, version()), indent=2)
        case OutputFormat.SARIF:
            return sanitize_sarif(repository, version())
        case OutputFormat.JUNIT:
            return junit_report(repository, counted)
        case OutputFormat.GITHUB:
            return github_report(repository)
        case _:
            assert_never(chosen)
