"""CUDA text in, one function with everything it calls inlined out."""

from __future__ import annotations

from analysis.ir.function import Function
from analysis.ir.inline import InlineBudget, inline_calls
from analysis.ir.promote import promote
from analysis.ir.verifier import verify
from analysis.lower.program import Program
from analysis.syntax.document import Document
from analysis.syntax.environment import Environment
from analysis.syntax.includes import DictLoader
from analysis.syntax.translation_unit import TranslationUnit


def inlined(text: str, name: str = "k") -> Function:
    """The function called `name` in SSA form, its callees inlined; it must verify."""
    unit = TranslationUnit.build("a.cu", Document.open(text.encode()), DictLoader(), Environment())
    program = Program(unit)
    (wanted,) = (found for found in program.device_functions() if found.id.startswith(f"{name}("))
    bodies = {found.id: promote(program.lower(found.id).function) for found in program.device_functions()}
    function = promote(inline_calls(bodies[wanted.id], bodies.get, InlineBudget()).function)
    assert verify(function) == ()
    return function
