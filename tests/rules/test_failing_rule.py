"""A rule that fails costs its own findings, and says so in the log."""

from __future__ import annotations

import logging
from collections.abc import Iterator

import pytest

from analysis.rules.check import check
from analysis.rules.divergent_branch import DivergentBranch
from analysis.rules.rule import Subject
from analysis.rules.settings import RuleSettings
from tests.rules.fixture import analyze

TEXT = """
__global__ void k(float *x) {
  if (threadIdx.x < 16) { __syncthreads(); x[1] = 2.0f; }
}
"""


def test_the_other_rules_still_speak(monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> None:
    def failing(_subject: Subject) -> Iterator[DivergentBranch]:
        raise KeyError("a defect")

    monkeypatch.setattr(DivergentBranch, "find", failing)
    with caplog.at_level(logging.ERROR):
        codes = {found.code for found in check(analyze(TEXT), RuleSettings())}
    assert "SYN101" in codes
    assert "DIV401" not in codes
    assert "DIV401 failed on k(float *x)" in caplog.text
