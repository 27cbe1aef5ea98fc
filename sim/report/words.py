"""How numbers, places and verdicts read, the same in the terminal and on the page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, assert_never

from analysis.divergence.levels import Level
from analysis.ir.index3 import Index3
from analysis.rules.wording import quantity
from sim.launch.choices import Choice
from sim.observers.oracle_convergence import OracleAnswer
from sim.observers.requests import RequestCount
from sim.report.model import (
    BranchReport,
    FaultReport,
    KernelReport,
    LineReport,
    PolicyReport,
    SideReport,
    SourcePlace,
    Standing,
)
from sim.result import TruncationReason

LEVEL_WORDS: Final = {
    Level.GRID: "uniform",
    Level.BLOCK: "block-uniform",
    Level.WARP: "warp-uniform",
    Level.VARYING: "varying",
}
_MOST_CHOICES: Final = 3


def number(value: int) -> str:
    return f"{value:,}"


def percent(share: float) -> str:
    """Three digits; never `100 %` or `0 %` for what is almost that."""
    if 0.999 <= share < 1.0:
        return "99.9 %"
    if 0.0 < share < 0.001:
        return "<0.1 %"
    return f"{share:.0%}".replace("%", " %") if share in (0.0, 1.0) else f"{share * 100:.1f} %"


def oracle_share(oracle: OracleAnswer) -> str:
    """Of thread instructions that can be converged; a range where regions were too long to solve."""
    least, most = oracle.shares
    return percent(least) if oracle.is_exact else f"{percent(least)} – {percent(most)}"


def ratio(value: float) -> str:
    return f"{value:.1f}×" if value < 10 else f"{value:,.0f}×"


def shape(index: Index3) -> str:
    """`256`, `16×16`, `4×4×2`: trailing ones say nothing."""
    sizes = list(index)
    while len(sizes) > 1 and sizes[-1] == 1:
        sizes.pop()
    return "×".join(map(str, sizes))


def index_words(index: Index3) -> str:
    return ",".join(map(str, index))


def coordinates(index: Index3) -> str:
    return f"({index[0]},{index[1]},{index[2]})"


def duration(seconds: float) -> str:
    return f"{seconds * 1000:.0f} ms" if seconds < 1 else f"{seconds:.1f} s"


def static_verdict(branch: BranchReport) -> str:
    """What the analysis had said, and whether this run bears it out."""
    if branch.level is None:
        return "not analysed"
    if branch.never_diverged:
        return "varying, never diverged"
    return LEVEL_WORDS[branch.level] + (", yet a warp split" if contradicts(branch) else "")


def branch_text(report: KernelReport, branch: BranchReport) -> str:
    """The line from where the branch begins, where all that is known of it is its keyword."""
    if not branch.text.isalpha() or branch.place.path != report.path:
        return branch.text
    line = source_line(report, branch.place.line)[branch.place.column - 1 :]
    return line.strip().removesuffix("{").rstrip() or branch.text


def lanes_per_execution(branch: BranchReport) -> str:
    """A dash where nothing was counted: an execution has a lane at least."""
    return f"{branch.lanes / branch.executed:.1f}" if branch.executed and branch.lanes else "–"


def meeting(report: KernelReport, branch: BranchReport) -> str:
    """Where the paths meet again: a line, or the end of the kernel; nothing for what does not part."""
    if branch.is_select:
        return "no jump"
    place = branch.reconvergence
    if place is None:
        return "end"
    return str(place.line) if place.path == report.path else f"{place.path.rpartition('/')[2]}:{place.line}"


def side_target(report: KernelReport, side: SideReport) -> str:
    """The line that lanes go to, or the end of the kernel."""
    place = side.place
    if place is None:
        return "the end"
    return f"line {place.line}" if place.path == report.path else f"{place.path.rpartition('/')[2]}:{place.line}"


def contradicts(branch: BranchReport) -> bool:
    """The analysis says that no warp splits here, and one did: a defect of the analysis or of the simulator."""
    return branch.level is not None and branch.level is not Level.VARYING and branch.diverged > 0


def split_branches(run: PolicyReport) -> str:
    """`2 of 5 branches split warps`."""
    if not run.branches:
        return "no branches"
    split = sum(branch.diverged > 0 for branch in run.branches)
    if not split:
        return "no branch split a warp"
    return f"{split} of {quantity(len(run.branches), 'branch', 'branches')} split warps"


def fault_total(run: PolicyReport) -> str:
    """Nothing is said to be free of faults of which less than half ran."""
    if run.faults:
        return quantity(len(run.faults), "fault")
    return "no faults in what ran" if run.coverage.is_low else "no faults"


def lines_reached(run: PolicyReport) -> str:
    """`40 of 52 lines ran`."""
    return f"{number(run.coverage.reached)} of {quantity(run.coverage.lines, 'line')} ran"


def time_words(report: KernelReport) -> str:
    """`in 0.8 s`; for a simulation that went on, or was stopped, how far it had come."""
    match report.standing:
        case Standing.ENDED:
            return f"in {duration(report.seconds)}"
        case Standing.GOING_ON:
            return f"so far, after {duration(report.seconds)}"
        case Standing.STOPPED:
            return f"in part, stopped after {duration(report.seconds)}"
        case _:
            assert_never(report.standing)


def launch_words(report: KernelReport) -> str:
    all_blocks = report.grid[0] * report.grid[1] * report.grid[2]
    blocks = report.blocks_run or all_blocks
    threads = report.block[0] * report.block[1] * report.block[2]
    warps = blocks * -(-threads // report.warp_size)
    shapes = f"grid {shape(report.grid)} · block {shape(report.block)}"
    part = (
        ""
        if blocks == all_blocks
        else f"{'the first block' if blocks == 1 else f'the first {number(blocks)} blocks'} only · "
    )
    return f"{shapes} · {part}{quantity(warps, 'warp')} of {report.warp_size} lanes"


def place_in(path: str, place: SourcePlace | None) -> str:
    """`12:5` in the kernel's own file, `util.h:12:5` in another."""
    if place is None:
        return "–"
    spot = f"{place.line}:{place.column}"
    return spot if place.path == path else f"{place.path.rpartition('/')[2]}:{spot}"


