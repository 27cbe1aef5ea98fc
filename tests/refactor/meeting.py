"""All threads brought to the barriers of a block: what the tests of it share.

Each repair is proven by the analysis of the new text, and confirmed by runs of both versions under every policy.
"""

from __future__ import annotations

from typing import Final

from analysis.facts.analyzer import Analyzer, FileAnalysis
from analysis.facts.settings import AnalysisSettings
from analysis.refactor.barrier_goal import BarrierGoal
from analysis.refactor.block_barriers.meet import draft_meeting, meet_barriers
from analysis.refactor.block_barriers.model import CannotMeet, Met, RepairStep, WhyNotMet
from analysis.refactor.edit import apply_replacements
from analysis.syntax.document import Document
from analysis.syntax.includes import DictLoader
from sim.equivalence.checked_barriers import CheckedBarriers, check_barriers
from sim.equivalence.model import Confirmed

ARGUMENTS: Final = "const float *x, float *y, const int *m, int n"
HOST: Final = "void host(const float *x, float *y, const int *m, int n) { k<<<3, 64>>>(x, y, m, n); }\n"

TILE: Final = "  __shared__ float s[64];\n  int t = threadIdx.x;\n  int i = blockIdx.x * blockDim.x + t;\n"


def analyzed(text: bytes) -> FileAnalysis:
    return Analyzer().analyze("a.cu", Document.open(text), DictLoader(), AnalysisSettings())


def kernel(body: str, above: str = "") -> str:
    return f"{above}__global__ void k({ARGUMENTS}) {{\n{body}}}\n{HOST}"


def met(text: str) -> Met | CannotMeet | None:
    analysis = analyzed(text.encode())
    return meet_barriers(analysis, next(one for one in analysis.facts.functions if one.name == "k"), analyzed)


def check(before: str, after: str, *steps: RepairStep, above: str = "") -> None:
    """The body of a kernel becomes another one, which does the same."""
    text = kernel(before, above)
    analysis = analyzed(text.encode())
    function = next(one for one in analysis.facts.functions if one.name == "k")
    found = check_barriers(analysis, function, BarrierGoal.MEET, function.start, analyzed)
    assert isinstance(found, CheckedBarriers), found
    assert apply_replacements(text.encode(), found.edit).decode() == kernel(after, above)
    assert isinstance(found.verdict, Confirmed), found.verdict
    draft = draft_meeting(analysis, function)
    assert isinstance(draft, Met)
    assert draft.steps == steps


def refused(body: str, above: str = "") -> WhyNotMet:
    found = met(kernel(body, above))
    assert isinstance(found, CannotMeet), found
    return found.reason
