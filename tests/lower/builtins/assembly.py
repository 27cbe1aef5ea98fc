"""`asm` statements and the IR they become.

Outputs are local objects `$0`, `$1`, … whose addresses come first; then one undefined value per input.
"""

from __future__ import annotations

import re
from textwrap import dedent

from analysis.ir.function import FunctionKind, SymbolKind
from analysis.ir.ids import FunctionId
from analysis.ir.printer import print_function
from analysis.ir.types import VOID
from analysis.ir.verifier import verify
from analysis.lower.builder import FunctionBuilder
from analysis.lower.builtins import AssemblyCall, AssemblyInput, AssemblyOperand, lower_assembly
from tests.lower.builtins.calls import SPAN, type_named

CONSTRAINTS = {"u16": "h", "s16": "h", "u64": "l", "s64": "l", "f32": "f", "f64": "d"}


def assembly_lines(text: str, outputs: str = "", inputs: str = "") -> list[str]:
    """The lines of the function that holds `asm(text : outputs : inputs)`; types are listed as `+u32 name`."""
    builder = FunctionBuilder()
    written: list[AssemblyOperand] = []
    for word in outputs.split(", ") if outputs else []:
        spelled, _, name = word.removeprefix("+").partition(" ")
        type = type_named(spelled)
        address = builder.symbol_address(builder.symbol("o", SymbolKind.LOCAL, type, SPAN), SPAN)
        sign = "+" if word.startswith("+") else "="
        written.append(AssemblyOperand(sign + CONSTRAINTS.get(spelled, "r"), address, type, name or None))
    read: list[AssemblyInput] = []
    for word in inputs.split(", ") if inputs else []:
        spelled, _, name = word.partition(" ")
        value = builder.undefined(type_named(spelled), SPAN)
        read.append(AssemblyInput(CONSTRAINTS.get(spelled, "r"), value, name or None))
    lower_assembly(AssemblyCall(builder, text, True, tuple(written), tuple(read), (), SPAN))
    function = builder.finish(FunctionId("f"), "f", FunctionKind.DEVICE, VOID, SPAN)
    assert verify(function) == ()
    lines = [line.strip() for line in print_function(function).splitlines()]
    return [line for line in lines[lines.index("block0:") + 1 :] if line and line not in ("}", "return")]


def check_assembly(text: str, outputs: str, inputs: str, expected: str) -> None:
    lines = assembly_lines(text, outputs, inputs)
    kept = [line for line in lines if not re.search(r"= (?:undef|address \$)", line)]
    assert kept == dedent(expected).strip().splitlines(), "\n".join(kept)
