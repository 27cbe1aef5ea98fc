"""Findings that move with their function are those of a fresh check, and are not looked for again."""

from __future__ import annotations

import re
from collections.abc import Iterator
from unittest.mock import patch

import pytest

from analysis.facts.analyzer import Analyzer
from analysis.facts.file_analysis import FileAnalysis
from analysis.facts.settings import AnalysisSettings
from analysis.rules.barrier_in_divergent_call import BarrierInDivergentCall
from analysis.rules.check import check
from analysis.rules.diagnostic import Diagnostic
from analysis.rules.diagnostic_cache import DiagnosticCache
from analysis.rules.registry import OF_ONE_FUNCTION, RULES
from analysis.rules.repeated_index_arithmetic import RepeatedIndexArithmetic
from analysis.rules.rule import Finding, Subject
from analysis.rules.settings import RuleSettings
from analysis.syntax.document import Document
from analysis.syntax.includes import DictLoader
from tests.rules.fixture import analyze
from tests.rules.test_documentation import examples

TEXT = """__device__ float first(float x) { return x; }
__global__ void rows(const int *start, const int *col, int *sum, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  for (int j = start[i]; j < start[i + 1]; j++) sum[i] += col[j] + first(2.5f);
}
"""


def test_a_function_that_only_moved_is_not_asked_again() -> None:
    analyzer, cache, asked = Analyzer(), DiagnosticCache(), list[str]()
    find = RepeatedIndexArithmetic.find

    def counted(subject: Subject) -> Iterator[RepeatedIndexArithmetic]:
        asked.append(subject.function.name)
        return find(subject)

    with patch.object(RepeatedIndexArithmetic, "find", counted):
        for number in range(3):
            text = TEXT.replace("\n__global__", "\n" * (number + 1) + "__global__")
            analysis = analyzer.analyze("a.cu", Document.open(text.encode()), DictLoader(), AnalysisSettings())
            found = [one for one in check(analysis, RuleSettings(), cache) if one.code == "ARI602"]
            assert [text[one.start : one.end] for one in found] == ["start[i + 1]"]
            (store,) = found[0].related
            assert text[store.location.start : store.location.end].startswith("sum[i] +=")
            assert found[0].fix is not None
            assert text[found[0].fix.replacements[0].start :].startswith("for (int j")
    assert sorted(asked) == ["first", "rows"]


BARRIER = "__device__ void %s(float *x) { x[0] = 1; __syncthreads(); }\n"
CALLS = """%s__global__ void k(float *x) {
  if (threadIdx.x < 16) meet(x);
}
"""
LINE = "/**/__device__ void between(float *x) { x[1] = 2; }\n"
MEETING = CALLS % (BARRIER % "meet" + LINE)
WITHOUT = BARRIER % "meet" + LINE + "__global__ void k(float *x) { meet(x); between(x); }\n"


@pytest.mark.parametrize(
    ("before", "after", "is_kept"),
    [
        (MEETING, MEETING.replace("/**/", "/* no longer */"), True),
        (MEETING, MEETING.replace("x[1] = 2;", "x[1] = 2; x[2] = 3;"), True),
        (MEETING, ";;" + MEETING, True),
        (MEETING, MEETING.replace("/**/", "/*\n*/"), False),
        (MEETING, MEETING.replace("x[0] = 1;", "x[0] = 2;"), False),
        (WITHOUT, WITHOUT.replace("/**/", "/*\n*/"), True),
        (WITHOUT, WITHOUT.replace("}\n__global__", "}\nint other;\n\n__global__"), True),
    ],
)
def test_what_lies_in_several_functions_moves_with_each(before: str, after: str, *, is_kept: bool) -> None:
    analyzer, cache, asked = Analyzer(), DiagnosticCache(), list[str]()
    find = BarrierInDivergentCall.find

    def counted(subject: Subject) -> Iterator[BarrierInDivergentCall]:
        asked.append(subject.function.name)
        return find(subject)

    def checked(text: str) -> tuple[Diagnostic, ...]:
        document = Document.open(text.encode())
        return check(analyzer.analyze("a.cu", document, DictLoader(), AnalysisSettings()), RuleSettings(), cache)

    assert any(one.function == "k" for one in checked(before)) == (before == MEETING)
    expected = check(analyze(after, path="a.cu"), RuleSettings())
    with patch.object(BarrierInDivergentCall, "find", counted):
        assert checked(after) == expected
    assert ("k" not in asked) == is_kept


