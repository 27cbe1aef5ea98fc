"""Which values agree in each warp, although data flow alone says that they vary?

`(blockIdx.x * blockDim.x + threadIdx.x) / 32`, `row * n + threadIdx.y` where a warp lies in one row, `i - tid`,
`(t & m) >> 5`, `i & step` (`low_bits.py`), comparisons that agree in each block as bounds lie where blocks begin
(`aligned_bounds.py`), and comparisons that every launch decides (`decided.py`).  Divergence can take these levels as
known and then says the same of whatever depends on them.

Limits  integers only: the address of a variable of the thread is one number, but means other memory in each thread.
"""

from __future__ import annotations

from collections.abc import Mapping

from analysis.affine.addresses import is_address
from analysis.affine.aligned_bounds import comparisons_alike_in_blocks
from analysis.affine.decided import decided_comparisons
from analysis.affine.facts import AffineFacts
from analysis.affine.low_bits import LowBits
from analysis.affine.projection import lane_stride
from analysis.divergence.levels import Level
from analysis.graph.control_flow import ControlFlow
from analysis.ir.ids import ValueId
from analysis.ir.instructions import Compare
from analysis.ir.pace import paced, spend
from analysis.ir.types import IntegerType


def find_warp_levels(facts: AffineFacts, control: ControlFlow) -> Mapping[ValueId, Level]:
    divergence, types = facts.divergence, facts.function.types
    launch = divergence.launch
    found: dict[ValueId, Level] = {}
    for value in paced(divergence.apart_in_warps()):
        form = facts.forms[value]
        if form is None or not form.exact:
            continue
        spend(3)
        if isinstance(types[value], IntegerType) and lane_stride(form, launch) == 0 and not is_address(facts, form):
            found[value] = Level.WARP
    for value in LowBits(facts, control).agreeing():
        found.setdefault(value, Level.WARP)
    comparisons = [item for _, _, item in control.placed(Compare)]
    for value in comparisons_alike_in_blocks(facts, comparisons):
        found[value] = Level.BLOCK
    for value in decided_comparisons(facts, comparisons):
        found[value] = Level.GRID
    return found
