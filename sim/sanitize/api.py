"""`sanitize(source)` for tests and scripts: what many runs of the kernels of a CUDA text find."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import final

from analysis.ir.function import FunctionKind
from analysis.ir.record import record
from analysis.launches.annotation import annotation_above
from analysis.lower.program import DeviceFunction, LowerSettings, Program
from analysis.pipeline import unit_of_text
from sim.launch.request import Request, requests_in_order
from sim.sanitize.campaign import sanitize_kernel
from sim.sanitize.model import KernelFindings, Severity, Site
from sim.sanitize.trials import STEPS, Limits


@final
@record
class Sanitized:
    """The kernels of a text in its order."""

    kernels: tuple[KernelFindings, ...]

    @property
    def errors(self) -> tuple[Site, ...]:
        return tuple(site for kernel in self.kernels for site in kernel.sites if site.severity is Severity.ERROR)

    def assert_clean(self) -> None:
        """For tests: AssertionError where a kernel has errors, or did not run at all, so that nothing is known."""
        problems = [
            f"{kernel.kernel}: {site.kind} in line {0 if site.place is None else site.place.line}: {site.message}"
            for kernel in self.kernels
            for site in kernel.sites
            if site.severity is Severity.ERROR
        ]
        problems += [f"{kernel.kernel}: not run: {kernel.not_run}" for kernel in self.kernels if not kernel.ended]
        if problems:
            raise AssertionError("\n".join(problems))


def sanitize(
    source: str,
    name: str | None = None,
    *,
    headers: Mapping[str, str] | None = None,
    warp_size: int = 32,
    seconds: float = 10.0,
    seeds: int = 3,
    steps: int = STEPS,
) -> Sanitized:
    """Runs the kernel `name` of a CUDA text, or all of them.  KeyError where there is no such kernel.

    Each takes so many seconds and warp instructions (`steps`) at most.  Launches in the text and comments above kernels
    count: `LaunchError` for one that cannot be read.  `headers` are the texts of what it includes, by path.
    """
    program = Program(unit_of_text(source, "kernel.cu", headers), LowerSettings(warp_size))
    kernels = [
        one
        for one in program.device_functions()
        if one.kind is FunctionKind.KERNEL and one.item.active and name in (None, one.item.name)
    ]
    if not kernels:
        raise KeyError(name)
    limits = Limits(seconds, seeds, steps)
    return Sanitized(
        tuple(sanitize_kernel(program, kernel, _comment(program, kernel), limits=limits) for kernel in kernels)
    )


def _comment(program: Program, kernel: DeviceFunction) -> Sequence[Request]:
    text = program.unit.text_of(kernel.item.path)
    annotation = None if text is None else annotation_above(text, kernel.item.span.start)
    return requests_in_order(Request("given"), annotation, "", (), None)
