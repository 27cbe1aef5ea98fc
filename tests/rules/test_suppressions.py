"""`NOLINT` comments: clang-tidy's meaning, for our names."""

from __future__ import annotations

import pytest

from analysis.facts.model import ProblemKind
from analysis.rules.suppressions import NO_SUPPRESSIONS, RuleNames, read_suppressions
from analysis.syntax.document import Document

BARRIER = RuleNames("SYN101", "divergent-barrier")
LOOP = RuleNames("SYN102", "barrier-in-varying-loop")


def is_silent(text: str, rule: RuleNames = BARRIER) -> bool:
    """Whether `rule` is suppressed at the `$0` of the text."""
    marked = text.encode()
    offset = marked.index(b"$0")
    return read_suppressions(Document.open(marked.replace(b"$0", b""))).cover(rule, offset)


def unmatched(text: str) -> list[tuple[str, str]]:
    """Each unmatched directive, and what is said to be missing."""
    document = Document.open(text.encode())
    problems = read_suppressions(document).problems((BARRIER, LOOP))
    assert all(problem.kind is ProblemKind.ANNOTATION for problem in problems)
    return [
        (document.text[problem.start : problem.end].decode(), "end" if "has no" in problem.message else "begin")
        for problem in problems
    ]


@pytest.mark.parametrize(
    "listed",
    [
        "",
        "(simt-divergent-barrier)",
        "(divergent-barrier)",
        "(SYN101)",
        "(simt-SYN101)",
        "(simt-*)",
        "(SYN*)",
        "(*)",
        "(bugprone-x, simt-divergent-barrier)",
        "( simt-divergent-barrier )",
        "(simt-*,-simt-divergent-loop)",
        "(-simt-divergent-barrier,simt-*)",
        " (bugprone-x): the bracket does not follow the word, so this is a bare NOLINT",
        "(bugprone-x",
        ": the reason",
    ],
)
def test_a_line_is_silenced(listed: str) -> None:
    assert is_silent(f"$0__syncthreads();  // NOLINT{listed}\n")


@pytest.mark.parametrize(
    "listed",
    [
        "()",
        "(bugprone-branch-clone)",
        "(bugprone-*,cert-*)",
        "(simt-barrier-in-varying-loop)",
        "(simt-*,-simt-divergent-barrier)",
        "(SYN102)",
        "(simt-divergent)",
        "(SIMT-DIVERGENT-BARRIER)",
    ],
)
def test_other_names_do_not_silence_the_line(listed: str) -> None:
    assert not is_silent(f"$0__syncthreads();  // NOLINT{listed}\n")


def test_only_its_own_line() -> None:
    assert not is_silent("// NOLINT\n$0__syncthreads();\n")
    assert not is_silent("$0__syncthreads();\n// NOLINT\n")
    assert is_silent("/* NOLINT */ $0__syncthreads();")
    assert is_silent("f(); $0__syncthreads(); // NOLINT")


def test_the_next_line() -> None:
    assert is_silent("// NOLINTNEXTLINE(simt-divergent-barrier)\n$0__syncthreads();\n")
    assert is_silent("// NOLINTNEXTLINE\r\n$0__syncthreads();\r\n")
    assert not is_silent("// NOLINTNEXTLINE\n\n$0__syncthreads();\n")
    assert not is_silent("$0__syncthreads(); // NOLINTNEXTLINE\n")
    assert not is_silent("f();\n$0__syncthreads(); // NOLINTNEXTLINE")
    assert not is_silent("// NOLINTNEXTLINE(simt-divergent-barrier)\n$0__syncthreads();\n", LOOP)


def test_a_block() -> None:
    assert is_silent("// NOLINTBEGIN\nf();\n$0__syncthreads();\n// NOLINTEND\n")
    assert is_silent("// NOLINTBEGIN(simt-*)\n$0__syncthreads();\n// NOLINTEND( simt-* )\n")
    assert not is_silent("$0__syncthreads();\n// NOLINTBEGIN\n// NOLINTEND\n")
    assert not is_silent("// NOLINTBEGIN\n// NOLINTEND\n$0__syncthreads();\n")
    assert not is_silent("// NOLINTBEGIN(bugprone-x)\n$0__syncthreads();\n// NOLINTEND(bugprone-x)\n")


def test_blocks_nest() -> None:
    nested = "// NOLINTBEGIN(SYN101)\n// NOLINTBEGIN(SYN102)\n{0}\n// NOLINTEND(SYN102)\n{1}\n// NOLINTEND(SYN101)\n"
    assert is_silent(nested.format("$0", ""))
    assert is_silent(nested.format("$0", ""), LOOP)
    assert is_silent(nested.format("", "$0"))
    assert not is_silent(nested.format("", "$0"), LOOP)


def test_a_block_without_its_end_suppresses_nothing_and_is_reported() -> None:
    assert not is_silent("// NOLINTBEGIN\n$0__syncthreads();\n")
    assert unmatched("// NOLINTBEGIN\n__syncthreads();\n") == [("NOLINTBEGIN", "end")]
    assert unmatched("// NOLINTEND(SYN101)\n") == [("NOLINTEND(SYN101)", "begin")]
    assert unmatched("// NOLINTBEGIN(SYN101)\n// NOLINTEND(SYN102)\n") == [
        ("NOLINTBEGIN(SYN101)", "end"),
        ("NOLINTEND(SYN102)", "begin"),
    ]
    assert unmatched("// NOLINTBEGIN(SYN101)\n// NOLINTEND(SYN101)\n") == []


def test_blocks_of_other_tools_are_theirs_to_report() -> None:
    assert unmatched("// NOLINTBEGIN(bugprone-x)\n") == []
    assert unmatched("// NOLINTEND()\n") == []


def test_only_comments_count() -> None:
    assert not is_silent('$0printf("// NOLINT");\n')
    assert not is_silent('$0f(R"(// NOLINT)");\n')
    assert not is_silent("$0NOLINT(); __syncthreads();\n")
    assert is_silent('$0printf("//"); // NOLINT\n')
    assert is_silent("$0f('\"'); // NOLINT\n")


def test_longer_words_are_not_the_word() -> None:
    assert not is_silent("$0__syncthreads(); // NOLINTS\n")
    assert not is_silent("$0__syncthreads(); // MY_NOLINT\n")
    assert not is_silent("$0__syncthreads(); // nolint\n")


def test_a_text_without_the_word_is_not_read() -> None:
    assert read_suppressions(Document.open(b"// nothing\n" * 3)) is NO_SUPPRESSIONS
