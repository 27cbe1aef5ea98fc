"""`simt-lsp sweep FILE[:KERNEL]...`: kernels over launches, sizes, inputs, policies, sizes of warps and melds."""

from __future__ import annotations

import argparse
import hashlib
import sys
import time
from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, Final

from analysis.rules.wording import quantity
from simt_lsp.cli.arguments import available_cores
from simt_lsp.cli.command_options import engine_options
from simt_lsp.cli.engine import Analyzed, Engine, EngineOptions, absolute_path, read_source
from simt_lsp.cli.exit_status import ExitStatus, UsageError
from simt_lsp.cli.fleet.model import Fleet, FleetLost
from simt_lsp.cli.kernel_runs import runs_of
from simt_lsp.cli.one_file import analyzed_file
from simt_lsp.cli.output import write_file
from simt_lsp.cli.sweep.part_files import PartFormat, best_format
from simt_lsp.cli.targets import region_target
from simt_lsp.cli.terminal import progress
from simt_lsp.cli.version import version

try:
    from presentation.html.sweep import sweep_page
    from sim.policies.registry import policies_named
    from sim.refusals import LaunchError
    from sim.specification import Budget
    from sim.sweep.backlog import LONGEST
    from sim.sweep.model import Form, Outcome, SweptKernel
    from sim.sweep.points import Axes
    from sim.sweep.runs import How
    from simt_lsp.cli.fleet.local import LocalProcesses, ThisProcess
    from simt_lsp.cli.simulate_options import warp_size_of
    from simt_lsp.cli.sweep.folder import SweepFolder, open_folder
    from simt_lsp.cli.sweep.run import Plan, SweepRun
    from simt_lsp.cli.sweep.work import Answer, Job, SweepWork, SweptFile
except ModuleNotFoundError as missing:
    if missing.name is None or missing.name.partition(".")[0] != "numpy":
        raise
    raise UsageError(
        f'sweep needs NumPy, which is not installed here: "{sys.executable}" -m pip install numpy'
    ) from None

SLACK: Final = 300.0
"""Seconds for what is no run: analyses and plans."""


def sweep(options: argparse.Namespace) -> ExitStatus:
    """CLEAN where every point has its row and none a fault; what does not fit or run is a row, and no mistake."""
    started = time.perf_counter()
    axes = _axes(options)
    analyzed = _analyzed_files(options)
    plan = Plan(tuple(_kernels(options, analyzed)), axes)
    folder = open_folder(options.output, _description(options, plan, analyzed), _format(options))
    try:
        tasks = _run(options, plan, folder)
        rows = list(folder.rows(None if options.html is not None else _SAID))
    finally:
        folder.close()
    if options.html is not None:
        write_file(options.html, sweep_page(rows))
    _say(rows, plan, folder, tasks, time.perf_counter() - started)
    return _status(rows)


def _run(options: argparse.Namespace, plan: Plan, folder: SweepFolder) -> int:
    """The number of tasks; what is written stays, however this ends."""
    with _fleet(options, plan) as fleet, progress("sweeping", plan.runs) as advance:
        run = SweepRun(plan, folder, fleet, advance)
        try:
            run.run()
        except FleetLost as lost:
            raise UsageError(str(lost)) from lost
        except KeyboardInterrupt:
            print(
                f"simt-lsp: {quantity(len(folder.done()), 'run')} of {plan.runs:,} are in {folder.path};"
                " the same command goes on from there",
                file=sys.stderr,
            )
            raise
    return run.tasks


@contextmanager
def _fleet(options: argparse.Namespace, plan: Plan) -> Generator[Fleet[Job, Answer]]:
    how = _how(options)
    work = SweepWork(tuple(_options_by_size(options, plan)), how, options.timeout)
    fleet: Fleet[Job, Answer]
    if options.dask is not None:
        from simt_lsp.cli.fleet.dask_cluster import DaskCluster

        fleet = DaskCluster[Job, Answer](options.dask, work)
    else:
        jobs = min(options.jobs or available_cores(), plan.runs)
        of_a_launch = how.budget.seconds * len(plan.axes.policies) * len(plan.axes.forms)
        seconds = SLACK + LONGEST + 2 * of_a_launch
        fleet = ThisProcess[Job, Answer](work) if jobs == 1 else LocalProcesses[Job, Answer](work, jobs, seconds)
    try:
        yield fleet
    finally:
        fleet.close()


