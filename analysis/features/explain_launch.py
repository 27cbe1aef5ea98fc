"""The launches on a line of host code, explained like what stands in device code."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from analysis.facts.file_analysis import FileAnalysis
from analysis.features.explain import ExplainedItem, Explanation
from analysis.features.hover_info import FunctionSubject
from analysis.features.hover_text import function_verdict
from analysis.features.launch_description import describe, kernel_place
from analysis.features.launch_site import FunctionPlace, LaunchSite

KernelFacts = Callable[[FunctionPlace], FunctionSubject | None]
"""What is known of a kernel, in the analysis of its own file."""


def sites_on_line(analysis: FileAnalysis, sites: Sequence[LaunchSite], line: int) -> tuple[LaunchSite, ...]:
    """The launches of which a part stands on a line (from 1)."""
    line_of = analysis.document.lines.line_of
    return tuple(site for site in sites if line_of(site.start) <= line - 1 <= line_of(max(site.start, site.end - 1)))


def with_launches(
    analysis: FileAnalysis, explanation: Explanation, sites: Sequence[LaunchSite], facts_of: KernelFacts
) -> Explanation:
    """The explanation of a line with the launches on it, which it says nothing about."""
    found = sites_on_line(analysis, sites, explanation.line)
    if not found:
        return explanation
    items = tuple(_explained(analysis, site, facts_of) for site in found)
    summary = "a kernel is launched here" if explanation.function is None else explanation.summary
    return replace(explanation, summary=summary, items=(*explanation.items, *items))


def _explained(analysis: FileAnalysis, site: LaunchSite, facts_of: KernelFacts) -> ExplainedItem:
    said = describe(analysis, site)
    return ExplainedItem(
        site.name_start,
        site.head_end,
        f"launch of `{site.launch.kernel}`",
        ", ".join(said.shape),
        (),
        None,
        (),
        varies=False,
        details=(*said.problems, *said.passed, *_kernels(analysis, site, facts_of)),
    )


def _kernels(analysis: FileAnalysis, site: LaunchSite, facts_of: KernelFacts) -> Iterator[str]:
    if not site.definitions:
        yield f"the definition of `{site.launch.kernel}` is not in sight"
    for kernel in site.definitions:
        facts = facts_of(kernel)
        where = f"`{kernel.name}` is defined in {kernel_place(analysis, site, kernel)}"
        yield where if facts is None else f"{where}: {function_verdict(facts)}"
