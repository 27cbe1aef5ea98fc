"""Lowers inline PTX instruction by instruction."""

from __future__ import annotations

from analysis.lower.builtins.assembly.call import AssemblyCall


def lower_assembly(call: AssemblyCall) -> None:
    """The statement as one opaque operation."""
    arguments = tuple(item.value for item in call.inputs)
    for output in call.outputs:
        value = call.builder.opaque("asm", arguments, output.type, call.span)
        call.builder.store(output.address, value, call.span)
