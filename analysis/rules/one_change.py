"""Which divergent branches would one change mend, so that they are one finding?

Ladders   `if … else if … else if`: the rungs stand at the first of them that is reported.
Roles     branches on one condition that the thread's index decides (`if (threadIdx.x < 16)`): lanes that are given
          other work by other indices part at none of them.
Macros    uses of one macro in a function stand at the first use.
Exits     an `if` that only leaves a loop (`break`, `return`) says what the loop's own finding says.
Contract  Only findings of the same tier are joined, so that none hides behind one that is not shown.
Limits    found from the text, so a ladder that a macro hides is several findings.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final, final

from analysis.facts.model import BranchFact
from analysis.ir.function import SourceBranchKind
from analysis.ir.record import record
from analysis.ir.source import Span
from analysis.rules.condition import condition_text
from analysis.rules.source_text import FunctionText
from analysis.syntax.lexing import HIDDEN
from analysis.verdict.grade import Grade


@final
@record
class Rung:
    """An `if` that stands right behind the `else` of another one: the place of the first `if` of its ladder."""

    first: int


@final
@record
class Roles:
    """An `if`, with its ladder, on a condition of the thread's index that a function asks several times."""

    condition: str


@final
@record
class MacroUse:
    name: bytes


@final
@record
class Alone:
    """Whatever else: its own place."""

    place: int


Change = Rung | Roles | MacroUse | Alone


CUT: Final = "…"
"""The end of a text that is longer than messages quote: others may begin alike."""


def change_of(text: FunctionText, branch: BranchFact, branches: Sequence[BranchFact]) -> Change:
    """Branches with equal answers are mended by one change."""
    used = _MACRO.match(text.bytes(branch.keyword))
    if used is not None and used[0] not in _KEYWORDS:
        return MacroUse(used[0])
    if branch.kind is not SourceBranchKind.IF:
        return Alone(branch.keyword.start)
    first = _first_of_ladder(text, branch, branches)
    condition = condition_text(text, first) if first.grade is not Grade.DATA_DEPENDENT else None
    if condition is None or condition.endswith(CUT):
        return Rung(first.keyword.start)
    return Roles(condition)


def _first_of_ladder(text: FunctionText, branch: BranchFact, branches: Sequence[BranchFact]) -> BranchFact:
    ladder = [
        one
        for one in branches
        if one.kind is SourceBranchKind.IF and one.extent.end == branch.extent.end and one.extent.frame == 0
    ]
    first = branch
    for above in sorted(ladder, key=lambda one: -one.extent.start):
        if above.extent.start < first.extent.start and _is_else(text, above, first):
            first = above
    return first


def _is_else(text: FunctionText, above: BranchFact, rung: BranchFact) -> bool:
    before = text.bytes(Span(above.extent.start, rung.keyword.start))
    return _ELSE.search(HIDDEN.sub(_blanks, before)) is not None


def only_leaves(text: FunctionText, branch: BranchFact, loops: Sequence[BranchFact]) -> bool:
    """Is this an `if` without `else` inside one of the loops that does nothing but leave it?"""
    if branch.kind is not SourceBranchKind.IF:
        return False
    if not any(loop.extent.start < branch.extent.start and branch.extent.end <= loop.extent.end for loop in loops):
        return False
    return _LEAVES.search(HIDDEN.sub(_blanks, text.bytes(branch.extent))) is not None


def _blanks(match: re.Match[bytes]) -> bytes:
    return b" " * len(match[0])


_KEYWORDS: Final = frozenset({b"if", b"for", b"while", b"do", b"switch", b"and", b"or"})
_MACRO: Final = re.compile(rb"[A-Za-z_]\w*")
_ELSE: Final = re.compile(rb"\belse\s*\Z")
_LEAVES: Final = re.compile(rb"\)\s*\{?\s*(?:break|return\b[^;{}]*)\s*;\s*\}?\s*\Z")
