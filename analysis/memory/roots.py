"""Which pointer an address was derived from."""

from __future__ import annotations

from analysis.divergence.result import DivergenceResult
from analysis.ir.ids import ValueId
from analysis.ir.instructions import Bitcast, ElementAddress, FieldAddress


def pointer_root(divergence: DivergenceResult, address: ValueId) -> ValueId:
    """The pointer that an address is derived from step by step: an argument, a variable, or what else gave it."""
    while True:
        match divergence.definition(address):
            case ElementAddress(base=base) | FieldAddress(base=base):
                address = base
            case Bitcast(operand=operand):
                address = operand
            case _:
                return address
