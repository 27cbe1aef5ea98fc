"""What messages say of a branch, from its text alone."""

from __future__ import annotations

import pytest

from analysis.divergence.levels import Level
from analysis.facts.model import BranchFact, FunctionFacts
from analysis.ir.function import FunctionKind, SourceBranchKind
from analysis.ir.instructions import FunctionId
from analysis.ir.source import Span
from analysis.rules.condition import condition_text, keyword_text
from analysis.rules.source_text import MAX_QUOTED, FunctionText
from analysis.syntax.document import Document

IF = SourceBranchKind.IF
LOOP = SourceBranchKind.LOOP
SWITCH = SourceBranchKind.SWITCH
CONDITIONAL = SourceBranchKind.CONDITIONAL
SHORT_CIRCUIT = SourceBranchKind.SHORT_CIRCUIT

BEFORE = "__global__ void k() { "


def branch_of(kind: SourceBranchKind, text: str, keyword: str) -> tuple[FunctionText, BranchFact]:
    """`text` as a branch in a function that starts after a comment, so that wrong offsets show."""
    code = BEFORE + text + " }"
    whole = "// ünïcode\n" + code
    start = len(whole.encode()) - len(code.encode())
    span = Span(len(BEFORE), len(BEFORE) + len(text.encode()))
    at = code.index(keyword, len(BEFORE))
    fact = BranchFact(
        kind,
        Span(at, at + len(keyword)),
        span,
        Level.VARYING,
        None,
        Level.GRID,
        Level.VARYING if kind is LOOP else None,
        0,
        0,
        None,
        None,
        None,
    )
    function = FunctionFacts(
        FunctionId("k"),
        "k",
        FunctionKind.KERNEL,
        start,
        start + len(code.encode()),
        Span(16, 17),
        True,
        True,
        0,
        (),
        (fact,),
        (fact,),
        (),
        (),
        (),
    )
    return FunctionText("a.cu", Document.open(whole.encode()), function), fact


@pytest.mark.parametrize(
    ("kind", "text", "keyword", "condition"),
    [
        (IF, "if (a < b) f();", "if", "a < b"),
        (IF, "if (f(a, (b)) && c[0]) f();", "if", "f(a, (b)) && c[0]"),
        (IF, "if constexpr (N > 1) f();", "if", "N > 1"),
        (IF, "if /* why ( */ (a /* ) */ < b) f();", "if", "a < b"),
        (IF, 'if (f(")")) g();', "if", 'f(")")'),
        (IF, "if (c == ')') g();", "if", "c == ')'"),
        (IF, "if (a <\n      b) f();", "if", "a < b"),
        (IF, "if (a < b", "if", None),
        (IF, "IF_VALID x;", "IF_VALID", None),
        (SWITCH, "switch (a % 4) { case 0: f(); }", "switch", "a % 4"),
        (LOOP, "while (x != 1) x /= 2;", "while", "x != 1"),
        (LOOP, "for (int i = f(0, 1); i < n; i++) g(i);", "for", "i < n"),
        (LOOP, "for (int i = [] { return 0; }(); i < n; i++) g(i);", "for", "i < n"),
        (LOOP, "for (;;) g();", "for", None),
        (LOOP, "for (auto x : xs) g(x);", "for", None),
        (LOOP, "do { f(); } while (x > 0)", "do", "x > 0"),
        (LOOP, "do { while (a) f(); } while (x > 0)", "do", "x > 0"),
        (CONDITIONAL, "a > 0 ? f() : g()", "?", "a > 0"),
        (SHORT_CIRCUIT, "a > 0 && f()", "&&", "a > 0"),
    ],
)
def test_the_condition_is_what_was_written(
    kind: SourceBranchKind, text: str, keyword: str, condition: str | None
) -> None:
    assert condition_text(*branch_of(kind, text, keyword)) == condition


def test_a_long_condition_is_cut() -> None:
    long = condition_text(*branch_of(IF, f"if ({'a + ' * 40}b > 0) f();", "if"))
    assert long is not None
    assert len(long) == MAX_QUOTED
    assert long.startswith("a + a")
    assert long.endswith("…")


@pytest.mark.parametrize(
    ("kind", "text", "keyword", "expected"),
    [
        (IF, "if (a) f();", "if", "if"),
        (LOOP, "for (;;) f();", "for", "for"),
        (CONDITIONAL, "a ? b : c", "?", "?:"),
        (SHORT_CIRCUIT, "a || b", "||", "||"),
        (IF, "IF_VALID x;", "IF_VALID", "if"),
    ],
)
def test_a_branch_is_called_by_its_keyword(kind: SourceBranchKind, text: str, keyword: str, expected: str) -> None:
    assert keyword_text(*branch_of(kind, text, keyword)) == expected
