"""Inline PTX: `asm("...")`."""

from __future__ import annotations

from analysis.lower.builtins.assembly.call import AssemblyCall


def lower_assembly(call: AssemblyCall) -> None:
    """Emits the statement; what is not understood is opaque, never an error."""
    # Few files have inline assembly, and reading these modules takes a tenth of the time of all builtins.
    from analysis.lower.builtins.assembly.lowering import lower_statement

    lower_statement(call)
