"""The kernel's text as a heat map: how much each line cost, how many lanes took part, what happened there."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final, final

from analysis.ir.record import record
from analysis.rules.wording import quantity
from presentation.html.editor_links import Editor
from presentation.html.highlight import highlighted
from presentation.html.markup import Content, Markup, element, joined
from presentation.html.parts import bar, card, heat, line_id
from sim.report import words
from sim.report.model import BranchReport, FaultReport, KernelReport, LineReport, PolicyReport

_CONTEXT: Final = 2
"""Lines shown around what ran outside of the kernel."""


def source_card(report: KernelReport, run: PolicyReport, panel: int, editor: Editor | None = None) -> Markup:
    source = _Source.of(report, run, editor)
    code = highlighted([line.expandtabs(4) for line in report.source])
    rows: list[Markup] = []
    previous = 0
    for line in source.shown(report):
        if previous and line > previous + 1:
            rows.append(_gap(line - previous - 1))
        rows += source.rows(report, panel, line, code[line - 1])
        previous = line
    head = element(
        "tr",
        element("th", "Line", scope="col", class_="num"),
        element("th", "Instructions", scope="col", class_="num", colspan="2", title="Executed by warps"),
        element("th", "Lanes", scope="col", class_="num", title="Active lanes per lane issued"),
        element("th", "Split", scope="col", class_="num", title="How often warps split at branches of the line"),
        element("th", "Source", scope="col"),
    )
    listing = element(
        "table", element("thead", head), element("tbody", *rows), class_="source", aria_label="Source with counts"
    )
    frame = element(
        "div",
        listing,
        class_="scroll listing",
        tabindex="0",
        role="region",
        aria_label="Source",
        **({} if source.hottest is None else {"data_hottest": line_id(panel, source.hottest)}),
    )
    return card("Source", _legend(), frame, kind="source-card", note=_file_name(report.path))


def _legend() -> Markup:
    """The scale of colours, in words at its ends."""
    steps = [element("i", class_=f"heat {heat(step / 10)}") for step in range(11)]
    return element("p", "few lanes active ", element("span", *steps, class_="scale"), " all", class_="heat-legend")


def _file_name(path: str) -> str:
    return path.rpartition("/")[2]


def _gap(lines: int) -> Markup:
    return element("tr", element("td", f"⋯ {quantity(lines, 'line')}", colspan="6"), class_="gap")


@final
@record
class _Source:
    """What happened in each line of the kernel's file; `most` are the instructions of the costliest, `hottest`."""

    lines: Mapping[int, LineReport]
    branches: Mapping[int, Sequence[BranchReport]]
    faults: Mapping[int, Sequence[FaultReport]]
    most: int
    hottest: int | None
    editor: Editor | None

    @classmethod
    def of(cls, report: KernelReport, run: PolicyReport, editor: Editor | None) -> _Source:
        lines = {line.line: line for line in run.lines}
        branches: dict[int, list[BranchReport]] = {}
        for branch in run.branches:
            if branch.place.path == report.path:
                branches.setdefault(branch.place.line, []).append(branch)
        faults: dict[int, list[FaultReport]] = {}
        for fault in (*run.faults, *run.notes):
            if fault.place is not None and fault.place.path == report.path:
                faults.setdefault(fault.place.line, []).append(fault)
        costliest = words.costliest(run, 1)
        most = costliest[0].work.warp_instructions if costliest else 0
        return cls(lines, branches, faults, most, costliest[0].line if costliest else None, editor)

    def shown(self, report: KernelReport) -> Sequence[int]:
        """The kernel, and what ran elsewhere in its file."""
        wanted = set(range(report.first_line, report.last_line + 1))
        timed = {
            place.line
            for run in report.policies
            for place in run.timeline.places
            if place and place.path == report.path
        }
        for line in {*self.lines, *self.branches, *self.faults, *timed} - wanted:
            wanted.update(range(line - _CONTEXT, line + _CONTEXT + 1))
        return sorted(line for line in wanted if 0 < line <= len(report.source))

    def rows(self, report: KernelReport, panel: int, line: int, code: Markup) -> Iterator[Markup]:
        found = self.lines.get(line)
        badges = [_branch_badge(branch) for branch in self.branches.get(line, ())]
        faults = self.faults.get(line, ())
        yield element(
            "tr",
            element("th", self._number(report, line), scope="row", class_="num"),
            *self._counts(found),
            element("td", *badges, class_="num"),
            element("td", element("code", code), class_="code"),
            id=line_id(panel, line),
            class_=_row_class(found, any(not fault.is_note for fault in faults)),
            tabindex="-1",
        )
        for note, kind in _fault_notes(faults):
            yield element("tr", element("td", colspan="5"), element("td", element("div", note)), class_=kind)

    def _number(self, report: KernelReport, line: int) -> Content:
        hottest = "The costliest line" if line == self.hottest else None
        title = {} if hottest is None else {"title": hottest}
        if self.editor is None:
            return element("span", str(line), **title)
        return element("a", str(line), class_="editor", href=self.editor.address(report.path, line), **title)

    def _counts(self, line: LineReport | None) -> Sequence[Markup]:
        if line is None:
            return [element("td", class_="num"), element("td", class_="bar-cell"), element("td", class_="num")]
        work = line.work
        if not work.warp_instructions:
            return [
                element("td", "0", class_="num", title="Never ran"),
                element("td", class_="bar-cell"),
                element("td", class_="num"),
            ]
        efficiency = words.percent(work.simd_efficiency)
        title = f"{quantity(work.thread_instructions, 'thread instruction')}, {efficiency} of lanes active"
        return [
            element("td", words.number(work.warp_instructions), class_="num", title=title),
            element("td", bar(work.warp_instructions / self.most), class_="bar-cell"),
            element("td", efficiency, class_="num lanes", title=title),
        ]


def _row_class(line: LineReport | None, has_fault: bool) -> str:
    kinds = ["line"]
    if line is None:
        kinds.append("quiet")
    elif not line.work.warp_instructions:
        kinds.append("never")
    else:
        kinds += ["heat", heat(line.work.simd_efficiency)]
    if has_fault:
        kinds.append("has-fault")
    return " ".join(kinds)


def _branch_badge(branch: BranchReport) -> Markup:
    if branch.diverged:
        text = f"{words.number(branch.diverged)} of {words.number(branch.executed)}"
        return element("span", text, class_="badge split", title=f"{branch.text}: {words.static_verdict(branch)}")
    if branch.never_diverged:
        return element("span", "never", class_="badge calm", title="Called varying, never diverged in this run")
    return joined()


def _fault_notes(faults: Sequence[FaultReport]) -> Iterator[tuple[Markup, str]]:
    """One of each kind, and the class of its row; all of them are in the lists of faults and notes."""
    for kind in dict.fromkeys(fault.kind for fault in faults):
        first, *others = (fault for fault in faults if fault.kind == kind)
        more = f" · {words.number(len(others))} more in this line" if others else ""
        told = joined(element("strong", kind), " ", first.message, " ", element("small", words.who(first) + more))
        yield told, "fault-note mild" if first.is_note else "fault-note"
