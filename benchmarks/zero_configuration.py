"""`python -m benchmarks.zero_configuration ROOT`: which kernels simulate with no option at all?

Every kernel of any folder of CUDA code is launched as `simt-lsp simulate FILE:KERNEL` would, with nothing given.

simulated     it ended within the budget without a fault
faulty        it ended with a fault: a defect of the program, or inputs that do not fit and need an annotation
unfinished    the budget ended first: sizes need an annotation
refused       a construct is not simulated, or nothing fits a parameter
crashed       a defect of ours
"""

from __future__ import annotations

import argparse
import re
import sys
import time
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from enum import Enum
from functools import lru_cache
from typing import Final, final

from analysis.facts.analyzer import environment_of
from analysis.ir.function import FunctionKind
from analysis.lower.program import DeviceFunction, LowerSettings, Program
from analysis.syntax.document import Document
from analysis.syntax.translation_unit import TranslationUnit
from sim.launch.adapt import run_adapted
from sim.launch.planner import Plan, Planner
from sim.policies.registry import POLICIES
from sim.refusals import LaunchError, Refusal
from sim.result import Result
from sim.simulate import simulate
from sim.specification import Budget
from sim.state import deadline
from simt_lsp.cli.engine import UnreadableError, absolute_path, read_source
from simt_lsp.cli.paths import SourceFile, expand
from simt_lsp.workspace.disk_loader import DiskLoader, FileCache, LazyIndex
from simt_lsp.workspace.include_graph import IncludeGraph
from simt_lsp.workspace.project import file_setup, whole_graph
from simt_lsp.workspace.project_root import project_root

BAR: Final = 0.7
TOP: Final = 15


class Outcome(Enum):
    SIMULATED = "simulated"
    FAULTY = "faulty"
    UNFINISHED = "unfinished"
    REFUSED = "refused"
    CRASHED = "crashed"


@final
@dataclass(frozen=True, slots=True)
class KernelOutcome:
    """`detail` says why, for everything that was not simulated."""

    path: str
    kernel: str
    outcome: Outcome
    detail: str
    seconds: float
    choices: str
    reached: float = 0.0
    """The share of the kernel's instructions that any thread ran: inputs that make all leave at once show here."""


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.zero_configuration", description=__doc__)
    parser.add_argument("roots", nargs="+", metavar="ROOT")
    parser.add_argument("--jobs", type=int, default=1, metavar="N")
    parser.add_argument("--seconds", type=float, default=2.0, metavar="S", help="time for one run of a kernel")
    parser.add_argument(
        "--cpu", action="store_true", help="count the CPU time of a run, for a machine that others use as well"
    )
    parser.add_argument("--policy", default="ipdom", choices=sorted(POLICIES))
    parser.add_argument("--list", action="store_true", help="print every kernel that was not simulated")
    parser.add_argument("--choices", action="store_true", help="with --list: and what was chosen for it")
    options = parser.parse_args()
    paths = [(item.path, root) for root in options.roots for item in expand([root]) if isinstance(item, SourceFile)]
    tasks = [(path, root, options.policy, options.seconds) for path, root in paths]
    with ProcessPoolExecutor(options.jobs, initializer=count_cpu_time if options.cpu else None) as pool:
        outcomes = [outcome for found in pool.map(_kernels_of, tasks) for outcome in found]
    if options.list:
        for one in outcomes:
            if one.outcome is not Outcome.SIMULATED:
                print(f"{one.outcome.value:10} {one.path}:{one.kernel}: {one.detail} ({one.seconds:.1f} s)")
                if options.choices:
                    print(f"           {one.choices}")
    sys.exit(_report(outcomes))


def count_cpu_time() -> None:
    """Budgets of runs are of the time that this process computes, not of the time that passes."""
    deadline.perf_counter = time.process_time


