"""From CUDA text to the function that is analysed and run: lowered, in SSA form, with what it calls inlined.

Who wants many functions of a file remembers what it has asked for (`analysis.facts.lowered`, `sim.kernel`); the steps
are here.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from analysis.ir.function import Function
from analysis.ir.inline import DEFAULT_BUDGET, InlineBudget, InlineResult, Resolve, inline_calls
from analysis.ir.instructions import FunctionId
from analysis.ir.known_calls import chooses_calls
from analysis.ir.promote import promote
from analysis.lower.program import Program
from analysis.syntax.document import Document
from analysis.syntax.environment import Environment
from analysis.syntax.includes import DictLoader
from analysis.syntax.translation_unit import TranslationUnit


def unit_of_text(text: str, path: str = "a.cu", headers: Mapping[str, str] | None = None) -> TranslationUnit:
    """A text that is no file; `headers` are the texts of what it includes, by path."""
    loader = DictLoader({name: header.encode() for name, header in (headers or {}).items()})
    return TranslationUnit.build(path, Document.open(text.encode()), loader, Environment())


def ssa_form(program: Program, id: FunctionId) -> Function:
    """One function alone; raises KeyError for an id that neither the file nor a lowered caller names."""
    return promote(program.lower(id).function)


def with_calls_inlined(
    function: Function, resolve: Resolve, budget: InlineBudget = DEFAULT_BUDGET, *, keep_refused: bool = False
) -> InlineResult:
    """`function` (in SSA form) with the bodies of what it calls, in SSA form again.

    A variable whose address was passed to an inlined function may be a value now, so there is more to promote, and a
    pointer to a function that was passed may be known.
    """
    inlined = inline_calls(function, resolve, budget, keep_refused=keep_refused)
    found = inlined.function
    if found is function or not (found.symbols or chooses_calls(found)):
        return inlined
    return replace(inlined, function=promote(found))
