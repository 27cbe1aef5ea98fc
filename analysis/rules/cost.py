"""How much does a split warp lose at a branch?

Measure  The number of operators, calls and subscripts in the branch as written: each becomes about one instruction.
         A loop counts `ASSUMED_TRIPS` times, since its lanes wait for each other in every round.
Limits   Knows no latencies, no trip counts and not which arm is cheaper; to be replaced by the estimate of `verdict`.
"""

from __future__ import annotations

import re
from typing import Final

from analysis.facts.model import BranchFact
from analysis.ir.function import SourceBranchKind
from analysis.rules.source_text import FunctionText
from analysis.syntax.lexing import HIDDEN

ASSUMED_TRIPS: Final = 8

_OPERATION: Final = re.compile(rb"[-+*/%&|^<>=!~?]+|\[|[A-Za-z0-9_]\s*\(")


def divergence_cost(source: FunctionText, branch: BranchFact) -> int:
    """A rough number of instructions that lanes of a split warp wait for."""
    text = HIDDEN.sub(b" ", source.bytes(branch.extent))
    operations = sum(1 for _ in _OPERATION.finditer(text))
    return operations * (ASSUMED_TRIPS if branch.kind is SourceBranchKind.LOOP else 1)