def _report(outcomes: list[KernelOutcome]) -> int:
    """Prints the table; the exit status, 1 below the bar."""
    total = max(1, len(outcomes))
    counts = Counter(one.outcome for one in outcomes)
    print(f"{len(outcomes)} kernels")
    for outcome in Outcome:
        print(f"  {outcome.value:12} {counts[outcome]:5}  {counts[outcome] / total:6.1%}")
    for outcome in (Outcome.FAULTY, Outcome.REFUSED, Outcome.CRASHED):
        details = Counter(one.detail for one in outcomes if one.outcome is outcome)
        if details:
            print(f"{outcome.value}, by kind")
            for detail, count in details.most_common(TOP):
                print(f"  {count:5}  {detail}")
    reached = [one.reached for one in outcomes if one.outcome is Outcome.SIMULATED]
    if reached:
        half = sum(share < 0.5 for share in reached)
        print(f"of the code of simulated kernels, {sum(reached) / len(reached):.1%} ran; under half in {half} kernels")
    seconds = sorted(one.seconds for one in outcomes)
    if seconds:
        print(
            f"seconds per kernel: median {seconds[len(seconds) // 2]:.2f}, 90 % {seconds[len(seconds) * 9 // 10]:.2f}"
        )
    return int(counts[Outcome.SIMULATED] / total < BAR)


def _kernels_of(task: tuple[str, str, str, float]) -> list[KernelOutcome]:
    path, root, policy, seconds = task
    program = program_of(path, root)
    if program is None:
        return []
    kernels = [one for one in program.device_functions() if one.kind is FunctionKind.KERNEL and one.item.active]
    return [_outcome(program, kernel, path, policy, seconds) for kernel in kernels]


def _outcome(program: Program, kernel: DeviceFunction, path: str, policy: str, seconds: float) -> KernelOutcome:
    begin = time.perf_counter()
    choices = ""

    def done(outcome: Outcome, detail: str = "", reached: float = 0.0) -> KernelOutcome:
        return KernelOutcome(path, kernel.item.name, outcome, detail, time.perf_counter() - begin, choices, reached)

    def run(plan: Plan) -> Result:
        return simulate(plan.kernel, plan.specification, POLICIES[policy])

    try:
        planner = Planner(program, kernel, budget=Budget(seconds=seconds), leaves_out_launches=True)
        choices = ", ".join(f"{choice.name}={choice.value}" for choice in planner.plan().choices)
        plan, result = run_adapted(planner, run)
    except Refusal as refusal:
        return done(Outcome.REFUSED, _general(refusal.construct))
    except LaunchError as error:
        return done(Outcome.REFUSED, f"launch: {_general(str(error))}")
    except Exception as error:  # what this measures must not end the measurement
        return done(Outcome.CRASHED, f"{type(error).__name__}: {_general(str(error))}")
    choices = ", ".join(f"{choice.name}={choice.value}" for choice in plan.choices)
    if result.truncated is not None:
        return done(Outcome.UNFINISHED, result.truncated.reason.value)
    if result.faults:
        return done(Outcome.FAULTY, ", ".join(sorted({type(fault).__name__ for fault in result.faults})))
    ran = sum(count.warp_instructions > 0 for count in result.instructions)
    return done(Outcome.SIMULATED, reached=ran / max(1, len(result.instructions)))


def _general(text: str) -> str:
    """One word for all names and numbers, so that reasons can be counted."""
    return re.sub(r"\d[\d,]*", "N", text)[:100]


def program_of(path: str, root: str, warp_size: int | None = None) -> Program | None:
    """The file as the shell would read it; None where it has no kernel or cannot be read.

    `warp_size`: instead of what the settings say.
    """
    try:
        text = read_source(path)
    except UnreadableError:
        return None
    if b"__global__" not in text:
        return None
    index, graph = _index(project_root(root))
    absolute = absolute_path(path)
    setup = file_setup(absolute, (), graph)
    loader = DiskLoader(FileCache(), None, index)
    environment = environment_of(absolute, setup.settings)
    unit = TranslationUnit.build(absolute, Document.open(text), loader, environment, context=setup.context)
    return Program(unit, LowerSettings(warp_size=warp_size or setup.settings.warp_size))


@lru_cache(maxsize=8)
def _index(root: str) -> tuple[LazyIndex, IncludeGraph]:
    index = LazyIndex((root,))
    return index, whole_graph(index)


if __name__ == "__main__":
    main()
