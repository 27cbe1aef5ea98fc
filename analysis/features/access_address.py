"""The address of an access as a formula, or what keeps it from being one.

Reason   From the address back through sums, products and conversions, along what has no linear form, to the first thing
         that is no such arithmetic: a load, an atomic, a call, a way that lanes took, an argument of an unknown caller.
"""

from __future__ import annotations

from enum import Enum
from typing import Final, final

from analysis.divergence.levels import Level
from analysis.facts.file_analysis import FileAnalysis
from analysis.facts.model import AccessFact, FunctionFacts
from analysis.facts.roots import RootAnalysis
from analysis.ir.ids import BasicBlockId, ValueId
from analysis.ir.instructions import (
    Atomic,
    Binary,
    Bitcast,
    Call,
    Convert,
    ElementAddress,
    FieldAddress,
    Load,
    Opaque,
    Phi,
    Select,
    Unary,
)
from analysis.ir.record import record
from analysis.ir.source import Span
from analysis.rules.form_names import names_of
from analysis.rules.form_text import FormWriter
from analysis.rules.source_text import one_line
from analysis.rules.stride_text import places

MAX_STEPS: Final = 64
MAX_FORMULA: Final = 120


class Reason(Enum):
    """Why an address is no formula; the values are words for it."""

    MEMORY = "scattered: the index comes from memory"
    ATOMIC = "scattered: the index comes from an atomic"
    CALL = "the index comes from a call that is not followed"
    PATHS = "the index depends on the way that a lane took"
    CALLER = "the address comes from an unknown caller"
    SIZE = "the size of an element is not known"
    SHAPE = "the index is no linear function of the thread index"


BY_DATA: Final = frozenset({Reason.MEMORY, Reason.ATOMIC})


@final
@record
class Unpredictable:
    """`source`: the text of what is to blame, None where it stands in another function."""

    reason: Reason
    source: str | None

    def words(self) -> str:
        """`scattered: the index comes from memory, `next[i]``."""
        return self.reason.value + (f", `{self.source}`" if self.source else "")


def address_formula(analysis: FileAnalysis, function: FunctionFacts, access: AccessFact) -> str | None:
    """`x + 4*threadIdx.x + 4*n`, in bytes; None where it is not known or differs between calls."""
    formulas: set[str | None] = set()
    for view, found in places(analysis, function, access):
        form = view.root.affine.form_at(found.address, found.block)
        names = names_of(analysis, function, view)
        written = None if form is None else FormWriter(view, names, access.span.end, MAX_FORMULA).address(form)
        formulas.add(None if written is None else written.whole)
        if len(formulas) > 1:
            return None
    return formulas.pop() if formulas else None


def why_unpredictable(analysis: FileAnalysis, function: FunctionFacts, access: AccessFact) -> Unpredictable | None:
    """What is to blame in the first call where the address is no formula; None where there is no such call."""
    for view, found in places(analysis, function, access):
        if view.root.affine.form_at(found.address, found.block) is None:
            reason, span = _blame(view.root, found.address, found.block)
            own = span is not None and span.frame == view.frame and span.start < span.end
            text = analysis.document.text[function.start : function.end]
            return Unpredictable(reason, one_line(text[span.start : span.end]) if own and span is not None else None)
    return None


def _blame(root: RootAnalysis, value: ValueId, block: BasicBlockId) -> tuple[Reason, Span | None]:
    for _ in range(MAX_STEPS):
        item = root.divergence.definition(value)
        match item:
            case ElementAddress() | FieldAddress() | Binary() | Unary() | Convert() | Bitcast():
                guilty = next((each for each in reversed(item.operands) if _is_unknown(root, each, block)), None)
                if guilty is None:
                    return Reason.SIZE if isinstance(item, ElementAddress) else Reason.SHAPE, item.span
                value = guilty
            case Load():
                return Reason.MEMORY, item.span
            case Atomic():
                return Reason.ATOMIC, item.span
            case Phi() | Select():
                return Reason.PATHS, None
            case Call() | Opaque():
                return Reason.CALL, item.span
            case None:
                return Reason.CALLER, None
            case _:
                return Reason.SHAPE, item.span
    return Reason.SHAPE, None


def _is_unknown(root: RootAnalysis, value: ValueId, block: BasicBlockId) -> bool:
    return root.affine.form_at(value, block) is None and root.divergence.use_level(value, block) is Level.VARYING