def test_functions_that_change_places_are_looked_at_again() -> None:
    analyzer, cache = Analyzer(), DiagnosticCache()
    first, second = BARRIER % "meet", BARRIER % "join"
    calls = CALLS.replace("meet(x);", "{ meet(x); join(x); }")
    for text in (calls % (first + second), calls % (second + first)):
        analysis = analyzer.analyze("a.cu", Document.open(text.encode()), DictLoader(), AnalysisSettings())
        assert check(analysis, RuleSettings(), cache) == check(analyze(text, path="a.cu"), RuleSettings())


def test_a_variable_of_the_file_does_not_move_with_a_function() -> None:
    analyzer, cache = Analyzer(), DiagnosticCache()
    for between in ("", "x", "xx"):
        text = f"int v;\n/*{between}*/__global__ void k(int *p) {{ *p = v; }}\n"
        analysis = analyzer.analyze("a.cu", Document.open(text.encode()), DictLoader(), AnalysisSettings())
        (found,) = check(analysis, RuleSettings(), cache)
        assert (found.code, found.related[0].location.start) == ("CAL703", 0)


MOVING = [rule for rule in RULES if rule.code in OF_ONE_FUNCTION]


@pytest.mark.parametrize("rule", MOVING, ids=lambda rule: rule.code)
def test_what_moves_lies_in_its_function_and_names_no_line(rule: type[Finding]) -> None:
    found = [(analysis, one) for text in examples(rule) for analysis in [analyze(text)] for one in _of(analysis, rule)]
    assert found
    for analysis, one in found:
        (function,) = (each for each in analysis.facts.functions if each.start <= one.start < each.end)
        assert one.end <= function.end
        assert all(
            place.location.path == analysis.facts.path
            and function.start <= place.location.start
            and place.location.end <= function.end
            for place in one.related
        )
        assert re.search(r"\blines? \d", one.message) is None


def _of(analysis: FileAnalysis, rule: type[Finding]) -> list[Diagnostic]:
    return [one for one in check(analysis, RuleSettings()) if one.code == rule.code]


OVERFLOWS = """__global__ void k(float *a, int n) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row < n) a[row * n] = 1.0f;
}
void host(float *a) { k<<<65536, 1024>>>(a, 65536); }
"""


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (OVERFLOWS, OVERFLOWS + "int64_t much;\n"),
        (OVERFLOWS + "int64_t much;\n", OVERFLOWS),
        ("// simt: grid=65536 block=1024 n=65536\n" + OVERFLOWS, "// simt: grid=16 block=16 n=256\n" + OVERFLOWS),
        ("// simt: grid=65536 block=1024 n=65536\n" + OVERFLOWS, "// simt: grid=65536 block=1024 n=256\n" + OVERFLOWS),
        (OVERFLOWS, OVERFLOWS.replace("1024>>>(a, 65536)", "1024>>>(a, 256)")),
    ],
)
def test_an_edit_elsewhere_is_followed(before: str, after: str) -> None:
    analyzer, cache = Analyzer(), DiagnosticCache()
    for text in (before, after):
        analysis = analyzer.analyze("a.cu", Document.open(text.encode()), DictLoader(), AnalysisSettings())
        assert check(analysis, RuleSettings(), cache) == check(analyze(text, path="a.cu"), RuleSettings())
