"""Random kernels that write down, on the GPU, which of their branches split a warp: none that is called uniform may.

Each condition of an `if`, a `while` or a `for` is wrapped: `if (see(3, a < b))`.  The lanes that are there together
vote, and where they disagree the branch is marked as split.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final, final

import numpy as np

from analysis.divergence.levels import Level
from analysis.facts.analyzer import Analyzer
from analysis.facts.model import FunctionFacts
from analysis.facts.settings import AnalysisSettings
from analysis.syntax.document import Document
from analysis.syntax.includes import DictLoader
from tests.gpu.launch import GpuResult
from tests.gpu.subjects import Arrays, Subject
from tests.sim.native.comparison import Case
from tests.sim.native.random_cases import random_case
from tests.sim.random.kernels import NAME

_MOST: Final = 256
"""Branches of one kernel."""
_SEE: Final = f"""__device__ unsigned char split[{_MOST}];
__device__ __forceinline__ bool see(int branch, bool holds) {{
  const unsigned together = __activemask(), agree = __ballot_sync(together, holds);
  if (agree != 0 && agree != together) split[branch] = 1;
  return holds;
}}
"""
_HEAD: Final = re.compile(r"(if|while|for)\s*\(")
_SIGNATURE: Final = re.compile(rf"__global__ void {NAME}\((.*?)\)", re.DOTALL)


@final
@dataclass(frozen=True, slots=True)
class Watched:
    """`levels` of the branches that are watched, in the order of their numbers."""

    text: str
    levels: Sequence[Level]


def branches(seeds: Sequence[int], together: int = 50) -> Iterator[Subject]:
    """Files of random kernels with their branches watched."""
    for start in range(0, len(seeds), together):
        chosen = [(case, watched(case)) for case in map(random_case, seeds[start : start + together])]
        units = [
            replace(case.unit, text=one.text, variables=("split",)) for case, one in chosen if len(one.levels) <= _MOST
        ]
        kept = [pair for pair in chosen if len(pair[1].levels) <= _MOST]
        cases = [replace(case, unit=unit) for (case, _), unit in zip(kept, units, strict=True)]
        yield _subject(f"branches_{seeds[start]}", cases, [one.levels for _, one in kept])


def _subject(name: str, cases: Sequence[Case], levels: Sequence[Sequence[Level]]) -> Subject:
    def judge(number: int, result: GpuResult, _: Arrays) -> Iterator[str]:
        for branch in np.flatnonzero(result.variables["split"]).tolist():
            level = levels[number][branch]
            if level <= Level.WARP:
                yield f"{cases[number].unit.name}: branch {branch} is uniform ({level.name}) and splits a warp"

    return Subject(name, cases, judge)


def watched(case: Case) -> Watched:
    """The kernel with every condition wrapped; what is claimed of it rests on this launch."""
    text = case.unit.text
    analysis = Analyzer().analyze(
        "k.cu", Document.open((text + _host(case)).encode()), DictLoader(), AnalysisSettings()
    )
    conditions = {span: level for facts in analysis.facts.functions for span, level in _conditions(text, facts).items()}
    pieces: list[tuple[int, str]] = []
    for number, (start, end) in enumerate(conditions):
        pieces += [(start, f"see({number}, "), (end, ")")]
    for at, piece in sorted(pieces, reverse=True):
        text = text[:at] + piece + text[at:]
    head = text.index("struct ")
    return Watched(text[:head] + _SEE + text[head:], list(conditions.values()))


def _conditions(text: str, facts: FunctionFacts) -> Mapping[tuple[int, int], Level]:
    """Where the conditions of the function stand, and their levels."""
    found: dict[tuple[int, int], Level] = {}
    for branch in facts.branches if facts.unreadable is None else ():
        head = _HEAD.match(text, facts.start + branch.keyword.start)
        if head is None:
            continue
        start, end = head.end(), _closing(text, head.end())
        if head[1] == "for":
            first = text.index(";", start) + 1
            start, end = first, text.index(";", first)
        start += len(text[start:end]) - len(text[start:end].lstrip())
        if start < end:
            found[start, end] = branch.level
    return found


def _closing(text: str, at: int) -> int:
    """The parenthesis that closes the one before `at`."""
    depth = 1
    while depth:
        depth += {"(": 1, ")": -1}.get(text[at], 0)
        at += 1
    return at - 1


def _host(case: Case) -> str:
    """A function that launches the kernel as the case does."""
    signature = _SIGNATURE.search(case.unit.text)
    assert signature is not None
    names = ", ".join(re.findall(r"(\w+)(?:,|$)", signature[1]))
    shape = f"dim3{case.grid}, dim3{case.block}, {case.shared}"
    return f"void host({signature[1]}) {{ {NAME}<<<{shape}>>>({names}); }}\n"
