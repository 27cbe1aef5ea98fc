"""`python -m benchmarks.observers`: what each observer of the simulator costs, as a multiple of the run without any.

The kernels are those of `benchmarks.simulation`; processor time, best of three, with and without taken in turns.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Final

from benchmarks.simulation import BLOCK, BLOCKS, arguments, kernel
from benchmarks.table import Row, print_table
from sim.events import Observer
from sim.kernel import Kernel
from sim.observers.branches import BranchObserver
from sim.observers.convergence import ConvergenceObserver
from sim.observers.lane_histogram import LaneHistogramObserver
from sim.observers.oracle_convergence import OracleObserver
from sim.observers.races import RaceObserver
from sim.observers.register_tags import RegisterTagObserver
from sim.observers.register_values import RegisterValueObserver
from sim.observers.requests import RequestObserver
from sim.observers.scalar_activity import ScalarActivityObserver
from sim.observers.timeline import TimelineObserver
from sim.observers.work import WorkObserver
from sim.policies.ipdom import Ipdom
from sim.simulate import simulate
from sim.specification import Budget, LaunchSpecification

OBSERVERS: Final[tuple[Callable[[], Observer], ...]] = (
    BranchObserver,
    WorkObserver,
    LaneHistogramObserver,
    TimelineObserver,
    RequestObserver,
    RaceObserver,
    RegisterValueObserver,
    RegisterTagObserver,
    ConvergenceObserver,
    ScalarActivityObserver,
    OracleObserver,
)
REPEATS: Final = 3


def seconds(loaded: Kernel, launch: LaunchSpecification, observers: tuple[Observer, ...]) -> float:
    start = time.process_time()
    result = simulate(loaded, launch, Ipdom, observers)
    spent = time.process_time() - start
    assert result.truncated is None
    return spent


def slowdowns(name: str) -> list[Row]:
    loaded = kernel(name)
    launch = LaunchSpecification((BLOCKS, 1, 1), (BLOCK, 1, 1), arguments(name), budget=Budget(seconds=300.0))
    seconds(loaded, launch, ())
    rows: list[Row] = []
    for make in OBSERVERS:
        alone: list[float] = []
        watched: list[float] = []
        for _ in range(REPEATS):
            alone.append(seconds(loaded, launch, ()))
            watched.append(seconds(loaded, launch, (make(),)))
        rows.append(Row(f"{name}: {type(make()).__name__}", min(watched) / min(alone), "x"))
    return rows


def main() -> None:
    print_table([row for name in ("fir", "bitonic", "mandelbrot") for row in slowdowns(name)])


if __name__ == "__main__":
    main()
