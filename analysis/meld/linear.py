"""Arms of different shapes as straight lines: what may be executed with any operands no longer stands under a branch.

Rules     a block of an arm that one branch alone leads to, that only jumps on, and whose instructions are speculative
          (`compatibility.py`) gives them to the block with the branch; phis behind it become selects.  Where that makes
          an arm one block, the whole arm is aligned as one sequence.
Limits    accesses to memory and divisions of integers keep their branch, and loops stay loops: only what is around them
          is straightened.  Nothing under a guard is aligned with something under another guard.
Source    what HyBF (CC 2023) adds to branch fusion: one sequence for each arm, whatever its shape.
"""

from __future__ import annotations

from analysis.ir.ids import ValueId
from analysis.ir.instructions import Binary, Branch, Constant, Instruction, Jump
from analysis.meld.compatibility import is_speculative
from analysis.meld.draft import BlockIndex, FlowDraft, PricedInstruction
from analysis.meld.regions import DivergentRegion
from analysis.meld.shape import FlowShape
from analysis.meld.tidy import tidy


def straighten(draft: FlowDraft, shape: FlowShape, region: DivergentRegion) -> BlockIndex | None:
    """Straightens both arms as far as that goes; the block of the region's branch now, None where nothing changed."""
    constants: dict[ValueId, Instruction] = {
        step.instruction.result: step.instruction
        for block in draft.blocks
        for step in block.steps
        if isinstance(step.instruction, Constant)
    }
    inside = region.arms[0] | region.arms[1]
    found = False
    for block in reversed(shape.order):
        body = draft.blocks[block]
        before = shape.predecessors[block]
        if block not in inside or len(before) != 1 or before[0] not in inside:
            continue
        is_arm = isinstance(draft.blocks[before[0]].terminator, Branch) and isinstance(body.terminator, Jump)
        if is_arm and not body.phis and body.steps and all(_is_free(draft, step, constants) for step in body.steps):
            draft.blocks[before[0]].steps += body.steps
            body.steps = []
            found = True
    if not found:
        return None
    branch = region.branch
    tidy(draft)
    entries = [
        block
        for block in draft.order()
        if draft.blocks[block].is_divergent
        and isinstance(end := draft.blocks[block].terminator, Branch)
        and (end.span, end.condition) == (branch.span, draft.current(branch.condition))
    ]
    return entries[0] if len(entries) == 1 else None


def _is_free(draft: FlowDraft, step: PricedInstruction, constants: dict[ValueId, Instruction]) -> bool:
    item = step.instruction
    divisor = constants.get(item.right) if isinstance(item, Binary) else None
    return is_speculative(item, draft.types, divisor)
