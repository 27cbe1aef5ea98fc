"""`python -m benchmarks.claims ROOT...`: every static claim about every kernel, held against runs of it.

Every kernel of any folder of CUDA code is launched as `simt-lsp simulate FILE:KERNEL` would, with nothing given, under
several policies.  Each claim of the analyses (with and without knowledge of the block shape) is compared with what
happened: levels of values, branches, loops and blocks, linear forms, ranges, alignments, barriers, counted splits,
accesses and their costs.

refuted     the run contradicts the claim: a defect, of the analysis, the simulator or this comparison
excused     the claim was not due: it rests on memory and the kernel has a race or a fault in that run, the value was
            never written, the form says itself that index arithmetic must not wrap, or the kernel breaks a rule that
            the claim assumes
precision   the other direction, as information: branches that were said to vary, and no run parted

Exit status 1 if a claim is refuted or a kernel crashes what it is run with.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from collections.abc import Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any, Final

from analysis.ir.function import FunctionKind
from benchmarks.claims.claim import Claim
from benchmarks.claims.kernels import KernelClaims, Refuted, Runs, check_kernel
from benchmarks.zero_configuration import program_of
from sim.faults import IllegalWarpMask, OutOfBounds
from sim.launch.request import Request
from sim.policies.registry import POLICIES
from simt_lsp.cli.paths import SourceFile, expand

DEFAULT_POLICIES: Final = ("ipdom", "min-pc", "round-robin")
BREACHES: Final = {Claim.SPACE: OutOfBounds, Claim.TOGETHER: IllegalWarpMask}
"""Faults of a program that breaks what a claim assumes: that addresses stay in their objects, and that threads take
part in warp operations as the masks say."""
Task = tuple[str, str, Runs, str]


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.claims", description=__doc__)
    parser.add_argument("roots", nargs="+", metavar="ROOT")
    parser.add_argument("--jobs", type=int, default=1, metavar="N")
    parser.add_argument("--seconds", type=float, default=4.0, metavar="S", help="time for one run of a kernel")
    parser.add_argument("--policy", action="append", choices=sorted(POLICIES), help="may be repeated")
    parser.add_argument("--block", type=_shape, metavar="X,Y,Z", help="threads per block, whatever the launches say")
    parser.add_argument("--warp-size", type=int, default=32, metavar="N", choices=(4, 8, 16, 32, 64))
    parser.add_argument("--seed", type=int, metavar="N", help="of the chosen inputs")
    parser.add_argument("--kernel", default="", metavar="NAME", help="only kernels whose name contains it")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write one line per kernel")
    options = parser.parse_args()
    request = Request("given", block=options.block, seed=options.seed)
    runs = Runs(tuple(options.policy or DEFAULT_POLICIES), options.seconds, request, options.warp_size)
    paths = [(item.path, root) for root in options.roots for item in expand([root]) if isinstance(item, SourceFile)]
    tasks = [(path, root, runs, options.kernel) for path, root in paths]
    with ProcessPoolExecutor(options.jobs) as pool:
        results = [result for found in pool.map(_of_file, tasks) for result in found]
    if options.json is not None:
        options.json.write_text("".join(json.dumps(as_plain(result)) + "\n" for result in results))
    sys.exit(report(results))


def _shape(text: str) -> tuple[int, int, int]:
    x, y, z = (*map(int, text.split(",")), 1, 1)[:3]
    return x, y, z


def _of_file(task: Task) -> list[KernelClaims]:
    path, root, runs, name = task
    program = program_of(path, root, runs.warp_size)
    if program is None:
        return []
    return [
        check_kernel(program, one, path, runs)
        for one in program.device_functions()
        if one.kind is FunctionKind.KERNEL and one.item.active and name in one.item.name
    ]


def report(results: Sequence[KernelClaims]) -> int:
    """Prints the tables; the exit status."""
    ran = [result for result in results if not result.why_not]
    crashed = [result for result in results if result.why_not.startswith("crashed")]
    differing = [result for result in ran if result.memory_differs]
    print(f"{len(results)} kernels, {len(ran)} ran, {len(crashed)} crashed, {len(differing)} with differing memory")
    print(f"{sum(not result.ended for result in ran)} did not end in time under some policy")
    for result in crashed:
        print(f"  {result.path}:{result.kernel}: {result.why_not}")
    for result in differing:
        print(f"  {result.path}:{result.kernel}: memory differs ({', '.join(result.doubts) or 'no race found'})")
    refuted = [(result, one) for result in ran for one in result.refuted]
    due = [(result, one) for result, one in refuted if not excuse(result, one)]
    print_claims(ran, due, refuted)
    print_refuted(due)
    print_precision(ran)
    print_costs(ran)
    return int(bool(due or crashed))


def print_refuted(due: Iterable[tuple[KernelClaims, Refuted]]) -> None:
    """One line for each claim, whatever the policies and what was known."""
    found: dict[str, list[str]] = {}
    for result, one in due:
        claim = one.refutation
        place = f"{result.path}:{one.line or '?'} {result.kernel}"
        line = f"REFUTED {place}: {claim.claim.value}: {claim.subject}: {claim.claimed}; {claim.seen}"
        found.setdefault(line, []).append(f"{one.knowledge} {one.policy}")
    for line, runs in found.items():
        print(f"{line}\n        {', '.join(runs)}")


def excuse(result: KernelClaims, one: Refuted) -> str:
    """Why a claim was not due; empty if it was."""
    if not one.refutation.is_exact:
        return "index arithmetic wraps"
    if one.refutation.rests_on_undefined:
        return "undefined value"
    breach = BREACHES.get(one.refutation.claim)
    if breach is not None and breach.__name__ in result.doubts:
        return breach.__name__
    return ", ".join(result.doubts) if one.refutation.rests_on_memory else ""


def print_claims(
    ran: Iterable[KernelClaims],
    due: Iterable[tuple[KernelClaims, Refuted]],
    refuted: Iterable[tuple[KernelClaims, Refuted]],
) -> None:
    checked: Counter[Claim] = Counter()
    for result in ran:
        checked.update(result.checked)
    wrong = Counter(one.refutation.claim for _, one in due)
    told = Counter(one.refutation.claim for _, one in refuted)
    print(f"\n{'claim':45} {'checked':>9} {'refuted':>8} {'excused':>8}")
    for claim in Claim:
        print(f"{claim.value:45} {checked[claim]:9,} {wrong[claim]:8} {told[claim] - wrong[claim]:8}")
    excuses = Counter(excuse(result, one) for result, one in refuted if excuse(result, one))
    for why, count in excuses.most_common(10):
        print(f"  excused {count:5}  {why}")


def print_precision(ran: Iterable[KernelClaims]) -> None:
    """How often each grade of branches parted, and where divergence that no run saw begins."""
    branches = [branch for result in ran for branch in result.branches]
    total = Counter((branch.level, branch.grade) for branch in branches)
    parted = Counter((branch.level, branch.grade) for branch in branches if branch.diverged)
    print("\nbranches that several lanes came to, and how many of them parted in some run")
    for (level, grade), count in sorted(total.items()):
        print(f"  {level:8} {grade:15} {count:5} {parted[level, grade]:5}  {parted[level, grade] / count:6.1%}")
    uniform = Counter(policy for branch in branches if branch.level != "varying" for policy in branch.parted_by)
    print("uniform branches that parted lanes of several rounds, by policy:", dict(uniform))
    varying = [branch for branch in branches if branch.level == "varying"]
    never = Counter((branch.grade, branch.seed) for branch in varying if not branch.diverged)
    print("said to vary, never parted: by grade and where divergence begins")
    for (grade, seed), count in never.most_common(12):
        print(f"  {count:5}  {grade}, {seed}")


def print_costs(ran: Iterable[KernelClaims]) -> None:
    costs = [cost for result in ran for cost in result.costs]
    equal = sum(cost.told == cost.seen for cost in costs)
    within = sum(cost.told < cost.seen <= cost.at_most for cost in costs)
    print(f"\nexact costs of full requests: {len(costs)}; {equal} are what the dearest request cost,")
    print(f"{within} are for an aligned base and cost no more than said for any")


def as_plain(result: KernelClaims) -> dict[str, Any]:
    return {
        "path": result.path,
        "kernel": result.kernel,
        "why_not": result.why_not,
        "doubts": list(result.doubts),
        "ended": result.ended,
        "seconds": round(result.seconds, 3),
        "memory_differs": result.memory_differs,
        "checked": {claim.name.lower(): count for claim, count in result.checked.items()},
        "refuted": [
            {
                "claim": one.refutation.claim.name.lower(),
                "knowledge": one.knowledge,
                "policy": one.policy,
                "line": one.line,
                "subject": one.refutation.subject,
                "claimed": one.refutation.claimed,
                "seen": one.refutation.seen,
                "excuse": excuse(result, one),
            }
            for one in result.refuted
        ],
        "branches": [
            {name: getattr(branch, name) for name in ("line", "level", "grade", "seed", "decided", "parted_by")}
            for branch in result.branches
        ],
        "costs": [[cost.told, cost.at_most, cost.seen] for cost in result.costs],
    }


if __name__ == "__main__":
    main()