# -- what is asked for -------------------------------------------------------------------------------------------------


def _axes(options: argparse.Namespace) -> Axes:
    """Raises `UsageError`."""
    try:
        policies = policies_named(name.strip() for name in options.policy.split(",") if name.strip())
    except LaunchError as error:
        raise UsageError(f"--policy: {error}") from error
    first = 1 if options.seed is None else options.seed
    return Axes(
        grids=_each(options.grid),
        blocks=_each(options.block),
        arguments=_arguments(options.arg),
        shared_bytes=_each(options.shared),
        seeds=tuple(range(first, first + options.seeds)),
        policies=tuple(policy.name for policy in policies),
        warp_sizes=tuple(dict.fromkeys(options.warp_size)),
        forms=(Form.AS_WRITTEN, Form.MELDED) if options.meld else (Form.AS_WRITTEN,),
    )


def _each(values: Sequence[Any]) -> tuple[Any, ...]:
    return tuple(dict.fromkeys(values)) or (None,)


def _arguments(given: Sequence[str]) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """By name, each with all of its values."""
    found: dict[str, dict[str, None]] = {}
    for text in given:
        name, equals, value = text.partition("=")
        if not equals or not name.strip() or not value.strip():
            raise UsageError(f"--arg {text}: write NAME=VALUE, for example n=2048 or x=random(0,1)")
        found.setdefault(name.strip(), {})[value.strip()] = None
    return tuple((name, tuple(values)) for name, values in found.items())


def _how(options: argparse.Namespace) -> How:
    default = Budget()
    budget = Budget(options.max_steps or default.max_steps, options.timeout or default.seconds)
    return How(budget, options.havoc)


def _format(options: argparse.Namespace) -> PartFormat:
    if options.format is not None:
        return PartFormat(options.format)
    found = best_format()
    if found is PartFormat.JSON_LINES:
        print('simt-lsp: rows are written as JSON lines; pip install "simt-lsp[cluster]" for Parquet', file=sys.stderr)
    return found


def _of_size(options: argparse.Namespace, size: int | None, paths: Sequence[str]) -> EngineOptions:
    alone = {**vars(options), "block": None, "warp_size": size}
    return engine_options(argparse.Namespace(**alone), paths)


def _options_by_size(options: argparse.Namespace, plan: Plan) -> Iterator[tuple[int, EngineOptions]]:
    """Of all sizes of warps that are run; first the one that melds are looked for with, which is a kernel's own."""
    own = [size for _, _, size in plan.kernels]
    paths = sorted({file.path for _, file, _ in plan.kernels})
    for size in dict.fromkeys([own[0], *own, *plan.axes.warp_sizes]):
        yield size, _of_size(options, size, paths)


# -- kernels -----------------------------------------------------------------------------------------------------------


def _analyzed_files(options: argparse.Namespace) -> Sequence[tuple[str | None, Analyzed]]:
    """The files of the command line, each with the name of the kernel that is wanted of it."""
    targets = [region_target(place) for place in options.places]
    for place, (_, line) in zip(options.places, targets, strict=True):
        if line is not None:
            raise UsageError(f"{place}: name a kernel, not a line")
    for size in options.warp_size:
        _of_size(options, size, [])  # what is wrong is said before any file is read
    engine = Engine(_of_size(options, None, [target.path for target, _ in targets]))
    return [(target.function, analyzed_file(engine, target.path)) for target, _ in targets]


def _kernels(
    options: argparse.Namespace, files: Sequence[tuple[str | None, Analyzed]]
) -> Iterator[tuple[SweptKernel, SweptFile, int]]:
    """Each once, with the size of warps that its settings want."""
    seen: set[SweptKernel] = set()
    for name, analyzed in files:
        file = SweptFile(absolute_path(analyzed.path), hashlib.sha256(read_source(analyzed.path)).hexdigest())
        for run in runs_of(analyzed.analysis, analyzed.path, name, None):
            item = run.kernel.item
            kernel = SweptKernel(analyzed.path, str(run.kernel.id), item.name)
            settings = analyzed.setup.configuration.simulation.of(item.name)
            size = warp_size_of(argparse.Namespace(warp_size=None), settings, analyzed.setup.settings.warp_size)
            if kernel not in seen:
                seen.add(kernel)
                yield kernel, file, size


