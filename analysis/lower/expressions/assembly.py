"""Inline assembly: operands to values and addresses; the tables give the instructions their meaning."""

from __future__ import annotations

from typing import Final

from analysis.lower.builtins import AssemblyCall, AssemblyInput, AssemblyOperand, lower_assembly
from analysis.lower.context import LoweringContext, Operand
from analysis.lower.expressions.dispatch import handles, place, rvalue, unsupported
from analysis.lower.strings import string_text
from analysis.syntax.tree import ERROR, Node

_OPERANDS: Final = ("gnu_asm_output_operand", "gnu_asm_input_operand")


@handles("gnu_asm_expression")
def _assembly(ctx: LoweringContext, node: Node) -> Operand:
    code = node.field("assembly_code")
    if code is None:
        return unsupported(ctx, node, "inline assembly")
    outputs: list[AssemblyOperand] = []
    for operand in _operands(node, "output_operands"):
        value = operand.field("value")
        if value is not None:
            found = place(ctx, value)
            outputs.append(AssemblyOperand(_constraint(operand), found.address, found.type, _name(operand)))
    inputs: list[AssemblyInput] = []
    for operand in _operands(node, "input_operands"):
        value = operand.field("value")
        if value is not None:
            inputs.append(AssemblyInput(_constraint(operand), rvalue(ctx, value), _name(operand)))
    clobbers = node.field("clobbers")
    named = () if clobbers is None else tuple(string_text(child) for child in clobbers.children)
    is_volatile = any(child.kind == "gnu_asm_qualifier" and child.text == b"volatile" for child in node.children)
    lower_assembly(
        AssemblyCall(
            ctx.builder,
            string_text(code),
            is_volatile,
            tuple(outputs),
            tuple(inputs),
            named,
            ctx.span(node),
            ctx.warp_size,
        )
    )
    return None


def _operands(node: Node, field: str) -> list[Node]:
    """Also those that no comma parts from the next one, `"r"(a) "l"(b)`: nvcc takes them, the grammar does not."""
    listed = node.field(field)
    found: list[Node] = []
    for child in () if listed is None else listed.children:
        found += child.children if child.kind == ERROR else [child]
    return [child for child in found if child.kind in _OPERANDS]


def _constraint(operand: Node) -> str:
    constraint = operand.field("constraint")
    return "" if constraint is None else string_text(constraint)


def _name(operand: Node) -> str | None:
    symbol = operand.field("symbol")
    return None if symbol is None else symbol.text.decode("utf-8", "replace")
