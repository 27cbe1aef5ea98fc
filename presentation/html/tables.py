"""The tables of the page: branches, memory, faults, policies, inputs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Final

from analysis.rules.wording import quantity
from presentation.html.markup import NOTHING, Markup, element
from presentation.html.parts import bar, card, cell, heat, line_link, number_cell, place_link, table
from sim.observers.requests import RequestCount
from sim.report import words
from sim.report.model import BranchReport, FaultReport, KernelReport, LineReport, PolicyReport

_MOST_PRINTED: Final = 200


def branch_card(report: KernelReport, run: PolicyReport, panel: int) -> Markup:
    if not run.branches:
        return card("Branches", element("p", "No branches.", class_="empty"), kind="branches")
    rows = [_branch_row(report, branch, panel) for branch in run.branches]
    titles = ("Branch", "Executed#", "Split#", "", "Lanes#", "Meets#", "Static verdict")
    listing = table(titles, rows, "branches", "Branches: counts beside the static verdict")
    return card("Branches", listing, kind="branches", note=words.split_branches(run))


def _branch_row(report: KernelReport, branch: BranchReport, panel: int) -> Markup:
    share = branch.diverged / branch.executed if branch.executed else 0.0
    return element(
        "tr",
        cell(place_link(report, panel, branch.place, words.branch_text(report, branch)), _sides(report, branch)),
        number_cell(words.number(branch.executed)),
        number_cell(words.number(branch.diverged), kind="warn" if branch.diverged else "muted"),
        element("td", bar(share, "warn-bar"), class_="bar-cell", title=words.percent(share)),
        number_cell(words.lanes_per_execution(branch)),
        number_cell(words.meeting(report, branch), kind="muted"),
        cell(_static_verdict(branch)),
        class_="" if branch.executed else "idle",
    )


def _sides(report: KernelReport, branch: BranchReport) -> Markup:
    """How many lanes went where; nothing where all went one way."""
    ways: Counter[str] = Counter()
    for side in branch.sides:
        if side.place is None or side.place.line != branch.place.line:  # the next part of the same condition
            ways[words.side_target(report, side)] += side.lanes
    taken = [f"{target}: {words.number(lanes)}" for target, lanes in ways.items() if lanes]
    return element("small", "lanes to " + ", ".join(taken), class_="sides") if len(taken) > 1 else NOTHING


def _static_verdict(branch: BranchReport) -> Markup:
    kind = "calm" if branch.never_diverged else "bad" if words.contradicts(branch) else "plain"
    text = words.static_verdict(branch) + (" in this run" if branch.never_diverged else "")
    return element("small", text, class_=f"verdict {kind}")


def memory_card(report: KernelReport, run: PolicyReport, panel: int) -> Markup:
    lines = words.memory_lines(run)
    if not lines:
        return card("Memory", element("p", "No memory requests.", class_="empty"), kind="memory")
    rows = [_memory_row(report, line, panel) for line in lines]
    total = element("tr", element("th", "All lines", scope="row"), *_memory_cells(run.requests), class_="total")
    titles = ("Line", "Requests#", "Sectors#", "Ideal#", "Excess#", "Bank conflicts#")
    listing = table(titles, [*rows, total], "memory", "Memory requests by line")
    return card("Memory", listing, kind="memory", note="sectors of 32 bytes")


def _memory_row(report: KernelReport, line: LineReport, panel: int) -> Markup:
    code = words.source_line(report, line.line).strip()
    return element("tr", cell(line_link(panel, line.line, code)), *_memory_cells(line.requests))


def _memory_cells(count: RequestCount) -> tuple[Markup, ...]:
    excess = count.sectors > count.ideal_sectors > 0
    return (
        number_cell(words.number(count.requests)),
        number_cell(words.number(count.sectors) if count.sectors else "–"),
        number_cell(words.number(count.ideal_sectors) if count.sectors else "–", kind="muted"),
        number_cell(words.ratio(count.sectors / count.ideal_sectors) if excess else "", kind="warn"),
        number_cell(
            words.number(count.bank_conflicts) if count.bank_passes else "–",
            kind="warn" if count.bank_conflicts else "muted",
        ),
    )


def fault_card(report: KernelReport, run: PolicyReport, panel: int) -> Markup:
    return _findings("Faults", run.faults, "fault-card", report, panel)


def note_card(report: KernelReport, run: PolicyReport, panel: int) -> Markup:
    """What is no fault by itself, or may come from what was chosen."""
    return _findings("Notes", run.notes, "note-card", report, panel)


def _findings(title: str, found: Sequence[FaultReport], kind: str, report: KernelReport, panel: int) -> Markup:
    if not found:
        return NOTHING
    rows = [_fault_row(report, one, panel) for one in found]
    listing = element("ul", *rows, class_="faults", tabindex="0", aria_label=title)
    return card(title, listing, kind=kind, note=quantity(len(found), "place"))


def _fault_row(report: KernelReport, fault: FaultReport, panel: int) -> Markup:
    code = words.source_line(report, fault.place.line).strip() if _is_here(report, fault) and fault.place else ""
    return element(
        "li",
        element("strong", fault.kind, class_="badge note" if fault.is_note else "badge fault"),
        " ",
        place_link(report, panel, fault.place, code),
        element("p", fault.message, " ", element("small", words.who(fault)), *_related(report, fault, panel)),
    )


def _related(report: KernelReport, fault: FaultReport, panel: int) -> Sequence[Markup]:
    """Links to the other places in this file."""
    here = dict.fromkeys(
        one.place.line
        for one in fault.related
        if one.place is not None and one.place.path == report.path and one.place != fault.place
    )
    return [line_link(panel, line, words.source_line(report, line).strip()) for line in here]


def _is_here(report: KernelReport, fault: FaultReport) -> bool:
    return fault.place is not None and fault.place.path == report.path


def policy_card(report: KernelReport, panel: int) -> Markup:
    """`panel` is that of the first policy."""
    if len(report.policies) < 2:
        return NOTHING
    most = max(run.warp_instructions for run in report.policies)
    rows = [_policy_row(report, run, panel + at, most) for at, run in enumerate(report.policies)]
    titles = ("Policy", "Warp instructions#", "", "SIMD efficiency#", "Splits#", "Faults#", "Time#", "Memory")
    finished = sum(run.truncated is None for run in report.policies)
    who = "all" if finished == len(report.policies) else f"the {finished} that finished"
    agreement = f"{who} leave the same memory" if report.agree is not False else "they leave different memory"
    listing = table(titles, rows, "policies", "Policies side by side")
    return card("Policies side by side", listing, kind="policies", note=agreement if finished > 1 else "")


def _policy_row(report: KernelReport, run: PolicyReport, panel: int, most: int) -> Markup:
    if run.truncated is not None:
        memory = element("span", "stopped early", class_="warn")
    elif run.memory_digest == report.policies[0].memory_digest:
        memory = element("span", "same", class_="muted")
    else:
        memory = element("span", "different", class_="bad")
    kind = heat(run.simd_efficiency)
    return element(
        "tr",
        cell(element("a", run.policy, class_="choose", href=f"#panel-{panel}", data_panel=str(panel))),
        number_cell(words.number(run.warp_instructions)),
        element("td", bar(run.warp_instructions / most if most else 0.0), class_="bar-cell"),
        number_cell(element("span", words.percent(run.simd_efficiency), class_="lanes")),
        number_cell(words.number(sum(branch.diverged for branch in run.branches))),
        number_cell(words.number(len(run.faults)), kind="bad" if run.faults else "muted"),
        number_cell(words.duration(run.seconds), kind="muted"),
        cell(memory),
        class_=f"heat {kind}",
    )


def input_card(report: KernelReport) -> Markup:
    rows = [
        element("tr", cell(element("code", choice.name)), cell(choice.value), element("td", choice.why, class_="muted"))
        for choice in report.choices
    ]
    if not rows:
        return NOTHING
    listing = table(("Name", "Value", "Why"), rows, "inputs", "Launch and inputs, with reasons")
    return card("Launch and inputs", listing, kind="inputs", note=f"seed {report.seed}")


def printed_card(run: PolicyReport) -> Markup:
    if not run.printed:
        return NOTHING
    text = "".join(line if line.endswith("\n") else line + "\n" for line in run.printed[:_MOST_PRINTED])
    more = len(run.printed) - _MOST_PRINTED
    if more > 0:
        text += f"… and {words.number(more)} more"
    return card("Printed", element("pre", text), kind="printed", note=quantity(len(run.printed), "line"))
