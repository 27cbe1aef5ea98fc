"""What a simulation found, in the words of a hover, a code lens and a message."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sim.report.json_report import BranchObject, KernelObject, PolicyObject


def branch_lines(report: KernelObject, line: int, column: int) -> Iterator[str]:
    """About the branch whose keyword stands there in the report (both from 1): one line, or one per policy that
    counted something else; then whether the static verdict was met."""
    told: list[tuple[str, str]] = []
    found: BranchObject | None = None
    for policy, run in report["policies"].items():
        for branch in run["branches"]:
            if (branch["path"], branch["line"], branch["column"]) == (report["path"], line, column):
                found = found or branch
                words = branch_words(branch, report["warp_size"])
                if words not in [known for _, known in told]:
                    told.append((policy, words))
    for policy, words in told:
        yield f"Simulated with {launch_words(report)}{f' under {policy}' if len(told) > 1 else ''}: {words}"
    if found is not None and (remark := _verdict_words(found)) is not None:
        yield remark


def branch_words(branch: BranchObject, warp_size: int) -> str:
    """`diverged 1,024 of 4,096 times, 16 of 32 lanes active on average`."""
    executed, diverged = branch["executed"], branch["diverged"]
    if not executed:
        return "not reached"
    times = f"diverged {diverged:,} of {executed:,} times" if diverged else f"never diverged in {executed:,} times"
    return f"{times}, {branch['lanes'] / executed:.3g} of {warp_size} lanes active on average"


def launch_words(report: KernelObject) -> str:
    """`4 × 256 threads`."""
    return f"{_extent(report['grid'])} × {_extent(report['block'])} threads"


def summary_words(report: KernelObject) -> str:
    """One line about a kernel, for a message."""
    runs = report["policies"]
    parts = [f"{policy}: {_run_words(run)}" for policy, run in runs.items()]
    if not report["policies_agree"]:
        parts.append("the policies leave different memory")
    return f"{report['kernel']}, {launch_words(report)}: {'; '.join(parts)}"


def lens_words(report: KernelObject) -> str:
    """The title of the lens of a kernel that was simulated."""
    run = next(iter(report["policies"].values()))
    return f"Simulate again ({_run_words(run)})"


def _run_words(run: PolicyObject) -> str:
    words = f"{run['simd_efficiency']:.0%} of lanes active"
    faults = len(run["faults"])
    if faults:
        words += f", {faults} fault{'s' if faults > 1 else ''}"
    return words if run["truncated"] is None else f"{words}, ended early"


def _verdict_words(branch: BranchObject) -> str | None:
    """Where the counts and the static verdict have something to say to each other."""
    level, executed, diverged = branch["level"], branch["executed"], branch["diverged"]
    if level == "varying" and executed and not diverged:
        return "The analysis calls this branch varying; in this run no warp split at it"
    if level is not None and level != "varying" and diverged:
        return "The analysis calls this branch uniform, and yet warps split at it: this is a defect of simt-lsp"
    return None


def _extent(sizes: list[int]) -> str:
    while len(sizes) > 1 and sizes[-1] == 1:
        sizes = sizes[:-1]
    return str(sizes[0]) if len(sizes) == 1 else f"({', '.join(map(str, sizes))})"
