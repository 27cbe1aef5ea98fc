"""Small versions of the files that `python -m benchmarks.hostile` measures at full size."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from analysis.facts import roots
from analysis.facts.analyzer import Analyzer, Cancelled
from analysis.facts.file_analysis import FileAnalysis
from analysis.facts.model import ProblemKind
from analysis.facts.settings import AnalysisSettings
from analysis.graph.work import Work
from analysis.rules.check import check
from analysis.rules.settings import RuleSettings
from analysis.syntax.document import Document
from analysis.syntax.includes import DictLoader
from analysis.syntax.preprocessing import MAX_SCOPES
from analysis.syntax.skeleton_scanner import update
from analysis.syntax.tree import MAX_DEPTH
from benchmarks.hostile_files import (
    HARMLESS,
    HOSTILE,
    Hostile,
    breaks,
    chained_macros,
    doubling_calls,
    doubling_structs,
    doubling_types,
    growing_templates,
    namespaces,
    nested_conditions,
    parentheses,
)


def analysed(text: str) -> FileAnalysis:
    return Analyzer().analyze("k.cu", Document.open(text.encode()), DictLoader(), AnalysisSettings())


def said(text: str) -> list[tuple[str, str]]:
    """The problems of a file: the text that each marks, and its message."""
    problems = analysed(text).facts.problems
    assert all(problem.kind is ProblemKind.TOO_LARGE for problem in problems)
    return [(text[problem.start : problem.end], problem.message) for problem in problems]


def little_work(*, checkpoint: Callable[[], None]) -> Work:
    return Work(2_000, checkpoint)


@pytest.mark.parametrize("case", HOSTILE, ids=lambda case: case.name)
def test_the_harmless_kernel_beside_it_is_analysed(case: Hostile) -> None:
    analysis = analysed(case.text(case.small))
    assert not any(problem.kind is ProblemKind.INTERNAL for problem in analysis.facts.problems)
    codes = {found.code for found in check(analysis, RuleSettings()) if "SYN101" in found.code}
    assert codes == (set() if case.is_endless else {"SYN101"})


def test_code_that_nests_too_deeply_is_named() -> None:
    ((marked, message),) = said(parentheses(MAX_DEPTH + 10))
    assert message == "k is not analysed here: code nested more than 400 levels deep"
    assert set(marked) == {"(", ")", "i"}


def test_code_that_nests_too_deeply_may_change_the_variables_that_it_names() -> None:
    depth = MAX_DEPTH + 10
    text = (
        "__global__ void k(int *x) {\n  int a = 0, b = 0;\n"
        + "{" * depth
        + "a = threadIdx.x;"
        + "}" * depth
        + "\n  if (a) x[0] = 1;\n  if (b) x[0] = 1;\n}\n"
    )
    (function,) = analysed(text).facts.functions
    levels = [branch.level.name for branch in function.branches]
    assert levels == ["VARYING", "GRID"]


def test_a_type_whose_name_doubles_is_unknown_and_named() -> None:
    ((marked, message),) = said(doubling_types(30))
    assert marked == "a"
    assert message == "k is not analysed here: a type whose name is longer than 10,000 characters"


def test_templates_that_ask_for_longer_and_longer_types_end() -> None:
    ((_, message),) = said(growing_templates(30))
    assert message.startswith("f is not analysed here: a type whose name is longer than 10,000 characters")


def test_a_class_whose_members_double_is_unknown_and_named() -> None:
    ((marked, message),) = said(doubling_structs(40))
    assert marked == "a"
    assert message == "k is not analysed here: a class of more than 4,096 members; nor in 1 more place"


def test_calls_that_are_not_followed_because_of_their_size_are_named() -> None:
    problems = said(doubling_calls(14))
    assert {marked for marked, _ in problems} <= {f"f{n}(x, j)" for n in range(14)} | {f"f{n}(x, i)" for n in range(14)}
    assert all("a call of more code than is looked at in one function" in message for _, message in problems)
    assert problems


def test_control_flow_that_would_take_too_long_costs_its_function_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(roots, "Work", little_work)
    text = breaks(60) + "__global__ void other(int *x) { if (threadIdx.x < 3) x[0] = 1; }\n"
    facts = analysed(text).facts
    assert [(found.name, found.is_too_large, len(found.branches)) for found in facts.functions] == [
        ("k", True, 0),
        ("other", False, 1),
    ]
    ((marked, message),) = said(text)
    assert (marked, message) == ("k", "k is not analysed: it is too large; split it into smaller functions")


def test_where_inlining_makes_it_too_much_the_function_is_analysed_without_its_callees(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(roots, "Work", little_work)
    callee = breaks(60).replace("__global__", "__device__").replace("void k(", "void f(")
    caller = "__global__ void k(int *x, int n) { if (threadIdx.x < 3) x[0] = 1; f(x, n); }\n"
    facts = {found.name: found for found in analysed(callee + caller).facts.functions}
    assert facts["f"].is_too_large
    assert not facts["k"].is_too_large
    assert len(facts["k"].branches) == 1
    assert [marked for marked, _ in said(callee + caller)] == ["f", "f(x, n)"]


def test_what_stands_in_too_many_namespaces_is_not_read_and_named_once() -> None:
    text = namespaces(MAX_SCOPES + 5)
    ((marked, message),) = said(text.replace("__global__", "__device__ int f;\n__global__"))
    assert (marked, message) == ("__device__ int f;", "what stands in more than 256 namespaces and classes is not read")
    assert said(namespaces(MAX_SCOPES)) == []
    assert [found.name for found in analysed(namespaces(MAX_SCOPES)).facts.functions] == ["k"]


def test_conditionals_in_one_another_are_kept_once_for_all_that_stands_between_them() -> None:
    skeleton = update(None, nested_conditions(300).encode())
    cells = set[int]()
    for _, piece in skeleton.entries:
        cell = piece.conditionals
        while cell:
            cells.add(id(cell))
            cell = cell.outer
    assert len(cells) == 300
    again = update(skeleton, nested_conditions(300).replace("= 0", "= 1").encode())
    assert again.entries[200][1] is skeleton.entries[200][1]
    assert again.entries[-1][1] is skeleton.entries[-1][1]


def test_a_macro_that_stands_for_more_than_a_thousand_others_is_left_alone_and_named() -> None:
    ((marked, message),) = said(chained_macros(1_100))
    assert marked == "M1100"
    assert message == "k is not analysed here: a macro that grows without bound"
    assert said(chained_macros(900)) == []


def test_an_analysis_can_be_stopped_within_one_function() -> None:
    asked = 0

    def cancelled() -> bool:
        nonlocal asked
        asked += 1
        return asked > 40

    text = Document.open(breaks(60).encode())
    with pytest.raises(Cancelled):
        Analyzer().analyze("k.cu", text, DictLoader(), AnalysisSettings(), cancelled=cancelled)


def test_nothing_of_an_analysis_is_stopped_after_it_has_ended() -> None:
    is_over = False
    text = Document.open((breaks(60) + HARMLESS).encode())
    analysis = Analyzer().analyze("k.cu", text, DictLoader(), AnalysisSettings(), cancelled=lambda: is_over)
    is_over = True
    root = analysis.views(analysis.facts.functions[0])[0].root
    root.control.spend(10_000_000)
    assert check(analysis, RuleSettings())
    for function in analysis.program.device_functions():
        analysis.program.lower(function.id)
