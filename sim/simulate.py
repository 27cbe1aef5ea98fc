"""The public API: a kernel and a launch in, what happened out."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from sim.kernel import Kernel
from sim.launch.specification import LaunchSpecification
from sim.observers.protocol import Observer
from sim.policies.protocol import PolicyFactory
from sim.result import Result


def simulate(
    kernel: Kernel,
    launch: LaunchSpecification,
    policy: PolicyFactory,
    observers: Sequence[Observer] = (),
    *,
    progress: Callable[[float], bool] | None = None,
) -> Result:
    """Runs one launch of `kernel` under one policy.

    `progress` is called a few times per second with the share of finished blocks; False cancels the run.
    Raises `Refusal` for a construct that is not simulated and `LaunchError` for a launch that does not fit the kernel.
    """
    raise NotImplementedError