def _description(
    options: argparse.Namespace, plan: Plan, files: Sequence[tuple[str | None, Analyzed]]
) -> Mapping[str, object]:
    """What makes this sweep the same one when it is run again."""
    axes = plan.axes
    return {
        "simt-lsp": version(),
        "kernels": [f"{kernel.path}:{kernel.id}" for kernel, _, _ in plan.kernels],
        "texts": _digest_of_texts(analyzed for _, analyzed in files),
        "settings": [str(one.values) for one in _of_size(options, None, []).overrides],
        "axes": {
            "grids": axes.grids,
            "blocks": axes.blocks,
            "arguments": axes.arguments,
            "shared": axes.shared_bytes,
            "seeds": axes.seeds,
            "policies": axes.policies,
            "warp sizes": axes.warp_sizes or sorted({size for _, _, size in plan.kernels}),
            "forms": [form.value for form in axes.forms],
        },
        "limits": [options.timeout, options.max_steps, options.havoc],
    }


def _digest_of_texts(files: Iterator[Analyzed]) -> str:
    """Of all that was read for the files: their headers, and the settings and build commands around them."""
    digest = hashlib.sha256()
    for analyzed in files:
        unit = analyzed.analysis.program.unit
        texts = {path: unit.text_of(path) or b"" for path in unit.read_paths}
        for path in analyzed.setup.sources:
            with open(path, "rb") as file:
                texts[path] = file.read()
        for path in sorted(texts):
            digest.update(f"{path}\0{len(texts[path])}\0".encode("utf-8", "surrogateescape") + texts[path])
    return digest.hexdigest()


# -- what is said ------------------------------------------------------------------------------------------------------


def _say(rows: Sequence[Mapping[str, Any]], plan: Plan, folder: SweepFolder, tasks: int, seconds: float) -> None:
    counts = _counts(rows)
    kernels = quantity(len(plan.kernels), "kernel")
    print(f"{quantity(len(rows), 'run')} of {kernels} in {folder.path}: {', '.join(counts)}")
    for outcome in (Outcome.FAULTS, Outcome.DOES_NOT_FIT, Outcome.REFUSED, Outcome.TRUNCATED, Outcome.FAILED):
        first = next((row for row in rows if row["outcome"] == outcome.value), None)
        if first is not None:
            why = first["reason"] or first["faults"]
            print(f"  {outcome.value}, for example {_where(first)}: {why}")
    print(f"{quantity(tasks, 'task')} in this run, {seconds:.1f} s")


_SAID: Final = (
    *("outcome", "reason", "faults", "path", "kernel", "policy"),
    *("asked_grid", "asked_block", "asked_arguments"),
)
"""The columns that are looked at here."""


def _counts(rows: Sequence[Mapping[str, Any]]) -> Sequence[str]:
    counts = {outcome.value: 0 for outcome in Outcome}
    for row in rows:
        counts[row["outcome"]] += 1
    return [f"{count:,} {name}" for name, count in counts.items() if count]


def _where(row: Mapping[str, Any]) -> str:
    asked = [f"{name} {row[f'asked_{name}']}" for name in ("grid", "block") if row[f"asked_{name}"]]
    given = [] if row["asked_arguments"] == "{}" else [row["asked_arguments"]]
    return ", ".join([f"{row['path']}:{row['kernel']}", *asked, *given, row["policy"]])


def _status(rows: Sequence[Mapping[str, Any]]) -> ExitStatus:
    outcomes = {row["outcome"] for row in rows}
    if Outcome.FAULTS.value in outcomes:
        return ExitStatus.FOUND
    return ExitStatus.USAGE if Outcome.FAILED.value in outcomes else ExitStatus.CLEAN
