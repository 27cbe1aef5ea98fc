"""A change of a file's text and the verdict on it; the change is written as two texts of the whole file."""

from __future__ import annotations

import pytest

from analysis.facts.analyzer import Analyzer
from analysis.facts.file_analysis import FileAnalysis
from analysis.facts.settings import AnalysisSettings
from analysis.refactor.edit import Replacement
from analysis.syntax.document import Document
from analysis.syntax.includes import DictLoader
from sim.equivalence.checked_edit import Change, check_edit, kernels_running
from sim.equivalence.model import (
    BranchPlace,
    BrokenText,
    Comparison,
    Confirmed,
    Gap,
    Goal,
    MemoryDiffers,
    NotChecked,
    NotFewer,
    Refuted,
)
from sim.launch.request import Request
from sim.refusals import LaunchError

HELPER = """\
__device__ void step(int *x, int i) {
  if (i % 2) x[i] = x[i] + 1; else x[i] = x[i] + 2;
}
"""
MELDED = HELPER.replace("if (i % 2) x[i] = x[i] + 1; else x[i] = x[i] + 2;", "x[i] = x[i] + (i % 2 ? 1 : 2);")
FIRST = "__global__ void first(int *x) { step(x, threadIdx.x); }\n"
EVEN = "__global__ void even(int *x) { step(x, 2 * threadIdx.x); }\n"


def analyze(text: bytes) -> FileAnalysis:
    return Analyzer().analyze("a.cu", Document.open(text), DictLoader(), AnalysisSettings())


def checked(before: str, after: str, name: str = "step", *, has_branch: bool = True) -> Comparison:
    """`after` in the place of `before`, a change of the function `name`."""
    analysis = analyze(before.encode())
    function = next(one for one in analysis.facts.functions if one.name == name)
    place = None
    if has_branch:
        branch = function.branches[0]
        start = function.start
        place = BranchPlace(
            "a.cu", start + branch.keyword.start, start + branch.extent.start, start + branch.extent.end
        )
    edit = (Replacement(0, len(before), after),)
    return check_edit(analysis, Change(function, edit, Goal.FEWER_INSTRUCTIONS, place), analyze)


def test_a_device_function_is_checked_through_the_kernel_that_runs_it() -> None:
    found = checked(HELPER + FIRST, MELDED + FIRST)
    assert isinstance(found.verdict, Confirmed)
    assert found.launch is not None
    assert found.launch.kernel == "first"


def test_a_kernel_that_never_splits_leaves_the_word_to_the_others() -> None:
    found = checked(HELPER + EVEN + FIRST, MELDED + EVEN + FIRST)
    assert isinstance(found.verdict, Confirmed)
    assert found.launch is not None
    assert found.launch.kernel == "first"
    alone = checked(HELPER + EVEN, MELDED + EVEN)
    assert isinstance(alone.verdict, NotChecked)
    assert alone.verdict.gap is Gap.ARMS_NOT_REACHED


def test_what_refutes_it_in_one_kernel_refutes_it() -> None:
    """The second kernel alone has a thread 7."""
    few = FIRST.replace("first", "few").replace("threadIdx.x", "threadIdx.x % 4")
    found = checked(HELPER + few + FIRST, MELDED.replace("i % 2 ?", "i % 2 || i == 8 ?") + few + FIRST)
    assert isinstance(found.verdict, Refuted)
    assert isinstance(found.verdict.evidence, MemoryDiffers)


def test_without_a_kernel_nothing_runs() -> None:
    found = checked(HELPER, MELDED)
    assert isinstance(found.verdict, NotChecked)
    assert (found.verdict.gap, found.launch) == (Gap.NO_KERNEL, None)


def test_kernels_that_run_a_function_are_found_through_other_functions() -> None:
    text = HELPER + "__device__ void twice(int *x, int i) { step(x, i); step(x, i); }\n"
    text += "__global__ void second(int *x) { twice(x, threadIdx.x); }\n__global__ void other(int *x) { x[0] = 1; }\n"
    analysis = analyze(text.encode())
    names = [[one.item.name for one in kernels_running(analysis, of)] for of in analysis.facts.functions]
    assert names == [["second"], ["second"], ["second"], ["other"]]


@pytest.mark.parametrize(
    ("broken", "message"),
    [
        ("x[i] = x[i] + (i % 2 ? 1 : 2;", "syntax error at line 1: `step` is not analysed"),
        ("x[i] = x[i] + frobnicate(i);", "the changed text is not understood"),
        ('\n#include "gone.h"\nx[i] = 1;', "the header was not found"),
    ],
)
def test_a_text_that_cannot_be_read_is_refuted_before_anything_runs(broken: str, message: str) -> None:
    after = HELPER.replace("if (i % 2) x[i] = x[i] + 1; else x[i] = x[i] + 2;", broken)
    found = checked(HELPER + FIRST, after + FIRST)
    assert isinstance(found.verdict, Refuted)
    assert isinstance(found.verdict.evidence, BrokenText)
    assert found.verdict.evidence.message.startswith(message)
    assert found.figures == ()


def test_a_function_that_is_gone() -> None:
    found = checked(HELPER + FIRST, FIRST.replace("step(x, threadIdx.x)", "x[0] = 1"))
    assert isinstance(found.verdict, Refuted)
    assert found.verdict.evidence == BrokenText("step cannot be found in the changed text")


def test_fewer_instructions_are_promised() -> None:
    found = checked(HELPER + FIRST, HELPER + FIRST)
    assert isinstance(found.verdict, Refuted)
    assert isinstance(found.verdict.evidence, NotFewer)


def test_a_launch_that_nobody_can_read() -> None:
    def requests_of(_: object) -> tuple[Request, ...]:
        raise LaunchError("// simt: block=x: no number")

    analysis = analyze((HELPER + FIRST).encode())
    change = Change(analysis.facts.functions[0], (), Goal.SAME_RESULTS)
    found = check_edit(analysis, change, analyze, requests_of=requests_of)
    assert found.verdict == NotChecked(Gap.LAUNCH, "// simt: block=x: no number")
