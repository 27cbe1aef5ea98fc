"""Listings like Fig. 1(b) and (c) of Lee et al.: one instruction per line, `@s` before what executes once per warp.

    BB_4:
        @s ld.f32 s5, [s2]
           ldwseq.f32 r8, [s1]
           fma.f32 r6, s5, r8, r6
        @s iadd s7, s7, 1
        @s @s5 bra BB_4

A label says where a machine without a reconvergence stack needs a `syncwarp`, and where threads may be apart.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from analysis.ir.ids import BasicBlockId
from analysis.ir.source import Span
from analysis.scalar.machine import Execution, MachineBlock, MachineFunction, MachineInstruction

SourceOf = Callable[[Span], str | None]
"""The source line that a span stands for, as it is to be shown; None for none."""

COMMENT_COLUMN = 44


def no_source(span: Span) -> None:
    del span


def labels(function: MachineFunction) -> Mapping[BasicBlockId, str]:
    return {block.id: f"BB_{place}" for place, block in enumerate(function.blocks, 1)}


def listing(function: MachineFunction, source_of: SourceOf = no_source) -> Iterator[str]:
    """Lines without line ends; a source line stands beside the first of its instructions."""
    names = labels(function)
    shown: str | None = None
    for block in function.blocks:
        yield f"{names[block.id]}:{_remark(block)}"
        for instruction in block.instructions:
            mark = "@s" if instruction.execution is Execution.SCALAR else "  "
            text = f"    {mark} {instruction_text(instruction, names)}"
            source = source_of(instruction.span)
            comment = source is not None and source != shown
            shown = source if comment else shown
            yield f"{text:<{COMMENT_COLUMN}} # {source}" if comment else text


def instruction_text(instruction: MachineInstruction, names: Mapping[BasicBlockId, str]) -> str:
    """`iadd s7, s7, 1`, `@!r5 bra BB_3`, `st.f32 [r4], r6`."""
    operands = list(map(str, instruction.operands))
    if instruction.target is not None:
        guard = f"@{'!' if instruction.negated else ''}{operands[0]} " if operands else ""
        return f"{guard}{instruction.mnemonic} {names[instruction.target]}"
    if instruction.access is not None and not operands[0].startswith("["):
        operands[0] = f"[{operands[0]}]"
    listed = ", ".join([*map(str, instruction.results), *operands])
    return f"{instruction.mnemonic} {listed}" if listed else instruction.mnemonic


def _remark(block: MachineBlock) -> str:
    if block.needs_syncwarp:
        return "  # syncwarp"
    return "  # divergent" if block.divergent else ""
