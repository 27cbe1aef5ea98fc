"""What a launch in host code shows: its own shape and arguments, and what the name of the kernel shows."""

from __future__ import annotations

from analysis.facts.file_analysis import FileAnalysis
from analysis.features.hover import function_subject
from analysis.features.hover_info import FunctionSubject, HoverInfo, LaunchSubject
from analysis.features.launch_description import describe, kernel_place
from analysis.features.launch_site import FunctionPlace, LaunchSite


def launch_hover(analysis: FileAnalysis, site: LaunchSite, summary: FunctionSubject | None) -> HoverInfo:
    """For the name and the configuration; `analysis` is that of the file in which the launch stands."""
    said = describe(analysis, site)
    place = next((kernel_place(analysis, site, kernel) for kernel in site.definitions), None)
    subject = LaunchSubject(site.launch.kernel, place, said.shape, said.passed, said.problems, summary)
    return HoverInfo(site.name_start, site.head_end, subject, (), None, (), ())


def kernel_subject(analysis: FileAnalysis, kernel: FunctionPlace) -> FunctionSubject | None:
    """What is known of a kernel in the analysis of its own file."""
    found = next((one for one in analysis.facts.kernels() if one.start == kernel.start and one.active), None)
    return None if found is None else function_subject(analysis, found)
