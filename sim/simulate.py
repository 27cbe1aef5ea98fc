"""The public API: a kernel and a launch in, what happened out."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sim.code.convergence import with_convergence
from sim.code.generate import Code
from sim.code.latest import code_for
from sim.events import Events, Observer, Run
from sim.glance import Glance
from sim.kernel import Kernel
from sim.machine.addresses import Addresses
from sim.machine.machine import Machine
from sim.machine.residency import check_launch
from sim.memory.arguments import Buffer
from sim.observers.races import RaceObserver
from sim.policies.protocol import PolicyFactory
from sim.refusals import LaunchError
from sim.result import Result, Truncation, TruncationReason
from sim.specification import LaunchSpecification
from sim.state.ending import KernelAborted, OutOfBudget


def simulate(
    kernel: Kernel,
    launch: LaunchSpecification,
    policy: PolicyFactory,
    observers: Sequence[Observer] = (),
    *,
    progress: Callable[[float], bool] | None = None,
    glance: Glance | None = None,
) -> Result:
    """Runs one launch of `kernel` under one policy.

    `progress` is called a few times per second with the share of finished blocks; False cancels the run.  `glance` says
    when to look at what was counted so far.
    Raises `Refusal` for a construct that is not simulated and `LaunchError` for a launch that does not fit the kernel.
    Integers are C's; floating-point operations round to nearest, and a multiply and an add are fused only where the
    program says so.
    """
    check_launch(launch)
    watchers = tuple(observers)
    observes_values = any(Events.VALUES in observer.events for observer in watchers)
    code = code_for(
        kernel,
        launch.warp_size,
        havoc=launch.havoc,
        observes_values=observes_values,
        leaves_out_launches=launch.leaves_out_launches,
    )
    if policy.uses_convergence:
        code = replace(code, graph=with_convergence(code.graph, code.functions[kernel.function.id].segmented, launch))
    with np.errstate(all="ignore"):
        machine = _prepared(kernel, code, launch, policy, watchers, progress)
        try:
            for observer in watchers:
                observer.begin(
                    Run(kernel.function, launch, code.segments, code.graph, policy.name),
                    Addresses(machine.arena, launch),
                )
            if glance is not None:
                _look(
                    glance,
                    lambda running: _result(kernel, launch, policy.name, machine, watchers, running),
                    machine,
                    code,
                )
            truncated = _run(machine, code)
            return _result(kernel, launch, policy.name, machine, watchers, truncated)
        finally:
            machine.let_go()


def _look(glance: Glance, so_far: Callable[[Truncation], Result], machine: Machine, code: Code) -> None:
    """Has the run looked at while it goes on."""
    deadline = machine.deadline

    def look() -> float:
        return glance.show(so_far(_stopped(code, TruncationReason.RUNNING, deadline.segment)))

    deadline.look(glance.seconds, look)


def _prepared(
    kernel: Kernel,
    code: Code,
    launch: LaunchSpecification,
    policy: PolicyFactory,
    observers: tuple[Observer, ...],
    progress: Callable[[float], bool] | None,
) -> Machine:
    try:
        return Machine(kernel, code, launch, policy, observers, progress)
    except OutOfBudget as end:
        advice = ": it or its arrays are too large for it" if end.reason is TruncationReason.TIME else ""
        raise LaunchError(f"{end.reason.value}, before the kernel starts{advice}") from None


def _run(machine: Machine, code: Code) -> Truncation | None:
    try:
        machine.run()
    except KernelAborted:
        pass
    except OutOfBudget as end:
        return _stopped(code, end.reason, end.segment)
    return None


def _stopped(code: Code, reason: TruncationReason, at: int) -> Truncation:
    segment = code.segments[at]
    instructions = segment.instructions
    span = segment.terminator.span if segment.terminator is not None else instructions[-1].span
    return Truncation(reason, str(segment.function.id), span)


def _result(
    kernel: Kernel,
    launch: LaunchSpecification,
    policy: str,
    machine: Machine,
    observers: tuple[Observer, ...],
    truncated: Truncation | None,
) -> Result:
    has_ended = truncated is None or truncated.reason is not TruncationReason.RUNNING
    buffers, variables = (machine.arguments.buffers, machine.variables.after()) if has_ended else ({}, {})
    arrays = {name: _contents(machine, buffer) for name, buffer in buffers.items()}
    after = {name: _contents(machine, buffer) for name, buffer in variables.items()}
    counters = machine.counters
    return Result(
        kernel=kernel.function.name,
        grid=launch.grid,
        block=launch.block,
        warp_size=launch.warp_size,
        policy=policy,
        warp_instructions=counters.warp_instructions(),
        thread_instructions=counters.thread_instructions(),
        branches=counters.branches(),
        instructions=counters.instructions(),
        faults=(*machine.faults.faults(), *(fault for observer in observers for fault in observer.faults())),
        extents=dict(machine.extents),
        arrays=arrays,
        variables=after,
        printed=tuple(machine.printf.lines),
        memory_digest=_digest(arrays, after) if has_ended else "",
        truncated=truncated,
        left_out=machine.left_out.faults(),
        watches_races=any(isinstance(observer, RaceObserver) for observer in observers),
        seconds=machine.deadline.seconds,
    )


def _contents(machine: Machine, buffer: Buffer) -> NDArray[Any]:
    return machine.arena.contents(buffer.region).copy().view(buffer.kind).reshape(buffer.shape)


def _digest(arrays: Mapping[str, NDArray[Any]], variables: Mapping[str, NDArray[Any]]) -> str:
    digest = hashlib.sha256()
    for group in (arrays, variables):
        for name in sorted(group):
            digest.update(name.encode() + b"\0")
            digest.update(np.ascontiguousarray(group[name]).reshape(-1).view(np.uint8).data)
    return digest.hexdigest()
