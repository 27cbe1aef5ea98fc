"""Which kernels does `simulate` run, and with which launch?

Rules    `FILE`: the kernels of the file; where it has none, those that it launches, each with its first launch.
         `FILE:KERNEL`: that kernel, of the file or of one that it includes.
         `FILE:LINE`: the kernel that is launched there, with what that launch says, or the one around the line.
         One that the file only declares is looked for in the project, and runs in its own file.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final, final

from analysis.facts.file_analysis import FileAnalysis
from analysis.features.declared_elsewhere import Declared, declared_at, definitions_of
from analysis.features.launch_site import LaunchSite, launch_sites, site_on_line
from analysis.ir.record import record
from analysis.launches import Launch, launch_shapes
from analysis.lower.program import DeviceFunction
from analysis.lower.seen_kernels import kernel_at, seen_kernels
from simt_lsp.cli.exit_status import UsageError
from simt_lsp.cli.targets import functions_named
from simt_lsp.launch_requests import launch_name


@final
@record
class KernelRun:
    """A kernel to simulate; without a launch, all that the file says of its launches counts."""

    kernel: DeviceFunction
    launch: Launch | None


class DeclaredOnly(UsageError):
    """The kernel of a launch stands in a file that the one with the launch does not include."""

    def __init__(self, problem: str, declared: Declared, launch: Launch) -> None:
        super().__init__(problem)
        self.declared: Final = declared
        self.launch: Final = launch


def runs_of(analysis: FileAnalysis, path: str, name: str | None, line: int | None) -> Sequence[KernelRun]:
    """At least one; raises `UsageError` where nothing is meant."""
    if line is not None:
        return [_run_at(analysis, path, line)]
    kernels = seen_kernels(analysis.program)
    if name is not None:
        return [KernelRun(kernel, None) for kernel in functions_named(kernels, path, name, "kernel")]
    own = [kernel for kernel in kernels if kernel.item.path == analysis.facts.path]
    if own:
        return [KernelRun(kernel, None) for kernel in own]
    first: dict[str, KernelRun] = {}
    for site in _sites(analysis):
        found = None if site.kernel is None else kernel_at(analysis.program, site.kernel.path, site.kernel.start)
        if found is not None:
            first.setdefault(found.id, _launched(analysis, found, site))
    if not first:
        raise UsageError(f"{path} has no kernels, and launches none that it includes")
    return tuple(first.values())


def _run_at(analysis: FileAnalysis, path: str, line: int) -> KernelRun:
    lines = analysis.document.lines
    if line > lines.line_count:
        raise UsageError(f"{path} has {lines.line_count} lines, there is no line {line}")
    sites = _sites(analysis)
    start = lines.line_start(line - 1)
    site = site_on_line(analysis, sites, start)
    if site is not None:
        return _run_of(analysis, path, line, site)
    end = start + len(lines.line_text(line - 1))
    for kernel in analysis.program.device_functions():
        span = kernel.item.span
        if kernel.item.is_kernel and kernel.item.active and span.start <= end and start < span.end:
            return KernelRun(kernel, None)
    launched = sorted({lines.line_of(site.start) + 1 for site in sites})
    others = f"; kernels are launched in line {', '.join(map(str, launched))}" if launched else ""
    raise UsageError(f"{path}:{line}: no kernel and no launch stands there{others}")


def _run_of(analysis: FileAnalysis, path: str, line: int, site: LaunchSite) -> KernelRun:
    name = site.launch.kernel
    if len(site.kernels) > 1:
        raise UsageError(f"{path}:{line}: several kernels named '{name}' take so many arguments")
    found = None if site.kernel is None else kernel_at(analysis.program, site.kernel.path, site.kernel.start)
    if found is None:
        problem = f"{path}:{line}: neither the file nor what it includes defines the kernel '{name}'"
        declared = None if site.kernel is None else declared_at(analysis, site.kernel)
        raise UsageError(problem) if declared is None else DeclaredOnly(problem, declared, _named(analysis, site))
    return _launched(analysis, found, site)


def run_elsewhere(analysis: FileAnalysis, wanted: DeclaredOnly) -> KernelRun | None:
    """In the analysis of a file that may define the kernel; None where it does not."""
    found = definitions_of(analysis, wanted.declared)
    place = found[0].place if len(found) == 1 else None
    kernel = None if place is None else kernel_at(analysis.program, place.path, place.start)
    return None if kernel is None else KernelRun(kernel, wanted.launch)


def _launched(analysis: FileAnalysis, kernel: DeviceFunction, site: LaunchSite) -> KernelRun:
    return KernelRun(kernel, _named(analysis, site))


def _named(analysis: FileAnalysis, site: LaunchSite) -> Launch:
    line = analysis.document.lines.line_of(site.start) + 1
    return replace(site.launch, name=launch_name(analysis.facts.path, line))


def _sites(analysis: FileAnalysis) -> tuple[LaunchSite, ...]:
    return launch_sites(analysis, launch_shapes(analysis.program.unit))
