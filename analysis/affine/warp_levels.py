"""Which values agree in each warp, although data flow alone says that they vary?

`(blockIdx.x * blockDim.x + threadIdx.x) / 32`, `row * n + threadIdx.y` where a warp lies in one row, `i - tid`.
Divergence can take these levels as known and then says the same of whatever depends on them.

Limits  integers only: the address of a variable of the thread is one number, but means other memory in each thread.
"""

from __future__ import annotations

from collections.abc import Mapping

from analysis.affine.atoms import ResidualAtom, SymbolAtom, ValueAtom
from analysis.affine.facts import AffineFacts
from analysis.affine.linear_form import LinearForm
from analysis.affine.projection import lane_stride
from analysis.divergence.levels import Level
from analysis.ir.ids import ValueId
from analysis.ir.types import IntegerType, PointerType


def find_warp_levels(facts: AffineFacts) -> Mapping[ValueId, Level]:
    divergence, types = facts.divergence, facts.function.types
    launch = divergence.launch
    found: dict[ValueId, Level] = {}
    for index, form in enumerate(facts.forms):
        value = ValueId(index)
        if form is None or not form.exact or divergence.agrees_in_warp(value):
            continue
        if isinstance(types[value], IntegerType) and lane_stride(form, launch) == 0 and not _is_address(facts, form):
            found[value] = Level.WARP
    return found


def _is_address(facts: AffineFacts, form: LinearForm) -> bool:
    """Is it made from a pointer?"""
    types = facts.function.types
    return any(
        isinstance(atom, SymbolAtom)
        or (isinstance(atom, ValueAtom | ResidualAtom) and isinstance(types[atom.value], PointerType))
        for atom in form.base.atoms()
    )
