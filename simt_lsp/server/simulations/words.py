"""What a simulation found, in the words of a hover, a code lens, a decoration and a message."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, TypeVar

from analysis.rules.wording import quantity

if TYPE_CHECKING:
    from sim.report.json_report import AccessObject, BranchObject, KernelObject, LineObject, PolicyObject


Found = TypeVar("Found")


# -- a place in the text -----------------------------------------------------------------------------------------------


def branch_lines(report: KernelObject, line: int, column: int) -> Iterator[str]:
    """About the branch whose keyword stands there in the report (both from 1): one line, or one per policy that
    counted something else; then whether the static verdict was met."""

    def found(run: PolicyObject) -> BranchObject | None:
        place = report["path"], line, column
        return next((one for one in run["branches"] if (one["path"], one["line"], one["column"]) == place), None)

    yield from _per_policy(report, lambda run: _words(found(run), lambda one: branch_words(one, report["warp_size"])))
    first = next((one for run in report["policies"].values() if (one := found(run)) is not None), None)
    if first is not None and (remark := _verdict_words(report, first)) is not None:
        yield remark


def access_lines(report: KernelObject, line: int, first: int, end: int) -> Iterator[str]:
    """About the access to memory that begins in these columns of a line of the report (all from 1)."""
    yield from _per_policy(report, lambda run: _words(counted_access(report, run, line, first, end), access_words))


def counted_access(report: KernelObject, run: PolicyObject, line: int, first: int, end: int) -> AccessObject | None:
    """The first access that begins in these columns of a line (all from 1)."""
    inside = (
        one
        for one in run["accesses"]
        if (one["path"], one["line"]) == (report["path"], line) and first <= one["column"] < end
    )
    return min(inside, key=lambda one: one["column"], default=None)


def line_lines(report: KernelObject, line: int) -> Iterator[str]:
    """About a line of the report (from 1)."""

    def words(run: PolicyObject) -> str | None:
        found = next((one for one in run["lines"] if one["line"] == line), None)
        here = (one["diverged"] for one in run["branches"] if (one["path"], one["line"]) == (report["path"], line))
        return None if found is None else f"this line {line_words(found, sum(here), report['warp_size'])}"

    yield from _per_policy(report, words)


def kernel_lines(report: KernelObject) -> Iterator[str]:
    """About the whole kernel."""

    def words(run: PolicyObject) -> str:
        split = sum(1 for branch in run["branches"] if branch["diverged"])
        branches = f"warps split at {split} of {quantity(len(run['branches']), 'branch', 'branches')}"
        return ", ".join((_run_words(run), branches, *_memory_words(run)))

    yield from _per_policy(report, words)
    agreed = sum(1 for branch in _first(report)["branches"] if _never_diverged(branch))
    if agreed:
        branches = quantity(agreed, "branch", "branches")
        yield f"{branches} that the analysis calls varying did not split a warp {_when(report)}"


def branch_words(branch: BranchObject, warp_size: int) -> str:
    """`diverged 1,024 of 4,096 times, 16 of 32 lanes active on average`."""
    executed, diverged = branch["executed"], branch["diverged"]
    if not executed:
        return "not reached"
    times = f"diverged {diverged:,} of {executed:,} times" if diverged else f"never diverged in {executed:,} times"
    return f"{times}, {branch['lanes'] / executed:.3g} of {warp_size} lanes active on average"


def access_words(access: AccessObject) -> str:
    """`64 requests of warps, 32 sectors each where 4 would do`."""
    requests = access["requests"]
    if not requests:
        return "no request of a warp"
    words = quantity(requests, "request of a warp", "requests of warps")
    if access["sectors"]:
        words += f", {_each(access['sectors'], requests, 'sector')}"
        if access["ideal_sectors"] < access["sectors"]:
            words += f" where {access['ideal_sectors'] / requests:.3g} would do"
    if access["bank_conflicts"]:
        words += f", {_each(access['bank_passes'], requests, 'pass')} over the banks of shared memory"
    elif not access["sectors"]:
        words += ", no bank conflict"
    return words


def line_words(line: LineObject, diverged: int, warp_size: int) -> str:
    """`ran 64 times, 21.3 of 32 lanes active, diverged 64 times, 256 sectors where 128 would do`."""
    if not line["executed"]:
        return "did not run"
    lanes = f"{line['simd_efficiency'] * warp_size:.3g} of {warp_size} lanes active"
    parts = [f"ran {quantity(line['executed'], 'time')}", lanes]
    if diverged:
        parts.append(f"diverged {quantity(diverged, 'time')}")
    if line["sectors"]:
        wanted = f" where {line['ideal_sectors']:,} would do" if line["ideal_sectors"] < line["sectors"] else ""
        parts.append(f"{quantity(line['sectors'], 'sector')}{wanted}")
    if line["bank_conflicts"]:
        parts.append(quantity(line["bank_conflicts"], "bank conflict"))
    return ", ".join(parts)


# -- a kernel ----------------------------------------------------------------------------------------------------------


def launch_words(report: KernelObject) -> str:
    """`4 × 256 threads`."""
    return f"{_extent(report['grid'])} × {_extent(report['block'])} threads"


def summary_words(report: KernelObject) -> str:
    """One line about a kernel, for a message."""
    runs = report["policies"]
    parts = [f"{policy}: {_run_words(run)}" for policy, run in runs.items()]
    if report["policies_agree"] is False:
        parts.append("the policies leave different memory")
    return f"{report['kernel']}, {launch_words(report)}: {'; '.join(parts)}"


def lens_words(report: KernelObject) -> str:
    """The title of the lens of a kernel that was simulated, or is."""
    words = _run_words(_first(report))
    return f"Simulating… (so far {words})" if report["interim"] else f"Simulate again ({words})"


def _first(report: KernelObject) -> PolicyObject:
    return next(iter(report["policies"].values()))


def _run_words(run: PolicyObject) -> str:
    words = f"{_percent(run['simd_efficiency'])} of lanes active"
    faults, ended = len(run["faults"]), run["truncated"]
    if faults:
        words += f", {quantity(faults, 'fault')}"
    return words if ended is None or ended["reason"] == "running" else f"{words}, ended early"


def _memory_words(run: PolicyObject) -> Iterator[str]:
    if run["sectors"]:
        wanted = f" where {run['ideal_sectors']:,} would do" if run["ideal_sectors"] < run["sectors"] else ""
        yield f"{quantity(run['sectors'], 'sector')}{wanted}"
    if run["bank_conflicts"]:
        yield quantity(run["bank_conflicts"], "bank conflict")


# -- what they share ---------------------------------------------------------------------------------------------------


def _per_policy(report: KernelObject, words: Callable[[PolicyObject], str | None]) -> Iterator[str]:
    """One line, or one per policy that counted something else."""
    told: list[tuple[str, str]] = []
    for policy, run in report["policies"].items():
        text = words(run)
        if text is not None and text not in [known for _, known in told]:
            told.append((policy, text))
    for policy, text in told:
        began = "Simulated so far" if report["interim"] else "Simulated"
        yield f"{began} with {launch_words(report)}{f' under {policy}' if len(told) > 1 else ''}: {text}"


def _verdict_words(report: KernelObject, branch: BranchObject) -> str | None:
    """Where the counts and the static verdict have something to say to each other."""
    if _never_diverged(branch):
        return f"The analysis calls this branch varying; {_when(report)} no warp split at it"
    if branch["level"] not in (None, "varying") and branch["diverged"]:
        return "The analysis calls this branch uniform, and yet warps split at it: this is a defect of simt-lsp"
    return None


def _never_diverged(branch: BranchObject) -> bool:
    return branch["level"] == "varying" and branch["executed"] > 0 and not branch["diverged"]


def _when(report: KernelObject) -> str:
    return "so far" if report["interim"] else "in this run"


def _words(found: Found | None, words: Callable[[Found], str]) -> str | None:
    return None if found is None else words(found)


def _each(total: int, requests: int, word: str) -> str:
    share = total / requests
    return f"{share:.3g} {word if share == 1 else word + ('es' if word.endswith('s') else 's')} each"


def _percent(share: float) -> str:
    """As the report says it: never `100 %` for what is almost that (that module is not read where NumPy is missing)."""
    return "100 %" if share == 1 else f"{min(100 * share, 99.9):.1f} %"


def _extent(sizes: list[int]) -> str:
    while len(sizes) > 1 and sizes[-1] == 1:
        sizes = sizes[:-1]
    return str(sizes[0]) if len(sizes) == 1 else f"({', '.join(map(str, sizes))})"
