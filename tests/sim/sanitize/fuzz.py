"""`python -m tests.sim.sanitize.fuzz COUNT SEED`: random kernels through `sanitize`; prints rates and what fails.

Exchanges    kernels that exchange values through memory (`tests/races`), most with a change that may be a race: the
             oracle there says whether it is one.  A race has to be an error, and no kernel without one may have one.
Results      kernels whose results no order of threads may change (`tests/sim/random`): there are no errors and no
             warnings.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, TypedDict

from sim.sanitize.api import sanitize
from sim.sanitize.model import KernelFindings, Severity, Site
from sim.specification import Scalar
from tests.races.kernels import ROUNDS, exchange_kernel, planted
from tests.races.oracle import racing_lines
from tests.sim.random.choices import Choices, Seeded
from tests.sim.random.kernels import RandomKernel, random_kernel
from tests.support.seeds import Counts, exit_with, run_seeds


class _Limits(TypedDict):
    seconds: float
    steps: int


LIMITS: Final[_Limits] = {"seconds": 600.0, "steps": 2_000_000}
"""Work, which does not depend on what else the machine does; the time is for what hangs."""


def check(seed: int, counts: Counts) -> str | None:
    """What is wrong with the report on one kernel."""
    return exchange(seed, counts) if seed % 2 else results(seed, counts)


def exchange(seed: int, counts: Counts) -> str | None:
    choices = Choices(Seeded(seed))
    kernel = exchange_kernel(choices)
    if not choices.chance(5):
        kernel = planted(kernel, choices)
    launch = f"k<<<1, dim3({kernel.width}, {kernel.height})>>>(out, in, {ROUNDS});"
    text = f"{kernel.text}void host(float *out, float *in) {{ {launch} }}\n"
    (found,) = sanitize(text, **LIMITS).kernels
    races = [site for site in loud(found) if site.kind in ("data-race", "order-dependent")]
    truth = racing_lines(kernel)
    counts["exchanges"] += 1
    counts["exchanges with a race"] += bool(truth)
    counts["races found"] += bool(truth and races)
    if not found.ended:
        return f"did not run: {found.not_run} {found.left}\n{text}"
    if races and not truth:
        return f"false alarm: {told(races)}\n{text}"
    if truth and not any(site.severity is Severity.ERROR for site in races):
        return f"not found: {sorted(map(sorted, truth))}\n{text}"
    return None


def results(seed: int, counts: Counts) -> str | None:
    kernel = random_kernel(Seeded(seed), has_numbers=seed % 4 == 0)
    text = kernel.text + host(kernel)
    (found,) = sanitize(text, "k", warp_size=kernel.launch.warp_size, **LIMITS).kernels
    counts["kernels without faults"] += 1
    counts["lines of these"] += found.lines
    counts["lines that ran"] += found.reached
    counts["notes"] += found.number(Severity.NOTE)
    if not found.ended:
        return f"did not run: {found.not_run} {found.left}\n{text}"
    alarms = loud(found)
    return f"false alarm: {told(alarms)}\n{text}" if alarms else None


def host(kernel: RandomKernel) -> str:
    """The launch of the kernel as host code: numbers are known, contents of arrays are not."""
    launch = kernel.launch
    arguments = ", ".join(
        f"{value.value}u"
        if isinstance(value, Scalar) and name == "m"
        else str(value.value)
        if isinstance(value, Scalar)
        else f"({pointer(kernel.text, name)})pointer"
        for name, value in launch.arguments.items()
    )
    grid, block = ("dim3({}, {}, {})".format(*extent) for extent in (launch.grid, launch.block))
    return f"void host(void *pointer) {{ k<<<{grid}, {block}, {launch.dynamic_shared_bytes}>>>({arguments}); }}\n"


def pointer(text: str, name: str) -> str:
    """The type of a parameter of the kernel."""
    parameters = text.rpartition("__global__ void k(")[2].partition(")")[0]
    found = next(one for one in parameters.split(",") if one.replace("*", " ").split()[-1] == name)
    return found.rpartition(name)[0].strip()


def loud(found: KernelFindings) -> list[Site]:
    return [site for site in found.sites if site.severity is not Severity.NOTE]


def told(sites: list[Site]) -> str:
    return "; ".join(_words(sites))


def _words(sites: list[Site]) -> Iterator[str]:
    for site in sites:
        line = 0 if site.place is None else site.place.line
        yield f"{site.severity.value} {site.kind} in line {line} under {site.schedule.words}: {site.message}"


def main(count: int, first: int) -> int:
    return run_seeds(check, count, first)


if __name__ == "__main__":
    exit_with(main)
