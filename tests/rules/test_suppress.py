"""The edit that silences a finding: the finding is gone, all others stay, and the comment is no unused one."""

from __future__ import annotations

import re

import pytest

from analysis.refactor.edit import apply_replacements
from analysis.rules.check import check
from analysis.rules.registry import RULES
from analysis.rules.rule import Finding
from analysis.rules.settings import RuleSettings
from analysis.rules.suppress import suppressing_edits
from analysis.rules.unused_suppressions import unused_suppressions
from tests.rules.fixture import analyze
from tests.rules.test_documentation import examples

SETTINGS = RuleSettings()


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.code)
def test_each_finding_of_the_pages_can_be_silenced(rule: type[Finding]) -> None:
    for claimed in examples(rule):
        for text in {claimed, re.sub(r" *//~.*", "", claimed)}:
            analysis = analyze(text)
            found = check(analysis, SETTINGS)
            offered = [*suppressing_edits(analysis.document, found)]
            assert sorted(one.code for each in offered for one in each.findings) == sorted(one.code for one in found)
            for each in offered:
                after = analyze(apply_replacements(analysis.document.text, (each.edit,)).decode())
                left = sorted(one.code for one in found if one not in each.findings)
                assert sorted(one.code for one in check(after, SETTINGS)) == left, each.edit
                unused = unused_suppressions(analysis, SETTINGS)
                assert len(unused_suppressions(after, SETTINGS)) == len(unused), each.edit


def silenced(barrier: str, above: str = "  if (threadIdx.x < 7) {") -> list[str]:
    """The lines that an edit for the barrier changes or adds."""
    text = f"__global__ void k() {{\n{above}\n{barrier}\n  }}\n}}\n"
    analysis = analyze(text)
    (found,) = [one for one in check(analysis, RuleSettings(select=frozenset({"SYN101"}))) if one.code == "SYN101"]
    (offered,) = suppressing_edits(analysis.document, [found])
    after = apply_replacements(analysis.document.text, (offered.edit,)).decode()
    return [line for line in after.splitlines() if line not in text.splitlines()]


def test_where_it_is_written() -> None:
    name = "NOLINT(simt-SYN101)"
    assert silenced("    __syncthreads();") == [f"    __syncthreads();  // {name}"]
    assert silenced("    __syncthreads(); // why") == ["    // NOLINTNEXTLINE(simt-SYN101)"]
    listed = "    __syncthreads();  // NOLINT(simt-DIV401"
    assert silenced(f"{listed})") == [f"{listed}, simt-SYN101)"]
    assert silenced("    __syncthreads();  // NOLINT()") == [f"    __syncthreads();  // {name}"]