def who(fault: FaultReport) -> str:
    """The first thread and how many more."""
    first = f"block {coordinates(fault.block)} thread {coordinates(fault.thread)}"
    return first if fault.count == 1 else f"{first} and {quantity(fault.count - 1, 'more thread')}"


def truncation(run: PolicyReport) -> str | None:
    """Why the counters are of a part of the run only; None for a whole run."""
    if run.truncated is None:
        return None
    place = run.truncated.place
    where = f" in line {place.line}" if place else ""
    counted = f"this is what was counted in {duration(run.seconds)}{f', last{where}' if where else ''}"
    if run.truncated.reason is TruncationReason.RUNNING:
        return f"still running: {counted}"
    if run.truncated.reason is TruncationReason.CANCELLED:
        return f"stopped before its end: {counted}"
    return f"stopped early: {run.truncated.reason.value}{f',{where}' if where else ''}"


def source_line(report: KernelReport, line: int) -> str:
    return report.source[line - 1] if 0 < line <= len(report.source) else ""


def share_of(line: LineReport, run: PolicyReport) -> float:
    """The part of all warp instructions that this line took; between 0 and 1."""
    total = sum(one.work.warp_instructions for one in run.lines)
    return line.work.warp_instructions / total if total else 0.0


def costliest(run: PolicyReport, most: int) -> Sequence[LineReport]:
    executed = [line for line in run.lines if line.work.warp_instructions]
    return sorted(executed, key=lambda line: (-line.work.warp_instructions, line.line))[:most]


def memory_lines(run: PolicyReport) -> Sequence[LineReport]:
    """Lines with requests: those that lose most come first, in sectors beyond the ideal and passes beyond the first."""

    def lost(line: LineReport) -> int:
        return line.requests.sectors - line.requests.ideal_sectors + line.requests.bank_conflicts

    return sorted((line for line in run.lines if line.requests.requests), key=lambda line: (-lost(line), line.line))


def choice_words(names: Sequence[str], chosen: Mapping[str, Choice]) -> str:
    """`n = 2048, grid = 8 and 2 more`."""
    named = [f"{name} = {chosen[name].value}" for name in names[:_MOST_CHOICES]]
    more = len(names) - len(named)
    return ", ".join(named) + (f" and {more} more" if more else "")


def local_sectors(count: RequestCount) -> str | None:
    """How much of the traffic is none to global memory; None where there is no other."""
    if not count.local_sectors:
        return None
    return f"{number(count.local_sectors)} of these sectors are local memory: arrays and objects of single threads"
