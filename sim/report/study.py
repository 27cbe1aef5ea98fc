"""How converged and how scalar was the run?  What published studies measure, for this kernel.

Needs a run of its own: some of its observers look at every value, which takes longer than the run itself.
Source     Collange, "GPU architecture part 2", 2020 (tags); Lee, Krashinsky, Grover, Keckler, Asanović, CGO 2013
           (Fig. 4, Fig. 6 and the limit study of section 4.1).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import final

from analysis.ir.record import record
from sim.launch.planner import Plan
from sim.observers.convergence import ConvergenceAnswer, ConvergenceObserver
from sim.observers.oracle_convergence import OracleAnswer, OracleObserver
from sim.observers.register_kinds import RegisterShares
from sim.observers.register_tags import RegisterTagObserver
from sim.observers.register_values import RegisterValueObserver
from sim.observers.scalar_activity import ScalarActivity, ScalarActivityObserver
from sim.policies.protocol import PolicyFactory
from sim.simulate import simulate
from sim.state.deadline import Deadline
from sim.state.ending import OutOfBudget


@final
@record
class Study:
    """`tags` are what hardware finds by passing tags along, `values` what there is to find."""

    policy: str
    tags: RegisterShares
    values: RegisterShares
    convergence: ConvergenceAnswer
    oracle: OracleAnswer
    activity: ScalarActivity


def study(plan: Plan, policy: PolicyFactory, seconds: float, progress: Callable[[float], bool] | None) -> Study | None:
    """The study of one launch under one policy; None where it did not come to its end within the time."""
    deadline = Deadline(seconds)
    launch = replace(plan.specification, budget=replace(plan.specification.budget, seconds=seconds))
    tags, values, convergence = RegisterTagObserver(), RegisterValueObserver(), ConvergenceObserver()
    oracle, activity = OracleObserver(check=deadline.check), ScalarActivityObserver()
    observers = (tags, values, convergence, oracle, activity)
    result = simulate(plan.kernel, launch, policy, observers, progress=progress)
    if result.truncated is not None:
        return None
    try:
        best = oracle.answer()
    except OutOfBudget:
        return None
    return Study(result.policy, tags.answer(), values.answer(), convergence.answer(), best, activity.answer())
