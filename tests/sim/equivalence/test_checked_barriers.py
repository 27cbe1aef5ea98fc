"""`__syncwarp()` that was inserted: what running both versions says of it."""

from __future__ import annotations

import re
from typing import Final

from analysis.facts.analyzer import Analyzer, FileAnalysis
from analysis.facts.settings import AnalysisSettings
from analysis.refactor.barrier_goal import BarrierGoal
from analysis.refactor.edit import Replacement
from analysis.syntax.document import Document
from analysis.syntax.includes import DictLoader
from sim.equivalence.checked_barriers import CheckedBarriers, NoBarriers, check_barriers
from sim.equivalence.checked_edit import Change, check_edit
from sim.equivalence.model import Confirmed, Gap, Goal, MemoryDiffers, NotChecked, Refuted, StillRaces, Verdict
from tests.support.ladder import LADDER

TEMPLATE: Final = LADDER.replace("__global__", "template <int W> __global__").replace("sum<<<", "sum<8><<<")


def analyzed(text: bytes) -> FileAnalysis:
    return Analyzer().analyze("a.cu", Document.open(text), DictLoader(), AnalysisSettings())


def ordered(text: str) -> CheckedBarriers | NoBarriers:
    analysis = analyzed(text.encode())
    function = analysis.facts.functions[0]
    return check_barriers(analysis, function, BarrierGoal.ORDER, function.start, analyzed)


def replaced(text: str, old: str, new: str) -> Verdict:
    """Of a change that promises to order the lanes."""
    analysis = analyzed(text.encode())
    start = text.index(old)
    change = Change(analysis.facts.functions[0], (Replacement(start, start + len(old), new),), Goal.ORDERED)
    return check_edit(analysis, change, analyzed).verdict


def test_the_title_says_what_was_checked() -> None:
    found = ordered(LADDER)
    assert isinstance(found, CheckedBarriers)
    assert re.fullmatch(
        r"Insert 2 `__syncwarp\(\)` and take 1 statement apart: \d+ races? gone, equal results under 8 policies, "
        r"checked on 64 threads",
        found.title,
    )


def test_a_template_is_checked_through_its_instance() -> None:
    found = ordered(TEMPLATE)
    assert isinstance(found, CheckedBarriers)
    assert isinstance(found.verdict, Confirmed)


def test_a_race_that_is_left_refutes() -> None:
    verdict = replaced(LADDER, "s[t] += s[t + 16];", "__syncwarp(); s[t] += s[t + 16];")
    assert isinstance(verdict, Refuted)
    assert isinstance(verdict.evidence, StillRaces)
    assert verdict.evidence.place is not None
    assert verdict.evidence.place.line == 8


def test_another_result_than_that_of_lanes_in_step_refutes() -> None:
    split = "__syncwarp(); const float v = s[t] - s[t + 16]; __syncwarp(); s[t] = v;"
    verdict = replaced(LADDER, "s[t] += s[t + 16];", split)
    assert isinstance(verdict, Refuted)
    assert isinstance(verdict.evidence, MemoryDiffers)


def test_without_a_race_before_nothing_shows_what_is_mended() -> None:
    verdict = replaced(LADDER.replace("    s[t] += s[t + 16];\n", ""), "s[t + 32];", "s[t + 32]; __syncwarp();")
    assert isinstance(verdict, NotChecked)
    assert verdict.gap is Gap.NO_RACE


def test_what_cannot_be_written_has_a_reason() -> None:
    found = ordered(LADDER.replace("s[t] += s[t + 16];", "float v = s[t] = s[t + 16]; x[t] = v;"))
    assert isinstance(found, NoBarriers)
    assert found.message.startswith("lanes read and write in one statement")
    assert found.place is not None


def test_lanes_come_together_behind_a_branch() -> None:
    text = LADDER.replace("    s[t] += s[t + 16];\n", "    if (x[t] > 0.5f) s[t] *= 2;\n    s[t] += 1;\n")
    analysis = analyzed(text.encode())
    function, goal = analysis.facts.functions[0], BarrierGoal.RECONVERGE
    found = check_barriers(analysis, function, goal, text.index("if (x[t]"), analyzed)
    assert isinstance(found, CheckedBarriers)
    assert re.fullmatch(
        r"Insert `__syncwarp\(\)` after the branch: equal results under 8 policies, checked on 64 threads", found.title
    )
    whole_warps = check_barriers(analysis, function, goal, text.index("if (t < 32)"), analyzed)
    assert isinstance(whole_warps, NoBarriers)
