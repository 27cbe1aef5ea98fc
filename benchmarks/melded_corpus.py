"""`python -m benchmarks.melded_corpus ROOT...`: every kernel of any CUDA code, melded on the IR, run before and after.

Every kernel is inlined and melded by the chosen method; every divergent branch is melded or refused with a reason.
With `--run` the kernel is launched as `simt-lsp simulate FILE:KERNEL` would, with nothing given, and the melded one
with the same inputs: memory must be equal, without new faults.

Prints how many regions were melded, the refusals by reason, how often issued instructions fell, and what failed.  Exit
status 1 if a kernel fails: memory differs, a fault is new, or the melder crashes (it verifies its result itself).
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field, replace
from typing import Final, final

from analysis.ir.function import FunctionKind
from analysis.ir.verifier import verify
from analysis.lower.program import DeviceFunction, Program
from analysis.meld.meld import meld_function
from analysis.meld.model import MeldObstacle, MeldResult
from analysis.meld.settings import MeldMethod, MeldSettings
from benchmarks.zero_configuration import program_of
from sim.kernel import load_kernel
from sim.launch.adapt import run_adapted
from sim.launch.planner import Plan, Planner
from sim.launch.request import Request
from sim.policies.registry import POLICIES
from sim.refusals import LaunchError, Refusal
from sim.result import Result
from sim.simulate import simulate
from sim.specification import Budget
from simt_lsp.cli.paths import SourceFile, expand

FIRST: Final = "ipdom"


@final
@dataclass(frozen=True, slots=True)
class Options:
    method: MeldMethod
    policies: tuple[str, ...]
    """Empty: nothing is run."""
    seconds: float


@final
@dataclass(slots=True)
class Outcome:
    """What happened to one kernel; `failure` is empty where all is well."""

    name: str
    melded: int = 0
    refused: Counter[MeldObstacle] = field(default_factory=Counter[MeldObstacle])
    is_cut: bool = False
    seconds: float = 0.0
    failure: str = ""
    why_not_run: str = ""
    issued: tuple[int, int] | None = None
    """Warp instructions before and after, under the first policy."""
    predicted: float = 0.0


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.melded_corpus", description=__doc__)
    parser.add_argument("roots", nargs="+", metavar="ROOT")
    parser.add_argument("--method", type=MeldMethod, default=MeldMethod.BEST, choices=list(MeldMethod))
    parser.add_argument("--run", action="store_true", help="simulate every kernel that melds, before and after")
    parser.add_argument("--policy", action="append", choices=sorted(POLICIES), help="may be repeated")
    parser.add_argument("--seconds", type=float, default=4.0, metavar="S", help="time for one run of a kernel")
    parser.add_argument("--jobs", type=int, default=1, metavar="N")
    parser.add_argument("--kernel", default="", metavar="NAME", help="only kernels whose name contains it")
    given = parser.parse_args()
    policies = tuple(given.policy or (FIRST, "min-pc")) if given.run else ()
    options = Options(given.method, policies, given.seconds)
    paths = [(item.path, root) for root in given.roots for item in expand([root]) if isinstance(item, SourceFile)]
    with ProcessPoolExecutor(given.jobs) as pool:
        tasks = [(path, root, options, given.kernel) for path, root in paths]
        sys.exit(report([outcome for found in pool.map(_of_file, tasks) for outcome in found]))


def _of_file(task: tuple[str, str, Options, str]) -> list[Outcome]:
    path, root, options, name = task
    program = program_of(path, root)
    if program is None:
        return []
    return [
        check_kernel(program, one, path, options)
        for one in program.device_functions()
        if one.kind is FunctionKind.KERNEL and one.item.active and name in one.item.name
    ]


def check_kernel(program: Program, kernel: DeviceFunction, path: str, options: Options) -> Outcome:
    """Never raises: what this measures must not end the measurement."""
    found = Outcome(f"{path}:{kernel.item.name}")
    try:
        result = _melded(found, program, kernel, options)
        if result.melded and options.policies:
            _run(found, program, kernel, options)
    except (Refusal, LaunchError) as refusal:
        found.why_not_run = str(refusal)
    except Exception as error:
        found.failure = f"crashed: {type(error).__name__}: {error}"
    return found


def _melded(found: Outcome, program: Program, kernel: DeviceFunction, options: Options) -> MeldResult:
    function = load_kernel(program, kernel.id).function
    begin = time.perf_counter()
    result = meld_function(function, MeldSettings(method=options.method))
    found.seconds = time.perf_counter() - begin
    found.melded, found.is_cut = len(result.melded), result.is_cut
    found.refused.update(one.obstacle for one in result.refused)
    found.predicted = sum(one.predicted_saving for one in result.melded)
    errors = verify(result.function)
    if errors:
        found.failure = f"does not verify: {errors[0]}"
    return result


def _run(found: Outcome, program: Program, kernel: DeviceFunction, options: Options) -> None:
    def run(plan: Plan) -> Result:
        return simulate(plan.kernel, plan.specification, POLICIES[options.policies[0]])

    planner = Planner(program, kernel, [Request("given")], budget=Budget(seconds=options.seconds))
    plan, _ = run_adapted(planner, run)
    # The plan may have put template arguments in.
    melded = meld_function(plan.kernel.function, MeldSettings(method=options.method))
    after = replace(plan.kernel, function=melded.function)
    for policy in options.policies:
        results = [simulate(one, plan.specification, POLICIES[policy]) for one in (plan.kernel, after)]
        if any(result.truncated is not None for result in results):
            found.why_not_run = "does not end in time"
            return
        if policy == options.policies[0]:
            found.issued = results[0].warp_instructions, results[1].warp_instructions
        if results[0].memory_digest != results[1].memory_digest or results[0].printed != results[1].printed:
            found.failure = f"memory differs under {policy}"
        faults = [{type(fault).__name__ for fault in result.faults} for result in results]
        if not faults[1] <= faults[0]:
            found.failure = f"new faults under {policy}: {faults[1] - faults[0]}"


def report(outcomes: Sequence[Outcome]) -> int:
    """Prints the figures; the exit status."""
    refused = sum((one.refused for one in outcomes), Counter[MeldObstacle]())
    print(f"{len(outcomes)} kernels, {sum(one.melded for one in outcomes)} regions melded in")
    print(f"  {sum(bool(one.melded) for one in outcomes)} kernels, {sum(one.is_cut for one in outcomes)} cut off")
    for obstacle, count in refused.most_common():
        print(f"  {count:6} refused: {obstacle.value}")
    seconds = sorted(one.seconds for one in outcomes)
    print(f"{sum(seconds):.1f} s of melding, the longest {seconds[-1] if seconds else 0:.2f} s")
    ran = [one for one in outcomes if one.issued is not None]
    fewer = sum(one.issued is not None and one.issued[1] < one.issued[0] for one in ran)
    equal = sum(one.issued is not None and one.issued[1] == one.issued[0] for one in ran)
    print(f"{len(ran)} ran before and after: fewer instructions in {fewer}, equally many in {equal}")
    for one in ran:
        before, after = one.issued or (0, 0)
        saved = (before - after) / max(before, 1)
        print(f"  {one.name}: {before:,} -> {after:,} ({saved:.1%}, {one.predicted:.1%} predicted)")
    for one in outcomes:
        if one.why_not_run:
            print(f"  not run: {one.name}: {one.why_not_run}")
    failed = [one for one in outcomes if one.failure]
    for one in failed:
        print(f"FAILED {one.name}: {one.failure}")
    return int(bool(failed))


if __name__ == "__main__":
    main()
